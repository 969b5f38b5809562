package index

import "slices"

// maxForms is how many forms of a term a result has.
const maxForms = 64

// result describes the terms and counts the rows.
func (s *search) result(hits []Hit) Result {
	r := Result{Hits: hits, Weights: s.idf, Forms: make([][]string, len(s.q.Terms)), Similar: s.alike, Common: s.common}
	for t := range r.Forms {
		r.Forms[t] = s.standIns(t)
	}
	if r.Total, r.Exact = s.total(); r.Total < len(hits) {
		r.Total, r.Exact = len(hits), false
	}
	return r
}

// total returns how many rows that can be hits have a term. It does not count the rows of broad questions.
func (s *search) total() (n int, exact bool) {
	for t := range s.q.Terms {
		n := 0
		for i := range s.parts {
			n += s.parts[i].countTerm(t)
		}
		if n >= MaxTotal {
			return MaxTotal, false
		}
	}
	for i := range s.parts {
		n += s.parts[i].countRows()
	}
	return n, !s.some
}

// countTerm returns how many rows have a term that can be hits, or MaxTotal if there are more.
func (p *part) countTerm(t int) (n int) {
	docs := p.rows[t].docs
	if p.only == nil && p.starts[t] == nil {
		return min(p.least[t], MaxTotal)
	}
	for _, doc := range docs {
		if p.only == nil || p.only.has(doc) {
			if n++; n == MaxTotal {
				break
			}
		}
	}
	return n
}

// countRows returns how many rows have any term that can be hits.
func (p *part) countRows() (n int) {
	for t := range p.forms {
		if !p.few() { // else p.rows has those that can be hits
			p.load(t)
		}
		for _, doc := range p.rows[t].docs {
			if p.admits(doc) && !p.marks.has(doc) {
				p.marks.set(doc)
				n++
			}
		}
	}
	for t := range p.forms {
		for _, doc := range p.rows[t].docs {
			p.marks[doc/64] = 0
		}
	}
	return n
}

// standIns returns the forms that stood in for a term and that a row has which can be a hit, the best first.
func (s *search) standIns(t int) (list []string) {
	forms := make([][]weighted, len(s.parts))
	for i := range s.parts {
		p := &s.parts[i]
		for _, f := range bestFirst(slices.Clone(p.forms[t])) {
			if s.q.Terms[t].names(p.Segment.forms.at(f.form)) {
				continue
			}
			if p.only == nil || p.starts[t] != nil || p.has(&f, p.only) {
				forms[i] = append(forms[i], f)
			}
			if len(forms[i]) == maxForms {
				break
			}
		}
	}
	for _, f := range s.named(forms) {
		if len(list) < maxForms {
			list = append(list, f.form)
		}
	}
	return list
}

// names reports whether the term or a word of its phrase is written like this.
func (t *Term) names(form string) bool {
	return t.Form == form || slices.ContainsFunc(t.Phrase, func(w Term) bool { return w.Form == form })
}

// best keeps the best values that it was offered. The worst of them comes first. container/heap takes several times
// as long.
type best[T interface{ worse(T) bool }] struct {
	list  []T
	limit int
}

func (b *best[T]) full() bool { return len(b.list) == b.limit }

func (b *best[T]) offer(v T) {
	list := b.list
	if !b.full() {
		at := len(list)
		for list = append(list, v); at > 0 && v.worse(list[(at-1)/2]); at = (at - 1) / 2 {
			list[at] = list[(at-1)/2]
		}
		list[at], b.list = v, list
		return
	}
	if !list[0].worse(v) {
		return
	}
	at := 0
	for {
		next := 2*at + 1
		if next >= len(list) {
			break
		}
		if next+1 < len(list) && list[next+1].worse(list[next]) {
			next++
		}
		if !list[next].worse(v) {
			break
		}
		list[at] = list[next]
		at = next
	}
	list[at] = v
}

// score is a score as a value of best.
type score float64

func (s score) worse(o score) bool { return s < o } //nolint:unused // best uses it
