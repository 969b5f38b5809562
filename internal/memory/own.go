package memory

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// mayChange returns an error unless p may change, share or trash m, which it sees.
func mayChange(p loci.Principal, m *loci.Memory) error {
	switch {
	case p.Owns(m.UserID, m.Origin):
		return nil
	case m.UserID != p.UserID:
		return loci.Errorf(loci.Forbidden, "this memory is shared with you; only its owner can change it")
	}
	return loci.Errorf(loci.Forbidden, "cannot change, share or trash this memory: %q wrote it, not you; to replace it, "+
		"save a new memory with its id in supersedes, and the person decides", m.Origin)
}

// MayTrash returns a memory that p could trash if p were allowed to delete. Its other errors are those of Trash.
func (s *Service) MayTrash(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (*loci.Memory, error) {
		return owned(ctx, tx, p, id, edit{act: Trash})
	})
}

// forgets is how long an assistant may take back what it wrote, whatever the deletion rule.
const forgets = 24 * time.Hour

// mayForget returns an error unless p may trash m, which it may change. Under the deletion rule, an agent may trash
// only a memory whose every version its own credential made within the last day.
func (s *Service) mayForget(ctx context.Context, tx store.Tx, p loci.Principal, m *loci.Memory) error {
	refused := s.OnlyRecent(p, Trash)
	if refused == nil {
		return nil
	}
	before, err := tx.Memories().Versions(ctx, p.Viewer(), m.ID, loci.AnyState, 0, loci.MaxIDs)
	if err != nil {
		return err
	}
	own := m.CreatedAt.After(s.Time().Add(-forgets)) && len(before) == m.Version-1 && madeWith(p, &m.State)
	for _, v := range before {
		own = own && madeWith(p, &v.State)
	}
	if own {
		return nil
	}
	return refused
}

// madeWith reports whether p's credential made a version.
func madeWith(p loci.Principal, v *loci.State) bool {
	return v.Editor == p.Origin && v.EditorID == p.UserID && v.EditorCredentialID == p.CredentialID
}

// mayAdmit returns an error if an agent would let more vendors read a memory than before. Only a person may do that.
func mayAdmit(p loci.Principal, before, after []loci.Vendor) error {
	if p.Vendor == "" || loci.Covers(before, after) {
		return nil
	}
	return loci.Errorf(loci.Forbidden,
		"only a person may let more vendors read a memory; leave allowed_vendors out to keep it as it is")
}

// mayExpire returns an error unless p may let a memory expire at after instead of before. An earlier
// end counts as a deletion. The zero time is no end.
func (s *Service) mayExpire(p loci.Principal, before, after time.Time) error {
	if after.IsZero() || !before.IsZero() && !after.Before(before) {
		return nil
	}
	err := s.OnlyRecent(p, Trash)
	if loci.CodeOf(err) != loci.Forbidden {
		return err
	}
	return loci.Errorf(loci.Forbidden, "cannot let this memory expire earlier: that counts as a deletion, which this "+
		"credential may not do; leave out ttl and expires_at, or ask the person to change it")
}

// narrowed returns the vendors that may read old once by replaces it: those that both admit. If that
// is nobody, old stays as it is, because a memory always admits a vendor.
func narrowed(old, by *loci.Memory) []loci.Vendor {
	if both := loci.Narrowed(old.AllowedVendors, by.AllowedVendors); len(both) > 0 {
		return both
	}
	return old.AllowedVendors
}
