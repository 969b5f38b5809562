package index

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// What is read late is what is read at once: the same count, the same rows and the same forms.
func TestLateReadingIsReading(t *testing.T) {
	t.Parallel()
	late := 0
	rapid.Check(t, func(rt *rapid.T) {
		texts := []string{"the runs of the day", "she was running in the park and on the street",
			"wir haben das Running nicht in dem Haus und auf der Straße", "das Haus der Stadt",
			"die Häuser und das Haus", "runs", "house and houses of the town"}
		var rows []Row
		var gone [][16]byte
		for i := range rapid.IntRange(1, 60).Draw(rt, "rows") {
			id := [16]byte{byte(i)}
			row := Row{ID: id, Class: rapid.SampledFrom([]Class{"a", "b", "c"}).Draw(rt, "class"),
				Fields: []Field{{Text: rapid.SampledFrom(texts).Draw(rt, "text")}}}
			if rapid.IntRange(0, 9).Draw(rt, "limit") == 0 {
				row.Until = time.Unix(1, 0)
			}
			if rapid.IntRange(0, 9).Draw(rt, "gone") == 0 {
				gone = append(gone, id)
			}
			rows = append(rows, row)
		}
		views := build(t, rows, 1)
		views[0] = views[0].Without(gone...)
		q := &Query{Terms: []Term{{Form: "run", Stems: []string{"run"}}, {Form: "haus", Stems: []string{"haus", "hous"}}},
			Sees: func(c Class) bool { return c != "c" }, Now: time.Unix(2, 0), Limit: 1, Weights: testWeights}
		s := newSearch(views, q)
		defer s.release()
		for i := range s.parts {
			p := &s.parts[i]
			for t, term := range q.Terms {
				forms := p.match(&term, q.Weights.Stem)
				p.rows[t].reset()
				p.unread[t] = nil
				p.look(t, slices.Clone(forms), false)
				if p.unread[t] != nil {
					late++
				}
				found, n := slices.Clone(p.forms[t]), p.counts[t]
				p.load(t)
				var want entries
				kept, _ := p.read(forms, p.spans, &want)
				if !slices.Equal(p.rows[t].docs, want.docs) || n != len(want.docs) {
					rt.Fatalf("%s: counted %d rows, got %v, want %v", term.Form, n, p.rows[t].docs, want.docs)
				}
				for i, v := range want.values {
					if d := v - p.rows[t].values[i]; d > 1e-5 || d < -1e-5 {
						rt.Fatalf("%s: row %d has %v, want %v", term.Form, want.docs[i], p.rows[t].values[i], v)
					}
				}
				if !slices.Equal(found, kept) {
					rt.Fatalf("%s: got the forms %v, want %v", term.Form, found, kept)
				}
			}
		}
	})
	if late == 0 {
		t.Error("no form was read late")
	}
}

// No row has more of a term than its bounds say.
func TestBoundsHold(t *testing.T) {
	t.Parallel()
	for _, session := range []int{0, 7} {
		v := large(3000, session)
		for _, q := range questions(20) {
			q.Weights.Session, q.Weights.Question = 0, 0 // their bounds would hide others
			s := newSearch([]*View{v}, q)
			s.weigh()
			p := &s.parts[0]
			for n := range q.Terms {
				s.mostOf(p, n)
				row, context, passage := s.bounds(p, n)
				late := p.unread[n] != nil
				p.load(n)
				e := &p.rows[n]
				for doc := range p.Segment.rows {
					own, near := s.row.of(e.value(doc), p.length(doc)), s.context.of(p.near(e, doc), p.View.context(doc))
					part := passages.of(e.value(doc), min(p.length(doc), PassageWords))
					whole := s.idf[n] * (testWeights.Row*float64(own) + testWeights.Context*float64(near) +
						testWeights.Passage*float64(part))
					if most := s.mostOf(p, n); whole > most {
						t.Fatalf("%s: row %d gets %v, the most is %v", q.Terms[n].Form, doc, whole, most)
					}
					if float64(own) > row || float64(near) > context || float64(part) > passage {
						t.Fatalf("%s, late %v: row %d has %v, %v and %v, the bounds are %v, %v and %v", q.Terms[n].Form, late,
							doc, own, near, part, row, context, passage)
					}
				}
			}
			s.release()
		}
	}
}
