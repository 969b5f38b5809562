package main

import (
	"context"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// names looks up what people call users, teams and projects, for tables. If it cannot find a name, it returns the id.
type names struct {
	in       *instance
	users    map[loci.UserID]string
	teams    map[loci.OrgID][]loci.Team
	locals   map[loci.OrgID]loci.Principal
	projects map[loci.ProjectID]string
}

func (in *instance) names() *names {
	return &names{in: in, users: map[loci.UserID]string{}, teams: map[loci.OrgID][]loci.Team{},
		locals: map[loci.OrgID]loci.Principal{}, projects: map[loci.ProjectID]string{}}
}

// user returns somebody's e-mail address or else their name.
func (n *names) user(ctx context.Context, org loci.OrgID, id loci.UserID) string {
	if id.IsZero() {
		return "-"
	}
	if _, ok := n.users[id]; !ok {
		n.users[id] = id.String()
		if person, err := n.in.store.People().ByID(ctx, id); err == nil && person.Email != "" {
			n.users[id] = person.Email
		} else if who, err := n.in.auth.LocalAs(ctx, org, id); err == nil {
			if me, err := n.in.app.Identity.WhoAmI(ctx, who); err == nil && me.User.Name != "" {
				n.users[id] = me.User.Name
			}
		}
	}
	return n.users[id]
}

// owner is user, without the id of somebody who has neither, such as the owner of a laptop.
func (n *names) owner(ctx context.Context, org loci.OrgID, id loci.UserID) string {
	if name := n.user(ctx, org, id); name != id.String() {
		return name
	}
	return ""
}

// team returns the name of a person's team, "" for none.
func (n *names) team(ctx context.Context, u loci.User) string {
	if u.TeamID.IsZero() {
		return ""
	}
	if _, ok := n.teams[u.OrgID]; !ok {
		n.teams[u.OrgID] = nil
		if who, err := n.in.auth.LocalAs(ctx, u.OrgID, loci.UserID{}); err == nil {
			n.teams[u.OrgID], _ = n.in.app.Org.Teams(ctx, who) // without them, tables show the id
		}
	}
	i := slices.IndexFunc(n.teams[u.OrgID], func(t loci.Team) bool { return t.ID == u.TeamID })
	if i < 0 {
		return u.TeamID.String()
	}
	return n.teams[u.OrgID][i].Name
}

func (n *names) projectList(ctx context.Context, org loci.OrgID, ids []loci.ProjectID) string {
	return strings.Join(mapped(ids, func(id loci.ProjectID) string { return n.project(ctx, org, id) }), ",")
}

// sharedWith tells which other people may read a memory. After an import, its project may be missing.
func (n *names) sharedWith(ctx context.Context, m *loci.Memory) string {
	if m.Scope == loci.ScopeProject && n.project(ctx, m.OrgID, m.ProjectID) == m.ProjectID.String() {
		return m.SharedWith("a project that is not here")
	}
	return m.SharedWith("the project")
}

func (n *names) project(ctx context.Context, org loci.OrgID, id loci.ProjectID) string {
	if name, ok := n.projects[id]; ok {
		return name
	}
	n.projects[id] = id.String()
	who, ok := n.locals[org]
	if !ok {
		var err error
		if who, err = n.in.auth.LocalAs(ctx, org, loci.UserID{}); err != nil {
			return n.projects[id]
		}
		n.locals[org] = who
	}
	if x, err := n.in.app.Project.Get(ctx, who, id); err == nil {
		n.projects[id] = x.Name
	}
	return n.projects[id]
}
