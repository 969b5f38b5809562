package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// The directory maps an e-mail address, a user or an invitation to its org. The row of the org is
// authoritative: an engine with one file for each org reads that row, too.

// PersonByID returns the directory's entry for a user, settled or not.
func (r *Registry) PersonByID(ctx context.Context, id loci.UserID) (who loci.Person, found bool, err error) {
	return r.person(ctx, "p.user_id = ?", [16]byte(id))
}

// PersonByEmail returns the directory's entry for an address, settled or not.
func (r *Registry) PersonByEmail(ctx context.Context, email string) (who loci.Person, found bool, err error) {
	return r.person(ctx, "p.email = ?", email)
}

func (r *Registry) person(ctx context.Context, where string, arg any) (who loci.Person, found bool, err error) {
	found, err = r.first(ctx, "SELECT p.user_id, p.org_id, p.email FROM people p WHERE {global p} "+where, Args{arg},
		func(row Row) (err error) { who, err = scanPerson(row); return err })
	return who, found, err
}

func scanPerson(r Row) (loci.Person, error) {
	return loci.Person{UserID: r.ID(0), OrgID: loci.OrgID(r.Text(1)), Email: r.Text(2)}, nil
}

// UnsettledPeople returns the people of all orgs who are being added, changed or removed.
func (r *Registry) UnsettledPeople(ctx context.Context) ([]loci.Person, error) {
	return every(ctx, r, "SELECT p.user_id, p.org_id, p.email FROM people p JOIN orgs o ON {global o} o.id = p.org_id "+
		"WHERE {global p} p.settled = FALSE AND o.state IN "+OpenStates, nil, scanPerson)
}

// Enlist adds a user who is not settled yet. Conflict if the address is taken.
func (r *Registry) Enlist(ctx context.Context, u loci.User) error {
	return r.changePeople(ctx, "INSERT INTO people ({global} user_id, org_id, email, settled) VALUES (?, ?, ?, FALSE)",
		[16]byte(u.ID), string(u.OrgID), TextOrNull(u.Email))
}

// PutEmail sets the new address of a user and marks the user as not settled. Conflict if the address is taken.
func (r *Registry) PutEmail(ctx context.Context, org loci.OrgID, user loci.UserID, email string) error {
	return r.changePeople(ctx, `INSERT INTO people ({global} user_id, org_id, email, settled) VALUES (?, ?, ?, FALSE)
		ON CONFLICT ({global} user_id) DO UPDATE SET email = excluded.email, settled = FALSE`, [16]byte(user), string(org),
		TextOrNull(email))
}

// SettlePerson records that both rows of a user agree.
func (r *Registry) SettlePerson(ctx context.Context, user loci.UserID) error {
	return r.changePeople(ctx, "UPDATE people SET settled = TRUE WHERE {global people} user_id = ?", [16]byte(user))
}

func (r *Registry) changePeople(ctx context.Context, text string, args ...any) error {
	err := r.db.Update(ctx, func(c Conn) error { return c.Exec(text, args...) })
	if r.d.taken(err) {
		return ErrTaken()
	}
	return err
}

// MarkLeaving begins the removal of a user. Conflict if the user owns the org. It checks and
// marks in one transaction, so that the org is never handed over to a user who is being removed.
func (r *Registry) MarkLeaving(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	return r.db.Update(ctx, func(c Conn) error {
		holds, err := c.One("SELECT 1 FROM orgs WHERE {global orgs} id = ? AND owner_id = ?",
			Args{string(org), [16]byte(user)},
			func(Row) error { return nil })
		if err == nil && holds {
			err = ErrHolder()
		}
		if err != nil {
			return err
		}
		if err := c.Exec("DELETE FROM mcp_sessions WHERE {global mcp_sessions} user_id = ?", [16]byte(user)); err != nil {
			return err
		}
		err = c.Exec("DELETE FROM mcp_connections WHERE {global mcp_connections} user_id = ?", [16]byte(user))
		if err != nil {
			return err
		}
		return c.Exec("UPDATE people SET settled = FALSE WHERE {global people} user_id = ?", [16]byte(user))
	})
}

// ErrHolder returns the Conflict for a user who owns the org.
func ErrHolder() error {
	return loci.Errorf(loci.Conflict,
		"cannot remove the owner of the org; hand the org over to someone else, or delete it")
}

// RevokeAccess revokes all of a user's credentials and grants.
func (r *Registry) RevokeAccess(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	now := loci.CutTime(r.now()).UnixMicro()
	return r.db.Update(ctx, func(c Conn) error {
		for _, table := range []string{"credentials", "oauth_grants"} {
			err := c.Exec("UPDATE "+table+" SET revoked_at = ? WHERE {global "+table+
				"} org_id = ? AND user_id = ? AND revoked_at IS NULL",
				now, string(org), [16]byte(user))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Delist removes all of a user's rows from the registry.
func (r *Registry) Delist(ctx context.Context, org loci.OrgID, user loci.UserID) error {
	return r.db.Update(ctx, func(c Conn) error {
		for _, table := range []string{"credentials", "oauth_grants", "people"} {
			err := c.Exec("DELETE FROM "+table+" WHERE {global "+table+"} org_id = ? AND user_id = ?", string(org),
				[16]byte(user))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Announced is an invitation and the org that sent it.
type Announced struct {
	Org loci.OrgID
	ID  loci.InviteID
}

// Announce adds an org's invitation. NotFound if the org does not exist.
func (r *Registry) Announce(ctx context.Context, org loci.OrgID, i loci.Invite) error {
	return r.db.Update(ctx, func(c Conn) error {
		err := c.Exec(`INSERT INTO invitations ({global} hash, org_id, id, email, expires_at)
			SELECT ?, id, ?, ?, ? FROM orgs WHERE {global orgs} id = ? AND state IN `+OpenStates+
			` ON CONFLICT ({global} hash) DO UPDATE SET
			org_id = excluded.org_id, id = excluded.id, email = excluded.email, expires_at = excluded.expires_at`,
			i.Hash[:], [16]byte(i.ID), i.Email, i.ExpiresAt.UnixMicro(), string(org))
		return orMissing(c.Changes() > 0, err, NoOrg)
	})
}

// AnnouncedBy returns the invitation with that hash, if it exists.
func (r *Registry) AnnouncedBy(ctx context.Context, hash [32]byte) ([]Announced, error) {
	return r.announced(ctx, "hash = ?", hash[:])
}

// AnnouncedTo returns the invitations to an address that expire after now, newest first.
func (r *Registry) AnnouncedTo(ctx context.Context, email string, now time.Time) ([]Announced, error) {
	return r.announced(ctx, "email = ? AND expires_at > ? ORDER BY expires_at DESC", email, now.UnixMicro())
}

func (r *Registry) announced(ctx context.Context, where string, args ...any) ([]Announced, error) {
	return every(ctx, r, "SELECT org_id, id FROM invitations WHERE {global invitations} "+where, args,
		func(row Row) (Announced, error) { return Announced{loci.OrgID(row.Text(0)), row.ID(1)}, nil })
}
