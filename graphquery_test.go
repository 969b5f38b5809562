package loci

import (
	"slices"
	"strings"
	"testing"
)

func (q *GraphQuery) text() string {
	if q.Op == GraphWords {
		return q.Text + map[bool]string{true: "*"}[q.Prefix]
	}
	var parts []string
	for _, p := range q.Parts {
		parts = append(parts, p.text())
	}
	return string(q.Op) + "(" + strings.Join(parts, ",") + ")"
}

func TestParseGraphQuery(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"ada", "and(ada)"},
		{"what's up, ada?", "and(what,s,up,ada)"},
		{"and or not", "and(and,or,not)"},
		{"NEAR the river", "and(NEAR,the,river)"},
		{"near (by)", "and(near,by)"},
		{"c++ & go", "and(c,go)"},
		{"a AND b", "and(a,b)"},
		{"a b OR c", "or(and(a,b),c)"},
		{"a OR b AND c NOT d", "or(a,and(b,not(c,d)))"},
		{`"a b" c`, "and(a b,c)"},
		{`"a b"* OR c*`, "or(a b*,c*)"},
		{"(a OR b) c", "and(or(a,b),c)"},
		{"foo-bar AND x:y", "and(foo-bar,x:y)"},
	} {
		q, err := ParseGraphQuery(tt.in)
		if err != nil || q.text() != tt.want {
			t.Errorf("%s: got %v, %v, want %s", tt.in, q, err, tt.want)
		}
	}
}

func TestParseGraphQueryErrors(t *testing.T) {
	for in, want := range map[string]string{
		`NEAR("ada" "bob", 5)`: "NEAR", "x OR NEAR (a b)": "NEAR", "NEAR(a": "NEAR",
		"": "must not be empty", " ": "must not be empty", "?!": "a word to search for", `"a`: "unclosed quotation",
		`""`: "phrase without a word",
		"(a": "unclosed parenthesis", "a)": "too many closing parentheses", "()": "closing parenthesis where",
		"a AND": "ends where a word", "NOT a": "NOT where a word", "a OR OR b": "OR where a word",
		"a AND ++":                     "without a letter",
		strings.Repeat("(", 100) + "a": "nested too deep", manyWords(40): "more than 32 words",
		strings.Repeat("x", 501): "longer than 500",
	} {
		if _, err := ParseGraphQuery(in); CodeOf(err) != Invalid || !strings.Contains(SafeText(err), want) {
			t.Errorf("%.20q: got %v, want %q", in, err, want)
		}
	}
}

func FuzzParseGraphQuery(f *testing.F) {
	f.Add(`(a OR "b c"*) NOT d`)
	f.Add("(0")
	f.Fuzz(func(t *testing.T, in string) {
		q, err := ParseGraphQuery(in)
		if (err == nil) == (q == nil) {
			t.Errorf("%q: query %v, %v", in, q, err)
		}
	})
}

func TestNearest(t *testing.T) {
	names := []string{"Ada Lovelace", "Ada", "Adam", "Grace", "Lovelace", "ada"}
	for name, want := range map[string][]string{
		"ada lovelase": {"Ada Lovelace", "Lovelace"}, "Ad": {"Ada", "ada"}, "Garce": {"Grace"}, "Gearc": {},
		"grace": {"Grace"}, "zzz": {},
	} {
		got := Nearest(name, names, 2)
		if name == "ada lovelase" {
			want = want[:1]
			got = got[:min(1, len(got))]
		}
		if len(got) != len(want) || !slices.Equal(got, want) && len(want) > 0 {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestSeesGraph(t *testing.T) {
	p := &Project{ID: NewProjectID(), OrgID: "o", WorkspaceID: NewWorkspaceID()}
	member := Viewer{OrgID: "o", UserID: NewUserID(), ProjectIDs: []ProjectID{p.ID}}
	row := GraphAccess{UserID: member.UserID, AllowedVendors: []Vendor{"a"}}
	for name, tt := range map[string]struct {
		change func(*Viewer)
		want   bool
	}{
		"a member":            {func(*Viewer) {}, true},
		"the vendor":          {func(v *Viewer) { v.Vendor = "a" }, true},
		"another vendor":      {func(v *Viewer) { v.Vendor = "b" }, false},
		"a writer who left":   {func(v *Viewer) { v.ProjectIDs = nil }, false},
		"another org":         {func(v *Viewer) { v.OrgID = "x" }, false},
		"no user":             {func(v *Viewer) { v.UserID = UserID{} }, false},
		"its workspace":       {func(v *Viewer) { v.WorkspaceID = p.WorkspaceID }, true},
		"another workspace":   {func(v *Viewer) { v.WorkspaceID = NewWorkspaceID() }, false},
		"only other projects": {func(v *Viewer) { v.OnlyProjects, v.ProjectIDs = true, []ProjectID{NewProjectID()} }, false},
	} {
		v := member
		tt.change(&v)
		if got := v.SeesGraph(p, &row, LiveOnly); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
	if (Viewer{}).SeesGraph(&Project{}, &GraphAccess{AllowedVendors: []Vendor{"*"}}, AnyState) {
		t.Error("nobody sees nothing's rows")
	}
}

func manyWords(n int) (text string) {
	for i := range n {
		text += string(rune('a'+i%26)) + strings.Repeat("x", i/26) + " "
	}
	return text
}
