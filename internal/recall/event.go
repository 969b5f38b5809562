package recall

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
)

// EventRow returns what an index reads of an event, but for its Session.
func EventRow(e *loci.Event) index.Row {
	access, texts := e.Access(), fieldTexts(EventText(e))
	return index.Row{ID: e.ID, Class: ClassOf(&access), Of: e.SessionID, Time: e.Time, Actor: speaker(e),
		Fields: indexFields(&texts), Priority: uint8(min(max(e.Importance, 0), loci.MaxImportance)), Updated: e.Time}
}

// speaker returns who said an event, as questions name them.
func speaker(e *loci.Event) string {
	return cmp.Or(strings.ToLower(e.Actor), actorOf(e.Content))
}

// EventText returns the texts of an event as those of a memory: the reason of a decision and what was not chosen are
// its summary, and the type of an event is its category. So everything that reads the texts of a memory reads those of
// an event.
func EventText(e *loci.Event) *loci.Memory {
	m := &loci.Memory{Content: e.Content, Tags: e.Tags, Category: e.Type,
		Summary: strings.TrimSpace(e.Detail(loci.ReasonField) + "\n" + e.Detail(loci.AlternativesField))}
	if e.Type == loci.DefaultEventType {
		m.Category = ""
	}
	return m
}

// leastShape is how many words without digits make events comparable by their shapes.
const leastShape = 3

// EventShape returns what is the same in events that say the same but for numbers, ids, case and white space. A
// decision, or an event of few words, has its own: its numbers may be all that it says.
func EventShape(e *loci.Event) string {
	words := strings.Fields(strings.ToLower(e.Content))
	said := len(words)
	for i, w := range words {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			words[i], said = "0", said-1
		}
	}
	if e.Class == loci.EventDecision || said < leastShape {
		return e.ID.String()
	}
	return strings.ToLower(e.Actor) + "\n" + e.Type + "\n" + strings.Join(words, " ")
}
