package eval_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eval"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// floor is what recall has reached on the set of testdata/own, in percent, rounded down. Raise a number when recall
// gets better. Lower one only with a reason in the commit.
var floor = map[string]map[string]float64{
	"multi-hop":  {"recall@5": 54, "recall@10": 60, "recall@20": 77, "mrr": 61},
	"preference": {"recall@5": 75, "recall@10": 75, "recall@20": 100, "mrr": 75},
	"single-hop": {"recall@5": 86, "recall@10": 93, "recall@20": 93, "mrr": 60},
	"temporal":   {"recall@5": 100, "recall@10": 100, "recall@20": 100, "mrr": 83},
	"update":     {"recall@5": 71, "recall@10": 71, "recall@20": 71, "mrr": 55},
	"all": {"recall@5": 79, "recall@10": 83, "recall@20": 89, "all@10": 77, "mrr": 66, "ndcg@10": 68,
		"session_recall@10": 91},
}

func product() eval.Build { return eval.Product(open, nil) }

func open(ctx context.Context, dir string) (store.Store, error) {
	return sqlite.Open(ctx, sqlite.Options{Dir: dir})
}

func load(t *testing.T, dir string) eval.Set {
	t.Helper()
	set, err := eval.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestPacksHoldWhatRecallFinds requires that a pack of 1,000 tokens holds the answers as often as the first ten hits.
func TestPacksHoldWhatRecallFinds(t *testing.T) {
	t.Parallel()
	set := load(t, "testdata/own")
	r, err := eval.Run(t.Context(), set, eval.Packs(open, nil), eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, least := 100*r.All.Figures["recall@20"].Value, floor["all"]["recall@10"]; got < least {
		t.Errorf("packs hold %.1f %% of the answers, want at least %.0f", got, least)
	}
}

// TestRecallKeepsItsFloor asks the questions of our own set through the recall that people use.
func TestRecallKeepsItsFloor(t *testing.T) {
	t.Parallel()
	set := load(t, "testdata/own")
	r, err := eval.Run(t.Context(), set, product(), eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	groups := slices.Concat(r.Types, []eval.Group{r.All})
	if len(groups) != len(floor) {
		t.Errorf("got %d groups, the floor has %d", len(groups), len(floor))
	}
	for _, g := range groups {
		for name, least := range floor[g.Type] {
			if got := 100 * g.Figures[name].Value; got < least {
				t.Errorf("%s of %s: got %.1f, want at least %.0f", name, g.Type, got, least)
			}
		}
	}
	if r.Cost.Units != 112 || r.Cost.Bytes == 0 || r.Cost.IndexTime == 0 || r.Cost.P95 < r.Cost.P50 || r.Cost.P50 == 0 {
		t.Errorf("got the cost %+v", *r.Cost)
	}
	file := filepath.Join(t.TempDir(), "run.jsonl")
	if err := eval.WriteRun(file, r); err != nil {
		t.Fatal(err)
	}
	again, err := eval.ReadRun(set, file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.All, again.All); diff != "" || again.Missing != 0 {
		t.Errorf("the run that was written has other figures (%d missing):\n%s", again.Missing, diff)
	}
}

// TestTheSameSetRanksTheSame fails if hits of the same score have no fixed order.
func TestTheSameSetRanksTheSame(t *testing.T) {
	t.Parallel()
	set := load(t, "testdata/own")
	set.Conversations = set.Conversations[:1]
	for i := range set.Conversations[0].Units {
		set.Conversations[0].Units[i].Time = time.Time{} // so that only the id is left to decide
	}
	var ranked [2][][]string
	for i := range ranked {
		r, err := eval.Run(t.Context(), set, product(), eval.Options{Limit: eval.MaxLimit})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range r.Outcomes {
			ranked[i] = append(ranked[i], o.Ranked)
		}
	}
	if diff := cmp.Diff(ranked[0], ranked[1]); diff != "" {
		t.Error(diff)
	}
}

// TestUnitsKeepTheirTimes relies on recall ranking the newer of two equal texts first.
func TestUnitsKeepTheirTimes(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2025, 1, n, 0, 0, 0, 0, time.UTC) }
	for newer, older := range map[string]string{"a": "b", "b": "a"} {
		s, _, err := product()(t.Context(), []eval.Unit{{ID: newer, Speaker: "Ada", Time: day(2), Text: "Tea.\nYes."},
			{ID: older, Speaker: "Ada", Time: day(1), Text: "Tea.\nYes."}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Search(t.Context(), "tea of Ada", time.Time{}, 20)
		if diff := cmp.Diff([]string{newer, older}, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
		if err := s.(io.Closer).Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestUnitsThatCannotBeSavedAreErrors also leaves no directory behind.
func TestUnitsThatCannotBeSavedAreErrors(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	_, _, err := product()(t.Context(), []eval.Unit{{ID: "good", Text: "Tea."}, {ID: "bad", Text: "T\x00"}})
	if loci.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), "cannot save bad: ") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary directory: %v, %v", left, err)
	}
}

// indexFloor is what the search of package index has reached on sets of our own, in percent, rounded down.
var indexFloor = map[string]map[string]float64{
	"testdata/own":                   {"recall@5": 79, "recall@10": 83, "mrr": 66},
	"../language/testdata/languages": {"recall@5": 98, "recall@10": 98, "mrr": 97},
}

func TestIndexKeepsItsFloor(t *testing.T) {
	t.Parallel()
	for dir, floor := range indexFloor {
		r, err := eval.Run(t.Context(), load(t, dir), eval.Indexed(recall.Formula), eval.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, least := range floor {
			if got := 100 * r.All.Figures[name].Value; got < least {
				t.Errorf("%s: %s is %.1f, it was at least %v", dir, name, got, least)
			}
		}
	}
}

// TestQuestionsWithoutAnAnswer requires that most of them get none, and that others keep theirs.
func TestQuestionsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	r, err := eval.Run(t.Context(), load(t, "testdata/answers"), product(), eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := r.Confidence
	if c == nil || c.Unanswerable != 256 || c.Found < 109 {
		t.Fatalf("got %+v", c)
	}
	empty := 0
	for _, o := range r.Outcomes {
		if o.Question.Type == eval.Apart && len(o.Ranked) == 0 {
			empty++
		}
	}
	if c.GotNone != empty {
		t.Errorf("%d got none, want %d", c.GotNone, empty)
	}
	if none := float64(c.GotNone) / float64(c.Unanswerable); none < 0.56 || c.Lost > 0 || c.Error > 0.05 {
		t.Errorf("%.3f of the questions without an answer got none, want 0.56; %d others lost theirs, want 0; the error is "+
			"%.3f, want 0.05", none, c.Lost, c.Error)
	}
}
