package vectors

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Upkeep does what Run does each time it looks.
func (x *Index) Upkeep(ctx context.Context) {
	x.useAll(ctx)
	x.look(ctx)
}

// Look is Upkeep without what Run does at its start.
func (x *Index) Look(ctx context.Context) { x.look(ctx) }

// Spoil lets the file of an org say that the vector of a memory is of another text, drops that of another one, shortens
// that of a third, and adds one of a memory that does not exist.
func (x *Index) Spoil(ctx context.Context, org loci.OrgID, stale, missing, short loci.MemoryID) error {
	for _, f := range x.of(org).files {
		if err := f.Update(ctx, func(c *sqlitedb.Conn) error {
			for _, one := range []struct {
				sql string
				id  loci.MemoryID
			}{{"UPDATE vectors SET hash = x'00' WHERE id = ?", stale}, {"DELETE FROM vectors WHERE id = ?", missing},
				{"UPDATE vectors SET packed = x'00' WHERE id = ?", short}} {
				if err := c.Exec(one.sql, [16]byte(one.id)); err != nil {
					return err
				}
			}
			return put(c, loci.NewMemoryID(), []byte{1}, make([]float32, f.name.dims))
		}); err != nil {
			return err
		}
	}
	return nil
}
