package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// MaxSent is how many things Loci keeps of what a subject has received in a session.
const MaxSent = 1000

// Packs stores what sessions have received in context packs: ids and versions, never texts. What it has goes with the
// session.
type Packs interface {
	// Sent returns what a subject has received in a session, by Place.
	Sent(ctx context.Context, session loci.SessionID, subject string) ([]Sent, error)
	// Revision returns the last revision of Add; 0: they have received nothing.
	Revision(ctx context.Context, session loci.SessionID, subject string) (int, error)
	// Add adds to it, and stores the revision. A thing that is there gets the new version. Of more than MaxSent things,
	// it forgets the oldest that have no Place. It fails with NotFound if the session doesn't exist.
	Add(ctx context.Context, session loci.SessionID, subject string, revision int, list []Sent, now time.Time) error
	// Forget forgets what has a Place, or everything.
	Forget(ctx context.Context, session loci.SessionID, subject string, all bool) error
	// TakeBack forgets some things, which a subject has not received after all.
	TakeBack(ctx context.Context, session loci.SessionID, subject string, ids [][16]byte) error
	// Leave forgets what a person has received in all sessions by a key or a grant; zero: by all of them.
	Leave(ctx context.Context, user loci.UserID, holder [16]byte) error
	// Purge forgets what callers received who have received nothing since a time, of at most limit callers, and returns
	// how many things. A caller's things go together, because a part of a prefix is another prefix.
	Purge(ctx context.Context, before time.Time, limit int) (int, error)
}

// Sent is something that a session has received.
type Sent struct {
	ID      [16]byte // of a memory, an event or an entity; zero: the session has begun
	Version int      // of what the line says; of the zero ID, the revision
	Place   int      // in the prefix, from 1; 0: after the prefix; -1: the session has begun
	Cut     int      // how many quarters of a token a line of the prefix had room for, if it was cut
}

// ForgetPacks forgets what a person has received in context packs by a key or a grant, which is revoked; zero: by all
// of them. Credentials are in another file, so it cannot be one transaction with them. What an interrupted call
// leaves goes with the next purge.
func ForgetPacks(ctx context.Context, st Store, org loci.OrgID, user loci.UserID, holder [16]byte) error {
	return st.Update(ctx, org, func(tx Tx) error { return tx.Packs().Leave(ctx, user, holder) })
}
