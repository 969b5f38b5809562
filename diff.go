package loci

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Diff is the difference between two versions of a memory.
type Diff struct {
	MemoryID MemoryID      `json:"memory_id" format:"uuid"`
	From     DiffSide      `json:"from"`
	To       DiffSide      `json:"to"`
	Fields   []FieldChange `json:"fields" nullable:"false" doc:"Changed fields except long texts, in the order of a memory's fields"`
	Texts    []TextChange  `json:"texts" nullable:"false" doc:"Changes of title, content and summary, line by line"`
}

// DiffSide is one of the two versions.
type DiffSide struct {
	Version int       `json:"version"`
	At      time.Time `json:"at" doc:"When this version was created"`
	Change  Change    `json:"change" enum:"created,updated,trashed,restored"`
	Editor  string    `json:"editor" doc:"Who created it"`
}

// FieldChange is an attribute that differs. A missing value is null.
type FieldChange struct {
	Field string          `json:"field" example:"importance"`
	Old   json.RawMessage `json:"old"`
	New   json.RawMessage `json:"new"`
}

// TextChange is a text that differs.
type TextChange struct {
	Field string `json:"field" example:"content"`
	Hunks []Hunk `json:"hunks" nullable:"false"`
}

// compared are the fields that aren't texts, except those that describe only how a version came about.
var compared = []struct {
	field string
	value func(*Memory) any
}{
	{"key", func(m *Memory) any { return orNull(m.Key) }},
	{"tags", func(m *Memory) any { return m.Tags }},
	{"memory_type", func(m *Memory) any { return m.Type }},
	{"category", func(m *Memory) any { return m.Category }},
	{"importance", func(m *Memory) any { return m.Importance }},
	{"pinned", func(m *Memory) any { return m.Pinned }},
	{"source", func(m *Memory) any { return m.Source }},
	{"secrets_kept", func(m *Memory) any { return orNull(m.SecretsKept) }},
	{"scope", func(m *Memory) any { return m.Scope }},
	{"project_id", func(m *Memory) any { return orNull(m.ProjectID) }},
	{"agent_id", func(m *Memory) any { return orNull(m.AgentID) }},
	{"session_id", func(m *Memory) any { return orNull(m.SessionID) }},
	{"workspace_id", func(m *Memory) any { return orNull(m.WorkspaceID) }},
	{"team_id", func(m *Memory) any { return orNull(m.TeamID) }},
	{"allowed_vendors", func(m *Memory) any { return m.AllowedVendors }},
	{"valid_from", func(m *Memory) any { return orNull(m.ValidFrom) }},
	{"valid_to", func(m *Memory) any { return orNull(m.ValidTo) }},
	{"expires_at", func(m *Memory) any { return orNull(m.ExpiresAt) }},
	{"superseded_by", func(m *Memory) any { return orNull(m.SupersededBy) }},
	{"deleted_at", func(m *Memory) any { return orNull(m.DeletedAt) }},
}

// orNull returns nil for the zero value, because a memory's JSON omits zero fields.
func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// CompareVersions returns the changes from a to b, two versions of one memory.
func CompareVersions(a, b *Memory) *Diff {
	d := &Diff{MemoryID: b.ID, From: sideOf(a), To: sideOf(b), Fields: []FieldChange{}, Texts: []TextChange{}}
	for _, text := range []struct{ field, from, to string }{{"title", a.Title, b.Title}, {"summary", a.Summary, b.Summary},
		{"content", a.Content, b.Content}} {
		if text.from != text.to {
			d.Texts = append(d.Texts, TextChange{Field: text.field, Hunks: DiffText(text.from, text.to)})
		}
	}
	for _, c := range compared {
		if was, is := inJSON(c.value(a)), inJSON(c.value(b)); !bytes.Equal(was, is) {
			d.Fields = append(d.Fields, FieldChange{c.field, was, is})
		}
	}
	return d
}

func sideOf(m *Memory) DiffSide {
	return DiffSide{Version: m.Version, At: m.UpdatedAt, Change: m.Change, Editor: m.Editor}
}

func inJSON(v any) json.RawMessage {
	b, err := EncodeJSON(v)
	if err != nil {
		panic(err) // a plain value of this package
	}
	return b
}

// ChangedLines shows what differs between two texts: the lines of before from the first to the last
// one that differs, then those of after, and not what is around them.
func ChangedLines(before, after []byte) string {
	x, y := slices.Collect(bytes.Lines(before)), slices.Collect(bytes.Lines(after))
	from := 0
	for from < len(x) && from < len(y) && bytes.Equal(x[from], y[from]) {
		from++
	}
	endX, endY := len(x), len(y)
	for endX > from && endY > from && bytes.Equal(x[endX-1], y[endY-1]) {
		endX, endY = endX-1, endY-1
	}
	var b strings.Builder
	fmt.Fprintf(&b, "@@ line %d @@\n", from+1)
	for _, l := range x[from:endX] {
		fmt.Fprintf(&b, "-%s\n", bytes.TrimRight(l, "\r\n"))
	}
	for _, l := range y[from:endY] {
		fmt.Fprintf(&b, "+%s\n", bytes.TrimRight(l, "\r\n"))
	}
	return b.String()
}
