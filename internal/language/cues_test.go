package language

import (
	"slices"
	"strings"
	"testing"
)

func TestCues(t *testing.T) {
	t.Parallel()
	any := func(is func(string) bool) func([]Token) bool {
		return func(tokens []Token) bool {
			return slices.ContainsFunc(tokens, func(t Token) bool { return is(t.Form) })
		}
	}
	for _, tt := range []struct {
		name string
		cue  func([]Token) bool
		text string
		want bool
	}{
		{"when", any(TellsWhen), "We met yesterday.", true},
		{"when", any(TellsWhen), "She moved in März", true},
		{"when", any(TellsWhen), "It opened in 2019", true},
		{"when", any(TellsWhen), "It may rain", false},
		{"when", any(TellsWhen), "Room 2204 is free", false},
		{"when", any(TellsWhen), "昨天我去了图书馆", true},
		{"asks", AsksWhen, "When did she move?", true},
		{"asks", AsksWhen, "On what day did they meet?", true},
		{"asks", AsksWhen, "Wann ist die Prüfung?", true},
		{"asks", AsksWhen, "你什么时候去北京？", true},
		{"asks", AsksWhen, "引っ越しはいつですか", true},
		{"asks", AsksWhen, "What did she buy?", false},
		{"self", any(FirstPerson), "I'm moving", true},
		{"self", any(FirstPerson), "Meine Schwester kommt", true},
		{"self", any(FirstPerson), "They moved", false},
		{"self", any(FirstPerson), "我喜欢茶", true},
	} {
		var a Analyzer
		if got := tt.cue(a.Tokens(tt.text, nil)); got != tt.want {
			t.Errorf("%s of %q: got %v, want %v", tt.name, tt.text, got, tt.want)
		}
	}
}

// TestOverview has the words of questions that name their subject, or "all" if a question asks for no overview.
func TestOverview(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"In which order did we move the servers?":                     "did we move the servers",
		"Walk me through the four different topics of the team days":  "the of the team days",
		"Give me a detailed summary of our conversations about Malmö": "me a of about malmo",
		"List all topics of the Kafka cluster":                        "topics of the kafka cluster",
		"In welcher Reihenfolge haben wir die Server umgezogen?":      "haben wir die server umgezogen",
		"Fasse alles über die drei Umzüge zusammen":                   "die umzuge",
		"Dans quel ordre avons-nous visité Lyon et Metz ?":            "avonsnous avons nous visite lyon et metz",
		"Hazme un resumen de varios temas del viaje":                  "hazme del viaje",
		"Em que ordem visitamos o Porto?":                             "visitamos o porto",
		"年表":                                                          "",
		"时间顺序":                                                        "",
		"What is on the shopping list?":                               "all",
		"We store three different orders of him":                      "all",
		"":                                                            "all",
	} {
		var a Analyzer
		tokens := a.Tokens(question, nil)
		var said []string
		formal := Overview(tokens)
		for i, is := range formal {
			if !is {
				said = append(said, tokens[i].Form)
			}
		}
		if formal == nil {
			said = []string{"all"}
		}
		if got := strings.Join(said, " "); got != want {
			t.Errorf("%q: got %q, want %q", question, got, want)
		}
	}
}

// TestQuestionsAskForSomething has what a question asks for, and what a text says of itself, in several languages.
func TestQuestionsAskForSomething(t *testing.T) {
	t.Parallel()
	denies, whatIs := Denies, AsksWhatIs
	help := func(_ string, list []Token) bool { return AsksHelp(list) }
	order := func(_ string, list []Token) bool { return AsksOrder(list) }
	for _, tt := range []struct {
		name string
		is   func(string, []Token) bool
		text string
		want bool
	}{
		{"help", help, "How should I pack?", true},
		{"help", help, "Wie kann ich das Dach decken?", true},
		{"help", help, "¿Cómo puedo escribirle?", true},
		{"help", help, "Que dois-je faire ?", true},
		{"help", help, "东京怎么去", true},
		{"help", help, "How long do the days seem?", false},
		{"help", help, "What did you recommend?", false},
		{"order", order, "Show me a timeline of the move", true},
		{"order", order, "Erzähl chronologisch vom Umzug", true},
		{"order", order, "引っ越しの順番は", true},
		{"order", order, "Order two chairs in time", false},
		{"denies", denies, "We do not use Kafka.", true},
		{"denies", denies, "No, we use Kafka.", false},
		{"denies", denies, "We deploy on Tuesdays, never on Fridays.", false},
		{"denies", denies, "Wir trinken keinen Tee.", true},
		{"denies", denies, "金曜日に行わない。", true},
		{"denies", denies, "We do not use it " + strings.Repeat("because of the cost ", 4), false},
		{"what is", whatIs, "And what do we use?", true},
		{"what is", whatIs, "Do we know what we use?", false},
		{"what is", whatIs, "What do we not use?", false},
		{"what is", whatIs, "what should we avoid", false},
		{"what is", whatIs, "何を使わない", false},
	} {
		var a Analyzer
		if got := tt.is(tt.text, a.Tokens(tt.text, nil)); got != tt.want {
			t.Errorf("%s %q: got %v", tt.name, tt.text, got)
		}
	}
	for form, want := range map[string]bool{"always": true, "bevorzuge": true, "jamais": true, "likes": false} {
		if StatesRule(form) != want {
			t.Errorf("%q: got %v", form, !want)
		}
	}
}
