package transfer

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/store"
)

// findProjects finds the projects that the person belongs to. The operator belongs to all, the person may not.
func (x *export) findProjects(ctx context.Context) (err error) {
	switch {
	case x.lacks(loci.RightGraph, "projects and their graphs"):
	case x.p.AllProjects:
		x.projects, err = x.app.Store.ProjectMembers().Of(ctx, x.p.OrgID, x.p.UserID, x.p.WorkspaceID)
	default:
		x.projects = x.p.ProjectIDs
	}
	return err
}

// writeProject writes a project that a row names, once. The description of a shared one may be another person's.
func (x *export) writeProject(ctx context.Context, id loci.ProjectID) error {
	if !slices.Contains(x.projects, id) || !x.once(id) {
		return nil
	}
	p, err := x.app.Store.Projects().Get(ctx, x.viewer, id)
	if err != nil {
		return err
	}
	line := &projectLine{ID: id, Name: p.Name, Status: p.Status}
	if p.IsOnly(x.p.UserID) {
		line.Description = p.Description
	}
	return x.write(ctx, &record{Project: line})
}

// writeGraphs writes the other projects that are the person's alone, and the person's rows in the graphs of all.
func (x *export) writeGraphs(ctx context.Context) error {
	for _, id := range x.projects {
		p, err := x.app.Store.Projects().Get(ctx, x.viewer, id)
		if err == nil && p.IsOnly(x.p.UserID) {
			err = x.writeProject(ctx, id)
		}
		if err == nil && p.Status == loci.ProjectActive {
			err = x.app.Store.ViewProject(ctx, p.OrgID, id, func(tx store.GraphTx) error { return x.writeGraph(ctx, tx) })
		} else if x.done[id] {
			x.left["graphs of archived projects"]++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeGraph writes the person's live rows of a graph, but those that hang on the entities of others.
func (x *export) writeGraph(ctx context.Context, tx store.GraphTx) error {
	others, at := map[loci.EntityID]bool{}, loci.Progress{Stage: "exporting graphs"}
	for q := (store.GraphQuery{Limit: exportPage}); ; {
		rows, next, err := tx.Graph().Rows(ctx, x.viewer, q)
		if err != nil {
			return err
		}
		for _, line := range graph.Lines(rows) {
			mine := line.Access().UserID == x.viewer.UserID
			switch {
			case line.Entity != nil && !mine:
				others[line.Entity.ID] = true
			case line.Observation != nil:
				mine = mine && !others[line.Observation.EntityID]
			case line.Relation != nil:
				mine = mine && !others[line.Relation.FromID] && !others[line.Relation.ToID]
			}
			if !mine {
				x.left["rows of graphs that are other people's, or hang on those"]++
			} else if err := x.write(ctx, &record{Line: line, In: tx.Project().ID}); err != nil {
				return err
			}
		}
		at.Done += exportPage
		loci.ReportProgress(ctx, at)
		if q.After = next; next == "" {
			break
		}
	}
	trash, err := tx.Graph().Trash(ctx, x.viewer, maxLeft)
	x.left["deleted rows of graphs"] += len(trash.Entities) + len(trash.Observations) + len(trash.Relations)
	return err
}

// maxLeft is how many deleted rows of each kind are counted in a graph.
const maxLeft = 1000

// writeEvents writes the person's events, oldest first.
func (x *export) writeEvents(ctx context.Context) error {
	if x.lacks(loci.RightEvents, "events") {
		return nil
	}
	log, err := x.app.events.Kept(ctx, x.p)
	if loci.CodeOf(err) == loci.Unavailable {
		x.end.LeftOut = append(x.end.LeftOut, "events: "+loci.SafeText(err))
		return nil
	}
	at := loci.Progress{Stage: "exporting events"}
	for q := (eventlog.Query{Order: eventlog.Oldest, Limit: exportPage}); err == nil; {
		var page eventlog.Page
		page, err = log.Find(ctx, x.viewer, q)
		for _, e := range page.Events {
			if err == nil && e.UserID == x.viewer.UserID {
				err = x.write(ctx, &record{Event: e})
			}
		}
		at.Done += int64(len(page.Events))
		loci.ReportProgress(ctx, at)
		if q.After = page.Next; page.Next == "" {
			break
		}
	}
	return err
}
