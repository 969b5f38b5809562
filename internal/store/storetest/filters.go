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

// containing returns the titles of all memories that contain a text, in order of titles: those of IDs, each read by
// itself.
func (e *env) containing(v loci.Viewer, f store.Filter, text string) (got []string) {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) error {
		ids, _, err := tx.Lists().IDs(ctx, v, f, 2000)
		for _, id := range ids {
			m, err := tx.Memories().Get(ctx, v, id, f.Lifecycle)
			if f.When != (loci.When{}) {
				m, err = tx.Memories().GetAt(ctx, v, id, f.When)
			}
			if err != nil {
				return err
			}
			if strings.Contains(fmt.Sprint(m.Title, "\n", m.Content, "\n", m.Summary, "\n", m.Key, "\n", m.Tags), text) {
				got = append(got, m.Title)
			}
		}
		return err
	})
	slices.Sort(got)
	return got
}

// testListContexts filters by what memories are for.
func testListContexts(e *env) {
	team := e.addTeam("team").ID
	p, other, robot := newID[loci.ProjectID](), newID[loci.ProjectID](), newID[loci.AgentID]()
	friend, work := e.addUser().ID, newID[loci.SessionID]()
	for title, change := range map[string]func(*loci.Memory){
		"plain":          func(*loci.Memory) {},
		"pinned":         func(m *loci.Memory) { m.Pinned, m.Key = true, "k" },
		"project's":      func(m *loci.Memory) { m.Scope, m.ProjectID = loci.ScopeProject, p },
		"pinned project": func(m *loci.Memory) { m.Scope, m.ProjectID, m.Pinned, m.Key = loci.ScopeProject, p, true, "K" },
		"other project's": func(m *loci.Memory) {
			m.Scope, m.ProjectID, m.Pinned, m.Key = loci.ScopeProject, other, true,
				"k"
		},
		"about project": func(m *loci.Memory) { m.ProjectID = p },
		"agent's":       func(m *loci.Memory) { m.Scope, m.AgentID, m.SessionID = loci.ScopeAgent, robot, work },
		"about agent":   func(m *loci.Memory) { m.AgentID, m.Tags = robot, []string{"!", "k:k", "c:project"} },
		"session": func(m *loci.Memory) {
			m.SessionID, m.Pinned, m.AllowedVendors = work, true,
				[]loci.Vendor{"claude"}
		},
		"friend's":   func(m *loci.Memory) { m.UserID, m.Pinned, m.Key = friend, true, "k" },
		"team's":     func(m *loci.Memory) { m.UserID, m.TeamID, m.Pinned, m.Key = friend, team, true, "k" },
		"friend's p": func(m *loci.Memory) { m.UserID, m.Scope, m.ProjectID = friend, loci.ScopeProject, p },
	} {
		e.insert(titled(title), change)
	}
	member := loci.Viewer{OrgID: e.org, UserID: e.user, TeamID: team, ProjectIDs: []loci.ProjectID{p}, AgentID: robot}
	for name, tt := range map[string]struct {
		f    store.Filter
		want string
	}{
		"pinned": {store.Filter{Pinned: true}, "other project's, pinned, pinned project, session, team's"},
		"key":    {store.Filter{Key: "k"}, "other project's, pinned, team's"},
		"key K":  {store.Filter{Key: "K"}, "pinned project"},
		"global": {store.Filter{Scope: loci.ScopeGlobal},
			"about agent, about project, pinned, plain, session, team's"},
		"of projects": {store.Filter{Scope: loci.ScopeProject},
			"friend's p, other project's, pinned project, project's"},
		"of the project":     {store.Filter{Scope: loci.ScopeProject, ProjectID: p}, "friend's p, pinned project, project's"},
		"of one that I left": {store.Filter{Scope: loci.ScopeProject, ProjectID: other}, "other project's"},
		"about the project":  {store.Filter{ProjectID: p}, "about project, friend's p, pinned project, project's"},
		"global, project":    {store.Filter{ProjectID: p, Scope: loci.ScopeGlobal}, "about project"},
		"of agents":          {store.Filter{Scope: loci.ScopeAgent}, "agent's"},
		"of the agent":       {store.Filter{AgentID: robot}, "about agent, agent's"},
		"of another agent":   {store.Filter{Scope: loci.ScopeAgent, AgentID: newID[loci.AgentID]()}, ""},
		"session":            {store.Filter{SessionID: work}, "agent's, session"},
		"pinned of session":  {store.Filter{SessionID: work, Pinned: true}, "session"},
		"pinned of team":     {store.Filter{TeamID: team, Pinned: true}, "team's"},
		"all": {store.Filter{Pinned: true, Key: "K", Scope: loci.ScopeProject, ProjectID: p},
			"pinned project"},
	} {
		var want []string
		if tt.want != "" {
			want = strings.Split(tt.want, ", ")
		}
		for _, tt.f.When = range []loci.When{{}, {KnownAt: e.clock.now()}} {
			e.wantFiltered(fmt.Sprint(name, tt.f.When), member, tt.f, want...)
		}
	}
	stranger := member
	stranger.AgentID, stranger.Vendor = loci.AgentID{}, "cursor"
	e.wantFiltered("pinned, other vendor", stranger, store.Filter{Pinned: true}, "other project's", "pinned",
		"pinned project", "team's")
	e.wantFiltered("of agents, without one", stranger, store.Filter{Scope: loci.ScopeAgent})
	e.testFiltersFollow()
	e.testFiltersThen(member, p)
}

// testFiltersThen moves memories between a project and their owner, and asks what they were for before.
func (e *env) testFiltersThen(member loci.Viewer, p loci.ProjectID) {
	e.clock.move(time.Hour)
	work := newID[loci.SessionID]() // keeps others away
	in := func(m *loci.Memory) { m.Scope, m.ProjectID, m.SessionID = loci.ScopeProject, p, work }
	out := func(m *loci.Memory) { m.Scope, m.ProjectID, m.SessionID = loci.ScopeGlobal, loci.ProjectID{}, work }
	left, came := e.insert(titled("left"), in), e.insert(titled("came"), out)
	then := loci.When{KnownAt: e.clock.now()}
	e.clock.move(time.Hour)
	e.replace(left, out)
	e.replace(came, in)
	for name, tt := range map[string]struct {
		f         store.Filter
		was, isIt string
	}{
		"of the project": {store.Filter{Scope: loci.ScopeProject, ProjectID: p}, "left", "came"},
		"global":         {store.Filter{Scope: loci.ScopeGlobal}, "came", "left"},
	} {
		tt.f.SessionID = work
		e.wantFiltered(name, member, tt.f, tt.isIt)
		tt.f.When = then
		e.wantFiltered(name+" then", member, tt.f, tt.was)
	}
}

// testFiltersFollow changes what a filter asks for.
func (e *env) testFiltersFollow() {
	m := e.insert(titled("m"),
		func(m *loci.Memory) { m.Pinned, m.Key, m.SessionID = true, "before", newID[loci.SessionID]() })
	for name, f := range map[string]store.Filter{"pinned": {Pinned: true, Key: m.Key}, "key": {Key: m.Key},
		"session": {SessionID: m.SessionID}} {
		e.wantFiltered(name, e.person(), f, "m")
	}
	next := e.replace(m, func(m *loci.Memory) { m.Pinned, m.Key, m.SessionID = false, "after", loci.SessionID{} })
	for name, f := range map[string]store.Filter{"pinned": {Pinned: true, Key: next.Key}, "key": {Key: m.Key},
		"session": {SessionID: m.SessionID}} {
		e.wantFiltered(name+" before", e.person(), f)
	}
	e.wantFiltered("key after", e.person(), store.Filter{Key: next.Key}, "m")
	trash := e.trash(next)
	e.wantFiltered("trashed", e.person(), store.Filter{Key: trash.Key})
	e.check()
}
