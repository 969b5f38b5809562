//go:build unix

package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/memory"
)

// BenchmarkOddQuestions asks memories what hardly anybody asks, and reports how many times the time of the median
// question of five words that takes, with all that an answer needs.
func BenchmarkOddQuestions(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("memories=%d", n), func(b *testing.B) { oddQuestions(b, n) })
	}
}

func oddQuestions(b *testing.B, n int) {
	a, st, p := benchmarked(b)
	fill(b, st, p, n)
	if err := a.Index.Rebuild(b.Context(), p.OrgID); err != nil {
		b.Fatal(err)
	}
	usual := make([]string, 200)
	for i := range usual {
		usual[i] = someWords(5)
	}
	for name, text := range odd() {
		b.Run(name, func(b *testing.B) {
			var ordinary, took []time.Duration
			for i, question := range usual { // in turns, so that a slow machine slows down both
				if ordinary = append(ordinary, asked(b, a, p, question)); i%10 == 0 {
					took = append(took, asked(b, a, p, text))
				}
			}
			for b.Loop() {
				asked(b, a, p, text)
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

func asked(b *testing.B, a *app.App, p loci.Principal, text string) time.Duration {
	begin := time.Now()
	if _, err := a.Memory.Recall(b.Context(), p, memory.SearchRequest{Query: text, Limit: 10}); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
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
