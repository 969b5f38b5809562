package recall

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

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

// EventText returns the texts of an event as those of a memory: the reason of a decision is its summary, and the
// type of an event is its category. So everything that reads the texts of a memory reads those of an event.
func EventText(e *loci.Event) *loci.Memory {
	m := &loci.Memory{Content: e.Content, Summary: reasonOf(e), Tags: e.Tags, Category: e.Type}
	if e.Type == loci.DefaultEventType {
		m.Category = ""
	}
	return m
}

// reasonOf returns the reason in the metadata of an event, or "".
func reasonOf(e *loci.Event) (reason string) {
	if !bytes.Contains(e.Metadata, []byte(loci.ReasonField)) {
		return ""
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(e.Metadata, &members) == nil {
		_ = json.Unmarshal(members[loci.ReasonField], &reason) // a reason that is no text stays ""
	}
	return reason
}
