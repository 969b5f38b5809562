//go:build unix

package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
)

// BenchmarkOddQuestions asks memories what hardly anybody asks, and reports how many times the time of the median
// question of five words that takes, with all that an answer needs.
func BenchmarkOddQuestions(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("memories=%d", n), func(b *testing.B) {
			if n > 100_000 && testing.Short() {
				b.Skip("large")
			}
			oddQuestions(b, n)
		})
	}
}

func oddQuestions(b *testing.B, n int) {
	a, st, p := benchmarked(b)
	fill(b, st, p, n)
	if err := a.Index.Rebuild(b.Context(), p.OrgID); err != nil {
		b.Fatal(err)
	}
	odds(b, 5, func(text string) error {
		_, err := a.Memory.Recall(b.Context(), p, memory.SearchRequest{Query: text, Limit: 10})
		return err
	})
}

// BenchmarkOddQuestionsOfEvents does the same in 100,000 events. The usual questions have two words, because an event
// must have all of them.
func BenchmarkOddQuestionsOfEvents(b *testing.B) {
	d := newDesk(b)
	const batch = 1000
	for range 100_000 / batch {
		drafts := make([]event.Draft, batch)
		for i := range drafts {
			drafts[i] = event.Draft{Content: someWords(12), Type: "tool_call"}
		}
		d.now = d.now.Add(time.Minute)
		_, err := d.Event.Append(b.Context(), d.mara, drafts)
		d.must(err)
	}
	for partial := true; partial; {
		page, err := d.Event.Search(b.Context(), d.mara, event.SearchRequest{Filter: event.Filter{Text: someWords(1)}})
		d.must(err)
		partial = page.Partial
	}
	odds(b, 2, func(text string) error {
		_, err := d.Event.Search(b.Context(), d.mara, event.SearchRequest{Filter: event.Filter{Text: text}})
		return err
	})
}

// BenchmarkOddQuestionsOfGraphs does the same in a graph of 10,000 entities, with usual questions of two words.
func BenchmarkOddQuestionsOfGraphs(b *testing.B) {
	w := newGraphWorld(b)
	for i := range 20 {
		var items []loci.NewEntity
		for n := range 500 {
			items = append(items, ent(fmt.Sprint(someWords(2), " ", i, " ", n), "thing", someWords(12), someWords(12)))
		}
		w.put(w.olga, nil, items...)
	}
	odds(b, 2, func(text string) error {
		_, err := w.Graph.Search(b.Context(), w.claude, w.open, graph.SearchRequest{Query: text})
		return err
	})
}

// odds asks odd questions and usual ones of so many words in turns, so that a slow machine slows down both.
func odds(b *testing.B, words int, ask func(text string) error) {
	asked := func(text string) time.Duration {
		begin := time.Now()
		if err := ask(text); err != nil && loci.CodeOf(err) != loci.Invalid {
			b.Fatal(err)
		}
		return time.Since(begin)
	}
	usual := make([]string, 200)
	for i := range usual {
		usual[i] = someWords(words)
		asked(usual[i])
	}
	for name, text := range odd() {
		b.Run(name, func(b *testing.B) {
			var ordinary, took []time.Duration
			for i, question := range usual {
				if ordinary = append(ordinary, asked(question)); i%10 == 0 {
					took = append(took, asked(text))
				}
			}
			for b.Loop() {
				asked(text)
			}
			b.ReportMetric(float64(median(took))/float64(median(ordinary)), "x-median")
			b.ReportMetric(float64(median(ordinary).Microseconds()), "median-us")
		})
	}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// odd returns questions of at most loci.MaxTerm characters.
func odd() map[string]string {
	many := func(n int, word func(i int) string) string {
		words := make([]string, n)
		for i := range words {
			words[i] = word(i)
		}
		text := strings.Join(words, " ")
		return text[:min(len(text), loci.MaxTerm)]
	}
	some := func(int) string { return someWords(1) }
	points := ""
	for r := rune(1); len(points) < loci.MaxTerm; r += 37 {
		points += string(r)
	}
	return map[string]string{
		"stop-words": "and what is the", "one-word": spoken(1), "words": many(100, some),
		"unknown":      many(100, func(i int) string { return spoken(10_000_000 + 7919*i) }),
		"quoted":       `"` + many(60, some) + `"`,
		"quoted-pair":  `"` + spoken(1) + " " + spoken(2) + `"`,
		"quoted-pairs": many(25, func(i int) string { return `"` + spoken(i%4) + " " + spoken(i%5) + `"` }),
		"operators":    `AND OR NOT NEAR("a" "b", 5) title:x -y +z (w OR "v") ^u {t s} 'q"; DROP TABLE memories; --`,
		"quotes":       strings.Repeat(`"`, loci.MaxTerm), "signs": "@#!", "short-words": "C++ q.q", "dots": "...",
		"numbers": "port 8443, version 1.2.3", "dates": strings.Repeat("2024-01-02 yesterday ", 20),
		"digits": strings.Repeat("1.2-3:4/", 60), "emoji": strings.Repeat("👩‍👩‍👧‍👦🏳️‍🌈", 9),
		"control": "de\x01plo\x02y \x1b[31m\u202e\u200b\ufeff " + spoken(1), "combining": "a" + strings.Repeat("\u0301", 200),
		"scripts": "schedule 会議 расписание جدول סדר ตาราง 일정 πρόγραμμα", "Thai": "ตาราง เวลา", "Arabic": "جدول مواعيد",
		"CJK": strings.Repeat("東京都庁舎会議室", 20), "code-points": points[:loci.MaxTerm-2],
		"identifiers": strings.Repeat("aB", 240), "beginnings": "bab* ded* fif* gog* lal* mem*",
		"parts": "abade idemi gofiba",
	}
}
