package main

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
)

// names says of people and teams what a person knows them by.
type names struct {
	in    *instance
	users map[loci.UserID]string
	teams map[loci.OrgID][]loci.Team
}

func (in *instance) names() *names {
	return &names{in: in, users: map[loci.UserID]string{}, teams: map[loci.OrgID][]loci.Team{}}
}

// user returns somebody's e-mail address, else their name, else their id: of
// somebody who was deleted, there is no more.
func (n *names) user(ctx context.Context, org loci.OrgID, id loci.UserID) (string, error) {
	if id.IsZero() {
		return "-", nil
	}
	if s, ok := n.users[id]; ok {
		return s, nil
	}
	person, err := n.in.store.People().ByID(ctx, id)
	s := person.Email
	if err == nil && s == "" {
		s, err = n.called(ctx, org, id)
	}
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		return "", err
	}
	if s == "" {
		s = id.String()
	}
	n.users[id] = s
	return s, nil
}

// called returns the name of somebody without an address.
func (n *names) called(ctx context.Context, org loci.OrgID, id loci.UserID) (string, error) {
	who, err := n.in.auth.LocalAs(ctx, org, id)
	if err != nil {
		return "", err
	}
	me, err := n.in.app.WhoAmI(ctx, who)
	if err != nil {
		return "", err
	}
	return me.User.Name, nil
}

// team returns the name of the team that somebody is in, "" for none.
func (n *names) team(ctx context.Context, u loci.User) (string, error) {
	if u.TeamID.IsZero() {
		return "", nil
	}
	if _, ok := n.teams[u.OrgID]; !ok {
		who, err := n.in.auth.LocalAs(ctx, u.OrgID, loci.UserID{})
		if err != nil {
			return "", err
		}
		if n.teams[u.OrgID], err = n.in.app.Teams(ctx, who); err != nil {
			return "", err
		}
	}
	i := slices.IndexFunc(n.teams[u.OrgID], func(t loci.Team) bool { return t.ID == u.TeamID })
	if i < 0 {
		return u.TeamID.String(), nil
	}
	return n.teams[u.OrgID][i].Name, nil
}
