package vectors

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Upkeep does what Run does each time it looks.
func (x *Index) Upkeep(ctx context.Context) {
	x.list(ctx)
	x.look(ctx, true)
}

// Look is Upkeep without what Run does at its start.
func (x *Index) Look(ctx context.Context) { x.look(ctx, true) }

// Spoil lets the sets of an org say that the vector of a memory is of another text, drops that of another one, shortens
// that of a third, and adds one of a memory that does not exist.
func (s *Files) Spoil(ctx context.Context, org loci.OrgID, stale, missing, short loci.MemoryID) error {
	list, err := s.Sets(ctx, org)
	for _, k := range list {
		if err := s.Use(ctx, org, k, func(set Set) error {
			f := set.(*file)
			return f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
				for _, one := range []struct {
					sql string
					id  loci.MemoryID
				}{{"UPDATE vectors SET hash = x'00' WHERE id = ?", stale}, {"DELETE FROM vectors WHERE id = ?", missing},
					{"UPDATE vectors SET packed = x'00' WHERE id = ?", short}} {
					if err := c.Exec(one.sql, [16]byte(one.id)); err != nil {
						return err
					}
				}
				return put(c, loci.NewMemoryID(), []byte{1}, make([]float32, 64))
			})
		}); err != nil {
			return err
		}
	}
	return err
}

// OpenFiles returns how many files are open.
func (s *Files) OpenFiles() int { return s.open.Len() }
