package loci

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Briefing is what an assistant reads at the start of a session: what there is
// to ask for, not the contents. Everything in it is visible to the reader.
type Briefing struct {
	Total             int             `json:"total" doc:"How many memories you can read" example:"1"`
	TotalIsLowerBound bool            `json:"total_is_lower_bound,omitempty"`
	Pinned            []PinnedMemory  `json:"pinned" nullable:"false" doc:"Always on: the one of the highest importance first, of the same importance the newest"`
	MorePinned        bool            `json:"more_pinned,omitempty" doc:"There are older pinned memories than these"`
	Recent            []MemorySummary `json:"recent" nullable:"false"`
	Tags              []Count         `json:"tags" nullable:"false" doc:"Most used first"`
	Origins           []Count         `json:"origins" nullable:"false" doc:"Who wrote most first"`
	GeneratedAt       time.Time       `json:"generated_at"`
}

// PinnedMemory is a memory that is always on, with what it says.
type PinnedMemory struct {
	MemorySummary
	Importance int    `json:"importance"`
	Text       string `json:"text,omitempty" doc:"Its summary, or else its content; cut, or left out, where all of them would be too long"`
}

// The length of what pinned memories say in a briefing, in characters.
const (
	maxPinnedText  = 500
	maxPinnedTexts = 8000
)

// PinMemories returns what a briefing shows of pinned memories, in their order; it is never nil.
func PinMemories(memories []*Memory) []PinnedMemory {
	out, left := make([]PinnedMemory, len(memories)), maxPinnedTexts
	for i, m := range memories {
		text := m.Summary
		if text == "" {
			text = m.Content
		}
		text = shorten(text, min(left, maxPinnedText))
		left -= utf8.RuneCountInString(text)
		out[i] = PinnedMemory{m.Summarize(), m.Importance, text}
	}
	return out
}

// shorten returns at most n characters of s, of which the last says if there was more.
func shorten(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	return string([]rune(s)[:n-1]) + "…"
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
	fmt.Fprintf(&out, "# Memory briefing\n\nYou can read %s%s. Search before you ask the person something "+
		"they may have told you already.\n", more, Plural(b.Total, "memory", "memories"))
	writePinned(&out, b)
	writeMemories(&out, "Newest", b.Recent)
	writeCounts(&out, "Tags in use", b.Tags)
	writeCounts(&out, "Written by", b.Origins)
	return out.String()
}

func writePinned(out *strings.Builder, b *Briefing) {
	if len(b.Pinned) == 0 {
		return
	}
	out.WriteString("\n## Pinned: keep these in mind, whatever it is about\n\n")
	for _, m := range b.Pinned {
		writeMemory(out, m.MemorySummary)
		if m.Text != "" {
			fmt.Fprintf(out, "  %s\n", OneLine(m.Text))
		}
	}
	if b.MorePinned {
		out.WriteString("\nThere are more pinned memories; list them to see them all.\n")
	}
}

func writeMemory(out *strings.Builder, m MemorySummary) {
	fmt.Fprintf(out, "- %s (%s, %s, id %s)\n", OneLine(m.Title), OneLine(m.Origin), m.CreatedAt.Format(time.DateOnly),
		m.ID)
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
	names := make([]string, len(counts))
	for i, c := range counts {
		names[i] = fmt.Sprintf("%s (%d)", OneLine(c.Name), c.Count)
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n", title, strings.Join(names, ", "))
}
