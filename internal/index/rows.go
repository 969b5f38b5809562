package index

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/loci-memory/loci/internal/language"
)

// classRange is the rows of one class, and what their lengths come to.
type classRange struct {
	class Class
	span
}

type classWriter struct{ list []classRange }

func (w *classWriter) add(c Class, doc uint32) {
	if n := len(w.list); n == 0 || w.list[n-1].class != c {
		w.list = append(w.list, classRange{c, span{begin: doc}})
	}
}

func (w *classWriter) encode(rows uint32) []byte {
	out := binary.AppendUvarint(nil, uint64(len(w.list)))
	for i, c := range w.list {
		end := rows
		if i+1 < len(w.list) {
			end = w.list[i+1].begin
		}
		out = appendString(out, string(c.class))
		out = binary.AppendUvarint(out, uint64(c.begin))
		out = binary.AppendUvarint(out, uint64(end))
	}
	return out
}

func appendString(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

func encodeNames(list []string) []byte {
	out := binary.AppendUvarint(nil, uint64(len(list)))
	for _, s := range list {
		out = appendString(out, s)
	}
	return out
}

// encodedRow is what a segment has of a row beside its words.
type encodedRow struct {
	id              []byte
	class           Class
	first           bool   // of its session
	of              []byte // Row.Of
	length, context uint16
	time            int64
	actor           uint16
	langs           language.Languages
	flags, priority byte
	updated         int64
	mark            *Mark
	limit           limit // the writer knows its doc
}

// rowWriter writes the sections of rows. Rows arrive in their order in the segment.
type rowWriter struct {
	parts    *[sections][]byte
	rows     uint32
	sessions []uint32 // their words
	classes  classWriter
	people   people
}

func newRowWriter(parts *[sections][]byte) *rowWriter {
	return &rowWriter{parts: parts, people: people{numbers: map[string]uint16{"": 0}, names: []string{""}}}
}

func (w *rowWriter) add(r *encodedRow) {
	le, parts := binary.LittleEndian, w.parts
	if r.first {
		w.sessions = append(w.sessions, 0)
		if len(r.of) > 0 && [16]byte(r.of) != ([16]byte{}) {
			parts[secBlocks] = le.AppendUint32(append(parts[secBlocks], r.of...), w.rows)
		}
	}
	group := len(w.sessions) - 1
	w.sessions[group] += uint32(r.length)
	parts[secIDs] = append(parts[secIDs], r.id...)
	parts[secLengths] = le.AppendUint16(parts[secLengths], r.length)
	parts[secContext] = le.AppendUint16(parts[secContext], r.context)
	parts[secGroups] = le.AppendUint32(parts[secGroups], uint32(group))
	parts[secTimes] = le.AppendUint64(parts[secTimes], uint64(r.time))
	parts[secActors] = le.AppendUint16(parts[secActors], r.actor)
	parts[secLangs] = le.AppendUint32(parts[secLangs], uint32(r.langs))
	parts[secFlags] = append(parts[secFlags], r.flags)
	parts[secPriority] = append(parts[secPriority], r.priority)
	parts[secUpdated] = le.AppendUint64(parts[secUpdated], uint64(r.updated))
	parts[secMarks] = append(parts[secMarks], r.mark[:]...)
	if r.limit.from != 0 || r.limit.until != 0 {
		r.limit.doc = w.rows
		parts[secLimits] = appendLimit(parts[secLimits], r.limit)
	}
	w.classes.add(r.class, w.rows)
	w.rows++
}

func (w *rowWriter) finish() {
	le, parts := binary.LittleEndian, w.parts
	byID := make([]uint32, w.rows)
	for i := range byID {
		byID[i] = uint32(i)
	}
	id := func(doc uint32) []byte { return parts[secIDs][16*doc : 16*doc+16] }
	slices.SortFunc(byID, func(x, y uint32) int { return bytes.Compare(id(x), id(y)) })
	for _, i := range byID {
		parts[secByID] = le.AppendUint32(parts[secByID], i)
	}
	for _, n := range w.sessions {
		parts[secSessions] = le.AppendUint32(parts[secSessions], n)
	}
	blocks := slices.SortedFunc(slices.Chunk(parts[secBlocks], blockEntry), bytes.Compare)
	parts[secBlocks] = slices.Concat(blocks...)
	parts[secClasses] = w.classes.encode(w.rows)
	parts[secNames] = encodeNames(w.people.names)
}

// people numbers the people in the order of their first rows. 0 is nobody who is known.
type people struct {
	numbers map[string]uint16
	names   []string
}

// number returns the number of a name. After 65,535 people, the others count as unknown.
func (p *people) number(name string) uint16 {
	n, ok := p.numbers[name]
	if !ok && len(p.names) < math.MaxUint16 {
		n = uint16(len(p.names))
		p.numbers[name], p.names = n, append(p.names, name)
	}
	return n
}

// reader reads small sections. After an error, everything it reads is zero.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.bad, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) string() string {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.bad, r.rest = true, nil
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

func decodeClasses(data []byte, rows uint32) (list []classRange, err error) {
	r := reader{rest: data}
	last := uint32(0)
	for range r.uvarint() {
		c := classRange{Class(r.string()), span{uint32(r.uvarint()), uint32(r.uvarint())}}
		if r.bad || c.begin != last || c.end <= c.begin || c.end > rows {
			return nil, errDamaged
		}
		list, last = append(list, c), c.end
	}
	if r.bad || last != rows {
		return nil, errDamaged
	}
	return list, nil
}

func decodeNames(data []byte) (list []string, err error) {
	r := reader{rest: data}
	for range r.uvarint() {
		if r.bad {
			break
		}
		list = append(list, r.string())
	}
	if r.bad {
		return nil, errDamaged
	}
	return list, nil
}

// limit is when a row is found: at from and before until. Zero: no limit.
type limit struct {
	doc         uint32
	from, until int64 // microseconds since 1970
}

const limitSize = 20

func appendLimit(out []byte, l limit) []byte {
	out = binary.LittleEndian.AppendUint32(out, l.doc)
	out = binary.LittleEndian.AppendUint64(out, uint64(l.from))
	return binary.LittleEndian.AppendUint64(out, uint64(l.until))
}

func readLimit(data []byte) limit {
	le := binary.LittleEndian
	return limit{le.Uint32(data), int64(le.Uint64(data[4:])), int64(le.Uint64(data[12:]))}
}

func (s *Segment) limits(in span) []byte {
	all := s.parts[secLimits]
	before := func(doc uint32) int {
		return limitSize * sort.Search(len(all)/limitSize, func(i int) bool { return u32(all[i*limitSize:], 0) >= doc })
	}
	return all[before(in.begin):before(in.end)]
}

func (l limit) admits(now int64) bool { return now >= l.from && (l.until == 0 || now < l.until) }

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
