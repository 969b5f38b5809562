package event

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
)

const (
	contextTime = "2006-01-02 15:04"
	// leastEntry is about what the shortest entry costs, in quarters of a token.
	leastEntry = 120
	// The most that the content of an event costs: a part of the budget, between these limits.
	contentPart  = 25
	leastContent = 240
	mostContent  = 8000
	// important events may be as long as decisions are.
	important = 8
)

func (t *telling) entry(group int, e *loci.Event) string {
	room := min(max(t.all()/contentPart, leastContent), mostContent)
	if group >= states && e.Importance < important {
		room /= 2
	}
	var b strings.Builder
	fmt.Fprintf(&b, "- [%s] %s · %s", e.ID, e.Time.UTC().Format(contextTime), t.line(t.by(doerOf(e)), 64))
	name := t.d.groups[group].Name
	if name != e.Type && !strings.HasSuffix(strings.ToLower(name), e.Type+"s") && e.Type != loci.DefaultEventType {
		b.WriteString(" · " + e.Type)
	}
	if e.Importance != loci.DefaultImportance {
		fmt.Fprintf(&b, " · importance %d", e.Importance)
	}
	text := sensitive.Mask(strings.TrimRight(loci.Legible(e.Content), "\n"), e.SecretsKept)
	kept := loci.CutTokens(text, room)
	if kept != text {
		fmt.Fprintf(&b, " · cut, has %s characters", loci.Thousands(utf8.RuneCountInString(e.Content)))
	}
	b.WriteByte('\n')
	quote(&b, recall.Escape(kept))
	if group == decisions {
		for _, field := range reasonFields {
			if text := sensitive.Mask(e.Detail(field.name), e.SecretsKept); text != "" {
				text = loci.CutTokens(loci.OneLine(text), room/field.part)
				b.WriteString("  " + field.title + ": " + recall.Escape(text) + "\n")
			}
		}
	}
	return b.String()
}

// reasonFields are the members of the metadata of decisions that a context has, and how much of the room of a content
// each may take.
var reasonFields = []struct {
	name, title string
	part        int
}{{loci.ReasonField, "Reason", 1}, {loci.AlternativesField, "Alternatives", 2}, {loci.ConfidenceField, "Confidence", 8}}

// quote writes a stored text so that each of its lines begins with a mark. It leaves out empty lines.
func quote(b *strings.Builder, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimRight(line, " \t"); line != "" {
			b.WriteString("  > " + line + "\n")
		}
	}
}

// typesOf lists the most frequent types of what somebody did, in at most so many quarters of a token.
func typesOf(a *actor, room int) string {
	const most = 4
	type count struct {
		name string
		n    int
	}
	var list []count
	for name, n := range a.types {
		list = append(list, count{name, n})
	}
	slices.SortFunc(list, func(a, b count) int {
		if a.n != b.n {
			return b.n - a.n
		}
		return strings.Compare(a.name, b.name)
	})
	var parts []string
	left := a.events
	for i, c := range list {
		part := fmt.Sprintf("%s %s", loci.Thousands(c.n), c.name)
		if room -= loci.BoundQuarters(part + ", "); i == most || room < 0 {
			parts = append(parts, loci.Thousands(left)+" others")
			break
		}
		parts = append(parts, part)
		left -= c.n
	}
	return strings.Join(parts, ", ")
}
