package mcpserver

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
)

// These are the sizes of pages, and of a pack in characters. A pack must leave a model room for its conversation.
const (
	suggestDefault, suggestMax = 50, 200
	packDefault, packMax       = 20_000, 100_000
)

func suggestionFields(c *call, in *memory.SuggestionsRequest) []field {
	return []field{
		oneOf("state", &in.State, loci.SuggestionPending, loci.SuggestionAccepted, loci.SuggestionDeclined),
		limit(c, &in.Limit, suggestMax, suggestDefault), cursor(c, &in.Cursor), inSession(c),
	}
}

// whereToDecide tells where the person decides about suggestions. No tool decides: the answer of a
// program would not prove that the person gave it.
func (s *Server) whereToDecide(p loci.Principal, list []loci.Suggestion) string {
	if !slices.ContainsFunc(list, func(g loci.Suggestion) bool { return g.UserID == p.UserID }) {
		return "another person owns the memory and decides; they see the suggestion only if they can see the new memory, " +
			"so the person shares it with the team"
	}
	if base := s.pages(); base != "" {
		return "only the person decides, at " + base + "/app/suggestions"
	}
	return "only the person decides; they run: loci suggestion accept ID, or decline"
}

// pages returns the address of the pages, or "".
func (s *Server) pages() string {
	if s.options.Pages == nil {
		return ""
	}
	return s.options.Pages()
}

func (s *Server) listSuggestions(ctx context.Context, c *call, in *memory.SuggestionsRequest) (any, error) {
	found, err := s.app.Memory.Suggestions(ctx, c.principal, *in)
	out := rows("suggestions", found.Items, found.NextCursor)
	if slices.ContainsFunc(found.Items, func(g loci.Suggestion) bool { return g.State == loci.SuggestionPending }) {
		out["decide"] = s.whereToDecide(c.principal, found.Items)
	}
	return out, err
}

type newSources struct {
	memory  loci.MemoryID
	sources []loci.Source
}

func newSourcesFields(c *call, in *newSources) []field {
	return []field{
		memoryID(c, "memory_id", &in.memory), items("sources", &in.sources, loci.MaxSources, sourceFields), inSession(c),
	}
}

func sourceFields(in *loci.Source) []field {
	return []field{
		oneOf("kind", &in.Kind, loci.SourceMessage, loci.SourceSession, loci.SourceEvent,
			loci.SourceURL, loci.SourceText).must(),
		text("ref", &in.Ref, 0, loci.MaxSourceRef), word("text", &in.Text), text("quote", &in.Quote, 0, loci.MaxQuote),
	}
}

func (s *Server) addSources(ctx context.Context, c *call, in *newSources) (any, error) {
	all, _, err := s.app.Memory.AddSources(ctx, c.principal, in.memory, in.sources)
	out := rows("sources", all, "")
	if hint := loci.SecretHint(gate.SecretsOf(all...)); hint != "" {
		out["hint"] = hint
	}
	return out, err
}

func sourcesFields(c *call, in *loci.MemoryID) []field {
	return []field{memoryID(c, "memory_id", in), inSession(c)}
}

func (s *Server) getSources(ctx context.Context, c *call, in *loci.MemoryID) (any, error) {
	list, err := s.app.Memory.Sources(ctx, c.principal, *in)
	return rows("sources", list, ""), err
}

func nodesFields(c *call, in *node.ListRequest) []field {
	return []field{text("tag", &in.Tag, 0, loci.MaxTag), limit(c, &in.Limit, gate.MaxPage, gate.DefaultPage).hide(),
		cursor(c, &in.Cursor), inSession(c)}
}

func (s *Server) listMemoryNodes(ctx context.Context, c *call, in *node.ListRequest) (any, error) {
	found, err := s.app.Node.List(ctx, c.principal, *in)
	return rows("memory_nodes", found.Items, found.NextCursor), err
}

type packRequest struct {
	id     loci.NodeID
	budget int
}

func nodeFields(c *call, in *packRequest) []field {
	return []field{id("id", &in.id), whole("budget", &in.budget, 1, packMax, packDefault), inSession(c)}
}

type nodeText struct {
	ID   loci.NodeID `json:"id"`
	Name string      `json:"name"`
	Text string      `json:"text"`
	Left int         `json:"left"` // items that did not fit into the budget
}

func (s *Server) readMemoryNode(ctx context.Context, c *call, in *packRequest) (any, error) {
	for budget := in.budget; ; {
		pack, err := s.app.Node.Pack(ctx, c.principal, in.id, budget)
		if err != nil {
			return nil, err
		}
		out := nodeText{pack.Node.ID, pack.Node.Name, pack.Text, pack.Left}
		size := cost(out) + quarters(loci.Visible(pack.Text))/4 - quarters(pack.Text)/4 + marginTokens
		if size <= s.budget || budget < shortestText {
			return out, nil
		}
		budget = fewerItems(budget, size, s.budget)
	}
}
