package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

// desk is a company with the credentials that agents and their sessions are about.
type desk struct {
	*company
	claude, cursor, limited loci.Principal // mara's agents; a key of hers that is limited to a project
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
	s, err := d.Agent.OpenSession(d.t.Context(), p, draft)
	d.must(err)
	return s
}

func TestAgentsAreOfTheirPersonAndVendor(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	mine := d.agent(d.claude, "reviewer", "")
	if mine.Vendor != "claude" || mine.UserID != d.mara.UserID {
		t.Fatalf("got %+v", mine)
	}
	d.agent(d.mara, "reviewer", "cursor")
	d.agent(d.tom, "reviewer", "claude")
	for _, tt := range []struct {
		name  string
		who   loci.Principal
		draft agent.Draft
		code  loci.Code
		text  string
	}{
		{"the same again", d.claude, agent.Draft{Name: "reviewer"}, loci.Conflict,
			"an agent of that vendor and name exists already; choose another name"},
		{"the same by the person", d.mara, agent.Draft{Name: "reviewer", Vendor: "claude"}, loci.Conflict,
			"an agent of that vendor and name exists already; choose another name"},
		{"of another vendor", d.claude, agent.Draft{Name: "x", Vendor: "cursor"}, loci.Forbidden, "for its own vendor only"},
		{"of no vendor", d.mara, agent.Draft{Name: "x"}, loci.Invalid, "vendor is required"},
		{"of a person's origin", d.mara, agent.Draft{Name: "x", Vendor: "api"}, loci.Invalid,
			"vendor cannot be used: the name api is reserved"},
		{"of every vendor", d.mara, agent.Draft{Name: "x", Vendor: "*"}, loci.Invalid, "vendor"},
		{"without a name", d.claude, agent.Draft{}, loci.Invalid, "name"},
		{"in two lines", d.claude, agent.Draft{Name: "a\nb"}, loci.Invalid, "name must be one line"},
		{"with a list", d.claude, agent.Draft{Name: "x", Config: []byte(`[1]`)}, loci.Invalid,
			"config must be a JSON object"},
		{"by a key of projects", d.limited, agent.Draft{Name: "x"}, loci.Forbidden, "limited to projects"},
	} {
		if _, err := d.Agent.Create(ctx, tt.who, tt.draft); loci.CodeOf(err) != tt.code ||
			!strings.Contains(loci.SafeText(err), tt.text) {
			t.Errorf("%s: got %v, want %s: %s", tt.name, err, tt.code, tt.text)
		}
	}
	for _, tt := range []struct {
		name string
		who  loci.Principal
		want string
	}{
		{"the person", d.mara, "claude cursor"}, {"claude", d.claude, "claude"}, {"cursor", d.cursor, "cursor"},
		{"a key of projects", d.limited, ""}, {"an owner of the org", d.owner, ""},
	} {
		page, err := d.Agent.List(ctx, tt.who, agent.ListRequest{})
		d.must(err)
		var got []string
		for _, a := range page.Items {
			got = append(got, string(a.Vendor))
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s sees agents of %q, want %q", tt.name, got, tt.want)
		}
		_, err = d.Agent.Get(ctx, tt.who, mine.ID)
		if sees := strings.Contains(tt.want, "claude"); sees != (err == nil) ||
			!sees && err.Error() != second(d.Agent.Get(ctx, tt.who, loci.NewAgentID())).Error() {
			t.Errorf("%s gets the agent of claude: %v", tt.name, err)
		}
	}
}

func TestAgentsAreListedInPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	for i := range 5 {
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
	if strings.Join(got, " ") != "a0 a1 a2 a3 a4" || r.Cursor != "" {
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

func TestSessionsOfAgents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	claudes, cursors, toms := d.agent(d.claude, "reviewer", ""), d.agent(d.cursor, "writer", ""),
		d.agent(d.tom, "reviewer", "claude")
	one := d.open(d.claude, agent.SessionDraft{AgentID: claudes.ID, ProjectID: d.project, Title: "a review"})
	if one.Vendor != "claude" || one.State != loci.SessionActive || one.AgentID != claudes.ID ||
		one.ProjectID != d.project || one.UserID != d.mara.UserID {
		t.Fatalf("got %+v", one)
	}
	if s := d.open(d.mara, agent.SessionDraft{AgentID: cursors.ID}); s.Vendor != "cursor" {
		t.Errorf("a session of cursor's agent is of %q", s.Vendor)
	}
	if s := d.open(d.mara, agent.SessionDraft{}); s.Vendor != "" {
		t.Errorf("a person's session is of %q", s.Vendor)
	}
	for _, tt := range []struct {
		name  string
		who   loci.Principal
		draft agent.SessionDraft
		code  loci.Code
		text  string
	}{
		{"of an absent agent", d.claude, agent.SessionDraft{AgentID: loci.NewAgentID()}, loci.Invalid,
			"agent_id must be one of your agents"},
		{"of another vendor's agent", d.claude, agent.SessionDraft{AgentID: cursors.ID}, loci.Invalid,
			"agent_id must be one of your agents"},
		{"of another person's agent", d.mara, agent.SessionDraft{AgentID: toms.ID}, loci.Invalid,
			"agent_id must be one of your agents"},
		{"of another vendor", d.claude, agent.SessionDraft{Vendor: "cursor"}, loci.Forbidden, "for its own vendor only"},
		{"of a vendor that the agent is not of", d.mara, agent.SessionDraft{AgentID: cursors.ID, Vendor: "claude"},
			loci.Invalid, "vendor must be the agent's vendor"},
		{"in no project of theirs", d.claude, agent.SessionDraft{ProjectID: loci.NewProjectID()}, loci.Invalid,
			"project_id must be a project that you belong to"},
		{"in an archived project", d.claude, agent.SessionDraft{ProjectID: d.archived}, loci.Conflict, "is archived"},
		{"with a title that is too long", d.claude, agent.SessionDraft{Title: strings.Repeat("x", 501)}, loci.Invalid,
			"title is longer than 500"},
		{"by a key of projects", d.limited, agent.SessionDraft{ProjectID: d.project}, loci.Forbidden, "limited to projects"},
	} {
		if _, err := d.Agent.OpenSession(ctx, tt.who, tt.draft); loci.CodeOf(err) != tt.code ||
			!strings.Contains(loci.SafeText(err), tt.text) {
			t.Errorf("%s: got %v, want %s: %s", tt.name, err, tt.code, tt.text)
		}
	}
	for _, tt := range []struct {
		name string
		who  loci.Principal
		n    int
		sees bool
	}{{"the person", d.mara, 4, true}, {"claude", d.claude, 1, true}, {"cursor", d.cursor, 1, false},
		{"tom", d.tom, 0, false}, {"a key of projects", d.limited, 0, false}} {
		page, err := d.Agent.Sessions(ctx, tt.who, agent.SessionList{})
		d.must(err)
		if len(page.Items) != tt.n {
			t.Errorf("%s sees %d sessions, want %d", tt.name, len(page.Items), tt.n)
		}
		hidden := second(d.Agent.Session(ctx, tt.who, loci.NewSessionID()))
		if err := second(d.Agent.Session(ctx, tt.who, one.ID)); tt.sees != (err == nil) ||
			!tt.sees && err.Error() != hidden.Error() {
			t.Errorf("%s gets the session of claude: %v", tt.name, err)
		}
		if tt.sees {
			continue
		}
		if err := second(d.Agent.CloseSession(ctx, tt.who, one.ID)); loci.CodeOf(err) != loci.NotFound ||
			err.Error() != hidden.Error() {
			t.Errorf("%s closes the session of claude: %v", tt.name, err)
		}
	}
	closed, err := d.Agent.CloseSession(ctx, d.claude, one.ID)
	d.must(err)
	if closed.State != loci.SessionClosed || closed.ClosedAt.IsZero() {
		t.Errorf("got %+v", closed)
	}
	wantCode(t, second(d.Agent.CloseSession(ctx, d.mara, one.ID)), loci.Conflict)
	page, err := d.Agent.Sessions(ctx, d.mara, agent.SessionList{State: loci.SessionClosed})
	d.must(err)
	if len(page.Items) != 1 || page.Items[0].ID != one.ID {
		t.Errorf("closed sessions: got %+v", page.Items)
	}
	wantCode(t, second(d.Agent.Sessions(ctx, d.mara, agent.SessionList{State: "gone"})), loci.Invalid)
}

func TestSessionsOfAgentsAreListedInPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	of := d.agent(d.claude, "reviewer", "")
	for i := range 5 {
		d.open(d.claude, agent.SessionDraft{AgentID: of.ID, Title: fmt.Sprintf("s%d", i)})
		d.open(d.claude, agent.SessionDraft{Title: "of none"})
	}
	var got []string
	r := agent.SessionList{AgentID: of.ID, Limit: 2}
	for range 3 {
		page, err := d.Agent.Sessions(ctx, d.claude, r)
		d.must(err)
		for _, s := range page.Items {
			got = append(got, s.Title)
		}
		r.Cursor = page.NextCursor
	}
	if strings.Join(got, " ") != "s4 s3 s2 s1 s0" || r.Cursor != "" {
		t.Errorf("got %q, then cursor %q", got, r.Cursor)
	}
	page, err := d.Agent.Sessions(ctx, d.claude, agent.SessionList{Limit: 2})
	d.must(err)
	wantCode(t, second(d.Agent.Sessions(ctx, d.claude,
		agent.SessionList{AgentID: of.ID, Limit: 2, Cursor: page.NextCursor})), loci.Invalid)
	none, err := d.Agent.Sessions(ctx, d.claude, agent.SessionList{AgentID: loci.NewAgentID()})
	d.must(err)
	if len(none.Items) != 0 || none.NextCursor != "" {
		t.Errorf("of an absent agent: got %+v", none)
	}
}

// A person sees, lists, edits and trashes what is theirs, also what is for one of their agents; another agent, and
// another person, does not.
func TestOwnersReachWhatIsForTheirAgents(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ctx := t.Context()
	robot := d.agent(d.claude, "reviewer", "")
	session := d.open(d.claude, agent.SessionDraft{AgentID: robot.ID})
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
	changed, err := d.Memory.Patch(ctx, d.mara, saved.ID, 0, memory.Patch{Content: new("the harbour opens at seven")})
	d.must(err)
	if changed.Scope != loci.ScopeAgent || changed.AgentID != robot.ID {
		t.Errorf("the change moved it: %+v", changed.Access)
	}
	if _, err := d.Memory.Trash(ctx, d.mara, saved.ID, 0); err != nil {
		t.Error(err)
	}
}
