package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// Packs stores what sessions have received in context packs: ids and versions, never texts. What it has goes with the
// session.
type Packs interface {
	// Sent returns what a subject has received in a session, by Place.
	Sent(ctx context.Context, session loci.SessionID, subject string) ([]Sent, error)
	// Add adds to it. A thing that is there gets the new version. It fails with NotFound if the session doesn't exist.
	Add(ctx context.Context, session loci.SessionID, subject string, list []Sent, now time.Time) error
	// Forget forgets what has a Place, or everything.
	Forget(ctx context.Context, session loci.SessionID, subject string, all bool) error
}

// Sent is something that a session has received.
type Sent struct {
	ID      [16]byte // of a memory, an event or an entity; zero: the session has begun
	Version int      // of a memory
	Place   int      // in the prefix, from 1; 0: after the prefix; -1: the session has begun
	Cut     int      // how many quarters of a token a line of the prefix had room for, if it was cut
}
