package loci

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// memoryEncoder encodes values with memories in them. Most answers consist of memories, and the
// reflection of the encoder takes many times as long as appending their members. So the encoder
// writes a null for each memory, and encode puts the memory into its place.
type memoryEncoder struct {
	options  jsonv2.Options
	notes    jsonv2.Options // for what has no memories
	memories []byte         // one after the other
	places   []memoryPlace
	line     []byte // what WriteJSON has written last
}

// memoryPlace is where a null ends in the text around the memories, and where the memory ends in memories.
type memoryPlace struct{ null, memory int }

var memoryEncoders = sync.Pool{New: func() any {
	e := &memoryEncoder{notes: jsonv2.JoinOptions(encoding, jsonv2.WithMarshalers(encodeTimes))}
	e.options = jsonv2.JoinOptions(encoding, jsonv2.WithMarshalers(jsonv2.JoinMarshalers(encodeTimes,
		jsonv2.MarshalToFunc(e.leave))))
	return e
}}

// maxEncoder is the size above which an encoder is dropped, so that one large answer takes no memory forever.
const maxEncoder = 1 << 20

// withEncoder calls fn with an encoder that nobody else uses.
func withEncoder(fn func(*memoryEncoder) error) error {
	e := memoryEncoders.Get().(*memoryEncoder) //nolint:forcetypeassert // the pool has nothing else
	err := fn(e)
	if max(cap(e.memories), cap(e.line)) <= maxEncoder {
		memoryEncoders.Put(e)
	}
	return err
}

// encode appends v as JSON to b. A memory that a struct other than Saved embeds is not a memory here.
func (e *memoryEncoder) encode(b []byte, v any) ([]byte, error) {
	w := memberWriter{b: b}
	switch v := v.(type) {
	case *Memory:
		if v != nil {
			w.memory(v)
			return w.b, w.err
		}
	case *Saved:
		if v != nil {
			w.memory(&v.Memory)
			w.members(&v.SaveNotes, e.notes)
			return w.b, w.err
		}
	}
	e.memories, e.places = e.memories[:0], e.places[:0]
	around, err := jsonv2.Marshal(v, e.options)
	if err != nil {
		return nil, err
	}
	if b == nil && len(e.places) == 0 {
		return around, nil
	}
	return e.fill(b, around), nil
}

// leave encodes m at once, because the encoder may reuse it, and leaves a null in its place.
func (e *memoryEncoder) leave(out *jsontext.Encoder, m *Memory) error {
	w := memberWriter{b: e.memories}
	w.memory(m)
	e.memories = w.b
	if w.err != nil {
		return w.err
	}
	if err := out.WriteToken(jsontext.Null); err != nil {
		return err
	}
	e.places = append(e.places, memoryPlace{int(out.OutputOffset()), len(e.memories)})
	return nil
}

// fill appends a text to b, and puts the memories into their places.
func (e *memoryEncoder) fill(b, around []byte) []byte {
	b = slices.Grow(b, len(around)+len(e.memories)+1) // writers add a newline
	var last memoryPlace
	for _, p := range e.places {
		b = append(b, bytes.TrimSuffix(around[last.null:p.null], []byte("null"))...)
		b = append(b, e.memories[last.memory:p.memory]...)
		last = p
	}
	return append(b, around[last.null:]...)
}

// memory writes m as the fields' tags describe it.
func (w *memberWriter) memory(m *Memory) {
	w.b = append(w.b, '{')
	w.id("id", m.ID)
	w.text("title", m.Title)
	w.text("content", m.Content)
	w.textIfAny("summary", m.Summary)
	w.textIfAny("key", m.Key)
	texts(w, "tags", m.Tags)
	w.text("memory_type", string(m.Type))
	w.text("category", m.Category)
	w.number("importance", m.Importance)
	if m.Pinned {
		w.name("pinned")
		w.b = append(w.b, "true"...)
	}
	w.text("source", m.Source)
	if m.SecretsKept {
		w.name("secrets_kept")
		w.b = append(w.b, "true"...)
	}
	w.access(&m.Access)
	w.idIfAny("session_id", m.SessionID)
	w.timeIfAny("valid_from", m.ValidFrom)
	w.timeIfAny("valid_to", m.ValidTo)
	w.time("created_at", m.CreatedAt)
	w.time("updated_at", m.UpdatedAt)
	w.state(&m.State)
	w.disagreement(&m.Disagreement)
	w.b = append(w.b, '}')
}

// memberWriter appends members of an object.
type memberWriter struct {
	b   []byte
	err error
}

// members adds the members of another struct to an object that has ended.
func (w *memberWriter) members(of any, options jsonv2.Options) {
	text, err := jsonv2.Marshal(of, options)
	if w.err = cmp.Or(w.err, err); len(text) > len("{}") {
		w.b = append(append(w.b[:len(w.b)-1], ','), text[1:]...)
	}
}

func (w *memberWriter) access(a *Access) {
	w.idIfAny("user_id", a.UserID)
	w.idIfAny("workspace_id", a.WorkspaceID)
	w.text("scope", string(a.Scope))
	w.idIfAny("project_id", a.ProjectID)
	w.idIfAny("agent_id", a.AgentID)
	w.idIfAny("team_id", a.TeamID)
	w.text("origin", a.Origin)
	texts(w, "allowed_vendors", a.AllowedVendors)
	w.timeIfAny("expires_at", a.ExpiresAt)
	w.idIfAny("superseded_by", a.SupersededBy)
	w.timeIfAny("deleted_at", a.DeletedAt)
}

func (w *memberWriter) state(s *State) {
	w.number("version", s.Version)
	w.text("change", string(s.Change))
	w.text("editor", s.Editor)
	w.idIfAny("editor_id", s.EditorID)
	w.idIfAny("editor_credential_id", s.EditorCredentialID)
	w.idIfAny("editor_session_id", s.EditorSessionID)
}

func (w *memberWriter) disagreement(d *Disagreement) {
	if len(d.DisputedBy) > 0 {
		w.name("disputed_by")
		w.b = append(w.b, '[')
		for i, one := range d.DisputedBy {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			w.b = append(w.b, '{')
			w.id("id", one.ID)
			w.text("origin", one.Origin)
			w.b = append(w.b, '}')
		}
		w.b = append(w.b, ']')
	}
	w.idIfAny("pending_supersede", d.PendingSupersede)
}

// name begins a member. Every name is plain text.
func (w *memberWriter) name(name string) {
	if w.b[len(w.b)-1] != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(w.b, '"')
	w.b = append(w.b, name...)
	w.b = append(w.b, '"', ':')
}

func (w *memberWriter) text(name, value string) {
	w.name(name)
	w.quote(value)
}

func (w *memberWriter) textIfAny(name, value string) {
	if value != "" {
		w.text(name, value)
	}
}

// quote appends a string as the encoder would.
func (w *memberWriter) quote(s string) {
	var err error
	switch {
	case isPlain(s):
		w.b = append(w.b, '"')
		w.b = append(w.b, s...)
		w.b = append(w.b, '"')
	case utf8.ValidString(s) && !strings.Contains(s, "\u2028") && !strings.Contains(s, "\u2029"):
		w.b, err = jsontext.AppendQuote(w.b, s)
	default:
		var text []byte
		text, err = jsonv2.Marshal(s, encoding)
		w.b = append(w.b, text...)
	}
	if w.err == nil {
		w.err = err
	}
}

// isPlain reports whether s is ASCII without anything to escape. It looks at eight bytes at a time,
// because most of an answer is such text.
func isPlain(s string) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
		quote, escape := x^ones*'"', x^ones*'\\'
		// The high bit of a byte is set in the differences if the byte was too small.
		if (x|(x-ones*' ')&^x|(quote-ones)&^quote|(escape-ones)&^escape)&high != 0 {
			return false
		}
	}
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func texts[T ~string](w *memberWriter, name string, list []T) {
	w.name(name)
	if list == nil {
		w.b = append(w.b, "null"...)
		return
	}
	w.b = append(w.b, '[')
	for i, value := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.quote(string(value))
	}
	w.b = append(w.b, ']')
}

func (w *memberWriter) number(name string, value int) {
	w.name(name)
	w.b = strconv.AppendInt(w.b, int64(value), 10)
}

func (w *memberWriter) id(name string, id [16]byte) {
	w.name(name)
	w.b = append(w.b, '"')
	if id != [16]byte{} {
		for _, part := range [][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
			w.b = append(hex.AppendEncode(w.b, part), '-')
		}
		w.b = w.b[:len(w.b)-1]
	}
	w.b = append(w.b, '"')
}

func (w *memberWriter) idIfAny(name string, value [16]byte) {
	if value != [16]byte{} {
		w.id(name, value)
	}
}

func (w *memberWriter) time(name string, value time.Time) {
	w.name(name)
	w.b = append(w.b, '"')
	w.b = appendTime(w.b, value)
	w.b = append(w.b, '"')
}

func (w *memberWriter) timeIfAny(name string, value time.Time) {
	if !value.IsZero() {
		w.time(name, value)
	}
}

// appendTime appends a time in timeLayout. It takes a third of the time that package time needs.
func appendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.AppendFormat(b, timeLayout)
	}
	hour, minute, second := t.Clock()
	micros := t.Nanosecond() / 1000
	b = appendTwo(appendTwo(b, year/100), year%100)
	b = appendTwo(append(b, '-'), int(month))
	b = appendTwo(append(b, '-'), day)
	b = appendTwo(append(b, 'T'), hour)
	b = appendTwo(append(b, ':'), minute)
	b = appendTwo(append(b, ':'), second)
	b = appendTwo(append(b, '.'), micros/10_000)
	b = appendTwo(appendTwo(b, micros/100%100), micros%100)
	return append(b, 'Z')
}

func appendTwo(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }
