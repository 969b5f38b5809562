package transfer

import (
	"context"
	"errors"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

// hereOf returns the id that something in the export has here.
func hereOf[ID comparable](others map[ID]ID, id ID) ID {
	if here, ok := others[id]; ok {
		return here
	}
	return id
}

func (im *importer) takeProject(ctx context.Context, line *projectLine) error {
	here, made, err := im.app.projects.Adopt(ctx, im.p, loci.Project{ID: line.ID, Name: line.Name,
		Description: line.Description, Status: line.Status}, im.o.DryRun)
	if isOfLine(err) {
		im.refuse(im.report.Lines, err)
		return nil
	}
	if err != nil {
		return err
	}
	im.projects[line.ID], im.dry[here.ID] = here.ID, made && im.o.DryRun
	if !slices.Contains(im.p.ProjectIDs, here.ID) {
		im.p.ProjectIDs = append(slices.Clone(im.p.ProjectIDs), here.ID)
	}
	if made {
		im.count(1, 1, 0)
	} else {
		im.count(0, 0, 1)
	}
	return nil
}

// placeCandidate replaces the ids of projects in what a candidate says about its scope.
func (im *importer) placeCandidate(c *loci.Candidate) {
	change := func(text *string) {
		var id loci.ProjectID
		if *text != "" && id.UnmarshalText([]byte(*text)) == nil {
			*text = hereOf(im.projects, id).String()
		}
	}
	if c.SuggestedScopeKey != nil {
		change(c.SuggestedScopeKey)
	}
	for i := range c.Claims {
		change(&c.Claims[i].ScopeKey)
	}
	for i := range c.Relations {
		change(&c.Relations[i].Source)
		change(&c.Relations[i].Target)
	}
}

// storeEvents stores those events that the log does not have. The log is in no transaction with the org's rows.
func (im *importer) storeEvents(ctx context.Context, batch []numbered) error {
	log, err := im.app.events.Kept(ctx, im.p)
	if err != nil {
		return err
	}
	var ids []loci.EventID
	for _, r := range batch {
		ids = append(ids, r.Event.ID)
	}
	there, err := log.Get(ctx, im.p.Viewer(), ids)
	if err != nil {
		return err
	}
	var missing []*loci.Event
	for _, r := range batch {
		if !slices.ContainsFunc(there, func(e *loci.Event) bool { return e.ID == r.Event.ID }) {
			missing = append(missing, r.Event)
		}
	}
	if len(missing) > 0 && !im.o.DryRun {
		made, err := log.Append(ctx, im.p.Viewer(), missing, eventlog.Dedup{})
		if err == nil {
			err = im.app.events.Notice(ctx, im.p.OrgID, missing, made)
		}
		if err != nil {
			return err
		}
	}
	im.count(len(missing), len(missing), len(batch)-len(missing))
	return nil
}

// storeRows stores rows of one graph. A dry run that has not made what they hang on counts them as new.
func (im *importer) storeRows(ctx context.Context, batch []numbered) error {
	var rows store.GraphRows
	for _, r := range batch {
		if err := r.Line.AddTo(&rows); err != nil {
			return err
		}
	}
	in, added, present := batch[0].In, len(batch), 0
	if !im.dry[in] {
		if !slices.Contains(im.p.ProjectIDs, in) {
			return loci.Errorf(loci.Conflict, "the project of this row is not here")
		}
		var of loci.Project
		err := im.app.Store.UpdateProject(ctx, im.p.OrgID, in, func(tx store.GraphTx) (err error) {
			of = tx.Project()
			if added, present, err = tx.Entities().Insert(ctx, im.p.Viewer(), rows); err != nil {
				return err
			}
			if im.o.DryRun {
				return jsonlines.ErrDryRun
			}
			e := im.app.Entry(im.p, Import)
			e.Target, e.Count = in.String(), added
			return tx.Record(ctx, e)
		})
		switch {
		case im.o.DryRun && loci.CodeOf(err) == loci.NotFound:
			added, present = len(batch), 0
		case loci.CodeOf(err) == loci.NotFound:
			return loci.WrapError(loci.Conflict, err, "%s", loci.SafeText(err))
		case err != nil && !errors.Is(err, jsonlines.ErrDryRun):
			return err
		case err == nil:
			graph.New(im.app.Gate, nil).Notice(ctx, of, rows)
		}
	}
	im.count(added, added, present)
	return nil
}
