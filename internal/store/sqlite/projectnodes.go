package sqlite

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// trashNodes moves the memory nodes of a project to their owners' trash. It may be repeated, and each of its
// transactions is behind everybody who is writing one now.
func (s *Store) trashNodes(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	for n := trashBatch; n == trashBatch; {
		err := s.updateOrg(ctx, org, func(tx *tx) (err error) {
			n, err = memoryNodes{tx}.trashOf(ctx, id, loci.CutTime(s.opts.Now()))
			return err
		})
		if loci.CodeOf(err) == loci.NotFound { // the org is gone, with all that is in it
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// trashOf trashes nodes of a project, at most trashBatch, and returns how many.
func (t memoryNodes) trashOf(ctx context.Context, id loci.ProjectID, now time.Time) (int, error) {
	var list []*storedNode
	err := t.c.Query("SELECT "+nodeColumns+" FROM memory_nodes m WHERE m.scope = 'project' AND m.project_id = ? AND m.deleted_at IS NULL LIMIT ?",
		sqlitedb.Args{[16]byte(id), trashBatch}, func(r *sqlitedb.Row) error {
			n, err := t.scanNode(r)
			list = append(list, n)
			return err
		})
	for _, old := range list {
		next := old.MemoryNode
		next.DeletedAt, next.UpdatedAt = now, now
		if !now.After(old.UpdatedAt) {
			next.UpdatedAt = old.UpdatedAt.Add(time.Microsecond)
		}
		if err == nil {
			err = t.Update(ctx, &next)
		}
	}
	return len(list), err
}
