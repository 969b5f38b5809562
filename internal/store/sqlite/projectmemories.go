package sqlite

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// trashBatch keeps each transaction short, so that writers do not wait.
const trashBatch = 200

// trashMemories moves the memories of a project to their owners' trash. It may be
// repeated: what is there already stays as it is. An org that is being deleted takes
// its memories along.
func (s *Store) trashMemories(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return s.trashFound(ctx, org, id, s.View)
}

// trashLateMemories is trashMemories behind everybody who is writing one now.
func (s *Store) trashLateMemories(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return s.trashFound(ctx, org, id, s.Update)
}

// inOrg is Store.View or Store.Update.
type inOrg func(context.Context, loci.OrgID, func(store.Tx) error) error

func (s *Store) trashFound(ctx context.Context, org loci.OrgID, id loci.ProjectID, in inOrg) error {
	seqs, err := s.memoriesOf(ctx, org, id, in)
	for batch := range slices.Chunk(seqs, trashBatch) {
		if err == nil {
			err = s.trashRows(ctx, org, id, batch)
		}
	}
	if loci.CodeOf(err) == loci.NotFound { // the org
		return nil
	}
	return err
}

// memoriesOf returns the numbers of the project's rows that are not in the trash,
// expired and superseded ones too.
func (s *Store) memoriesOf(ctx context.Context, org loci.OrgID, id loci.ProjectID, in inOrg) (seqs []int64, err error) {
	if _, err := s.registry.Exists(ctx, org); err != nil {
		return nil, err
	}
	pool := newPool(projectPool, id)
	err = in(ctx, org, func(t store.Tx) error {
		seqs = nil
		return indexOf(t).c.Query("SELECT seq FROM memory_postings WHERE pool = ? AND token IN ('"+tokenLive+"', '"+tokenPast+
			"')",
			sqlitedb.Args{pool[:]}, func(r *sqlitedb.Row) error { seqs = append(seqs, r.Int64(0)); return nil })
	})
	slices.Sort(seqs) // each vendor's posting names the row
	return slices.Compact(seqs), err
}

func (s *Store) trashRows(ctx context.Context, org loci.OrgID, id loci.ProjectID, seqs []int64) error {
	return s.updateOrg(ctx, org, func(tx *sqlstore.Tx) error {
		return tx.TrashMemories(id, seqs, loci.CutTime(s.opts.Now()))
	})
}

// trashNodes moves the memory nodes of a project to their owners' trash. It may be repeated, and each of its
// transactions is behind everybody who is writing one now.
func (s *Store) trashNodes(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	for n := trashBatch; n == trashBatch; {
		err := s.updateOrg(ctx, org, func(tx *sqlstore.Tx) (err error) {
			n, err = tx.TrashNodes(ctx, id, loci.CutTime(s.opts.Now()), trashBatch)
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
