package index

import (
	"encoding/binary"
	"sort"
	"time"
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

func appendLimit(out []byte, doc uint32, r *builtRow) []byte {
	out = binary.LittleEndian.AppendUint32(out, doc)
	out = binary.LittleEndian.AppendUint64(out, uint64(micros(r.From)))
	return binary.LittleEndian.AppendUint64(out, uint64(micros(r.Until)))
}

func readLimit(data []byte) limit {
	le := binary.LittleEndian
	return limit{le.Uint32(data), int64(le.Uint64(data[4:])), int64(le.Uint64(data[12:]))}
}

// limits returns the limits of the rows in a span.
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

// day returns the number of days since 1970, in UTC.
func day(t time.Time) int32 {
	if t.IsZero() {
		return 0
	}
	seconds := t.Unix()
	days := seconds / 86400
	if seconds%86400 < 0 {
		days--
	}
	return int32(days)
}
