package mcpserver

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

// These are the sizes of the tools' pages.
const (
	readDefault, readMax     = 10, 50
	browseDefault, browseMax = 50, 200
	searchDefault, searchMax = 10, 50
	tagDefault, tagMax       = 20, 100
)

func limit(into *int, maximum, fallback int) field {
	return whole("limit", into, 1, maximum, fallback)
}

// offset leaves its maximum out of the schema: no model comes near it.
func offset(into *int) field {
	f := whole("offset", into, 0, gate.MaxOffset, 0)
	f.schema.Maximum = nil
	return f
}

func cursor(into *string) field { return word("cursor", into) }

func readFields(_ *call, in *memory.ListRequest) []field {
	return []field{limit(&in.Limit, readMax, readDefault)}
}

func (s *Server) readMemories(ctx context.Context, c *call, in *memory.ListRequest) (any, error) {
	return fullPage(s.app.Memory.List(ctx, c.principal, *in))
}

func browseFields(_ *call, in *memory.ListRequest) []field {
	return []field{limit(&in.Limit, browseMax, browseDefault), offset(&in.Offset), cursor(&in.Cursor)}
}

func (s *Server) browseMemories(ctx context.Context, c *call, in *memory.ListRequest) (any, error) {
	in.Total = true
	found, err := s.app.Memory.List(ctx, c.principal, *in)
	return countedPage(found, loci.Summaries(found.Items)), err
}

func tagFields(_ *call, in *memory.ListRequest) []field {
	return []field{tags(&in.Tags, 1), limit(&in.Limit, tagMax, tagDefault), offset(&in.Offset), cursor(&in.Cursor)}
}

func (s *Server) getMemoriesByTag(ctx context.Context, c *call, in *memory.ListRequest) (any, error) {
	in.Total = true
	found, err := s.app.Memory.List(ctx, c.principal, *in)
	return countedPage(found, memories(found.Items)), err
}

func teamFields(_ *call, in *memory.ListRequest) []field {
	return []field{limit(&in.Limit, readMax, tagDefault), offset(&in.Offset)}
}

func (s *Server) readTeamMemories(ctx context.Context, c *call, in *memory.ListRequest) (any, error) {
	return fullPage(s.app.Memory.TeamMemories(ctx, c.principal, *in))
}

// fullPage returns a page of a list for a tool that takes no cursor.
func fullPage(found memory.ListPage, err error) (any, error) {
	return page[*loci.Memory]{Memories: memories(found.Items), HasMore: found.NextCursor != ""}, err
}

// countedPage returns a page of a list with its total and a cursor.
func countedPage[T any](found memory.ListPage, list []T) page[T] {
	return page[T]{Memories: list, Total: &found.Total, TotalIsLowerBound: found.TotalIsLowerBound,
		HasMore: found.NextCursor != "", NextCursor: found.NextCursor}
}

func idFields(_ *call, in *loci.MemoryID) []field { return []field{id("id", in)} }

func (s *Server) getMemoryByID(ctx context.Context, c *call, in *loci.MemoryID) (any, error) {
	return shownOr(s.app.Memory.Get(ctx, c.principal, *in))
}

func latestFields(_ *call, in *string) []field { return []field{text("tag", in, 0, loci.MaxTag)} }

func (s *Server) getLatestMemory(ctx context.Context, c *call, tag *string) (any, error) {
	var f memory.Filter
	none := "there are no memories yet; create one with write_memory"
	if *tag != "" {
		none = "no memory has this tag; to see the tags in use, call browse_memories"
		f.Tags = []string{*tag}
	}
	m, err := s.app.Memory.Latest(ctx, c.principal, f)
	if loci.CodeOf(err) == loci.NotFound {
		return nil, loci.Errorf(loci.NotFound, "%s", none)
	}
	return shownOr(m, err)
}
