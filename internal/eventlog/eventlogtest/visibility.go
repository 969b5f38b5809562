package eventlogtest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/test/random"
)

// testVisibility lets random people write random events into sessions whose access changes, and
// compares every read with the predicate.
func testVisibility(e *env) {
	worlds := random.Rounds(40, 15) // each takes long
	n, failed := 0, false
	rapid.Check(e.T, func(t *rapid.T) {
		if n++; n > worlds && !failed { // if one has failed, rapid looks for a smaller one
			return
		}
		defer func() { failed = failed || t.Failed() }()
		w := newWorld(t, e, loci.OrgID(fmt.Sprintf("world%d", n)))
		actions := map[string]func(*rapid.T){"append": w.append, "set session": w.setSession, "upkeep": w.upkeep,
			"purge": w.purge, "time": w.pass, "": w.compare}
		t.Repeat(actions)
		w.dropped(t)
	})
}

// world is a model of a log: everything in it, and how it came there.
type world struct {
	*env
	org      loci.OrgID
	users    []loci.UserID
	teams    []loci.TeamID
	projects []loci.ProjectID
	spaces   []loci.WorkspaceID
	agents   []loci.AgentID
	sessions []loci.SessionID
	known    map[loci.SessionID]*eventlog.Session
	stored   []*loci.Event // with the access with which they were stored
	tail     eventlog.Position
	tailed   int // how many of stored the tail has passed
}

func newWorld(t *rapid.T, e *env, org loci.OrgID) *world {
	w := &world{env: e, org: org, known: map[loci.SessionID]*eventlog.Session{}}
	w.users = []loci.UserID{loci.NewUserID(), loci.NewUserID()}
	w.teams = []loci.TeamID{{}, loci.NewTeamID(), loci.NewTeamID()}
	w.projects = []loci.ProjectID{{}, loci.NewProjectID(), loci.NewProjectID()}
	w.spaces = []loci.WorkspaceID{{}, {}, loci.NewWorkspaceID()}
	w.agents = []loci.AgentID{{}, loci.NewAgentID()}
	w.sessions = []loci.SessionID{{}, newSession(), newSession()}
	return w
}

func pick[T any](t *rapid.T, name string, list []T) T { return rapid.SampledFrom(list).Draw(t, name) }

func (w *world) access(t *rapid.T) loci.EventAccess {
	a := loci.EventAccess{OrgID: w.org, UserID: pick(t, "user", w.users), WorkspaceID: pick(t, "space", w.spaces),
		ProjectID: pick(t, "project", w.projects), TeamID: pick(t, "team", w.teams), Origin: pick(t, "origin", origins),
		AllowedVendors: pick(t, "vendors", vendorLists)}
	a.Reach = pick(t, "reach", []loci.Reach{loci.ReachOrg, loci.ReachOrg, loci.ReachPrivate, loci.ReachTeam})
	if a.TeamID.IsZero() && a.Reach == loci.ReachTeam {
		a.Reach = loci.ReachOrg
	}
	return a
}

var (
	origins     = []string{"person", "claude"}
	vendorLists = [][]loci.Vendor{{loci.AnyVendor}, {loci.AnyVendor}, {"claude"}, {"cursor"}, {"cursor", "claude"}}
	texts       = []string{"red fish", "blue fish", "old man", "sea", "fish"}
	types       = []string{"general", "error"}
)

func (w *world) viewer(t *rapid.T) loci.Viewer {
	v := loci.Viewer{OrgID: w.org, UserID: pick(t, "reader", w.users), TeamID: pick(t, "its team", w.teams),
		WorkspaceID: pick(t, "its space", w.spaces), Vendor: pick(t, "its vendor", []loci.Vendor{"", "claude", "cursor"})}
	for _, p := range w.projects[1:] {
		if rapid.Bool().Draw(t, "member") {
			v.ProjectIDs = append(v.ProjectIDs, p)
		}
	}
	v.OnlyProjects = rapid.IntRange(0, 4).Draw(t, "limited") == 0
	return v
}

// effective returns the events as they are now.
func (w *world) effective() (events []*loci.Event) {
	for _, stored := range w.stored {
		ev := *stored
		if s := w.known[ev.SessionID]; s != nil {
			ev.EventAccess = s.AccessOf(ev.EventAccess)
		}
		events = append(events, &ev)
	}
	return events
}

func (w *world) append(t *rapid.T) {
	v := w.viewer(t)
	window := pick(t, "window", []time.Duration{0, time.Hour, 48 * time.Hour})
	var events []*loci.Event
	var want []eventlog.Outcome
	closed := false
	before := len(w.stored)
	for range rapid.IntRange(1, 6).Draw(t, "events") {
		ev := w.draw(t)
		if s := w.known[ev.SessionID]; s != nil && s.Closed {
			closed = true
		}
		events = append(events, ev)
		o := eventlog.Outcome{ID: ev.ID}
		if earlier := w.duplicate(v, ev, window); earlier != nil {
			o = eventlog.Outcome{ID: earlier.ID, Duplicate: true}
		} else {
			w.stored = append(w.stored, ev)
		}
		want = append(want, o)
	}
	got, err := w.log.Append(w.Context(), v, events, eventlog.Dedup{Window: window})
	if closed {
		w.stored = w.stored[:before]
		if loci.CodeOf(err) != loci.Conflict {
			t.Fatalf("append to a closed session: %v", err)
		}
		return
	}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("append by %+v: %v, %v, want %v", v, got, err, want)
	}
}

func (w *world) draw(t *rapid.T) *loci.Event {
	ev := &loci.Event{SessionID: pick(t, "session", w.sessions), AgentID: pick(t, "agent", w.agents),
		Content: pick(t, "text", texts), Type: pick(t, "type", types), EventAccess: w.access(t),
		Importance: rapid.IntRange(1, 10).Draw(t, "importance"), RecordedAt: w.clock.move(time.Microsecond)}
	ev.Class = pick(t, "class", loci.EventClasses())
	if rapid.Bool().Draw(t, "tagged") {
		ev.Tags = []string{"t"}
	}
	ev.Time = ev.RecordedAt.Add(-pick(t, "late", []time.Duration{0, 0, 0, time.Microsecond, 40 * 24 * time.Hour}))
	ev.SetDefaults(ev.RecordedAt)
	ev.ID = loci.NewEventID(ev.Time)
	return ev
}

// duplicate returns the first stored event that makes ev a duplicate.
func (w *world) duplicate(v loci.Viewer, ev *loci.Event, window time.Duration) *loci.Event {
	for _, old := range w.effective() {
		if window > 0 && old.Digest() == ev.Digest() && !old.RecordedAt.Before(ev.RecordedAt.Add(-window)) &&
			v.SeesEvent(&old.EventAccess) {
			return old
		}
	}
	return nil
}

func (w *world) setSession(t *rapid.T) {
	s := eventlog.Session{ID: pick(t, "session", w.sessions[1:]), Revision: 1, Access: w.access(t),
		Closed: rapid.IntRange(0, 3).Draw(t, "closed") == 0}
	if known := w.known[s.ID]; known != nil {
		s.Revision = known.Revision + 1
	}
	if err := w.log.SetSession(w.Context(), w.org, s); err != nil {
		t.Fatal(err)
	}
	w.known[s.ID] = &s
}

func (w *world) pass(t *rapid.T) {
	w.clock.move(pick(t, "pass", []time.Duration{time.Minute, 3 * time.Hour, 10 * 24 * time.Hour}))
}

func (w *world) upkeep(t *rapid.T) {
	if _, err := w.log.Upkeep(w.Context(), w.org); err != nil {
		t.Fatal(err)
	}
}

func (w *world) purge(t *rapid.T) {
	sel := eventlog.Selection{Type: pick(t, "purged type", types), UserID: pick(t, "purged user", w.users)}
	limit := rapid.IntRange(1, 3).Draw(t, "limit")
	var selected []*loci.Event
	for _, ev := range w.stored {
		if ev.Type == sel.Type && ev.UserID == sel.UserID {
			selected = append(selected, ev)
		}
	}
	selected = inTime(selected, eventlog.Oldest)
	selected = selected[:min(limit, len(selected))]
	got, err := w.log.Purge(w.Context(), w.org, sel, limit)
	if err != nil || got != len(selected) {
		t.Fatalf("purge of %+v: %d, %v, want %d", sel, got, err, len(selected))
	}
	w.stored = slices.DeleteFunc(w.stored, func(ev *loci.Event) bool {
		return slices.Contains(idsOf(selected), ev.ID)
	})
}

// compare compares the reads of a random viewer with the predicate.
func (w *world) compare(t *rapid.T) {
	v, f := w.viewer(t), w.filter(t)
	var want, visible []*loci.Event
	for _, ev := range w.effective() {
		if v.SeesEvent(&ev.EventAccess) {
			visible = append(visible, ev)
			if f.Matches(ev) {
				want = append(want, ev)
			}
		}
	}
	order := pick(t, "order", []eventlog.Order{eventlog.Newest, eventlog.Oldest})
	q := eventlog.Query{Filter: f, Order: order, Limit: rapid.IntRange(1, 8).Draw(t, "page")}
	w.wantEvents(fmt.Sprintf("find %+v by %+v", q, v), w.walk(w.Context(), v, q), inTime(want, order))
	all := idsOf(w.stored)
	got, err := w.log.Get(w.Context(), v, all)
	if err != nil {
		t.Fatal(err)
	}
	w.wantEvents(fmt.Sprintf("get by %+v", v), got, visible)
	stats, err := w.log.Stats(w.Context(), v, f)
	if err != nil || stats.Total != len(want) || !maps.Equal(stats.ByType, byType(want)) {
		t.Fatalf("stats %+v by %+v: %+v, %v, want %d: %v", f, v, stats, err, len(want), byType(want))
	}
	w.compareTail(t, v)
	if w.Failed() {
		t.FailNow()
	}
}

func byType(events []*loci.Event) map[string]int {
	counts := map[string]int{}
	for _, ev := range events {
		counts[ev.Type]++
	}
	return counts
}

// compareTail reads what was stored since the last time.
func (w *world) compareTail(t *rapid.T, v loci.Viewer) {
	since := w.tail
	page, err := w.log.Tail(w.Context(), v, since, 1000)
	if loci.CodeOf(err) == loci.Conflict {
		w.tail = "" // its events are compressed since
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	var want []*loci.Event
	if since != "" {
		for _, ev := range w.effective() {
			if w.isAfterTail(ev) && v.SeesEvent(&ev.EventAccess) {
				want = append(want, ev)
			}
		}
	}
	w.wantEvents(fmt.Sprintf("tail by %+v", v), page.Events, want)
	w.tail = page.Next
	w.tailed = int(w.clock.move(time.Microsecond).UnixMicro())
}

// isAfterTail reports whether an event was stored after the last tail. Each was recorded later than
// those stored before.
func (w *world) isAfterTail(ev *loci.Event) bool {
	return cmp.Compare(ev.RecordedAt.UnixMicro(), int64(w.tailed)) > 0
}

func (w *world) filter(t *rapid.T) (f eventlog.Filter) {
	maybe := func(name string, set func()) {
		if rapid.IntRange(0, 3).Draw(t, name) == 0 {
			set()
		}
	}
	maybe("by session", func() { f.SessionID = pick(t, "of session", w.sessions) })
	maybe("by agent", func() { f.AgentID = pick(t, "of agent", w.agents) })
	maybe("by project", func() { f.ProjectID = pick(t, "of project", w.projects) })
	maybe("by tag", func() { f.Tags = []string{"t"} })
	maybe("by type", func() { f.Types = []string{pick(t, "of type", types)} })
	maybe("by importance", func() { f.MinImportance = rapid.IntRange(1, 10).Draw(t, "at least") })
	maybe("by origin", func() { f.Origin = pick(t, "of origin", origins) })
	maybe("by time", func() { f.Since = w.clock.now().Add(-5 * 24 * time.Hour) })
	return f
}

func (w *world) dropped(t *rapid.T) {
	if err := w.log.Drop(w.Context(), w.org); err != nil {
		t.Fatal(err)
	}
}
