package loci

import (
	"fmt"
	"strings"
	"time"
)

// Briefing is what an assistant reads at the start of a session: what there is
// to ask for, not the contents. Everything in it is visible to the reader.
type Briefing struct {
	Total             int             `json:"total" doc:"How many memories you can read" example:"1"`
	TotalIsLowerBound bool            `json:"total_is_lower_bound,omitempty"`
	Recent            []MemorySummary `json:"recent" nullable:"false"`
	Pinned            []MemorySummary `json:"pinned" nullable:"false"`
	Tags              []Count         `json:"tags" nullable:"false" doc:"Most used first"`
	Origins           []Count         `json:"origins" nullable:"false" doc:"Who wrote most first"`
	GeneratedAt       time.Time       `json:"generated_at"`
}

// Count is a name with how many memories carry it.
type Count struct {
	Name  string `json:"name" example:"ops"`
	Count int    `json:"count" example:"1"`
}

// Markdown writes the briefing for a model to read: ids in full, because
// assistants copy them.
func (b *Briefing) Markdown() string {
	var out strings.Builder
	more := ""
	if b.TotalIsLowerBound {
		more = "more than "
	}
	fmt.Fprintf(&out, "# Memory briefing\n\nYou can read %s%d memories. Search them before you ask the person something they may have said before.\n", more, b.Total)
	writeMemories(&out, "Pinned", b.Pinned)
	writeMemories(&out, "Newest", b.Recent)
	writeCounts(&out, "Tags in use", b.Tags)
	writeCounts(&out, "Written by", b.Origins)
	return out.String()
}

func writeMemories(out *strings.Builder, title string, memories []MemorySummary) {
	if len(memories) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n", title)
	for _, m := range memories {
		fmt.Fprintf(out, "- %s (%s, %s, id %s)\n", OneLine(m.Title), OneLine(m.Origin), m.CreatedAt.Format(time.DateOnly), m.ID)
	}
}

func writeCounts(out *strings.Builder, title string, counts []Count) {
	if len(counts) == 0 {
		return
	}
	names := make([]string, len(counts))
	for i, c := range counts {
		names[i] = fmt.Sprintf("%s (%d)", OneLine(c.Name), c.Count)
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n", title, strings.Join(names, ", "))
}
