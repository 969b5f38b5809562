package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// getAt returns the title at another time, or "" if there is none.
func (e *env) getAt(v loci.Viewer, id loci.MemoryID, w loci.When) string {
	e.Helper()
	var title string
	err := e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		m, err := tx.Memories().GetAt(e.Context(), v, id, w)
		if err == nil {
			title = m.Title
		}
		return err
	})
	if err != nil {
		e.wantCode("GetAt", err, loci.NotFound)
	}
	return title
}

// seenAt returns the titles at another time by every way to ask, which must agree. All
// memories of the test have "content" in their text.
func (e *env) seenAt(v loci.Viewer, w loci.When, all ...*loci.Memory) string {
	e.Helper()
	var got, listed []string
	for _, m := range all {
		if title := e.getAt(v, m.ID, w); title != "" {
			got = append(got, title)
		}
	}
	f := store.Filter{When: w}
	page := e.list(v, store.ListQuery{Filter: f, Total: true})
	listed = titles(page.Memories)
	hits := e.containing(v, f, "content")
	slices.Sort(got)
	slices.Sort(listed)
	if !slices.Equal(got, listed) || page.Total != len(got) || len(hits) != len(got) {
		e.Errorf("at %+v: GetAt has %q, List %q of %d, Contains %d", w, got, listed, page.Total, len(hits))
	}
	return strings.Join(got, ", ")
}

// testWhen tells a story and asks what was true and what was known on its days.
func testWhen(e *env) {
	day := func(n int) time.Time { return time.Date(2026, 3, n, 12, 0, 0, 0, time.UTC) }
	until := func(n int) { e.clock.move(day(n).Sub(e.clock.now())) }
	until(2)
	monday := e.insert(titled("we deploy on Monday"))
	until(4)
	typo := e.insert(titled("the office is in Berln"), func(m *loci.Memory) { m.ValidFrom = day(1) })
	until(6)
	friday := e.insert(titled("we deploy on Friday"), func(m *loci.Memory) { m.ValidFrom = day(5) })
	superseded := e.replace(monday, func(m *loci.Memory) { m.SupersededBy, m.ValidTo = friday.ID, day(5) })
	until(8)
	fixed := e.replace(typo, titled("the office is in Berlin"))
	until(10)
	brief := e.insert(titled("the code is 1234"), func(m *loci.Memory) { m.ExpiresAt = day(14) })
	until(12)
	trashed := e.trash(fixed)
	until(16)
	erased := e.insert(titled("oops"))
	until(18)
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, erased.ID) })
	until(20)
	all := []*loci.Memory{superseded, trashed, friday, brief, erased}
	for _, tt := range []struct {
		name string
		when loci.When
		want string
	}{
		{"now", loci.When{}, "we deploy on Friday"},
		{"now, superseded too", loci.When{Superseded: true}, "we deploy on Friday, we deploy on Monday"},
		{"true on the 1st", loci.When{AsOf: day(1)}, ""},
		{"true on the 3rd", loci.When{AsOf: day(3)}, "we deploy on Monday"},
		{"true when it ended", loci.When{AsOf: day(5)}, "we deploy on Friday"},
		{"true on the 11th", loci.When{AsOf: day(11)}, "the code is 1234, we deploy on Friday"},
		{"true on the 15th", loci.When{AsOf: day(15)}, "we deploy on Friday"},
		{"known on the 1st", loci.When{KnownAt: day(1)}, ""},
		{"known at the moment of writing", loci.When{KnownAt: day(2)}, "we deploy on Monday"},
		{"known just before", loci.When{KnownAt: day(2).Add(-time.Microsecond)}, ""},
		{"known on the 5th", loci.When{KnownAt: day(5)}, "the office is in Berln, we deploy on Monday"},
		{"known on the 7th", loci.When{KnownAt: day(7)}, "the office is in Berln, we deploy on Friday"},
		{"known on the 7th, superseded too", loci.When{KnownAt: day(7), Superseded: true},
			"the office is in Berln, we deploy on Friday, we deploy on Monday"},
		{"known when it was changed", loci.When{KnownAt: day(8)}, "the office is in Berlin, we deploy on Friday"},
		{"known on the 11th", loci.When{KnownAt: day(11)}, "the code is 1234, the office is in Berlin, we deploy on Friday"},
		{"known in the trash", loci.When{KnownAt: day(13)}, "the code is 1234, we deploy on Friday"},
		{"known when it was over", loci.When{KnownAt: day(15)}, "we deploy on Friday"},
		{"known before it was erased", loci.When{KnownAt: day(17)}, "we deploy on Friday"},
		{"known on the 5th of the 5th", loci.When{KnownAt: day(5), AsOf: day(5)},
			"the office is in Berln, we deploy on Monday"},
		{"known on the 7th of the 3rd", loci.When{KnownAt: day(7), AsOf: day(3)},
			"the office is in Berln, we deploy on Monday"},
		{"known on the 5th of the 1st", loci.When{KnownAt: day(5), AsOf: day(1)}, "the office is in Berln"},
		{"known on the 15th of the 11th", loci.When{KnownAt: day(15), AsOf: day(11)},
			"the code is 1234, we deploy on Friday"},
		{"known on the 11th of the 15th", loci.When{KnownAt: day(11), AsOf: day(15)},
			"the office is in Berlin, we deploy on Friday"},
	} {
		if got := e.seenAt(e.person(), tt.when, all...); got != tt.want {
			e.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	lost := e.insert(titled("superseded nobody knows when"),
		func(m *loci.Memory) { m.SupersededBy, m.ValidFrom = friday.ID, day(1) })
	for w, want := range map[loci.When]string{{AsOf: day(1)}: "", {AsOf: day(1), Superseded: true}: lost.Title} {
		if got := e.seenAt(e.person(), w, lost); got != want {
			e.Errorf("superseded without an end, %+v: %q, want %q", w, got, want)
		}
	}
}

// testWhenIsNoWayAround has memories that were open to somebody only then, or only now.
func testWhenIsNoWayAround(e *env) {
	team, project := e.addTeam("team").ID, newID[loci.ProjectID]()
	here, there := newID[loci.WorkspaceID](), newID[loci.WorkspaceID]()
	robot := newID[loci.AgentID]()
	friend := loci.Viewer{OrgID: e.org, UserID: e.addUser().ID, TeamID: team, ProjectIDs: []loci.ProjectID{project}}
	inSpace := e.person()
	inSpace.WorkspaceID = here
	open := func(*loci.Memory) {}
	then := loci.When{KnownAt: e.clock.now()}
	for name, tt := range map[string]struct {
		v           loci.Viewer
		first, next func(*loci.Memory)
		want        string
	}{
		"control": {e.agent("claude"), open, open, "first"},
		"closed since": {e.agent("claude"), open, func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} },
			""},
		"opened since": {e.agent("claude"), func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"cursor"} },
			func(m *loci.Memory) { m.AllowedVendors = []loci.Vendor{"*"} }, ""},
		"in the team":  {friend, func(m *loci.Memory) { m.TeamID = team }, open, "first"},
		"shared since": {friend, open, func(m *loci.Memory) { m.TeamID = team }, ""},
		"taken back": {friend, func(m *loci.Memory) { m.TeamID = team },
			func(m *loci.Memory) { m.TeamID = loci.TeamID{} }, ""},
		"into the project": {friend, open, func(m *loci.Memory) { m.Scope, m.ProjectID = loci.ScopeProject, project }, ""},
		"an agent's before": {e.agent("claude"), func(m *loci.Memory) { m.Scope, m.AgentID = loci.ScopeAgent, robot },
			func(m *loci.Memory) { m.Scope, m.AgentID = loci.ScopeGlobal, loci.AgentID{} }, ""},
		"the person's before": {e.person(), func(m *loci.Memory) { m.Scope, m.AgentID = loci.ScopeAgent, robot },
			func(m *loci.Memory) { m.Scope, m.AgentID = loci.ScopeGlobal, loci.AgentID{} }, "first"},
		"another workspace's": {inSpace, func(m *loci.Memory) { m.WorkspaceID = there },
			func(m *loci.Memory) { m.WorkspaceID = here }, ""},
		"of no workspace": {inSpace, open, func(m *loci.Memory) { m.WorkspaceID = here }, "first"},
		"trashed since": {e.person(), open,
			func(m *loci.Memory) { m.DeletedAt, m.Change = e.clock.now(), loci.Trashed }, "first"},
		"trashed, the team's": {friend, func(m *loci.Memory) { m.TeamID = team },
			func(m *loci.Memory) { m.DeletedAt, m.Change = e.clock.now(), loci.Trashed }, ""},
	} {
		e.clock.move(then.KnownAt.Sub(e.clock.now()))
		m := e.insert(titled("first"), tt.first)
		e.clock.move(time.Hour)
		m = e.replace(m, titled("next"), tt.next)
		if got := e.seenAt(tt.v, then, m); got != tt.want {
			e.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Erase(ctx, m.ID) })
	}
}

// testWhenInvalid has questions that make no sense, and cursors of other lists.
func testWhenInvalid(e *env) {
	for range 3 {
		e.insert()
	}
	known := store.Filter{When: loci.When{KnownAt: e.clock.now()}}
	present, past := e.list(e.person(), store.ListQuery{Limit: 1}),
		e.list(e.person(), store.ListQuery{Filter: known, Limit: 1})
	trash := known
	trash.Lifecycle = loci.TrashOnly
	e.view(func(ctx context.Context, tx store.Tx) error {
		for name, q := range map[string]store.ListQuery{
			"a present cursor": {Filter: known, Limit: 1, After: present.Next}, "a past cursor": {Limit: 1, After: past.Next},
			"the trash of then": {Filter: trash, Limit: 1},
		} {
			_, err := tx.Lists().List(ctx, e.person(), q)
			e.wantCode(name, err, loci.Invalid)
		}
		_, err := tx.Memories().GetAt(ctx, e.person(), loci.NewMemoryID(), known.When)
		e.wantCode("what never was", err, loci.NotFound)
		return nil
	})
}

// testWhenImported has versions whose times do not follow each other.
func testWhenImported(e *env) {
	start := e.clock.now()
	at := func(hours int) time.Time { return start.Add(time.Duration(hours) * time.Hour) }
	m := e.insert(titled("now"), func(m *loci.Memory) { m.Version, m.UpdatedAt = 9, at(9) })
	e.clock.move(20 * time.Hour)
	e.update(func(ctx context.Context, tx store.Tx) error {
		for version, hours := range map[int][2]int{1: {0, 2}, 3: {4, 6}, 4: {5, 7}, 5: {5, 5}, 6: {8, 12}} {
			old := &loci.Version{Memory: *m.Clone(), ReplacedAt: at(hours[1])}
			old.Version, old.UpdatedAt, old.Title = version, at(hours[0]), fmt.Sprint("v", version)
			if err := tx.Memories().InsertVersion(ctx, old); err != nil {
				return err
			}
		}
		return nil
	})
	for hours, want := range []string{"v1", "v1", "", "", "v3", "v4", "v4", "", "v6", "now", "now"} {
		if got := e.seenAt(e.person(), loci.When{KnownAt: at(hours)}, m); got != want {
			e.Errorf("after %d hours: %q, want %q", hours, got, want)
		}
	}
	early := e.insert(titled("changed before it was made"),
		func(m *loci.Memory) { m.CreatedAt, m.UpdatedAt = at(30), at(25) })
	for hours, want := range map[int]string{26: "now", 30: "changed before it was made, now"} {
		if got := e.seenAt(e.person(), loci.When{KnownAt: at(hours)}, m, early); got != want {
			e.Errorf("after %d hours: %q, want %q", hours, got, want)
		}
	}
}

// testWhenFilters has filters that the rows passed then, or pass now.
func testWhenFilters(e *env) {
	team := e.addTeam("team").ID
	member := e.person()
	member.TeamID = team
	start := e.clock.now()
	tagged := func(title, tag string, team loci.TeamID) func(*loci.Memory) {
		return func(m *loci.Memory) {
			m.Title, m.Tags, m.TeamID, m.Category, m.Origin = title, []string{tag}, team, tag, tag
		}
	}
	e.insert(tagged("stays", "old", team))
	moved := e.insert(tagged("moved then", "old", team))
	joined := e.insert(tagged("joined then", "new", loci.TeamID{}))
	e.clock.move(time.Hour)
	e.replace(moved, tagged("moved", "new", loci.TeamID{}),
		func(m *loci.Memory) { m.CreatedAt = start.Add(-time.Hour) })
	e.replace(joined, tagged("joined", "old", team))
	e.insert(tagged("later", "old", team))
	then := loci.When{KnownAt: start}
	for name, f := range map[string]store.Filter{"tag": {Tags: []string{"old"}},
		"all tags": {Tags: []string{"old"}, AllTags: true}, "team": {TeamID: team},
		"category": {Category: "old"}, "origin": {Origin: "old"}} {
		want := []string{"joined", "later", "stays"}
		for _, f.When = range []loci.When{{}, {Superseded: true}, {AsOf: e.clock.now()}} {
			e.wantFiltered(fmt.Sprintf("%s, %+v", name, f.When), member, f, want...)
		}
		f.When = then
		e.wantFiltered(name+" then", member, f, "moved then", "stays")
	}
	e.wantFiltered("created since, then", member, store.Filter{When: then, From: start}, "joined then", "moved then",
		"stays")
	e.wantFiltered("created before, then", member, store.Filter{When: then, To: start})
}

// testWhenMany lists more old versions than are looked at together.
func testWhenMany(e *env) {
	const n = 1030
	var list []*loci.Memory
	for range n {
		list = append(list, e.memory())
	}
	then := loci.When{KnownAt: e.clock.now()}
	e.clock.move(time.Hour)
	e.update(func(ctx context.Context, tx store.Tx) error {
		for _, m := range list {
			if err := tx.Memories().Insert(ctx, m); err != nil {
				return err
			}
			if err := tx.Memories().Replace(ctx,
				edited(m, e.clock.now(), func(m *loci.Memory) { m.Content = "other" })); err != nil {
				return err
			}
		}
		return nil
	})
	for _, limit := range []int{1, 1023, 1024, 1025, n - 1, n} {
		page := e.list(e.person(), store.ListQuery{Filter: store.Filter{When: then}, Limit: limit})
		if n := len(page.Memories); n != limit || (page.Next != "") != (limit < len(list)) ||
			page.Memories[0].ID != list[len(list)-1].ID {
			e.Errorf("limit %d: %d memories, more %v", limit, n, page.Next != "")
		}
	}
}

// wantFiltered compares what List counts and shows, and what IDs has.
func (e *env) wantFiltered(name string, v loci.Viewer, f store.Filter, want ...string) {
	e.Helper()
	page := e.list(v, store.ListQuery{Filter: f, Total: true})
	got := titles(page.Memories)
	slices.Sort(got)
	hits := e.containing(v, f, "content")
	if !slices.Equal(got, want) || page.Total != len(want) || len(hits) != len(want) {
		e.Errorf("%s: %q of %d, IDs has %d; want %q", name, got, page.Total, len(hits), want)
	}
}
