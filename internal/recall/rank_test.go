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

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
)

var update = flag.Bool("update", false, "rewrite testdata/rank/stats.txt")

// TestRank runs the queries of testdata/rank/queries.txt over the memories of
// memories.txt. stats.txt is reviewed by hand whenever it changes.
func TestRank(t *testing.T) {
	memories := readMemories(t)
	var out bytes.Buffer
	var at1, at5, reciprocal float64
	queries, views := lines(t, "queries.txt"), viewsOf(t, memories...)
	for _, line := range queries {
		query, want, _ := strings.Cut(line, " => ")
		rank := 0
		for i, h := range question(query).Best(len(memories)).Find(views).Hits {
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
