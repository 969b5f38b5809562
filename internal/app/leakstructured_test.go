package app_test

import (
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

func memoryNodesOf(s *strangers) [][16]byte { return s.memoryNodes }
func itemsOf(s *strangers) [][16]byte       { return s.items }
func agentsOf(s *strangers) [][16]byte      { return s.agents }
func workOf(s *strangers) [][16]byte        { return s.work }

func init() {
	probes = slices.Concat(probes, memoryNodeProbes, itemProbes, workProbes, historyProbes)
	for name, walk := range map[string]func(*caller) (any, error){
		"nodes":         func(c *caller) (any, error) { return c.Node.List(c.ctx, c.p, node.ListRequest{}) },
		"trashed nodes": func(c *caller) (any, error) { return c.Node.List(c.ctx, c.p, node.ListRequest{Trashed: true}) },
		"agents":        func(c *caller) (any, error) { return c.Agent.List(c.ctx, c.p, agent.ListRequest{}) },
		"work":          func(c *caller) (any, error) { return c.Agent.Sessions(c.ctx, c.p, agent.SessionList{}) },
		"recall": func(c *caller) (any, error) {
			if err := c.Vectors.CatchUp(c.ctx, c.p.OrgID); err != nil {
				return nil, err
			}
			return c.Memory.Recall(c.ctx, c.p, memory.SearchRequest{Query: "secret plan"})
		},
		"parts of words": func(c *caller) (any, error) {
			return c.Memory.Recall(c.ctx, c.p, memory.SearchRequest{Query: "ecret pla"})
		},
		"superseded, too": func(c *caller) (any, error) {
			return c.Memory.List(c.ctx, c.p,
				memory.ListRequest{Filter: memory.Filter{When: loci.When{Superseded: true}}, Total: true})
		},
		"as it will be": func(c *caller) (any, error) {
			return c.Memory.Recall(c.ctx, c.p,
				memory.SearchRequest{Query: "plan", Filter: memory.Filter{When: loci.When{AsOf: c.now.AddDate(1, 0, 0)}}})
		},
		"as it was known": func(c *caller) (any, error) {
			return c.Memory.Recall(c.ctx, c.p,
				memory.SearchRequest{Query: "plan", Filter: memory.Filter{When: loci.When{KnownAt: c.now}}})
		},
		"by key": func(c *caller) (any, error) {
			return c.Memory.List(c.ctx, c.p, memory.ListRequest{Filter: memory.Filter{Key: oneKey}, Total: true})
		},
		"like theirs": func(c *caller) (any, error) {
			m, err := c.Memory.Create(c.ctx, c.p, memory.Draft{Title: "title", Content: "the secret plan of nobody at all"})
			if err == nil {
				c.own = append(c.own, m.ID)
			}
			return m, err
		},
	} {
		walks[name] = walk
	}
}

var memoryNodeProbes = []probe{
	{"node", memoryNodesOf, func(c *caller, id [16]byte) (any, error) { return c.Node.Get(c.ctx, c.p, id) }},
	{"items", memoryNodesOf, func(c *caller, id [16]byte) (any, error) { return c.Node.Items(c.ctx, c.p, id) }},
	{"pack", memoryNodesOf, func(c *caller, id [16]byte) (any, error) { return c.Node.Pack(c.ctx, c.p, id, 0) }},
	{"change node", memoryNodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Node.Change(c.ctx, c.p, id, node.Patch{Name: loci.Set("x")})
	}},
	{"trash node", memoryNodesOf, func(c *caller, id [16]byte) (any, error) { return c.Node.Trash(c.ctx, c.p, id) }},
	{"restore node", memoryNodesOf, func(c *caller, id [16]byte) (any, error) { return c.Node.Restore(c.ctx, c.p, id) }},
	{"erase node", memoryNodesOf, func(c *caller, id [16]byte) (any, error) { return none(c.Node.Erase(c.ctx, c.p, id)) }},
	{"add item", memoryNodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Node.AddItem(c.ctx, c.p, id, node.ItemDraft{Kind: loci.ItemText, Text: "mine"})
	}},
	{"add a bad item", memoryNodesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Node.AddItem(c.ctx, c.p, id, node.ItemDraft{Kind: loci.ItemMemory, MemoryID: loci.NewMemoryID()})
	}},
}

// inOwnNode runs fn on a new node of the caller's.
func inOwnNode(fn func(*caller, loci.NodeID, [16]byte) (any, error)) func(*caller, [16]byte) (any, error) {
	return func(c *caller, id [16]byte) (any, error) {
		d := node.Draft{Name: "mine"}
		if c.p.OnlyProjects {
			d.Scope, d.ProjectID = loci.ScopeProject, c.p.ProjectIDs[0]
		}
		n, err := c.Node.Create(c.ctx, c.p, d)
		if err != nil {
			return nil, err
		}
		return fn(c, n.ID, id)
	}
}

var itemProbes = []probe{
	{"put a memory", memoriesOf, inOwnNode(func(c *caller, n loci.NodeID, id [16]byte) (any, error) {
		return c.Node.AddItem(c.ctx, c.p, n, node.ItemDraft{Kind: loci.ItemMemory, MemoryID: id})
	})},
	{"put below", itemsOf, inOwnNode(func(c *caller, n loci.NodeID, id [16]byte) (any, error) {
		return c.Node.AddItem(c.ctx, c.p, n, node.ItemDraft{Kind: loci.ItemText, Text: "mine", ParentID: id})
	})},
	{"put before", itemsOf, inOwnNode(func(c *caller, n loci.NodeID, id [16]byte) (any, error) {
		return c.Node.AddItem(c.ctx, c.p, n, node.ItemDraft{Kind: loci.ItemText, Text: "mine", Before: id})
	})},
	{"put an entity", projectsOf, inOwnNode(func(c *caller, n loci.NodeID, id [16]byte) (any, error) {
		return c.Node.AddItem(c.ctx, c.p, n,
			node.ItemDraft{Kind: loci.ItemEntity, ProjectID: id, EntityID: loci.NewEntityID()})
	})},
	{"move item", itemsOf, inOwnNode(func(c *caller, n loci.NodeID, id [16]byte) (any, error) {
		return c.Node.MoveItem(c.ctx, c.p, n, id, node.ItemMove{ParentID: loci.Set(loci.NodeItemID{})})
	})},
	{"remove item", itemsOf, inOwnNode(func(c *caller, n loci.NodeID, id [16]byte) (any, error) {
		return none(c.Node.RemoveItem(c.ctx, c.p, n, id))
	})},
}

var workProbes = []probe{
	{"agent", agentsOf, func(c *caller, id [16]byte) (any, error) { return c.Agent.Get(c.ctx, c.p, text(id)) }},
	{"change agent", agentsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Agent.Update(c.ctx, c.p, text(id), agent.Patch{Name: new("x")})
	}},
	{"delete agent", agentsOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Agent.Delete(c.ctx, c.p, text(id)))
	}},
	{"agent stats", agentsOf, func(c *caller, id [16]byte) (any, error) { return c.Agent.Stats(c.ctx, c.p, text(id)) }},
	{"open work", agentsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Agent.CreateSession(c.ctx, c.p, agent.SessionDraft{Agent: text(id)})
	}},
	{"work of", agentsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Agent.Sessions(c.ctx, c.p, agent.SessionList{Agent: text(id)})
	}},
	{"list of agent", agentsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.List(c.ctx, c.p, memory.ListRequest{Filter: memory.Filter{AgentID: id}, Total: true})
	}},
	{"write for agent", agentsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Create(c.ctx, c.p,
			memory.Draft{Title: "mine", Content: "my plan", Scope: loci.ScopeAgent, AgentID: id})
	}},
	{"work", workOf, func(c *caller, id [16]byte) (any, error) { return c.Agent.Session(c.ctx, c.p, text(id)) }},
	{"work, shortly", workOf, func(c *caller, id [16]byte) (any, error) {
		return c.Agent.Session(c.ctx, c.p, text(id)[:loci.ShortID])
	}},
	{"change work", workOf, func(c *caller, id [16]byte) (any, error) {
		return c.Agent.UpdateSession(c.ctx, c.p, text(id), agent.SessionPatch{Title: new("x")})
	}},
	{"close work", workOf, func(c *caller, id [16]byte) (any, error) {
		return c.Agent.CloseSession(c.ctx, c.p, text(id))
	}},
	{"reopen work", workOf, func(c *caller, id [16]byte) (any, error) {
		return c.Agent.ReopenSession(c.ctx, c.p, text(id))
	}},
	{"write in work", workOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Create(c.ctx, c.p, memory.Draft{Title: "mine", Content: "my plan", SessionID: id})
	}},
	{"recall of work", workOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Recall(c.ctx, c.p, memory.SearchRequest{Query: "plan", Filter: memory.Filter{SessionID: id}})
	}},
	{"undo work", workOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Undo(c.ctx, c.p, loci.UndoSelection{SessionID: id}, true)
	}},
	{"undo key", credentialsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Undo(c.ctx, c.p, loci.UndoSelection{CredentialID: id, Since: c.now.AddDate(-1, 0, 0)}, false)
	}},
}

var historyProbes = []probe{
	{"diff", memoriesOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Diff(c.ctx, c.p, id, 1, 0) }},
	{"revert", memoriesOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Revert(c.ctx, c.p, id, 9, 1) }},
	{"get as of", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.GetAt(c.ctx, c.p, id, loci.When{AsOf: c.now.AddDate(1, 0, 0)})
	}},
	{"get known at", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.GetAt(c.ctx, c.p, id, loci.When{KnownAt: c.now})
	}},
	{"resolve", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Resolve(c.ctx, c.p, loci.MemoryID(id).String()[:loci.ShortID+1])
	}},
	{"get superseded", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.GetAt(c.ctx, c.p, id, loci.When{Superseded: true})
	}},
	{"by ids, known at", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.ByIDs(c.ctx, c.p, []loci.MemoryID{id}, loci.When{KnownAt: c.now, Superseded: true})
	}},
	{"bulk change", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Bulk(c.ctx, c.p,
			[]memory.BulkItem{{Op: loci.BulkUpdate, ID: id, IfVersion: 7, Patch: memory.Patch{Title: loci.Set("x")}}}, true)
	}},
	{"bulk trash", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		done, err := c.Memory.Bulk(c.ctx, c.p, []memory.BulkItem{{Op: loci.BulkTrash, ID: id}}, false)
		for i := range done {
			done[i].ID = loci.MemoryID{} // as it was sent
		}
		if len(done) == 1 && done[0].Error != nil { // told apart as any other refusal
			return nil, loci.Errorf(done[0].Error.Code, "%s", done[0].Error.Text)
		}
		return done, err
	}},
}

// text is an id as callers send it.
func text(id [16]byte) string { return loci.SessionID(id).String() }

// settleStructured gives a person work, and a node that shows a memory. The org of a colleague is that of A, who
// sees its agents; so the colleague has none, and keeps the work private.
func (s *stage) settleStructured(p loci.Principal, id loci.MemoryID, b *strangers) {
	s.t.Helper()
	ctx := s.t.Context()
	draft := agent.SessionDraft{Title: b.mark + " work", Reach: loci.ReachPrivate}
	if !strings.HasSuffix(b.mark, "-colleague") {
		ag, err := s.Agent.Create(ctx, p, agent.Draft{Name: b.mark + " agent " + text(id), Vendor: "claude"})
		s.must(err)
		b.agents = append(b.agents, ag.ID)
		draft.Agent, draft.Reach = ag.Name, loci.ReachOrg
	}
	work, err := s.Agent.CreateSession(ctx, p, draft)
	s.must(err)
	n, err := s.Node.Create(ctx, p, node.Draft{Name: b.mark + " node", Description: "the secret plan of " + b.mark})
	s.must(err)
	shown, err := s.Node.AddItem(ctx, p, n.ID, node.ItemDraft{Kind: loci.ItemMemory, MemoryID: id})
	s.must(err)
	text, err := s.Node.AddItem(ctx, p, n.ID,
		node.ItemDraft{Kind: loci.ItemText, Text: "a plan of " + b.mark, ParentID: shown.ID})
	s.must(err)
	b.work, b.memoryNodes = append(b.work, work.ID), append(b.memoryNodes, n.ID)
	b.items = append(b.items, shown.ID, text.ID)
}
