package index

import (
	"encoding/binary"

	"github.com/loci-memory/loci/internal/language"
)

// A form has a stem in some languages, and a row is in some languages. A row has the stem of a form only
// if one of its own languages says so. Otherwise it would depend on the rows beside it in the segment,
// also on hidden ones, whether it is found.

// stemmed is a form with a stem, and the languages in which that is its stem.
type stemmed struct {
	form  uint32
	langs language.Languages
}

// addStemmed adds a form, which is the last one of the list or comes after it.
func addStemmed(list []stemmed, s stemmed) []stemmed {
	if n := len(list); n > 0 && list[n-1].form == s.form {
		list[n-1].langs |= s.langs
		return list
	}
	return append(list, s)
}

// addStem adds a stem with its forms, which ascend. Each has its languages after it.
func (w *lookupWriter) addStem(key string, forms []stemmed) {
	w.begin(key, len(forms))
	last := uint32(0)
	for _, s := range forms {
		w.data = binary.AppendUvarint(w.data, uint64(s.form-last))
		w.data = binary.AppendUvarint(w.data, uint64(s.langs))
		last = s.form
	}
}

// sameStem adds the forms with a stem.
func (s *Segment) sameStem(key string, weight float64, found *[]weighted) {
	if n, ok := s.stems.find(key); ok {
		s.stemmed(n, func(f stemmed) { addForm(found, weighted{f.form, float32(weight), f.langs}) })
	}
}

// stemmed calls yield for each form with stem n.
func (s *Segment) stemmed(n uint32, yield func(stemmed)) {
	data := s.parts[secStemForms]
	rest, last := data[4*s.stems.count+u32(data, n):], uint32(0)
	number := func() uint32 {
		n, size := binary.Uvarint(rest)
		rest = rest[size:]
		return uint32(n)
	}
	for range number() {
		last += number()
		yield(stemmed{last, language.Languages(number())})
	}
}

// addForm adds a form, or languages to one that is there.
func addForm(found *[]weighted, f weighted) {
	for i := range *found {
		if known := &(*found)[i]; known.form == f.form {
			if known.langs != 0 && f.langs != 0 {
				known.langs |= f.langs
			}
			return
		}
	}
	*found = append(*found, f)
}

// in reports whether a row has a form for a term: always, if it is the form itself.
func (s *Segment) in(doc uint32, f *weighted) bool {
	return f.langs == 0 || language.Languages(u32(s.parts[secLangs], doc))&f.langs != 0
}

// inLanguages removes the entries from the given one on of rows that do not have a form.
func (s *Segment) inLanguages(e *entries, f *weighted) {
	if f.langs == 0 {
		return
	}
	kept := 0
	for i, doc := range e.docs {
		if s.in(doc, f) {
			e.docs[kept], e.values[kept] = doc, e.values[i]
			kept++
		}
	}
	e.docs, e.values = e.docs[:kept], e.values[:kept]
}
