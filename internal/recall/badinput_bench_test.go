//go:build unix

package recall

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/index"
)

// syllables make words of which many begin or are spelled alike, as in texts.
var syllables = strings.Fields("ba de fi go hu la me ni po ru sa te vi wo zu tion ment er ing ly")

func badWord(n uint64) string {
	var b strings.Builder
	for n += 20; n > 0; n /= 20 {
		b.WriteString(syllables[n%20])
	}
	return b.String()
}

// badView is an index of texts of 40 words, as frequent as in natural language, with stop-words among them.
func badView(b *testing.B, rows int) (*index.View, *rand.Zipf) {
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 2.7, 60_000)
	builder := index.NewBuilder()
	var text strings.Builder
	for i := range rows {
		text.Reset()
		for j := range 40 {
			text.WriteString(badWord(z.Uint64()) + " ")
			if j%8 == 0 {
				text.WriteString("and what is the ")
			}
		}
		at := time.Unix(int64(i), 0) // as in practice, the newest come last
		row := index.Row{Class: "c", Time: at, Updated: at, Fields: []index.Field{{Text: text.String()}}}
		binary.BigEndian.PutUint64(row.ID[:], uint64(i))
		builder.Add(row)
	}
	s, err := index.Open(builder.Build())
	if err != nil {
		b.Fatal(err)
	}
	return index.NewView(s), z
}

// search asks as package memory does: for the words, for their beginnings and for their parts.
func search(views []*index.View, text string) (hits int) {
	q := Ask{Text: text, At: askedAt, Sees: func(index.Class) bool { return true }, Limit: 5}.Read()
	for _, q := range []*Question{q, q.AsPrefixes(), q.AsParts()} {
		if hits = len(q.Find(views).Hits); hits > 0 {
			break
		}
	}
	return hits
}

// processorTime returns how long this process has used processors, so that other work on the machine does not count.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkBadInput asks what hardly anybody asks, and reports how many times the processor time of the median question
// of five words that takes.
func BenchmarkBadInput(b *testing.B) {
	for _, rows := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) {
			if rows > 100_000 && testing.Short() {
				b.Skip("large")
			}
			badInput(b, rows)
		})
	}
}

func badInput(b *testing.B, rows int) {
	view, z := badView(b, rows)
	views := []*index.View{view}
	asked := func(text string) time.Duration {
		begin := processorTime(b)
		search(views, text)
		return processorTime(b) - begin
	}
	word := func() string { return badWord(z.Uint64()) }
	many := func(n int, next func() string) string {
		var list []string
		for range n {
			list = append(list, next())
		}
		return strings.Join(list, " ")
	}
	unknown := func() string { return badWord(z.Uint64()*7_000_003 + 1<<40) }
	five := make([]string, 300)
	for i := range five {
		five[i] = many(5, word)
	}
	for name, text := range badInputs(many, word, unknown) {
		b.Run(name, func(b *testing.B) {
			var usual, took []time.Duration
			for i, question := range five { // in turns, so that a slow machine slows down both
				usual = append(usual, asked(question))
				if i%20 == 0 {
					took = append(took, asked(text))
				}
			}
			for b.Loop() {
				search(views, text)
			}
			b.ReportMetric(float64(middle(took))/float64(middle(usual)), "x-median")
			b.ReportMetric(float64(middle(usual).Microseconds()), "median-us")
		})
	}
}

func middle(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func badInputs(many func(int, func() string) string, word, unknown func() string) map[string]string {
	all := make([]rune, 0, 500)
	for r := rune(1); len(all) < 500; r += 37 {
		all = append(all, r)
	}
	inputs := map[string]string{
		"empty": "", "spaces": strings.Repeat(" \t\n", 150), "stop-words": "and what is the", "one-stop-word": "the",
		"100-KB": many(20_000, word), "100-KB-stop": strings.Repeat("what is the ", 9000),
		"100-KB-one-word": strings.Repeat("x", 100<<10),
		"500-frequent":    cutTo500(many(200, word)), "500-unknown": cutTo500(many(200, unknown)),
		"operators": `AND OR NOT NEAR("a" "b", 5) title:x -y +z (w OR "v") ^u {t s} r* 'q"; DROP TABLE memories; --`,
		"quotes":    strings.Repeat(`"`, 500), "phrase": `"and what is the"`,
		"phrases":         strings.Repeat(`"and what" "what is" "is the" "the and" `, 12),
		"quoted-question": `"` + many(60, word) + `"`,
		"100-KB-phrases":  strings.Repeat(`"what is the" `, 8000), "100-KB-letters": strings.Repeat("a b.c d ", 13_000),
		"100-KB-CJK":      strings.Repeat("東京都庁舎会議室", 4000),
		"100-KB-dates":    strings.Repeat("2024-01-02 yesterday ", 5000),
		"prefixes-of-all": "bat* det* fit* got* hut* lat* met* nit*",
		"stars":           strings.Repeat("* ", 250),
		"prefixes":        "bab* ded* fif* gog* huh* lal* mem* nin*", "parts": "abade idemi gofiba",
		"scripts": "schedule 会議 расписание جدول סדר ตาราง 일정 πρόγραμμα deploy", "emoji": strings.Repeat("👩‍👩‍👧‍👦🏳️‍🌈", 20),
		"control": "de\x01plo\x02y \x1b[31m\u202e\u200b\ufeff bade", "code-points": string(all),
		"combining": "a" + strings.Repeat("\u0301", 490), "CJK": strings.Repeat("東京都庁舎会議室", 60),
		"digits": strings.Repeat("1.2-3:4/", 60), "identifiers": strings.Repeat("aB", 240),
		"one-letters": many(250, func() string { return "b" }),
		"dates":       strings.Repeat("2024-01-02 yesterday ", 23), "not-UTF-8": strings.Repeat("\xff\xfebade", 70),
	}
	return inputs
}

func cutTo500(s string) string { return s[:min(len(s), 500)] }
