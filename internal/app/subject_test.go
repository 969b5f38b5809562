package app_test

import (
	"os"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// TestSimilarOfOneTitle saves the pairs of testdata/subjects.txt. It allows no pair that does not
// contradict to be called a contradiction, and no pair to be missed.
func TestSimilarOfOneTitle(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/subjects.txt")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	part := "tuned"
	called, right, all := map[string]int{}, map[string]int{}, map[string]int{}
	for line := range strings.Lines(string(raw)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			if line == "# held out" {
				part = "held out"
			}
			continue
		}
		f := strings.Split(line, " | ")
		first := w.keep(w.claude, memory.Draft{Title: f[1], Content: f[2]})
		got := w.keep(w.other, memory.Draft{Title: f[1], Content: f[3]})
		relation := ""
		if len(got.Similar) > 0 && got.Similar[0].ID == first.ID {
			relation = string(got.Similar[0].Relation)
		}
		if f[0] == string(loci.Contradiction) {
			all[part]++
		}
		if relation == string(loci.Contradiction) {
			called[part]++
			if f[0] == relation {
				right[part]++
			}
		}
		if relation == "" || relation != f[0] && (relation == string(loci.Contradiction) || part == "tuned") {
			t.Errorf("%s: %q is %q", part, f, relation)
		}
		w.must(w.Memory.Erase(t.Context(), w.owner, first.ID, 0))
		w.must(w.Memory.Erase(t.Context(), w.owner, got.ID, 0))
	}
	for part := range all {
		t.Logf("%s: contradictions: %d called, %d of them right, %d in all", part, called[part], right[part], all[part])
	}
	if right["held out"] < all["held out"]-1 {
		t.Errorf("%d of %d held-out contradictions were found", right["held out"], all["held out"])
	}
}

// Two vendors with two values under one key are told, whatever the texts; a title of many is no subject.
func TestSimilarOfOneSubject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	day := memory.Draft{Key: "deploy.day", Content: "We always ship on the last Friday of a month."}
	w.keep(w.claude, day)
	day.Content = "Tuesday"
	if _, got := w.save(w.other, day); len(got) != 1 || !strings.Contains(got[0], "same_subject") {
		t.Errorf("one key: %q", got)
	}
	for _, content := range []string{"Mara likes tea.", "The printer is broken.", "Call the landlord."} {
		w.keep(w.claude, memory.Draft{Title: "Note", Content: content})
	}
	if _, got := w.save(w.claude, memory.Draft{Title: "Note", Content: "Snow in the mountains."}); len(got) != 0 {
		t.Errorf("a title of many: %q", got)
	}
	long := strings.Repeat("Chapters of a book go on and on. ", 5)
	w.keep(w.claude, memory.Draft{Title: "Chapter", Content: long})
	if _, got := w.save(w.claude, memory.Draft{Title: "Chapter", Content: "A short chapter."}); len(got) != 0 {
		t.Errorf("a long text: %q", got)
	}
}
