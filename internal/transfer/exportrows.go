package transfer

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

// writeAgents writes the other agents that the person registered, by name.
func (x *export) writeAgents(ctx context.Context) error {
	for _, agent := range x.agents {
		if agent.UserID != x.viewer.UserID {
			continue
		}
		if err := x.writeAgent(ctx, agent.ID); err != nil {
			return err
		}
	}
	return nil
}

// writeAgent writes an agent that a row names, once. A deleted agent cannot be written.
func (x *export) writeAgent(ctx context.Context, id loci.AgentID) error {
	at := slices.IndexFunc(x.agents, func(a loci.Agent) bool { return a.ID == id })
	if at < 0 || !x.once(id) {
		return nil
	}
	agent := x.agents[at]
	return x.write(ctx, &record{Agent: &agent})
}

func (x *export) writeSessions(ctx context.Context) error {
	return own(ctx, x, func(after store.Position) ([]loci.Session, store.Position, error) {
		return x.tx.Sessions().List(ctx, x.viewer, store.SessionQuery{Limit: exportPage, After: after})
	}, func(s loci.Session) (*record, error) { return &record{Session: &sessionLine{Session: s}}, nil })
}

func (x *export) writeTasks(ctx context.Context) error {
	return own(ctx, x, func(after store.Position) ([]loci.Task, store.Position, error) {
		return x.tx.Tasks().List(ctx, x.viewer, store.TaskQuery{Limit: exportPage, After: after})
	}, func(t loci.Task) (*record, error) { return &record{Task: &t}, nil })
}

// writeNodes writes the nodes, last changed last.
func (x *export) writeNodes(ctx context.Context) error {
	q := store.NodeQuery{Lifecycle: loci.AnyState, Limit: exportPage}
	return own(ctx, x, func(after store.Position) ([]*loci.MemoryNode, store.Position, error) {
		q.After = after
		return x.tx.MemoryNodes().List(ctx, x.viewer, q)
	}, func(n *loci.MemoryNode) (*record, error) { return x.nodeRecord(ctx, n) })
}

// nodeRecord returns the export's form of a node. The order of the items determines their places
// among their siblings.
func (o *ownedRows) nodeRecord(ctx context.Context, n *loci.MemoryNode) (*record, error) {
	items, err := o.tx.MemoryNodes().OwnItems(ctx, o.viewer, n.ID)
	return &record{Node: n, Items: items}, err
}

// writeSuggestions writes the suggestions for which both memories belong to the person, because
// the export has no other memories.
func (x *export) writeSuggestions(ctx context.Context) error {
	return own(ctx, x, func(after store.Position) ([]loci.Suggestion, store.Position, error) {
		return x.tx.Suggestions().List(ctx, x.viewer, "", after, exportPage)
	}, func(s loci.Suggestion) (*record, error) {
		if s.Kind == loci.SuggestSecret { // an import makes it again of the memory
			return nil, nil
		}
		if s.Graph != nil {
			x.left["suggestions about graphs"]++
			return nil, nil
		}
		both, err := x.tx.Memories().GetMany(ctx, x.viewer, []loci.MemoryID{s.MemoryID, s.ByID}, loci.AnyState)
		if err != nil || len(both) < 2 || both[0].UserID != x.viewer.UserID || both[1].UserID != x.viewer.UserID {
			x.left["suggestions about memories of other people"]++
			return nil, err
		}
		s.UserID = x.viewer.UserID
		return &record{Suggestion: &s}, nil
	})
}

func (x *export) writeGolden(ctx context.Context) error {
	list, err := x.tx.Golden().List(ctx, x.viewer, math.MaxInt32)
	for i := range list {
		err = errors.Join(err, x.write(ctx, &record{Golden: &list[i]}))
	}
	if err != nil {
		return err
	}
	return own(ctx, x, func(after store.Position) ([]*loci.GoldenRun, store.Position, error) {
		return x.tx.Golden().Runs(ctx, x.viewer, exportPage, after)
	}, func(run *loci.GoldenRun) (*record, error) { return &record{GoldenRun: run}, nil })
}

// writeCandidates writes the candidates with what they were, and the notes.
func (x *export) writeCandidates(ctx context.Context) error {
	if x.lacks(loci.RightReflect, "candidates and their notes") {
		return nil
	}
	err := own(ctx, x, func(after store.Position) ([]*loci.Candidate, store.Position, error) {
		return x.tx.Candidates().List(ctx, x.viewer, store.CandidateQuery{Limit: exportPage, After: after})
	}, func(c *loci.Candidate) (*record, error) {
		notes, err := x.tx.Reflections().Get(ctx, x.viewer, c.SourceID)
		if err == nil {
			err = x.writeNotes(ctx, notes)
		}
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return nil, err
		}
		before, err := x.tx.Candidates().Versions(ctx, x.viewer, c.ID)
		slices.Reverse(before)
		return &record{Candidate: c, Before: before}, err
	})
	for after, last := int64(0), int64(-1); err == nil && after != last; { // the notes without candidates
		var more []*loci.Reflection
		last = after
		more, after, err = x.tx.Reflections().Unread(ctx, last, exportPage)
		for _, notes := range more {
			err = errors.Join(err, x.writeNotes(ctx, notes))
		}
	}
	return err
}

// writeNotes writes the person's notes, once.
func (x *export) writeNotes(ctx context.Context, n *loci.Reflection) error {
	if n.UserID != x.viewer.UserID || !x.viewer.SeesEvent(&n.EventAccess) || !x.once(n.ID) {
		return nil
	}
	return x.write(ctx, &record{Note: n})
}

// own writes the person's rows of a list. as returns the record of a row, or nil to leave it out.
func own[T any](ctx context.Context, x *export, list func(store.Position) ([]T, store.Position, error),
	as func(T) (*record, error)) error {
	return backwards(list, func(row T) error {
		r, err := as(row)
		if err != nil || r == nil || *r.refs().users[0] != x.viewer.UserID {
			return err
		}
		return x.write(ctx, r)
	})
}

// write writes a row, after the agents and projects that it names.
func (x *export) write(ctx context.Context, r *record) (err error) {
	f := r.refs()
	for _, id := range f.agents {
		err = errors.Join(err, x.writeAgent(ctx, *id))
	}
	for _, id := range f.projects {
		err = errors.Join(err, x.writeProject(ctx, *id))
	}
	if err != nil {
		return err
	}
	r.setOwner("", loci.UserID{})
	x.end.Rows[r.kind().name]++
	return jsonlines.Write(x.out, r)
}

// lacks reports whether the credential lacks a right, and notes what the export lacks because of that.
func (x *export) lacks(right loci.Right, what string) bool {
	if !x.p.Has(right) {
		x.end.LeftOut = append(x.end.LeftOut, what+", because the key lacks the right "+string(right))
	}
	return !x.p.Has(right)
}

// backwards calls each for every row of a list from its end to its beginning, which is the order
// in which they were stored. It keeps one page at a time in memory.
func backwards[T any](list func(store.Position) ([]T, store.Position, error), each func(T) error) error {
	begins := []store.Position{""}
	for {
		_, next, err := list(begins[len(begins)-1])
		if err != nil {
			return err
		}
		if next == "" {
			break
		}
		begins = append(begins, next)
	}
	for _, begin := range slices.Backward(begins) {
		rows, _, err := list(begin)
		if err != nil {
			return err
		}
		for _, row := range slices.Backward(rows) {
			if err := each(row); err != nil {
				return err
			}
		}
	}
	return nil
}

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
