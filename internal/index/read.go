package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

// maxExpanded is how many forms a prefix or a part of a word stands for.
const maxExpanded = 1000

// read collects the rows of each term, and looks for similar words where there are none.
func (s *search) read() {
	unknown := 0
	for t := range s.q.Terms {
		term := &s.q.Terms[t]
		if len(term.Phrase) > 0 {
			s.readPhrase(t)
			continue
		}
		if s.readTerm(t, s.expand(term)) || !term.Fuzzy || unknown == maxUnknown {
			continue
		}
		unknown++
		if s.readTerm(t, s.similar(term)) {
			s.alike |= 1 << t
		}
	}
}

// readTerm collects the rows that have one of these forms, and reports whether there are any.
func (s *search) readTerm(t int, forms [][]weighted) (found bool) {
	for i := range s.parts {
		p := &s.parts[i]
		p.look(t, forms[i], s.q.Terms[t].expands())
		found = found || len(p.forms[t]) > 0
	}
	return found
}

// expand returns the forms that match a term, for each part of the index.
func (s *search) expand(t *Term) [][]weighted {
	forms := make([][]weighted, len(s.parts))
	for i := range s.parts {
		p := &s.parts[i]
		switch {
		case t.Part:
			forms[i] = p.containing(t.Form)
		case t.Prefix:
			forms[i] = p.beginning(t.Form)
		default:
			forms[i] = p.match(t, s.q.Weights.Stem)
		}
	}
	s.cut(forms, maxExpanded)
	return forms
}

// similar returns the forms similar to a word that visible rows have, for each part. Forms of hidden
// rows only must not take the place of others.
func (s *search) similar(t *Term) [][]weighted {
	forms := make([][]weighted, len(s.parts))
	for i := range s.parts {
		p := &s.parts[i]
		for _, f := range p.similar(t, s.q.Weights.Similar) {
			if p.has(&f, nil) {
				forms[i] = append(forms[i], f)
			}
			if len(forms[i]) == maxSimilar {
				break
			}
		}
	}
	s.cut(forms, maxSimilar)
	return forms
}

// beginning returns the first forms with a prefix that visible rows have.
func (p *part) beginning(prefix string) (found []weighted) {
	for n, key := range p.Segment.forms.from(p.Segment.forms.search(prefix)) {
		if len(found) == maxExpanded || !bytes.HasPrefix(key, []byte(prefix)) {
			break
		}
		if p.has(&weighted{form: n}, nil) {
			found = append(found, weighted{n, 1, 0})
		}
	}
	return found
}

// containing returns the first forms that visible rows have and that contain a part of a word.
func (p *part) containing(word string) (found []weighted) {
	for n := range p.Segment.containing(word) {
		if p.has(&weighted{form: n}, nil) {
			if found = append(found, weighted{n, 1, 0}); len(found) == maxExpanded {
				break
			}
		}
	}
	return found
}

// has reports whether a visible row has a form: one of only, unless that is nil.
func (p *part) has(f *weighted, only bitmap) bool {
	l := p.list(f.form)
	for i, spans := range l.blocksIn(p.spans) {
		b := l.block(i)
		rest, doc := l.docs[b.docs:], b.doc
		for range l.len(i) {
			doc, _, rest = readEntry(rest, doc)
			for len(spans) > 0 && spans[0].end <= doc {
				spans = spans[1:]
			}
			if len(spans) == 0 {
				return false
			}
			if doc >= spans[0].begin && !p.hidden.has(doc) && p.in(doc, f) && (only == nil || only.has(doc)) {
				return true
			}
		}
	}
	return false
}

// read sets out to the union of the postings of forms in spans. It returns the forms that visible rows have there, and
// how many rows have each of them, together. It uses p.scores, which must be zero.
func (p *part) read(forms []weighted, spans []span, out *entries) (kept []weighted, sum int) {
	out.reset()
	if len(forms) == 1 {
		l := p.list(forms[0].form)
		l.read(spans, p.hidden, forms[0].weight/once, out)
		p.inLanguages(out, &forms[0])
		return forms[:min(len(out.docs), 1)], len(out.docs)
	}
	kept = forms[:0]
	scores, marks := p.scores, p.marks
	for _, f := range forms {
		p.spare.reset()
		l := p.list(f.form)
		l.read(spans, p.hidden, f.weight/once, &p.spare)
		if p.inLanguages(&p.spare, &f); len(p.spare.docs) == 0 {
			continue
		}
		kept, sum = append(kept, f), sum+len(p.spare.docs)
		values := p.spare.values[:len(p.spare.docs)]
		for i, doc := range p.spare.docs {
			marks[doc/64] |= 1 << (doc % 64)
			scores[doc] += values[i]
		}
	}
	if len(kept) > 0 {
		p.takeMarked(spans, sum, out)
	}
	return kept, sum
}

// takeMarked appends the marked rows with their scores to out, and removes the marks. They are at most so many.
func (p *part) takeMarked(spans []span, most int, out *entries) {
	most = min(most, len(p.scores))
	docs, values := slices.Grow(out.docs, most), slices.Grow(out.values, most)
	scores, marks := p.scores, p.marks
	for _, sp := range spans {
		for w := sp.begin / 64; w <= (sp.end-1)/64; w++ {
			for word := marks[w]; word != 0; word &= word - 1 {
				doc := 64*w + uint32(bits.TrailingZeros64(word))
				docs, values = append(docs, doc), append(values, scores[doc])
				scores[doc] = 0
			}
			marks[w] = 0
		}
	}
	out.docs, out.values = docs, values
}

// named is a form as text, whose number differs by segment.
type named struct {
	form   string
	weight float32
}

// compare orders forms as bestFirst does.
func (n named) compare(o named) int {
	return cmp.Or(cmp.Compare(o.weight, n.weight), strings.Compare(n.form, o.form))
}

// named returns the distinct forms of all parts, the best first.
func (s *search) named(forms [][]weighted) (all []named) {
	for i, list := range forms {
		for _, f := range list {
			all = append(all, named{s.parts[i].Segment.forms.at(f.form), f.weight})
		}
	}
	slices.SortFunc(all, named.compare)
	return slices.Compact(all)
}

// cut leaves the best forms of all parts together, so that it does not matter how rows are spread over segments.
func (s *search) cut(forms [][]weighted, most int) {
	n := 0
	for _, list := range forms {
		n += len(list)
	}
	if n <= most {
		return
	}
	all := s.named(forms)
	if len(all) <= most {
		return
	}
	for i, list := range forms {
		forms[i] = slices.DeleteFunc(list, func(f weighted) bool {
			return named{s.parts[i].Segment.forms.at(f.form), f.weight}.compare(all[most-1]) > 0
		})
	}
}

// containing yields the forms that contain a part of a word, in ascending order. The n-grams of a form have three
// characters, counting its end, so the n-grams tell which forms to look at.
func (s *Segment) containing(word string) iter.Seq[uint32] {
	switch n := utf8.RuneCountInString(word); {
	case !utf8.ValidString(word):
		return s.withBytes(word)
	case n < 3:
		return slices.Values(s.withShort(word, n))
	}
	rarest, some := s.rarestGram(word)
	if !some {
		return func(func(uint32) bool) {}
	}
	return func(yield func(uint32) bool) {
		var c cursor
		text, goOn := []byte(word), true
		readList(s.parts[secGramForms], s.grams.count, rarest, func(form uint32) {
			if goOn && bytes.Contains(c.to(&s.forms, form), text) {
				goOn = yield(form)
			}
		})
	}
}

// withBytes looks through all forms.
func (s *Segment) withBytes(word string) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		text := []byte(word)
		for n, key := range s.forms.from(s.forms.search(wordsFrom)) {
			if bytes.Contains(key, text) && !yield(n) {
				return
			}
		}
	}
}

// withShort returns the forms that have one or two characters next to each other. N-grams begin with these, unless
// one character is the last of a form.
func (s *Segment) withShort(word string, characters int) (forms []uint32) {
	text, last := []byte(word), []byte(word+"$")
	add := func(gram uint32) {
		readList(s.parts[secGramForms], s.grams.count, gram, func(form uint32) { forms = append(forms, form) })
	}
	for n, gram := range s.grams.from(s.grams.search(word)) {
		if !bytes.HasPrefix(gram, text) {
			break
		}
		add(n)
	}
	if characters == 1 {
		for n, gram := range s.grams.from(0) {
			if bytes.HasSuffix(gram, last) {
				add(n)
			}
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// rarestGram returns the n-gram within a word that the fewest forms have, or reports that there is none.
func (s *Segment) rarestGram(word string) (rarest uint32, some bool) {
	fewest := uint64(0)
	for _, gram := range language.Grams(word, nil) {
		if !strings.Contains(word, gram) {
			continue // it has the beginning or the end
		}
		n, ok := s.grams.find(gram)
		if !ok {
			return 0, false
		}
		data := s.parts[secGramForms]
		if size, _ := binary.Uvarint(data[4*s.grams.count+u32(data, n):]); !some || size < fewest {
			rarest, fewest, some = n, size, true
		}
	}
	return rarest, some
}
