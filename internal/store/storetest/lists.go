package storetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// pages reads a list to its end and returns all titles.
func (e *env) pages(v loci.Viewer, q store.ListQuery) (got []string) {
	e.Helper()
	for range 1000 {
		page := e.list(v, q)
		if len(page.Memories) > q.Limit || page.Next != "" && len(page.Memories) < q.Limit {
			e.Errorf("a page of %d with limit %d, and Next %q", len(page.Memories), q.Limit, page.Next)
		}
		got = append(got, titles(page.Memories)...)
		if page.Next == "" {
			return got
		}
		q.After, q.Offset = page.Next, 0
	}
	e.Fatal("the list does not end")
	return nil
}

func testListOrder(e *env) {
	// Stored out of order, with equal times: newest first, and of equal times
	// the one stored last first.
	for i, minutes := range []int{3, 1, 3, 2, 3} {
		e.insert(titled(fmt.Sprint(i, "@", minutes)),
			func(m *loci.Memory) { m.CreatedAt = m.CreatedAt.Add(time.Duration(minutes) * time.Minute) })
	}
	want := []string{"4@3", "2@3", "0@3", "3@2", "1@1"}
	for limit := 1; limit <= 6; limit++ {
		if diff := cmp.Diff(want, e.pages(e.person(), store.ListQuery{Limit: limit})); diff != "" {
			e.Errorf("limit %d (-want +got):\n%s", limit, diff)
		}
	}
	slices.Reverse(want)
	for limit := 1; limit <= 6; limit++ {
		if diff := cmp.Diff(want, e.pages(e.person(), store.ListQuery{Limit: limit, Oldest: true})); diff != "" {
			e.Errorf("oldest first, limit %d (-want +got):\n%s", limit, diff)
		}
	}
}

func testListPages(e *env) {
	for i := range 7 {
		e.insert(titled(fmt.Sprint(i)))
	}
	if got := titles(e.list(e.person(), store.ListQuery{Limit: 2, Offset: 3}).Memories); !cmp.Equal(got,
		[]string{"3", "2"}) {
		e.Errorf("offset 3: %q", got)
	}
	if page := e.list(e.person(), store.ListQuery{Limit: 2, Offset: 7}); len(page.Memories) != 0 || page.Next != "" {
		e.Errorf("offset beyond the end: %+v", page)
	}
	if page := e.list(e.person(), store.ListQuery{Limit: 2, Offset: 1 << 40}); len(page.Memories) != 0 || page.Next != "" {
		e.Errorf("offset far beyond the end: %+v", page)
	}
	after := e.list(e.person(), store.ListQuery{Limit: 2}).Next
	if got := titles(e.list(e.person(), store.ListQuery{Limit: 2, Offset: 1, After: after}).Memories); !cmp.Equal(got,
		[]string{"3", "2"}) {
		e.Errorf("offset 1 after the second: %q", got)
	}
	if page := e.list(e.person(), store.ListQuery{Limit: 7}); page.Next != "" {
		e.Error("a page that is just full has a Next, although nothing follows")
	}
	if page := e.list(e.person(), store.ListQuery{Limit: math.MaxInt, Offset: 6}); len(page.Memories) != 1 ||
		page.Next != "" {
		e.Errorf("without a limit: %+v", page)
	}
	for _, q := range []store.ListQuery{{Limit: 0}, {Limit: -1}, {Limit: 1, Offset: -1}} {
		err := e.st.View(e.Context(), e.org,
			func(tx store.Tx) error { _, err := tx.Lists().List(e.Context(), e.person(), q); return err })
		e.wantCode(fmt.Sprintf("%+v", q), err, loci.Invalid)
	}
}

func testListPagesUnderInserts(e *env) {
	for i := range 6 {
		e.insert(titled(fmt.Sprint(i)))
	}
	q := store.ListQuery{Limit: 2}
	var got []string
	for i := 0; ; i++ {
		page := e.list(e.person(), q)
		got = append(got, titles(page.Memories)...)
		if page.Next == "" {
			break
		}
		q.After = page.Next
		e.insert(titled(fmt.Sprint("new ", i)))
	}
	if diff := cmp.Diff([]string{"5", "4", "3", "2", "1", "0"}, got); diff != "" {
		e.Errorf("newest first (-want +got):\n%s", diff)
	}
	// A row that leaves the list takes the place of none.
	page := e.list(e.person(), store.ListQuery{Limit: 2, Oldest: true})
	e.trash(page.Memories[1])
	rest := e.pages(e.person(), store.ListQuery{Limit: 2, Oldest: true, After: page.Next})
	if len(rest) < 4 || !cmp.Equal(rest[:4], []string{"2", "3", "4", "5"}) {
		e.Errorf("after the last row of a page was trashed: %q", rest)
	}
}

func testListFilters(e *env) {
	at := e.clock.now()
	p := newID[loci.ProjectID]()
	add := func(title, origin string, kind loci.MemoryType, category string, minutes int, project loci.ProjectID,
		tags ...string) {
		e.insert(titled(title), func(m *loci.Memory) {
			m.Origin, m.Type, m.Category, m.Tags, m.ProjectID = origin, kind, category, tags, project
			m.CreatedAt = at.Add(time.Duration(minutes) * time.Minute)
		})
	}
	add("a", "claude", loci.Semantic, "fact", 1, p, "x", "y")
	add("b", "cursor", loci.Episodic, "fact", 2, loci.ProjectID{}, "x")
	add("c", "claude", loci.Procedural, "rule", 3, p, "y", "z", "o:claude")
	add("d", "api", loci.Semantic, "fact", 4, loci.ProjectID{})
	tests := []struct {
		name string
		f    store.Filter
		want string
	}{
		{"none", store.Filter{}, "dcba"},
		{"tag", store.Filter{Tags: []string{"x"}}, "ba"},
		{"any tag", store.Filter{Tags: []string{"x", "z", "x"}}, "cba"},
		{"all tags", store.Filter{Tags: []string{"y", "x", "y"}, AllTags: true}, "a"},
		{"tags are exact", store.Filter{Tags: []string{"X", "x "}}, ""},
		{"a tag that looks like an origin", store.Filter{Tags: []string{"o:claude"}}, "c"},
		{"origin", store.Filter{Origin: "claude"}, "ca"},
		{"origin and tag", store.Filter{Origin: "claude", Tags: []string{"x"}}, "a"},
		{"origin and any tag", store.Filter{Origin: "claude", Tags: []string{"x", "z"}}, "ca"},
		{"origin and all tags", store.Filter{Origin: "claude", Tags: []string{"y", "z"}, AllTags: true}, "c"},
		{"type", store.Filter{Type: loci.Episodic}, "b"},
		{"category", store.Filter{Category: "fact"}, "dba"},
		{"project", store.Filter{ProjectID: p}, "ca"},
		{"project or none", store.Filter{ProjectID: p, OrGlobal: true, Tags: []string{"x", "z"}}, "cba"},
		{"another project or none", store.Filter{ProjectID: newID[loci.ProjectID](), OrGlobal: true}, "db"},
		{"from", store.Filter{From: at.Add(3 * time.Minute)}, "dc"},
		{"just after", store.Filter{From: at.Add(3*time.Minute + time.Nanosecond)}, "d"},
		{"to", store.Filter{To: at.Add(3 * time.Minute)}, "ba"},
		{"to just after", store.Filter{To: at.Add(3*time.Minute + time.Nanosecond)}, "cba"},
		{"between", store.Filter{From: at.Add(2 * time.Minute), To: at.Add(4 * time.Minute)}, "cb"},
		{"empty range", store.Filter{From: at.Add(4 * time.Minute), To: at.Add(2 * time.Minute)}, ""},
		{"everything", store.Filter{Tags: []string{"y"}, Origin: "claude", Type: loci.Semantic, Category: "fact",
			ProjectID: p, From: at, To: at.Add(time.Hour)}, "a"},
		{"contradiction", store.Filter{Tags: []string{"x"}, Origin: "api"}, ""},
	}
	for _, tt := range tests {
		e.checkFilter(tt.name, tt.f, strings.Split(tt.want, ""))
	}
}

// checkFilter demands the titles want, newest first, of List in every form and
// as many of Contains.
func (e *env) checkFilter(name string, f store.Filter, want []string) {
	e.Helper()
	for _, oldest := range []bool{false, true} {
		if oldest {
			slices.Reverse(want)
		}
		page := e.list(e.person(), store.ListQuery{Filter: f, Total: true, Oldest: oldest})
		if !slices.Equal(titles(page.Memories), want) || page.Total != len(want) || !page.Exact {
			e.Errorf("%s: got %q, total %d (exact %v); want %q", name, titles(page.Memories), page.Total, page.Exact, want)
		}
		if got := e.pages(e.person(), store.ListQuery{Filter: f, Oldest: oldest, Limit: 1}); !slices.Equal(got, want) {
			e.Errorf("%s in pages: got %q, want %q", name, got, want)
		}
	}
	if found := e.containing(e.person(), f, "content"); len(found) != len(want) {
		e.Errorf("%s: Contains finds %d, want %d", name, len(found), len(want))
	}
}

func testListTotals(e *env) {
	add := func(n int) {
		e.update(func(ctx context.Context, tx store.Tx) error {
			for range n {
				m := e.memory(func(m *loci.Memory) { m.Tags, m.Category = []string{"t", "u"}, "c" })
				if err := tx.Memories().Insert(ctx, m); err != nil {
					return err
				}
			}
			return nil
		})
	}
	check := func(want int, exact bool) {
		e.Helper()
		for name, f := range map[string]store.Filter{"all": {}, "tag": {Tags: []string{"t"}},
			"two tags": {Tags: []string{"t", "u"}}, "category": {Category: "c"}} {
			page := e.list(e.person(), store.ListQuery{Filter: f, Limit: 1, Total: true})
			if page.Total != want || page.Exact != exact {
				e.Errorf("%s: total %d exact %v, want %d %v", name, page.Total, page.Exact, want, exact)
			}
		}
	}
	add(store.MaxTotal)
	check(store.MaxTotal, true)
	add(1)
	check(store.MaxTotal, false)
	if page := e.list(e.person(), store.ListQuery{Limit: 1}); page.Total != 0 || page.Exact {
		e.Errorf("not asked for: total %d exact %v", page.Total, page.Exact)
	}
	page := e.list(e.person(), store.ListQuery{Limit: 1, Offset: 999, Total: true})
	if len(page.Memories) != 1 || page.Next == "" {
		e.Errorf("offset 999: %d rows, Next %q", len(page.Memories), page.Next)
	}
}

func testListTrash(e *env) {
	var rows []*loci.Memory
	for i := range 4 {
		rows = append(rows, e.insert(titled(fmt.Sprint(i)), func(m *loci.Memory) { m.Tags = []string{"t"} }))
	}
	for _, i := range []int{2, 0, 3} {
		e.clock.move(time.Minute)
		rows[i] = e.trash(rows[i])
	}
	trash := store.Filter{Lifecycle: loci.TrashOnly}
	if got := e.pages(e.person(), store.ListQuery{Filter: trash, Limit: 2}); !slices.Equal(got, []string{"3", "0", "2"}) {
		e.Errorf("by the time of trashing: %q", got)
	}
	if got := e.pages(e.person(), store.ListQuery{Filter: trash, Limit: 1, Oldest: true}); !slices.Equal(got,
		[]string{"2", "0", "3"}) {
		e.Errorf("oldest first: %q", got)
	}
	trash.Tags = []string{"t"}
	if page := e.list(e.person(), store.ListQuery{Filter: trash, Total: true}); page.Total != 3 || !page.Exact {
		e.Errorf("total %d, want 3", page.Total)
	}
	for lifecycle, want := range map[loci.Lifecycle][]string{loci.LiveOnly: {"1"}, loci.LiveOrTrash: {"3", "2", "1", "0"},
		loci.AnyState: {"3", "2", "1", "0"}} {
		if got := e.pages(e.person(), store.ListQuery{Filter: store.Filter{Lifecycle: lifecycle}, Limit: 3}); !slices.Equal(
			got, want) {
			e.Errorf("lifecycle %d: %q, want %q", lifecycle, got, want)
		}
	}
	e.replace(rows[0], func(m *loci.Memory) { m.DeletedAt, m.Change = time.Time{}, loci.Restored })
	if got := e.pages(e.person(), store.ListQuery{Limit: 3}); !slices.Equal(got, []string{"1", "0"}) {
		e.Errorf("after restoring: %q", got)
	}
	e.check()
}

func testListExpiry(e *env) {
	at := e.clock.now().Add(time.Hour)
	m := e.insert(titled("short"), func(m *loci.Memory) { m.ExpiresAt = at })
	e.insert(titled("long"))
	look := func(want ...string) {
		e.Helper()
		page := e.list(e.person(), store.ListQuery{Total: true})
		if got := titles(page.Memories); !slices.Equal(got, want) || page.Total != len(want) {
			e.Errorf("at %s: got %q, total %d, want %q", e.clock.now(), got, page.Total, want)
		}
		if found := e.containing(e.person(), store.Filter{}, "content"); len(found) != len(want) {
			e.Errorf("Contains finds %d, want %d", len(found), len(want))
		}
	}
	look("long", "short")
	e.clock.move(time.Hour - time.Microsecond)
	look("long", "short")
	e.clock.move(time.Microsecond)
	look("long")
	if _, err := e.get(e.person(), m.ID, loci.LiveOnly); loci.CodeOf(err) != loci.NotFound {
		e.Errorf("Get of an expired row: %v", err)
	}
	if got := e.pages(e.person(),
		store.ListQuery{Filter: store.Filter{Lifecycle: loci.AnyState}, Limit: 1}); !slices.Equal(got,
		[]string{"long", "short"}) {
		e.Errorf("in any state: %q", got)
	}
}

func testListPositions(e *env) {
	for range 3 {
		e.insert()
	}
	try := func(q store.ListQuery) error {
		return e.st.View(e.Context(), e.org,
			func(tx store.Tx) error { _, err := tx.Lists().List(e.Context(), e.person(), q); return err })
	}
	next := e.list(e.person(), store.ListQuery{Limit: 1}).Next
	for name, q := range map[string]store.ListQuery{
		"nonsense":      {Limit: 1, After: "nonsense"},
		"cut":           {Limit: 1, After: next[:len(next)-2]},
		"longer":        {Limit: 1, After: next + "AA"},
		"not text":      {Limit: 1, After: "\x00\xff"},
		"another order": {Limit: 1, After: next, Oldest: true},
		"another list":  {Limit: 1, After: next, Filter: store.Filter{Lifecycle: loci.TrashOnly}},
	} {
		e.wantCode(name, try(q), loci.Invalid)
	}
	if err := try(store.ListQuery{Limit: 1, After: next}); err != nil {
		e.Errorf("its own position: %v", err)
	}
}

// Pages stay full when a reader may see little of a long list, however many
// vendors a row names and however many projects a reader has.
func testListManyVendorsAndProjects(e *env) {
	many := []loci.Vendor{}
	for i := range loci.MaxVendors {
		many = append(many, loci.Vendor(fmt.Sprint("vendor-", i)))
	}
	v := e.agent("vendor-49")
	for range 40 {
		v.ProjectIDs = append(v.ProjectIDs, newID[loci.ProjectID]())
	}
	other := e.addUser().ID
	var want []string
	for i := range 60 {
		title := fmt.Sprint(i)
		e.insert(titled(title), func(m *loci.Memory) {
			m.AllowedVendors, m.Tags = many[:len(many)-1], []string{"t"}
			if i%6 == 0 {
				m.AllowedVendors = many
			}
			if i%12 == 0 {
				m.UserID, m.Scope, m.ProjectID = other, loci.ScopeProject, v.ProjectIDs[i%40]
			}
		})
		if i%6 == 0 {
			want = append(want, title)
		}
	}
	slices.Reverse(want)
	for _, f := range []store.Filter{{}, {Tags: []string{"t"}}} {
		if got := e.pages(v, store.ListQuery{Limit: 4, Filter: f}); !slices.Equal(got, want) {
			e.Errorf("got %q, want %q", got, want)
		}
		if page := e.list(v, store.ListQuery{Limit: 1, Total: true, Filter: f}); page.Total != len(want) || !page.Exact {
			e.Errorf("total %d, want %d", page.Total, len(want))
		}
	}
	if page := e.list(loci.Viewer{OrgID: e.org, UserID: e.user},
		store.ListQuery{Limit: 1, Total: true}); page.Total != 55 {
		e.Errorf("the owner counts %d, want 55", page.Total)
	}
}

// A project that happens to have a user's id is not that user's pool.
func testListKeepsKindsApart(e *env) {
	other := e.addUser().ID
	e.insert(func(m *loci.Memory) {
		m.UserID, m.Scope, m.ProjectID = other, loci.ScopeProject, loci.ProjectID(e.user)
	})
	e.insert(func(m *loci.Memory) { m.UserID, m.TeamID = other, loci.TeamID(e.user) })
	if page := e.list(e.person(), store.ListQuery{Total: true}); page.Total != 0 || len(page.Memories) != 0 {
		e.Errorf("a stranger's rows: %d listed, %d counted", len(page.Memories), page.Total)
	}
}
