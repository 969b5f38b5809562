package storetest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// disagreements asks twice: before and after the transaction has read the memories.
func (e *env) disagreements(v loci.Viewer, memories ...*loci.Memory) (
	found map[loci.MemoryID]loci.Disagreement, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		if found, err = tx.Suggestions().Disagreements(e.Context(), v, memories); err != nil {
			return err
		}
		var ids []loci.MemoryID
		for _, m := range memories {
			ids = append(ids, m.ID)
		}
		if _, err := tx.Memories().GetMany(e.Context(), v, ids, loci.AnyState); err != nil {
			return err
		}
		again, err := tx.Suggestions().Disagreements(e.Context(), v, memories)
		e.same("of memories that were read", err, found, again)
		for id := range found {
			if !slices.ContainsFunc(tx.Suggestions().Disputable(memories), func(m *loci.Memory) bool { return m.ID == id }) {
				e.Errorf("%s is not disputable, but has a disagreement", id)
			}
		}
		return nil
	})
	return found, err
}

// same compares what the engine says with what it should.
func (e *env) same(what string, err error, want, got map[loci.MemoryID]loci.Disagreement) {
	e.Helper()
	if diff := gocmp.Diff(want, got); diff != "" || err != nil {
		e.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
	}
}

// testDisagreements has more memories of a key than a Disagreement names, and a context that ends.
func testDisagreements(e *env) {
	keyed := func(origin, content string) *loci.Memory {
		e.clock.move(time.Second)
		return e.insert(func(m *loci.Memory) { m.Key, m.Origin, m.Content = "k", origin, content })
	}
	mine := keyed("claude", "Tuesday")
	var want loci.Disagreement
	for range loci.MaxDisputes + 2 {
		m := keyed("cursor", "Friday")
		want.DisputedBy = slices.Insert(want.DisputedBy, 0, loci.Dispute{ID: m.ID, Origin: "cursor"})
	}
	want.DisputedBy = want.DisputedBy[:loci.MaxDisputes]
	keyed("cursor", "Tuesday")      // says the same
	keyed("claude", "Friday")       // is by the same origin
	e.insert(func(m *loci.Memory) { // was true before
		m.Key, m.Origin, m.Content = "k", "cursor", "Monday"
		m.ValidFrom, m.ValidTo = mine.CreatedAt.Add(-time.Hour), mine.CreatedAt
	})
	alone := e.insert()
	for _, by := range []*loci.Memory{e.insert(), e.insert()} {
		if err := e.suggest(e.newSuggestion(mine, by)); err != nil {
			e.Fatal(explain(err))
		}
		want.PendingSupersede = by.ID
	}
	w := map[loci.MemoryID]loci.Disagreement{mine.ID: want}
	got, err := e.disagreements(e.person(), mine, alone, mine)
	e.same("the newest disputes and the newest suggestion", err, w, got)
	by := e.insert()
	err = e.st.Update(e.Context(), e.org, func(tx store.Tx) error {
		read, err := tx.Memories().Get(e.Context(), e.person(), alone.ID, loci.LiveOnly)
		if err != nil {
			return err
		}
		if err := tx.Suggestions().Insert(e.Context(), e.newSuggestion(alone, by)); err != nil {
			return err
		}
		got, err = tx.Suggestions().Disagreements(e.Context(), e.person(), []*loci.Memory{read})
		return err
	})
	e.same("suggested after it was read", err,
		map[loci.MemoryID]loci.Disagreement{alone.ID: {PendingSupersede: by.ID}}, got)
	got, err = e.disagreements(e.person())
	e.same("of nothing", err, map[loci.MemoryID]loci.Disagreement{}, got)
}

// ending is a context that ends by cause after it was asked a number of times whether it has ended.
type ending struct {
	context.Context
	asked *int
	end   func()
}

func (c ending) Err() error {
	if *c.asked--; *c.asked < 0 {
		c.end()
	}
	return c.Context.Err()
}

func endingAfter(ctx context.Context, asked int, cause error) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	return ending{ctx, &asked, func() { cancel(cause) }}
}

func (e *env) scan(fn func(context.Context, store.Tx) error) {
	e.Helper()
	if err := e.st.Scan(e.Context(), e.org, func(tx store.Tx) error { return fn(e.Context(), tx) }); err != nil {
		e.Error(err)
	}
}

// testDisagreementsSpent ends the context of a look-up: one that used up its time is no error.
func testDisagreementsSpent(e *env) {
	all := make([]*loci.Memory, 100)
	for i := range all {
		all[i] = e.insert(func(m *loci.Memory) {
			m.Key, m.Origin, m.Content = "k", []string{"claude", "cursor"}[i%2], strconv.Itoa(i)
		})
	}
	e.scan(func(ctx context.Context, tx store.Tx) error {
		look := tx.Suggestions().Disagreements
		got, err := look(endingAfter(ctx, 0, loci.ErrSpent), e.person(), all)
		if len(got) == len(all) || err != nil {
			e.Errorf("when the time is over: %d of %d, %v", len(got), len(all), err)
		}
		if _, err := look(endingAfter(ctx, 0, errors.New("the caller has gone")), e.person(), all); err == nil {
			e.Error("no error for a caller who has gone")
		}
		if got, err = look(ctx, e.person(), all); len(got) != len(all) || err != nil {
			e.Errorf("once more: %d of %d, %v", len(got), len(all), err)
		}
		return nil
	})
}

// testDisagreementVisibility draws memories of few keys, suggestions and viewers, and demands that
// the engine names those that the rule shows, and no others.
func testDisagreementVisibility(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		w.users = w.users[:1]
		for range rapid.IntRange(2, 9).Draw(t, "rows") {
			w.rows = append(w.rows, e.insert(w.change, func(m *loci.Memory) {
				m.Scope, m.Key = draw(t, "scope", loci.ScopeGlobal, m.Scope), draw(t, "key", "k", "k", m.Key)
				m.ProjectID = draw(t, "project", loci.ProjectID{}, m.ProjectID)
				m.AgentID = draw(t, "agent", loci.AgentID{}, m.AgentID)
				m.WorkspaceID = draw(t, "workspace", loci.WorkspaceID{}, m.WorkspaceID)
				m.ExpiresAt, m.DeletedAt, m.SupersededBy = draw(t, "expires", time.Time{}, m.ExpiresAt),
					draw(t, "deleted", time.Time{}, m.DeletedAt), loci.MemoryID{}
			}))
		}
		pending := map[loci.MemoryID][]loci.MemoryID{}
		for range rapid.IntRange(0, 4).Draw(t, "suggestions") {
			m, by := draw(t, "memory", w.rows...), draw(t, "by", w.rows...)
			if m != by && e.suggest(e.newSuggestion(m, by)) == nil {
				pending[m.ID] = append(pending[m.ID], by.ID)
			}
		}
		for range 3 {
			v := w.viewer()
			got, err := e.disagreements(v, w.visible(v, loci.LiveOnly)...)
			if err != nil {
				t.Fatal(explain(err))
			}
			w.differ("disagreements", v, w.disagreeing(v, pending), got)
		}
	})
}

// endsBefore reports whether one fact is true no more when the other one becomes true.
func endsBefore(one, other *loci.Memory) bool {
	from := other.ValidFrom
	if from.IsZero() {
		from = other.CreatedAt
	}
	return !one.ValidTo.IsZero() && !one.ValidTo.After(from)
}

// disagreeing is the rule for what v learns about the live memories that v sees.
func (w *world) disagreeing(v loci.Viewer, pending map[loci.MemoryID][]loci.MemoryID) any {
	want := map[loci.MemoryID]loci.Disagreement{}
	seen := w.visible(v, loci.LiveOnly)
	for _, a := range seen {
		var d loci.Disagreement
		others := slices.DeleteFunc(slices.Clone(seen), func(m *loci.Memory) bool {
			here := m.Scope == a.Scope && m.ProjectID == a.ProjectID && m.AgentID == a.AgentID && m.Origin != a.Origin
			forked := m.Scope != loci.ScopeAgent && a.Scope != loci.ScopeAgent && (m.Scope != a.Scope &&
				m.ProjectID == a.ProjectID || m.ProjectID.IsZero() != a.ProjectID.IsZero())
			return a.Key == "" || m.Key != a.Key || m.UserID != a.UserID || m.WorkspaceID != a.WorkspaceID ||
				!here && !forked || m.Content == a.Content || endsBefore(m, a) || endsBefore(a, m)
		})
		slices.SortFunc(others, func(x, y *loci.Memory) int {
			if c := y.UpdatedAt.Compare(x.UpdatedAt); c != 0 {
				return c
			}
			return slices.Index(w.rows, y) - slices.Index(w.rows, x)
		})
		for _, m := range others[:min(len(others), loci.MaxDisputes)] {
			d.DisputedBy = append(d.DisputedBy, loci.Dispute{ID: m.ID, Origin: m.Origin})
		}
		for _, id := range pending[a.ID] {
			if slices.ContainsFunc(seen, func(m *loci.Memory) bool { return m.ID == id }) {
				d.PendingSupersede = id
			}
		}
		if d.Disputed() {
			want[a.ID] = d
		}
	}
	return want
}
