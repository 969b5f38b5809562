package index

import (
	"cmp"
	"encoding/binary"
	"hash/fnv"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/loci-memory/loci/internal/language"
)

// A row has the names of its fields as forms that are no words: a mark and a hash. So a search finds the rows
// of a name like those of a word, in the classes that it sees, and nothing counts a name as a word.

// nameMark begins the forms of names, which are the first ones of a table. Words begin after all names and signs.
const nameMark, wordsFrom = "\x00", "\x02"

// MaxName is how many words a name has at most. Longer ones are not kept.
const MaxName = 32

// maxNamed is how many visible rows can have one name. If more have it, as with "Note", it names none of them.
const maxNamed = 16

// Name is a part of a question that can be the name of a row, and the terms whose words it has.
type Name struct {
	Words string // as NameOf returns them
	Terms uint32 // bit t: it has those of term t
	Sure  bool   // it is surely meant as a name, and counts as if it were the whole question
}

// NameOf returns a text, which has these tokens, as a name: its words in order, whatever is between them. It
// returns "" for a text that has none or too many to be a name.
func NameOf(tokens []language.Token) string {
	list := language.Finest(tokens)
	if len(list) > MaxName {
		return ""
	}
	words := make([]string, len(list))
	for i, t := range list {
		words[i] = t.Form
	}
	return strings.Join(words, " ")
}

func nameForm(words string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, words)
	return string(binary.BigEndian.AppendUint64([]byte(nameMark), h.Sum64()))
}

// restMark is the form that rows with Keys have where their second field begins.
const restMark = nameMark + nameMark

// Key returns a form that is no word, of a field and its value, for Row.Keys and Term.Form.
func Key(field, value string) string { return nameForm(field + nameMark + value) }

func isWord(form string) bool { return form >= wordsFrom }

// namedRow is a row that has names which the question has, the terms of these, and whether one is sure.
type namedRow struct {
	doc, terms uint32
	sure       bool
}

// readNames finds the rows that the question names.
func (s *search) readNames() {
	if s.q.Weights.Name == 0 {
		return
	}
	for _, name := range s.q.Names {
		form, rows := nameForm(name.Words), 0
		for i := range s.parts {
			p := &s.parts[i]
			p.found = p.withName(form, maxNamed-rows+1)
			rows += len(p.found)
		}
		for i := range s.parts {
			p := &s.parts[i]
			for _, doc := range p.found {
				if rows <= maxNamed && p.admits(doc) {
					p.addName(namedRow{doc, name.Terms, name.Sure})
				}
			}
		}
	}
}

// withName returns the visible rows that have a name, at most limit.
func (p *part) withName(form string, limit int) (docs []uint32) {
	n, ok := p.Segment.forms.find(form)
	if !ok {
		return nil
	}
	l := p.list(n)
	for i, spans := range l.blocksIn(p.spans) {
		p.spare.reset()
		l.readSome(i, spans, p.hidden, 1, &p.spare)
		if docs = append(docs, p.spare.docs...); len(docs) >= limit {
			return docs[:limit]
		}
	}
	return docs
}

func (r namedRow) compare(o namedRow) int { return cmp.Compare(r.doc, o.doc) }

// addName keeps p.named in the order of the rows, each once.
func (p *part) addName(r namedRow) {
	at, there := slices.BinarySearchFunc(p.named, r, namedRow.compare)
	if !there {
		p.named = slices.Insert(p.named, at, r)
		return
	}
	known := &p.named[at]
	known.terms, known.sure = known.terms|r.terms, known.sure || r.sure
}

// addNames adds to the rows that the question names what their names are worth, as if it came from their
// words. So pruning takes it into account.
func (s *search) addNames(p *part) {
	for _, r := range p.named {
		p.scores[r.doc] += float32(s.q.Weights.Name * s.worth(&r))
		p.touched.set(r.doc)
	}
}

// worth returns the signal of a row that the question names.
func (s *search) worth(r *namedRow) (sum float64) {
	if r.sure {
		return 1
	}
	for t, idf := range s.idf {
		if r.terms&(1<<t) != 0 {
			sum += idf
		}
	}
	return sum
}

func (s *search) nameOf(p *part, doc uint32) float64 {
	at, there := slices.BinarySearchFunc(p.named, namedRow{doc: doc}, namedRow.compare)
	if !there {
		return 0
	}
	return s.worth(&p.named[at])
}

// Lead says that something beside its words leads to a row. Value is what the row gets for it, up to 1. Of
// several values of a row, the highest counts. A lead to a row that is not visible leads nowhere.
type Lead struct {
	ID    [16]byte
	Value float64
}

type ledRow struct {
	doc   uint32
	value float64
}

func (r ledRow) compare(o ledRow) int { return cmp.Compare(r.doc, o.doc) }

func (s *search) readLeads() {
	if s.q.Weights.Graph == 0 {
		return
	}
	for i := range s.parts {
		p := &s.parts[i]
		for _, lead := range s.q.Leads {
			doc, ok := p.find(lead.ID)
			if !ok || !p.inSpans(doc) || !p.admits(doc) {
				continue
			}
			r := ledRow{doc, lead.Value}
			at, there := slices.BinarySearchFunc(p.led, r, ledRow.compare)
			if !there {
				p.led = slices.Insert(p.led, at, r)
			}
			p.led[at].value = max(p.led[at].value, r.value)
		}
	}
}

// inSpans reports whether a row is of a class that the search sees.
func (p *part) inSpans(doc uint32) bool {
	i := sort.Search(len(p.spans), func(i int) bool { return p.spans[i].end > doc })
	return i < len(p.spans) && p.spans[i].begin <= doc
}

// addLeads adds to rows what leads to them, as addNames does.
func (s *search) addLeads(p *part) {
	for _, r := range p.led {
		p.scores[r.doc] += float32(s.q.Weights.Graph * r.value)
		p.touched.set(r.doc)
	}
}

func (p *part) leadOf(doc uint32) float64 {
	at, there := slices.BinarySearchFunc(p.led, ledRow{doc: doc}, ledRow.compare)
	if !there {
		return 0
	}
	return p.led[at].value
}
