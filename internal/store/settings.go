package store

import (
	"context"

	"github.com/loci-memory/loci"
)

// Settings stores the settings of the deployment that people changed while Loci runs.
type Settings interface {
	// List returns all of them, by key.
	List(ctx context.Context) ([]loci.StoredSetting, error)
	// Put stores a setting in place of the one with its key.
	Put(ctx context.Context, s loci.StoredSetting) error
	// Delete deletes a setting. It succeeds if there is none.
	Delete(ctx context.Context, key string) error
}
