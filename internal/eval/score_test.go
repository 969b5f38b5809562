package eval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci/internal/eval"
)

// turns returns a conversation of n turns, four in a session, with the questions that golds answer.
func turns(conv string, n int, kind string, golds ...[]int) eval.Conversation {
	c := eval.Conversation{Name: conv}
	id := func(i int) string { return fmt.Sprintf("%s/%d", conv, i) }
	for i := range n {
		c.Units = append(c.Units, eval.Unit{ID: id(i), Session: fmt.Sprintf("%s/s%d", conv, i/4), Text: "x"})
	}
	for i, gold := range golds {
		q := eval.Question{Conv: conv, ID: fmt.Sprintf("%s/q%d", conv, i), Text: "?", Type: kind}
		for _, g := range gold {
			q.Gold = append(q.Gold, id(g))
		}
		c.Questions = append(c.Questions, q)
	}
	return c
}

func ranking(conv string, at ...int) (ids []string) {
	for _, i := range at {
		ids = append(ids, fmt.Sprintf("%s/%d", conv, i))
	}
	return ids
}

func TestFigures(t *testing.T) {
	log := math.Log2
	tests := []struct {
		name   string
		gold   []int
		ranked []int
		want   map[string]float64 // figures that are not listed are 0
	}{
		{"first", []int{3}, []int{3, 4}, map[string]float64{"recall@5": 1, "recall@10": 1, "recall@20": 1, "all@5": 1,
			"all@10": 1, "all@20": 1, "hit@5": 1, "hit@10": 1, "hit@20": 1, "mrr": 1, "ndcg@10": 1, "session_recall@5": 1,
			"session_recall@10": 1, "session_recall@20": 1, "session_all@5": 1, "session_all@10": 1, "session_all@20": 1}},
		{"one of two, sixth; both sessions, first and third", []int{8, 0}, []int{1, 2, 4, 5, 9, 8},
			map[string]float64{"recall@10": .5, "recall@20": .5, "hit@10": 1, "hit@20": 1, "mrr": 1. / 6,
				"ndcg@10": (1 / log(7)) / (1 + 1/log(3)), "session_recall@5": 1, "session_recall@10": 1,
				"session_recall@20": 1, "session_all@5": 1, "session_all@10": 1, "session_all@20": 1}},
		{"a repeated id and an unknown one: the former has no rank, the latter has", []int{3}, []int{99, 5, 5, 5, 3},
			map[string]float64{"recall@5": 1, "recall@10": 1, "recall@20": 1, "all@5": 1, "all@10": 1, "all@20": 1,
				"hit@5": 1, "hit@10": 1, "hit@20": 1, "mrr": 1. / 3, "ndcg@10": 1 / log(4), "session_recall@5": 1,
				"session_recall@10": 1, "session_recall@20": 1, "session_all@5": 1, "session_all@10": 1,
				"session_all@20": 1}},
		{"one of two sessions, second", []int{0, 39}, []int{9, 1}, map[string]float64{"session_recall@5": .5,
			"session_recall@10": .5, "session_recall@20": .5}},
		{"nothing", []int{3}, nil, map[string]float64{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := eval.Set{Conversations: []eval.Conversation{turns("c", 40, "x", tt.gold)}}
			r := eval.Score(set, map[string][]string{"c/q0": ranking("c", tt.ranked...)})
			for _, name := range eval.Metrics() {
				f := r.All.Figures[name]
				if math.Abs(f.Value-tt.want[name]) > 1e-12 || f.Low != f.Value || f.High != f.Value {
					t.Errorf("%s: got %+v, want %v", name, f, tt.want[name])
				}
			}
		})
	}
}

func TestAdversarialQuestionsAreApart(t *testing.T) {
	set := eval.Set{Conversations: []eval.Conversation{turns("a", 8, "temporal", []int{0}, []int{1}),
		turns("b", 8, eval.Apart, []int{2}), turns("c", 8, "zebra", []int{0})}}
	r := eval.Score(set, map[string][]string{"a/q0": ranking("a", 0), "b/q0": ranking("b", 2)})
	got := ""
	for _, g := range append(r.Types, r.All) {
		got += fmt.Sprintf("%s %d/%d %.2f, ", g.Type, g.Questions, g.Conversations, g.Figures["recall@5"].Value)
	}
	if want := "temporal 2/1 0.50, zebra 1/1 0.00, adversarial 1/1 1.00, all 3/2 0.33, "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	set.Conversations[2].Units[7].Session = ""
	if bare := eval.Score(set, nil); len(bare.All.Figures) != 11 || len(r.All.Figures) != len(eval.Metrics()) {
		t.Errorf("got %d figures without and %d with sessions", len(bare.All.Figures), len(r.All.Figures))
	}
	if r.Missing != 2 {
		t.Errorf("got %d missing questions, want 2", r.Missing)
	}
}

// TestIntervalsDrawConversations has four conversations, in each of which all questions fare alike. If the bootstrap
// drew questions, the interval would be narrower.
func TestIntervalsDrawConversations(t *testing.T) {
	var set eval.Set
	good, bad := map[string][]string{}, map[string][]string{}
	for i, conv := range []string{"a", "b", "c", "d"} {
		var golds [][]int
		for q := range 50 {
			id := fmt.Sprintf("%s/q%d", conv, q)
			good[id] = ranking(conv, 1)
			if i%2 == 0 {
				bad[id] = ranking(conv, 1)
			}
			golds = append(golds, []int{1})
		}
		set.Conversations = append(set.Conversations, turns(conv, 4, "x", golds...))
	}
	a, b := eval.Score(set, bad), eval.Score(set, good)
	if f := a.All.Figures["recall@10"]; f != (eval.Figure{Value: .5, Low: 0, High: 1}) {
		t.Errorf("got %+v, want 0.5 from 0 to 1", f)
	}
	one := set
	one.Conversations = set.Conversations[:1]
	half := map[string][]string{}
	for q := range 25 {
		half[fmt.Sprintf("a/q%d", q)] = ranking("a", 1)
	}
	if f := eval.Score(one, half).All.Figures["recall@10"]; f.Low < .3 || f.Low > .4 || f.High < .6 || f.High > .7 {
		t.Errorf("one conversation: got %+v, want about 0.36 to 0.64", f)
	}
	diff, err := eval.Compare(a, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range diff.Differences {
		if d.Metric == "recall@10" && (d.A != .5 || d.B != 1 || d.Diff != .5 || d.Low != 0 || d.High != 1 ||
			d.P < .1 || d.P > .15 || d.Better != 100 || d.Worse != 0) {
			t.Errorf("got %+v, want p = 2/16", d)
		}
	}
	same, err := eval.Compare(b, b)
	if err != nil || same.Differences[0].Diff != 0 || same.Differences[0].P != 1 || same.Conversations != 4 {
		t.Errorf("a result with itself: got %+v, %v", same, err)
	}
	if _, err := eval.Compare(a, eval.Score(one, half)); err == nil {
		t.Error("results of two sets were compared")
	}
}

// asked is a search that keeps what it was asked.
type asked struct {
	texts  []string
	closed int
	err    error
}

func (a *asked) Search(_ context.Context, question string, at time.Time, limit int) ([]string, error) {
	a.texts = append(a.texts, fmt.Sprintf("%s %s %d", question, at.Format(time.DateOnly), limit))
	return ranking("a", 0), a.err
}

func (a *asked) Close() error {
	a.closed++
	return nil
}

func TestRunAsksEachConversationAlone(t *testing.T) {
	set := eval.Set{Conversations: []eval.Conversation{turns("a", 4, "x", []int{0}, []int{1}),
		turns("b", 8, "x", []int{0})}}
	for i := range set.Conversations {
		for j := range set.Conversations[i].Questions {
			set.Conversations[i].Questions[j].AskedAt = time.Date(2025, 1, 1+i, 0, 0, 0, 0, time.UTC)
		}
	}
	var searches []*asked
	build := func(_ context.Context, units []eval.Unit) (eval.Searcher, int64, error) {
		searches = append(searches, &asked{})
		return searches[len(searches)-1], int64(10 * len(units)), nil
	}
	r, err := eval.Run(t.Context(), set, build, eval.Options{Limit: 30})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"? 2025-01-01 30", "? 2025-01-01 30"}, {"? 2025-01-02 30"}}
	if diff := cmp.Diff(want, [][]string{searches[0].texts, searches[1].texts}); diff != "" {
		t.Error(diff)
	}
	if searches[0].closed != 1 || searches[1].closed != 1 {
		t.Error("a search was not closed once")
	}
	if r.Cost.Units != 12 || r.Cost.BytesPerUnit() != 10 || math.Abs(r.All.Figures["recall@5"].Value-1./3) > 1e-12 {
		t.Errorf("got %+v and %+v", r.Cost, r.All.Figures["recall@5"])
	}
}

func TestRunNamesWhatFailed(t *testing.T) {
	set := eval.Set{Conversations: []eval.Conversation{turns("a", 4, "x", []int{0})}}
	broken := errors.New("broken")
	s := &asked{err: broken}
	_, err := eval.Run(t.Context(), set, func(context.Context, []eval.Unit) (eval.Searcher, int64, error) {
		return s, 0, nil
	}, eval.Options{})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "a/q0") || s.closed != 1 {
		t.Errorf("got %v, closed %d times", err, s.closed)
	}
	_, err = eval.Run(t.Context(), set, func(context.Context, []eval.Unit) (eval.Searcher, int64, error) {
		return nil, 0, broken
	}, eval.Options{})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "conversation a") {
		t.Errorf("got %v", err)
	}
}
