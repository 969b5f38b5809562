package transfer

import (
	"context"
	"math"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/store"
)

// writeAgents writes the other agents that the person registered, by name.
func (x *export) writeAgents(context.Context) error {
	for _, agent := range x.agents {
		if agent.UserID != x.viewer.UserID {
			continue
		}
		if err := x.writeAgent(agent.ID); err != nil {
			return err
		}
	}
	return nil
}

// writeAgent writes an agent that a row names, once. A deleted agent cannot be written.
func (x *export) writeAgent(id loci.AgentID) error {
	at := slices.IndexFunc(x.agents, func(a loci.Agent) bool { return a.ID == id })
	if at < 0 || x.agentsDone[id] {
		return nil
	}
	x.agentsDone[id] = true
	agent := x.agents[at]
	return x.write(&record{Agent: &agent})
}

func (x *export) writeSessions(ctx context.Context) error {
	list := func(after store.Position) ([]loci.Session, store.Position, error) {
		return x.tx.Sessions().List(ctx, x.viewer, store.SessionQuery{Limit: exportPage, After: after})
	}
	return backwards(list, func(s loci.Session) error {
		if s.UserID != x.viewer.UserID {
			return nil // shared with the person
		}
		if err := x.writeAgent(s.AgentID); err != nil {
			return err
		}
		return x.write(&record{Session: &sessionLine{Session: s}})
	})
}

func (x *export) writeTasks(ctx context.Context) error {
	list := func(after store.Position) ([]loci.Task, store.Position, error) {
		return x.tx.Tasks().List(ctx, x.viewer, store.TaskQuery{Limit: exportPage, After: after})
	}
	return backwards(list, func(t loci.Task) error {
		if t.UserID != x.viewer.UserID {
			return nil // of another member of the project
		}
		return x.write(&record{Task: &t})
	})
}

// writeNodes writes the nodes, last changed last.
func (x *export) writeNodes(ctx context.Context) error {
	q := store.NodeQuery{Lifecycle: loci.AnyState, Limit: exportPage}
	list := func(after store.Position) ([]*loci.MemoryNode, store.Position, error) {
		q.After = after
		return x.tx.MemoryNodes().List(ctx, x.viewer, q)
	}
	return backwards(list, func(n *loci.MemoryNode) error {
		if n.UserID != x.viewer.UserID {
			return nil
		}
		r, err := x.nodeRecord(ctx, n)
		if err == nil {
			err = x.writeAgent(n.AgentID)
		}
		if err != nil {
			return err
		}
		return x.write(r)
	})
}

// nodeRecord returns the export's form of a node. The order of the items determines their places
// among their siblings.
func (o *ownedRows) nodeRecord(ctx context.Context, n *loci.MemoryNode) (*record, error) {
	items, err := o.tx.MemoryNodes().OwnItems(ctx, o.viewer, n.ID)
	r := &record{Node: n, Items: items}
	r.setOwner(loci.OrgID(""), loci.UserID{})
	return r, err
}

// writeSuggestions writes the suggestions for which both memories belong to the person, because
// the export has no other memories.
func (x *export) writeSuggestions(ctx context.Context) error {
	list := func(after store.Position) ([]loci.Suggestion, store.Position, error) {
		return x.tx.Suggestions().List(ctx, x.viewer, "", after, exportPage)
	}
	return backwards(list, func(s loci.Suggestion) error {
		both, err := x.tx.Memories().GetMany(ctx, x.viewer, []loci.MemoryID{s.MemoryID, s.ByID}, loci.AnyState)
		if err != nil || len(both) < 2 || both[0].UserID != x.viewer.UserID || both[1].UserID != x.viewer.UserID {
			return err
		}
		return x.write(&record{Suggestion: &s})
	})
}

// writeGolden writes the golden questions and their runs.
func (x *export) writeGolden(ctx context.Context) error {
	list, err := x.tx.Golden().List(ctx, x.viewer, math.MaxInt32)
	if err != nil {
		return err
	}
	for i := range list {
		if err := x.write(&record{Golden: &list[i]}); err != nil {
			return err
		}
	}
	return backwards(func(after store.Position) ([]*loci.GoldenRun, store.Position, error) {
		return x.tx.Golden().Runs(ctx, x.viewer, exportPage, after)
	}, func(run *loci.GoldenRun) error { return x.write(&record{GoldenRun: run}) })
}

func (x *export) write(r *record) error {
	r.setOwner(loci.OrgID(""), loci.UserID{})
	return jsonlines.Write(x.out, r)
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
