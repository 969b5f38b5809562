package storetest

import (
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// terms reads "word", "two words" and "begin*" as they are, without analysis.
func terms(texts ...string) (list []loci.Term) {
	for _, s := range texts {
		prefix := strings.HasSuffix(s, "*")
		list = append(list, loci.Term{Words: strings.Fields(strings.TrimSuffix(s, "*")), Prefix: prefix})
	}
	return list
}

// matched returns the titles of what a search finds, in order of titles.
func (e *env) matched(v loci.Viewer, q store.MatchQuery) []string {
	e.Helper()
	var got []string
	for _, hit := range e.match(v, q).Hits {
		m, err := e.get(v, hit.ID, q.Lifecycle)
		if err != nil {
			e.Fatal(err)
		}
		got = append(got, m.Title)
	}
	slices.Sort(got)
	return got
}

func testMatchTerms(e *env) {
	for _, text := range []string{
		"Alice|Running deployments to the east coast", "Bob|The deployment runs", "Carol|coast east",
		"Dan|don't naïve café 東京", "Eve|user_id OR \"quoted\" AND (NEAR) NOT", "Fay|generalization",
	} {
		title, content, _ := strings.Cut(text, "|")
		e.insert(func(m *loci.Memory) { m.Title, m.Content = title, content })
	}
	tests := []struct {
		terms []string
		all   bool
		want  string
	}{
		{[]string{"deploy"}, false, "Alice Bob"},          // a stem
		{[]string{"deployments"}, false, "Alice"},         // a form
		{[]string{"run", "coast"}, true, "Alice"},         // all
		{[]string{"run", "cafe"}, false, "Alice Bob Dan"}, // any
		{[]string{"east coast"}, false, "Alice"},          // words in this order
		{[]string{"coast east"}, false, "Carol"},
		{[]string{"deploym*"}, false, "Alice Bob"}, // a beginning
		{[]string{"east coa*"}, false, "Alice"},
		{[]string{"general"}, false, "Fay"}, // its stem
		{[]string{"deploy", "nothing"}, true, ""},
		{[]string{"nothing"}, false, ""},
		{[]string{"東"}, false, "Dan"},
		{[]string{"東 京"}, false, "Dan"},
		{[]string{"dont"}, false, "Dan"},
		{[]string{"id"}, false, "Eve"},
		{[]string{"or", "and", "not", "near"}, true, "Eve"}, // words, not operators
		{[]string{"alice run"}, false, ""},                  // not across fields
		{[]string{`"`}, false, ""},
		{[]string{"title:a"}, false, ""},
		{[]string{"bob", "bob"}, false, "Bob"},
	}
	for _, tt := range tests {
		got := e.matched(e.person(), store.MatchQuery{Terms: terms(tt.terms...), All: tt.all})
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			e.Errorf("%q all=%v (-want +got):\n%s", tt.terms, tt.all, diff)
		}
	}
}

func testMatchFeatures(e *env) {
	m := e.insert(func(m *loci.Memory) {
		m.Title, m.Content = "Runs", strings.Repeat("run running ", 3)+"home run now"
		m.Summary, m.Key, m.Category, m.Tags = "home", "runner/key", "runbook", []string{"run", "home run"}
		m.Pinned, m.Importance = true, 9
	})
	found := e.match(e.person(), store.MatchQuery{Terms: terms("run", "home run", "runn*", "absent")})
	want := loci.Match{ID: m.ID, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Pinned: true, Importance: 9,
		Freq: []uint16{
			1, 7, 0, 0, 0, 2, // run
			0, 1, 0, 0, 0, 1, // home run
			0, 3, 0, 1, 0, 0, // runn*
			0, 0, 0, 0, 0, 0, // absent
		},
		Lengths: [loci.FieldCount]uint32{1, 9, 1, 2, 1, 3}}
	if diff := cmp.Diff(store.Matches{Hits: []loci.Match{want}}, found); diff != "" {
		e.Errorf("(-want +got):\n%s", diff)
	}
	long := e.insert(func(m *loci.Memory) { m.Content = strings.TrimSpace(strings.Repeat("b ", 50_000)) })
	for _, hit := range e.match(e.person(), store.MatchQuery{Terms: terms("b", "b b")}).Hits {
		if hit.ID == long.ID && (hit.In(0, loci.FieldContent) != 50_000 || hit.In(1, loci.FieldContent) != 49_999 ||
			hit.Lengths[loci.FieldContent] != 50_000) {
			e.Errorf("long text: %d, %d of %d", hit.In(0, loci.FieldContent), hit.In(1, loci.FieldContent),
				hit.Lengths[loci.FieldContent])
		}
	}
}

func testMatchFollowsChanges(e *env) {
	m := e.insert(func(m *loci.Memory) { m.Content, m.Tags = "apple", []string{"fruit"} })
	find := func(lifecycle loci.Lifecycle, word string) int {
		return len(e.match(e.person(), store.MatchQuery{Terms: terms(word), Filter: store.Filter{Lifecycle: lifecycle}}).Hits)
	}
	want := func(lifecycle loci.Lifecycle, word string, n int) {
		e.Helper()
		if got := find(lifecycle, word); got != n {
			e.Errorf("%q in lifecycle %d: %d, want %d", word, lifecycle, got, n)
		}
	}
	m = e.replace(m, func(m *loci.Memory) { m.Content = "cherry" })
	want(loci.LiveOnly, "appl", 0)
	want(loci.LiveOnly, "cherri", 1)
	want(loci.LiveOnly, "fruit", 1)
	m = e.replace(m, func(m *loci.Memory) { m.Tags = []string{"stone"} })
	want(loci.LiveOnly, "fruit", 0)
	want(loci.LiveOnly, "stone", 1)
	m = e.trash(m)
	want(loci.LiveOnly, "cherri", 0)
	want(loci.TrashOnly, "cherri", 1)
	e.replace(m, func(m *loci.Memory) { m.DeletedAt, m.SupersededBy = time.Time{}, loci.NewMemoryID() })
	want(loci.LiveOnly, "cherri", 0)
	want(loci.AnyState, "cherri", 1)
	e.check()
}

func testMatchLimit(e *env) {
	for range 5 {
		e.insert()
	}
	for limit, more := range map[int]bool{1: true, 4: true, 5: false, 6: false} {
		found := e.match(e.person(), store.MatchQuery{Terms: terms("content"), Limit: limit})
		if len(found.Hits) != min(limit, 5) || found.More != more {
			e.Errorf("limit %d: %d hits, more %v; want more %v", limit, len(found.Hits), found.More, more)
		}
	}
	newest := e.insert()
	if found := e.match(e.person(), store.MatchQuery{Terms: terms("content"), Limit: 1}); found.Hits[0].ID != newest.ID {
		e.Error("the limit does not keep the newest")
	}
}

func testMatchInvalid(e *env) {
	many := make([]string, loci.MaxTerms+1)
	for i := range many {
		many[i] = "w"
	}
	for name, list := range map[string][]loci.Term{
		"no terms": nil, "too many": terms(many...), "no words": {{}}, "an empty word": {{Words: []string{"a", ""}}},
		"NUL": {{Words: []string{"a\x00b"}}},
	} {
		err := e.st.View(e.Context(), e.org, func(tx store.Tx) error {
			_, err := tx.Lists().Match(e.Context(), e.person(), store.MatchQuery{Terms: list, Limit: 1})
			return err
		})
		e.wantCode(name, err, loci.Invalid)
	}
	if found := e.match(e.person(), store.MatchQuery{Terms: terms(many[1:]...)}); len(found.Hits) != 0 {
		e.Errorf("%d terms find %d", loci.MaxTerms, len(found.Hits))
	}
}
