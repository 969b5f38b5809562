package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// feedNow returns where v begins to read.
func (e *env) feedNow(v loci.Viewer) (p store.Position) {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) (err error) { p, err = tx.Feed().Now(ctx, v); return err })
	return p
}

func (e *env) feedAfter(v loci.Viewer, after store.Position, limit int) (page store.FeedPage, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		page, err = tx.Feed().After(e.Context(), v, store.FeedQuery{After: after, Limit: limit, Kinds: memoriesAndNodes})
		return err
	})
	return page, err
}

// memoriesAndNodes are the kinds of those who ask for none.
var memoriesAndNodes = []loci.FeedKind{loci.FeedMemory, loci.FeedNode}

// readFeed puts the pages together and returns where it stopped.
func (e *env) readFeed(v loci.Viewer, after store.Position, limit int) (all []loci.FeedEvent, next store.Position) {
	e.Helper()
	for {
		page, err := e.feedAfter(v, after, limit)
		if err != nil {
			e.Fatal(explain(err))
		}
		if len(page.Events) > limit {
			e.Fatalf("a page of %d with limit %d", len(page.Events), limit)
		}
		for _, row := range page.Events {
			all = append(all, row.FeedEvent)
		}
		if after = page.Next; !page.More {
			return all, after
		}
	}
}

func (e *env) wantFeed(what string, v loci.Viewer, after store.Position, want ...loci.FeedEvent) {
	e.Helper()
	got, _ := e.readFeed(v, after, 3)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		e.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// event is one of now about m.
func (e *env) event(m *loci.Memory, change loci.Change) loci.FeedEvent {
	event := loci.FeedEvent{At: e.clock.now(), Kind: "memory", ID: m.ID.String(), Change: change}
	if change != loci.Hidden {
		event.Version = m.Version
	}
	if change != loci.Hidden && change != loci.Erased {
		event.Origin = m.Editor
	}
	return event
}

func (e *env) erase(m *loci.Memory) {
	e.Helper()
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, m.ID) })
}

func testFeed(e *env) {
	team := e.addTeam("team").ID
	old := e.insert()
	mine := e.person()
	mate, stranger := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID, TeamID: team},
		loci.Viewer{OrgID: e.org, UserID: e.addUser().ID}
	toMe, toMate, toStranger := e.feedNow(mine), e.feedNow(mate), e.feedNow(stranger)
	var me, other []loci.FeedEvent
	private, shared := func(m *loci.Memory) { m.TeamID = loci.TeamID{} },
		func(m *loci.Memory) { m.TeamID, m.Editor = team, "cursor" }
	m := e.insert()
	me = append(me, e.event(m, loci.Created))
	e.clock.move(time.Second)
	m = e.replace(m, shared)
	me, other = append(me, e.event(m, loci.Updated)), append(other, e.event(m, loci.Updated))
	m = e.replace(m, private, func(m *loci.Memory) { m.Editor = "claude" })
	me, other = append(me, e.event(m, loci.Updated)), append(other, e.event(m, loci.Hidden))
	m = e.replace(m, titled("in private"))
	me = append(me, e.event(m, loci.Updated))
	m = e.replace(m, shared)
	me, other = append(me, e.event(m, loci.Updated)), append(other, e.event(m, loci.Updated))
	m = e.trash(m)
	me, other = append(me, e.event(m, loci.Trashed)), append(other, e.event(m, loci.Hidden))
	m = e.replace(m, func(m *loci.Memory) { m.DeletedAt, m.Change = time.Time{}, loci.Restored })
	me, other = append(me, e.event(m, loci.Restored)), append(other, e.event(m, loci.Restored))
	m = e.replace(m, func(m *loci.Memory) { m.SupersededBy, m.ExpiresAt = old.ID, e.clock.now() })
	me, other = append(me, e.event(m, loci.Updated)), append(other, e.event(m, loci.Updated))
	e.erase(m)
	me, other = append(me, e.event(m, loci.Erased)), append(other, e.event(m, loci.Erased))
	e.wantFeed("the owner", mine, toMe, me...)
	e.wantFeed("the team", mate, toMate, other...)
	e.wantFeed("a stranger", stranger, toStranger)
	e.wantFeed("from here on", mine, e.feedNow(mine))
}

// What is added to a memory is told to those who see both.
func testFeedOfAttachments(e *env) {
	m := e.insert(func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"claude", "cursor"} })
	person, claude, cursor, other := e.person(), e.person(), e.person(), e.person()
	claude.Vendor, cursor.Vendor, other.Vendor = "claude", "cursor", "gemini"
	viewers := []loci.Viewer{person, claude, cursor, other, {OrgID: e.org, UserID: e.addUser().ID}}
	at := make([]store.Position, len(viewers))
	for i, v := range viewers {
		at[i] = e.feedNow(v)
	}
	for _, readers := range [][]loci.Vendor{{"claude"}, {loci.AnyVendor}} {
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Feed().Attached(ctx, m, "script", readers) })
	}
	event := e.event(m, loci.Updated)
	event.Origin = "script"
	for i, n := range []int{2, 2, 1, 0, 0} {
		e.wantFeed(fmt.Sprint("viewer ", i), viewers[i], at[i], slices.Repeat([]loci.FeedEvent{event}, n)...)
	}
}

// What enters the feed is what was stored, however it was stored.
func testFeedOfImports(e *env) {
	v := e.person()
	at := e.feedNow(v)
	m := e.insert(func(m *loci.Memory) {
		m.Version, m.Change, m.Editor, m.UpdatedAt = 3, loci.Updated, "cursor", e.clock.now().AddDate(-1, 0, 0)
	})
	trashed := e.insert(func(m *loci.Memory) { m.DeletedAt, m.Change, m.Version = e.clock.now(), loci.Trashed, 2 })
	e.update(func(ctx context.Context, tx store.Tx) error {
		old := m.Clone()
		old.Version = 1
		return tx.Memories().InsertVersion(ctx, &loci.Version{Memory: *old, ReplacedAt: e.clock.now()})
	})
	e.wantCode("one that is there",
		e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Insert(ctx, m) }), loci.Conflict)
	undone := errors.New("undone")
	err := e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return errors.Join(tx.Memories().Insert(ctx, e.memory()), tx.Memories().Erase(ctx, m.ID), undone)
	})
	if !errors.Is(err, undone) {
		e.Error(explain(err))
	}
	leaver := e.addUser()
	theirs := e.insert(func(m *loci.Memory) { m.UserID = leaver.ID })
	e.erase(theirs)
	want := []loci.FeedEvent{e.event(m, loci.Created), e.event(trashed, loci.Trashed)}
	e.wantFeed("imported", v, at, want...)
	e.clock.move(time.Hour)
	e.update(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Memories().Purge(ctx, e.clock.now(), 10)
		return err
	})
	want = append(want, e.event(trashed, loci.Erased))
	e.update(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Memories().EraseOf(ctx, e.user, 10)
		return err
	})
	e.wantFeed("and purged", v, at, append(want, e.event(m, loci.Erased))...)
}

func testFeedPositions(e *env) {
	v := e.person()
	v.TeamID, v.ProjectIDs = loci.NewTeamID(), []loci.ProjectID{loci.NewProjectID(), loci.NewProjectID()}
	at := e.feedNow(v)
	if e.feedNow(v) == at {
		e.Error("two positions of one place are the same, so they tell whether something has happened between them")
	}
	for name, p := range map[string]store.Position{"nothing": "", "nonsense": "x", "longer": at + "AAAA",
		"another list's": e.page().Next} {
		_, err := e.feedAfter(v, p, 1)
		e.wantCode(name, err, loci.Invalid)
	}
	_, err := e.feedAfter(v, at, 0)
	e.wantCode("no limit", err, loci.Invalid)
	for name, change := range map[string]func(*loci.Viewer){
		"vendor":          func(v *loci.Viewer) { v.Vendor = "claude" },
		"person":          func(v *loci.Viewer) { v.UserID = e.addUser().ID },
		"team":            func(v *loci.Viewer) { v.TeamID = loci.NewTeamID() },
		"no team":         func(v *loci.Viewer) { v.TeamID = loci.TeamID{} },
		"fewer projects":  func(v *loci.Viewer) { v.ProjectIDs = v.ProjectIDs[:1] },
		"only projects":   func(v *loci.Viewer) { v.OnlyProjects = true },
		"workspace":       func(v *loci.Viewer) { v.WorkspaceID = loci.NewWorkspaceID() },
		"agent":           func(v *loci.Viewer) { v.AgentID = loci.NewAgentID() },
		"the team's name": func(v *loci.Viewer) { v.AgentID, v.TeamID = loci.AgentID(v.TeamID), loci.TeamID{} },
	} {
		other := v
		change(&other)
		_, err := e.feedAfter(other, at, 1)
		e.wantCode("another "+name, err, loci.Conflict)
	}
	if _, err := e.feedAfter(v, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 1); loci.CodeOf(err) != loci.Invalid &&
		loci.CodeOf(err) != loci.Conflict {
		e.Errorf("a made-up position: %v", explain(err))
	}
	same := v
	same.ProjectIDs = []loci.ProjectID{v.ProjectIDs[1], v.ProjectIDs[0], v.ProjectIDs[1]}
	at = e.feedNow(v)
	m := e.insert()
	page, err := e.feedAfter(same, at, 1)
	if err != nil || len(page.Events) != 1 || page.More || page.Events[0].Position == page.Next {
		e.Fatalf("%+v, %v", page, explain(err))
	}
	again := e.replace(m)
	e.wantFeed("behind an event", v, page.Events[0].Position, e.event(again, loci.Updated))
	e.wantFeed("behind a page", v, page.Next, e.event(again, loci.Updated))
}

// page is a list with another page behind it.
func (e *env) page() store.Page {
	e.Helper()
	e.insert()
	e.insert()
	return e.list(e.person(), store.ListQuery{Limit: 1})
}

// A reader whose events were purged notices, and no other does.
func testFeedPurge(e *env) {
	v := e.person()
	purge := func(then time.Time, limit, want int) {
		e.Helper()
		e.update(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.Feed().Purge(ctx, then, limit)
			if n != want {
				e.Errorf("purged %d, want %d", n, want)
			}
			return err
		})
	}
	wantGone := func(what string, at store.Position) {
		e.Helper()
		_, err := e.feedAfter(v, at, 10)
		e.wantCode(what, err, loci.Conflict)
	}
	fresh := e.feedNow(v)
	purge(e.clock.now().Add(time.Hour), 10, 0)
	e.wantFeed("nothing has happened", v, fresh)
	at := []store.Position{fresh}
	var want []loci.FeedEvent
	start := e.clock.now()
	for range 4 {
		want = append(want, e.event(e.insert(), loci.Created))
		at = append(at, e.feedNow(v))
		e.clock.move(time.Minute)
	}
	purge(start.Add(2*time.Minute), 1, 1)
	wantGone("before the first", at[0])
	e.wantFeed("behind the first", v, at[1], want[1:]...)
	purge(start.Add(2*time.Minute), 5, 1) // the third is from exactly then
	wantGone("behind the first, later", at[1])
	e.wantFeed("behind the second", v, at[2], want[2:]...)
	e.wantFeed("behind the third", v, at[3], want[3:]...)
	purge(start.Add(time.Hour), 5, 2)
	wantGone("behind the third, later", at[3])
	e.wantFeed("behind the last", v, at[4])
	now := e.feedNow(v)
	m := e.insert()
	wantGone("behind the third, again", at[3])
	e.wantFeed("behind the last, when there is more", v, at[4], e.event(m, loci.Created))
	e.wantFeed("from when it was empty", v, now, e.event(m, loci.Created))
	w := e.addWorkspace("space")
	now = e.feedNow(v)
	e.update(func(ctx context.Context, tx store.Tx) error { _, err := tx.Workspaces().Adopt(ctx, w.ID); return err })
	wantGone("since when everything has moved", now)
	wantGone("and from before", at[4])
	now = e.feedNow(v)
	m = e.insert()
	e.wantFeed("and from there", v, now, e.event(m, loci.Created))
	wantGone("still", at[4])
}

// One call looks at no more than so many events, whoever's they are.
func testFeedIsBounded(e *env) {
	v, u := e.person(), e.addUser().ID
	at := e.feedNow(v)
	m := e.memory(func(m *loci.Memory) { m.UserID = u })
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Insert(ctx, m) })
	e.update(func(ctx context.Context, tx store.Tx) error {
		for last := m; last.Version < 2*store.FeedWindow; {
			last = edited(last, e.clock.now())
			if err := tx.Memories().Replace(ctx, last); err != nil {
				return err
			}
		}
		return nil
	})
	mine := e.insert()
	for range 2 {
		page, err := e.feedAfter(v, at, 10)
		if err != nil || len(page.Events) != 0 || !page.More || page.Next == at {
			e.Fatalf("%+v, %v", page, explain(err))
		}
		at = page.Next
	}
	page, err := e.feedAfter(v, at, 1)
	if err != nil || len(page.Events) != 1 || page.Events[0].ID != mine.ID.String() || page.More {
		e.Errorf("%+v, %v", page, explain(err))
	}
}
