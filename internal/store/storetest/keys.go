package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) byKey(v loci.Viewer, q store.KeyQuery) (m *loci.Memory, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		m, err = firstOfKey(e.Context(), tx, v, q)
		return err
	})
	return m, err
}

// firstOfKey returns the first memory with a key, or NotFound.
func firstOfKey(ctx context.Context, tx store.Tx, v loci.Viewer, q store.KeyQuery) (*loci.Memory, error) {
	list, err := tx.Memories().OfKey(ctx, v, q, 1)
	if err != nil || len(list) == 0 {
		return nil, cmp.Or(err, loci.NoSuchMemory())
	}
	return list[0], nil
}

// globally is a person's place without a project, from any origin.
func globally(user loci.UserID) store.Place {
	return store.Place{UserID: user, Scope: loci.ScopeGlobal}
}

// checkOfKey compares OfKey with what byKey returned.
func (e *env) checkOfKey(name string, v loci.Viewer, q store.KeyQuery, first *loci.Memory) {
	e.Helper()
	for _, limit := range []int{1, 9} {
		err := e.st.View(e.Context(), e.org, func(tx store.Tx) error {
			list, err := tx.Memories().OfKey(e.Context(), v, q, limit)
			if (first == nil) != (len(list) == 0) || len(list) > limit || first != nil && list[0].ID != first.ID {
				e.Errorf("%s: of the key there are %+v, the first is %+v", name, list, first)
			}
			for i, m := range list {
				if m.Key != q.Key && !q.Alike || i > 0 && q.From.IsZero() && m.UpdatedAt.After(list[i-1].UpdatedAt) {
					e.Errorf("%s: %d of the key: %+v", name, i, m)
				}
			}
			return err
		})
		if err != nil {
			e.Error(explain(err))
		}
	}
}

// testByKey looks a memory up in its own context and beside it.
// long: one table
func testByKey(e *env) {
	project, agent, space := newID[loci.ProjectID](), newID[loci.AgentID](), newID[loci.WorkspaceID]()
	team := e.addTeam("team").ID
	friend := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID, TeamID: team}
	keyed := func(key, title string, change ...func(*loci.Memory)) *loci.Memory {
		e.clock.move(time.Second)
		return e.insert(append(change, titled(title), func(m *loci.Memory) { m.Key = key })...)
	}
	keyed("FOO", "the other look")
	keyed("k", "global")
	keyed("k", "Claude's", func(m *loci.Memory) { m.Origin = "claude" })
	keyed("k", "about the project", func(m *loci.Memory) { m.ProjectID = project })
	keyed("k", "the project's", func(m *loci.Memory) { m.Scope, m.ProjectID = loci.ScopeProject, project })
	keyed("k", "the agent's", func(m *loci.Memory) { m.Scope, m.AgentID = loci.ScopeAgent, agent })
	keyed("k", "about the agent", func(m *loci.Memory) { m.AgentID = agent })
	keyed("k", "in the workspace", func(m *loci.Memory) { m.WorkspaceID = space })
	keyed("k", "the friend's", func(m *loci.Memory) { m.UserID = friend.UserID })
	keyed("shared", "shared", func(m *loci.Memory) { m.TeamID = team })
	keyed("closed", "open", func(*loci.Memory) {})
	keyed("closed", "closed", func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} })
	keyed("gone", "expired", func(m *loci.Memory) { m.ExpiresAt = e.clock.now() })
	keyed("gone", "superseded", func(m *loci.Memory) { m.SupersededBy = newID[loci.MemoryID]() })
	e.trash(keyed("gone", "trashed"))
	keyed("", "without a key")
	first := keyed("twice", "first")
	keyed("twice", "second")
	e.clock.move(time.Second)
	e.replace(first, titled("first, changed last"))
	tied := keyed("tied", "tied")
	e.insert(titled("tied, stored last"), func(m *loci.Memory) { m.Key, m.UpdatedAt = "tied", tied.UpdatedAt })
	ended := e.clock.now().Add(-time.Minute)
	keyed("ended", "still true", func(m *loci.Memory) { m.ValidTo = e.clock.now().Add(time.Minute) })
	keyed("ended", "true no more", func(m *loci.Memory) { m.ValidTo = ended })
	keyed("begun", "true from then on", func(m *loci.Memory) { m.ValidFrom = ended })
	keyed("planned", "true now", func(m *loci.Memory) { m.ValidTo = e.clock.now().Add(time.Hour) })
	keyed("planned", "true later", func(m *loci.Memory) { m.ValidFrom = e.clock.now().Add(time.Hour) })
	made := keyed("made", "made")
	mine := func(key string, change ...func(*store.KeyQuery)) store.KeyQuery {
		q := store.KeyQuery{Place: globally(e.user), Key: key}
		for _, c := range change {
			c(&q)
		}
		return q
	}
	asAgent := e.agent("claude")
	asAgent.AgentID = agent
	for name, tt := range map[string]struct {
		v    loci.Viewer
		q    store.KeyQuery
		want string
	}{
		"of any origin": {e.person(), mine("k"), "Claude's"},
		"of mine":       {e.person(), mine("k", func(q *store.KeyQuery) { q.Origin = "api" }), "global"},
		"of Claude":     {e.person(), mine("k", func(q *store.KeyQuery) { q.Origin = "claude" }), "Claude's"},
		"of Cursor":     {e.person(), mine("k", func(q *store.KeyQuery) { q.Origin = "cursor" }), ""},
		"about the project": {e.person(), mine("k", func(q *store.KeyQuery) { q.ProjectID = project }),
			"about the project"},
		"of the project": {e.person(),
			mine("k", func(q *store.KeyQuery) { q.Scope, q.ProjectID = loci.ScopeProject, project }), "the project's"},
		"of another project": {e.person(),
			mine("k", func(q *store.KeyQuery) { q.Scope, q.ProjectID = loci.ScopeProject, newID[loci.ProjectID]() }), ""},
		"of the agent": {asAgent, mine("k", func(q *store.KeyQuery) { q.Scope, q.AgentID = loci.ScopeAgent, agent }),
			"the agent's"},
		"about the agent": {e.person(), mine("k", func(q *store.KeyQuery) { q.AgentID = agent }), "about the agent"},
		"of an unseen agent": {e.agent("claude"),
			mine("k", func(q *store.KeyQuery) { q.Scope, q.AgentID = loci.ScopeAgent, agent }), ""},
		"in the workspace": {e.person(), mine("k", func(q *store.KeyQuery) { q.WorkspaceID = space }),
			"in the workspace"},
		"of somebody else": {friend, store.KeyQuery{Place: globally(friend.UserID), Key: "k"},
			"the friend's"},
		"not of somebody else": {e.person(), store.KeyQuery{Place: globally(friend.UserID), Key: "k"}, ""},
		"shared by another":    {friend, mine("shared"), "shared"},
		"a closed one":         {e.person(), mine("closed"), "closed"},
		"behind a closed one":  {e.agent("claude"), mine("closed"), "open"},
		"not live":             {e.person(), mine("gone"), ""},
		"without a key":        {e.person(), mine(""), ""},
		"in other letters":     {e.person(), mine("K"), ""},
		"changed last":         {e.person(), mine("twice"), "first, changed last"},
		"ended, too":           {e.person(), mine("ended"), "true no more"},
		"at its end":           {e.person(), mine("ended", func(q *store.KeyQuery) { q.From = ended }), "still true"},
		"before its end": {e.person(), mine("ended", func(q *store.KeyQuery) { q.From = ended.Add(-time.Second) }),
			"true no more"},
		"until its beginning": {e.person(), mine("begun", func(q *store.KeyQuery) { q.Until = ended }), ""},
		"after its beginning": {e.person(), mine("begun", func(q *store.KeyQuery) { q.Until = ended.Add(time.Second) }),
			"true from then on"},
		"true now first": {e.person(), mine("planned", func(q *store.KeyQuery) { q.From = e.clock.now() }), "true now"},
		"true then first": {e.person(), mine("planned", func(q *store.KeyQuery) { q.From = e.clock.now().Add(time.Hour) }),
			"true later"},
		"until its creation": {e.person(), mine("made", func(q *store.KeyQuery) { q.Until = made.CreatedAt }), ""},
		"after its creation": {e.person(),
			mine("made", func(q *store.KeyQuery) { q.Until = made.CreatedAt.Add(time.Microsecond) }), "made"},
		"stored last":      {e.person(), mine("tied"), "tied, stored last"},
		"alike":            {e.person(), mine("Fo o", func(q *store.KeyQuery) { q.Alike = true }), "the other look"},
		"alike and itself": {e.person(), mine("FOO", func(q *store.KeyQuery) { q.Alike = true }), "the other look"},
	} {
		got, err := e.byKey(tt.v, tt.q)
		e.checkOfKey(name, tt.v, tt.q, got)
		if tt.want == "" {
			e.wantCode(name, err, loci.NotFound)
		} else if err != nil || got.Title != tt.want {
			e.Errorf("%s: %+v, %v; want %q", name, got, err, tt.want)
		}
	}
}

func testSavesByKey(e *env) { SavesByKey(e.T, e.clock.now, e.org, e.user, e.st) }

// SavesByKey has 8 writers, each on one of the stores, all of one directory, save by key at
// the same time, and demands that none of their saves is lost or makes a row
// beside another of the same key.
func SavesByKey(t *testing.T, now func() time.Time, org loci.OrgID, user loci.UserID, stores ...store.Store) {
	rapid.Check(t, func(r *rapid.T) {
		round := loci.NewMemoryID().String()
		saves := map[string]int{}
		var wait sync.WaitGroup
		failed := make([]error, 8)
		for w := range failed {
			keys := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3).Draw(r, "keys")
			for i := range keys {
				keys[i] = round + keys[i]
				saves[keys[i]]++
			}
			wait.Go(func() {
				for _, key := range keys {
					failed[w] = errors.Join(failed[w], save(t.Context(), stores[w%len(stores)], now(), org, user, key))
				}
			})
		}
		wait.Wait()
		if err := errors.Join(failed...); err != nil {
			r.Fatal(explain(err))
		}
		for key, n := range saves {
			if rows, version := countKey(t, stores[0], org, user, key); rows != 1 || version != n {
				r.Fatalf("%d saves of one key: %d rows, the last at version %d", n, rows, version)
			}
		}
	})
}

// save updates the memory of that key, or makes one.
func save(ctx context.Context, s store.Store, at time.Time, org loci.OrgID, user loci.UserID, key string) error {
	v := loci.Viewer{OrgID: org, UserID: user}
	return s.Update(ctx, org, func(tx store.Tx) error {
		there, err := firstOfKey(ctx, tx, v, store.KeyQuery{Place: globally(user), Key: key})
		if err == nil {
			return tx.Memories().Replace(ctx, edited(there, at, titled(fmt.Sprint("save ", there.Version+1))))
		}
		if loci.CodeOf(err) != loci.NotFound {
			return err
		}
		m := &loci.Memory{ID: loci.NewMemoryID(), Title: "save 1", Content: "some content", Key: key, CreatedAt: at,
			UpdatedAt: at}
		m.OrgID, m.UserID, m.Origin = org, user, "api"
		m.SetDefaults()
		m.State = loci.State{Version: 1, Change: loci.Created, Editor: "api"}
		return tx.Memories().Insert(ctx, m)
	})
}

// countKey returns how many rows have that key, and the version of one of them.
func countKey(t *testing.T, s store.Store, org loci.OrgID, user loci.UserID, key string) (rows, version int) {
	err := s.View(t.Context(), org, func(tx store.Tx) error {
		q := store.ListQuery{Limit: 500}
		for first := true; first || q.After != ""; first = false {
			page, err := tx.Lists().List(t.Context(), loci.Viewer{OrgID: org, UserID: user}, q)
			if err != nil {
				return err
			}
			for _, m := range page.Memories {
				if m.Key == key {
					rows, version = rows+1, m.Version
				}
			}
			q.After = page.Next
		}
		return nil
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	return rows, version
}
