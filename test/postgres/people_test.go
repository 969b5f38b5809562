//go:build postgres

package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// people is the directory. It is in the same database as the rows of orgs, so each change is one transaction.
type people struct{ s *engine }

func (s *engine) People() store.People { return people{s} }

func (p people) ByEmail(ctx context.Context, email string) (loci.Person, error) {
	who, found, err := p.s.registry.PersonByEmail(ctx, email)
	return p.present(ctx, who, found, err)
}

func (p people) ByID(ctx context.Context, id loci.UserID) (loci.Person, error) {
	who, found, err := p.s.registry.PersonByID(ctx, id)
	return p.present(ctx, who, found, err)
}

// present returns the person only if the org has them, too: it is not being deleted, and they are not being removed.
func (p people) present(ctx context.Context, who loci.Person, found bool, err error) (loci.Person, error) {
	if err == nil && found {
		err = p.s.View(ctx, who.OrgID, func(tx store.Tx) error { _, err := tx.Users().Get(ctx, who.UserID); return err })
		if err == nil {
			return who, nil
		}
	}
	if err == nil || loci.CodeOf(err) == loci.NotFound {
		err = sqlstore.NoUser()
	}
	return loci.Person{}, err
}

// change runs fn in a transaction on an org, with the registry in it.
func (p people) change(ctx context.Context, org loci.OrgID, fn func(*sqlstore.Tx, *sqlstore.Registry) error) error {
	return p.s.Update(ctx, org, func(t store.Tx) error {
		tx := t.(*sqlstore.Tx)
		return fn(tx, p.s.in(tx.Conn()))
	})
}

func (p people) Add(ctx context.Context, u loci.User, then func(store.Tx) error) error {
	if u.ID.IsZero() {
		return loci.Errorf(loci.Invalid, "a user must have an id")
	}
	u.Role, u.OrgRole = cmp.Or(u.Role, loci.RoleUser), cmp.Or(u.OrgRole, loci.Member)
	if u.CreatedAt.IsZero() {
		u.CreatedAt = p.s.now()
	}
	return p.change(ctx, u.OrgID, func(tx *sqlstore.Tx, r *sqlstore.Registry) error {
		err := r.Enlist(ctx, u)
		if err == nil {
			err = tx.BeginUser(u)
		}
		if err == nil {
			err = tx.AdmitUser(u)
		}
		if err == nil {
			err = r.SettlePerson(ctx, u.ID)
		}
		if err != nil || then == nil {
			return err
		}
		return then(tx)
	})
}

func (p people) SetEmail(ctx context.Context, org loci.OrgID, user loci.UserID, email string) error {
	return p.change(ctx, org, func(tx *sqlstore.Tx, r *sqlstore.Registry) error {
		if state, err := tx.UserState(user); err != nil || state != "active" && state != "disabled" {
			return cmp.Or(err, sqlstore.NoUser())
		}
		if err := r.PutEmail(ctx, org, user, email); err != nil {
			return err
		}
		if err := tx.SetEmail(ctx, user, email); err != nil {
			return err
		}
		return r.SettlePerson(ctx, user)
	})
}

// Remove takes two transactions. After the first one, nobody can sign in as that person, even if the second one fails.
func (p people) Remove(ctx context.Context, org loci.OrgID, user loci.UserID, then func(store.Tx) error) error {
	err := p.change(ctx, org, func(tx *sqlstore.Tx, r *sqlstore.Registry) error {
		o, err := r.Exists(ctx, org)
		if err != nil {
			return err
		}
		if o.OwnerID == user {
			return sqlstore.ErrHolder()
		}
		if state, err := tx.UserState(user); err != nil || state == "" || state == "pending" {
			return cmp.Or(err, sqlstore.NoUser())
		}
		return inOrder(
			func() error { return r.MarkLeaving(ctx, org, user) },
			func() error { return tx.MarkLeaving(ctx, user) },
			func() error { return r.RevokeAccess(ctx, org, user) })
	})
	if err != nil {
		return err
	}
	return p.change(ctx, org, func(tx *sqlstore.Tx, r *sqlstore.Registry) error {
		return inOrder(
			func() error { return eraseWriter(tx.Conn(), user) },
			func() error { return tx.RemoveUser(ctx, user) },
			func() error {
				if then == nil {
					return nil
				}
				return then(tx)
			},
			func() error { return r.Delist(ctx, org, user) })
	})
}

// inOrder runs steps until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// eraseWriter erases all that a person wrote in the graphs of the org, with its history. It keeps an entity that has
// rows of others, but removes its writer. The policy limits it to the org.
func eraseWriter(c sqlstore.Conn, user loci.UserID) error {
	const lonely = ` AND NOT EXISTS (SELECT 1 FROM observations o
			WHERE (o.org_id, o.project_id, o.entity_id) = (x.org_id, x.project_id, x.id))
		AND NOT EXISTS (SELECT 1 FROM relations r WHERE (r.org_id, r.project_id) = (x.org_id, x.project_id)
			AND x.id IN (r.from_entity, r.to_entity))`
	u := under(c)
	for _, of := range []struct{ table, where string }{{"relations", ""}, {"observations", ""}, {"entities", lonely}} {
		_, err := u.tx.Exec(u.ctx, "WITH gone AS (DELETE FROM "+of.table+" x WHERE x.user_id = $1"+of.where+
			" RETURNING x.org_id, x.project_id, x.id) DELETE FROM changes c USING gone g "+
			"WHERE (c.org_id, c.project_id, c.row_id) = (g.org_id, g.project_id, g.id)", user.String())
		if u.marks++; err != nil {
			return err
		}
	}
	for _, table := range []string{"entities", "changes"} {
		_, err := u.tx.Exec(u.ctx, "UPDATE "+table+" SET user_id = $2 WHERE user_id = $1", user.String(),
			loci.UserID{}.String())
		if u.marks++; err != nil {
			return err
		}
	}
	return nil
}

func (p people) Announce(ctx context.Context, org loci.OrgID, i loci.Invite) error {
	return p.s.registry.Announce(ctx, org, i)
}

func (p people) Invited(ctx context.Context, hash [32]byte) (loci.OrgID, loci.Invite, error) {
	list, err := p.s.registry.AnnouncedBy(ctx, hash)
	return p.invitation(ctx, list, err, func(i *loci.Invite) bool { return i.Hash == hash })
}

func (p people) InvitedEmail(ctx context.Context, email string, now time.Time) (loci.OrgID, loci.Invite, error) {
	list, err := p.s.registry.AnnouncedTo(ctx, email, now)
	return p.invitation(ctx, list, err, func(i *loci.Invite) bool { return i.Email == email && i.Usable(now) })
}

// invitation returns the first invitation in list that the org has, too, and that is wanted.
func (p people) invitation(ctx context.Context, list []sqlstore.Announced, err error, wanted func(*loci.Invite) bool) (
	loci.OrgID, loci.Invite, error) {
	for _, a := range list {
		var i loci.Invite
		err := p.s.View(ctx, a.Org, func(tx store.Tx) (err error) { i, err = tx.Teams().Invitation(ctx, a.ID); return err })
		if err == nil && wanted(&i) {
			return a.Org, i, nil
		}
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return "", loci.Invite{}, err
		}
	}
	if err == nil {
		err = loci.Errorf(loci.NotFound, "no such invitation")
	}
	return "", loci.Invite{}, err
}
