package recall_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

var update = flag.Bool("update", false, "rewrite testdata/rank/stats.txt")

// TestRank runs the queries of testdata/rank/queries.txt over the memories of
// memories.txt. stats.txt is reviewed by hand whenever it changes.
func TestRank(t *testing.T) {
	memories := readMemories(t)
	var out bytes.Buffer
	var at1, at5, reciprocal float64
	queries := lines(t, "queries.txt")
	for _, line := range queries {
		query, want, _ := strings.Cut(line, " => ")
		q := recall.Parse(query)
		hits := recall.Rank(q, matches(q, memories)).Hits(0, len(memories))
		rank := 0
		for i, h := range hits {
			if titleOf(memories, h.ID) == want {
				rank = i + 1
				break
			}
		}
		if rank == 1 {
			at1++
		}
		if rank > 0 {
			reciprocal += 1 / float64(rank)
			if rank <= 5 {
				at5++
			}
		}
		fmt.Fprintf(&out, "%2d  %s => %s\n", rank, query, want)
	}
	n := float64(len(queries))
	fmt.Fprintf(&out, "\nrecall@1 %.3f  recall@5 %.3f  MRR %.3f\n", at1/n, at5/n, reciprocal/n)
	golden := filepath.Join("testdata", "rank", "stats.txt")
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("ranks changed; if they are better, run with -update:\n%s", diff)
	}
}

func TestRankBreaksTies(t *testing.T) {
	older := loci.Match{ID: loci.NewMemoryID(), Freq: make([]uint16, loci.FieldCount), UpdatedAt: time.UnixMicro(1)}
	older.Freq[loci.FieldTitle], older.Lengths[loci.FieldTitle] = 1, 1
	newer, important, pinned := older, older, older
	newer.ID, newer.UpdatedAt = loci.NewMemoryID(), time.UnixMicro(2)
	important.ID, important.Importance = loci.NewMemoryID(), 9
	pinned.ID, pinned.Pinned = loci.NewMemoryID(), true
	hits := recall.Rank(recall.Parse("x"), []loci.Match{older, newer, important, pinned}).Hits(0, 4)
	var got []loci.MemoryID
	for _, h := range hits {
		got = append(got, h.ID)
	}
	if diff := cmp.Diff([]loci.MemoryID{pinned.ID, important.ID, newer.ID, older.ID}, got); diff != "" {
		t.Error(diff)
	}
}

// matches counts terms as an engine does.
func matches(q recall.Query, memories []*loci.Memory) (out []loci.Match) {
	for _, m := range memories {
		match := loci.Match{ID: m.ID, Freq: make([]uint16, len(q.Terms)*loci.FieldCount)}
		found := false
		for f, text := range []string{m.Title, m.Content, m.Summary, m.Key, m.Category, strings.Join(m.Tags, " ")} {
			var words []loci.Word
			new(loci.Analyzer).Words(text, func(w loci.Word) bool { words = append(words, w); return true })
			match.Lengths[f] = uint32(len(words))
			for t, term := range q.Terms {
				n := count(words, term)
				match.Freq[t*loci.FieldCount+f] = uint16(n)
				found = found || n > 0
			}
		}
		if found {
			out = append(out, match)
		}
	}
	return out
}

func count(words []loci.Word, term loci.Term) (n int) {
	for i := 0; i+len(term.Words) <= len(words); i++ {
		all := true
		for j, want := range term.Words {
			w := words[i+j]
			last := term.Prefix && j == len(term.Words)-1
			all = all && (w.Stem == want || w.Form == want || last && strings.HasPrefix(w.Form, want))
		}
		if all {
			n++
		}
	}
	return n
}

func readMemories(t *testing.T) (out []*loci.Memory) {
	for _, line := range lines(t, "memories.txt") {
		parts := strings.SplitN(line, " | ", 3)
		out = append(out, &loci.Memory{ID: loci.NewMemoryID(), Title: parts[0], Tags: strings.Fields(parts[1]),
			Content: parts[2], Category: "fact"})
	}
	return out
}

func titleOf(memories []*loci.Memory, id loci.MemoryID) string {
	for _, m := range memories {
		if m.ID == id {
			return m.Title
		}
	}
	return ""
}

func lines(t *testing.T, name string) (out []string) {
	f, err := os.Open(filepath.Join("testdata", "rank", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := strings.TrimSpace(s.Text()); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}
