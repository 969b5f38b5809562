package embedded

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math/bits"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// reader reads one snapshot of an org's log.
type reader struct {
	l     *Log
	f     *orgLog
	c     *sqlitedb.Conn
	state state
	want

	streams map[int64]*work // that the reader has met; nil: none of their events count
	classes map[int64]bool  // whether the viewer sees them
	names   names
}

// want says which events a reader returns.
type want struct {
	viewer *loci.Viewer // nil: it sees everything, for those who show it to nobody
	filter eventlog.Filter
	also   func(*loci.Event) bool // reads only the head; nil: no more conditions
	heads  bool                   // the events need no bodies
	brief  bool                   // of their bodies, the events only need the actor and the parent
}

// snapshot runs fn on a snapshot of an org's log, or does nothing if there is none. fn may run twice.
func (l *Log) snapshot(ctx context.Context, org loci.OrgID, w want, fn func(*reader) error) error {
	return l.read(ctx, org, func(f *orgLog) error {
		return f.DB.View(ctx, func(c *sqlitedb.Conn) error { return l.readFrom(f, c, w, fn) })
	})
}

// search is snapshot for a read that may take long, unless it looks for ids.
func (l *Log) search(ctx context.Context, org loci.OrgID, w want, fn func(*reader) error) error {
	if w.filter.IDs != nil {
		return l.snapshot(ctx, org, w, fn)
	}
	return l.read(ctx, org, func(f *orgLog) error {
		return f.DB.Scan(ctx, func(c *sqlitedb.Conn) error { return l.readFrom(f, c, w, fn) })
	})
}

func (l *Log) readFrom(f *orgLog, c *sqlitedb.Conn, w want, fn func(*reader) error) error {
	s, err := loadState(c)
	if err != nil {
		return err
	}
	return fn(&reader{l: l, f: f, c: c, state: s, want: w, streams: map[int64]*work{}, classes: map[int64]bool{},
		names: names{}})
}

// work returns the stream of an event, or nil if its events don't count for the reader.
func (r *reader) work(n int64) (*work, error) {
	if w, met := r.streams[n]; met {
		return w, nil
	}
	w := r.f.works.get(r.state.access, n)
	if w == nil {
		var err error
		if w, err = loadWork(r.c, r.f.org, n, selectWork); err != nil {
			return nil, err
		}
		r.f.works.put(r.state.access, n, w)
	}
	if !r.sees(w) || !r.filter.MatchesWork(&loci.Event{SessionID: w.session, AgentID: w.agent, EventAccess: w.access}) {
		w = nil
	}
	r.streams[n] = w
	return w, nil
}

// sees applies the visibility rule, once for each class.
func (r *reader) sees(w *work) bool {
	if r.viewer == nil {
		return true
	}
	seen, known := r.classes[w.class]
	if !known {
		seen = r.viewer.SeesEvent(&w.access)
		r.classes[w.class] = seen
	}
	return seen
}

// names are words that many rows have, each once.
type names map[string]string

// maxNames limits how many of them a reader remembers.
const maxNames = 1000

func (n names) of(raw []byte) string {
	if known, met := n[string(raw)]; met {
		return known
	}
	name := string(raw)
	if len(n) < maxNames {
		n[name] = name
	}
	return name
}

// event returns the event of a row, or nil if it doesn't count.
func (r *reader) event(src *source, row *sqlitedb.Row) (*loci.Event, error) {
	w, err := r.work(row.Int64(colStream))
	if err != nil || w == nil {
		return nil, err
	}
	e := &loci.Event{ID: idOf(row), Class: loci.EventClass(r.names.of(row.Raw(colClass))),
		Type:       r.names.of(row.Raw(colType)),
		Importance: row.Int(colImportance), RecordedAt: time.UnixMicro(row.Int64(colRecorded)).UTC()}
	e.Time, _ = loci.EventTime(e.ID)
	e.SessionID, e.AgentID, e.EventAccess = w.session, w.agent, w.access
	if !r.filter.MatchesHead(e) || r.also != nil && !r.also(e) {
		return nil, nil
	}
	w.set(e)
	if r.heads && !r.filter.NeedsBody() {
		return e, nil
	}
	body, err := src.body(row)
	if err == nil && r.brief && !r.filter.NeedsBody() {
		return e, readBrief(body, e, r.names)
	}
	if err == nil {
		err = readBody(body, e)
	}
	if err != nil || !r.filter.MatchesBody(e) {
		return nil, err
	}
	return e, nil
}

// bodyFormat is the first byte of each body.
const bodyFormat = 1

var errDamaged = errors.New("a value of the event log is damaged")

// appendBody appends what no column has: actor, content, metadata, the writer's key, the parent and
// the tags, each after its length. A last byte follows if a person keeps the secrets in it.
func appendBody(b []byte, e *loci.Event) []byte {
	b = slices.Grow(b, 64+len(e.Content)+len(e.Metadata))
	b = append(b, bodyFormat)
	b = appendText(b, e.Actor)
	b = appendText(b, e.Content)
	b = appendText(b, e.Metadata)
	b = appendText(b, e.DedupKey)
	if e.ParentID.IsZero() {
		b = append(b, 0)
	} else {
		b = appendText(b, e.ParentID[:])
	}
	b = binary.AppendUvarint(b, uint64(len(e.Tags)))
	for _, tag := range e.Tags {
		b = appendText(b, tag)
	}
	if e.SecretsKept {
		b = append(b, 1)
	}
	return b
}

func appendText[T string | json.RawMessage | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// readBody sets the fields of e that are in b. It copies them.
func readBody(b []byte, e *loci.Event) error {
	if len(b) == 0 || b[0] != bodyFormat {
		return errDamaged
	}
	r := bodyReader{rest: b[1:]}
	e.Actor = string(r.next())
	e.Content = string(r.next())
	e.Metadata = nil
	if metadata := r.next(); len(metadata) > 0 {
		e.Metadata = slices.Clone(metadata)
	}
	e.DedupKey = string(r.next())
	e.ParentID = loci.EventID{}
	copy(e.ParentID[:], r.next())
	e.Tags = make([]string, 0, min(r.number(), loci.MaxTags))
	for range cap(e.Tags) {
		e.Tags = append(e.Tags, string(r.next()))
	}
	e.SecretsKept = len(r.rest) > 0
	if r.bad {
		return errDamaged
	}
	return nil
}

// readBrief sets only the actor and the parent.
func readBrief(b []byte, e *loci.Event, known names) error {
	if len(b) == 0 || b[0] != bodyFormat {
		return errDamaged
	}
	r := bodyReader{rest: b[1:]}
	e.Actor = known.of(r.next())
	r.next() // content
	r.next() // metadata
	r.next() // key
	copy(e.ParentID[:], r.next())
	if r.bad {
		return errDamaged
	}
	return nil
}

type bodyReader struct {
	rest []byte
	bad  bool
}

func (r *bodyReader) number() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > uint64(len(r.rest)) { // no number in a body counts more than its bytes
		r.bad = true
		return 0
	}
	r.rest = r.rest[size:]
	return int(n) // #nosec G115 -- at most the length of a slice
}

func (r *bodyReader) next() []byte {
	n := r.number()
	if n > len(r.rest) {
		r.bad = true
		n = 0
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

// bloom is a Bloom filter whose bits for one key are in one block of 64 bytes, so that a question costs one access to
// memory (Putze, Sanders, Singler 2007). With 16 bits a key, it is wrong about one of several hundred keys.
type bloom []byte

const (
	bloomBits  = 16 // a key
	bloomBlock = 64 // bytes: eight words, in each of which a key has one bit
)

func newBloom(keys int) bloom {
	blocks := max(1, (keys*bloomBits+8*bloomBlock-1)/(8*bloomBlock))
	return make(bloom, blocks*bloomBlock)
}

// block returns the block of a key. The first bits of a hash choose it, the last ones the bits in it.
func (b bloom) block(hash int64) []byte {
	at, _ := bits.Mul64(uint64(hash), uint64(len(b)/bloomBlock)) // #nosec G115 -- only the bits count
	return b[at*bloomBlock : (at+1)*bloomBlock]
}

func (b bloom) add(hash int64) {
	block := b.block(hash)
	for i := range 8 {
		word := block[8*i : 8*i+8]
		binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|1<<(hash>>(6*i)&63))
	}
}

// has reports whether the key may have been added. An empty filter knows nothing.
func (b bloom) has(hash int64) bool {
	if len(b) == 0 {
		return true
	}
	block := b.block(hash)
	for i := range 8 {
		if binary.LittleEndian.Uint64(block[8*i:8*i+8])&(1<<(hash>>(6*i)&63)) == 0 {
			return false
		}
	}
	return true
}

// Get implements eventlog.Log.
func (l *Log) Get(ctx context.Context, v loci.Viewer, ids []loci.EventID) ([]*loci.Event, error) {
	if ids == nil {
		return nil, v.OrgID.Validate()
	}
	w := want{viewer: &v, filter: eventlog.Filter{IDs: ids}}
	s := &collector{limit: len(ids), within: everything()}
	if err := l.collectAll(ctx, v.OrgID, w, s); err != nil {
		return nil, err
	}
	found := map[loci.EventID]*loci.Event{}
	for _, e := range s.found {
		found[e.ID] = e
	}
	var events []*loci.Event
	for _, id := range ids {
		if e := found[id]; e != nil {
			events = append(events, e)
		}
	}
	return events, nil
}
