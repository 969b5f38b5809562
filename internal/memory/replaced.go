package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// ReplacedError is the cause of an error about a memory that another one replaced.
type ReplacedError struct {
	ID       loci.MemoryID
	RevertTo int // the version that makes the memory current again; 0 if the caller cannot revert it
	text     string
}

// Error returns what happened to the memory, and what the caller can do.
func (e *ReplacedError) Error() string { return e.text }

// readable returns a memory that p may read, if need be with include_superseded.
func readable(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	return tx.Memories().GetAt(ctx, p.Viewer(), id, loci.When{Superseded: true})
}

// orReplaced returns the reason why p did not find a memory: an error with this code if another memory replaced it
// and p may read it with include_superseded. Otherwise it returns err, so that it reveals nothing.
func orReplaced(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID, code loci.Code, err error) error {
	if loci.CodeOf(err) != loci.NotFound {
		return err
	}
	m, absent := readable(ctx, tx, p, id)
	switch {
	case loci.CodeOf(absent) == loci.NotFound || absent == nil && m.SupersededBy.IsZero():
		return err
	case absent != nil:
		return absent
	}
	why, err := whyReplaced(ctx, tx, p, m)
	if err != nil {
		return err
	}
	return loci.WrapError(code, why, "memory %s %s", m.ID, why)
}

// whyReplaced describes what happened to m, which p may read.
func whyReplaced(ctx context.Context, tx store.Tx, p loci.Principal, m *loci.Memory) (e *ReplacedError, err error) {
	e = &ReplacedError{ID: m.ID, text: "was replaced"}
	by, gone, err := successor(ctx, tx, p, m.SupersededBy)
	if err != nil {
		return nil, err
	}
	way := "save a new memory instead"
	if by != nil {
		e.text += fmt.Sprintf(" by %s (%s)", by.ID, loci.Shorten(loci.OneLine(by.Title), 60))
		way = "use that one"
	}
	if gone != "" {
		e.text, way = e.text+", which "+gone, "restore that one"
	}
	e.text += "; " + way
	if p.Vendor != "" || !p.Owns(m.UserID, m.Origin) {
		return e, nil // only its owner reverts a memory, in person
	}
	if e.RevertTo, err = lastCurrent(ctx, tx, p.Viewer(), m.ID); err == nil && e.RevertTo != 0 {
		e.text += fmt.Sprintf(", or to make this one current again, revert it to version %d", e.RevertTo)
	}
	return e, err
}

// successor returns the memory with that id, or nil if p does not see it, and what happened to it if
// only its owner still reads it.
func successor(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID) (
	m *loci.Memory, gone string, err error) {
	m, err = readable(ctx, tx, p, id)
	if loci.CodeOf(err) != loci.NotFound {
		return m, "", err
	}
	m, err = tx.Memories().Get(ctx, p.Viewer(), id, loci.AnyState)
	switch {
	case loci.CodeOf(err) == loci.NotFound:
		return nil, "", nil
	case err != nil:
		return nil, "", err
	case p.Vendor != "" || m.UserID != p.UserID:
		return nil, "", nil
	case m.DeletedAt.IsZero():
		return m, "has expired", nil
	}
	return m, "is in the trash", nil
}

// showable removes from memories the id of the one that replaced it, if v does not see that. A superseded memory may
// have more readers than its replacement. Rows that are about to be stored keep the reference.
func showable(ctx context.Context, tx store.Tx, v loci.Viewer, memories ...*loci.Memory) error {
	var ids []loci.MemoryID
	for _, m := range memories {
		if !m.SupersededBy.IsZero() {
			ids = append(ids, m.SupersededBy)
		}
	}
	seen := map[loci.MemoryID]bool{}
	for part := range slices.Chunk(loci.Unique(ids), loci.MaxIDs) {
		found, err := tx.Memories().GetMany(ctx, v, part, loci.AnyState)
		if err != nil {
			return err
		}
		for _, m := range found {
			seen[m.ID] = true
		}
	}
	for _, m := range memories {
		if !seen[m.SupersededBy] {
			m.SupersededBy = loci.MemoryID{}
		}
	}
	return nil
}

// showableOne is showable for one memory that was just read.
func showableOne(ctx context.Context, tx store.Tx, v loci.Viewer, m *loci.Memory, err error) (*loci.Memory, error) {
	if err == nil {
		err = showable(ctx, tx, v, m)
	}
	return m, err
}

// stillSuperseded returns the memories that v sees and that stay superseded by id.
func stillSuperseded(ctx context.Context, tx store.Tx, v loci.Viewer, id loci.MemoryID) (
	[]loci.StillSuperseded, error) {
	rows, err := tx.Memories().ReplacedBy(ctx, v, id, loci.MaxIDs)
	if err != nil {
		return nil, err
	}
	var list []loci.StillSuperseded
	for _, m := range rows {
		one := loci.StillSuperseded{ID: m.ID, Title: m.Title, SupersededBy: id}
		if one.RevertTo, err = lastCurrent(ctx, tx, v, m.ID); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// lastCurrent returns the newest version of a memory that was not superseded, or 0 if v sees none.
func lastCurrent(ctx context.Context, tx store.Tx, v loci.Viewer, id loci.MemoryID) (int, error) {
	for before := 0; ; {
		page, err := tx.Memories().Versions(ctx, v, id, loci.AnyState, before, undoPage)
		if err != nil {
			return 0, err
		}
		for _, old := range page {
			if old.SupersededBy.IsZero() && old.DeletedAt.IsZero() {
				return old.Version, nil
			}
		}
		if len(page) < undoPage {
			return 0, nil
		}
		before = page[len(page)-1].Version
	}
}
