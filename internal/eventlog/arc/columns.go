package arc

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tinylib/msgp/msgp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

type column string

// The columns that conditions name.
const (
	colTime       column = "time"
	colOrg        column = "org_id"
	colAgent      column = "agent_id"
	colSession    column = "session_id"
	colMemoryType column = "memory_type"
	colEventType  column = "event_type"
	colContent    column = "content"
	colMetadata   column = "metadata_json"
	colTags       column = "tags_csv"
	colImportance column = "importance"
	colParent     column = "parent_id"
	colDedup      column = "dedup_key"
	colID         column = "id"
	colUser       column = "user_id"
	colOrigin     column = "origin"
	colActor      column = "actor"
	colRecorded   column = "recorded_at"
	colClass      column = "class"
	colSeq        column = "seq"
)

// row is an entry of the queue as it is written.
type row struct {
	seq   int64
	event *loci.Event
	class string
}

// field is a column with its value in a row: a string, an int64 or a float64. Arc takes the type of a
// column from its first value, and refuses rows that mix them, so a missing value is never nil.
type field struct {
	name  column
	value func(*row) any
}

// columns are those of seed S5 and, after parent_id, our own.
var columns = []field{
	{colTime, func(r *row) any { return r.event.Time.UnixMicro() }},
	{colOrg, func(r *row) any { return string(r.event.OrgID) }},
	{colAgent, func(r *row) any { return idText(r.event.AgentID) }},
	{colSession, func(r *row) any { return idText(r.event.SessionID) }},
	{colMemoryType, func(r *row) any { return string(r.event.Class) }},
	{colEventType, func(r *row) any { return r.event.Type }},
	{colContent, func(r *row) any { return r.event.Content }},
	{colMetadata, func(r *row) any { return string(r.event.Metadata) }},
	{colTags, func(r *row) any { return joinTags(r.event.Tags) }},
	{colDedup, func(r *row) any { return r.event.DedupKey }},
	{colImportance, func(r *row) any { return float64(r.event.Importance) }},
	{colParent, func(r *row) any { return idText(r.event.ParentID) }},

	{colID, func(r *row) any { return idText(r.event.ID) }},
	{colUser, func(r *row) any { return idText(r.event.UserID) }},
	{colOrigin, func(r *row) any { return r.event.Origin }},
	{"allowed_vendors", func(r *row) any { return joinTags(r.event.AllowedVendors) }},
	{"workspace_id", func(r *row) any { return idText(r.event.WorkspaceID) }},
	{"project_id", func(r *row) any { return idText(r.event.ProjectID) }},
	{"reach", func(r *row) any { return string(r.event.Reach) }},
	{"team_id", func(r *row) any { return idText(r.event.TeamID) }},
	{colActor, func(r *row) any { return r.event.Actor }},
	{colRecorded, func(r *row) any { return r.event.RecordedAt.UnixMicro() }},
	{colClass, func(r *row) any { return r.class }},
	{colSeq, func(r *row) any { return r.seq }},
}

// eventColumns are what readEvent reads, in its order. The access of an event comes from its class.
var eventColumns = []column{colID, colTime, colRecorded, colSession, colAgent, colActor, colMemoryType, colEventType,
	colContent, colMetadata, colTags, colImportance, colParent, colDedup, colOrigin, colClass}

func newRow(q eventlog.Queued) *row {
	return &row{seq: q.Number, event: q.Event, class: classOf(&q.Event.EventAccess)}
}

// The times that Arc takes for microseconds: it guesses the unit from the size of the first number.
var firstTime, lastTime = time.UnixMicro(1e13), time.UnixMicro(1e16 - 1)

// encode returns the body of a write: the columns of rows, in msgpack.
func encode(measurement string, rows []*row) ([]byte, error) {
	b := msgp.AppendMapHeader(nil, 2)
	b = msgp.AppendString(b, "m")
	b = msgp.AppendString(b, measurement)
	b = msgp.AppendString(b, "columns")
	b = msgp.AppendMapHeader(b, uint32(len(columns))) // #nosec G115 -- few
	for _, c := range columns {
		b = msgp.AppendString(b, string(c.name))
		b = msgp.AppendArrayHeader(b, uint32(len(rows))) // #nosec G115 -- at most loci.MaxEvents
		for _, r := range rows {
			var err error
			if b, err = appendValue(b, c.value(r)); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// int64Mark begins a number of 8 bytes. All numbers of a column have this form, because a shorter one is another type.
const int64Mark = 0xd3

func appendValue(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return msgp.AppendString(b, v), nil
	case int64:
		return binary.BigEndian.AppendUint64(append(b, int64Mark), uint64(v)), nil // #nosec G115 -- as msgpack has it
	case float64:
		return msgp.AppendFloat64(b, v), nil
	}
	return nil, fmt.Errorf("arc: a column of type %T", v)
}

// readEvent reads a row of eventColumns. The event has no access yet.
func readEvent(cells []any) (e *loci.Event, class string, err error) {
	r := reader{cells: cells}
	e = &loci.Event{}
	e.ID, e.Time, e.RecordedAt = loci.EventID(r.id()), r.time(), time.UnixMicro(r.number()).UTC()
	e.SessionID, e.AgentID, e.Actor = loci.SessionID(r.id()), loci.AgentID(r.id()), r.text()
	e.Class, e.Type, e.Content = loci.EventClass(r.text()), r.text(), r.text()
	if metadata := r.text(); metadata != "" {
		e.Metadata = json.RawMessage(metadata)
	}
	e.Tags, e.Importance, e.ParentID = splitTags(r.text()), int(r.number()), loci.EventID(r.id())
	e.DedupKey, e.Origin, class = r.text(), r.text(), r.text()
	return e, class, r.err
}

// reader reads the cells of a row from left to right, and keeps the first error.
type reader struct {
	cells []any
	err   error
}

func (r *reader) next() (cell any) {
	if len(r.cells) == 0 {
		r.fail("is missing")
		return nil
	}
	cell, r.cells = r.cells[0], r.cells[1:]
	return cell
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = &fault{kind: unanswered, text: fmt.Sprintf("a cell %s; %d follow it", what, len(r.cells))}
	}
}

func (r *reader) text() string {
	s, ok := r.next().(string)
	if !ok {
		r.fail("is no text")
	}
	return s
}

func (r *reader) number() int64 {
	n, ok := r.next().(json.Number)
	if !ok {
		r.fail("is no number")
		return 0
	}
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil {
		r.fail("is no number")
	}
	return int64(f)
}

func (r *reader) id() (id [16]byte) {
	s := r.text()
	if s == "" {
		return id
	}
	got, err := loci.ParseID[any](s)
	if err != nil {
		r.fail("is no id")
	}
	return got
}

func (r *reader) time() time.Time {
	t, err := time.Parse(time.RFC3339Nano, r.text())
	if err != nil {
		r.fail("is no time")
	}
	return t.UTC()
}

func idText[Kind any](id loci.ID[Kind]) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// The tags of an event are one text in which each stands between two commas, so that a tag is found
// as a part of the text. Tags may have commas themselves.
var escapeTag, unescapeTag = strings.NewReplacer("%", "%25", ",", "%2C"), strings.NewReplacer("%25", "%", "%2C", ",")

func joinTags[T ~string](tags []T) string {
	if len(tags) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteByte(',')
	for _, t := range tags {
		b.WriteString(escapeTag.Replace(string(t)))
		b.WriteByte(',')
	}
	return b.String()
}

func splitTags(text string) []string {
	tags := []string{}
	for tag := range strings.SplitSeq(strings.Trim(text, ","), ",") {
		if tag != "" {
			tags = append(tags, unescapeTag.Replace(tag))
		}
	}
	return tags
}
