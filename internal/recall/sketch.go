package recall

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"

	"github.com/loci-memory/loci/internal/index"
)

// ShortText is how many words a content has that says something without its title. Shorter ones are compared with
// their titles.
const ShortText = 4

// Sketch is the little of a memory that proves most others unlike it, so that they need not be read. An index keeps
// it as the mark of the row. If a key, a lexicon or a hash changes, the format of the index must change with it.
type Sketch struct {
	// keys has one bit of each word that a comparison never leaves out.
	keys [4]uint64
	// tokens is how many words, numbers and signs the content has. 0: nothing can be proved.
	tokens uint16
	// turns is of how many words this text makes values in another: of "possible" if this one has "impossible".
	turns          uint16
	content, title uint32 // equal for equal texts
}

// SketchOf returns the sketch of a memory with this content and title.
func SketchOf(content, title *Text) (s Sketch) {
	s.content, s.title = content.hash(), title.hash()
	if content.unspaced != "" || content.Words < ShortText || len(content.tokens) > math.MaxUint16/8 {
		return s
	}
	s.tokens = uint16(len(content.tokens))
	for i := range content.tokens {
		s.add(&content.tokens[i])
	}
	return s
}

// add adds a token. Numbers, signs, values, and words that another text may make values are no keys, because a
// comparison may leave them out.
func (s *Sketch) add(t *token) {
	left := t.kind != wordToken || len(spaced()[t.key]) > 0
	if strings.HasPrefix(t.text, "n'") {
		s.turns, left = s.turns+1, true
	}
	if t.kind == wordToken {
		if n := len(turned(t.key)); n > 0 {
			s.turns, left = s.turns+uint16(n), true
		}
	}
	if !left {
		bit := hashed(t.key) >> 56
		s.keys[bit/64] |= 1 << (bit % 64)
	}
}

// Mark is a sketch as an index keeps it.
type Mark = index.Mark

// Mark returns the sketch as an index keeps it.
func (s *Sketch) Mark() (m index.Mark) {
	for i, k := range s.keys {
		binary.LittleEndian.PutUint64(m[8*i:], k)
	}
	binary.LittleEndian.PutUint16(m[32:], s.tokens)
	binary.LittleEndian.PutUint16(m[34:], s.turns)
	binary.LittleEndian.PutUint32(m[36:], s.content)
	binary.LittleEndian.PutUint32(m[40:], s.title)
	return m
}

// Unsure is how different memories are of which the sketch of one tells nothing.
const Unsure = 500

// Differs returns how different the contents of a memory with this mark and of the one that was sketched are: 0 if
// they are the same, and else more the more of a thousand words are only in one of them, or Unsure. If ok is false,
// the titles are not the same, and Compare finds that the contents are not alike.
//
// Each key that only one of the texts has is at least one word that differs, unless the other one makes it a value.
// Compare calls no texts alike of which, without values, less than restEnough is the same.
func (s *Sketch) Differs(m *index.Mark) (by int, ok bool) {
	le := binary.LittleEndian
	tokens, turns := le.Uint16(m[32:]), le.Uint16(m[34:])
	switch {
	case s.content == le.Uint32(m[36:]):
		return 0, true
	case s.tokens == 0 || tokens == 0:
		return Unsure, true
	}
	others := [4]uint64{le.Uint64(m[0:]), le.Uint64(m[8:]), le.Uint64(m[16:]), le.Uint64(m[24:])}
	all := int(s.tokens) + int(tokens)
	most := (1-restEnough)*float64(all) + rounding
	if s.apart(&others) > int(most)+int(turns)+int(s.turns) && !s.Titled(m) {
		return 0, false
	}
	mine, theirs := 0, 0
	for i, k := range s.keys {
		mine, theirs = mine+bits.OnesCount64(k&^others[i]), theirs+bits.OnesCount64(others[i]&^k)
	}
	differ := max(0, mine-int(turns)) + max(0, theirs-int(s.turns))
	by = 1 + 1000*differ/all
	if by >= Unsure {
		by++
	}
	return by, float64(differ) <= most || s.Titled(m)
}

// apart returns how many keys only one of the texts has.
func (s *Sketch) apart(others *[4]uint64) int {
	return bits.OnesCount64(s.keys[0]^others[0]) + bits.OnesCount64(s.keys[1]^others[1]) +
		bits.OnesCount64(s.keys[2]^others[2]) + bits.OnesCount64(s.keys[3]^others[3])
}

// Tells reports whether the sketch tells how different other contents are.
func (s *Sketch) Tells() bool { return s.tokens > 0 }

// Titled reports whether the title of a memory with this mark is the same.
func (s *Sketch) Titled(m *index.Mark) bool { return s.title == binary.LittleEndian.Uint32(m[40:]) }

// Same reports whether Compare calls r and s duplicates.
func (r *Text) Same(s *Text) bool { return !r.empty() && !s.empty() && r.same(s) }

// hash is equal for texts that are the same.
func (r *Text) hash() uint32 {
	var h uint64
	for i := range r.tokens {
		h = (h + hashed(r.tokens[i].text) + uint64(r.tokens[i].kind)) * spreads
	}
	return uint32(h >> 32)
}

// hashed is FNV-1a, whose bits the multiplication spreads. It is the same in every process.
func hashed(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h * spreads
}

const spreads = 0x9e3779b97f4a7c15
