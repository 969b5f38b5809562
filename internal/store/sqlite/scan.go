package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Scan runs fn in one read transaction on org's file, on a connection that View never uses.
func (s *Store) Scan(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	return s.with(ctx, org, func(f *orgFile) error {
		return f.DB.Scan(ctx, func(c *sqlitedb.Conn) error { return s.run(f, c, fn) })
	})
}
