package mcpserver

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func writeFields(c *call, in *memory.Draft) []field {
	var summary string
	var pinned bool
	return []field{
		text("title", &in.Title, 0, loci.MaxTitle).want(),
		text("content", &in.Content, 1, loci.MaxContent).must().or("value"),
		word("key", &in.Key),
		word("summary", &summary).then(func() { in.Summary = &summary }),
		tags(&in.Tags, 0),
		word("category", &in.Category),
		whole("importance", &in.Importance, loci.MinImportance, loci.MaxImportance, 0),
		flag("pinned", &pinned).then(func() { in.Pinned = &pinned }),
		seconds("ttl", &in.TTL, memory.MaxTTL),
		moment("expires_at", &in.ExpiresAt).or("expiresAt"),
		scope(&in.Scope),
		optionalID("project_id", &in.ProjectID),
		inSession(c),
		oneOf("dedupe", &in.Dedupe, memory.DedupeUpdate, memory.DedupeCreate),
		ids("supersedes", &in.Supersedes, memory.MaxSuperseded),
		word("source", &in.Source),
		vendors("allowed_vendors", &in.AllowedVendors),
		oneOf("memory_type", &in.Type, loci.Semantic, loci.Episodic, loci.Procedural),
	}
}

func (s *Server) writeMemory(ctx context.Context, c *call, in *memory.Draft) (any, error) {
	if in.Scope == loci.ScopeAgent && c.principal.AgentID.IsZero() {
		return nil, loci.FieldErrorf("scope", "agent requires a session of an agent; pass its id as session_id")
	}
	saved, err := s.app.Memory.Create(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	out := *saved
	out.Memory = *shown(&saved.Memory)
	return out, nil
}

func shareFields(_ *call, in *loci.MemoryID) []field { return []field{id("memory_id", in)} }

func (s *Server) shareMemory(ctx context.Context, c *call, in *loci.MemoryID) (any, error) {
	return shownOr(s.app.Memory.Share(ctx, c.principal, *in))
}
