package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

// desk is a company with the credentials that agents and their sessions are about.
type desk struct {
	*company
	claude, cursor, limited loci.Principal // mara's agents; a key of hers that is limited to a project
	sessions                map[string]loci.SessionID
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{company: newCompany(t)}
	key := func(r auth.KeyRequest) loci.Principal {
		r.Name = "k"
		_, secret, err := d.Identity.CreateKey(t.Context(), d.mara, r)
		d.must(err)
		return d.with(secret)
	}
	d.claude, d.cursor = key(auth.KeyRequest{Vendor: "claude"}), key(auth.KeyRequest{Vendor: "cursor"})
	d.limited = key(auth.KeyRequest{Vendor: "claude", ProjectIDs: []loci.ProjectID{d.project}})
	return d
}

func (d *desk) agent(p loci.Principal, name string, vendor loci.Vendor) loci.Agent {
	d.t.Helper()
	a, err := d.Agent.Create(d.t.Context(), p, agent.Draft{Name: name, Vendor: vendor})
	d.must(err)
	return a
}

func (d *desk) open(p loci.Principal, draft agent.SessionDraft) loci.Session {
	d.t.Helper()
	s, err := d.Agent.CreateSession(d.t.Context(), p, draft)
	d.must(err)
	return s
}

// refused fails the test unless err has the code and the text.
func refused(t *testing.T, name string, err error, code loci.Code, text string) {
	t.Helper()
	if loci.CodeOf(err) != code || !strings.Contains(loci.SafeText(err), text) {
		t.Errorf("%s: got %v, want %s: %s", name, err, code, text)
	}
}

func TestAgentsBelongToTheOrg(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	mine := d.agent(d.claude, "reviewer", "")
	if mine.Vendor != "claude" || mine.UserID != d.mara.UserID {
		t.Fatalf("got %+v", mine)
	}
	d.agent(d.mara, "writer", "cursor")
	const taken = "the org has an agent of that name; choose another name"
	for _, tt := range []struct {
		name  string
		who   loci.Principal
		draft agent.Draft
		code  loci.Code
		text  string
	}{
		{"the same again", d.claude, agent.Draft{Name: "reviewer"}, loci.Conflict, taken},
		{"the same of another vendor", d.cursor, agent.Draft{Name: "reviewer"}, loci.Conflict, taken},
		{"the same by another person", d.tom, agent.Draft{Name: "reviewer", Vendor: "claude"}, loci.Conflict, taken},
		{"of another vendor", d.claude, agent.Draft{Name: "x", Vendor: "cursor"}, loci.Forbidden, "for its own vendor only"},
		{"named by a word for no value", d.mara, agent.Draft{Name: "None"}, loci.Invalid, "name cannot be"},
		{"of a person's origin", d.mara, agent.Draft{Name: "x", Vendor: "api"}, loci.Invalid,
			"vendor cannot be used: the name api is reserved"},
		{"of every vendor", d.mara, agent.Draft{Name: "x", Vendor: "*"}, loci.Invalid, "vendor"},
		{"without a name", d.claude, agent.Draft{}, loci.Invalid, "name"},
		{"in two lines", d.claude, agent.Draft{Name: "a\nb"}, loci.Invalid, "name must be one line"},
		{"with a list", d.claude, agent.Draft{Name: "x", Config: []byte(`[1]`)}, loci.Invalid,
			"config must be a JSON object"},
		{"by a key of projects", d.limited, agent.Draft{Name: "x"}, loci.Forbidden, "limited to projects"},
	} {
		refused(t, tt.name, second(d.Agent.Create(ctx, tt.who, tt.draft)), tt.code, tt.text)
	}
	own := d.agent(d.claude, "own vendor", "claude")
	d.must(d.Agent.Delete(ctx, d.mara, own.ID.String()))
	for _, tt := range []struct {
		name string
		who  loci.Principal
		want string
	}{
		{"the person", d.mara, "a robot reviewer writer"}, {"claude", d.claude, "a robot reviewer writer"},
		{"cursor", d.cursor, "a robot reviewer writer"}, {"another person", d.tom, "a robot reviewer writer"},
		{"an owner of the org", d.owner, "a robot reviewer writer"}, {"a key of projects", d.limited, ""},
	} {
		page, err := d.Agent.List(ctx, tt.who, agent.ListRequest{})
		d.must(err)
		var got []string
		for _, a := range page.Items {
			got = append(got, a.Name)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s sees agents %q, want %q", tt.name, got, tt.want)
		}
		never := second(d.Agent.Get(ctx, tt.who, loci.NewAgentID().String()))
		for _, text := range []string{"", "Reviewer", "a\x00", strings.Repeat("é", 1000)} {
			if _, err := d.Agent.Get(ctx, tt.who, text); err == nil || err.Error() != never.Error() {
				t.Errorf("%s gets an agent as %.20q: %v", tt.name, text, err)
			}
		}
		for _, text := range []string{"reviewer", mine.ID.String(), mine.ID.Short()} {
			got, err := d.Agent.Get(ctx, tt.who, text)
			sees := tt.want != ""
			if sees != (err == nil) || !sees && err.Error() != never.Error() || sees && got.ID != mine.ID {
				t.Errorf("%s gets the agent as %q: %+v, %v", tt.name, text, got, err)
			}
		}
	}
}

func TestAgentsAreChangedByTheirPeople(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	toms, err := d.Agent.Create(ctx, d.tom, agent.Draft{Name: "critic", Vendor: "claude", Config: []byte(`{"a":1}`)})
	d.must(err)
	mine := d.agent(d.claude, "reviewer", "")
	_, secret, err := d.Identity.CreateKey(ctx, d.owner, auth.KeyRequest{Name: "k", Vendor: "claude"})
	d.must(err)
	for _, tt := range []struct {
		name string
		who  loci.Principal
		of   string
		code loci.Code
	}{
		{"the person", d.mara, "reviewer", ""}, {"an agent of its vendor", d.claude, "reviewer", ""},
		{"an admin of the org", d.owner, "reviewer", ""}, {"an admin of the org, another's", d.owner, "critic", ""},
		{"an agent of another vendor", d.cursor, "reviewer", loci.Forbidden},
		{"another person", d.tom, "reviewer", loci.Forbidden}, {"another's agent", d.claude, "critic", loci.Forbidden},
		{"a key of projects", d.limited, "reviewer", loci.NotFound}, {"nobody's", d.mara, "nobody", loci.NotFound},
		{"an agent of an admin", d.with(secret), "reviewer", loci.Forbidden},
	} {
		got, err := d.Agent.Update(ctx, tt.who, tt.of, agent.Patch{Description: new("by " + tt.name)})
		if loci.CodeOf(err) != tt.code || err == nil && got.Description != "by "+tt.name {
			t.Errorf("%s: got %+v, %v; want %q", tt.name, got, err, tt.code)
		}
	}
	got, err := d.Agent.Update(ctx, d.tom, "critic", agent.Patch{Name: new("judge"), Config: []byte(`{"b":2}`)})
	d.must(err)
	if got.ID != toms.ID || got.Name != "judge" || string(got.Config) != `{"b":2}` || got.Description == "" {
		t.Errorf("got %+v", got)
	}
	if none, err := d.Agent.Update(ctx, d.tom, "judge", agent.Patch{Config: []byte("null")}); err != nil ||
		none.Config != nil || none.Name != "judge" {
		t.Errorf("without config: %+v, %v", none, err)
	}
	refused(t, "a name that is taken", second(d.Agent.Update(ctx, d.tom, "judge", agent.Patch{Name: new("reviewer")})),
		loci.Conflict, "choose another name")
	refused(t, "no name", second(d.Agent.Update(ctx, d.tom, "judge", agent.Patch{Name: new("")})), loci.Invalid, "name")
	d.open(d.claude, agent.SessionDraft{Agent: "reviewer"})
	for name, who := range map[string]loci.Principal{"another person": d.tom, "an agent": d.claude} {
		wantCode(t, d.Agent.Delete(ctx, who, "reviewer"), loci.Forbidden)
		if _, err := d.Agent.Get(ctx, d.mara, "reviewer"); err != nil {
			t.Fatalf("%s deleted the agent", name)
		}
	}
	d.must(d.Agent.Delete(ctx, d.mara, "reviewer"))
	d.must(d.Agent.Delete(ctx, d.owner, "judge"))
	wantCode(t, second(d.Agent.Get(ctx, d.mara, "reviewer")), loci.NotFound)
	page, err := d.Agent.Sessions(ctx, d.mara, agent.SessionList{Agent: mine.ID.String()})
	d.must(err)
	if len(page.Items) != 1 {
		t.Errorf("sessions of the deleted agent: %+v", page.Items)
	}
	in, err := d.who.InSession(ctx, d.claude, page.Items[0].ID)
	if err != nil || !in.AgentID.IsZero() {
		t.Errorf("in a session of the deleted agent: %+v, %v", in, err)
	}
}

func TestAgentsAreListedInPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	for i := range 4 {
		d.agent(d.claude, fmt.Sprintf("a%d", i), "")
	}
	var got []string
	r := agent.ListRequest{Limit: 2}
	for range 3 {
		page, err := d.Agent.List(ctx, d.claude, r)
		d.must(err)
		for _, a := range page.Items {
			got = append(got, a.Name)
		}
		r.Cursor = page.NextCursor
	}
	if strings.Join(got, " ") != "a robot a0 a1 a2 a3" || r.Cursor != "" {
		t.Errorf("got %q, then cursor %q", got, r.Cursor)
	}
	page, err := d.Agent.List(ctx, d.claude, agent.ListRequest{Limit: 2})
	d.must(err)
	for name, bad := range map[string]func() error{
		"another's": func() error { return second(d.Agent.List(ctx, d.mara, agent.ListRequest{Cursor: page.NextCursor})) },
		"damaged": func() error {
			return second(d.Agent.List(ctx, d.claude, agent.ListRequest{Cursor: "x" + page.NextCursor}))
		},
		"of sessions": func() error {
			return second(d.Agent.Sessions(ctx, d.claude, agent.SessionList{Cursor: page.NextCursor}))
		},
		"a page of 501": func() error { return second(d.Agent.List(ctx, d.claude, agent.ListRequest{Limit: 501})) },
	} {
		if err := bad(); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Statistics count what the reader sees.
func TestAgentStats(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	a := d.agent(d.claude, "reviewer", "")
	d.open(d.claude, agent.SessionDraft{Agent: "reviewer"})
	d.open(d.claude, agent.SessionDraft{Agent: "reviewer", Reach: loci.ReachPrivate})
	done := d.open(d.mara, agent.SessionDraft{Agent: "reviewer"})
	_, err := d.Agent.CloseSession(ctx, d.mara, done.ID.String())
	d.must(err)
	d.log(d.claude, event.Draft{Agent: "reviewer", Content: "for all"})
	d.log(d.claude, event.Draft{Agent: "reviewer", Content: "for Mara", Reach: loci.ReachPrivate})
	d.log(d.claude, event.Draft{Content: "of nobody"})
	blind := d.tom
	blind.Rights = []loci.Right{loci.RightRead}
	for name, tt := range map[string]struct {
		who         loci.Principal
		all, active int
		events      *int
	}{"mara": {d.mara, 3, 2, new(2)}, "tom": {d.tom, 2, 1, new(1)}, "no right to read events": {blind, 2, 1, nil}} {
		got, err := d.Agent.Stats(ctx, tt.who, "reviewer")
		want := loci.AgentStats{AgentID: a.ID, Sessions: tt.all, Active: tt.active, Events: tt.events,
			LastActiveAt: got.LastActiveAt}
		if diff := cmp.Diff(want, got); diff != "" || err != nil || got.LastActiveAt.IsZero() {
			t.Errorf("%s: %+v, %v (-want +got):\n%s", name, got, err, diff)
		}
	}
	wantCode(t, second(d.Agent.Stats(ctx, d.limited, "reviewer")), loci.NotFound)
}

// A request in a session keeps the session and its agent active, at most once a minute.
func TestUseKeepsSessionsActive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	a := d.agent(d.claude, "reviewer", "")
	s := d.open(d.claude, agent.SessionDraft{Agent: "reviewer"})
	made := s.CreatedAt
	for _, tt := range []struct {
		after          time.Duration
		who            loci.Principal
		session, agent time.Duration
	}{
		{30 * time.Second, d.claude, 0, 0}, {2 * time.Minute, d.claude, 2 * time.Minute, 2 * time.Minute},
		{2*time.Minute + 59*time.Second, d.claude, 2 * time.Minute, 2 * time.Minute},
		{10 * time.Minute, d.cursor, 10 * time.Minute, 2 * time.Minute}, // does not work as the agent
		{10 * time.Minute, d.claude, 10 * time.Minute, 10 * time.Minute},
	} {
		d.now = made.Add(tt.after)
		_, err := d.who.InSession(ctx, tt.who, s.ID)
		d.must(err)
		gotSession, err := d.Agent.Session(ctx, d.mara, s.ID.String())
		d.must(err)
		gotAgent, err := d.Agent.Get(ctx, d.mara, a.ID.String())
		d.must(err)
		session := gotSession.LastActiveAt.Sub(made).Round(time.Second)
		robot := gotAgent.LastActiveAt.Sub(made).Round(time.Second)
		if session != tt.session || robot != tt.agent {
			t.Errorf("after %v: the session was active after %v, the agent after %v; want %v and %v", tt.after, session, robot,
				tt.session, tt.agent)
		}
	}
}

// A person sees, lists, edits and trashes what is theirs, also what is for one of their agents; another agent, and
// another person, does not.
func TestOwnersReachWhatIsForTheirAgents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	robot := d.agent(d.claude, "reviewer", "")
	session := d.open(d.claude, agent.SessionDraft{Agent: "reviewer"})
	working, err := d.who.InSession(ctx, d.claude, session.ID)
	d.must(err)
	saved, err := d.Memory.Create(ctx, working,
		memory.Draft{Title: "notes", Content: "the harbour opens at six", Scope: loci.ScopeAgent,
			Sources: []loci.Source{{Kind: loci.SourceText, Text: "a letter"}}})
	d.must(err)
	nd, err := d.Node.Create(ctx, working, node.Draft{Name: "outline", Scope: loci.ScopeAgent, AgentID: robot.ID})
	d.must(err)
	sees := func(who loci.Principal) string {
		t.Helper()
		var seen []string
		add := func(what string, sees bool, err error) {
			t.Helper()
			if err != nil && loci.CodeOf(err) != loci.NotFound {
				t.Fatal(err)
			}
			if err == nil && sees {
				seen = append(seen, what)
			}
		}
		_, err := d.Memory.Get(ctx, who, saved.ID)
		add("memory", true, err)
		page, err := d.Memory.List(ctx, who, memory.ListRequest{Filter: memory.Filter{Scope: loci.ScopeAgent}, Total: true})
		add("list", len(page.Items) == 1 && page.Total == 1, err)
		found, err := d.Memory.Search(ctx, who, memory.SearchRequest{Query: "harbour"})
		add("search", found.Total == 1, err)
		sources, err := d.Memory.Sources(ctx, who, saved.ID)
		add("sources", len(sources) == 1, err)
		_, err = d.Memory.Assets(ctx, who, saved.ID)
		add("assets", true, err)
		nodes, err := d.Node.List(ctx, who, node.ListRequest{})
		add("nodes", slices.ContainsFunc(nodes.Items, func(n *loci.MemoryNode) bool { return n.ID == nd.ID }), err)
		return strings.Join(seen, " ")
	}
	const all = "memory list search sources assets nodes"
	for _, tt := range []struct {
		name string
		who  loci.Principal
		want string
	}{{"its owner", d.mara, all}, {"its agent", working, all}, {"an agent without a session", d.claude, ""},
		{"another agent", d.cursor, ""}, {"another person", d.tom, ""}} {
		if got := sees(tt.who); got != tt.want {
			t.Errorf("%s sees %q, want %q", tt.name, got, tt.want)
		}
	}
	changed, err := d.Memory.Patch(ctx, d.mara, saved.ID, 0, memory.Patch{Content: loci.Set("the harbour opens at seven")})
	d.must(err)
	if changed.Scope != loci.ScopeAgent || changed.AgentID != robot.ID {
		t.Errorf("the change moved it: %+v", changed.Access)
	}
	if _, err := d.Memory.Trash(ctx, d.mara, saved.ID, 0); err != nil {
		t.Error(err)
	}
}
