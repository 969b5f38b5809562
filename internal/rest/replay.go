package rest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/task"
)

var errNotKept = errors.New("nothing is kept, or no row is visible any more")

// repeated fills out, a new answer of a route, with the rows that the first request made or changed, as they are now
// and as p sees them, or with what Loci keeps of several. It reports false if there is neither.
func (s *server) repeated(ctx context.Context, p loci.Principal, in, out any, known *gate.Repeated) bool {
	answer := reflect.ValueOf(out).Elem()
	body := answer.FieldByName("Body")
	if !body.IsValid() || known.Target == "" && known.Rows == nil ||
		s.again(ctx, p, in, known, body.Addr().Interface()) != nil {
		return false
	}
	if f := answer.FieldByName("Status"); f.IsValid() {
		f.SetInt(int64(known.Status))
	}
	row := reflect.Indirect(body)
	if f := answer.FieldByName("ETag"); f.IsValid() {
		f.SetString(versionTag(int(row.FieldByName("Version").Int())))
	}
	gone := row.FieldByName("DeletedAt") // a repetition brings back no text
	return !gone.IsValid() || gone.IsZero()
}

// again fills the body of an answer.
func (s *server) again(ctx context.Context, p loci.Principal, in any, known *gate.Repeated, body any) (err error) {
	target := known.Target
	switch into := body.(type) {
	case **loci.Memory:
		*into, err = readIf(ctx, s, p, memory.Read, target, byID(s.app.Memory.Get))
	case **loci.Saved:
		var m *loci.Memory
		if err = s.again(ctx, p, in, known, &m); err == nil {
			*into = memory.Changed(m)
		}
	case *client.Shared:
		m, failed := readIf(ctx, s, p, memory.Read, target, byID(s.app.Memory.Get))
		now := orZero(m)
		*into, err = client.Shared{Shared: !now.TeamID.IsZero(), MemoryID: now.ID, TeamID: now.TeamID}, failed
	case *loci.Asset:
		*into, err = readIf(ctx, s, p, memory.AssetRead, target, byID(s.app.Memory.Asset))
	case *loci.Session:
		*into, err = readIf(ctx, s, p, agent.SessionRead, target, s.app.Agent.Session)
	case *loci.Agent:
		*into, err = readIf(ctx, s, p, agent.Read, target, s.app.Agent.Get)
	case *loci.Task:
		*into, err = readIf(ctx, s, p, task.Read, target, s.app.Task.Get)
	case *loci.Project:
		*into, err = readIf(ctx, s, p, project.Read, target, byID(s.app.Project.Get))
	case **loci.MemoryNode:
		*into, err = readIf(ctx, s, p, node.Read, target, byID(s.app.Node.Get))
	case **loci.NodeItem:
		list, failed := readIf(ctx, s, p, node.Read, target, byID(s.app.Node.Items))
		var item loci.NodeItem
		item, err = find(list, failed, func(i *loci.NodeItem) bool { return `"`+i.ID.String()+`"` == string(known.Rows) })
		*into = &item
	case *loci.GoldenQuestion:
		list, failed := s.app.Golden.List(ctx, p)
		*into, err = find(list, failed, func(q *loci.GoldenQuestion) bool { return q.ID.String() == target })
	case *loci.Candidate:
		var c *review.Shown
		if c, err = readIf(ctx, s, p, review.Read, target, byID(s.app.Review.Show)); err == nil {
			*into = c.Candidate
		}
	case *loci.Suggestion:
		*into, err = readIf(ctx, s, p, memory.SuggestionRead, target, byID(s.app.Memory.Suggestion))
	case **loci.Dream:
		*into, err = readIf(ctx, s, p, review.DreamRead, target, byID(s.app.Review.DreamRun))
	case *loci.Team:
		list, failed := s.app.Org.Teams(ctx, p)
		*into, err = find(list, failed, func(t *loci.Team) bool { return t.ID.String() == target })
	case *loci.Workspace:
		list, failed := s.app.Org.Workspaces(ctx, p)
		*into, err = find(list, failed, func(w *loci.Workspace) bool { return w.ID.String() == target })
	case *client.SourceList:
		into.Sources, err = readIf(ctx, s, p, memory.SourceRead, in.(*newSourcesInput).ID, byID(s.app.Memory.Sources))
	case *client.BulkAnswer:
		err = json.Unmarshal(known.Rows, &into.Results)
		*into = bulkAnswer(into.Results)
	default:
		if err = json.Unmarshal(known.Rows, body); err == nil {
			err = s.graphAgain(ctx, p, in, body)
		}
	}
	return err
}

// kept returns what Loci keeps of the body of an answer besides an id: ids, flags and numbers, never text.
func kept(body any) any {
	switch b := body.(type) {
	case client.Logged, client.Deleted, client.Restored, client.Changed, client.Ended, client.Backup, loci.GoldenRun:
		return b
	case client.SourceList:
		return client.SourceList{} // the memory has them
	case client.BulkAnswer:
		return loci.KeptResults(b.Results)
	case client.MergedEntity:
		return client.MergedEntity{Entity: loci.Entity{ID: b.ID}, Suggestion: b.Suggestion}
	case client.GraphImported:
		b.Problems = []client.LineProblem{}
		return b
	case client.PutEntities, client.PutObservations, client.PutRelations, client.BulkReviewed:
		return hollow(b)
	}
	return nil
}

// hollow returns the JSON of the body of an answer with only ids, flags and numbers in the rows of its lists.
func hollow(body any) (out map[string]any) {
	b, _ := json.Marshal(body)
	_ = json.Unmarshal(b, &out) // made of our own structs
	for _, list := range out {
		list, _ := list.([]any)
		for _, row := range list {
			if row, ok := row.(map[string]any); ok {
				maps.DeleteFunc(row, func(name string, _ any) bool {
					return !slices.Contains([]string{"id", "entity_id", "from_entity", "created", "added", "version", "index",
						"review_state", "memory_id", "error"}, name)
				})
			}
		}
	}
	return out
}

// graphAgain fills the rows of an answer about a graph. It fails unless all are live and p sees them.
func (s *server) graphAgain(ctx context.Context, p loci.Principal, in, body any) (err error) {
	known := map[loci.EntityID]loci.Entity{}
	now := func(id loci.EntityID) loci.Entity {
		if _, read := known[id]; !read && s.app.May(p, graph.Read) == nil {
			of := in.(interface{ project() loci.ProjectID }).project()
			list, failed := s.app.Graph.Known(ctx, p, of, []string{id.String()})
			e, failed := find(list, failed, func(*loci.Entity) bool { return true })
			known[id], err = whole(e), errors.Join(err, failed)
		}
		return known[id]
	}
	switch into := body.(type) {
	case *client.MergedEntity:
		into.Entity = now(into.ID)
	case *client.PutEntities:
		for i := range into.Entities {
			into.Entities[i].Entity = now(into.Entities[i].ID)
		}
	case *client.PutObservations:
		for _, list := range [][]client.EntityObservation{into.Observations, into.Duplicates} {
			for i := range list {
				o, e := &list[i], now(list[i].EntityID)
				found, failed := find(e.Observations, err, func(other *loci.Observation) bool { return other.ID == o.ID })
				*o, err = client.EntityObservation{Observation: found, EntityName: e.Name}, failed
			}
		}
	case *client.PutRelations:
		for i := range into.Relations {
			r := &into.Relations[i]
			r.Relation, err = find(now(r.FromID).Relations, err, func(other *loci.Relation) bool { return other.ID == r.ID })
		}
	}
	return err
}

// find returns the row of list for which is returns true.
func find[T any](list []T, err error, is func(*T) bool) (none T, _ error) {
	for i := range list {
		if is(&list[i]) {
			return list[i], err
		}
	}
	return none, errors.Join(err, errNotKept)
}

// readIf reads target if p may: a repetition by a credential that only writes is no rejected read in the audit trail.
func readIf[T any](ctx context.Context, s *server, p loci.Principal, act gate.Action, target string,
	read func(context.Context, loci.Principal, string) (T, error)) (none T, err error) {
	if err := s.app.May(p, act); err != nil {
		return none, err
	}
	return read(ctx, p, target)
}

// byID makes a function that takes an id take its text.
func byID[ID ~[16]byte, T any](read func(context.Context, loci.Principal, ID) (T, error)) func(context.Context,
	loci.Principal, string) (T, error) {
	return func(ctx context.Context, p loci.Principal, target string) (T, error) {
		return read(ctx, p, idOf[ID](target))
	}
}
