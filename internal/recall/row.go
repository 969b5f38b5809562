package recall

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/language"
)

// These are the bits that the priority of a memory has beside its importance. Only rows of a selection, which may be
// superseded, tell whether they are current.
const (
	pinnedPriority  = 1 << 4
	currentPriority = 1 << 5
)

// Priority returns the priority of a memory among hits with the same score: pinned, then importance.
func Priority(m *loci.Memory) uint8 {
	p := uint8(min(max(m.Importance, 0), loci.MaxImportance))
	if m.Pinned {
		p += pinnedPriority
	}
	return p
}

// indexed are the fields that an index reads, in this order. The content comes first, because
// passages are counted from there.
var indexed = [...]loci.Field{loci.FieldContent, loci.FieldTitle, loci.FieldSummary, loci.FieldKey, loci.FieldTags,
	loci.FieldCategory}

// MarkOf returns the mark of a memory for IndexRow.
func MarkOf(m *loci.Memory) index.Mark {
	s := SketchOf(Read(m.Content), Read(m.Title))
	return s.Mark()
}

// IndexRow returns what an index reads of a memory that is neither in the trash nor superseded, but for its mark and
// its Session.
func IndexRow(m *loci.Memory) index.Row {
	row := index.Row{ID: m.ID, Class: ClassOf(&m.Access), Time: Happened(m), Priority: Priority(m), Updated: m.UpdatedAt,
		Until: m.ExpiresAt}
	if !m.SessionID.IsZero() {
		row.Of, row.Actor = m.SessionID, actorOf(m.Content)
	}
	if m.ValidFrom.After(m.UpdatedAt) {
		row.From = m.ValidFrom // an earlier one limits nothing, and the row keeps its neighbours
	}
	if row.Until.IsZero() || !m.ValidTo.IsZero() && m.ValidTo.Before(row.Until) {
		row.Until = m.ValidTo
	}
	if !row.From.IsZero() || !row.Until.IsZero() {
		row.Of = loci.SessionID{} // it stands alone
	}
	texts := fieldTexts(m)
	if beginning(m.Title, m.Content) {
		texts[loci.FieldTitle], row.Signs = "", m.Title
	}
	row.Fields = indexFields(&texts)
	return row
}

// SelectedRow returns what an index of selected memories reads of one, which is found at any time.
func SelectedRow(m *loci.Memory) index.Row {
	row := IndexRow(m)
	row.From, row.Until = time.Time{}, time.Time{}
	if m.SupersededBy.IsZero() {
		row.Priority += currentPriority
	}
	return row
}

// TextToEmbed returns the text of a memory of which a vector is made: the title, unless the content begins with it, the
// content, and the summary. A name with which a session memory begins says who spoke, not what it means.
func TextToEmbed(m *loci.Memory) string {
	content := m.Content
	if !m.SessionID.IsZero() && actorOf(content) != "" {
		content = strings.TrimSpace(content[strings.IndexAny(content, ":："):])
		content = strings.TrimSpace(strings.TrimLeft(content, ":："))
	}
	parts := []string{content}
	if !beginning(m.Title, m.Content) {
		parts = []string{m.Title, content}
	}
	if m.Summary != "" {
		parts = append(parts, m.Summary)
	}
	return strings.Join(parts, "\n")
}

func indexFields(texts *[loci.FieldCount]string) (fields []index.Field) {
	for _, f := range indexed {
		if texts[f] != "" {
			fields = append(fields, index.Field{Text: texts[f], Weight: fieldWeight[f],
				Name: f == loci.FieldKey || f == loci.FieldTitle})
		}
	}
	return fields
}

// Happened returns when that of which a memory tells happened: when it was saved, or before that if it
// has been true for longer. A fact that becomes true later is still told when it was saved.
func Happened(m *loci.Memory) time.Time {
	if !m.ValidFrom.IsZero() && m.ValidFrom.Before(m.CreatedAt) {
		return m.ValidFrom
	}
	return m.CreatedAt
}

// beginning reports whether a title is only the first words of the content. Such a title says nothing
// more, and its words would count several times.
func beginning(title, content string) bool {
	if title != "" && content != "" && title[0] != content[0] && stays(title[0]) && stays(content[0]) {
		return false // nearly always
	}
	title = strings.TrimRight(loci.OneLine(title), "… .")
	return strings.HasPrefix(loci.OneLine(content), title)
}

// stays reports whether c, with which a text begins, is no space and nothing that is trimmed.
func stays(c byte) bool { return '0' <= c && c <= 'z' }

// maxActor is how long a name is at most, in characters.
const maxActor = 40

// actorOf returns the person who said a text that begins with a name and a colon, as transcripts do,
// as questions name them. It returns "" if there is none.
func actorOf(content string) string {
	end := strings.IndexAny(content, ":：")
	if end <= 0 || end > maxActor*4 || strings.HasPrefix(content[end:], ":") && !strings.HasPrefix(content[end:], ": ") {
		return ""
	}
	name := content[:end]
	if len([]rune(name)) > maxActor || len(strings.Fields(name)) > maxName || strings.ContainsFunc(name, notInName) {
		return ""
	}
	var a language.Analyzer
	tokens := a.Tokens(name, nil)
	if len(tokens) > maxName {
		return "" // actors finds no longer ones
	}
	return joined(tokens)
}

func notInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" '’-.", r)
}

// GraphRow returns what an index reads of a text of a graph: an entity's name and type, or an observation. The graph
// and its project decide who sees it, besides the vendors.
func GraphRow(id [16]byte, entity loci.EntityID, name, kind, observation string, vendors []loci.Vendor,
	created time.Time) index.Row {
	row := index.Row{ID: id, Class: ClassOf(&loci.Access{AllowedVendors: vendors}), Time: created, Updated: created}
	for _, f := range []index.Field{{Text: name, Weight: fieldWeight[loci.FieldKey], Name: true}, {Text: kind},
		{Text: observation}} {
		if f.Text != "" {
			row.Fields = append(row.Fields, f)
		}
	}
	copy(row.Mark[:], entity[:])
	return row
}

// EntityOf returns the entity of a text that was found.
func EntityOf(h *index.Hit) (entity loci.EntityID) {
	copy(entity[:], h.Mark[:])
	return entity
}

// The first byte of a class is one of these formats. A class of another format is visible to nobody.
const (
	classFormat = 1 // of a row with a scope
	workFormat  = 2 // of an event, which has a reach instead
)

// ClassOf returns the visibility class of a row: all that loci.Viewer.Sees reads of its access, except
// its lifecycle. Rows whose vendors are in another order are of one class.
func ClassOf(a *loci.Access) index.Class {
	out, within := []byte{classFormat}, string(a.Scope)
	if a.Reach != "" {
		out[0], within = workFormat, string(a.Reach)
	}
	for _, id := range [...][16]byte{a.UserID, a.WorkspaceID, a.ProjectID, a.AgentID, a.TeamID} {
		out = append(out, id[:]...)
	}
	vendors := slices.Compact(slices.Sorted(slices.Values(a.AllowedVendors)))
	out = appendText(appendText(out, string(a.OrgID)), within)
	for _, v := range vendors {
		out = appendText(out, string(v))
	}
	return index.Class(out)
}

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// accessOf returns the access that ClassOf encoded. ok is false for anything that it did not write.
func accessOf(c index.Class) (a loci.Access, ok bool) {
	const ids = 5
	if len(c) < 1+ids*16 || c[0] != classFormat && c[0] != workFormat {
		return a, false
	}
	for i, id := range [ids]*[16]byte{(*[16]byte)(&a.UserID), (*[16]byte)(&a.WorkspaceID), (*[16]byte)(&a.ProjectID),
		(*[16]byte)(&a.AgentID), (*[16]byte)(&a.TeamID)} {
		copy(id[:], c[1+i*16:])
	}
	var texts []string
	for rest := []byte(c[1+ids*16:]); len(rest) > 0; {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return loci.Access{}, false
		}
		end := size + int(n)
		texts, rest = append(texts, string(rest[size:end])), rest[end:]
	}
	if len(texts) < 2 {
		return loci.Access{}, false
	}
	if a.OrgID = loci.OrgID(texts[0]); c[0] == workFormat {
		a.Reach = loci.Reach(texts[1])
	} else {
		a.Scope = loci.Scope(texts[1])
	}
	for _, v := range texts[2:] {
		a.AllowedVendors = append(a.AllowedVendors, loci.Vendor(v))
	}
	if ClassOf(&a) != c {
		return loci.Access{}, false
	}
	return a, true
}

// Sees returns the classes that a viewer sees. The index holds live rows only, and knows when they
// end. The function remembers its answers, so it serves one search, and one goroutine at a time.
func Sees(v loci.Viewer) func(index.Class) bool {
	return remembered(func(a *loci.Access) bool { return v.Sees(a, loci.LiveOnly, time.Time{}) })
}

func remembered(rule func(*loci.Access) bool) func(index.Class) bool {
	known := map[index.Class]bool{}
	return func(c index.Class) bool {
		sees, ok := known[c]
		if !ok {
			a, valid := accessOf(c)
			sees = valid && rule(&a)
			known[c] = sees
		}
		return sees
	}
}

// SeesGraph returns the classes that a viewer sees of GraphRow in a project.
func SeesGraph(v loci.Viewer, project *loci.Project) func(index.Class) bool {
	return remembered(func(a *loci.Access) bool {
		return v.SeesGraph(project, &loci.GraphAccess{AllowedVendors: a.AllowedVendors}, loci.LiveOnly)
	})
}
