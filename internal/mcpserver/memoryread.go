package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

// These are the sizes of the tools' pages.
const (
	readDefault, readMax     = 10, 50
	browseDefault, browseMax = 50, 200
	searchDefault, searchMax = 10, 50
	tagDefault, tagMax       = 20, 100
)

// limit is how many items an answer has. To keep to the budget, Loci asks again with a smaller one.
func limit(c *call, into *int, maximum, fallback int) field {
	c.limit = into
	f := whole("limit", into, 1, maximum, fallback)
	f.schema.Minimum, f.schema.Default = nil, nil
	return f
}

// offset leaves its maximum out of the schema: no model comes near it.
func offset(into *int) field {
	f := whole("offset", into, 0, gate.MaxOffset, 0)
	f.schema.Minimum, f.schema.Maximum = nil, nil
	return f
}

// cursor is the place at which the next page begins.
func cursor(c *call, into *string) field {
	c.pages = true
	return word("cursor", into)
}

func readFields(c *call, in *memory.ListRequest) []field {
	return []field{limit(c, &in.Limit, readMax, readDefault), cursor(c, &in.Cursor), detail(c),
		tags(&in.Tags, 0).hide(), tagMode(&in.AllTags).hide(), namedProject(c, &in.ProjectID).hide()}
}

func (s *Server) readMemories(ctx context.Context, c *call, in *memory.ListRequest) (any, error) {
	found, err := s.app.Memory.List(ctx, c.principal, *in)
	return s.listed(ctx, c, in, found, err)
}

func browseFields(c *call, in *memory.ListRequest) []field {
	return []field{limit(c, &in.Limit, browseMax, browseDefault), offset(&in.Offset).hide(), cursor(c, &in.Cursor)}
}

// summary is a memory in a survey.
type summary struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Tags  []string `json:"tags,omitempty"`
	// DisputedBy and PendingSupersede are as in a hit.
	DisputedBy       []string `json:"disputed_by,omitempty"`
	PendingSupersede string   `json:"pending_supersede,omitempty"`
}

func (s *Server) browseMemories(ctx context.Context, c *call, in *memory.ListRequest) (any, error) {
	in.Total = true
	found, err := s.app.Memory.List(ctx, c.principal, *in)
	out := pageOf[summary](found)
	titles := memory.Titles(found.Items)
	for i, m := range found.Items {
		by, pending := disagreement(&m.Disagreement)
		out.Memories = append(out.Memories, summary{m.ID.Short(), titles[i].Title, titles[i].Tags, by, pending})
	}
	if err == nil && len(found.Items) == 0 {
		out.Hint = s.hint(ctx, c, "", &in.Filter)
	}
	return out, err
}

func tagFields(c *call, in *memory.ListRequest) []field {
	return []field{tags(&in.Tags, 1), tagMode(&in.AllTags).hide(), limit(c, &in.Limit, tagMax, tagDefault),
		offset(&in.Offset).hide(), cursor(c, &in.Cursor), detail(c).hide()}
}

func (s *Server) getMemoriesByTag(ctx context.Context, c *call, in *memory.ListRequest) (any, error) {
	in.Total = true
	found, err := s.app.Memory.List(ctx, c.principal, *in)
	return s.listed(ctx, c, in, found, err)
}

func teamFields(c *call, in *memory.ListRequest) []field {
	return []field{limit(c, &in.Limit, readMax, tagDefault), offset(&in.Offset).hide(), cursor(c, &in.Cursor),
		detail(c).hide()}
}

func (s *Server) readTeamMemories(ctx context.Context, c *call, in *memory.ListRequest) (any, error) {
	found, err := s.app.Memory.TeamMemories(ctx, c.principal, *in)
	return s.listed(ctx, c, in, found, err)
}

func (s *Server) listed(ctx context.Context, c *call, in *memory.ListRequest, found memory.ListPage, err error) (
	any, error) {
	if err != nil {
		return nil, err
	}
	out := pageOf[hit](found)
	if !in.Total {
		out.Total = nil
	}
	for _, m := range found.Items {
		out.Memories = append(out.Memories, s.hitOf(ctx, c, m))
	}
	if len(found.Items) == 0 {
		out.Hint = s.hint(ctx, c, "", &in.Filter)
	}
	return out, nil
}

// pageOf returns an empty page with the total and the cursor of a list.
func pageOf[T any](found memory.ListPage) page[T] {
	return page[T]{Memories: []T{}, Total: &found.Total, TotalIsLowerBound: found.TotalIsLowerBound,
		HasMore: found.NextCursor != "", NextCursor: found.NextCursor}
}

type oneMemory struct {
	id     loci.MemoryID
	offset int
}

func idFields(c *call, in *oneMemory) []field {
	f := whole("offset", &in.offset, 0, loci.MaxContent, 0)
	f.schema.Minimum, f.schema.Maximum = nil, nil
	return []field{memoryID(c, "id", &in.id), f, detail(c)}
}

// getMemoryByID also returns a superseded memory, because searches and errors name such ones.
func (s *Server) getMemoryByID(ctx context.Context, c *call, in *oneMemory) (any, error) {
	m, superseded, err := s.memoryOf(ctx, c, in.id)
	if err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(m.Content); in.offset >= n {
		return nil, loci.FieldErrorf("offset", "must be less than %d, the number of characters of this memory", n)
	}
	out := s.read(ctx, c, m, in.offset)
	out.Superseded = superseded
	return out, nil
}

// memoryOf returns a memory, and whether it is superseded.
func (s *Server) memoryOf(ctx context.Context, c *call, id loci.MemoryID) (m *loci.Memory, superseded bool, err error) {
	m, err = s.app.Memory.Get(ctx, c.principal, id)
	if superseded = loci.CodeOf(err) == loci.NotFound; superseded {
		m, err = s.app.Memory.GetAt(ctx, c.principal, id, loci.When{Superseded: true})
	}
	return m, superseded, err
}

func latestFields(c *call, in *string) []field {
	return []field{word("tag", in), detail(c).hide()}
}

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
	if err != nil {
		return nil, err
	}
	return s.hitOf(ctx, c, m), nil
}

// maxHinted is how many names of a kind a hint has.
const maxHinted = 8

// hint tells a model that found nothing what there is: it has only what the caller can see. "" if it cannot find out.
func (s *Server) hint(ctx context.Context, c *call, query string, f *memory.Filter) string {
	if strings.Trim(query, "* ") == "" && query != "" {
		return "To list memories without a search, use read_memories or browse_memories."
	}
	b, err := s.app.Memory.Briefing(ctx, c.principal, loci.When{})
	if err != nil {
		return ""
	}
	if b.Total == 0 {
		return "There are no memories that are true now. Save one with write_memory."
	}
	out := "Nothing matches."
	if f.Origin != "" && !slices.ContainsFunc(b.Origins, func(n loci.Count) bool { return n.Name == f.Origin }) {
		out = "No recent memory has this origin."
	}
	among := ""
	if b.CountedNewest > 0 {
		among = fmt.Sprintf(" of the newest %d memories", b.CountedNewest)
	}
	out += listing(" Origins"+among+": ", names(b.Origins)) + listing(" Tags"+among+": ", names(b.Tags)) +
		listing(" Projects: ", s.projectNames(ctx, c))
	return out
}

func names(counts []loci.Count) (list []string) {
	for _, n := range counts {
		list = append(list, n.Name)
	}
	return list
}

// listing returns the first names as a sentence, or "".
func listing(label string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	shown := loci.Mapped(list[:min(maxHinted, len(list))], loci.OneLine)
	return label + strings.Join(shown, ", ") + "."
}

func (s *Server) projectNames(ctx context.Context, c *call) (list []string) {
	if !c.principal.Has(loci.RightGraph) {
		return nil
	}
	found, err := s.app.Project.List(ctx, c.principal, project.ListRequest{Status: loci.ProjectActive, Limit: maxHinted})
	if err != nil {
		return nil
	}
	for _, p := range found.Items {
		list = append(list, p.Name)
	}
	return list
}
