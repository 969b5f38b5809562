package memory

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// errMoved undoes a change of a memory that has come to another project meanwhile.
var errMoved = errors.New("the memory has moved")

// attach runs fn in a transaction with a live memory to which p may add something. Whether its project is open is
// asked before, as nothing may be waited for in a transaction; so it is repeated if the memory came to another
// meanwhile.
func (s *Service) attach(ctx context.Context, p loci.Principal, act gate.Action, id loci.MemoryID,
	fn func(store.Tx, *loci.Memory, *loci.AuditEntry) error) error {
	for {
		m, err := s.attachable(ctx, p, act, id)
		if err != nil {
			return err
		}
		err = s.Write(ctx, p, act, func(tx store.Tx, e *loci.AuditEntry) error {
			now, err := mayAttach(ctx, tx, p, id)
			if err == nil && now.ProjectID != m.ProjectID {
				err = errMoved
			}
			if err != nil {
				return err
			}
			e.Target = id.String()
			return fn(tx, now, e)
		})
		if !errors.Is(err, errMoved) {
			return err
		}
	}
}

// attachable returns a memory to which p may add something now.
func (s *Service) attachable(ctx context.Context, p loci.Principal, act gate.Action, id loci.MemoryID) (
	m *loci.Memory, err error) {
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) { m, err = mayAttach(ctx, tx, p, id); return err })
	if loci.CodeOf(err) == loci.Forbidden {
		s.Refused(ctx, p, act)
	}
	if err == nil {
		err = s.projects.MustBeOpen(ctx, p, m.ProjectID)
	}
	return m, err
}

// mayAttach returns a live memory to which p may add something. What p may not see is NotFound before anything else is
// said of it.
func mayAttach(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	m, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.LiveOnly)
	switch {
	case err != nil:
		return nil, err
	case m.UserID != p.UserID:
		return nil, loci.Errorf(loci.Forbidden, "this memory is shared with you; only its owner can add to it")
	case p.Kind == loci.KindAgent && m.Origin != p.Origin:
		return nil, loci.Errorf(loci.Forbidden,
			"an agent may add only to what its own vendor wrote; write a memory of your own instead")
	}
	return m, nil
}

// mayDetach says whether p may delete what origin has added to m.
func mayDetach(p loci.Principal, m *loci.Memory, origin string) error {
	switch {
	case m.UserID != p.UserID:
		return loci.Errorf(loci.Forbidden, "this memory is shared with you; only its owner can delete what was added to it")
	case p.Kind == loci.KindAgent && origin != p.Origin:
		return loci.Errorf(loci.Forbidden,
			"an agent may delete only what its own vendor added; ask the person whose memory it is")
	}
	return nil
}

// Within is in which states p may look at one memory: a person also at one in the trash.
func Within(p loci.Principal) loci.Lifecycle {
	if p.Vendor == "" {
		return loci.LiveOrTrash
	}
	return loci.LiveOnly
}
