package index

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// magic begins every segment. Its last character is the version of the format.
const magic = "LOCIIDX8"

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

// checksum reports whether the bytes are those that joinSections wrote.
func checksum(data []byte) bool {
	end := len(data) - 4
	return end > 0 && crc32.Checksum(data[:end], castagnoli) == binary.LittleEndian.Uint32(data[end:])
}

func u16(b []byte, i uint32) uint16 { return binary.LittleEndian.Uint16(b[2*i:]) }
func u32(b []byte, i uint32) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
func u64(b []byte, i uint32) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
