package storetest

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) editedBy(v loci.Viewer, q store.EditQuery) (ids []loci.MemoryID) {
	e.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	e.view(func(ctx context.Context, tx store.Tx) (err error) {
		ids, err = tx.Memories().EditedBy(ctx, v, q)
		return err
	})
	return ids
}

// testEditedBy asks by hand.
func testEditedBy(e *env) {
	key, session := loci.NewCredentialID(), newID[loci.SessionID]()
	by := func(editor string) func(*loci.Memory) {
		return func(m *loci.Memory) {
			m.State.Editor, m.EditorID = editor, e.user
			m.EditorCredentialID, m.EditorSessionID = loci.CredentialID{}, loci.SessionID{}
			if editor == "cursor" {
				m.EditorCredentialID, m.EditorSessionID = key, session
			}
		}
	}
	start := e.clock.now()
	a, b := e.insert(by("api")), e.insert(by("cursor"))
	closed := e.insert(by("cursor"), func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} })
	other, team := e.addUser().ID, e.addTeam("team").ID
	e.insert(by("cursor"), func(m *loci.Memory) { m.UserID = other })
	given := e.insert(by("cursor"), func(m *loci.Memory) { m.TeamID = team })
	e.replace(given, by("api"), func(m *loci.Memory) { m.UserID = other })
	member := e.person()
	member.TeamID = team
	e.clock.move(time.Hour)
	a = e.replace(a, by("cursor"))
	e.clock.move(time.Hour)
	a = e.replace(a, by("api"))
	closed = e.replace(closed, by("api"), func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"*"} })
	b = e.trash(b)
	hour := func(n int) time.Time { return start.Add(time.Duration(n) * time.Hour) }
	for name, tt := range map[string]struct {
		v    loci.Viewer
		q    store.EditQuery
		want []loci.MemoryID
	}{
		"anybody":              {e.person(), store.EditQuery{}, []loci.MemoryID{a.ID, b.ID, closed.ID}},
		"an editor":            {e.person(), store.EditQuery{Editor: "cursor"}, []loci.MemoryID{a.ID, b.ID, closed.ID}},
		"mine, not the team's": {member, store.EditQuery{Editor: "cursor"}, []loci.MemoryID{a.ID, b.ID, closed.ID}},
		"nobody":               {e.person(), store.EditQuery{Editor: "chatgpt"}, nil},
		"since then":           {e.person(), store.EditQuery{Editor: "cursor", Since: hour(1)}, []loci.MemoryID{a.ID, b.ID}},
		"until then": {e.person(), store.EditQuery{Editor: "cursor", Until: hour(1)},
			[]loci.MemoryID{b.ID, closed.ID}},
		"just then": {e.person(), store.EditQuery{Editor: "cursor", Since: hour(1), Until: hour(1).Add(1)},
			[]loci.MemoryID{a.ID}},
		"just behind it": {e.person(), store.EditQuery{Editor: "cursor", Since: hour(1).Add(1), Until: hour(2)}, nil},
		"a key": {e.person(), store.EditQuery{Credential: key, Until: hour(1)},
			[]loci.MemoryID{b.ID, closed.ID}},
		"another key":     {e.person(), store.EditQuery{Credential: loci.NewCredentialID()}, nil},
		"a session":       {e.person(), store.EditQuery{Session: session, Since: hour(1)}, []loci.MemoryID{a.ID, b.ID}},
		"another session": {e.person(), store.EditQuery{Session: newID[loci.SessionID]()}, nil},
		"an agent":        {e.agent("claude"), store.EditQuery{Editor: "cursor"}, []loci.MemoryID{a.ID, b.ID}},
		"one page":        {e.person(), store.EditQuery{Limit: 1}, sorted(a.ID, b.ID, closed.ID)[:1]},
		"the next one": {e.person(), store.EditQuery{After: sorted(a.ID, b.ID, closed.ID)[0]},
			sorted(a.ID, b.ID, closed.ID)[1:]},
		"the zero viewer":      {loci.Viewer{}, store.EditQuery{}, nil},
		"another org's viewer": {loci.Viewer{OrgID: "other", UserID: e.user}, store.EditQuery{}, nil},
	} {
		got := e.editedBy(tt.v, tt.q)
		if diff := cmp.Diff(sorted(tt.want...), got, cmpopts.EquateEmpty()); diff != "" {
			e.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	err := e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		_, err := tx.Memories().EditedBy(e.Context(), e.person(), store.EditQuery{})
		return err
	})
	e.wantCode("no limit", err, loci.Invalid)
}

func sorted(ids ...loci.MemoryID) []loci.MemoryID {
	slices.SortFunc(ids, func(a, b loci.MemoryID) int { return bytes.Compare(a[:], b[:]) })
	return ids
}

// testEditsVisibility asks about random rows for random viewers, page by page.
func testEditsVisibility(e *env) {
	rapid.Check(e, func(t *rapid.T) {
		w := e.newWorld(t)
		for range rapid.IntRange(1, 4).Draw(t, "hours") {
			w.clock.move(time.Hour)
			w.fill(rapid.IntRange(1, 5).Draw(t, "rows"), rapid.IntRange(0, 5).Draw(t, "changes"))
		}
		w.view(func(ctx context.Context, tx store.Tx) error {
			for range 4 {
				if err := w.compareEdits(ctx, tx, w.viewer()); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (w *world) compareEdits(ctx context.Context, tx store.Tx, v loci.Viewer) error {
	q := store.EditQuery{Editor: draw(w.t, "editor", "", "", "a", "b"), Credential: oneOf(w.t, "credential", w.keys),
		Session: oneOf(w.t, "session", w.sessions), Limit: rapid.IntRange(1, 5).Draw(w.t, "limit")}
	now := w.clock.now()
	q.Since = draw(w.t, "since", time.Time{}, time.Time{}, now.Add(-time.Hour), now.Add(-2*time.Hour), now)
	q.Until = draw(w.t, "until", time.Time{}, time.Time{}, now, now.Add(-time.Hour), now.Add(1))
	var want, got []loci.MemoryID
	for _, m := range w.rows {
		if m.UserID != v.UserID || !v.Sees(&m.Access, loci.AnyState, now) {
			continue
		}
		made := madeAs(m, &q)
		for _, old := range w.old[m.ID] {
			made = made || old.UserID == v.UserID && v.SeesVersion(&old.Access, &m.Access, loci.AnyState, now) &&
				madeAs(&old.Memory, &q)
		}
		if made {
			want = append(want, m.ID)
		}
	}
	for full := true; full; {
		page, err := tx.Memories().EditedBy(ctx, v, q)
		if err != nil {
			return err
		}
		if got, full = append(got, page...), len(page) == q.Limit; full {
			q.After = page[len(page)-1]
		}
	}
	w.differ("EditedBy", v, sorted(want...), got)
	return nil
}

func madeAs(m *loci.Memory, q *store.EditQuery) bool {
	return (q.Editor == "" || m.Editor == q.Editor) && (q.Credential.IsZero() || m.EditorCredentialID == q.Credential) &&
		(q.Session.IsZero() || m.EditorSessionID == q.Session) &&
		(q.Since.IsZero() || !m.UpdatedAt.Before(q.Since)) && (q.Until.IsZero() || m.UpdatedAt.Before(q.Until))
}
