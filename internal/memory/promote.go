package memory

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Promotion is the draft of a memory that was a candidate.
type Promotion struct {
	Draft
	Origin string // who proposed it, by the credential of the proposal; the one who accepts is the editor of version 1
}

// Promote saves memories that were candidates, and what then does with the results, in one transaction, which it
// records as act. It works like Create for each draft, with its errors, but the source of the memories may be
// loci.AutoSource, and their origin is the one that proposed them. Call it after Begin of act.
func (s *Service) Promote(ctx context.Context, p loci.Principal, act gate.Action, drafts []Promotion,
	then func(tx store.Tx, e *loci.AuditEntry, saved []*loci.Saved) error) error {
	if err := s.Also(ctx, p, Create); len(drafts) > 0 && err != nil {
		return err
	}
	list := make([]*saving, len(drafts))
	saved := make([]*loci.Saved, len(drafts))
	var known loci.ProjectID
	for i, d := range drafts {
		sv, err := s.newSaving(ctx, p, d.Draft, promoted)
		if err != nil {
			return err
		}
		sv.m.Origin = d.Origin
		if err := sv.may(ctx); err != nil {
			return err
		}
		if err := s.projects.MustBeOpen(ctx, p, sv.m.ProjectID); err != nil {
			return err
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
	}
	return err
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

// Promoted is what Promote did for one memory.
type Promoted struct {
	ID         loci.MemoryID
	Existing   bool            // it was there before
	Superseded []loci.MemoryID // by Promote
	// Keep, if it is set, reports whether the memory stays nevertheless, as if it had been there before.
	Keep func(store.Tx) (bool, error)
}

// Demote takes back what Promote did for one memory, and what then does, in one transaction, which it records as act.
// It moves the memory to the trash, unless it was there before, and those that it superseded hold again. If the memory
// is in the trash already, has expired or is gone, only then is done. Otherwise its errors are those of Trash. Call it
// after Begin of act.
func (s *Service) Demote(ctx context.Context, p loci.Principal, act gate.Action, was Promoted,
	then func(tx store.Tx, e *loci.AuditEntry) error) error {
	also := Trash
	if was.Existing || p.Method == loci.BySignIn || p.Method == loci.ByDashboard {
		also = Change // a person in a browser takes back a deed of their own, and can repeat it
	}
	if err := s.Also(ctx, p, also); err != nil {
		return err
	}
	return s.openly(ctx, p, loci.ProjectID{}, func(open func(loci.ProjectID) error) error {
		return s.Write(ctx, p, act, func(tx store.Tx, e *loci.AuditEntry) error {
			if err := s.takeBack(ctx, tx, p, was, open); err != nil {
				return err
			}
			return then(tx, e)
		})
	})
}

// takeBack demotes the memory, and lets hold again what Promote superseded. If another memory has superseded this one,
// that one also takes the place of the others.
func (s *Service) takeBack(ctx context.Context, tx store.Tx, p loci.Principal, was Promoted,
	open func(loci.ProjectID) error) error {
	if !was.Existing && was.Keep != nil {
		stays, err := was.Keep(tx)
		if err != nil {
			return err
		}
		was.Existing = stays
	}
	replaced, err := replacedBy(ctx, tx, p, was)
	if err != nil {
		return err
	}
	m, err := readable(ctx, tx, p, was.ID)
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		return err
	}
	by := loci.MemoryID{}
	if m != nil {
		by = m.SupersededBy
	}
	if m != nil && !was.Existing {
		if err := s.demote(ctx, tx, p, was.ID, open); err != nil {
			return err
		}
	}
	for _, old := range replaced {
		if err := s.holdsAgain(ctx, tx, p, old, by, open); err != nil {
			return err
		}
	}
	return nil
}

// replacedBy returns the memories that Promote superseded and that nothing else has superseded since.
func replacedBy(ctx context.Context, tx store.Tx, p loci.Principal, was Promoted) ([]*loci.Memory, error) {
	var list []*loci.Memory
	var err error
	if was.Existing {
		list, err = tx.Memories().GetMany(ctx, p.Viewer(), was.Superseded, loci.AnyState)
	} else {
		list, err = tx.Memories().ReplacedBy(ctx, p.Viewer(), was.ID, MaxSuperseded)
	}
	return slices.DeleteFunc(list, func(m *loci.Memory) bool {
		return m.SupersededBy != was.ID || !m.DeletedAt.IsZero() || !p.Owns(m.UserID, m.Origin)
	}), err
}

func (s *Service) demote(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID,
	open func(loci.ProjectID) error) error {
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
	return tx.Audit().Add(ctx, trashed)
}

// holdForOthers makes memories of others live that m replaced, because they cannot see m any more.
func (s *Service) holdForOthers(ctx context.Context, tx store.Tx, p loci.Principal, m *loci.Memory) error {
	v := loci.Viewer{OrgID: m.OrgID, UserID: m.UserID, TeamID: m.TeamID, WorkspaceID: m.WorkspaceID}
	rows, err := tx.Memories().ReplacedBy(ctx, v, m.ID, loci.MaxIDs)
	for _, old := range rows {
		if err == nil && old.UserID != m.UserID {
			err = s.holdsAgain(ctx, tx, p, old, loci.MemoryID{}, func(loci.ProjectID) error { return nil })
		}
	}
	return err
}

// holdsAgain makes a superseded memory live, with the end of its validity that it had before. If by is not zero, it
// stays superseded, by that one.
func (s *Service) holdsAgain(ctx context.Context, tx store.Tx, p loci.Principal, old *loci.Memory, by loci.MemoryID,
	open func(loci.ProjectID) error) error {
	if err := open(old.ProjectID); err != nil {
		return err
	}
	owner := loci.Viewer{OrgID: old.OrgID, UserID: old.UserID, WorkspaceID: old.WorkspaceID} // p may see no versions
	current, err := lastCurrent(ctx, tx, owner, old.ID)
	if err != nil {
		return err
	}
	before, err := oldVersion(ctx, tx, owner, old.ID, current)
	if err != nil && loci.CodeOf(err) != loci.NotFound {
		return err
	}
	_, err = s.put(ctx, tx, p, old, edit{what: loci.Updated, fn: func(m *loci.Memory) error {
		m.SupersededBy = by
		if !by.IsZero() {
			return nil
		}
		m.ValidTo = time.Time{}
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
