package app

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// undoReport is a report on its way: what is kept of one for a repetition has no titles, as they are text.
type undoReport struct{ *loci.UndoReport }

func (u *undo) report(dryRun bool) undoReport {
	r := &loci.UndoReport{Selection: u.selection, DryRun: dryRun, Undone: []loci.Undone{}, LeftAlone: []loci.LeftAlone{}, Unchanged: u.unchanged}
	for _, id := range u.order {
		s := u.steps[id]
		if s.reason != "" {
			r.LeftAlone = append(r.LeftAlone, loci.LeftAlone{ID: id, Title: s.title, Version: s.from, Reason: s.reason})
			continue
		}
		r.Undone = append(r.Undone, loci.Undone{ID: id, Title: s.title, Change: s.change, From: s.from, BackTo: s.backTo, Version: s.made, Note: s.note})
	}
	if !u.first.IsZero() {
		r.Redo = &loci.UndoSelection{Origin: u.p.Origin, CredentialID: u.p.CredentialID, SessionID: u.p.SessionID,
			Since: u.first, Until: u.last.Add(time.Microsecond)}
	}
	return undoReport{r}
}

// withTitles returns a copy with those titles and no others.
func (r undoReport) withTitles(titles map[loci.MemoryID]string) undoReport {
	c := *r.UndoReport
	c.Undone, c.LeftAlone = slices.Clone(c.Undone), slices.Clone(c.LeftAlone)
	for i := range c.Undone {
		c.Undone[i].Title = titles[c.Undone[i].ID]
	}
	for i := range c.LeftAlone {
		c.LeftAlone[i].Title = titles[c.LeftAlone[i].ID]
	}
	return undoReport{&c}
}

// titles looks up what v sees of the memories in the report.
func (r undoReport) titles(ctx context.Context, tx store.Tx, v loci.Viewer, found map[loci.MemoryID]string) error {
	var ids []loci.MemoryID
	for _, m := range r.Undone {
		ids = append(ids, m.ID)
	}
	for _, m := range r.LeftAlone {
		ids = append(ids, m.ID)
	}
	for part := range slices.Chunk(ids, loci.MaxIDs) {
		memories, err := tx.Memories().GetMany(ctx, v, part, loci.AnyState)
		if err != nil {
			return err
		}
		for _, m := range memories {
			found[m.ID] = m.Title
		}
	}
	return nil
}
