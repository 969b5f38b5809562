package index

import (
	"slices"

	"github.com/loci-memory/loci/internal/language"
)

// Frequent words have most of the postings. A search mostly needs to know only how many visible rows have
// them, and then reads the blocks that have the few rows which can be among the best.

// unreadFrom is how many postings a form has at least that is not read at once, and probed is how many of them
// take as long to read as finding one row. Tests make them small.
var unreadFrom, probed uint32 = 1024, postingsBlock

// look finds out which forms of a term visible rows have, and how many rows have the term. It reads the
// postings of all forms but the most frequent one. If many forms can stand for the term, it counts a row for each that
// the row has, because it would have to read them all to find out which rows have several.
func (p *part) look(t int, forms []weighted, many bool) {
	big, others := p.countable(forms, many), forms
	if big >= 0 {
		others = slices.Delete(slices.Clone(forms), big, big+1)
	}
	kept, sum := p.read(others, p.spans, &p.rows[t])
	n, both := 0, 0 // visible rows of the form that is not read, and those that have another one too
	if big >= 0 {
		form := forms[big]
		l := p.list(form.form)
		if n = l.countIn(p.spans, &p.spare) - l.countIn(p.hiddenSpans(), &p.spare); n > 0 {
			p.unread[t] = &form
			kept = append(kept, form)
		}
		if n > 0 && !many {
			both = l.countIn(spansOf(p.rows[t].docs), &p.spare)
		}
	}
	if rows := len(p.rows[t].docs); many {
		p.counts[t], p.least[t] = sum+n, max(rows, n)
	} else {
		p.counts[t], p.least[t] = rows+n-both, rows+n-both
	}
	p.forms[t] = kept
	if big >= 0 { // in their order
		p.forms[t] = slices.DeleteFunc(forms, func(f weighted) bool { return !slices.Contains(kept, f) })
	}
}

// countable returns the most frequent form, if its rows can be counted without reading them all, or -1. Of many
// forms, it must have more rows than the others together.
func (p *part) countable(forms []weighted, many bool) int {
	big, most, all := -1, unreadFrom-1, uint32(0)
	for i, f := range forms {
		l := p.list(f.form)
		if all += l.count; l.count > most {
			big, most = i, l.count
		}
	}
	others := most / probed
	if many {
		others = most
	}
	switch {
	case big < 0, all-most > others, p.only != nil && !p.few(), uint32(len(p.hiddenSpans())) > most/probed,
		forms[big].langs != 0 && !p.allIn(forms[big].langs):
		return -1
	}
	return big
}

// hiddenSpans returns the hidden rows among the visible ones.
func (p *part) hiddenSpans() []span {
	if p.hidden == nil || p.without != nil {
		return p.without
	}
	p.without = []span{}
	for _, in := range p.spans {
		for doc := range p.hidden.in(in) {
			p.without = append(p.without, span{doc, doc + 1})
		}
	}
	return p.without
}

// spansOf returns rows, which are ascending, as spans.
func spansOf(docs []uint32) (spans []span) {
	for _, doc := range docs {
		if n := len(spans); n > 0 && spans[n-1].end == doc {
			spans[n-1].end++
		} else {
			spans = append(spans, span{doc, doc + 1})
		}
	}
	return spans
}

func (p *part) load(t int) {
	p.loadIn(t, p.spans)
	p.unread[t] = nil
}

// loadIn reads the rows of a term that lie in spans. After that, p.rows has other rows with a part of their
// value only.
func (p *part) loadIn(t int, spans []span) {
	f := p.unread[t]
	if f == nil {
		return
	}
	l := p.list(f.form)
	p.spare.reset()
	p.loaded[t] = true
	l.read(spans, p.hidden, f.weight/once, &p.spare)
	if len(p.rows[t].docs) == 0 {
		p.rows[t], p.spare = p.spare, p.rows[t]
		return
	}
	p.merged.union(&p.rows[t], &p.spare)
	p.rows[t], p.merged = p.merged, p.rows[t]
}

// union sets e to the rows of x and y. The values of rows that both have add up.
func (e *entries) union(x, y *entries) {
	e.reset()
	i, j := 0, 0
	for i < len(x.docs) && j < len(y.docs) {
		switch {
		case x.docs[i] < y.docs[j]:
			e.docs, e.values = append(e.docs, x.docs[i]), append(e.values, x.values[i])
			i++
		case x.docs[i] > y.docs[j]:
			e.docs, e.values = append(e.docs, y.docs[j]), append(e.values, y.values[j])
			j++
		default:
			e.docs, e.values = append(e.docs, x.docs[i]), append(e.values, x.values[i]+y.values[j])
			i, j = i+1, j+1
		}
	}
	e.docs, e.values = append(e.docs, x.docs[i:]...), append(e.values, x.values[i:]...)
	e.docs, e.values = append(e.docs, y.docs[j:]...), append(e.values, y.values[j:]...)
}

// allIn reports whether all rows of the visible classes are in one of these languages.
func (p *part) allIn(langs language.Languages) bool {
	for i, c := range p.classes {
		if p.langs[i]&langs == 0 && p.sees(c.span) {
			return false
		}
	}
	return true
}

// sees reports whether the rows of a class are among the visible ones.
func (p *part) sees(class span) bool {
	return slices.ContainsFunc(p.spans, func(s span) bool { return s.begin <= class.begin && class.begin < s.end })
}
