package recall

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
)

func showExpression(e *index.Expression) string {
	if e == nil {
		return "plain"
	}
	if e.Op == index.One {
		forms := []string{e.Term.Form}
		for i, w := range e.Term.Phrase {
			if i == 0 {
				forms = nil
			}
			forms = append(forms, w.Form+map[bool]string{true: "*"}[w.Prefix])
		}
		return strings.Join(forms, " ") + map[bool]string{true: "*"}[e.Term.Prefix]
	}
	var parts []string
	for _, p := range e.Parts {
		parts = append(parts, showExpression(p))
	}
	return [...]string{index.And: "and", index.Or: "or", index.Not: "not"}[e.Op] + "(" + strings.Join(parts, ",") + ")"
}

func TestReadGraph(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"ada", "plain"},
		{"what's up, ada?", "plain"},
		{"and or not", "plain"},
		{"NEAR the river", "plain"},
		{"near (by)", "and(near,by)"},
		{"c++ & go", "plain"},
		{"a AND b", "and(a,b)"},
		{"a b OR c", "or(and(a,b),c)"},
		{"a OR b AND c NOT d", "or(a,and(b,not(c,d)))"},
		{`"a b" c`, "and(a b,c)"},
		{`"a b"* OR c*`, "or(a b*,c*)"},
		{`"release no"* OR rel*`, "or(release no*,rel*)"},
		{`"release not"*`, "release not*"},
		{"(a OR b) c", "and(or(a,b),c)"},
		{"foo-bar AND x:y", "and(foo bar,x y)"},
		{"数据* OR 東京都", "or(数 据*,东 京 都)"},
		{"Straße AND ÉCOLE", "and(strasse,ecole)"},
	} {
		questions, err := Ask{Text: tt.in}.ReadGraph()
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if got := showExpression(questions[0].ask.Where); got != tt.want {
			t.Errorf("%s: got %v, want %s", tt.in, got, tt.want)
		}
	}
}

func TestReadGraphErrors(t *testing.T) {
	for in, want := range map[string]string{
		`NEAR("ada" "bob", 5)`: "NEAR", "x OR NEAR (a b)": "NEAR", "NEAR(a": "NEAR",
		"": "must not be empty", " ": "must not be empty", "?!": "a word to search for", `"a`: "unclosed quotation",
		`""`: "phrase without a word",
		"(a": "unclosed parenthesis", "a)": "too many closing parentheses", "()": "closing parenthesis where",
		"a AND": "ends where a word", "NOT a": "NOT where a word", "a OR OR b": "OR where a word",
		"a AND ++":                     "without a letter",
		strings.Repeat("(", 100) + "a": "nested too deep", manyWords(40): "more than 32 words",
		strings.ReplaceAll(manyWords(40), " ", " OR ") + "x": "more than 32 words",
		"a* OR b* OR c* OR d* OR e* OR f* OR g*":             "7 words with a *; use at most 6",
		strings.Repeat("x", 501):                             "longer than 500",
	} {
		if _, err := (Ask{Text: in}).ReadGraph(); loci.CodeOf(err) != loci.Invalid ||
			!strings.Contains(loci.SafeText(err), want) {
			t.Errorf("%.20q: got %v, want %q", in, err, want)
		}
	}
}

func FuzzReadGraph(f *testing.F) {
	f.Add(`(a OR "b c"*) NOT d`)
	f.Add("(0")
	f.Fuzz(func(t *testing.T, in string) {
		questions, err := Ask{Text: in}.ReadGraph()
		if err == nil && len(questions) == 0 {
			t.Errorf("%q: no question", in)
		}
	})
}

func manyWords(n int) (text string) {
	for i := range n {
		text += string(rune('a'+i%26)) + strings.Repeat("x", i/26) + " "
	}
	return text
}
