package memory

import (
	"context"
	"maps"
	"reflect"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Undo returns each memory that the selection changed to its state before the first such change, as a new version. It
// moves memories that the selection created to the trash. It does all that in one transaction and erases nothing, so
// the selection in Redo reverses the undo. It skips and reports a memory that anything else has changed since. With
// dryRun it changes nothing. Invalid for an invalid selection; Conflict for more than loci.MaxUndo memories.
func (s *Service) Undo(ctx context.Context, p loci.Principal, undoSelection loci.UndoSelection, dryRun bool) (
	*loci.UndoReport, error) {
	if err := s.Begin(ctx, p, undoing(dryRun)); err != nil {
		return nil, err
	}
	undoSelection.Since, undoSelection.Until = loci.CutTime(undoSelection.Since), loci.CutTime(undoSelection.Until)
	if err := undoSelection.Validate(); err != nil {
		return nil, err
	}
	if undoSelection.Since.After(s.Time()) {
		return nil, loci.FieldErrorf("since", "is in the future; nothing has changed since then")
	}
	open, err := s.openProjects(ctx, p)
	if err != nil {
		return nil, err
	}
	var u *undo
	run := func(tx store.Tx) error {
		u = &undo{app: s, p: p, tx: tx, open: open, selection: undoSelection, now: s.Time(),
			steps: map[loci.MemoryID]*undoStep{}}
		return u.plan(ctx)
	}
	if dryRun {
		if err := s.Store.View(ctx, p.OrgID, run); err != nil {
			return nil, err
		}
		return u.report(true), nil
	}
	err = s.Write(ctx, p, Undo, func(tx store.Tx, e *loci.AuditEntry) error {
		if err := run(tx); err != nil {
			return err
		}
		e.Target = selectionTarget(&undoSelection)
		if e.Count = u.steps.changing(); e.Count == 0 {
			e.Action = ""
		}
		if err := u.apply(ctx); err != nil {
			return err
		}
		return gate.AnswerRows(ctx, u.report(false).Kept())
	})
	if err != nil {
		return nil, err
	}
	return u.report(false), nil
}

// undoing returns the action of an undo. A dry run needs no proof of who the person is.
func undoing(dryRun bool) gate.Action {
	if dryRun {
		return UndoPlan
	}
	return Undo
}

// selectionTarget describes the selection in the audit trail.
func selectionTarget(s *loci.UndoSelection) string {
	switch {
	case !s.SessionID.IsZero():
		return s.SessionID.String()
	case !s.CredentialID.IsZero():
		return s.CredentialID.String()
	}
	return s.Origin
}

// openProjects returns the active projects that the person belongs to, also if the operator acts for them.
func (s *Service) openProjects(ctx context.Context, p loci.Principal) (map[loci.ProjectID]bool, error) {
	ids, err := s.Store.ProjectMembers().Of(ctx, p.OrgID, p.UserID, p.WorkspaceID)
	if err != nil {
		return nil, err
	}
	v := p.Viewer()
	v.ProjectIDs = ids
	open := map[loci.ProjectID]bool{}
	for q := (store.ProjectQuery{Status: loci.ProjectActive, Limit: gate.MaxPage}); ; {
		page, err := s.Store.Projects().List(ctx, v, q)
		if err != nil {
			return nil, err
		}
		for _, in := range page.Projects {
			open[in.ID], q.After = true, in.Name
		}
		if !page.More {
			return open, nil
		}
	}
}

// undo is the state of one undo, in one transaction.
type undo struct {
	app       *Service
	p         loci.Principal
	tx        store.Tx
	open      map[loci.ProjectID]bool // active ones that the person belongs to
	team      loci.TeamID             // the person's
	selection loci.UndoSelection
	now       time.Time
	order     []loci.MemoryID
	steps     undoSteps
	unchanged int
	replaced  []loci.StillSuperseded // by what the undo trashes
	first     time.Time              // when the first and the last new version were made
	last      time.Time
}

type undoSteps map[loci.MemoryID]*undoStep

// changing returns how many memories would be changed.
func (s undoSteps) changing() (n int) {
	for step := range maps.Values(s) {
		if step.reason == "" {
			n++
		}
	}
	return n
}

// undoStep is the planned change of one memory. Its only text is the title, so that a plan of many steps stays small.
type undoStep struct {
	title  string
	from   int // the present version
	backTo int // the version to return to; 0: it did not exist
	made   int // the new version
	change loci.Change
	note   string
	reason string // why it is skipped
	// superseded is the memory that will replace it. hidden means that it was not replaced
	// before; gone, that it will be in the trash.
	superseded   loci.MemoryID
	hidden, gone bool
}

// plan plans all steps before the first memory is changed.
func (u *undo) plan(ctx context.Context) error {
	me, err := u.tx.Users().Get(ctx, u.p.UserID)
	if err != nil {
		return err
	}
	u.team = me.TeamID
	ids, err := u.tx.Memories().EditedBy(ctx, u.p.Viewer(), u.query())
	if err != nil {
		return err
	}
	if len(ids) > loci.MaxUndo {
		return loci.Errorf(loci.Conflict,
			"more than %d memories were changed in that range; narrow it with since and until, and undo the newest part first",
			loci.MaxUndo)
	}
	for i, id := range ids {
		loci.ReportProgress(ctx, loci.Progress{Stage: "reading versions", Done: int64(i), Total: int64(len(ids))})
		if err := u.consider(ctx, id); err != nil {
			return err
		}
	}
	if err := u.noteHidden(ctx); err != nil {
		return err
	}
	return u.findReplaced(ctx)
}

func (u *undo) query() store.EditQuery {
	s := &u.selection
	return store.EditQuery{Editor: s.Origin, Credential: s.CredentialID, Session: s.SessionID, Since: s.Since,
		Until: s.Until, Limit: loci.MaxUndo + 1}
}

func (u *undo) consider(ctx context.Context, id loci.MemoryID) error {
	now, h, err := u.read(ctx, id)
	if err != nil {
		return err
	}
	step := &undoStep{title: maskedTitle(now), from: now.Version, backTo: h.first - 1, reason: h.outside,
		superseded: now.SupersededBy, gone: !now.DeletedAt.IsZero()}
	if step.reason == "" && h.then == nil && step.backTo > 0 {
		step.reason = whyUnreached
	}
	var target *loci.Memory
	if step.reason == "" {
		target, step.note, step.reason = u.target(now, h.then)
	}
	if step.reason != "" {
		u.enter(id, step)
		return nil
	}
	if reflect.DeepEqual(now, target) {
		u.unchanged++
		return nil
	}
	step.title, step.change = maskedTitle(target), changeOf(now, target)
	step.hidden = !target.SupersededBy.IsZero() && target.SupersededBy != now.SupersededBy
	step.superseded, step.gone = target.SupersededBy, !target.DeletedAt.IsZero()
	u.enter(id, step)
	return nil
}

// enter adds a step to the plan.
func (u *undo) enter(id loci.MemoryID, step *undoStep) {
	u.order = append(u.order, id)
	u.steps[id] = step
}

func changeOf(old, next *loci.Memory) loci.Change {
	switch {
	case old.DeletedAt.IsZero() && !next.DeletedAt.IsZero():
		return loci.Trashed
	case !old.DeletedAt.IsZero() && next.DeletedAt.IsZero():
		return loci.Restored
	}
	return loci.Updated
}

func (u *undo) apply(ctx context.Context) error {
	for i, id := range u.order {
		loci.ReportProgress(ctx, loci.Progress{Stage: "undoing changes", Done: int64(i), Total: int64(len(u.order))})
		step := u.steps[id]
		if step.reason != "" {
			continue
		}
		now, err := u.tx.Memories().Get(ctx, u.p.Viewer(), id, loci.AnyState)
		if err != nil {
			return err
		}
		then, err := oldVersion(ctx, u.tx, u.p.Viewer(), id, step.backTo)
		if err != nil {
			return err
		}
		target, _, _ := u.target(now, then)
		m, err := u.app.put(ctx, u.tx, u.p, now,
			edit{what: step.change, fn: func(m *loci.Memory) error { *m = *target; return nil }})
		if err != nil {
			return err
		}
		step.made = m.Version
		if u.first.IsZero() || m.UpdatedAt.Before(u.first) {
			u.first = m.UpdatedAt
		}
		if m.UpdatedAt.After(u.last) {
			u.last = m.UpdatedAt
		}
	}
	return nil
}

// report returns what the undo did, or would do.
func (u *undo) report(dryRun bool) *loci.UndoReport {
	r := &loci.UndoReport{Selection: u.selection, DryRun: dryRun, Undone: []loci.Undone{}, LeftAlone: []loci.LeftAlone{},
		Unchanged: u.unchanged, StillSuperseded: u.replaced}
	for _, id := range u.order {
		s := u.steps[id]
		if s.reason != "" {
			r.LeftAlone = append(r.LeftAlone, loci.LeftAlone{ID: id, Title: s.title, Version: s.from, Reason: s.reason})
			continue
		}
		r.Undone = append(r.Undone,
			loci.Undone{ID: id, Title: s.title, Change: s.change, From: s.from, BackTo: s.backTo, Version: s.made, Note: s.note})
	}
	if !u.first.IsZero() {
		r.Redo = &loci.UndoSelection{Origin: u.p.Origin, CredentialID: u.p.CredentialID, SessionID: u.p.SessionID,
			Since: u.first, Until: u.last.Add(time.Microsecond)}
	}
	return r
}
