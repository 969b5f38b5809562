package sqlstore

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// stateColumns are the columns that memories and memory_versions share, in the order in which
// bind writes and scan reads them.
var stateColumns = []string{"user_id", "scope", "type", "deleted_at", "expires_at", "superseded_by", "team_id",
	"project_id",
	"agent_id", "workspace_id", "session_id", "allowed_vendors", "origin", "created_at", "updated_at", "version", "change",
	"editor", "importance", "pinned", "valid_from", "valid_to", "key", "category", "source", "tags", "title", "summary",
	"content",
	"editor_user", "editor_credential", "editor_session", "secrets_kept"}

var memoryColumns = "m.seq, m.id, " + Columns("m.")

// ofSuggestion is whether anybody suggests to replace the memory. Asking here saves a statement after most reads.
const ofSuggestion = ", EXISTS (SELECT 1 FROM suggestions s WHERE {s} s.memory_seq = m.seq AND s.state = 'pending')"

var suggestedColumn = 2 + len(stateColumns)

// stateOf has the columns that readMemory reads after the number and the id, for each stage.
var stateOf = map[string]string{"m": ", " + Columns("m.") + ofSuggestion, "o": ", " + Columns("o.") + ofSuggestion}

var shownColumns = "m.seq, m.id" + stateOf["m"]

// Columns lists the state columns, each with the prefix.
func Columns(prefix string) string {
	return prefix + strings.Join(stateColumns, ", "+prefix)
}

// BindState returns the values of the columns of Columns.
func BindState(m *loci.Memory) []any {
	return []any{[16]byte(m.UserID), string(m.Scope), string(m.Type), micros(m.DeletedAt), micros(m.ExpiresAt),
		OrNull(m.SupersededBy), OrNull(m.TeamID), OrNull(m.ProjectID), OrNull(m.AgentID), OrNull(m.WorkspaceID),
		OrNull(m.SessionID),
		ToJSON(m.AllowedVendors), m.Origin, m.CreatedAt.UnixMicro(), m.UpdatedAt.UnixMicro(), m.Version, string(m.Change),
		m.Editor, m.Importance, m.Pinned, micros(m.ValidFrom), micros(m.ValidTo), m.Key, m.Category, m.Source,
		ToJSON(m.Tags), m.Title, m.Summary, m.Content, OrNull(m.EditorID), OrNull(m.EditorCredentialID),
		OrNull(m.EditorSessionID), m.SecretsKept}
}

// TextDigest is the value of the column digest, by which an index finds a text: 8 bytes of the SHA-256
// of the title and the content. The rows of every data directory have it, so it never changes.
func TextDigest(title, content string) int64 {
	h := sha256.New()
	_, _ = io.WriteString(h, title) // a hash never fails
	_, _ = h.Write([]byte{0})       // no text contains it
	_, _ = io.WriteString(h, content)
	return int64(binary.BigEndian.Uint64(h.Sum(nil))) // #nosec G115 -- any mapping of the numbers will do
}

// Stored is a memory with its row number.
type Stored struct {
	loci.Memory
	Seq  int64
	bare bool // this transaction has inserted it, and nothing that refers to it
}

// maxCalm limits how many memories without a suggestion a transaction remembers. It is more than a page has.
const maxCalm = 1024

// readMemory is scanMemory for a row that is returned to a caller, with the columns of shownColumns.
func (tx *Tx) readMemory(r Row) (*Stored, error) {
	m, err := tx.scanMemory(r)
	if err == nil && !r.Bool(suggestedColumn) {
		tx.remember([]loci.MemoryID{m.ID})
	}
	if err == nil {
		tx.hold(m)
	}
	return m, err
}

// hold keeps a row as it is now in a transaction that writes, for those that write it later.
func (tx *Tx) hold(row *Stored) {
	if tx.Kept.Of != nil || len(tx.held) >= maxCalm {
		delete(tx.held, row.ID)
		return
	}
	if tx.held == nil {
		tx.held = map[loci.MemoryID]*Stored{}
	}
	held := *row // whoever has read it may change it, but not its lists
	tx.held[row.ID] = &held
}

// remember adds memories without an open suggestion.
func (tx *Tx) remember(calm []loci.MemoryID) {
	tx.calm = append(tx.calm, calm[:min(len(calm), maxCalm-len(tx.calm))]...)
}

// isCalm reports whether a memory is known to have no open suggestion. It looks at place first,
// because callers ask in the order in which they have read.
func (tx *Tx) isCalm(place int, id loci.MemoryID) bool {
	return place < len(tx.calm) && tx.calm[place] == id || slices.Contains(tx.calm, id)
}

func (tx *Tx) scanMemory(r Row) (*Stored, error) {
	m := &Stored{Seq: r.Int64(0)}
	m.ID = r.ID(1)
	return m, tx.scanState(r, 2, &m.Memory)
}

// again returns a text of a few values, such as a scope. Rows of a page mostly repeat the text of the
// row before, which then takes no memory.
func again[T ~string](r Row, col int, before T) T {
	raw := r.Raw(col)
	if string(raw) == string(before) { // compares without a copy
		return before
	}
	return T(raw)
}

// scanState reads the state columns, starting at column i.
func (tx *Tx) scanState(r Row, i int, m *loci.Memory) (err error) {
	before := tx.before
	if before == nil {
		before = &loci.Memory{}
	}
	tx.before = m
	m.Access = loci.Access{OrgID: tx.Org, UserID: r.ID(i), Scope: again(r, i+1, before.Scope), DeletedAt: TimeAt(r, i+3),
		ExpiresAt: TimeAt(r, i+4), SupersededBy: r.ID(i + 5), TeamID: r.ID(i + 6), ProjectID: r.ID(i + 7),
		AgentID:     r.ID(i + 8),
		WorkspaceID: r.ID(i + 9), Origin: again(r, i+12, before.Origin)}
	m.Type, m.SessionID = again(r, i+2, before.Type), r.ID(i+10)
	m.CreatedAt, m.UpdatedAt = TimeAt(r, i+13), TimeAt(r, i+14)
	m.State = loci.State{Version: r.Int(i + 15), Change: again(r, i+16, before.Change),
		Editor:   again(r, i+17, before.Editor),
		EditorID: r.ID(i + 29), EditorCredentialID: r.ID(i + 30), EditorSessionID: r.ID(i + 31)}
	m.Importance, m.Pinned, m.SecretsKept = r.Int(i+18), r.Bool(i+19), r.Bool(i+32)
	m.ValidFrom, m.ValidTo = TimeAt(r, i+20), TimeAt(r, i+21)
	m.Key, m.Category, m.Source = r.Text(i+22), again(r, i+23, before.Category), again(r, i+24, before.Source)
	m.Title, m.Summary, m.Content = r.Text(i+26), r.Text(i+27), r.Text(i+28)
	if m.AllowedVendors, err = fromJSON[loci.Vendor](r.Raw(i + 11)); err != nil {
		return err
	}
	m.Tags, err = fromJSON[string](r.Raw(i + 25))
	return err
}

// ToJSON packs any number of values into one parameter, so that one SQL text serves them all. It does not use the
// escapes that are meant for browsers.
func ToJSON[T ~string](list []T) string {
	b := []byte("[")
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = loci.AppendJSON(b, v)
	}
	return string(append(b, ']'))
}

func fromJSON[T ~string](text []byte) ([]T, error) {
	switch string(text) { // compares without a copy
	case "[]":
		return []T{}, nil
	case `["*"]`:
		return []T{"*"}, nil
	}
	if list, ok := plainList[T](text); ok {
		return list, nil
	}
	var list []T
	err := json.Unmarshal(text, &list)
	return list, err
}

// plainList reads a list of strings without escapes, in the form in which ToJSON writes it.
func plainList[T ~string](text []byte) ([]T, bool) {
	rest, ok := strings.CutPrefix(string(text), `["`)
	if ok {
		rest, ok = strings.CutSuffix(rest, `"]`)
	}
	if !ok || strings.IndexByte(rest, '\\') >= 0 || !utf8.ValidString(rest) {
		return nil, false
	}
	list := make([]T, 0, strings.Count(rest, `","`)+1)
	for more := true; more; {
		var one string
		one, rest, more = strings.Cut(rest, `","`)
		for i := range len(one) {
			if one[i] == '"' || one[i] < ' ' {
				return nil, false
			}
		}
		list = append(list, T(one))
	}
	return list, true
}
