package memory

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Promote saves memories that were candidates, and what then does with the results, in one transaction, which it
// records as act. It works like Create for each draft, with its errors, but the source of the memories may be
// loci.AutoSource. Call it after Begin of act.
func (s *Service) Promote(ctx context.Context, p loci.Principal, act gate.Action, drafts []Draft,
	then func(tx store.Tx, e *loci.AuditEntry, saved []*loci.Saved) error) ([]*loci.Saved, error) {
	if err := s.Also(ctx, p, Create); len(drafts) > 0 && err != nil {
		return nil, err
	}
	list := make([]*saving, len(drafts))
	saved := make([]*loci.Saved, len(drafts))
	var known loci.ProjectID
	for i, d := range drafts {
		sv, err := s.newSaving(ctx, p, d, promoted)
		if err != nil {
			return nil, err
		}
		if err := sv.may(ctx); err != nil {
			return nil, err
		}
		if err := s.projects.MustBeOpen(ctx, p, sv.m.ProjectID); err != nil {
			return nil, err
		}
		list[i], saved[i], known = sv, &sv.saved, sv.m.ProjectID
	}
	err := s.openly(ctx, p, known, func(open func(loci.ProjectID) error) error {
		return s.Write(ctx, p, act, func(tx store.Tx, e *loci.AuditEntry) error {
			for _, sv := range list {
				if err := sv.runWithin(ctx, tx, open); err != nil {
					return err
				}
			}
			return then(tx, e, saved)
		})
	})
	if err != nil {
		for _, sv := range list {
			sv.unshow()
		}
		return nil, err
	}
	return saved, nil
}

// promoted is a memory that checkDraft takes for the one before: it lets the source be loci.AutoSource.
var promoted = &loci.Memory{Source: loci.AutoSource}

// runWithin saves in a transaction that records something else, too.
func (s *saving) runWithin(ctx context.Context, tx store.Tx, open func(loci.ProjectID) error) error {
	e := s.app.Entry(s.p, Create)
	if err := s.run(ctx, tx, &e, open); err != nil || e.Action == "" {
		return err
	}
	return tx.Audit().Add(ctx, e)
}

// Demote takes back what Promote did for one memory, and what then does, in one transaction, which it records as act.
// It moves the memory to the trash, and those that it superseded hold again. Its errors are those of Trash. Call it
// after Begin of act.
func (s *Service) Demote(ctx context.Context, p loci.Principal, act gate.Action, id loci.MemoryID,
	then func(tx store.Tx, e *loci.AuditEntry) error) error {
	if err := s.Also(ctx, p, Trash); err != nil {
		return err
	}
	return s.openly(ctx, p, loci.ProjectID{}, func(open func(loci.ProjectID) error) error {
		return s.Write(ctx, p, act, func(tx store.Tx, e *loci.AuditEntry) error {
			if err := s.demote(ctx, tx, p, id, open); err != nil {
				return err
			}
			return then(tx, e)
		})
	})
}

func (s *Service) demote(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID,
	open func(loci.ProjectID) error) error {
	replaced, err := tx.Memories().ReplacedBy(ctx, p.Viewer(), id, MaxSuperseded)
	if err != nil {
		return err
	}
	how := edit{act: Trash, what: loci.Trashed, fn: s.toTrash}
	m, err := owned(ctx, tx, p, id, how)
	if err == nil {
		err = open(m.ProjectID)
	}
	if err == nil {
		_, err = s.put(ctx, tx, p, m, how)
	}
	if err != nil {
		return err
	}
	trashed := s.Entry(p, Trash)
	trashed.Target = id.String()
	if err := tx.Audit().Add(ctx, trashed); err != nil {
		return err
	}
	for _, old := range replaced {
		if !p.Owns(old.UserID, old.Origin) {
			continue
		}
		if err := s.holdsAgain(ctx, tx, p, old, open); err != nil {
			return err
		}
	}
	return nil
}

// holdsAgain makes a superseded memory live, with the end of its validity that it had before.
func (s *Service) holdsAgain(ctx context.Context, tx store.Tx, p loci.Principal, old *loci.Memory,
	open func(loci.ProjectID) error) error {
	if err := open(old.ProjectID); err != nil {
		return err
	}
	before, err := oldVersion(ctx, tx, p.Viewer(), old.ID, old.Version-1)
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		return err
	}
	_, err = s.put(ctx, tx, p, old, edit{what: loci.Updated, fn: func(m *loci.Memory) error {
		m.SupersededBy, m.ValidTo = loci.MemoryID{}, time.Time{}
		if before != nil {
			m.ValidTo = before.ValidTo
		}
		return nil
	}})
	if err != nil {
		return err
	}
	e := s.Entry(p, Change)
	e.Target = old.ID.String()
	return tx.Audit().Add(ctx, e)
}
