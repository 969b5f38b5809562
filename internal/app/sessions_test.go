package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

func TestSessionsAreCreated(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	claudes, cursors := d.agent(d.claude, "reviewer", ""), d.agent(d.cursor, "writer", "")
	one := d.open(d.claude, agent.SessionDraft{Agent: "reviewer", ProjectID: d.project, Title: "a review",
		Metadata: []byte(`{"a":1}`)})
	if one.AgentID != claudes.ID || one.State != loci.SessionActive || one.ProjectID != d.project ||
		one.UserID != d.mara.UserID || one.Reach != loci.ReachOrg || one.Origin != "claude" ||
		!slices.Equal(one.AllowedVendors, []loci.Vendor{"*"}) || string(one.Metadata) != `{"a":1}` {
		t.Fatalf("got %+v", one)
	}
	team := d.open(d.mara, agent.SessionDraft{Agent: cursors.ID.Short(), Reach: loci.ReachTeam,
		AllowedVendors: []loci.Vendor{}})
	if team.AgentID != cursors.ID || team.TeamID != d.mara.TeamID || len(team.AllowedVendors) != 0 {
		t.Errorf("a session for the people of a team: %+v", team)
	}
	limited := d.open(d.limited, agent.SessionDraft{ProjectID: d.project})
	if got, err := d.Agent.Session(ctx, d.limited, limited.ID.String()); err != nil || got.ProjectID != d.project {
		t.Errorf("a session of a key of projects: %+v, %v", got, err)
	}
	const unknown = "agent_id is not an agent of the org that you can see; register it first"
	for _, tt := range []struct {
		name  string
		who   loci.Principal
		draft agent.SessionDraft
		code  loci.Code
		text  string
	}{
		{"of an absent id", d.claude, agent.SessionDraft{Agent: loci.NewAgentID().String()}, loci.Invalid, unknown},
		{"of an absent name, by a person", d.mara, agent.SessionDraft{Agent: "nobody"}, loci.Invalid, unknown},
		{"of another vendor's agent", d.claude, agent.SessionDraft{Agent: "writer"}, loci.Invalid,
			"agent_id is an agent of another vendor, cursor; choose another name"},
		{"of an agent in two lines", d.claude, agent.SessionDraft{Agent: "a\nb"}, loci.Invalid,
			"agent_id cannot be the name of a new agent: name must be one line"},
		{"for the world", d.claude, agent.SessionDraft{Reach: "world"}, loci.Invalid, "reach must be"},
		{"for a team of none", d.ines, agent.SessionDraft{Reach: loci.ReachTeam}, loci.Invalid, "you are in no team"},
		{"for no vendor", d.claude, agent.SessionDraft{AllowedVendors: []loci.Vendor{"Claude!"}}, loci.Invalid,
			"allowed_vendors[0] must be"},
		{"with a list", d.claude, agent.SessionDraft{Metadata: []byte(`[1]`)}, loci.Invalid,
			"metadata must be a JSON object"},
		{"in no project of theirs", d.claude, agent.SessionDraft{ProjectID: loci.NewProjectID()}, loci.Invalid,
			"project_id must be a project that you belong to"},
		{"in an archived project", d.claude, agent.SessionDraft{ProjectID: d.archived}, loci.Conflict, "is archived"},
		{"with a title that is too long", d.claude, agent.SessionDraft{Title: strings.Repeat("x", 501)}, loci.Invalid,
			"title is longer than 500"},
		{"of a key of projects, without one", d.limited, agent.SessionDraft{}, loci.Invalid, "project_id is required"},
		{"of a key of projects, with an agent", d.limited, agent.SessionDraft{ProjectID: d.project, Agent: "reviewer"},
			loci.Invalid, unknown},
	} {
		refused(t, tt.name, second(d.Agent.CreateSession(ctx, tt.who, tt.draft)), tt.code, tt.text)
	}
}

// An agent's credential registers the agent that it names first.
func TestSessionsRegisterAgents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	first := d.open(d.claude, agent.SessionDraft{Agent: "night shift"})
	again := d.open(d.claude, agent.SessionDraft{Agent: "night shift"})
	got, err := d.Agent.Get(ctx, d.tom, "night shift")
	d.must(err)
	if got.ID != first.AgentID || got.ID != again.AgentID || got.Vendor != "claude" || got.UserID != d.mara.UserID {
		t.Errorf("got %+v for sessions of %v and %v", got, first.AgentID, again.AgentID)
	}
	trail, err := d.Identity.AuditTrail(ctx, d.operator, store.AuditQuery{Action: string(agent.Create), Limit: 10})
	d.must(err)
	if len(trail) == 0 || trail[0].Target != got.ID.String() || trail[0].Vendor != "claude" {
		t.Errorf("the audit trail of registrations is %+v, want %v first", trail, got.ID)
	}
}

// whoSees tells which of the readers of a desk see a session, by any name.
func (d *desk) whoSees(s loci.Session) string {
	d.t.Helper()
	ctx := d.t.Context()
	var seen []string
	for _, r := range []struct {
		name string
		who  loci.Principal
	}{{"mara", d.mara}, {"claude", d.claude}, {"cursor", d.cursor}, {"tom", d.tom}, {"ines", d.ines},
		{"limited", d.limited}, {"owner", d.owner}} {
		never := second(d.Agent.Session(ctx, r.who, loci.NewSessionID().String()))
		got, err := d.Agent.Session(ctx, r.who, s.ID.String())
		list, listErr := d.Agent.Sessions(ctx, r.who, agent.SessionList{})
		d.must(listErr)
		listed := slices.ContainsFunc(list.Items, func(x loci.Session) bool { return x.ID == s.ID })
		_, inErr := d.who.InSession(ctx, r.who, s.ID)
		switch {
		case err == nil && got.ID == s.ID && listed && inErr == nil:
			seen = append(seen, r.name)
		case err == nil || err.Error() != never.Error() || listed || loci.CodeOf(inErr) != loci.Invalid:
			d.t.Errorf("%s: got %+v, %v; listed: %v; in it: %v", r.name, got, err, listed, inErr)
		}
	}
	return strings.Join(seen, " ")
}

func TestReachOfSessions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	claude, cursor := []loci.Vendor{"claude"}, []loci.Vendor{"cursor"}
	for _, tt := range []struct {
		name  string
		who   loci.Principal
		draft agent.SessionDraft
		want  string
	}{
		{"by default", d.claude, agent.SessionDraft{}, "mara claude cursor tom ines owner"},
		{"for one vendor", d.claude, agent.SessionDraft{AllowedVendors: claude}, "mara claude tom ines owner"},
		{"for another vendor", d.claude, agent.SessionDraft{AllowedVendors: cursor}, "mara cursor tom ines owner"},
		{"for people", d.claude, agent.SessionDraft{AllowedVendors: []loci.Vendor{}}, "mara tom ines owner"},
		{"of a team", d.claude, agent.SessionDraft{Reach: loci.ReachTeam}, "mara claude cursor tom"},
		{"private", d.claude, agent.SessionDraft{Reach: loci.ReachPrivate}, "mara claude cursor"},
		{"private, for one vendor", d.claude, agent.SessionDraft{Reach: loci.ReachPrivate, AllowedVendors: cursor},
			"mara cursor"},
		{"another person's", d.tom, agent.SessionDraft{}, "mara claude cursor tom ines owner"},
		{"another person's, private", d.tom, agent.SessionDraft{Reach: loci.ReachPrivate}, "tom"},
		{"about a project", d.claude, agent.SessionDraft{ProjectID: d.project}, "mara claude cursor tom ines limited"},
		{"about a project, private", d.claude, agent.SessionDraft{ProjectID: d.project, Reach: loci.ReachPrivate},
			"mara claude cursor limited"},
	} {
		if got := d.whoSees(d.open(tt.who, tt.draft)); got != tt.want {
			t.Errorf("%s: %q see it, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSessionsAreChangedByTheirPeople(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	d.agent(d.cursor, "writer", "")
	claudes := d.open(d.claude, agent.SessionDraft{Title: "one"})
	maras := d.open(d.mara, agent.SessionDraft{Agent: "writer", Title: "two"})
	ways := map[string]func(loci.Principal, string) error{
		"update": func(p loci.Principal, s string) error {
			return second(d.Agent.UpdateSession(ctx, p, s, agent.SessionPatch{Metadata: []byte(`{"by":"` + p.Origin + `"}`)}))
		},
		"close":  func(p loci.Principal, s string) error { return second(d.Agent.CloseSession(ctx, p, s)) },
		"reopen": func(p loci.Principal, s string) error { return second(d.Agent.ReopenSession(ctx, p, s)) },
	}
	for _, tt := range []struct {
		name string
		who  loci.Principal
		of   loci.Session
		code loci.Code
	}{
		{"the person", d.mara, claudes, ""}, {"the agent that created it", d.claude, claudes, ""},
		{"an agent of another vendor", d.cursor, claudes, loci.Forbidden}, {"another person", d.tom, claudes, loci.Forbidden},
		{"an admin of the org", d.owner, claudes, loci.Forbidden},
		{"the agent that works in it", d.cursor, maras, ""}, {"another agent", d.claude, maras, loci.Forbidden},
		{"who does not see it", d.limited, claudes, loci.NotFound},
	} {
		for _, way := range []string{"update", "close", "reopen"} {
			if err := ways[way](tt.who, tt.of.ID.String()); loci.CodeOf(err) != tt.code {
				t.Errorf("%s, %s: got %v, want %q", way, tt.name, err, tt.code)
			}
		}
	}
	got, err := d.Agent.UpdateSession(ctx, d.claude, "one", agent.SessionPatch{Title: new("1"),
		Metadata: []byte(`{"by":null,"steps":{"done":2}}`)})
	d.must(err)
	if got.Title != "1" || string(got.Metadata) != `{"steps":{"done":2}}` || !got.UpdatedAt.After(claudes.UpdatedAt) {
		t.Errorf("got %+v", got)
	}
	if none, err := d.Agent.UpdateSession(ctx, d.claude, "1", agent.SessionPatch{Metadata: []byte("null")}); err != nil ||
		none.Metadata != nil {
		t.Errorf("without metadata: %+v, %v", none, err)
	}
	got, err = d.Agent.UpdateSession(ctx, d.claude, "1", agent.SessionPatch{Metadata: got.Metadata})
	d.must(err)
	same, err := d.Agent.UpdateSession(ctx, d.mara, "1", agent.SessionPatch{Reach: new(loci.ReachOrg)})
	if diff := cmp.Diff(got, same); err != nil || diff != "" {
		t.Errorf("with the reach that it has: %v (-want +got):\n%s", err, diff)
	}
	long := []byte(`{"a":"` + strings.Repeat("x", loci.MaxSessionMetadata) + `"}`)
	for name, c := range map[string]agent.SessionPatch{"metadata must be": {Metadata: []byte(`[]`)},
		"metadata is longer": {Metadata: long}, "title is longer": {Title: new(strings.Repeat("x", 501))},
		"reach must be": {Reach: new(loci.Reach("x"))}, "allowed_vendors[0]": {AllowedVendors: []loci.Vendor{"!"}}} {
		refused(t, name, second(d.Agent.UpdateSession(ctx, d.mara, "1", c)), loci.Invalid, name)
	}
	half := []byte(`{"b":"` + strings.Repeat("x", loci.MaxSessionMetadata-20) + `"}`)
	refused(t, "too long together", second(d.Agent.UpdateSession(ctx, d.mara, "1", agent.SessionPatch{Metadata: half})),
		loci.Invalid, "metadata is longer")
}

func TestOnlyThePersonWidensASession(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	s := d.open(d.claude, agent.SessionDraft{Title: "work"})
	change := func(who loci.Principal, reach loci.Reach, vendors ...loci.Vendor) error {
		patch := agent.SessionPatch{AllowedVendors: vendors}
		if reach != "" {
			patch.Reach = &reach
		}
		return second(d.Agent.UpdateSession(ctx, who, s.ID.String(), patch))
	}
	const onlyAPerson = "only a person may let more readers see a session"
	d.must(change(d.claude, loci.ReachTeam, "claude", "cursor"))
	if got := d.whoSees(s); got != "mara claude cursor tom" {
		t.Errorf("narrowed to a team: %q see it", got)
	}
	d.must(change(d.claude, "", "claude"))
	refused(t, "the agent widens the vendors", change(d.claude, "", "claude", "cursor"), loci.Forbidden, onlyAPerson)
	refused(t, "the agent widens the reach", change(d.claude, loci.ReachOrg), loci.Forbidden, onlyAPerson)
	refused(t, "another person", change(d.tom, loci.ReachOrg), loci.Forbidden, "only the person who created the session")
	d.must(change(d.claude, loci.ReachPrivate))
	refused(t, "the agent shares it again", change(d.claude, loci.ReachTeam), loci.Forbidden, onlyAPerson)
	if got := d.whoSees(s); got != "mara claude" {
		t.Errorf("private, for claude: %q see it", got)
	}
	d.must(change(d.mara, loci.ReachOrg, "*"))
	if got := d.whoSees(s); got != "mara claude cursor tom ines owner" {
		t.Errorf("widened by the person: %q see it", got)
	}
	d.must(change(d.claude, "", "cursor"))
	if got := d.whoSees(s); got != "mara cursor tom ines owner" {
		t.Errorf("for cursor alone: %q see it", got)
	}
	operator, err := d.who.LocalAs(ctx, d.mara.OrgID, d.mara.UserID)
	d.must(err)
	d.must(change(operator, "", "*"))
}

// TestASessionStaysWithItsTeam requires that the reach that a session has already does not give it to the team that its
// person has left since the request began.
func TestASessionStaysWithItsTeam(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	d.must(d.Org.LeaveTeam(ctx, d.tom, d.team))
	okapis, err := d.Org.CreateTeam(ctx, d.again(d.tom), "Okapis")
	d.must(err)
	s := d.open(d.again(d.tom), agent.SessionDraft{Reach: loci.ReachTeam})
	got, err := d.Agent.UpdateSession(ctx, d.tom, s.ID.String(), agent.SessionPatch{Reach: new(loci.ReachTeam)})
	if err != nil || got.TeamID != okapis.ID {
		t.Errorf("got a session of the team %s, %v; want %s", got.TeamID, err, okapis.ID)
	}
}

func TestSessionsCloseAndReopen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	s := d.open(d.claude, agent.SessionDraft{Title: "work"})
	id := s.ID.String()
	entries := func(act gate.Action) int {
		trail, err := d.Identity.AuditTrail(ctx, d.operator, store.AuditQuery{Action: string(act), Limit: 50})
		d.must(err)
		return len(slices.DeleteFunc(trail, func(r store.AuditRow) bool { return r.Target != id }))
	}
	at := d.now
	closed, err := d.Agent.CloseSession(ctx, d.claude, id)
	d.must(err)
	if closed.State != loci.SessionClosed || !closed.ClosedAt.After(at) {
		t.Errorf("got %+v", closed)
	}
	again, err := d.Agent.CloseSession(ctx, d.mara, id)
	d.must(err)
	if diff := cmp.Diff(closed, again); diff != "" || entries(agent.SessionClose) != 1 {
		t.Errorf("closed again: %d entries (-want +got):\n%s", entries(agent.SessionClose), diff)
	}
	inside, err := d.who.InSession(ctx, d.claude, s.ID)
	d.must(err)
	_, err = d.Memory.List(ctx, inside, memory.ListRequest{})
	d.must(err)
	refused(
		t,
		"a save in the closed session",
		second(d.Memory.Create(ctx, inside, memory.Draft{Title: "x", Content: "x"})),
		loci.Conflict,
		"the session is closed",
	)
	named, err := d.Agent.Session(ctx, d.mara, "work")
	d.must(err)
	if named.ID != s.ID {
		t.Errorf("the closed session by its title: got %s, want %s", named.ID, s.ID)
	}
	refused(t, "an event in it", second(d.Event.Record(ctx, d.claude, event.Draft{Session: "work", Content: "x"})),
		loci.Conflict, "the session is closed")
	at = d.now
	opened, err := d.Agent.ReopenSession(ctx, d.claude, id)
	d.must(err)
	if opened.State != loci.SessionActive || !opened.ClosedAt.IsZero() || !opened.ReopenedAt.After(at) ||
		!opened.LastActiveAt.After(at) {
		t.Errorf("reopened: %+v", opened)
	}
	same, err := d.Agent.ReopenSession(ctx, d.mara, "work")
	d.must(err)
	if diff := cmp.Diff(opened, same); diff != "" || entries(agent.SessionReopen) != 1 {
		t.Errorf("reopened again: %d entries (-want +got):\n%s", entries(agent.SessionReopen), diff)
	}
	if _, err := d.who.InSession(ctx, d.claude, s.ID); err != nil {
		t.Errorf("in the reopened session: %v", err)
	}
	page, err := d.Agent.Sessions(ctx, d.mara, agent.SessionList{State: loci.SessionClosed})
	d.must(err)
	if len(page.Items) != 1 || page.Items[0].ID != d.closed {
		t.Errorf("closed sessions: got %+v", page.Items)
	}
}

// Names mean what the caller sees, and nothing else.
func TestNamesOfSessions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	mine := d.open(d.mara, agent.SessionDraft{Title: "plan"})
	toms := d.open(d.tom, agent.SessionDraft{Title: "plan", Reach: loci.ReachPrivate})
	for _, tt := range []struct {
		who  loci.Principal
		text string
		want loci.SessionID
		code loci.Code
	}{
		{d.mara, "plan", mine.ID, ""}, {d.claude, "plan", mine.ID, ""}, {d.tom, "plan", loci.SessionID{}, loci.Invalid},
		{d.tom, toms.ID.Short(), toms.ID, ""}, {d.mara, toms.ID.Short(), loci.SessionID{}, loci.NotFound},
		{d.mara, mine.ID.String()[:4], mine.ID, ""}, {d.claude, mine.ID.String()[:4], loci.SessionID{}, loci.NotFound},
		{d.mara, "", loci.SessionID{}, loci.NotFound}, {d.mara, "Plan", loci.SessionID{}, loci.NotFound},
		{d.mara, "zebra", d.work, ""}, {d.mara, strings.Repeat("x", 10_000), loci.SessionID{}, loci.NotFound},
	} {
		got, err := d.Agent.Session(ctx, tt.who, tt.text)
		if got.ID != tt.want || loci.CodeOf(err) != tt.code {
			t.Errorf("%q: got %v, %v; want %v, %q", tt.text, got.ID, err, tt.want, tt.code)
		}
		in, err := d.who.InNamedSession(ctx, tt.who, tt.text)
		if in.SessionID != tt.want || tt.text != "" && (err == nil) != (tt.code == "") {
			t.Errorf("in %q: got %v, %v; want %v", tt.text, in.SessionID, err, tt.want)
		}
	}
	_, err := d.Agent.Session(ctx, d.tom, "plan")
	for _, id := range []loci.SessionID{mine.ID, toms.ID} {
		if !strings.Contains(loci.SafeText(err), id.String()) {
			t.Errorf("%v does not name %v", err, id)
		}
	}
}

func TestSessionsAreListedInPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	d.agent(d.claude, "reviewer", "")
	for i := range 5 {
		d.open(d.claude, agent.SessionDraft{Agent: "reviewer", Title: fmt.Sprintf("s%d", i), Reach: loci.ReachPrivate})
		d.open(d.claude, agent.SessionDraft{Title: "of none", ProjectID: d.project})
	}
	for name, r := range map[string]agent.SessionList{"agent": {Agent: "reviewer"}, "reach": {Reach: loci.ReachPrivate}} {
		var got []string
		r.Limit = 2
		for range 3 {
			page, err := d.Agent.Sessions(ctx, d.claude, r)
			d.must(err)
			for _, s := range page.Items {
				got = append(got, s.Title)
			}
			r.Cursor = page.NextCursor
		}
		if strings.Join(got, " ") != "s4 s3 s2 s1 s0" || r.Cursor != "" {
			t.Errorf("%s: got %q, then cursor %q", name, got, r.Cursor)
		}
	}
	of, err := d.Agent.Sessions(ctx, d.tom, agent.SessionList{ProjectID: d.project})
	d.must(err)
	if len(of.Items) != 5 {
		t.Errorf("%d sessions about the project, want 5", len(of.Items))
	}
	page, err := d.Agent.Sessions(ctx, d.claude, agent.SessionList{Limit: 2})
	d.must(err)
	for name, r := range map[string]agent.SessionList{"another query": {Agent: "reviewer", Cursor: page.NextCursor},
		"no state": {State: "gone"}, "no reach": {Reach: "world"}, "no agent": {Agent: "nobody"}} {
		if _, err := d.Agent.Sessions(ctx, d.claude, r); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
	none, err := d.Agent.Sessions(ctx, d.claude, agent.SessionList{Agent: loci.NewAgentID().String()})
	d.must(err)
	if len(none.Items) != 0 || none.NextCursor != "" {
		t.Errorf("of an absent agent: got %+v", none)
	}
}

// The sessions of somebody who leaves their team or the org are shared with the team no more; agents stay.
func TestSessionsOfThoseWhoLeave(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	s := d.open(d.tom, agent.SessionDraft{Title: "of the team", Reach: loci.ReachTeam})
	org := d.open(d.tom, agent.SessionDraft{Title: "of the org"})
	d.agent(d.tom, "critic", "claude")
	if got := d.whoSees(s); got != "mara claude cursor tom" {
		t.Fatalf("before: %q see it", got)
	}
	d.must(d.Org.LeaveTeam(ctx, d.tom, d.team))
	d.tom.TeamID = loci.TeamID{}
	if got := d.whoSees(s); got != "tom" {
		t.Errorf("after tom left the team: %q see it", got)
	}
	d.must(d.Identity.DeleteAccount(ctx, d.tom, "tomsmail@acme.example"))
	wantCode(t, second(d.Agent.Session(ctx, d.mara, org.ID.String())), loci.NotFound)
	critic, err := d.Agent.Get(ctx, d.mara, "critic")
	if err != nil || !critic.UserID.IsZero() {
		t.Errorf("the agent of somebody who left: %+v, %v", critic, err)
	}
	wantCode(t, second(d.Agent.Update(ctx, d.mara, "critic", agent.Patch{Name: new("x")})), loci.Forbidden)
	if _, err := d.Agent.Update(ctx, d.owner, "critic", agent.Patch{Name: new("judge")}); err != nil {
		t.Errorf("an admin of the org: %v", err)
	}
}
