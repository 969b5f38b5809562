package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

const whyUnreached = "one of its versions is missing, or you cannot see it"

// undoPage is how many old versions an undo reads at a time.
const undoPage = 50

// undoSpan collects what the versions of a memory, newest first, mean for a selection.
type undoSpan struct {
	selection *loci.UndoSelection
	first     int          // the first version in the selection; 0: none
	then      *loci.Memory // the version before it, if it still exists
	outside   string       // another change since then; "": none
	newer     int          // the last version that look was given
	pending   string       // another change since that one
}

// look adds the next older version.
func (h *undoSpan) look(m *loci.Memory) {
	if h.newer > m.Version+1 {
		h.suspect(whyUnreached)
	}
	h.newer = m.Version
	if h.selection.Means(m) {
		h.first, h.then, h.outside = m.Version, nil, h.pending
		return
	}
	h.suspect(fmt.Sprintf("%s by %s at %s (version %d), which this undo does not include",
		m.Change, m.Editor, m.UpdatedAt.Format(time.RFC3339), m.Version))
	if m.Version == h.first-1 {
		h.then = m
	}
}

// suspect keeps the newest reason against an undo.
func (h *undoSpan) suspect(reason string) {
	h.pending = cmp.Or(h.pending, reason)
}

// read returns a memory as it is now, and the span of its versions.
func (u *undo) read(ctx context.Context, id loci.MemoryID) (*loci.Memory, *undoSpan, error) {
	v := u.p.Viewer()
	now, err := u.tx.Memories().Get(ctx, v, id, loci.AnyState)
	if err != nil {
		return nil, nil, err
	}
	h := &undoSpan{selection: &u.selection}
	h.look(now)
	for before := now.Version; before > 1; {
		page, err := u.tx.Memories().Versions(ctx, v, id, loci.AnyState, before, undoPage)
		if err != nil {
			return nil, nil, err
		}
		for _, old := range page {
			h.look(&old.Memory)
		}
		if len(page) < undoPage {
			break
		}
		before = page[len(page)-1].Version
	}
	return now, h, nil
}

// oldVersion returns an old version, or nil if it does not exist or is not visible.
func oldVersion(ctx context.Context, tx store.Tx, v loci.Viewer, id loci.MemoryID, n int) (*loci.Memory, error) {
	if n < 1 {
		return nil, nil
	}
	page, err := tx.Memories().Versions(ctx, v, id, loci.AnyState, n+1, 1)
	if err != nil || len(page) == 0 || page[0].Version != n {
		return nil, err
	}
	return &page[0].Memory, nil
}

// target returns the state that a memory returns to: its old state, or the trash if it did not
// exist. reason is why this is not allowed. note is what cannot be restored, or who reads it again.
func (u *undo) target(now, then *loci.Memory) (m *loci.Memory, note, reason string) {
	if then == nil {
		m = now.Clone()
		if m.DeletedAt.IsZero() {
			m.DeletedAt = u.now
		}
		return m, "", ""
	}
	m = takeState(now, then)
	switch {
	case then.DeletedAt.IsZero():
		m.DeletedAt = time.Time{}
	case now.DeletedAt.IsZero(): // its time in the trash starts again
		m.DeletedAt = u.now
	}
	m.SupersededBy, m.TeamID = then.SupersededBy, then.TeamID
	if m.TeamID != now.TeamID && !m.TeamID.IsZero() && m.TeamID != u.team {
		m.TeamID = loci.TeamID{}
		note = "it was shared with a team that you are no longer in, so it is not shared now"
	}
	if m.DeletedAt.IsZero() && !m.ProjectID.IsZero() && !u.open[m.ProjectID] {
		return nil, "", "its project is archived, or you are no longer in it"
	}
	if err := m.Validate(); err != nil {
		return nil, "", "its earlier state is no longer allowed: " + loci.SafeText(err)
	}
	return m, cmp.Or(note, regained(now, m)), ""
}

// regained tells who can read a memory as then says and cannot read it now; "": nobody.
func regained(now, then *loci.Memory) string {
	if !then.DeletedAt.IsZero() {
		return ""
	}
	var readers []string
	leaves := now.Scope == loci.ScopeAgent && then.Scope != loci.ScopeAgent
	for _, v := range then.AllowedVendors {
		switch {
		case !leaves && loci.Covers(now.AllowedVendors, []loci.Vendor{v}):
		case v == loci.AnyVendor:
			readers = append(readers, "all assistants")
		default:
			readers = append(readers, string(v))
		}
	}
	if people := then.NotSharedBy(&now.Access); people != "" {
		readers = append(readers, people)
	}
	if len(readers) == 0 {
		return ""
	}
	return strings.Join(readers, " and ") + " can read it again"
}

// takeState returns now with everything from then that writers decide: not its owner and place,
// nor whether it is shared, trashed or superseded.
func takeState(now, then *loci.Memory) *loci.Memory {
	m := then.Clone()
	m.ID, m.OrgID, m.UserID, m.WorkspaceID, m.Origin = now.ID, now.OrgID, now.UserID, now.WorkspaceID, now.Origin
	m.TeamID, m.SupersededBy, m.DeletedAt, m.SecretsKept = now.TeamID, now.SupersededBy, now.DeletedAt, now.SecretsKept
	m.CreatedAt, m.UpdatedAt, m.State = now.CreatedAt, now.UpdatedAt, now.State
	return m
}

// noteHidden notes the memories whose replacement nobody can see.
func (u *undo) noteHidden(ctx context.Context) error {
	for _, id := range u.order {
		s := u.steps[id]
		if s.superseded.IsZero() || s.gone || s.reason == "" && !s.hidden {
			continue
		}
		there, err := u.stays(ctx, s.superseded)
		switch {
		case err != nil:
			return err
		case there:
		case s.reason == "":
			s.note = "it is superseded again, by a memory that is gone; revert it if you want it back"
		default:
			s.reason += "; it stays superseded, by a memory that is gone: revert it if you want it back"
		}
	}
	return nil
}

// stays reports whether a memory will be outside the trash.
func (u *undo) stays(ctx context.Context, id loci.MemoryID) (bool, error) {
	if s := u.steps[id]; s != nil && s.reason == "" {
		return !s.gone, nil
	}
	m, err := u.tx.Memories().Get(ctx, u.p.Viewer(), id, loci.AnyState)
	if loci.CodeOf(err) == loci.NotFound {
		return false, nil
	}
	return err == nil && m.DeletedAt.IsZero(), err
}

// findReplaced finds the memories that nobody would recall after the undo, because it trashes the
// memory that replaced them and does not bring them back.
func (u *undo) findReplaced(ctx context.Context) error {
	for _, by := range u.order {
		if s := u.steps[by]; s.reason != "" || s.change != loci.Trashed {
			continue
		}
		rows, err := stillSuperseded(ctx, u.tx, u.p.Viewer(), by)
		if err != nil {
			return err
		}
		for _, row := range rows {
			s := u.steps[row.ID]
			if s == nil || s.reason != "" || s.superseded == by && !s.gone {
				u.replaced = append(u.replaced, row)
			}
		}
	}
	return nil
}
