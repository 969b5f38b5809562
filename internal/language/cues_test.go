package language

import (
	"slices"
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
