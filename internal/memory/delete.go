package memory

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Trash moves a memory, also a superseded one, to the trash. It can be restored until it is purged. NotFound if it is
// not visible; Conflict if it is in the person's trash already, which is NotFound for an agent; Forbidden if it
// belongs to another person, for an agent if another vendor wrote it, and if the org requires step-up for deletion,
// unless mayForget allows it; Precondition as for Replace. What it had replaced stays superseded, and the result
// names it.
func (s *Service) Trash(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int) (
	*loci.TrashedMemory, error) {
	if err := s.Begin(ctx, p, Trash); err != nil {
		return nil, err
	}
	var out loci.TrashedMemory
	how := edit{act: Trash, ifVersion: ifVersion, what: loci.Trashed, fn: s.toTrash}
	how.then = func(tx store.Tx) (err error) {
		out.StillSuperseded, err = stillSuperseded(ctx, tx, p.Viewer(), id)
		return err
	}
	m, err := s.change(ctx, p, id, how)
	if err != nil {
		return nil, err
	}
	out.Memory = *m
	if p.Vendor != "" {
		out.Hint = "It is in the trash. To restore it, the person runs: loci restore " + id.String()
	}
	return &out, nil
}

// trashedAlready returns why p cannot trash a memory that is not live. Only people see their trash.
func trashedAlready(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID) error {
	if p.Vendor != "" {
		return loci.NoSuchMemory()
	}
	if _, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.TrashOnly); err != nil {
		return err
	}
	return loci.Errorf(loci.Conflict, "this memory is already in the trash; to get it back, restore it")
}

func (s *Service) toTrash(m *loci.Memory) error {
	m.DeletedAt = s.Time()
	return nil
}

// TrashResult is one memory that TrashMany trashed.
type TrashResult struct {
	ID        loci.MemoryID `json:"id" format:"uuid"`
	Version   int           `json:"version"`
	DeletedAt time.Time     `json:"deleted_at"`
	// StillSuperseded is as in loci.TrashedMemory.
	StillSuperseded []loci.StillSuperseded `json:"still_superseded,omitempty"`
}

// MaxTrash is the most memories that one call of TrashMany accepts.
const MaxTrash = 1000

// TrashMany trashes all these memories or none. NotFound if one of them does not exist or is not visible, without
// naming it; Forbidden if the caller may not trash one of them; Invalid for no ids, too many or duplicates.
func (s *Service) TrashMany(ctx context.Context, p loci.Principal, ids []loci.MemoryID) ([]TrashResult, error) {
	if err := s.Begin(ctx, p, Trash); err != nil {
		return nil, err
	}
	if len(ids) == 0 || len(ids) > MaxTrash {
		return nil, loci.FieldErrorf("ids", "must have 1 to %d entries", MaxTrash)
	}
	seen := make(map[loci.MemoryID]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			return nil, loci.FieldErrorf("ids", "must not have the same memory twice")
		}
		seen[id] = true
	}
	var out []TrashResult
	err := s.Write(ctx, p, Trash, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Count = len(ids)
		out, err = s.trashAll(ctx, tx, p, ids)
		return err
	})
	return out, err
}

func (s *Service) trashAll(ctx context.Context, tx store.Tx, p loci.Principal, ids []loci.MemoryID) (
	[]TrashResult, error) {
	how := edit{act: Trash, what: loci.Trashed, fn: s.toTrash}
	all, err := readAt(ctx, tx, p.Viewer(), ids, &Filter{When: loci.When{Superseded: true}})
	if err != nil {
		return nil, err
	}
	if len(all) < len(ids) { // before the others can cause another error
		return nil, loci.Errorf(loci.NotFound, "at least one of these memories was not found; none was trashed")
	}
	out := make([]TrashResult, 0, len(ids))
	for _, id := range ids {
		old, err := owned(ctx, tx, p, id, how)
		if err != nil {
			return nil, err
		}
		m, err := s.put(ctx, tx, p, old, how)
		if err != nil {
			return nil, err
		}
		out = append(out, TrashResult{ID: id, Version: m.Version, DeletedAt: m.DeletedAt})
	}
	for i := range out { // now that all are in the trash
		if out[i].StillSuperseded, err = stillSuperseded(ctx, tx, p.Viewer(), out[i].ID); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Restore takes a memory out of the trash, or restores an expired one by clearing its expiry.
// NotFound if it is neither, Conflict with a ReplacedError if another memory replaced it; otherwise
// the errors of Trash. A memory that was superseded before it was trashed stays superseded.
func (s *Service) Restore(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int) (
	*loci.Memory, error) {
	if err := s.Begin(ctx, p, Restore); err != nil {
		return nil, err
	}
	how := edit{act: Restore, ifVersion: ifVersion, life: loci.AnyState, what: loci.Restored}
	how.fn = func(m *loci.Memory) error {
		expired := !m.ExpiresAt.IsZero() && !m.ExpiresAt.After(s.Time())
		if m.DeletedAt.IsZero() && !expired {
			return loci.NoSuchMemory()
		}
		m.DeletedAt = time.Time{}
		if expired {
			m.ExpiresAt = time.Time{}
		}
		return nil
	}
	return s.change(ctx, p, id, how)
}

// emptyBatch is how many memories one transaction of EmptyTrash erases, so that other writers do not wait long.
const emptyBatch = 200

// EmptyTrash permanently deletes every memory in the caller's trash, with all versions, and returns
// how many. It works in batches: if it fails, the batches before stay deleted, and a repetition
// deletes the rest. Forbidden as for Erase.
func (s *Service) EmptyTrash(ctx context.Context, p loci.Principal) (deleted int, err error) {
	if err := s.Begin(ctx, p, Erase); err != nil {
		return 0, err
	}
	for {
		n, err := s.emptyOnce(ctx, p)
		deleted += n
		if err != nil || n < emptyBatch {
			return deleted, err
		}
	}
}

// emptyOnce erases a batch. Its entry in the audit trail has the count.
func (s *Service) emptyOnce(ctx context.Context, p loci.Principal) (n int, err error) {
	how := edit{act: Erase, life: loci.TrashOnly}
	err = s.Write(ctx, p, Erase, func(tx store.Tx, e *loci.AuditEntry) error {
		n = 0
		page, err := tx.Lists().List(ctx, p.Viewer(), store.ListQuery{Filter: Filter{Lifecycle: loci.TrashOnly},
			Limit: emptyBatch})
		if err != nil {
			return err
		}
		for _, m := range page.Memories {
			if _, err := owned(ctx, tx, p, m.ID, how); err != nil {
				return err
			}
			if err := tx.Memories().Erase(ctx, m.ID); err != nil {
				return err
			}
		}
		if n = len(page.Memories); n == 0 {
			e.Action = ""
		}
		e.Count = n
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// Erase permanently deletes a memory with all its versions, also from the trash. Its errors are those of Trash.
func (s *Service) Erase(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int) error {
	if err := s.Begin(ctx, p, Erase); err != nil {
		return err
	}
	return s.Write(ctx, p, Erase, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		if _, err := owned(ctx, tx, p, id, edit{act: Erase, ifVersion: ifVersion, life: loci.AnyState}); err != nil {
			return err
		}
		return tx.Memories().Erase(ctx, id)
	})
}
