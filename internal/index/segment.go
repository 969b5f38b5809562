package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"sort"
)

// Segment is an immutable index of rows. It is safe for concurrent use.
type Segment struct {
	data    []byte
	parts   [sections][]byte
	rows    uint32
	classes []classRange
	actors  map[string]uint16
	forms   table
	stems   table
	grams   table

	placement placement // of the vectors of the rows
}

// Open reads a segment that a Builder made. data must not change while the segment is in use. Open
// checks the structure of the segment, and Verify its bytes.
func Open(data []byte) (*Segment, error) {
	parts, err := splitSections(data)
	if err != nil {
		return nil, err
	}
	s := &Segment{data: data, parts: parts, rows: uint32(len(parts[secLengths]) / 2)}
	for _, p := range []struct {
		section section
		size    int
	}{{secIDs, 16}, {secLengths, 2}, {secContext, 2}, {secGroups, 4}, {secTimes, 8}, {secActors, 2}, {secLangs, 4},
		{secFlags, 1}, {secPriority, 1}, {secUpdated, 8}, {secMarks, len(Mark{})}, {secByID, 4}} {
		if len(parts[p.section]) != p.size*int(s.rows) {
			return nil, errDamaged
		}
	}
	if len(parts[secBlocks])%blockEntry != 0 {
		return nil, errDamaged
	}
	if s.rows > 0 && len(parts[secSessions]) != 4*int(s.group(s.rows-1)+1) {
		return nil, errDamaged
	}
	if s.classes, err = decodeClasses(parts[secClasses], s.rows); err != nil {
		return nil, err
	}
	names, err := decodeNames(parts[secNames])
	if err != nil {
		return nil, err
	}
	s.actors = make(map[string]uint16, len(names))
	for i, n := range names {
		s.actors[n] = uint16(i)
	}
	for _, t := range []struct {
		table   *table
		section section
	}{{&s.forms, secForms}, {&s.stems, secStems}, {&s.grams, secGrams}} {
		if *t.table, err = decodeTable(parts[t.section]); err != nil {
			return nil, err
		}
	}
	if len(parts[secDirectory]) != 8*int(s.forms.count) {
		return nil, errDamaged
	}
	return s, nil
}

// Verify reports whether the bytes are those that joinSections wrote.
func (s *Segment) Verify() error {
	end := len(s.data) - 4
	if end <= 0 || crc32.Checksum(s.data[:end], castagnoli) != binary.LittleEndian.Uint32(s.data[end:]) {
		return errDamaged
	}
	return nil
}

// Len returns the number of rows.
func (s *Segment) Len() int { return int(s.rows) }

// Size returns the number of bytes.
func (s *Segment) Size() int64 { return int64(len(s.data)) }

func (s *Segment) id(doc uint32) (id [16]byte) {
	copy(id[:], s.parts[secIDs][16*doc:])
	return id
}

func (s *Segment) find(id [16]byte) (doc uint32, ok bool) {
	n := sort.Search(int(s.rows), func(i int) bool {
		at := u32(s.parts[secByID], uint32(i))
		return bytes.Compare(s.parts[secIDs][16*at:16*at+16], id[:]) >= 0
	})
	if n == int(s.rows) {
		return 0, false
	}
	doc = u32(s.parts[secByID], uint32(n))
	return doc, s.id(doc) == id
}

func (s *Segment) length(doc uint32) float32 { return float32(u16(s.parts[secLengths], doc)) }

func (s *Segment) context(doc uint32) float32 { return float32(u16(s.parts[secContext], doc)) }

func (s *Segment) group(doc uint32) uint32 { return u32(s.parts[secGroups], doc) }

func (s *Segment) sessionLength(group uint32) float32 {
	return float32(u32(s.parts[secSessions], group))
}

// time returns when a row happened.
func (s *Segment) time(doc uint32) int64 { return int64(u64(s.parts[secTimes], doc)) }

func (s *Segment) flag(doc uint32, f byte) bool { return s.parts[secFlags][doc]&f != 0 }

// mark returns the mark of a row, which must not be changed.
func (s *Segment) mark(doc uint32) *Mark {
	at := len(Mark{}) * int(doc)
	return (*Mark)(s.parts[secMarks][at : at+len(Mark{})])
}

// follows reports whether a row has one before it in its session.
func (s *Segment) follows(doc uint32) bool {
	return doc > 0 && doc < s.rows && s.group(doc) == s.group(doc-1)
}

func (s *Segment) class(doc uint32) int {
	return sort.Search(len(s.classes), func(i int) bool { return s.classes[i].end > doc })
}

// Place orders the rows of a conversation.
type Place struct {
	Time int64 // in microseconds since 1970
	ID   [16]byte
}

// PlaceOf returns the place of a row.
func PlaceOf(r *Row) Place { return Place{micros(r.Time), r.ID} }

// Compare orders places.
func (p Place) Compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Time, q.Time), bytes.Compare(p.ID[:], q.ID[:]))
}

// Block is the rows of a session that are each other's context.
type Block struct {
	Class Class
	First Place
	view  *View
	first uint32
}

const blockEntry = 16 + 4

// Blocks returns the blocks of a conversation that the view has, in no particular order. A block goes as a whole, as
// NewView requires.
func (v *View) Blocks(of [16]byte) (list []Block) {
	all := v.parts[secBlocks]
	at := sort.Search(len(all)/blockEntry, func(i int) bool { return bytes.Compare(all[i*blockEntry:][:16], of[:]) >= 0 })
	for all = all[at*blockEntry:]; len(all) > 0 && [16]byte(all) == of; all = all[blockEntry:] {
		if first := u32(all[16:], 0); !v.gone.has(first) {
			list = append(list, Block{v.classes[v.class(first)].class, v.place(first), v, first})
		}
	}
	return list
}

// Rows returns the places of the rows.
func (b *Block) Rows() []Place {
	list := []Place{b.First}
	for doc := b.first + 1; b.view.follows(doc); doc++ {
		list = append(list, b.view.place(doc))
	}
	return list
}

func (s *Segment) place(doc uint32) Place { return Place{s.time(doc), s.id(doc)} }

// conversations returns the conversations of the blocks, by their first rows.
func (s *Segment) conversations() map[uint32][]byte {
	of := map[uint32][]byte{}
	for all := s.parts[secBlocks]; len(all) > 0; all = all[blockEntry:] {
		of[u32(all[16:], 0)] = all[:16]
	}
	return of
}

// magic begins every segment. Its last character is the version of the format.
const magic = "LOCIIDX9"

// section numbers a part of a segment.
type section int

const (
	secIDs       section = iota // 16 bytes a row
	secLengths                  // uint16 a row: its words, weighted
	secContext                  // uint16 a row: the words of the row and its neighbours, weighted
	secGroups                   // uint32 a row: its session, ascending
	secSessions                 // uint32 a session: its words, weighted
	secTimes                    // int64 a row: when it happened, in microseconds since 1970
	secActors                   // uint16 a row: a number in secNames
	secLangs                    // uint32 a row: its languages
	secFlags                    // byte a row
	secPriority                 // byte a row
	secUpdated                  // int64 a row: microseconds since 1970
	secMarks                    // 44 bytes a row: its mark
	secByID                     // uint32 a row: rows in the order of their ids
	secLimits                   // of each row with a limit: uint32 row, int64 from, int64 until
	secBlocks                   // of each session with Row.Of: these 16 bytes, uint32 its first row; sorted
	secClasses                  // classes, as classWriter writes them
	secNames                    // names of actors
	secForms                    // table of forms
	secStems                    // table of stems
	secGrams                    // table of character n-grams
	secStemForms                // lists of forms, one for each stem, as lookupWriter writes them
	secGramForms                // lists of forms, one for each n-gram, as lookupWriter writes them
	secDirectory                // one entry for each form: where its postings begin
	secPostings
	secPositions
	sections
)

// errDamaged says that bytes are not a whole segment of this version.
var errDamaged = errors.New("index: not a whole segment of this version")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// joinSections writes magic, the length of each section, the sections and a checksum of all that.
func joinSections(parts *[sections][]byte) []byte {
	size := len(magic) + 8*int(sections) + 4
	for _, p := range parts {
		size += len(p)
	}
	out := append(make([]byte, 0, size), magic...)
	for _, p := range parts {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(p)))
	}
	for _, p := range parts {
		out = append(out, p...)
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// splitSections finds the sections. It does not read them, so that opening a large file stays quick.
func splitSections(data []byte) (parts [sections][]byte, err error) {
	head := len(magic) + 8*int(sections)
	if len(data) < head+4 || string(data[:len(magic)]) != magic {
		return parts, errDamaged
	}
	rest := data[head : len(data)-4]
	for i := range parts {
		n := binary.LittleEndian.Uint64(data[len(magic)+8*i:])
		if n > uint64(len(rest)) {
			return parts, errDamaged
		}
		parts[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) > 0 {
		return parts, errDamaged
	}
	return parts, nil
}

func u16(b []byte, i uint32) uint16 { return binary.LittleEndian.Uint16(b[2*i:]) }
func u32(b []byte, i uint32) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
func u64(b []byte, i uint32) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
