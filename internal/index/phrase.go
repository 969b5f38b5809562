package index

import (
	"cmp"
	"slices"
)

// maxPlaces is about how many places of words a search reads for all of its phrases. A word that says something is in
// few rows, and "to be or not to be" in nearly all of them. wordsPerPlace is how many words a text has for each place
// of a frequent word, such as "the".
const maxPlaces, wordsPerPlace = 1 << 17, 20

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
	phrases, perRow := 0, max(s.sum.words/max(s.sum.rows, 1)/wordsPerPlace, 1)
	for i := range s.q.Terms {
		phrases += min(len(s.q.Terms[i].Phrase), 1)
	}
	for i := range s.parts {
		p := &s.parts[i]
		share := float64(p.live) / max(s.sum.rows, 1) / float64(phrases)
		if p.readPhrase(t, words[i], share*maxPlaces/perRow) {
			s.some = true
		}
	}
}

// readPhrase sets where the phrase of these words begins, the rows in which it does, and the forms
// that stand for its words there. It reads about so many postings, and reports whether it left rows out.
func (p *part) readPhrase(t int, words [][]weighted, postings float64) (some bool) {
	counts := p.countAll(words)
	spans, share := p.affordable(counts, postings)
	docs := p.common(t, words, counts, spans)
	starts := slices.Clone(p.places(words[0], docs))
	for i := 1; i < len(words) && len(starts) > 0; i++ {
		docs = rowsOf(starts, docs[:0])
		starts = followed(starts, p.places(words[i], docs), uint64(i))
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
	p.counts[t] = int(float64(len(out.docs)) / share)
	p.forms[t] = p.phraseForms(words, starts)
	return share < 1
}

// countAll returns how many visible rows have each word. It counts a row for each form of a word that the row has.
// Hidden rows don't count: they must not decide what is read.
func (p *part) countAll(words [][]weighted) (counts []int) {
	for _, forms := range words {
		n := 0
		for _, f := range forms {
			l := p.list(f.form)
			n += l.countIn(p.spans, &p.spare) - l.countIn(p.hiddenSpans(), &p.spare)
		}
		counts = append(counts, n)
	}
	return counts
}

// affordable returns the rows in which a phrase of words with these counts is looked for, and their share of all
// visible ones. These are the newest ones, if so many rows have its rarest word that reading all of them takes too
// long.
func (p *part) affordable(counts []int, postings float64) (in []span, share float64) {
	all := float64(slices.Min(counts) * len(counts))
	if share = postings / max(all, 1); share >= 1 || p.live == 0 {
		return p.spans, 1
	}
	in, rows := p.newest(int(share * float64(p.live)))
	return in, min(float64(rows)/float64(p.live), 1)
}

// stretch is how many rows newest takes or leaves out together.
const stretch = 256

// newest returns the newest of the visible rows, at least so many, and how many there are. In a segment, rows of a
// class are ordered by their sessions first. So these are the stretches whose last change is the newest.
func (p *part) newest(least int) (in []span, rows int) {
	type piece struct {
		span
		updated uint64
		rows    int // visible ones
	}
	var all []piece
	for _, sp := range p.spans {
		for begin := sp.begin; begin < sp.end; begin += stretch {
			one := piece{span: span{begin, min(begin+stretch, sp.end)}}
			for doc := one.begin; doc < one.end; doc++ {
				if !p.hidden.has(doc) {
					one.updated, one.rows = max(one.updated, u64(p.Segment.parts[secUpdated], doc)), one.rows+1
				}
			}
			all = append(all, one)
		}
	}
	slices.SortStableFunc(all, func(x, y piece) int { return cmp.Compare(y.updated, x.updated) })
	for _, one := range all {
		if rows >= least {
			break
		}
		in = append(in, one.span)
		rows += one.rows
	}
	slices.SortFunc(in, func(x, y span) int { return cmp.Compare(x.begin, y.begin) })
	return in, rows
}

// common returns the rows of spans that have all words, and sets the forms that these have. It reads the word with the
// lowest count first, and of the others what can still be in common. It uses p.rows[t].
func (p *part) common(t int, words [][]weighted, counts []int, spans []span) (docs []uint32) {
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(counts[x], counts[y]) })
	for n, i := range order {
		words[i], _ = p.read(words[i], spans, &p.rows[t])
		if n == 0 {
			docs = slices.Clone(p.rows[t].docs)
		} else {
			docs = sift(docs, p.rows[t].docs, true)
		}
		spans = spansOf(docs)
	}
	return docs
}

// sift returns the rows of the first list that are in the second one, or those that are not. It uses the first list.
func sift(docs, others []uint32, in bool) []uint32 {
	return slices.DeleteFunc(docs, func(doc uint32) bool {
		for len(others) > 0 && others[0] < doc {
			others = others[1:]
		}
		return in != (len(others) > 0 && others[0] == doc)
	})
}

// places returns where forms occur in rows, as list.places does. It is valid until the next call.
func (p *part) places(forms []weighted, docs []uint32) []uint64 {
	out := p.found64[:0]
	for _, f := range forms {
		l := p.list(f.form)
		out = l.places(p.rowsIn(docs, &f), out)
	}
	p.found64 = out
	if len(forms) > 1 {
		slices.Sort(out)
	}
	return slices.Compact(out)
}

func (p *part) rowsIn(docs []uint32, f *weighted) []uint32 {
	if f.langs == 0 {
		return docs
	}
	return slices.DeleteFunc(slices.Clone(docs), func(doc uint32) bool { return !p.in(doc, f) })
}

// followed returns the places that have one of next behind them, so many words further. It uses places.
func followed(places, next []uint64, words uint64) []uint64 {
	kept, i := places[:0], 0
	for _, at := range places {
		for i < len(next) && next[i] < at+words {
			i++
		}
		if i == len(next) {
			break
		}
		if next[i] == at+words {
			kept = append(kept, at)
		}
	}
	return kept
}

func rowsOf(places []uint64, docs []uint32) []uint32 {
	for _, at := range places {
		if n := len(docs); n == 0 || docs[n-1] != uint32(at>>32) {
			docs = append(docs, uint32(at>>32))
		}
	}
	return docs
}

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
	docs := rowsOf(starts, nil)
	for i, word := range words {
		for _, f := range word {
			if len(word) == 1 && len(docs) > 0 || p.begins(&f, docs, starts, uint64(i)) {
				addForm(&forms, f)
			}
		}
	}
	return forms
}

// begins reports whether a form is so many words behind one of the starts, which are in these rows.
func (p *part) begins(f *weighted, docs []uint32, starts []uint64, words uint64) bool {
	l := p.list(f.form)
	var places []uint64
	for some := range slices.Chunk(p.rowsIn(docs, f), postingsBlock) {
		places = l.places(some, places[:0])
		if slices.ContainsFunc(places, func(at uint64) bool {
			_, ok := slices.BinarySearch(starts, at-words)
			return ok
		}) {
			return true
		}
	}
	return false
}
