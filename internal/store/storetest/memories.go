package storetest

import (
	"context"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func testInsertKeepsEveryField(e *env) {
	now := e.clock.now()
	for name, change := range map[string]func(*loci.Memory){
		"smallest": func(*loci.Memory) {},
		"full": func(m *loci.Memory) {
			m.WorkspaceID, m.ProjectID, m.AgentID = newID[loci.WorkspaceID](), newID[loci.ProjectID](), newID[loci.AgentID]()
			m.TeamID, m.SessionID, m.SupersededBy = newID[loci.TeamID](), newID[loci.SessionID](), loci.NewMemoryID()
			m.Scope, m.Type, m.Key, m.Summary, m.Category = loci.ScopeProject, loci.Procedural, "a/key", "short", "rule"
			m.Importance, m.Pinned, m.Source, m.Origin = 10, true, "import", "claude"
			m.ExpiresAt, m.DeletedAt = now.Add(time.Hour), now.Add(-time.Microsecond)
			m.ValidFrom, m.ValidTo = time.Date(1, 2, 3, 4, 5, 6, 7000, time.UTC),
				time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)
			m.State = loci.State{Version: 7, Change: loci.Restored, Editor: "dashboard", EditorID: loci.NewUserID(),
				EditorCredentialID: loci.NewCredentialID(), EditorSessionID: newID[loci.SessionID]()}
			m.AllowedVendors = []loci.Vendor{"claude", "*", "cursor"}
			m.CreatedAt = time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC)
		},
		"text that escapes": func(m *loci.Memory) {
			m.Title = "<a href='x'>&amp;</a> \u2028 \\ \" 👩‍👩‍👧 e\u0301"
			m.Content = " \t\r\n" + strings.Repeat("ä", 100_000-4)
			m.Tags = []string{"<b>", `"quoted"`, "a\nb", "日本", " ", "*"}
			m.AllowedVendors = []loci.Vendor{"a.b_c-d"}
		},
		"epoch": func(m *loci.Memory) { m.ExpiresAt, m.CreatedAt = time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC() },
	} {
		want := e.insert(change)
		got, err := e.get(e.personOf(want), want.ID, loci.AnyState)
		if err != nil {
			e.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			e.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	e.check()
}

// newID makes an id of a kind that package loci makes none of.
func newID[ID ~[16]byte]() ID { return ID(loci.NewMemoryID()) }

// personOf is a person who reaches m whatever its scope.
func (e *env) personOf(m *loci.Memory) loci.Viewer {
	return loci.Viewer{OrgID: e.org, UserID: m.UserID, AgentID: m.AgentID, WorkspaceID: m.WorkspaceID}
}

func testInsertConflict(e *env) {
	first := e.insert()
	other := e.addUser().ID
	err := e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return tx.Memories().Insert(ctx, e.memory(func(m *loci.Memory) { m.ID, m.UserID = first.ID, other }))
	})
	e.wantCode("Insert of a taken id", err, loci.Conflict)
	got, err := e.get(e.person(), first.ID, loci.LiveOnly)
	if err != nil || got.UserID != e.user {
		e.Errorf("after the conflict: %v, %v", got, err)
	}
	e.check()
}

func testInsertRefusesStrangers(e *env) {
	err := e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return tx.Memories().Insert(ctx, e.memory(func(m *loci.Memory) { m.UserID = loci.NewUserID() }))
	})
	e.wantCode("Insert for an unknown user", err, loci.NotFound)
	e.ensure("other", loci.NewUserID())
	err = e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return tx.Memories().Insert(ctx, e.memory(func(m *loci.Memory) { m.OrgID = "other" }))
	})
	e.wantCode("Insert of another org's row", err, loci.Invalid)
	m := e.insert()
	err = e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return tx.Memories().Replace(ctx, edited(m, e.clock.now(), func(m *loci.Memory) { m.OrgID = "other" }))
	})
	e.wantCode("Replace with another org's row", err, loci.Invalid)
}

func testGetNotFound(e *env) {
	m := e.insert(func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"claude"} })
	_, absent := e.get(e.agent("cursor"), loci.NewMemoryID(), loci.AnyState)
	_, hidden := e.get(e.agent("cursor"), m.ID, loci.AnyState)
	e.wantCode("Get of nothing", absent, loci.NotFound)
	e.wantCode("Get of a hidden row", hidden, loci.NotFound)
	if absent != nil && hidden != nil && absent.Error() != hidden.Error() {
		e.Errorf("hidden says %q, absent says %q; want the same", hidden, absent)
	}
	for name, v := range map[string]loci.Viewer{"nobody": {}, "no org": {UserID: e.user}, "no user": {OrgID: e.org},
		"another org": {OrgID: "other", UserID: e.user}} {
		_, err := e.get(v, m.ID, loci.AnyState)
		e.wantCode("Get by "+name, err, loci.NotFound)
	}
}

func testGetMany(e *env) {
	a, b := e.insert(titled("a")), e.insert(titled("b"))
	hidden := e.insert(titled("hidden"), func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} })
	gone := e.trash(e.insert(titled("gone")))
	ids := []loci.MemoryID{b.ID, gone.ID, loci.NewMemoryID(), hidden.ID, a.ID}
	e.view(func(ctx context.Context, tx store.Tx) error {
		got, err := tx.Memories().GetMany(ctx, e.agent("claude"), ids, loci.LiveOnly)
		if diff := cmp.Diff([]string{"b", "a"}, titles(got)); diff != "" {
			e.Errorf("live (-want +got):\n%s", diff)
		}
		if err != nil {
			return err
		}
		got, err = tx.Memories().GetMany(ctx, e.person(), ids, loci.LiveOrTrash)
		if diff := cmp.Diff([]string{"b", "gone", "hidden", "a"}, titles(got)); diff != "" {
			e.Errorf("with trash (-want +got):\n%s", diff)
		}
		return err
	})
}

func testReplace(e *env) {
	first := e.insert(func(m *loci.Memory) { m.Title, m.Tags, m.Content = "first", []string{"old", "both"}, "red" })
	e.clock.move(time.Minute)
	second := e.replace(first, func(m *loci.Memory) {
		m.Title, m.Tags, m.Content, m.Pinned, m.Origin = "second", []string{"both", "new"}, "blue", true, "cursor"
	})
	got, err := e.get(e.person(), first.ID, loci.LiveOnly)
	if err != nil {
		e.Fatal(err)
	}
	if diff := cmp.Diff(second, got); diff != "" {
		e.Errorf("current (-want +got):\n%s", diff)
	}
	for tag, want := range map[string]int{"old": 0, "both": 1, "new": 1} {
		if got := e.list(e.person(), store.ListQuery{Filter: store.Filter{Tags: []string{tag}}}); len(got.Memories) != want {
			e.Errorf("tag %q finds %d, want %d", tag, len(got.Memories), want)
		}
	}
	e.view(func(ctx context.Context, tx store.Tx) error {
		old, err := tx.Memories().Versions(ctx, e.person(), first.ID, loci.LiveOnly, 0, 10)
		want := []*loci.Version{{Memory: *first, ReplacedAt: second.UpdatedAt}}
		if diff := cmp.Diff(want, old); diff != "" {
			e.Errorf("versions (-want +got):\n%s", diff)
		}
		return err
	})
	e.check()
}

func testReplaceErrors(e *env) {
	m := e.insert()
	for name, tt := range map[string]struct {
		change func(*loci.Memory)
		want   loci.Code
	}{
		"same version":  {func(m *loci.Memory) { m.Version = 1 }, loci.Conflict},
		"later version": {func(m *loci.Memory) { m.Version = 3 }, loci.Conflict},
		"no such row":   {func(m *loci.Memory) { m.ID = loci.NewMemoryID() }, loci.NotFound},
		"no such user":  {func(m *loci.Memory) { m.UserID = loci.NewUserID() }, loci.NotFound},
	} {
		next := edited(m, e.clock.now(), tt.change)
		e.wantCode(name, e.tryUpdate(
			func(ctx context.Context, tx store.Tx) error { return tx.Memories().Replace(ctx, next) }), tt.want)
	}
	got, err := e.get(e.person(), m.ID, loci.LiveOnly)
	if diff := cmp.Diff(m, got); diff != "" || err != nil {
		e.Errorf("after refused changes: %v (-want +got):\n%s", err, diff)
	}
	e.check()
}

func testPurge(e *env) {
	keep := e.insert(titled("live"))
	var gone []*loci.Memory
	for range 3 {
		e.clock.move(time.Hour)
		gone = append(gone, e.trash(e.replace(e.insert(func(m *loci.Memory) { m.Content = "xylophone" }), titled("changed"))))
	}
	before := e.clock.now() // the last one was trashed at this very moment
	purge := func(limit, want int) {
		e.Helper()
		e.update(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.Memories().Purge(ctx, before, limit)
			if n != want {
				e.Errorf("purged %d, want %d", n, want)
			}
			return err
		})
	}
	purge(1, 1)
	if _, err := e.get(e.person(), gone[0].ID, loci.AnyState); loci.CodeOf(err) != loci.NotFound {
		e.Errorf("the one trashed first is still there: %v", err)
	}
	purge(10, 1)
	purge(10, 0)
	e.check()
	if got := titles(e.list(e.person(),
		store.ListQuery{Filter: store.Filter{Lifecycle: loci.AnyState}}).Memories); !cmp.Equal(got,
		[]string{"changed", "live"}) {
		e.Errorf("left: %q", got)
	}
	if got := e.containing(e.person(), store.Filter{Lifecycle: loci.AnyState}, "xylophon"); len(got) != 1 {
		e.Errorf("Contains finds %d, want 1", len(got))
	}
	// An id is free again, without any of its past.
	e.insert(func(m *loci.Memory) { m.ID = gone[0].ID })
	e.view(func(ctx context.Context, tx store.Tx) error {
		old, err := tx.Memories().Versions(ctx, e.person(), gone[0].ID, loci.LiveOnly, 0, 10)
		if len(old) != 0 {
			e.Errorf("a purged memory left %d versions", len(old))
		}
		return err
	})
	if _, err := e.get(e.person(), keep.ID, loci.LiveOnly); err != nil {
		e.Error(err)
	}
}
