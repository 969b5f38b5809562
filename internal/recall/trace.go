package recall

import (
	"hash/maphash"
	"slices"
	"strings"
)

// Trace is the little of a text that proves most others unlike it, so that they need not be read. It is immutable.
type Trace struct {
	// Words is how many words a search index has of the text.
	Words int

	open  bool     // nothing can be proved
	keys  []uint16 // the keys of all tokens as hashes, sorted
	loose int      // tokens that a comparison may leave out, because they are values
	// turned are the keys that a word of this text would make a value of another: "possible" if this one has
	// "impossible".
	turned []uint16
}

// maxTraced is how many tokens a text with a trace has, so that all traces take little memory.
const maxTraced = 400

var traceSeed = maphash.MakeSeed()

func traceOf(key string) uint16 { return uint16(maphash.String(traceSeed, key)) }

// Trace returns the trace of r.
func (r *Text) Trace() *Trace {
	t := &Trace{Words: r.Words}
	if t.open = r.unspaced != "" || len(r.tokens) > maxTraced; t.open {
		return t
	}
	t.keys = make([]uint16, 0, len(r.tokens))
	for i := range r.tokens {
		token := &r.tokens[i]
		t.keys = append(t.keys, traceOf(token.key))
		negated := strings.HasPrefix(token.text, "n'")
		if negated {
			t.turned = append(t.turned, traceOf(token.key))
		}
		if negated || token.kind != wordToken || len(spaced()[token.key]) > 0 {
			t.loose++
		}
		if token.kind != wordToken {
			continue
		}
		for _, p := range turning() {
			if rest, ok := strings.CutPrefix(token.key, p); ok && len(rest) > 2 {
				t.turned = append(t.turned, traceOf(rest))
			}
		}
	}
	slices.Sort(t.keys)
	return t
}

// MayBeLike reports whether texts with these traces can be alike. If it is false, Compare finds that they are not.
//
// Compare calls no texts alike of which, without values, less than restEnough is the same. The words that
// they share are at least those that they share in the same order.
func (t *Trace) MayBeLike(o *Trace) bool {
	if t.open || o.open || t.turns(o) || o.turns(t) {
		return true
	}
	compared := len(t.keys) + len(o.keys) - t.loose - o.loose
	return 2*float64(t.shared(o))+rounding >= restEnough*float64(compared)
}

// turns reports whether a word of t makes one of o a value.
func (t *Trace) turns(o *Trace) bool {
	return slices.ContainsFunc(t.turned, func(key uint16) bool {
		_, found := slices.BinarySearch(o.keys, key)
		return found
	})
}

// shared counts the words that both have.
func (t *Trace) shared(o *Trace) (n int) {
	for a, b := t.keys, o.keys; len(a) > 0 && len(b) > 0; {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n, a, b = n+1, a[1:], b[1:]
		}
	}
	return n
}

// Same reports whether Compare calls r and s duplicates.
func (r *Text) Same(s *Text) bool { return !r.empty() && !s.empty() && r.same(s) }

// Hash is equal for texts that are the same.
func (r *Text) Hash() uint64 {
	var h maphash.Hash
	h.SetSeed(traceSeed)
	for i := range r.tokens {
		_, _ = h.WriteString(r.tokens[i].text)
		_ = h.WriteByte(byte(r.tokens[i].kind))
	}
	return h.Sum64()
}
