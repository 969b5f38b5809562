package app

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Trash moves a memory to the trash, from where it can be restored until it is
// purged. NotFound if it is there already or not visible; Forbidden if it is
// another person's or, for an agent, of another origin than its vendor, and
// where the org deletes only after step-up; Precondition as for Replace.
func (a *App) Trash(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int) (*loci.Memory, error) {
	if err := a.begin(ctx, p, MemoryTrash); err != nil {
		return nil, err
	}
	return a.change(ctx, p, id, edit{act: MemoryTrash, ifVersion: ifVersion, what: loci.Trashed, fn: a.toTrash})
}

func (a *App) toTrash(m *loci.Memory) error {
	m.DeletedAt = a.time()
	return nil
}

// TrashResult is one memory that TrashMany trashed.
type TrashResult struct {
	ID        loci.MemoryID `json:"id" format:"uuid"`
	Version   int           `json:"version"`
	DeletedAt time.Time     `json:"deleted_at"`
}

// MaxTrash is the most memories that one call of TrashMany trashes.
const MaxTrash = 1000

// TrashMany trashes all these memories or none. NotFound if one of them is not
// there or not visible, without saying which; Forbidden if one is not the
// caller's to trash; Invalid for no ids, too many or one twice.
func (a *App) TrashMany(ctx context.Context, p loci.Principal, ids []loci.MemoryID) ([]TrashResult, error) {
	if err := a.begin(ctx, p, MemoryTrash); err != nil {
		return nil, err
	}
	if len(ids) == 0 || len(ids) > MaxTrash {
		return nil, loci.FieldErrorf("ids", "must have 1 to %d entries", MaxTrash)
	}
	seen := make(map[loci.MemoryID]bool, len(ids))
	for _, id := range ids {
		if seen[id] {
			return nil, loci.FieldErrorf("ids", "names a memory twice")
		}
		seen[id] = true
	}
	var out []TrashResult
	err := a.write(ctx, p, MemoryTrash, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Count = len(ids)
		out, err = a.trashAll(ctx, tx, p, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (a *App) trashAll(ctx context.Context, tx store.Tx, p loci.Principal, ids []loci.MemoryID) ([]TrashResult, error) {
	how := edit{act: MemoryTrash, what: loci.Trashed, fn: a.toTrash}
	found, err := tx.Memories().GetMany(ctx, p.Viewer(), ids, loci.LiveOnly)
	if err != nil {
		return nil, err
	}
	if len(found) < len(ids) { // before anything is said of the others
		return nil, loci.Errorf(loci.NotFound, "at least one of these memories is not there; none was trashed")
	}
	out := make([]TrashResult, 0, len(ids))
	for _, id := range ids {
		old, err := owned(ctx, tx, p, id, how)
		if err != nil {
			return nil, err
		}
		m, err := a.put(ctx, tx, p, old, how)
		if err != nil {
			return nil, err
		}
		out = append(out, TrashResult{ID: id, Version: m.Version, DeletedAt: m.DeletedAt})
	}
	return out, nil
}

// Restore takes a memory out of the trash, and brings an expired one back by
// clearing its expiry. NotFound if it is neither; otherwise the errors of Trash.
func (a *App) Restore(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int) (*loci.Memory, error) {
	if err := a.begin(ctx, p, MemoryRestore); err != nil {
		return nil, err
	}
	how := edit{act: MemoryRestore, ifVersion: ifVersion, life: loci.AnyState, what: loci.Restored}
	how.fn = func(m *loci.Memory) error {
		expired := !m.ExpiresAt.IsZero() && !m.ExpiresAt.After(a.time())
		if m.DeletedAt.IsZero() && !expired {
			return loci.NoSuchMemory()
		}
		m.DeletedAt = time.Time{}
		if expired {
			m.ExpiresAt = time.Time{}
		}
		return nil
	}
	return a.change(ctx, p, id, how)
}

// Erase deletes a memory for good with all its versions, also from the trash.
// Its errors are those of Trash.
func (a *App) Erase(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion int) error {
	if err := a.begin(ctx, p, MemoryErase); err != nil {
		return err
	}
	return a.write(ctx, p, MemoryErase, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		if _, err := owned(ctx, tx, p, id, edit{act: MemoryErase, ifVersion: ifVersion, life: loci.AnyState}); err != nil {
			return err
		}
		return tx.Memories().Erase(ctx, id)
	})
}
