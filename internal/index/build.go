package index

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/loci-memory/loci/internal/language"
)

// Builder makes a segment of rows. It is not safe for concurrent use.
type Builder struct {
	analyzer *language.Analyzer
	forms    map[string]uint32
	names    []string // of forms, by number
	langs    []language.Languages
	cues     []byte // of forms: the flags that they give to a row
	rows     []builtRow
	tokens   []language.Token
	signs    []sign // of the row at hand
}

type builtRow struct {
	Row
	words  []place
	length uint32 // in halves
	langs  language.Languages
	flags  byte
}

// place is one occurrence of a form. Its value counts halves.
type place struct{ form, position, value uint32 }

// Flags of a row.
const (
	flagQuestion = 1 << iota // it asks something
	flagWhen                 // it tells when something happens
	flagLong                 // it is longer than a passage
	flagSelf                 // its author speaks of themselves
	flagRule                 // it states a standing rule or a preference
	flagDenies               // a clause with which a field begins denies something
)

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder { return &Builder{analyzer: language.Borrow(), forms: map[string]uint32{}} }

// Len returns the number of rows.
func (b *Builder) Len() int { return len(b.rows) }

// Add adds a row. Its id must not have been added before.
func (b *Builder) Add(r Row) {
	if !r.From.IsZero() || !r.Until.IsZero() {
		r.Session = ""
	}
	if r.Session == "" {
		r.Of = [16]byte{}
	}
	r.Actor = strings.ToLower(r.Actor)
	row := builtRow{Row: r}
	position := uint32(0)
	for i, f := range r.Fields {
		if i == 1 && len(r.Keys) > 0 {
			row.words = append(row.words, place{b.form(restMark), position, once})
		}
		value := uint32(once)
		if f.Weight > 0 {
			value = uint32(math.Round(once * f.Weight))
		}
		position = b.field(&row, f.Text, position, value)
		if b.signs = appendSigns(b.signs, f.Text); f.Name {
			b.name(&row)
		}
	}
	for _, key := range r.Keys {
		row.words = append(row.words, place{b.form(key), 0, once})
	}
	b.signs = appendSigns(b.signs, r.Signs)
	b.addSigns(&row)
	for _, w := range row.words {
		b.langs[w.form] |= row.langs
	}
	if position > PassageWords {
		row.flags |= flagLong
	}
	row.Fields, row.Keys, row.Signs = nil, nil, ""
	b.rows = append(b.rows, row)
}

// field adds the words of one text and returns the position after it.
func (b *Builder) field(row *builtRow, text string, position, value uint32) uint32 {
	if strings.Contains(text, "?") || strings.Contains(text, "？") || strings.Contains(text, "؟") {
		row.flags |= flagQuestion
	}
	b.tokens = b.analyzer.Tokens(text, b.tokens[:0])
	if len(b.tokens) == 0 {
		return position
	}
	row.langs |= language.DetectTokens(text, b.tokens)
	if language.Denies(text, b.tokens) {
		row.flags |= flagDenies
	}
	last := position
	for _, t := range b.tokens {
		form := b.form(t.Form)
		last = position + uint32(t.Position)
		row.words = append(row.words, place{form, last, value})
		row.length += value
		row.flags |= b.cues[form]
		if other := language.Respelled(text[t.Start:t.End]); other != "" && other != t.Form {
			row.words = append(row.words, place{b.form(other), last, value})
		}
	}
	for _, t := range language.Joined(text, b.tokens) {
		row.words = append(row.words, place{b.form(t.Form), position + uint32(t.Position), value})
	}
	return last + fieldGap
}

// name adds the last field as a name of the row. It counts as no word of it.
func (b *Builder) name(row *builtRow) {
	if words := NameOf(b.tokens); words != "" {
		row.words = append(row.words, place{b.form(nameForm(words)), 0, once})
	}
}

func (b *Builder) form(text string) uint32 {
	n, ok := b.forms[text]
	if !ok {
		n = uint32(len(b.names))
		text = strings.Clone(text) // it may be part of a long text
		b.forms[text] = n
		b.names, b.langs, b.cues = append(b.names, text), append(b.langs, 0), append(b.cues, cues(text))
	}
	return n
}

func cues(form string) (flags byte) {
	if language.TellsWhen(form) {
		flags |= flagWhen
	}
	if language.FirstPerson(form) {
		flags |= flagSelf
	}
	if language.StatesRule(form) {
		flags |= flagRule
	}
	return flags
}

// Build returns the segment of all rows that were added, as bytes for Open. It is the last call of a Builder.
func (b *Builder) Build() []byte {
	slices.SortFunc(b.rows, func(x, y builtRow) int {
		return cmp.Or(cmp.Compare(x.Class, y.Class), cmp.Compare(x.Session, y.Session), x.Time.Compare(y.Time),
			bytes.Compare(x.ID[:], y.ID[:]))
	})
	var parts [sections][]byte
	b.encodeRows(&parts)
	b.encodeWords(&parts)
	b.analyzer.Return()
	b.analyzer = nil
	return joinSections(&parts)
}

// BuildSessions builds like Build, with the sessions of rows by their ids.
func (b *Builder) BuildSessions(of map[[16]byte]string) []byte {
	for i := range b.rows {
		b.rows[i].Session = of[b.rows[i].ID]
	}
	return b.Build()
}

func sameGroup(x, y *builtRow) bool {
	return x.Session != "" && x.Session == y.Session && x.Class == y.Class
}

func (b *Builder) encodeRows(parts *[sections][]byte) {
	w := newRowWriter(parts)
	for i := range b.rows {
		r := &b.rows[i]
		first, context := true, r.length
		if i > 0 && sameGroup(&b.rows[i-1], r) {
			first = false
			context += b.rows[i-1].length
		}
		if i+1 < len(b.rows) && sameGroup(r, &b.rows[i+1]) {
			context += b.rows[i+1].length
		}
		w.add(&encodedRow{id: r.ID[:], class: r.Class, first: first, of: r.Of[:], length: words(r.length),
			context: words(context), time: micros(r.Time), actor: w.people.number(r.Actor), langs: r.langs, flags: r.flags,
			priority: r.Priority, updated: micros(r.Updated), mark: &r.Mark,
			limit: limit{from: micros(r.From), until: micros(r.Until)}})
	}
	w.finish()
}

// words returns a length in whole words, for two bytes.
func words(halves uint32) uint16 { return uint16(min((halves+1)/once, math.MaxUint16)) }

func (b *Builder) encodeWords(parts *[sections][]byte) {
	order := make([]uint32, len(b.names)) // numbers of forms, sorted
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(x, y uint32) int { return cmp.Compare(b.names[x], b.names[y]) })
	sorted := make([]string, len(order))
	for i, n := range order {
		sorted[i] = b.names[n]
	}
	parts[secForms] = encodeTable(sorted)
	lengths := lengthsOf(parts)
	lists := b.postings(&lengths)
	for _, n := range order {
		parts[secDirectory] = binary.LittleEndian.AppendUint64(parts[secDirectory], uint64(len(parts[secPostings])))
		parts[secPostings], parts[secPositions] = lists[n].write(parts[secPostings], parts[secPositions])
	}
	stems := map[string][]stemmed{}
	grams := map[string][]uint32{}
	var scratch []string
	for i, n := range order {
		form := sorted[i]
		if !isWord(form) {
			continue
		}
		for one := range b.langs[n].Each {
			for _, stem := range b.analyzer.Stems(form, one) {
				stems[stem] = addStemmed(stems[stem], stemmed{uint32(i), one})
			}
		}
		scratch = language.Grams(form, scratch[:0])
		for _, g := range scratch {
			if l := grams[g]; len(l) == 0 || l[len(l)-1] != uint32(i) {
				grams[g] = append(l, uint32(i))
			}
		}
	}
	var w lookupWriter
	for _, stem := range slices.Sorted(maps.Keys(stems)) {
		w.addStem(stem, stems[stem])
	}
	parts[secStems], parts[secStemForms] = w.encode()
	w = lookupWriter{}
	for _, gram := range slices.Sorted(maps.Keys(grams)) {
		w.add(gram, grams[gram])
	}
	parts[secGrams], parts[secGramForms] = w.encode()
}

// postings collects the postings of each form. Rows are sorted already.
func (b *Builder) postings(l *lengths) []listWriter {
	lists := make([]listWriter, len(b.names))
	var positions []uint32
	for doc := range b.rows {
		list := b.rows[doc].words
		slices.SortStableFunc(list, func(x, y place) int {
			return cmp.Or(cmp.Compare(x.form, y.form), cmp.Compare(x.position, y.position))
		})
		for i := 0; i < len(list); {
			form, value := list[i].form, uint32(0)
			positions = positions[:0]
			for ; i < len(list) && list[i].form == form; i++ {
				value += list[i].value
				positions = append(positions, list[i].position)
			}
			lists[form].add(uint32(doc), value, positions, l.own[doc], l.near[doc])
		}
	}
	return lists
}
