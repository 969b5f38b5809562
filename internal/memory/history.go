package memory

import (
	"context"
	"errors"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Diff compares two versions of a memory, which may be in the trash or have expired. to 0 is the current version.
// from 0 is the last version before to that the principal may see; if there is none, to is compared with itself.
// NotFound for a memory as for Get. Missing and invisible versions both are NotFound.
func (s *Service) Diff(ctx context.Context, p loci.Principal, id loci.MemoryID, from, to int) (*loci.Diff, error) {
	if err := s.Begin(ctx, p, History); err != nil {
		return nil, err
	}
	for field, n := range map[string]int{"from": from, "to": to} {
		if n < 0 {
			return nil, loci.FieldErrorf(field, "must be the number of a version, from 1")
		}
	}
	var older, newer *loci.Memory
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		current, err := tx.Memories().Get(ctx, p.Viewer(), id, withHistory(p))
		if err != nil {
			return err
		}
		if newer, err = versionOf(ctx, tx, p, current, to); err != nil {
			return err
		}
		if from != 0 {
			if older, err = versionOf(ctx, tx, p, current, from); err != nil {
				return err
			}
			return showable(ctx, tx, p.Viewer(), older, newer)
		}
		older = newer
		before, err := tx.Memories().Versions(ctx, p.Viewer(), id, loci.AnyState, newer.Version, 1)
		if err == nil && len(before) > 0 {
			older = &before[0].Memory
		}
		if err != nil {
			return err
		}
		return showable(ctx, tx, p.Viewer(), older, newer)
	})
	if err != nil {
		return nil, err
	}
	return loci.CompareVersions(older, newer), nil
}

// withHistory is the life of memories whose history p may read. Agents never see the trash.
func withHistory(p loci.Principal) loci.Lifecycle {
	if p.Vendor == "" {
		return loci.AnyState
	}
	return loci.LiveOnly
}

// versionOf returns a visible version of a memory. 0 is the current one.
func versionOf(ctx context.Context, tx store.Tx, p loci.Principal, current *loci.Memory, n int) (*loci.Memory, error) {
	if n == 0 || n == current.Version {
		return current, nil
	}
	m, err := oldVersion(ctx, tx, p.Viewer(), current.ID, n)
	if err == nil && m == nil {
		err = loci.Errorf(loci.NotFound,
			"this memory has no version %d that you may see; its history lists those that there are", n)
	}
	return m, err
}

// Revert restores the content of an old version as a new version. It keeps the versions in
// between. It restores text, attributes, validity, scope and who may read it. It does not change
// whether the memory is shared or trashed, which have their own calls. A superseded memory
// becomes current again if it was current then. If nothing would change, Revert makes no version.
//
// NotFound for a memory or version that does not exist, is in the trash, has expired or is not visible; otherwise the
// errors of Patch: Conflict if the project is archived, Forbidden if the memory's life gets shorter and the
// credential may not delete; Invalid if the version would have expired by now.
func (s *Service) Revert(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion, version int) (
	*loci.Memory, error) {
	if err := s.Begin(ctx, p, Revert); err != nil {
		return nil, err
	}
	if version < 1 {
		return nil, loci.FieldErrorf("version", "must be the number of a version, from 1")
	}
	for open := map[loci.ProjectID]bool{{}: true}; ; {
		var asked loci.ProjectID
		m, err := s.revert(ctx, p, id, ifVersion, version, func(in loci.ProjectID) error {
			if asked = in; !open[in] {
				return errAskProject
			}
			return nil
		})
		if !errors.Is(err, errAskProject) {
			return m, err
		}
		if err := s.projects.MustNotBeArchived(ctx, p, asked); err != nil {
			return nil, err
		}
		open[asked] = true
	}
}

// revert is one attempt. may rejects a project that has not been checked yet.
func (s *Service) revert(ctx context.Context, p loci.Principal, id loci.MemoryID, ifVersion, version int,
	may func(loci.ProjectID) error) (*loci.Memory, error) {
	var reverted *loci.Memory
	how := edit{act: Revert, ifVersion: ifVersion, life: loci.AnyState, what: loci.Updated}
	err := s.Write(ctx, p, Revert, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		now, err := owned(ctx, tx, p, id, how)
		if err != nil {
			return err
		}
		// restoring is a separate action
		if !now.DeletedAt.IsZero() || !now.ExpiresAt.IsZero() && !now.ExpiresAt.After(s.Time()) {
			return loci.NoSuchMemory()
		}
		then, err := versionOf(ctx, tx, p, now, version)
		if err != nil {
			return err
		}
		how.fn = func(m *loci.Memory) error {
			if err := s.reverted(p, m, then); err != nil {
				return err
			}
			if err := may(now.ProjectID); err != nil {
				return err
			}
			return may(m.ProjectID)
		}
		if reverted, err = s.put(ctx, tx, p, now, how); err == nil && reverted == now {
			e.Action = ""
		}
		reverted, err = showableOne(ctx, tx, p.Viewer(), reverted, err)
		return err
	})
	return reverted, err
}

// reverted copies the state of an old version into m and checks the result.
func (s *Service) reverted(p loci.Principal, m, then *loci.Memory) error {
	was := m.Clone()
	*m = *takeState(was, then)
	if then.SupersededBy.IsZero() {
		m.SupersededBy = then.SupersededBy
	}
	if err := m.Validate(); err != nil {
		return err
	}
	if m.Scope == loci.ScopeAgent && !m.TeamID.IsZero() {
		return loci.Errorf(loci.Conflict,
			"version %d is of agent scope, and the memory is shared with a team now; take it back from there first",
			then.Version)
	}
	return s.lives(p, was, m)
}

// lives rejects a shorter life if the credential may not delete, and an expiry that has passed.
func (s *Service) lives(p loci.Principal, was, m *loci.Memory) error {
	if err := s.mayExpire(p, was.ExpiresAt, m.ExpiresAt); err != nil {
		return err
	}
	if !m.ExpiresAt.IsZero() && !m.ExpiresAt.After(s.Time()) {
		return loci.FieldErrorf("version",
			"names one that has expired by now, so nobody could read the memory; copy what you need from it, or trash the "+
				"memory")
	}
	return nil
}

// GetAt returns a memory as it was at another time, by the rule of loci.Viewer.SeesAt, which
// shows nothing that was in the trash then. For the present it is Get. NotFound if the memory did
// not exist then or is not visible. Invalid for a time at which nothing could be known yet.
func (s *Service) GetAt(ctx context.Context, p loci.Principal, id loci.MemoryID, w loci.When) (*loci.Memory, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	if err := s.checkWhen(&w); err != nil {
		return nil, err
	}
	return s.getAt(ctx, p, id, w)
}

// getAt implements Get and GetAt.
func (s *Service) getAt(ctx context.Context, p loci.Principal, id loci.MemoryID, w loci.When) (*loci.Memory, error) {
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (m *loci.Memory, err error) {
		if w.IsZero() {
			m, err = tx.Memories().Get(ctx, p.Viewer(), id, Within(p))
			err = orReplaced(ctx, tx, p, id, loci.NotFound, err)
		} else {
			m, err = tx.Memories().GetAt(ctx, p.Viewer(), id, w)
		}
		if m, err = showableOne(ctx, tx, p.Viewer(), m, err); err != nil || !w.IsPresent() {
			return m, err
		}
		return m, s.disagreeing(ctx, tx, p.Viewer(), m)
	})
}

// checkWhen cuts the times to the precision of rows, and rejects times that nobody can answer
// for. Valid times in the future are allowed, as far as they are known.
func (s *Service) checkWhen(w *loci.When) error {
	if w.IsZero() {
		return nil
	}
	w.AsOf, w.KnownAt = loci.CutTime(w.AsOf), loci.CutTime(w.KnownAt)
	for _, t := range []struct {
		field string
		at    time.Time
	}{{"as_of", w.AsOf}, {"known_at", w.KnownAt}} {
		if year := t.at.Year(); year < 1 || year > 9999 {
			return loci.FieldErrorf(t.field, "must be a time from year 1 to 9999")
		}
	}
	if w.KnownAt.After(s.Time()) {
		return loci.FieldErrorf("known_at", "is in the future; leave it out to ask for what is known now")
	}
	return nil
}

// readAt returns the visible memories among ids, in that order, in the lifecycle of f or as they were at its time.
func readAt(ctx context.Context, tx store.Tx, v loci.Viewer, ids []loci.MemoryID, f *Filter) ([]*loci.Memory, error) {
	if f.When.IsZero() {
		memories, err := tx.Memories().GetMany(ctx, v, ids, f.Lifecycle)
		if err == nil {
			err = showable(ctx, tx, v, memories...)
		}
		return memories, err
	}
	memories := make([]*loci.Memory, 0, len(ids))
	for _, id := range ids {
		m, err := tx.Memories().GetAt(ctx, v, id, f.When)
		if loci.CodeOf(err) == loci.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		memories = append(memories, m)
	}
	return memories, showable(ctx, tx, v, memories...)
}
