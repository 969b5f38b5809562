package loci

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Briefing is what an assistant reads at the start of a session: an overview of what it can ask
// for, without the contents. Everything in it is visible to the reader.
type Briefing struct {
	Total             int             `json:"total" doc:"How many memories you can read" example:"1"`
	TotalIsLowerBound bool            `json:"total_is_lower_bound,omitempty"`
	Pinned            []PinnedMemory  `json:"pinned" nullable:"false" doc:"Pinned memories, highest importance first, then newest first"`
	MorePinned        bool            `json:"more_pinned,omitempty" doc:"True if there are more pinned memories than these"`
	Decisions         []PinnedMemory  `json:"decisions,omitempty" nullable:"false" doc:"The newest decisions that are not pinned"`
	Recent            []MemorySummary `json:"recent" nullable:"false"`
	Tags              []Count         `json:"tags" nullable:"false" doc:"Most frequent first"`
	Origins           []Count         `json:"origins" nullable:"false" doc:"The writer of most memories first"`
	// CountedNewest is 0 if Tags and Origins count all memories.
	CountedNewest int       `json:"counted_newest,omitempty" doc:"Set if there are more memories than these newest ones, which tags and origins count" example:"200"`
	GeneratedAt   time.Time `json:"generated_at"`
}

// PinnedMemory is a memory with its text.
type PinnedMemory struct {
	MemorySummary
	Importance int    `json:"importance"`
	Text       string `json:"text,omitempty" doc:"The summary, or the content if there is none. Cut or left out if all texts together would be too long"`
}

// Limits of the texts of pinned memories in a briefing, in characters.
const (
	maxPinnedText  = 500
	maxPinnedTexts = 8000
)

// PinMemories returns what a briefing shows of pinned memories or decisions, in the same order. It never returns nil.
func PinMemories(memories []*Memory) []PinnedMemory {
	out, left := make([]PinnedMemory, len(memories)), maxPinnedTexts
	for i, m := range memories {
		text := cmp.Or(m.Summary, m.Content)
		text = Shorten(text, min(left, maxPinnedText))
		left -= utf8.RuneCountInString(text)
		out[i] = PinnedMemory{m.Summarize(), m.Importance, text}
	}
	return out
}

// Count is a name and the number of memories that have it.
type Count struct {
	Name  string `json:"name" example:"ops"`
	Count int    `json:"count" example:"1"`
}

// Markdown formats the briefing for a model. It shows full ids, because assistants copy them.
func (b *Briefing) Markdown() string {
	var out strings.Builder
	more := ""
	if b.TotalIsLowerBound {
		more = "more than "
	}
	fmt.Fprintf(&out, "# Memory briefing\n\nYou can read %s%s. Search before you ask the person something "+
		"they may have told you already.\n", more, Plural(b.Total, "memory", "memories"))
	writeTexts(&out, "Pinned: keep these in mind, whatever it is about", b.Pinned)
	if b.MorePinned {
		out.WriteString("\nThere are more pinned memories; list them to see them all.\n")
	}
	writeTexts(&out, "Decisions", b.Decisions)
	writeMemories(&out, "Newest", b.Recent)
	among := ""
	if b.CountedNewest > 0 {
		among = fmt.Sprintf(" (newest %s)", Plural(b.CountedNewest, "memory", "memories"))
	}
	writeCounts(&out, "Tags in use"+among, b.Tags)
	writeCounts(&out, "Written by"+among, b.Origins)
	return out.String()
}

func writeTexts(out *strings.Builder, title string, memories []PinnedMemory) {
	if len(memories) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n", title)
	for _, m := range memories {
		writeMemory(out, m.MemorySummary)
		if m.Text != "" {
			fmt.Fprintf(out, "  %s\n", OneLine(m.Text))
		}
	}
}

func writeMemory(out *strings.Builder, m MemorySummary) {
	fmt.Fprintf(out, "- %s (%s, %s, id %s", OneLine(m.Title), OneLine(m.Origin), m.CreatedAt.Format(time.DateOnly), m.ID)
	for _, other := range m.DisputedBy {
		fmt.Fprintf(out, "; disputed by %s, id %s", OneLine(other.Origin), other.ID)
	}
	if !m.PendingSupersede.IsZero() {
		fmt.Fprintf(out, "; to be replaced by id %s, if the person agrees", m.PendingSupersede)
	}
	out.WriteString(")\n")
}

func writeMemories(out *strings.Builder, title string, memories []MemorySummary) {
	if len(memories) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n", title)
	for _, m := range memories {
		writeMemory(out, m)
	}
}

func writeCounts(out *strings.Builder, title string, counts []Count) {
	if len(counts) == 0 {
		return
	}
	names := Mapped(counts, func(c Count) string { return fmt.Sprintf("%s (%d)", OneLine(c.Name), c.Count) })
	fmt.Fprintf(out, "\n## %s\n\n%s\n", title, strings.Join(names, ", "))
}
