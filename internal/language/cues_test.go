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

// TestQuestionsAskForSomething has what a question asks for, and what a text says of itself, in several languages.
func TestQuestionsAskForSomething(t *testing.T) {
	t.Parallel()
	denies, whatIs := Denies, AsksWhatIs
	help := func(_ string, list []Token) bool { return AsksHelp(list) }
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
