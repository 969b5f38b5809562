package org

import (
	"cmp"
	"context"
	"io"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Draft is an org to create, with its first owner.
type Draft struct {
	ID         loci.OrgID // if empty: derived from the name
	Name       string
	OwnerEmail string // if empty: the owner signs in with one-time links and passkeys
	OwnerName  string
}

// Create creates an org with its first owner. It fails with Invalid for an invalid name, id or
// address, and with Conflict if the id or the address is taken.
func (s *Service) Create(ctx context.Context, p loci.Principal, n Draft) (loci.Org, loci.User, error) {
	if err := s.Begin(ctx, p, Create); err != nil {
		return loci.Org{}, loci.User{}, err
	}
	org, owner, err := s.newOrg(n)
	if err != nil {
		return loci.Org{}, loci.User{}, err
	}
	if _, err := s.Store.Orgs().Get(ctx, org.ID); err == nil {
		return loci.Org{}, loci.User{}, errOrgTaken(org.ID)
	}
	if err := s.Record(ctx, p, Create, string(org.ID)); err != nil {
		return loci.Org{}, loci.User{}, err
	}
	made, created, err := s.Store.Orgs().Ensure(ctx, org, owner)
	if err == nil && !created {
		err = errOrgTaken(org.ID)
	}
	if err != nil {
		return loci.Org{}, loci.User{}, err
	}
	return made, owner, nil
}

func errOrgTaken(id loci.OrgID) error {
	return loci.Errorf(loci.Conflict, "cannot create the org: the id %s is taken; choose another id", id)
}

func (s *Service) newOrg(n Draft) (loci.Org, loci.User, error) {
	if err := checkName(n.Name); err != nil {
		return loci.Org{}, loci.User{}, err
	}
	if n.ID == "" {
		n.ID = orgIDFrom(n.Name)
	}
	if err := n.ID.Validate(); err != nil {
		return loci.Org{}, loci.User{}, err
	}
	owner, err := s.newUser(n.ID, n.OwnerEmail, n.OwnerName)
	if err != nil {
		return loci.Org{}, loci.User{}, err
	}
	owner.OrgRole = loci.MemberOwner
	return loci.Org{ID: n.ID, Name: n.Name, OwnerID: owner.ID, State: loci.OrgActive, CreatedAt: owner.CreatedAt}, owner,
		nil
}

// newUser checks the data of a new person. An empty address means none.
func (s *Service) newUser(org loci.OrgID, email, name string) (loci.User, error) {
	u := loci.User{ID: loci.NewUserID(), OrgID: org, Name: name, Role: loci.RoleUser, OrgRole: loci.Member,
		CreatedAt: s.Time()}
	if err := loci.CheckText("name", name, 0, loci.MaxName); err != nil {
		return u, err
	}
	var err error
	if email != "" {
		u.Email, err = loci.ParseEmail(email)
	}
	return u, err
}

// orgIDFrom derives an id from a name: "Acme & Söhne" becomes "acme-s-hne". A name without any
// usable letter returns "".
func orgIDFrom(name string) loci.OrgID {
	words := strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	id := strings.Join(words, "-")
	return loci.OrgID(strings.TrimRight(id[:min(len(id), 64)], "-"))
}

// List returns all orgs, by id.
func (s *Service) List(ctx context.Context, p loci.Principal) ([]loci.Org, error) {
	if err := s.Begin(ctx, p, List); err != nil {
		return nil, err
	}
	return s.Store.Orgs().List(ctx)
}

// Counted is an org with the number of its people.
type Counted struct {
	loci.Org
	People int
}

// Page returns the orgs with ids above after, by id, and whether there are more. If limit is 0, it is DefaultPage; the
// maximum is MaxPage.
func (s *Service) Page(ctx context.Context, p loci.Principal, after loci.OrgID, limit int) (list []Counted, more bool,
	err error) {
	if err := s.Begin(ctx, p, List, gate.SetSize("limit", &limit, gate.DefaultPage, gate.MaxPage)); err != nil {
		return nil, false, err
	}
	orgs, err := s.Store.Orgs().List(ctx)
	for _, o := range orgs {
		if o.ID <= after {
			continue
		}
		if len(list) == limit {
			return list, true, nil
		}
		one, err := s.counted(ctx, o)
		if loci.CodeOf(err) == loci.NotFound { // deleted meanwhile
			continue
		}
		if err != nil {
			return nil, false, err
		}
		list = append(list, one)
	}
	return list, false, err
}

func (s *Service) counted(ctx context.Context, o loci.Org) (c Counted, err error) {
	err = s.Store.View(ctx, o.ID, func(tx store.Tx) error {
		c = Counted{Org: o}
		return EachUser(ctx, tx, func(loci.User) error { c.People++; return nil })
	})
	return c, err
}

// Show returns any org, or NotFound.
func (s *Service) Show(ctx context.Context, p loci.Principal, id loci.OrgID) (loci.Org, error) {
	if err := s.Begin(ctx, p, List); err != nil {
		return loci.Org{}, err
	}
	return s.Store.Orgs().Get(ctx, id)
}

// Suspend suspends an org, effective with the next request, or activates it again. It records that
// in the org's trail. It fails with NotFound, and with Conflict for the org of the acting admin, who could not undo it.
func (s *Service) Suspend(ctx context.Context, p loci.Principal, id loci.OrgID, suspended bool) (Counted, error) {
	if err := s.Begin(ctx, p, Suspend); err != nil {
		return Counted{}, err
	}
	if suspended && p.Kind != loci.KindLocal && id == p.OrgID {
		return Counted{}, loci.Errorf(loci.Conflict, "cannot suspend the org %s: you are in it, and could not let it in "+
			"again; the operator of the server can, with loci org suspend", id)
	}
	o, err := s.update(ctx, p, Suspend, id, func(o *loci.Org) {
		if o.State = loci.OrgActive; suspended {
			o.State = loci.OrgSuspended
		}
	})
	if err != nil {
		return Counted{}, err
	}
	return s.counted(ctx, o)
}

// Export writes a consistent copy of all data of the org to a directory that is empty or doesn't exist.
func (s *Service) Export(ctx context.Context, p loci.Principal, dir string) error {
	if err := s.Begin(ctx, p, Export); err != nil {
		return err
	}
	if err := s.Record(ctx, p, Export, string(p.OrgID)); err != nil {
		return err
	}
	return s.Store.Orgs().Export(ctx, p.OrgID, dir, func(w io.Writer) error { return s.o.CopyEvents(ctx, p.OrgID, w) })
}

// NewUser is a member to add to the org.
type NewUser struct {
	Email, Name string
	Role        loci.MemberRole // if empty: member
}

// AddUser adds a member to the org without an invitation. It fails with Invalid for an invalid
// address or role, and with Conflict if the address is taken.
func (s *Service) AddUser(ctx context.Context, p loci.Principal, n NewUser) (loci.User, error) {
	if err := s.Begin(ctx, p, MemberAdd); err != nil {
		return loci.User{}, err
	}
	role, err := loci.ParseMemberRole(string(cmp.Or(n.Role, loci.Member)))
	if err != nil {
		return loci.User{}, err
	}
	if _, err := loci.ParseEmail(n.Email); err != nil {
		return loci.User{}, err
	}
	u, err := s.newUser(p.OrgID, n.Email, n.Name)
	if err != nil {
		return loci.User{}, err
	}
	u.OrgRole = role
	org, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return loci.User{}, err
	}
	err = s.Store.People().Add(ctx, u, func(tx store.Tx) error {
		e := s.Entry(p, MemberAdd)
		e.Target = u.ID.String()
		if err := auth.Welcome(ctx, tx, org, u.ID); err != nil {
			return err
		}
		return tx.Audit().Add(ctx, e)
	})
	return u, err
}
