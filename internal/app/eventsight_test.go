package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
)

// sightWorld is an org whose events have random readers, with what is needed to say in plain words who sees which.
type sightWorld struct {
	*desk
	rt       *rapid.T
	a        *app.App
	log      *embedded.Log
	toms     loci.Principal // an assistant of tom's
	projects []loci.ProjectID
	members  map[loci.ProjectID][]loci.UserID
	sessions []*sightAccess
	events   []*sightEvent
	old      bool // the log moves old events meanwhile, and then forgets the positions of tails
}

func (w *sightWorld) must(err error) {
	w.rt.Helper()
	if err != nil {
		w.rt.Fatal(err)
	}
}

func (w *sightWorld) readers() []loci.Principal {
	return []loci.Principal{w.mara, w.tom, w.ines, w.claude, w.cursor, w.toms, w.limited, w.owner}
}

// sightAccess is what decides who sees a session, or an event without one.
type sightAccess struct {
	id      loci.SessionID
	owner   loci.Principal
	reach   loci.Reach
	project loci.ProjectID
	vendors []loci.Vendor
}

type sightEvent struct {
	id      loci.EventID
	at      time.Time
	writer  loci.Principal
	draft   event.Draft
	agent   bool // reviewer did it
	session *sightAccess
	alone   sightAccess // without a session
}

// sees is the rule of docs/visibility.md.
func (w *sightWorld) sees(r loci.Principal, e *sightEvent) bool {
	in := e.session
	if in == nil {
		in = &e.alone
	}
	for _, list := range [][]loci.Vendor{in.vendors, e.draft.AllowedVendors} {
		if r.Vendor != "" && list != nil && !slices.Contains(list, "*") && !slices.Contains(list, r.Vendor) {
			return false
		}
	}
	member := slices.Contains(w.members[in.project], r.UserID)
	switch {
	case r.OrgID != "acme", r.OnlyProjects && !(member && slices.Contains(r.ProjectIDs, in.project)):
		return false
	case r.UserID == e.writer.UserID:
		return true
	case !in.project.IsZero() && !member:
		return false
	case in.reach == loci.ReachTeam:
		return !in.owner.TeamID.IsZero() && in.owner.TeamID == r.TeamID
	}
	return in.reach == loci.ReachOrg
}

func draw[T any](w *sightWorld, name string, list ...T) T {
	return rapid.SampledFrom(list).Draw(w.rt, name)
}

func (w *sightWorld) rarely(name string) bool { return rapid.IntRange(0, 3).Draw(w.rt, name) == 0 }

func (w *sightWorld) access(owner loci.Principal) sightAccess {
	s := sightAccess{owner: owner,
		reach: draw(w, "reach", loci.ReachOrg, loci.ReachOrg, loci.ReachTeam, loci.ReachPrivate)}
	if owner.TeamID.IsZero() && s.reach == loci.ReachTeam {
		s.reach = loci.ReachPrivate
	}
	if w.rarely("in a project") {
		if p := draw(w, "project", w.projects...); slices.Contains(w.members[p], owner.UserID) {
			s.project = p
		}
	}
	return s
}

func (w *sightWorld) vendors() []loci.Vendor {
	return draw(w, "vendors", nil, nil, []loci.Vendor{"claude"}, []loci.Vendor{"cursor"},
		[]loci.Vendor{"claude", "cursor"})
}

// sightWords are words of which none is a form of another. The last ones are operators elsewhere.
var sightWords = []string{"zebra", "zebu", "okapi", "quagga", "AND", "OR", "NOT"}

func (w *sightWorld) words(most int) []string {
	return rapid.SliceOfN(rapid.SampledFrom(sightWords), 1, most).Draw(w.rt, "words")
}

// logOne logs an event, in most cases one that is somehow hidden from some readers.
func (w *sightWorld) logOne() {
	e := &sightEvent{writer: draw(w, "writer", w.mara, w.tom, w.ines, w.claude, w.cursor, w.toms)}
	e.at = w.now.Add(-draw(w, "ago", 0, time.Minute, time.Hour, 70*24*time.Hour)).Truncate(time.Minute)
	e.draft = event.Draft{Time: e.at, Content: fmt.Sprint(strings.Join(w.words(5), " "), " n", len(w.events)),
		AllowedVendors: w.vendors(), Type: draw(w, "type", "a", "b"), Actor: draw(w, "actor", "", "x"),
		Class: draw(w, "class", loci.EventEpisodic, loci.EventDecision), Importance: draw(w, "importance", 3, 8),
		Tags: draw(w, "tags", nil, []string{"t"}, []string{"u"}, []string{"t", "u"})}
	if len(w.events) > 0 && w.rarely("answers") {
		if of := draw(w, "parent", w.events...); w.sees(e.writer, of) {
			e.draft.ParentID = of.id
		}
	}
	if e.writer.Vendor != "cursor" && e.writer.UserID == w.mara.UserID && w.rarely("of the agent") {
		e.draft.Agent, e.agent = "reviewer", true
	}
	e.alone = w.access(e.writer)
	e.draft.Reach, e.draft.ProjectID = e.alone.reach, e.alone.project
	if len(w.sessions) > 0 && !w.rarely("alone") {
		in := draw(w, "session", w.sessions...)
		if w.sees(e.writer, &sightEvent{writer: in.owner, session: in}) {
			e.session, e.draft.Session, e.draft.Reach, e.draft.ProjectID = in, in.id.String(), "", loci.ProjectID{}
		}
	}
	id, err := w.a.Event.Record(w.t.Context(), e.writer, e.draft)
	if err != nil {
		w.rt.Fatalf("%+v: %v", e, err)
	}
	e.id = id
	w.events = append(w.events, e)
}

// turn changes who sees a session and its events.
func (w *sightWorld) turn() {
	s := draw(w, "turned", w.sessions...)
	to := w.access(s.owner)
	if s.vendors = w.vendors(); s.vendors == nil {
		s.vendors = []loci.Vendor{"*"}
	}
	s.reach = to.reach
	person := s.owner
	if person.Vendor != "" {
		person = w.mara
	}
	w.must(second(w.a.Agent.UpdateSession(w.t.Context(), person, s.id.String(),
		agent.SessionPatch{Reach: &s.reach, AllowedVendors: s.vendors})))
}

// open returns the events in a log, and the log.
func (w *sightWorld) open() (*app.App, *embedded.Log) {
	w.t.Helper()
	dir, err := os.MkdirTemp(w.dir, "events")
	w.must(err)
	log := embedded.Open(embedded.Options{Dir: dir, Now: w.clock})
	return app.New(app.Options{Store: w.st, Now: w.clock, Patience: time.Minute, Events: eventsIn(log)}), log
}

// ofTail selects events for a tail.
var ofTail = event.Filter{Text: "zebra"}

// tail begins a tail, or returns what has come since.
func (w *sightWorld) tail(a *app.App, r loci.Principal, cursor string) (next, answers string) {
	w.t.Helper()
	for {
		page, err := a.Event.Tail(w.t.Context(), r, event.TailRequest{Filter: ofTail, Limit: 3, Cursor: cursor})
		w.must(err)
		cursor, page.Cursor = page.Cursor, ""
		if answers += show(page, err); !page.More {
			return cursor, answers
		}
	}
}

// withoutHidden returns an app whose log has never had what r doesn't see, and where r's tail began.
func (w *sightWorld) withoutHidden(r loci.Principal) (*app.App, *embedded.Log, string) {
	w.t.Helper()
	var ids []loci.EventID
	for _, e := range w.events {
		if w.sees(r, e) {
			ids = append(ids, e.id)
		}
	}
	a, log := w.open()
	begin, _ := w.tail(a, r, "")
	for _, id := range ids { // in the order in which they were stored
		list, err := w.log.Read(w.t.Context(), "acme", []loci.EventID{id})
		w.must(err)
		w.must(second(log.Append(w.t.Context(), w.mara.Viewer(), list, eventlog.Dedup{})))
	}
	return a, log, begin
}

// term returns a term of a query, and whether a content has it.
func (w *sightWorld) term() (string, func(content []string) bool) {
	word := draw(w, "term", sightWords...)
	has := func(c []string) bool { return slices.Contains(c, strings.ToLower(word)) }
	switch draw(w, "form", "word", "word", "phrase", "prefix", "number") {
	case "phrase":
		next := draw(w, "next", sightWords...)
		return `"` + word + " " + next + `"`, func(c []string) bool {
			return strings.Contains(" "+strings.Join(c, " ")+" ", strings.ToLower(" "+word+" "+next+" "))
		}
	case "prefix":
		short := strings.ToLower(word[:min(len(word), 3)])
		return short + "*", func(c []string) bool {
			return slices.ContainsFunc(c, func(x string) bool { return strings.HasPrefix(x, short) })
		}
	case "number":
		n := fmt.Sprint("n", rapid.IntRange(0, len(w.events)).Draw(w.rt, "number"))
		return n, func(c []string) bool { return slices.Contains(c, n) }
	}
	return word, has
}

// filter draws a filter, and returns which events pass it.
func (w *sightWorld) filter() (f event.Filter, passes func(*sightEvent) bool) {
	var all []func(*sightEvent) bool
	also := func(name string, set func(), pass func(*sightEvent) bool) {
		if w.rarely(name) {
			set()
			all = append(all, pass)
		}
	}
	if rapid.IntRange(0, 3).Draw(w.rt, "with a text") > 0 {
		var terms []string
		for range rapid.IntRange(1, 3).Draw(w.rt, "terms") {
			text, has := w.term()
			terms = append(terms, text)
			all = append(all, func(e *sightEvent) bool { return has(strings.Fields(strings.ToLower(e.draft.Content))) })
		}
		f.Text = strings.Join(terms, " ")
	}
	also("type", func() { f.Types = []string{"a"} }, func(e *sightEvent) bool { return e.draft.Type == "a" })
	also("tag", func() { f.Tags = []string{"t"} }, func(e *sightEvent) bool { return slices.Contains(e.draft.Tags, "t") })
	also("agent", func() { f.Agent = w.robot.String() }, func(e *sightEvent) bool { return e.agent })
	also("since", func() { f.Since = "2h" }, func(e *sightEvent) bool { return !e.at.Before(w.now.Add(-2 * time.Hour)) })
	of := draw(w, "one", w.events...)
	switch draw(w, "of one", "", "", "parent", "session", "project", "actor", "class", "importance", "origin") {
	case "parent":
		f.ParentID = of.id
		all = append(all, func(e *sightEvent) bool { return e.draft.ParentID == of.id })
	case "session":
		id := loci.NewSessionID()
		if of.session != nil {
			id = of.session.id
		}
		f.Session = id.String()
		all = append(all, func(e *sightEvent) bool { return e.session != nil && e.session.id == id })
	case "project":
		f.ProjectID = draw(w, "its project", w.projects...)
		all = append(all, func(e *sightEvent) bool {
			return e.session == nil && e.alone.project == f.ProjectID || e.session != nil && e.session.project == f.ProjectID
		})
	case "actor":
		f.Actor = "x"
		all = append(all, func(e *sightEvent) bool { return e.draft.Actor == "x" })
	case "class":
		f.Classes = []loci.EventClass{loci.EventDecision}
		all = append(all, func(e *sightEvent) bool { return e.draft.Class == loci.EventDecision })
	case "importance":
		f.MinImportance = 5
		all = append(all, func(e *sightEvent) bool { return e.draft.Importance >= 5 })
	case "origin":
		f.Origin = "claude"
		all = append(all, func(e *sightEvent) bool { return e.writer.Origin == "claude" })
	}
	return f, func(e *sightEvent) bool {
		return !slices.ContainsFunc(all, func(pass func(*sightEvent) bool) bool { return !pass(e) })
	}
}

// found are the ids of all pages of a search, with the answers as their reader gets them.
func (w *sightWorld) found(a *app.App, r loci.Principal, q event.SearchRequest) (ids []loci.EventID, answers string) {
	w.t.Helper()
	for {
		page, err := a.Event.Search(w.t.Context(), r, q)
		q.Cursor, page.NextCursor = page.NextCursor, fmt.Sprint(len(page.NextCursor)) // each log encrypts it with its key
		answers += show(page, err)
		for _, e := range page.Items {
			ids = append(ids, e.ID)
		}
		if err != nil || q.Cursor == "" {
			return ids, answers
		}
	}
}

func show(answer any, err error) string {
	text, _ := json.Marshal(answer)
	return fmt.Sprintf("%s %v\n", text, err)
}

// answers is everything else that r can ask about the events that pass a filter.
func (w *sightWorld) answers(a *app.App, r loci.Principal, f event.Filter, one *sightEvent) (out string) {
	ctx := w.t.Context()
	add := func(what string, answer any, err error) { out += what + ": " + show(answer, err) }
	stats, err := a.Event.Stats(ctx, r, f)
	add("stats", stats, err)
	density, err := a.Event.Density(ctx, r, f, 5)
	add("density", density, err)
	e, err := a.Event.Get(ctx, r, one.id)
	add("get", e, err)
	told := event.ContextRequest{Topic: f.Text, Types: f.Types, MaxTokens: 600}
	context, err := a.Event.OrgContext(ctx, r, told)
	add("context", context, err)
	context, err = a.Event.AgentContext(ctx, r, w.robot.String(), told)
	add("context of the agent", context, err)
	if one.session != nil {
		context, err = a.Event.SessionContext(ctx, r, one.session.id.String(), told)
		add("context of a session", context, err)
	}
	counts, err := a.Agent.Stats(ctx, r, w.robot.String())
	add("counts of the agent", counts, err)
	return out
}

// check asks in one way, and compares the answers with the rule and with those of a log without what is hidden.
func (w *sightWorld) check(r loci.Principal, without *app.App) (matches int) {
	f, passes := w.filter()
	q := event.SearchRequest{Filter: f, Order: draw(w, "order", eventlog.Newest, eventlog.Oldest),
		Limit: rapid.IntRange(1, 5).Draw(w.rt, "limit")}
	var want []loci.EventID
	for _, e := range w.events {
		if w.sees(r, e) && passes(e) {
			want = append(want, e.id)
		}
	}
	slices.SortFunc(want, func(a, b loci.EventID) int { return bytes.Compare(a[:], b[:]) })
	if q.Order == eventlog.Newest {
		slices.Reverse(want)
	}
	ids, pages := w.found(w.a, r, q)
	if !slices.Equal(ids, want) {
		w.rt.Errorf("%s %s of %s finds %d events, want %d, with %+v:\n%s", r.Vendor, r.Origin, r.UserID, len(ids),
			len(want), q, pages)
	}
	if _, wantPages := w.found(without, r, q); pages != wantPages {
		w.rt.Errorf("%+v: the pages are\n%s\nwithout hidden events\n%s", q, pages, wantPages)
	}
	one := draw(w, "asked", w.events...)
	if got, want := w.answers(w.a, r, f, one), w.answers(without, r, f, one); got != want {
		w.rt.Errorf("%+v: the answers are\n%s\nwithout hidden events\n%s", f, got, want)
	}
	return len(want)
}

// join draws who belongs to which project.
func (w *sightWorld) join() {
	ctx := w.t.Context()
	for _, p := range w.projects {
		w.members[p] = []loci.UserID{w.mara.UserID}
		for _, u := range []loci.Principal{w.tom, w.ines} {
			if rapid.Bool().Draw(w.rt, "member") {
				w.members[p] = append(w.members[p], u.UserID)
				w.must(w.Project.PutMember(ctx, w.mara, p, loci.ProjectMember{UserID: u.UserID, Role: loci.Member}))
			} else if err := w.Project.RemoveMember(ctx, w.mara, p, u.UserID); loci.CodeOf(err) != loci.NotFound {
				w.must(err)
			}
		}
	}
}

// populate makes sessions and events, and lets the index grow and the log move old events meanwhile.
func (w *sightWorld) populate() {
	ctx := w.t.Context()
	for range rapid.IntRange(0, 4).Draw(w.rt, "sessions") {
		s := w.access(draw(w, "owner", w.mara, w.tom, w.ines, w.claude))
		s.vendors = w.vendors()
		made, err := w.a.Agent.CreateSession(ctx, s.owner, agent.SessionDraft{Reach: s.reach, ProjectID: s.project,
			AllowedVendors: s.vendors})
		w.must(err)
		s.id = made.ID
		w.sessions = append(w.sessions, &s)
	}
	for range rapid.IntRange(5, 30).Draw(w.rt, "events") {
		w.logOne()
		if len(w.sessions) > 0 && w.rarely("turn") {
			w.turn()
		}
		if w.rarely("ask meanwhile") {
			w.must(second(w.a.Event.Search(ctx, w.ines, event.SearchRequest{Filter: event.Filter{Text: "zebra"}})))
		}
		if w.old && w.rarely("upkeep") {
			w.must(second(w.log.Upkeep(ctx, "acme")))
		}
	}
}

// TestHiddenEventsChangeNoSearch lets random people and assistants log events that others see only in part, and lets
// each of them ask. A reader finds every visible match, and gets the answers of a log that never had the other events.
func TestHiddenEventsChangeNoSearch(t *testing.T) {
	drawFewer(t, 12)
	d := newDesk(t)
	secrets := map[string]loci.Secret{}
	key := func(name string, of loci.Principal, r auth.KeyRequest) {
		r.Name = name
		_, secret, err := d.Identity.CreateKey(t.Context(), of, r)
		d.must(err)
		secrets[name] = secret
	}
	projects := []loci.ProjectID{d.stage.project(d.mara, "one", false).ID, d.stage.project(d.mara, "two", false).ID}
	d.mara = d.stage.session(loci.User{ID: d.mara.UserID, OrgID: "acme"})
	key("claude", d.mara, auth.KeyRequest{Vendor: "claude"})
	key("cursor", d.mara, auth.KeyRequest{Vendor: "cursor"})
	key("toms", d.tom, auth.KeyRequest{Vendor: "claude"})
	key("limited", d.mara, auth.KeyRequest{Vendor: "claude", ProjectIDs: projects[:1]})
	d.robot = d.agent(d.mara, "reviewer", "claude").ID
	asked, hidden, matched := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		w := &sightWorld{desk: d, rt: rt, projects: projects, members: map[loci.ProjectID][]loci.UserID{}}
		w.a, w.log = w.open()
		defer func() { w.must(w.log.Close()) }()
		w.join()
		for _, p := range []*loci.Principal{&d.mara, &d.tom, &d.ines} { // with the projects that they are in now
			*p = d.stage.session(loci.User{ID: p.UserID, OrgID: "acme"})
		}
		for name, p := range map[string]*loci.Principal{"claude": &d.claude, "cursor": &d.cursor, "toms": &w.toms,
			"limited": &d.limited} {
			*p = d.with(secrets[name])
		}
		var tails []string
		for _, r := range w.readers() {
			cursor, _ := w.tail(w.a, r, "")
			tails = append(tails, cursor)
		}
		w.old = rapid.Bool().Draw(rt, "old")
		w.populate()
		for i, r := range w.readers() {
			without, log, begin := w.withoutHidden(r)
			if !w.old {
				_, got := w.tail(w.a, r, tails[i])
				if _, want := w.tail(without, r, begin); got != want {
					rt.Errorf("the tail is\n%s\nwithout hidden events\n%s", got, want)
				}
			}
			for range 4 {
				matched += w.check(r, without)
				asked++
			}
			for _, e := range w.events {
				if !w.sees(r, e) {
					hidden++
				}
			}
			w.must(log.Close())
		}
	})
	if asked > 0 && (hidden == 0 || matched == 0) {
		t.Errorf("%d questions found %d events, and %d were hidden", asked, matched, hidden)
	}
}
