package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// ArcBinding says in which Arc the events of an org are. Its API key is sealed; the store never sees it.
type ArcBinding struct {
	OrgID       loci.OrgID
	URL         string
	Database    string
	Measurement string
	Key         SealedKey
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// SealedKey is an API key as package seal encrypts it.
type SealedKey struct {
	MasterID string // names the master key
	Nonce    []byte
	Sealed   []byte
}

// ArcBindings stores the bindings of orgs, at most one for each.
type ArcBindings interface {
	// Insert stores b. It fails with Conflict if its org has a binding, and with NotFound if the org
	// doesn't exist.
	Insert(ctx context.Context, b ArcBinding) error
	// Get returns the binding of an org, or NotFound.
	Get(ctx context.Context, org loci.OrgID) (ArcBinding, error)
	// List returns all bindings, by org.
	List(ctx context.Context) ([]ArcBinding, error)
	// Update lets change alter a binding in one transaction. If change fails, nothing is stored. It
	// fails with NotFound.
	Update(ctx context.Context, org loci.OrgID, change func(*ArcBinding) error) (ArcBinding, error)
	// UpdateAll is Update for all bindings, in one transaction. It returns their number.
	UpdateAll(ctx context.Context, change func(*ArcBinding) error) (int, error)
	// Delete removes the binding of an org, or returns NotFound.
	Delete(ctx context.Context, org loci.OrgID) error
}
