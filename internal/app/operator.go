package app

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// NewOrg asks for an org with its first owner.
type NewOrg struct {
	ID         loci.OrgID // "": from the name
	Name       string
	OwnerEmail string // "": the owner signs in by one-time links and passkeys
	OwnerName  string
}

// CreateOrg makes an org with its first owner. Invalid for a bad name, id or
// address; Conflict if the id or the address is taken.
func (a *App) CreateOrg(ctx context.Context, p loci.Principal, n NewOrg) (loci.Org, loci.User, error) {
	if err := a.begin(ctx, p, OrgCreate); err != nil {
		return loci.Org{}, loci.User{}, err
	}
	org, owner, err := a.newOrg(n)
	if err != nil {
		return loci.Org{}, loci.User{}, err
	}
	if _, err := a.store.Orgs().Get(ctx, org.ID); err == nil {
		return loci.Org{}, loci.User{}, errOrgTaken(org.ID)
	}
	if err := a.record(ctx, p, OrgCreate, string(org.ID)); err != nil {
		return loci.Org{}, loci.User{}, err
	}
	made, created, err := a.store.Orgs().Ensure(ctx, org, owner)
	if err == nil && !created {
		err = errOrgTaken(org.ID)
	}
	if err != nil {
		return loci.Org{}, loci.User{}, err
	}
	return made, owner, nil
}

func errOrgTaken(id loci.OrgID) error {
	return loci.Errorf(loci.Conflict, "there is an org with the id %s; name another id", id)
}

func (a *App) newOrg(n NewOrg) (loci.Org, loci.User, error) {
	if err := checkName(n.Name); err != nil {
		return loci.Org{}, loci.User{}, err
	}
	if n.ID == "" {
		n.ID = orgIDFrom(n.Name)
	}
	if err := n.ID.Validate(); err != nil {
		return loci.Org{}, loci.User{}, err
	}
	owner, err := a.newUser(n.ID, n.OwnerEmail, n.OwnerName)
	if err != nil {
		return loci.Org{}, loci.User{}, err
	}
	owner.OrgRole = loci.MemberOwner
	return loci.Org{ID: n.ID, Name: n.Name, OwnerID: owner.ID, State: loci.OrgActive, CreatedAt: owner.CreatedAt}, owner, nil
}

// newUser checks what is said of a person; "" for an address is none.
func (a *App) newUser(org loci.OrgID, email, name string) (loci.User, error) {
	u := loci.User{ID: loci.NewUserID(), OrgID: org, Name: name, Role: loci.RoleUser, OrgRole: loci.Member, CreatedAt: a.time()}
	if err := loci.CheckText("name", name, 0, loci.MaxName); err != nil {
		return u, err
	}
	var err error
	if email != "" {
		u.Email, err = loci.ParseEmail(email)
	}
	return u, err
}

// orgIDFrom makes an id of a name: "Acme & Söhne" becomes "acme-s-hne". A name
// without any usable letter gives none.
func orgIDFrom(name string) loci.OrgID {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	id := strings.Join(words, "-")
	return loci.OrgID(strings.TrimRight(id[:min(len(id), 64)], "-"))
}

// Orgs returns all orgs, by id.
func (a *App) Orgs(ctx context.Context, p loci.Principal) ([]loci.Org, error) {
	if err := a.begin(ctx, p, OrgList); err != nil {
		return nil, err
	}
	return a.store.Orgs().List(ctx)
}

// ShowOrg returns any org, or NotFound.
func (a *App) ShowOrg(ctx context.Context, p loci.Principal, id loci.OrgID) (loci.Org, error) {
	if err := a.begin(ctx, p, OrgList); err != nil {
		return loci.Org{}, err
	}
	return a.store.Orgs().Get(ctx, id)
}

// SuspendOrg keeps everybody out of an org, from their next request on, or lets
// them in again. It is recorded in that org's trail. NotFound.
func (a *App) SuspendOrg(ctx context.Context, p loci.Principal, id loci.OrgID, suspended bool) (loci.Org, error) {
	if err := a.begin(ctx, p, OrgSuspend); err != nil {
		return loci.Org{}, err
	}
	return a.updateOrg(ctx, p, OrgSuspend, id, func(o *loci.Org) {
		if o.State = loci.OrgActive; suspended {
			o.State = loci.OrgSuspended
		}
	})
}

// ExportOrg writes a copy of everything that the org has, of one moment, into a
// directory that is empty or not there.
func (a *App) ExportOrg(ctx context.Context, p loci.Principal, dir string) error {
	if err := a.begin(ctx, p, OrgExport); err != nil {
		return err
	}
	if err := a.record(ctx, p, OrgExport, string(p.OrgID)); err != nil {
		return err
	}
	return a.store.Orgs().Export(ctx, p.OrgID, dir)
}

// NewUser asks for a member of the org.
type NewUser struct {
	Email, Name string
	Role        loci.MemberRole // "": member
}

// AddUser makes a member of the org without an invitation. Invalid for a bad
// address or role; Conflict if the address is taken.
func (a *App) AddUser(ctx context.Context, p loci.Principal, n NewUser) (loci.User, error) {
	if err := a.begin(ctx, p, MemberAdd); err != nil {
		return loci.User{}, err
	}
	if n.Role == "" {
		n.Role = loci.Member
	}
	role, err := loci.ParseMemberRole(string(n.Role))
	if err != nil {
		return loci.User{}, err
	}
	if _, err := loci.ParseEmail(n.Email); err != nil {
		return loci.User{}, err
	}
	u, err := a.newUser(p.OrgID, n.Email, n.Name)
	if err != nil {
		return loci.User{}, err
	}
	u.OrgRole = role
	org, err := a.store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return loci.User{}, err
	}
	err = a.store.People().Add(ctx, u, func(tx store.Tx) error {
		e := a.entry(p, MemberAdd)
		e.Target = u.ID.String()
		if err := auth.Welcome(ctx, tx, org, u.ID); err != nil {
			return err
		}
		return tx.Audit().Add(ctx, e)
	})
	if err != nil {
		return loci.User{}, err
	}
	return u, nil
}
