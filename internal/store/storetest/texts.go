package storetest

import (
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) byText(v loci.Viewer, q store.TextQuery) (found []loci.MemoryID, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		list, err := tx.Memories().ByText(e.Context(), v, q)
		for _, m := range list {
			found = append(found, m.ID)
		}
		return err
	})
	return found, err
}

// testByText looks for a text beside others, before and after it changes.
// long: one table
func testByText(e *env) {
	project, agent := newID[loci.ProjectID](), newID[loci.AgentID]()
	friend := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID}
	says := func(change ...func(*loci.Memory)) *loci.Memory {
		e.clock.move(time.Second)
		return e.insert(append([]func(*loci.Memory){titled("t"), func(m *loci.Memory) { m.Content = "c" }}, change...)...)
	}
	first, second := says(), says(func(m *loci.Memory) { m.Key = "a key" })
	claudes := says(func(m *loci.Memory) { m.Origin = "claude" })
	about := says(func(m *loci.Memory) { m.ProjectID = project })
	robots := says(func(m *loci.Memory) { m.Scope, m.AgentID = loci.ScopeAgent, agent })
	friends := says(func(m *loci.Memory) { m.UserID = friend.UserID })
	closed := says(func(m *loci.Memory) { m.Origin, m.AllowedVendors = "cursor", []loci.Vendor{"cursor"} })
	says(func(m *loci.Memory) { m.ExpiresAt = e.clock.now() })
	says(func(m *loci.Memory) { m.SupersededBy = newID[loci.MemoryID]() })
	trashed := says()
	e.trash(trashed)
	says(titled("other"), func(m *loci.Memory) { m.Content = "t\x01c" })
	changed := says(func(m *loci.Memory) { m.Origin = "changed" })
	e.clock.move(time.Second)
	e.replace(changed, func(m *loci.Memory) { m.Content = "new" })
	mine := func(change ...func(*store.TextQuery)) store.TextQuery {
		q := store.TextQuery{Place: globally(e.user), Title: "t", Content: "c", Limit: 10}
		q.Origin = "api"
		for _, c := range change {
			c(&q)
		}
		return q
	}
	of := func(origin string) store.TextQuery { return mine(func(q *store.TextQuery) { q.Origin = origin }) }
	for name, tt := range map[string]struct {
		v    loci.Viewer
		q    store.TextQuery
		want []*loci.Memory
	}{
		"mine, last first": {e.person(), mine(), []*loci.Memory{second, first}},
		"limited":          {e.person(), mine(func(q *store.TextQuery) { q.Limit = 1 }), []*loci.Memory{second}},
		"of any origin":    {e.person(), of(""), []*loci.Memory{closed, claudes, second, first}},
		"of Claude":        {e.agent("claude"), of("claude"), []*loci.Memory{claudes}},
		"closed":           {e.agent("claude"), of("cursor"), nil},
		"about a project": {e.person(), mine(func(q *store.TextQuery) { q.ProjectID = project }),
			[]*loci.Memory{about}},
		"of an agent": {e.person(), mine(func(q *store.TextQuery) { q.Scope, q.AgentID = loci.ScopeAgent, agent }),
			[]*loci.Memory{robots}},
		"of an unseen agent": {e.agent("claude"),
			mine(func(q *store.TextQuery) { q.Scope, q.AgentID = loci.ScopeAgent, agent }), nil},
		"of somebody else": {friend, mine(func(q *store.TextQuery) { q.UserID = friend.UserID }),
			[]*loci.Memory{friends}},
		"not of somebody else": {e.person(), mine(func(q *store.TextQuery) { q.UserID = friend.UserID }), nil},
		"in other letters":     {e.person(), mine(func(q *store.TextQuery) { q.Content = "C" }), nil},
		"with a space":         {e.person(), mine(func(q *store.TextQuery) { q.Content = "c " }), nil},
		"before the change":    {e.person(), of("changed"), nil},
		"after the change": {e.person(), mine(func(q *store.TextQuery) { q.Origin, q.Content = "changed", "new" }),
			[]*loci.Memory{changed}},
	} {
		var want []loci.MemoryID
		for _, m := range tt.want {
			want = append(want, m.ID)
		}
		if got, err := e.byText(tt.v, tt.q); err != nil || !slices.Equal(got, want) {
			e.Errorf("%s: %s, %v; want %s", name, got, err, want)
		}
	}
	_, err := e.byText(e.person(), mine(func(q *store.TextQuery) { q.Limit = 0 }))
	e.wantCode("without a limit", err, loci.Invalid)
}
