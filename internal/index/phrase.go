package index

import "slices"

// readPhrase collects the rows in which the words of a phrase follow one another.
func (s *search) readPhrase(t int) {
	phrase := s.q.Terms[t].Phrase
	words := make([][][]weighted, len(s.parts)) // of each part and word: the forms
	for w, word := range phrase {
		last := w == len(phrase)-1
		for i, forms := range s.expand(&Term{Form: word.Form, Stems: word.Stems, Prefix: word.Prefix && last}) {
			words[i] = append(words[i], forms)
		}
	}
	for i := range s.parts {
		s.parts[i].readPhrase(t, words[i])
	}
}

// readPhrase sets where the phrase of these words begins, the rows in which it does, and the forms
// that stand for its words there.
func (p *part) readPhrase(t int, words [][]weighted) {
	docs := p.common(t, words)
	starts := p.places(words[0], docs)
	for i := 1; i < len(words) && len(starts) > 0; i++ {
		starts = followed(starts, p.places(words[i], rowsOf(starts)), uint64(i))
	}
	p.starts[t] = starts
	out := &p.rows[t]
	out.reset()
	for _, at := range starts {
		if n := len(out.docs); n > 0 && out.docs[n-1] == uint32(at>>32) {
			out.values[n-1]++
			continue
		}
		out.docs, out.values = append(out.docs, uint32(at>>32)), append(out.values, 1)
	}
	p.counts[t] = len(out.docs)
	p.forms[t] = p.phraseForms(words, starts)
}

// common returns the rows that have all words. It uses p.rows[t].
func (p *part) common(t int, words [][]weighted) (docs []uint32) {
	for i := range words {
		words[i] = p.read(words[i], &p.rows[t])
		if i == 0 {
			docs = slices.Clone(p.rows[t].docs)
			continue
		}
		rest := p.rows[t].docs
		docs = slices.DeleteFunc(docs, func(doc uint32) bool {
			for len(rest) > 0 && rest[0] < doc {
				rest = rest[1:]
			}
			return len(rest) == 0 || rest[0] != doc
		})
	}
	return docs
}

// places returns where forms occur in rows, as list.places does.
func (p *part) places(forms []weighted, docs []uint32) (out []uint64) {
	for _, f := range forms {
		l := p.list(f.form)
		out = l.places(p.rowsIn(docs, &f), out)
	}
	if len(forms) > 1 {
		slices.Sort(out)
	}
	return slices.Compact(out)
}

// rowsIn returns those of docs that have a form.
func (p *part) rowsIn(docs []uint32, f *weighted) []uint32 {
	if f.langs == 0 {
		return docs
	}
	return slices.DeleteFunc(slices.Clone(docs), func(doc uint32) bool { return !p.in(doc, f) })
}

// followed returns the places that have one of next behind them, so many words further.
func followed(places, next []uint64, words uint64) []uint64 {
	return slices.DeleteFunc(places, func(at uint64) bool {
		for len(next) > 0 && next[0] < at+words {
			next = next[1:]
		}
		return len(next) == 0 || next[0] != at+words
	})
}

// rowsOf returns the rows of places.
func rowsOf(places []uint64) (docs []uint32) {
	for _, at := range places {
		if n := len(docs); n == 0 || docs[n-1] != uint32(at>>32) {
			docs = append(docs, uint32(at>>32))
		}
	}
	return docs
}

// placesOf returns the places in one row.
func placesOf(places []uint64, doc uint32) []uint64 {
	begin, _ := slices.BinarySearch(places, uint64(doc)<<32)
	end, _ := slices.BinarySearch(places, uint64(doc+1)<<32)
	return slices.Clip(places[begin:end])
}

// phraseForms returns the forms that stand for the words of a phrase in rows that can be hits.
func (p *part) phraseForms(words [][]weighted, starts []uint64) (forms []weighted) {
	if p.only != nil {
		starts = slices.DeleteFunc(slices.Clone(starts), func(at uint64) bool { return !p.only.has(uint32(at >> 32)) })
	}
	docs := rowsOf(starts)
	for i, word := range words {
		for _, f := range word {
			l := p.list(f.form)
			for _, at := range l.places(p.rowsIn(docs, &f), nil) {
				if _, ok := slices.BinarySearch(starts, at-uint64(i)); ok {
					addForm(&forms, f)
					break
				}
			}
		}
	}
	return forms
}
