package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// turn is a row of internal/language/testdata/languages: a text of a corpus, or a question.
type turn struct {
	Conv, Session, Text, Question string
}

func turns(t *testing.T, name string) (list []turn) {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "language", "testdata", "languages", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		var one turn
		if err := json.Unmarshal(s.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	return list
}

// TestSearchAsOfNowIsTheSearchOfThePresent compares both answers, in all languages, with rows of sessions and others:
// the hits in order with their scores, why they were found and their snippets.
func TestSearchAsOfNowIsTheSearchOfThePresent(t *testing.T) {
	drawFewer(t, 40)
	w := newWorld(t)
	in := map[string]loci.Principal{"": w.owner}
	var items []memory.BulkItem
	of := map[string][]memory.BulkItem{}
	for i, one := range append(turns(t, "corpus.jsonl"), []turn{
		{"english", "", "We deploy the billing service on Tuesdays, and never on Fridays.", ""},
		{"english", "", "Mara: the keys of the car are in the drawer of the kitchen, next to C++ books.", ""},
		{"hindi", "", "हमारी बैठक हर सोमवार को सुबह दस बजे होती है।", ""},
		{"hindi", "", "रवि को मूंगफली से एलर्जी है।", ""},
		{"portuguese", "", "As reuniões da equipe acontecem às segundas-feiras.", ""},
		{"portuguese", "", "A Joana não come amendoins porque é alérgica.", ""},
	}...) {
		if i%3 == 0 {
			one.Session = "" // so texts of sessions have others beside them
		}
		if _, known := in[one.Session]; !known {
			in[one.Session] = w.session(w.owner)
		}
		of[one.Session] = append(of[one.Session], memory.BulkItem{Op: loci.BulkCreate, Draft: memory.Draft{
			Title: loci.Shorten(one.Text, 20), Content: one.Text, Tags: []string{one.Conv}, Importance: 1 + i%10,
			Pinned: new(i%7 == 0), Dedupe: memory.DedupeCreate, NotCompared: true}})
	}
	for session, all := range of {
		for len(all) > 0 {
			items, all = all[:min(len(all), loci.MaxBulk)], all[min(len(all), loci.MaxBulk):]
			if _, err := w.Memory.Bulk(t.Context(), in[session], items, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	found, fallbacks := 0, map[string]bool{}
	compare := func(t rapid.TB, r memory.SearchRequest) {
		answer := func(when loci.When) (out []string) {
			r.When = when
			page, err := w.Memory.Search(w.t.Context(), w.owner, r)
			w.must(err)
			out = append(out, fmt.Sprint(page.Total, page.TotalIsLowerBound, page.StoppedBy, page.NextCursor != ""))
			for _, h := range page.Items {
				why, err := json.Marshal(h.Why)
				w.must(err)
				out = append(out, fmt.Sprint(h.Rank, h.Memory.ID, h.Score, h.Snippet, string(why)))
				fallbacks[h.Why.Fallback] = true
			}
			found += len(page.Items)
			return out
		}
		now := answer(loci.When{})
		if diff := cmp.Diff(now, answer(loci.When{AsOf: w.now.Add(time.Minute)})); diff != "" {
			t.Errorf("%q (-now +as of now):\n%s", r.Query, diff)
		}
	}
	questions := []string{"Which day is the deployment?", "keys of Mara's cars", "deploym", "illing ervice", `"C++"`, "++",
		`"never on Fridays"`, "teusday", "सोमवार की बैठक", "reunião na segunda-feira", "alergia a amendoim", "lev*",
		"qqqq", "を", "the"}
	for _, question := range questions {
		compare(t, memory.SearchRequest{Query: question, Explain: true, Limit: 20})
	}
	if found < 50 || len(fallbacks) < 3 {
		t.Errorf("found only %d memories, by the fallbacks %v", found, fallbacks)
	}
	for _, one := range turns(t, "queries.jsonl") {
		questions = append(questions, one.Question)
	}
	rapid.Check(t, func(rt *rapid.T) {
		compare(rt, memory.SearchRequest{Query: rapid.SampledFrom(questions).Draw(rt, "question"), Explain: true,
			Limit: rapid.IntRange(1, 20).Draw(rt, "limit"), Offset: rapid.IntRange(0, 3).Draw(rt, "offset")})
	})
}

// TestTrashAndReplacedOnesAreFoundInEveryLanguage finds other forms of words, with the explanation of a search of the
// present.
func TestTrashAndReplacedOnesAreFoundInEveryLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := w.add(w.owner, memory.Draft{Title: "Police", Content: "Die Versicherungen der Autos laufen im Mai aus."})
	old := w.add(w.owner, memory.Draft{Title: "Meeting", Content: "Встречи команды проходят по понедельникам."})
	w.add(w.owner, memory.Draft{Title: "New", Content: "Ein Zettel.", Supersedes: []loci.MemoryID{old.ID}})
	_, err := w.Memory.Trash(t.Context(), w.owner, gone.ID, 0)
	w.must(err)
	for query, tt := range map[string]struct {
		filter memory.Filter
		id     loci.MemoryID
	}{
		"Versicherung":        {memory.Filter{Lifecycle: loci.TrashOnly}, gone.ID},
		"versicherngen":       {memory.Filter{Lifecycle: loci.TrashOnly}, gone.ID},
		"встреча понедельник": {memory.Filter{When: loci.When{Superseded: true}}, old.ID},
	} {
		page, err := w.Memory.Search(t.Context(), w.owner,
			memory.SearchRequest{Query: query, Filter: tt.filter, Explain: true})
		w.must(err)
		if len(page.Items) != 1 || page.Total != 1 || page.Items[0].Memory.ID != tt.id || page.Items[0].Why.Signals == nil {
			t.Errorf("%q finds %+v", query, page)
		}
	}
	page, err := w.Memory.Recall(t.Context(), w.owner, memory.SearchRequest{Query: "Zettel",
		Kinds: []memory.Kind{memory.KindEvent}, Filter: memory.Filter{When: loci.When{AsOf: w.now}}})
	w.must(err)
	if len(page.Items) > 0 {
		t.Errorf("a recall of events as of now finds the memory %q", page.Items[0].Memory.Title)
	}
}

// TestIndexesOfOtherTimesFollowTheirLists asks again and again for a past in which others change rows: each answer is
// that of an index that has just been made.
func TestIndexesOfOtherTimesFollowTheirLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m := w.add(w.owner, memory.Draft{Title: "Keys", Content: "The keys are in the drawer."})
	soon := w.add(w.owner, memory.Draft{Title: "Keys now", Content: "The keys are on the table.",
		ExpiresAt: w.now.Add(time.Hour)})
	first := w.add(w.owner, memory.Draft{Title: "Keys, keys and keys", Content: "keys", Pinned: new(true)})
	at := memory.Filter{When: loci.When{AsOf: w.now}}
	found := func(what string, by loci.Principal, f memory.Filter, want ...loci.MemoryID) {
		t.Helper()
		for range 2 { // the second time, the index is kept
			page, err := w.Memory.Search(t.Context(), by, memory.SearchRequest{Query: "keys", Filter: f})
			w.must(err)
			got := map[loci.MemoryID]bool{}
			for _, h := range page.Items {
				got[h.Memory.ID] = true
			}
			for _, id := range want {
				delete(got, id)
			}
			if len(page.Items) != len(want) || len(got) > 0 || page.Total != len(want) {
				t.Errorf("%s: found %d of %d, want %d", what, len(page.Items), page.Total, len(want))
			}
		}
	}
	found("at first", w.owner, at, m.ID, soon.ID, first.ID)
	found("an assistant", w.claude, at, m.ID, soon.ID, first.ID)
	found("the trash", w.owner, memory.Filter{Lifecycle: loci.TrashOnly})
	_, err := w.Memory.Patch(t.Context(), w.owner, m.ID, 0,
		memory.Patch{AllowedVendors: loci.Set([]loci.Vendor{"cursor"})})
	w.must(err)
	found("after a change of who may read", w.claude, at, soon.ID, first.ID)
	found("the owner", w.owner, at, m.ID, soon.ID, first.ID)
	w.now = w.now.Add(2 * time.Hour)
	page, err := w.Memory.Search(t.Context(), w.claude, memory.SearchRequest{Query: "keys", Filter: at, Limit: 1})
	w.must(err)
	if page.Total != 1 {
		t.Errorf("a total of %d counts what has expired", page.Total)
	}
	found("after one has expired", w.claude, at, first.ID)
	found("what has expired", w.owner, memory.Filter{Lifecycle: loci.ExpiredOnly}, soon.ID)
	_, err = w.Memory.Trash(t.Context(), w.owner, m.ID, 0)
	w.must(err)
	found("the trash with one", w.owner, memory.Filter{Lifecycle: loci.TrashOnly}, m.ID)
}

// TestTextsInTooManyMemories finds texts that stand in so many memories that the index does not name these.
func TestTextsInTooManyMemories(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	save := func(n int, content string, by memory.Draft) {
		var items []memory.BulkItem
		for i := range n {
			by.Title, by.Content, by.Dedupe, by.NotCompared = fmt.Sprint("Row ", i), content, memory.DedupeCreate, true
			items = append(items, memory.BulkItem{Op: loci.BulkCreate, Draft: by})
		}
		_, err := w.Memory.Bulk(t.Context(), w.owner, items, true)
		w.must(err)
	}
	save(3, "The old n--> count", memory.Draft{Tags: []string{"few"}})
	save(510, "The n--> count", memory.Draft{})
	save(510, "The m<>k count", memory.Draft{})
	save(3, "A hidden n--> count", memory.Draft{Tags: []string{"few"}, AllowedVendors: []loci.Vendor{"claude"}})
	for name, tt := range map[string]struct {
		query string
		f     memory.Filter
		total int
		more  bool
	}{
		"the newest of many":           {"-->", memory.Filter{}, 200, true},
		"all of a filter":              {"-->", memory.Filter{Tags: []string{"few"}}, 3, false},
		"either text":                  {"--> <>", memory.Filter{Tags: []string{"few"}}, 3, false},
		"none":                         {"<>", memory.Filter{Tags: []string{"few"}}, 0, false},
		"as of now":                    {"-->", memory.Filter{When: loci.When{AsOf: w.now.Add(time.Minute)}}, 200, true},
		"as of now, one that is there": {"-->", memory.Filter{Tags: []string{"few"}, When: loci.When{AsOf: w.now}}, 3, false},
	} {
		page, err := w.Memory.Search(t.Context(), w.other, memory.SearchRequest{Query: tt.query, Filter: tt.f, Limit: 50})
		w.must(err)
		if page.Total != tt.total || page.TotalIsLowerBound != tt.more || page.StoppedBy != "" {
			t.Errorf("%s: %d, more %v, stopped by %q", name, page.Total, page.TotalIsLowerBound, page.StoppedBy)
		}
	}
}
