package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

// maxHinted is how many names of a kind a hint has.
const maxHinted = 8

// hint tells a model that found nothing what there is: it has only what the caller can see. "" if
// it cannot find out.
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
	var shown []string
	for _, name := range list[:min(maxHinted, len(list))] {
		shown = append(shown, loci.OneLine(name))
	}
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
