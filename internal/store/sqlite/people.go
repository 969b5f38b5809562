package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

type people struct{ s *Store }

// People is the directory of who belongs to which org.
func (s *Store) People() store.People { return people{s} }

// alone waits until nobody else, in any process, changes who belongs where.
// Whoever is alone and meets a half-done change knows that its maker is dead.
// A killed process lets go of the lock.
func (s *Store) alone(ctx context.Context) (leave func(), err error) {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l := flock.New(filepath.Join(s.opts.Dir, peopleLock), flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		<-s.turn
		return nil, err
	}
	return s.leaver(l), nil
}

func (s *Store) leaver(l *flock.Flock) func() {
	return func() {
		_ = l.Close() // closing the file lets go whatever it says
		<-s.turn
	}
}

// tryAlone is alone without waiting: leave is nil if somebody else is at work.
func (s *Store) tryAlone() (leave func(), err error) {
	select {
	case s.turn <- struct{}{}:
	default:
		return nil, nil
	}
	l := flock.New(filepath.Join(s.opts.Dir, peopleLock), flock.SetPermissions(0o600))
	if ok, err := l.TryLock(); !ok || err != nil {
		<-s.turn
		return nil, errors.Join(err, l.Close())
	}
	return s.leaver(l), nil
}

func (p people) ByEmail(ctx context.Context, email string) (loci.Person, error) {
	who, found, err := p.s.registry.PersonByEmail(ctx, email)
	return p.present(ctx, who, found, err)
}

func (p people) ByID(ctx context.Context, id loci.UserID) (loci.Person, error) {
	who, found, err := p.s.registry.PersonByID(ctx, id)
	return p.present(ctx, who, found, err)
}

// present returns somebody whom the org's file knows, too.
func (p people) present(ctx context.Context, who loci.Person, found bool, err error) (loci.Person, error) {
	if err == nil {
		if !found {
			return loci.Person{}, sqlstore.NoUser()
		}
		err = p.s.View(ctx, who.OrgID, func(tx store.Tx) error { _, err := tx.Users().Get(ctx, who.UserID); return err })
	}
	if loci.CodeOf(err) == loci.NotFound { // an org that is being made or deleted, too
		err = sqlstore.NoUser()
	}
	if err != nil {
		return loci.Person{}, translate(err)
	}
	return who, nil
}

// emailOf returns what the directory says of a user of that org.
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
		state, err = tx.(*sqlstore.Tx).UserState(user) //nolint:forcetypeassert // ours
		return err
	})
	return state, err
}

// Add takes three steps: a row in the org's file that is pending, the row in the
// directory, the mark that the user is complete. Until that mark the user is
// nobody. What a killed process leaves is undone by the next one that wants the
// address, or that starts.
func (p people) Add(ctx context.Context, u loci.User, then func(store.Tx) error) error {
	if u.ID.IsZero() {
		return loci.Errorf(loci.Invalid, "a user needs an id")
	}
	leave, err := p.s.alone(ctx)
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
	after := context.WithoutCancel(ctx) // the outcome stands; what follows must not be left half done
	who := loci.Person{UserID: u.ID, OrgID: u.OrgID, Email: u.Email}
	if settled := p.s.settle(after, who); settled != nil {
		p.s.opts.Log.WarnContext(ctx, "a user is not settled yet; the next start tries again", "user", u.ID.String(), "error",
			settled)
	}
	return translate(err)
}

func (s *Store) withDefaults(u loci.User) loci.User {
	if u.Role == "" {
		u.Role = loci.RoleUser
	}
	if u.OrgRole == "" {
		u.OrgRole = loci.Member
	}
	if u.CreatedAt.IsZero() {
		u.CreatedAt = s.opts.Now()
	}
	return u
}

// begin makes the pending row. The caller is alone, so another one of the same
// address is a dead process's.
func (s *Store) begin(ctx context.Context, u loci.User) error {
	return s.updateOrg(ctx, u.OrgID, func(tx *sqlstore.Tx) error { return tx.BeginUser(u) })
}

// admit makes the user complete together with what then does.
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

// vacate makes an address free that a dead process left in the directory.
// Conflict if it is somebody's. The caller is alone.
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

// abandon undoes an org that a dead process began for the owner of an address.
// Whoever begins one is alone until it is complete. Conflict if the org is
// another one.
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

// settle finishes or undoes a change that ended between the two files, as the
// row in the org's file says. The caller is alone.
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

// settled makes both files agree on the address, as the directory says.
func (s *Store) settled(ctx context.Context, who loci.Person) error {
	email, err := s.emailOf(ctx, who.OrgID, who.UserID)
	if err != nil {
		return err
	}
	err = s.updateOrg(ctx, who.OrgID, func(tx *sqlstore.Tx) error {
		return tx.SetEmail(who.UserID, email)
	})
	if err != nil {
		return err
	}
	return s.registry.SettlePerson(ctx, who.UserID)
}

func (p people) SetEmail(ctx context.Context, org loci.OrgID, user loci.UserID, email string) error {
	leave, err := p.s.alone(ctx)
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
