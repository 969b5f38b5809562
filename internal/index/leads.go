package index

import (
	"cmp"
	"slices"
	"sort"
)

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
