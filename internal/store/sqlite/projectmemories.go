package sqlite

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// trashBatch is how many memories one transaction trashes. It keeps the transactions short, so
// that writers do not wait.
const trashBatch = 200

// trashMemories moves the memories of a project to their owners' trash. It may be repeated, because it skips memories
// that are there already. If the org is being deleted, its memories go with it.
func (s *Store) trashMemories(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return s.trashFound(ctx, org, id, s.View)
}

// trashLateMemories is trashMemories, but waits for the present writers first.
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
	if loci.CodeOf(err) == loci.NotFound { // the org does not exist
		return nil
	}
	return err
}

// memoriesOf returns the numbers of the project's rows that are not in the trash, including
// expired and superseded ones.
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
	slices.Sort(seqs) // a row has a posting for each vendor
	return slices.Compact(seqs), err
}

func (s *Store) trashRows(ctx context.Context, org loci.OrgID, id loci.ProjectID, seqs []int64) error {
	return s.updateOrg(ctx, org, func(tx *sqlstore.Tx) error {
		return tx.TrashMemories(id, seqs, loci.CutTime(s.opts.Now()))
	})
}

// trashNodes moves the memory nodes of a project to their owners' trash. It may be repeated.
func (s *Store) trashNodes(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return s.inBatches(ctx, org, func(tx *sqlstore.Tx) (int, error) {
		return tx.TrashNodes(ctx, id, loci.CutTime(s.opts.Now()), trashBatch)
	})
}

// eraseTasks permanently deletes the tasks of a project. It may be repeated.
func (s *Store) eraseTasks(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return s.inBatches(ctx, org, func(tx *sqlstore.Tx) (int, error) { return tx.EraseTasks(id, trashBatch) })
}

// releaseCandidates leaves the candidates and notes of a project to their owners. It may be repeated.
func (s *Store) releaseCandidates(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return s.inBatches(ctx, org,
		func(tx *sqlstore.Tx) (int, error) { return tx.ReleaseCandidates(ctx, id, trashBatch) })
}

// inBatches changes rows of an org in several transactions, until one changes fewer than trashBatch. Each
// transaction waits for the present writers.
func (s *Store) inBatches(ctx context.Context, org loci.OrgID, change func(*sqlstore.Tx) (int, error)) error {
	for n := trashBatch; n == trashBatch; {
		err := s.updateOrg(ctx, org, func(tx *sqlstore.Tx) (err error) {
			n, err = change(tx)
			return err
		})
		if loci.CodeOf(err) == loci.NotFound { // the org is gone with all its contents
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
