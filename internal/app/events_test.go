package app_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
)

// log logs an event.
func (s *stage) log(p loci.Principal, d event.Draft) loci.EventID {
	s.t.Helper()
	id, err := s.Event.Record(s.t.Context(), p, d)
	s.must(err)
	return id
}

// contents are the contents of the events that a search finds.
func (s *stage) contents(p loci.Principal, r event.SearchRequest) string {
	s.t.Helper()
	page, err := s.Event.Search(s.t.Context(), p, r)
	s.must(err)
	return contentsOf(page.Items)
}

func contentsOf(events []*loci.Event) string {
	var list []string
	for _, e := range events {
		list = append(list, e.Content)
	}
	return strings.Join(list, " ")
}

func TestEventsAreStoredAsSent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	reviewer := d.agent(d.claude, "reviewer", "")
	session := d.open(d.claude, agent.SessionDraft{Agent: "reviewer", Title: "a review"})
	first := d.log(d.claude, event.Draft{Session: "a review", Content: "begin"})
	at := d.now.Add(-time.Hour)
	id := d.log(d.claude, event.Draft{Time: at, Session: session.ID.Short(), Actor: "user", Class: loci.EventDecision,
		Type: "choice", Content: " We use\r\n<x> & 日曜日.\t", Metadata: []byte(`{"reasoning": "why not"}`),
		Tags: []string{"a", "a", "b"}, Importance: 9, ParentID: first, DedupKey: "k1"})
	got, err := d.Event.Get(ctx, d.tom, id)
	d.must(err)
	want := &loci.Event{ID: id, Time: at, RecordedAt: got.RecordedAt, SessionID: session.ID, AgentID: reviewer.ID,
		Actor: "user", Class: loci.EventDecision, Type: "choice", Content: " We use\r\n<x> & 日曜日.\t",
		Metadata: []byte(`{"reasoning": "why not"}`), Tags: []string{"a", "b"}, Importance: 9, ParentID: first,
		DedupKey: "k1", EventAccess: loci.EventAccess{OrgID: "acme", UserID: d.mara.UserID, Reach: loci.ReachOrg,
			Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	alone, err := d.Event.Get(ctx, d.mara, d.log(d.mara, event.Draft{Content: "x"}))
	d.must(err)
	if alone.Class != loci.EventEpisodic || alone.Type != "general" || alone.Importance != 5 ||
		alone.Reach != loci.ReachOrg || alone.Time != alone.RecordedAt || !alone.SessionID.IsZero() {
		t.Errorf("without anything: %+v", alone)
	}
}

func TestEventsAreChecked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	d.agent(d.cursor, "writer", "")
	d.open(d.mara, agent.SessionDraft{Title: "ours"})
	closed := d.open(d.mara, agent.SessionDraft{})
	d.must(second(d.Agent.CloseSession(ctx, d.mara, closed.ID.String())))
	hidden := d.log(d.ines, event.Draft{Content: "secret", Reach: loci.ReachPrivate})
	for _, tt := range []struct {
		name  string
		who   loci.Principal
		draft event.Draft
		code  loci.Code
		text  string
	}{
		{"without content", d.claude, event.Draft{}, loci.Invalid, "content "},
		{"with a long content", d.claude, event.Draft{Content: strings.Repeat("x", 100_001)}, loci.Invalid,
			"content is longer than 100000"},
		{"from the future", d.claude, event.Draft{Content: "x", Time: d.now.Add(time.Hour)}, loci.Invalid, "time is more"},
		{"of an absent session", d.claude, event.Draft{Content: "x", Session: loci.NewSessionID().String()}, loci.Invalid,
			"session_id names no session that you can see; create one first"},
		{"of a closed session", d.claude, event.Draft{Content: "x", Session: closed.ID.String()}, loci.Conflict,
			"the session is closed: it can be read, but not written in; reopen it"},
		{"of an absent agent", d.mara, event.Draft{Content: "x", Agent: "nobody"}, loci.Invalid, "agent_id names no agent"},
		{"of another vendor's agent", d.claude, event.Draft{Content: "x", Agent: "writer"}, loci.Invalid,
			"agent_id is an agent of another vendor, cursor"},
		{"with a hidden parent", d.claude, event.Draft{Content: "x", ParentID: hidden}, loci.Invalid,
			"parent_id names no event that you can see"},
		{"with an absent parent", d.claude, event.Draft{Content: "x", ParentID: loci.NewEventID(d.now)}, loci.Invalid,
			"parent_id names no event that you can see"},
		{"for a team of none", d.ines, event.Draft{Content: "x", Reach: loci.ReachTeam}, loci.Invalid, "you are in no team"},
		{"with another reach than its session", d.claude, event.Draft{Content: "x", Session: "ours",
			Reach: loci.ReachPrivate}, loci.Invalid, "reach is that of the session"},
		{"in no project of theirs", d.claude, event.Draft{Content: "x", ProjectID: loci.NewProjectID()}, loci.Invalid,
			"project_id must be a project that you belong to"},
		{"in an archived project", d.claude, event.Draft{Content: "x", ProjectID: d.archived}, loci.Conflict, "is archived"},
		{"of a key of projects, without one", d.limited, event.Draft{Content: "x"}, loci.Invalid, "project_id or session_id"},
	} {
		refused(t, tt.name, second(d.Event.Record(ctx, tt.who, tt.draft)), tt.code, tt.text)
	}
	batch := []event.Draft{{Content: "one"}, {Content: "two"}, {Content: "three"}, {}}
	_, err := d.Event.Append(ctx, d.claude, batch)
	refused(t, "a batch with a bad event", err, loci.Invalid, "events[3].content ")
	if loci.FieldOf(err) != "events[3].content" {
		t.Errorf("the field is %q", loci.FieldOf(err))
	}
	batch[3] = event.Draft{Content: "four", Session: closed.ID.String()}
	refused(t, "a batch with an event of a closed session", second(d.Event.Append(ctx, d.claude, batch)), loci.Conflict,
		"events[3]: the session is closed")
	refused(t, "an empty batch", second(d.Event.Append(ctx, d.claude, nil)), loci.Invalid, "events must be a list")
	refused(t, "a large batch", second(d.Event.Append(ctx, d.claude, make([]event.Draft, loci.MaxEvents+1))),
		loci.Invalid, "events must be a list of 1 to 10000")
	if got := d.contents(d.mara, event.SearchRequest{}); got != "" {
		t.Errorf("stored nevertheless: %s", got)
	}
}

func TestDuplicateEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	long := strings.Repeat("日", 200)
	id := d.log(d.claude, event.Draft{Content: long + "a"})
	_, err := d.Event.Record(ctx, d.claude, event.Draft{Content: long + "b"})
	twice := (*event.DuplicateError)(nil)
	if !errors.As(err, &twice) || twice.Of != id || loci.CodeOf(err) != loci.Conflict {
		t.Errorf("a duplicate: %v", err)
	}
	d.log(d.claude, event.Draft{Content: long + "b", DedupKey: "mine"})
	d.log(d.claude, event.Draft{Content: long + "b", Type: "other"})
	outcomes, err := d.Event.Append(ctx, d.claude, []event.Draft{{Content: long}, {Content: "new"}, {Content: "new"}})
	d.must(err)
	if !outcomes[0].Duplicate || outcomes[0].ID != id || outcomes[1].Duplicate || !outcomes[2].Duplicate ||
		outcomes[2].ID != outcomes[1].ID {
		t.Errorf("got %+v", outcomes)
	}
	// What the writer doesn't see is no duplicate.
	d.log(d.ines, event.Draft{Content: "mine", Reach: loci.ReachPrivate})
	d.log(d.claude, event.Draft{Content: "mine"})
	d.now = d.now.Add(25 * time.Hour)
	d.log(d.claude, event.Draft{Content: long + "c"})
}

// readersOf tells which of the readers of a desk see an event, and requires that all reads agree.
func (d *desk) readersOf(id loci.EventID, content string) string {
	d.t.Helper()
	ctx := d.t.Context()
	var list []string
	for _, r := range d.readers() {
		_, err := d.Event.Get(ctx, r.who, id)
		sees := err == nil
		if !sees && (loci.CodeOf(err) != loci.NotFound || err.Error() != "no such event") {
			d.t.Fatalf("%s gets %v", r.name, err)
		}
		found := d.contents(r.who, event.SearchRequest{Filter: event.Filter{Text: content}})
		stats, err := d.Event.Stats(ctx, r.who, event.Filter{Text: content})
		d.must(err)
		source, err := d.Event.Named(ctx, r.who, id)
		d.must(err)
		if sees != (found == content) || sees != (stats.Total == 1) || sees != (len(source) == 1) {
			d.t.Errorf("%s: gets %t, finds %q, counts %d, as a source %t", r.name, sees, found, stats.Total, len(source) == 1)
		}
		if sees {
			list = append(list, r.name)
		}
	}
	return strings.Join(list, " ")
}

type deskReader struct {
	name string
	who  loci.Principal
}

func (d *desk) readers() []deskReader {
	return []deskReader{{"mara", d.mara}, {"claude", d.claude}, {"cursor", d.cursor}, {"tom", d.tom}, {"ines", d.ines}}
}

func TestReachOfEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i, tt := range []struct {
		session agent.SessionDraft
		own     []loci.Vendor
		want    string
	}{
		{agent.SessionDraft{}, nil, "mara claude cursor tom ines"},
		{agent.SessionDraft{Reach: loci.ReachTeam}, nil, "mara claude cursor tom"},
		{agent.SessionDraft{Reach: loci.ReachPrivate}, nil, "mara claude cursor"},
		{agent.SessionDraft{AllowedVendors: []loci.Vendor{"claude"}}, nil, "mara claude tom ines"},
		{agent.SessionDraft{}, []loci.Vendor{"claude"}, "mara claude tom ines"},
		{agent.SessionDraft{AllowedVendors: []loci.Vendor{"cursor"}}, []loci.Vendor{"claude"}, "mara tom ines"},
	} {
		session := d.open(d.mara, tt.session)
		content := fmt.Sprintf("content%d", i)
		id := d.log(d.mara, event.Draft{Session: session.ID.String(), Content: content, AllowedVendors: tt.own})
		if got := d.readersOf(id, content); got != tt.want {
			t.Errorf("%+v, own vendors %v: %s see it, want %s", tt.session, tt.own, got, tt.want)
		}
	}
	id := d.log(d.claude, event.Draft{Content: "alone", Reach: loci.ReachTeam, AllowedVendors: []loci.Vendor{"claude"}})
	if got := d.readersOf(id, "alone"); got != "mara claude tom" {
		t.Errorf("without a session: %s see it", got)
	}
}

// Whoever sees a session sees its events, as it is now.
func TestEventsFollowTheirSession(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	session := d.open(d.mara, agent.SessionDraft{Reach: loci.ReachPrivate, AllowedVendors: []loci.Vendor{"claude"}})
	id := d.log(d.claude, event.Draft{Session: session.ID.String(), Content: "zebra"})
	for _, tt := range []struct {
		patch agent.SessionPatch
		want  string
	}{
		{agent.SessionPatch{}, "mara claude"},
		{agent.SessionPatch{Reach: new(loci.ReachOrg)}, "mara claude tom ines"},
		{agent.SessionPatch{AllowedVendors: []loci.Vendor{"*"}}, "mara claude cursor tom ines"},
		{agent.SessionPatch{Reach: new(loci.ReachTeam)}, "mara claude cursor tom"},
		{agent.SessionPatch{Reach: new(loci.ReachPrivate)}, "mara claude cursor"},
	} {
		d.must(second(d.Agent.UpdateSession(ctx, d.mara, session.ID.String(), tt.patch)))
		if got := d.readersOf(id, "zebra"); got != tt.want {
			t.Errorf("after %+v: %s see it, want %s", tt.patch, got, tt.want)
		}
	}
	shared := d.open(d.tom, agent.SessionDraft{Reach: loci.ReachTeam})
	id = d.log(d.tom, event.Draft{Session: shared.ID.String(), Content: "okapi"})
	d.must(d.Org.LeaveTeam(ctx, d.tom, d.team)) // changes the session in the store only
	if got := d.readersOf(id, "okapi"); got != "tom" {
		t.Errorf("after tom has left the team: %s see it", got)
	}
}

func TestClosedSessionsTakeNoEvents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	session := d.open(d.mara, agent.SessionDraft{}).ID.String()
	d.log(d.claude, event.Draft{Session: session, Content: "one"})
	d.must(second(d.Agent.CloseSession(ctx, d.mara, session)))
	refused(t, "closed", second(d.Event.Record(ctx, d.claude, event.Draft{Session: session, Content: "two"})),
		loci.Conflict, "is closed")
	d.must(second(d.Agent.ReopenSession(ctx, d.mara, session)))
	d.log(d.claude, event.Draft{Session: session, Content: "three"})
	if got := d.contents(d.tom, event.SearchRequest{Filter: event.Filter{Session: session}}); got != "three one" {
		t.Errorf("got %q", got)
	}
}

func TestEventsKeepTheirWritersActive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	d.agent(d.claude, "reviewer", "")
	d.agent(d.claude, "other", "")
	session := d.open(d.claude, agent.SessionDraft{Agent: "reviewer"})
	later := d.now.Add(2 * time.Minute)
	d.now = later
	d.log(d.claude, event.Draft{Session: session.ID.String(), Content: "one"})
	d.log(d.claude, event.Draft{Session: session.ID.String(), Content: "two", Agent: "other"})
	now, err := d.Agent.Session(ctx, d.mara, session.ID.String())
	d.must(err)
	for _, name := range []string{"reviewer", "other"} {
		a, err := d.Agent.Get(ctx, d.mara, name)
		d.must(err)
		if a.LastActiveAt.Before(later) {
			t.Errorf("%s was last active at %s, want after %s", name, a.LastActiveAt, later)
		}
	}
	if now.LastActiveAt.Before(later) {
		t.Errorf("the session was last active at %s, want after %s", now.LastActiveAt, later)
	}
}

// An event that another vendor logs in the session of an agent is not that agent's.
func TestOnlyItsVendorWorksAsAnAgent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	a := d.agent(d.claude, "reviewer", "")
	session := d.open(d.claude, agent.SessionDraft{Agent: "reviewer"}).ID.String()
	for _, tt := range []struct {
		who  loci.Principal
		want loci.AgentID
	}{{d.cursor, loci.AgentID{}}, {d.claude, a.ID}, {d.mara, a.ID}} {
		id := d.log(tt.who, event.Draft{Session: session, Content: "by " + tt.who.Origin})
		if e, err := d.Event.Get(t.Context(), d.mara, id); err != nil || e.AgentID != tt.want {
			t.Errorf("%s: done by %s (%v), want %s", tt.who.Origin, e.AgentID, err, tt.want)
		}
	}
}

// Everybody in the org sees an agent, so its last activity must not tell of work that some of them do not see.
func TestHiddenWorkKeepsNoAgentActive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	only := []loci.Vendor{"claude"}
	for i, tt := range []struct {
		name    string
		session *agent.SessionDraft
		draft   event.Draft
		active  bool
	}{
		{"shared work", &agent.SessionDraft{Reach: loci.ReachOrg}, event.Draft{}, true},
		{"a shared event", nil, event.Draft{Reach: loci.ReachOrg}, true},
		{"a private session", &agent.SessionDraft{Reach: loci.ReachPrivate}, event.Draft{}, false},
		{"a private event", nil, event.Draft{Reach: loci.ReachPrivate}, false},
		{"a session of one vendor", &agent.SessionDraft{Reach: loci.ReachOrg, AllowedVendors: only}, event.Draft{}, false},
		{"an event for one vendor", nil, event.Draft{Reach: loci.ReachOrg, AllowedVendors: only}, false},
	} {
		a := d.agent(d.claude, fmt.Sprint("agent ", i), "")
		tt.draft.Agent, tt.draft.Content = a.ID.String(), tt.name
		if tt.session != nil {
			tt.session.Agent = a.ID.String()
			s := d.open(d.claude, *tt.session)
			tt.draft.Session = s.ID.String()
			d.now = d.now.Add(2 * time.Minute)
			if !tt.active {
				d.must(second(d.who.InSession(t.Context(), d.claude, s.ID)))
			}
		}
		d.log(d.claude, tt.draft)
		got, err := d.Agent.Get(t.Context(), d.mara, a.ID.String())
		d.must(err)
		if got.LastActiveAt.IsZero() == tt.active {
			t.Errorf("%s: the agent was last active at %s", tt.name, got.LastActiveAt)
		}
	}
}

func TestEventsOfThoseWhoLeave(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	session := d.open(d.ines, agent.SessionDraft{Title: "ours"})
	d.log(d.ines, event.Draft{Session: "ours", Content: "hers"})
	d.log(d.tom, event.Draft{Session: "ours", Content: "his"})
	d.log(d.ines, event.Draft{Content: "hers, too"})
	d.must(d.Identity.DeleteAccount(ctx, d.ines, d.ines.UserID.String()))
	if got := d.contents(d.tom, event.SearchRequest{}); got != "his" {
		t.Errorf("of others: %q", got)
	}
	if got := d.contents(d.tom, event.SearchRequest{Filter: event.Filter{Session: session.ID.String()}}); got != "his" {
		t.Errorf("of the session that is gone: %q", got)
	}
	d.must(second(d.Org.Delete(ctx, d.operator, "acme")))
	left, err := d.events.Orgs(ctx)
	d.must(err)
	if slices.Contains(left, "acme") {
		t.Errorf("the org is gone, and its events are there: %v", left)
	}
}

// A memory names only events that its writer sees as its sources.
func TestEventsAsSources(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	open := d.log(d.ines, event.Draft{Content: "open"})
	hidden := d.log(d.ines, event.Draft{Content: "hidden", Reach: loci.ReachPrivate})
	save := func(id loci.EventID) error {
		return second(d.Memory.Create(ctx, d.claude, memory.Draft{Title: "x", Content: "x", Sources: []loci.Source{
			{Kind: loci.SourceEvent, Ref: id.String()}}}))
	}
	d.must(save(open))
	all := d.claude.Rights
	d.claude.Rights = []loci.Right{loci.RightRead, loci.RightWrite}
	refused(t, "without the right to events", save(open), loci.Invalid, "sources[0].ref names no event that you can see")
	d.claude.Rights = all
	for _, id := range []loci.EventID{hidden, loci.NewEventID(d.now)} {
		refused(t, "not visible", save(id), loci.Invalid, "sources[0].ref names no event that you can see")
	}
}
