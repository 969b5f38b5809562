package recall

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/index"
)

// showTerms writes terms: the words of phrases with +, prefixes with a * behind, and parts with a *
// on each side. Exact words, which similar ones do not stand in for, have a !.
func showTerms(list []index.Term) string {
	var out []string
	for _, t := range list {
		words := t.Phrase
		if len(words) == 0 {
			words = []index.Term{t}
		}
		var forms []string
		for _, w := range words {
			switch {
			case w.Prefix:
				w.Form += "*"
			case w.Part:
				w.Form = "*" + w.Form + "*"
			case len(t.Phrase) == 0 && !w.Fuzzy:
				w.Form += "!"
			}
			forms = append(forms, w.Form)
		}
		out = append(out, strings.Join(forms, "+"))
	}
	return strings.Join(out, " ")
}

func TestTermsOfAQuestion(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, words, prefixes, parts string }{
		{"a phrase", `"blue green deploys" day`, "blue+green+deploys day", "blue+green+deploys* day*", "*day*"},
		{"typographic quotes", `“blue green” day`, "blue+green day", "blue+green* day*", "*day*"},
		{"one word in quotes", `"deploy"`, "deploy!", "deploy*", "*deploy*"},
		{"a stop-word in quotes", `"the" "the who"`, "the! the+who", "the* the+who*", "*the*"},
		{"a quote that never ends", `"blue green`, "blue green", "blue* green*", "*blue* *green*"},
		{"an empty quote", `"" xy "?"`, "xy", "", ""},
		{"a prefix", "deploymen* (tues*)", "deploymen* tues", "deploymen* tues*", "*deploymen* *tues*"},
		{"a prefix that is too short", "de* vault", "de! vault", "vault*", "*vault*"},
		{"a prefix of an identifier", "user_i*", "user+i", "", ""},
		{"another one", "user_nam*", "user+nam*", "user+nam*", ""},
		{"an identifier", "user_id", "userid user id", "userid* user*", "*userid* *user*"},
		{"an identifier with a digit", "plum3x", "plum3x plum", "plum3x* plum*", "*plum3x* *plum*"},
		{"an identifier with a letter", "plan-B", "planb plan", "planb* plan*", "*planb* *plan*"},
		{"a number in an identifier", "T-1000", "t1000 1000", "t1000* 1000*", "*t1000* *1000*"},
		{"a digit and a letter alone", "plan B 3", "plan b 3", "plan*", "*plan*"},
		{"a number with a unit", "5 kg", "5 5kg kg", "5kg*", "*5kg*"},
		{"an identifier in quotes", `"user_id"`, "user+id", "", ""},
		{"a path in quotes", `"src/userName.ts"`, "src+user+name+ts", "", ""},
		{"ideographs", "山川", "山 山川 川", "山* 山川* 川*", "*山* *山川* *川*"},
		{"ideographs in quotes", `"山川"`, "山+川", "山+川*", ""},
		{"Korean in quotes", `"서울 맛집"`, "서울+맛집", "서울+맛집*", ""},
		{"a word and the same in quotes", `deploy "deploy" DEPLOY`, "deploy", "deploy*", "*deploy*"},
		{"the longest", "aa bbb cccc dddd eeeee", "aa bbb cccc dddd eeeee", "bbb* cccc* dddd* eeeee*",
			"*bbb* *cccc* *dddd* *eeeee*"},
		{"stop-words", "what is it", "what is it", "what*", "*what*"},
		{"a name among words", "What did Caroline paint?", "paint", "paint*", "*paint*"},
		{"a name alone", "who is Caroline?", "caroline", "caroline*", "*caroline*"},
		{"a name in quotes", `"Caroline"`, "caroline!", "caroline*", "*caroline*"},
		{"a date", "2026-12-31", "2026 2026-12-31 2026-12 12-31", "2026* 2026-12-31* 2026-12* 12-31*",
			"*2026* *2026-12-31* *2026-12* *12-31*"},
		{"a date in quotes", `"2026-12-31"`, "2026-12-31!", "2026-12-31*", "*2026-12-31*"},
		{"a date in a phrase", `"on 2026-12-31"`, "on+2026-12-31", "on+2026-12-31*", ""},
		{"a version in quotes", `"1.26.4"`, "1.26.4!", "1.26.4*", "*1.26.4*"},
		{"nothing", "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := Ask{Text: tt.text, At: askedAt, Limit: 5}.Read()
			for _, try := range []struct {
				name, want string
				q          *Question
			}{{"words", tt.words, q}, {"prefixes", tt.prefixes, q.AsPrefixes()}, {"parts", tt.parts, q.AsParts()}} {
				query, _ := try.q.query(func(name string) bool { return name == "caroline" })
				if got := showTerms(query.Terms); got != try.want {
					t.Errorf("%s of %q: got %q, want %q", try.name, tt.text, got, try.want)
				}
			}
		})
	}
}

// No question has more terms, phrases or prefixes than an index takes.
func TestTermsAreBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 60 {
		text.WriteString(`"` + strings.Repeat(string(rune('a'+i%26))+"x ", 40) + `" ` + strings.Repeat("b", i+1) + "* ")
	}
	q := Ask{Text: text.String(), At: askedAt, Limit: 5}.Read()
	for _, try := range []*Question{q, q.AsPrefixes(), q.AsParts()} {
		query, _ := try.query(func(string) bool { return false })
		prefixes := 0
		for _, term := range query.Terms {
			if term.Prefix {
				prefixes++
			}
			if n := len(term.Phrase); n > maxPhrase || n == 1 {
				t.Errorf("a phrase of %d words", n)
			}
		}
		if n := len(query.Terms); n > 32 || n == 0 || prefixes > MaxPrefixes {
			t.Errorf("%d terms, %d of them prefixes", n, prefixes)
		}
	}
}
