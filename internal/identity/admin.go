package identity

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
)

// AdminUsersQuery selects one page of the people of all orgs.
type AdminUsersQuery struct {
	After string // the position from the previous page; "": the first page
	Limit int    // 0: DefaultPage; at most MaxPage
}

// AdminUsers returns people of all orgs, org by org, and the position of the next page, or "" on
// the last page. It fails with Invalid if After is not such a position.
func (s *Service) AdminUsers(ctx context.Context, p loci.Principal, q AdminUsersQuery) (
	users []loci.User, next string, err error) {
	err = s.Begin(ctx, p, AdminRead, gate.SetSize("limit", &q.Limit, gate.DefaultPage, gate.MaxPage))
	if err != nil {
		return nil, "", err
	}
	afterOrg, afterUser, err := parseAfter(q.After)
	if err != nil {
		return nil, "", err
	}
	orgs, err := s.Store.Orgs().List(ctx)
	if err != nil {
		return nil, "", err
	}
	for _, org := range orgs {
		if org.ID < afterOrg {
			continue
		}
		var after loci.UserID
		if org.ID == afterOrg {
			after = afterUser
		}
		page, err := s.usersOf(ctx, org.ID, after, q.Limit+1-len(users))
		if err != nil {
			return nil, "", err
		}
		if users = append(users, page...); len(users) > q.Limit {
			last := users[q.Limit-1]
			return users[:q.Limit], string(last.OrgID) + "/" + last.ID.String(), nil
		}
	}
	return users, "", nil
}

func parseAfter(s string) (org loci.OrgID, user loci.UserID, err error) {
	if s == "" {
		return "", loci.UserID{}, nil
	}
	left, right, ok := strings.Cut(s, "/")
	org = loci.OrgID(left)
	if !ok || org.Validate() != nil || user.UnmarshalText([]byte(right)) != nil || user.IsZero() {
		return "", loci.UserID{},
			loci.FieldErrorf("after", "does not belong to this list; leave it out to start at the first page")
	}
	return org, user, nil
}

// usersOf returns people of an org, or none if the org was deleted meanwhile.
func (s *Service) usersOf(ctx context.Context, org loci.OrgID, after loci.UserID, limit int) (
	list []loci.User, err error) {
	err = s.Store.View(ctx, org, func(tx store.Tx) (err error) {
		list, err = tx.Users().List(ctx, after, limit)
		return err
	})
	if loci.CodeOf(err) == loci.NotFound {
		return nil, nil
	}
	return list, err
}

// Metrics are counts for the whole server. They reveal nothing about memories. Keys, SignIns and
// Grants count only usable ones.
type Metrics struct {
	Orgs    int `json:"orgs"`
	Users   int `json:"users"`
	Teams   int `json:"teams"`
	Keys    int `json:"keys"`
	SignIns int `json:"sign_ins"`
	Grants  int `json:"grants"`
}

// AdminMetrics returns the counts for all orgs.
func (s *Service) AdminMetrics(ctx context.Context, p loci.Principal) (Metrics, error) {
	if err := s.Begin(ctx, p, AdminRead); err != nil {
		return Metrics{}, err
	}
	orgs, err := s.Store.Orgs().List(ctx)
	if err != nil {
		return Metrics{}, err
	}
	m := Metrics{Orgs: len(orgs)}
	for _, org := range orgs {
		err := s.count(ctx, org.ID, &m)
		if err != nil && loci.CodeOf(err) != loci.NotFound { // deleted meanwhile
			return Metrics{}, err
		}
	}
	return m, nil
}

func (s *Service) count(ctx context.Context, o loci.OrgID, m *Metrics) error {
	users, teams := 0, 0
	err := s.Store.View(ctx, o, func(tx store.Tx) error {
		list, err := tx.Teams().List(ctx)
		if err != nil {
			return err
		}
		teams, users = len(list), 0
		return org.EachUser(ctx, tx, func(loci.User) error { users++; return nil })
	})
	if err != nil {
		return err
	}
	now := s.Time()
	keys, err := s.Store.Credentials().List(ctx, store.CredentialQuery{OrgID: o, Method: loci.ByKey, Usable: now})
	if err != nil {
		return err
	}
	signIns, err := s.Store.Credentials().List(ctx, store.CredentialQuery{OrgID: o, Method: loci.BySignIn, Usable: now})
	if err != nil {
		return err
	}
	grants, err := s.Store.OAuth().Grants(ctx, o, loci.UserID{})
	if err != nil {
		return err
	}
	for _, g := range grants {
		if g.Usable(now) {
			m.Grants++
		}
	}
	m.Users, m.Teams, m.Keys, m.SignIns = m.Users+users, m.Teams+teams, m.Keys+len(keys), m.SignIns+len(signIns)
	return nil
}
