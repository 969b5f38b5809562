package sqlite

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

type people struct{ s *Store }

// People returns the directory that maps people to orgs.
func (s *Store) People() store.People { return people{s} }

func (p people) ByEmail(ctx context.Context, email string) (loci.Person, error) {
	who, found, err := p.s.registry.PersonByEmail(ctx, email)
	return p.present(ctx, who, found, err)
}

func (p people) ByID(ctx context.Context, id loci.UserID) (loci.Person, error) {
	who, found, err := p.s.registry.PersonByID(ctx, id)
	return p.present(ctx, who, found, err)
}

// present returns the person only if the org's file has them, too.
func (p people) present(ctx context.Context, who loci.Person, found bool, err error) (loci.Person, error) {
	if err == nil {
		if !found {
			return loci.Person{}, sqlstore.NoUser()
		}
		err = p.s.View(ctx, who.OrgID, func(tx store.Tx) error { _, err := tx.Users().Get(ctx, who.UserID); return err })
	}
	if loci.CodeOf(err) == loci.NotFound { // also for an org that is being created or deleted
		err = sqlstore.NoUser()
	}
	if err != nil {
		return loci.Person{}, translate(err)
	}
	return who, nil
}

// emailOf returns the directory's address of a user of that org.
func (s *Store) emailOf(ctx context.Context, org loci.OrgID, user loci.UserID) (string, error) {
	who, _, err := s.registry.PersonByID(ctx, user)
	if err != nil || who.OrgID != org {
		return "", err
	}
	return who.Email, nil
}

// userState returns the state of the user's row in the org's file, or "".
func (s *Store) userState(ctx context.Context, org loci.OrgID, user loci.UserID) (state string, err error) {
	err = s.View(ctx, org, func(tx store.Tx) (err error) {
		state, err = tx.(*sqlstore.Tx).UserState(user) //nolint:forcetypeassert // a transaction of this engine
		return err
	})
	return state, err
}

// Add takes three steps: add a pending row to the org's file, add the row to the directory, mark
// the user as complete. Until then the user does not exist for anyone. If the process is killed,
// the next process that starts or that wants the address undoes the rest.
func (p people) Add(ctx context.Context, u loci.User, then func(store.Tx) error) error {
	if u.ID.IsZero() {
		return loci.Errorf(loci.Invalid, "a user must have an id")
	}
	ctx, leave, err := p.s.Lock(ctx, peopleLock)
	if err != nil {
		return translate(err)
	}
	defer leave()
	u = p.s.withDefaults(u)
	err = p.s.vacate(ctx, u.Email)
	if err == nil {
		err = p.s.begin(ctx, u)
	}
	if err != nil {
		return translate(err)
	}
	if err = p.s.registry.Enlist(ctx, u); err == nil {
		err = p.s.admit(ctx, u, then)
	}
	after := context.WithoutCancel(ctx) // the outcome is decided; do not leave the rest half done
	who := loci.Person{UserID: u.ID, OrgID: u.OrgID, Email: u.Email}
	if settled := p.s.settle(after, who); settled != nil {
		p.s.opts.Log.WarnContext(ctx, "a user is not settled yet; the next start tries again", "user", u.ID.String(), "error",
			settled)
	}
	return translate(err)
}

func (s *Store) withDefaults(u loci.User) loci.User {
	u.Role = cmp.Or(u.Role, loci.RoleUser)
	u.OrgRole = cmp.Or(u.OrgRole, loci.Member)
	if u.CreatedAt.IsZero() {
		u.CreatedAt = s.opts.Now()
	}
	return u
}

// begin adds the pending row. The caller holds peopleLock, so another pending row with the same
// address was left by a process that died.
func (s *Store) begin(ctx context.Context, u loci.User) error {
	return s.updateOrg(ctx, u.OrgID, func(tx *sqlstore.Tx) error { return tx.BeginUser(u) })
}

// admit completes the user and runs then, in one transaction.
func (s *Store) admit(ctx context.Context, u loci.User, then func(store.Tx) error) error {
	return s.updateOrg(ctx, u.OrgID, func(tx *sqlstore.Tx) error {
		if err := tx.AdmitUser(u); err != nil || then == nil {
			return err
		}
		return then(tx)
	})
}

func (s *Store) updateOrg(ctx context.Context, org loci.OrgID, fn func(*sqlstore.Tx) error) error {
	return s.Update(ctx, org, func(t store.Tx) error { return fn(t.(*sqlstore.Tx)) }) //nolint:forcetypeassert // ours
}

// vacate frees an address that a process left in the directory when it died. Conflict if it
// belongs to a user. The caller holds peopleLock.
func (s *Store) vacate(ctx context.Context, email string) error {
	if email == "" {
		return nil
	}
	who, found, err := s.registry.PersonByEmail(ctx, email)
	if err != nil || !found {
		return err
	}
	state, err := s.userState(ctx, who.OrgID, who.UserID)
	switch {
	case loci.CodeOf(err) == loci.NotFound:
		return s.abandon(ctx, who.OrgID)
	case err != nil:
		return err
	case state == "active" || state == "disabled":
		return sqlstore.ErrTaken()
	}
	return s.settle(ctx, who)
}

// abandon undoes an org that a process began for the owner of an address before it died. A
// process that creates an org holds peopleLock until it is complete. Conflict for any other org.
func (s *Store) abandon(ctx context.Context, id loci.OrgID) error {
	_, state, err := s.registry.LookUp(ctx, id)
	if err != nil {
		return err
	}
	if state != "creating" {
		return sqlstore.ErrTaken()
	}
	if err := s.removeFiles(id); err != nil {
		return err
	}
	return s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec("DELETE FROM people WHERE org_id = ?", string(id))
		if err == nil {
			err = c.Exec("DELETE FROM orgs WHERE id = ? AND state = 'creating'", string(id))
		}
		return err
	})
}

// settle finishes or undoes a change that stopped between the two files. The row in the org's
// file decides which. The caller holds peopleLock.
func (s *Store) settle(ctx context.Context, who loci.Person) error {
	state, err := s.userState(ctx, who.OrgID, who.UserID)
	if err != nil {
		return err
	}
	switch state {
	case "active", "disabled":
		return s.settled(ctx, who)
	case "leaving":
		return s.remove(ctx, who.OrgID, who.UserID, nil)
	case "pending":
		err = s.updateOrg(ctx, who.OrgID, func(tx *sqlstore.Tx) error {
			return tx.DropPending(who.UserID)
		})
	}
	if err != nil {
		return err
	}
	return s.registry.Delist(ctx, who.OrgID, who.UserID)
}

// settled sets the address in the org's file to the address in the directory.
func (s *Store) settled(ctx context.Context, who loci.Person) error {
	email, err := s.emailOf(ctx, who.OrgID, who.UserID)
	if err != nil {
		return err
	}
	err = s.updateOrg(ctx, who.OrgID, func(tx *sqlstore.Tx) error {
		return tx.SetEmail(ctx, who.UserID, email)
	})
	if err != nil {
		return err
	}
	return s.registry.SettlePerson(ctx, who.UserID)
}

func (p people) SetEmail(ctx context.Context, org loci.OrgID, user loci.UserID, email string) error {
	ctx, leave, err := p.s.Lock(ctx, peopleLock)
	if err != nil {
		return translate(err)
	}
	defer leave()
	return translate(p.s.setEmail(ctx, org, user, email))
}

func (s *Store) setEmail(ctx context.Context, org loci.OrgID, user loci.UserID, email string) error {
	state, err := s.userState(ctx, org, user)
	if err != nil {
		return err
	}
	if state != "active" && state != "disabled" {
		return sqlstore.NoUser()
	}
	if now, err := s.emailOf(ctx, org, user); err != nil || now == email {
		return errors.Join(err, s.settled(ctx, loci.Person{UserID: user, OrgID: org}))
	}
	if err := s.vacate(ctx, email); err != nil {
		return err
	}
	if err := s.registry.PutEmail(ctx, org, user, email); err != nil {
		return err
	}
	return s.settled(context.WithoutCancel(ctx), loci.Person{UserID: user, OrgID: org})
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

// invitation returns the first invitation in list that the org's file has, too, and that is wanted.
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

const eraseBatch = sqlstore.EraseBatch

func (p people) Remove(ctx context.Context, org loci.OrgID, user loci.UserID, then func(store.Tx) error) error {
	ctx, leave, err := p.s.Lock(ctx, peopleLock)
	if err != nil {
		return translate(err)
	}
	defer leave()
	o, err := p.s.registry.Exists(ctx, org)
	if err != nil {
		return translate(err)
	}
	if o.OwnerID == user {
		return sqlstore.ErrHolder()
	}
	state, err := p.s.userState(ctx, org, user)
	if err != nil {
		return translate(err)
	}
	who, listed, err := p.s.registry.PersonByID(ctx, user)
	switch {
	case err != nil:
		return translate(err)
	case state == "" && listed && who.OrgID == org: // only the directory was left
		return translate(p.s.registry.Delist(ctx, org, user))
	case state == "" || state == "pending":
		return sqlstore.NoUser()
	}
	return translate(p.s.remove(ctx, org, user, then))
}

// remove takes several steps, each of which may be repeated. From the first one on, nobody can sign in as that user.
func (s *Store) remove(ctx context.Context, org loci.OrgID, user loci.UserID, then func(store.Tx) error) error {
	for _, step := range []func(context.Context, loci.OrgID, loci.UserID) error{s.markLeaving, s.registry.RevokeAccess,
		s.eraseMemories, s.eraseFromGraphs} {
		if err := step(ctx, org, user); err != nil {
			return err
		}
	}
	if err := s.removeUser(ctx, org, user, then); err != nil {
		return err
	}
	return s.registry.Delist(ctx, org, user)
}

func (s *Store) markLeaving(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	if err := s.registry.MarkLeaving(ctx, org, user); err != nil {
		return err
	}
	return s.updateOrg(ctx, org, func(tx *sqlstore.Tx) error {
		return tx.MarkLeaving(ctx, user)
	})
}

func (s *Store) eraseMemories(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	for n := eraseBatch; n == eraseBatch; {
		err := s.Update(ctx, org, func(tx store.Tx) (err error) {
			n, err = tx.Memories().EraseOf(ctx, user, eraseBatch)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) removeUser(ctx context.Context, org loci.OrgID, user loci.UserID, then func(store.Tx) error) error {
	return s.updateOrg(ctx, org, func(tx *sqlstore.Tx) error {
		// This also removes what a request that was still running has stored since.
		if err := tx.RemoveUser(ctx, user); err != nil || then == nil {
			return err
		}
		return then(tx)
	})
}
