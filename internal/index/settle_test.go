package index

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// common is an index of rows that have a phrase, each with a word of its own. Row 7 has the phrase twice.
func common(t *testing.T, rows int, phrase string) []*View {
	t.Helper()
	b := NewBuilder()
	for i := range rows {
		text := fmt.Sprint(phrase, " w", i)
		if i == 7 {
			text += " " + phrase
		}
		row := Row{Updated: time.Unix(int64(i), 0), Time: time.Unix(int64(i), 0), Fields: []Field{{Text: text}}}
		binary.BigEndian.PutUint64(row.ID[:], uint64(i))
		b.Add(row)
	}
	s, err := Open(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	return []*View{NewView(s)}
}

func rowOf(h Hit) int { return int(binary.BigEndian.Uint64(h.ID[:])) }

func termsOf(words ...string) (list []Term) {
	for _, w := range words {
		list = append(list, Term{Form: w})
	}
	return list
}

// The postings that a search adds up have a limit, also if all words are in all rows. It still finds the best row,
// and a row with a rare word.
func TestFrequentWordsHaveALimit(t *testing.T) {
	t.Parallel()
	views := common(t, 40_000, "what is the time and place")
	frequent := termsOf("what", "is", "the", "time", "and", "place")
	q := func(terms ...Term) *Query {
		return &Query{Terms: terms, Sees: func(Class) bool { return true }, Now: time.Unix(1e6, 0), Limit: 10,
			Weights: testWeights}
	}
	s := newSearch(views, q(frequent...))
	s.weigh()
	p := &s.parts[0]
	s.accumulate(p)
	if p.added > leastAdded || len(p.picked) > 40_000/mostSettled {
		t.Errorf("added up %d postings, and went on with %d rows", p.added, len(p.picked))
	}
	s.release()
	if hits := Search(views, q(frequent...)).Hits; len(hits) != 10 || rowOf(hits[0]) != 7 {
		t.Errorf("only frequent words: got %+v", hits)
	}
	if hits := Search(views, q(append(frequent, Term{Form: "w99"})...)).Hits; rowOf(hits[0]) != 99 {
		t.Errorf("with a rare word: got %+v", hits)
	}
}

// Rows that are not among the best by the rarest words are left out, and the others have the same scores and order.
func TestSettledSearchesFindTheSame(t *testing.T) {
	t.Parallel()
	for _, session := range []int{0, 7} {
		v := large(12_000, session)
		same, settled, list := 0, 0, questions(160)
		for i := range 40 {
			q := list[i]
			for _, other := range list[40+3*i : 43+3*i] { // 20 words
				for _, term := range other.Terms {
					if !slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Form == term.Form }) {
						q.Terms = append(q.Terms, term)
					}
				}
			}
			if i%4 == 0 {
				q.Periods = []Period{days(19_676, 19_677, 1)}
			}
			got, _ := hitsOf(v, q, func(s *search, p *part) {
				for i, t := range s.order {
					if p.added > 10_000 {
						settled++
						s.reach(p)
						s.pickBest(p, 4*(q.Limit+contenders))
						s.completePicked(p, s.order[i:])
						return
					}
					p.load(t)
					s.add(p, t)
					p.added += p.counts[t]
				}
			})
			want, _ := hitsOf(v, q, addAll)
			for _, h := range got {
				if slices.ContainsFunc(want, func(o Hit) bool { return o.ID == h.ID }) {
					same++
				}
			}
		}
		if same < 395 || settled < 30 {
			t.Errorf("sessions of %d: %d of 400 hits are the same, and %d of 40 searches settled", session, same, settled)
		}
	}
}

// A phrase of words that are in too many rows is looked for in the newest. Any other is found everywhere.
func TestPhrasesHaveALimit(t *testing.T) {
	t.Parallel()
	const rows = 60_000
	views := common(t, rows, "what is the time")
	ask := func(words ...string) Result {
		return Search(views, &Query{Terms: []Term{{Phrase: termsOf(words...)}}, Sees: func(Class) bool { return true },
			Now: time.Unix(1e6, 0), Limit: 10, Weights: testWeights})
	}
	r := ask("what", "is", "the", "time")
	if len(r.Hits) != 10 || r.Total != MaxTotal || r.Exact {
		t.Errorf("in all rows: got %d hits of %d, exact %v", len(r.Hits), r.Total, r.Exact)
	}
	for _, h := range r.Hits {
		if rowOf(h) < rows-maxPlaces/4-stretch {
			t.Errorf("in all rows: got row %d", rowOf(h))
		}
	}
	if r := ask("the", "time", "w3"); len(r.Hits) != 1 || rowOf(r.Hits[0]) != 3 || !r.Exact {
		t.Errorf("with a rare word: got %+v", r)
	}
	if r := ask("time", "is", "the"); len(r.Hits) != 0 || r.Exact {
		t.Errorf("in another order: got %+v", r)
	}
}

// Only some words of a query can be similar to others.
func TestUnknownWordsHaveALimit(t *testing.T) {
	t.Parallel()
	var list []string
	var terms []Term
	for i := range 20 {
		word := strings.Repeat(string(rune('a'+i)), 4) + "board"
		list = append(list, word)
		terms = append(terms, Term{Form: word + "s", Fuzzy: true})
	}
	r := Search(texts(t, list...), &Query{Terms: terms, Sees: func(Class) bool { return true }, Now: time.Unix(1, 0),
		Limit: 20, Weights: testWeights})
	if r.Similar != 1<<maxUnknown-1 {
		t.Errorf("similar words: got %b", r.Similar)
	}
}

// Rows that the asker may not see change nothing of what a phrase finds, however many they are and have its words.
func TestHiddenRowsLimitNoPhrase(t *testing.T) {
	t.Parallel()
	found := func(hidden int, hide func(*Row)) Result {
		b := NewBuilder()
		for i := range 600 + hidden {
			row := Row{Class: "mine", Updated: time.Unix(int64(i), 0), Time: time.Unix(int64(i), 0),
				Fields: []Field{{Text: fmt.Sprint("what is the time w", i)}}}
			if i >= 600 {
				hide(&row)
			}
			binary.BigEndian.PutUint64(row.ID[:], uint64(i))
			b.Add(row)
		}
		s, err := Open(b.Build())
		if err != nil {
			t.Fatal(err)
		}
		return Search([]*View{NewView(s)}, &Query{Terms: []Term{{Phrase: termsOf("what", "is", "the", "time")}},
			Sees: func(c Class) bool { return c == "mine" }, Now: time.Unix(1e6, 0), Limit: 1000, Weights: testWeights})
	}
	without := found(0, nil)
	if len(without.Hits) != 600 || !without.Exact {
		t.Fatalf("got %d hits of %d, exact %v", len(without.Hits), without.Total, without.Exact)
	}
	for name, hide := range map[string]func(*Row){
		"of others": func(r *Row) { r.Class = "yours" },
		"expired":   func(r *Row) { r.Until = time.Unix(1000, 0) },
	} {
		with := found(60_000, hide)
		if with.Total != without.Total || len(with.Hits) != len(without.Hits) || with.Exact != without.Exact {
			t.Errorf("with rows %s: got %d hits of %d, exact %v", name, len(with.Hits), with.Total, with.Exact)
		}
	}
}
