package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Briefing is what an assistant reads at the start of a session: what there is
// to ask for, not the contents. Everything in it is visible to the reader.
type Briefing struct {
	Total             int // visible memories
	TotalIsLowerBound bool
	Recent            []*loci.Memory // newest first, at most 10
	Pinned            []*loci.Memory // among the newest 200
	Tags              []TagCount     // of the newest 200, most used first, at most 20
	Origins           []TagCount     // who wrote the newest 200
	GeneratedAt       time.Time
}

// TagCount is a name with how many memories carry it.
type TagCount struct {
	Name  string
	Count int
}

const (
	briefingSample = 200
	briefingRecent = 10
	briefingTags   = 20
)

// Briefing summarises the newest visible memories. Its cost does not grow with
// the number of memories.
func (a *App) Briefing(ctx context.Context, p loci.Principal) (*Briefing, error) {
	if err := a.begin(p, readBriefing); err != nil {
		return nil, err
	}
	var page store.Page
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		page, err = tx.Lists().List(ctx, p.Viewer(), store.ListQuery{Limit: briefingSample, Total: true})
		return err
	})
	if err != nil {
		return nil, err
	}
	b := &Briefing{Total: page.Total, TotalIsLowerBound: !page.Exact, GeneratedAt: a.time()}
	b.Recent = page.Memories[:min(briefingRecent, len(page.Memories))]
	tags, origins := map[string]int{}, map[string]int{}
	for _, m := range page.Memories {
		if m.Pinned {
			b.Pinned = append(b.Pinned, m)
		}
		for _, t := range m.Tags {
			tags[t]++
		}
		origins[m.Origin]++
	}
	b.Tags, b.Origins = mostUsed(tags), mostUsed(origins)
	return b, nil
}

func mostUsed(counts map[string]int) []TagCount {
	out := make([]TagCount, 0, len(counts))
	for name, n := range counts {
		out = append(out, TagCount{name, n})
	}
	slices.SortFunc(out, func(x, y TagCount) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name)) })
	return out[:min(len(out), briefingTags)]
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

func writeMemories(out *strings.Builder, title string, memories []*loci.Memory) {
	if len(memories) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n", title)
	for _, m := range memories {
		fmt.Fprintf(out, "- %s (%s, %s, id %s)\n", loci.OneLine(m.Title), loci.OneLine(m.Origin), m.CreatedAt.Format(time.DateOnly), m.ID)
	}
}

func writeCounts(out *strings.Builder, title string, counts []TagCount) {
	if len(counts) == 0 {
		return
	}
	names := make([]string, len(counts))
	for i, c := range counts {
		names[i] = fmt.Sprintf("%s (%d)", loci.OneLine(c.Name), c.Count)
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n", title, strings.Join(names, ", "))
}
