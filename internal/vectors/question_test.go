package vectors_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
	"github.com/loci-memory/loci/internal/fair"
	"github.com/loci-memory/loci/internal/vectors"
)

// ask searches by meaning with so much time.
func ask(t *testing.T, x *vectors.Index, within time.Duration, question string) vectors.State {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), within, loci.ErrSpent)
	defer cancel()
	_, state := x.Meaning(ctx, loci.DefaultOrg, question)
	return state
}

// TestSlowAnswersAreKept has a model that needs longer for a question than a search lasts. The next search with the
// same question has its answer.
func TestSlowAnswersAreKept(t *testing.T) {
	w := newWorld(t)
	model := &embedtest.Model{}
	x := w.process(model)
	w.add("tea")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	answer := make(chan struct{})
	model.Fail = func([]string) error { <-answer; return nil }
	for range 3 {
		if state := ask(t, x, 0, "slow"); state != vectors.Unavailable {
			t.Errorf("before the model has answered, got %s", state)
		}
	}
	close(answer)
	if _, state := x.Meaning(t.Context(), loci.DefaultOrg, "slow"); state != vectors.Ready {
		t.Errorf("afterwards, got %s", state)
	}
	asked := model.Texts()
	if n := len(slices.DeleteFunc(asked, func(s string) bool { return s != "slow" })); n != 1 {
		t.Errorf("the model was asked %d times, want once", n)
	}
}

// TestQuickPartOfAQuestion has a model that is not ready, and one that is still being read. The part of the vector that
// is there at once finds memories, and the next search has the whole vector.
func TestQuickPartOfAQuestion(t *testing.T) {
	w := newWorld(t)
	model := &embedtest.Model{ID: "transformer:m@1+b", Known: 24}
	x := w.process(model)
	w.add("tea")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	answer := make(chan struct{})
	model.Fail = func([]string) error { <-answer; return nil }
	within, cancel := context.WithTimeoutCause(t.Context(), 0, loci.ErrSpent)
	defer cancel()
	m, state := x.Meaning(within, loci.DefaultOrg, "water")
	if state != vectors.Partial || m.Vectors == nil || m.Vectors.Len() != 1 || len(m.Query) != 24 {
		t.Errorf("before the model has answered, got %d dimensions (%s), want 24 (partial)", len(m.Query), state)
	}
	close(answer)
	if m, state := x.Meaning(t.Context(), loci.DefaultOrg, "water"); state != vectors.Ready || len(m.Query) != 64 {
		t.Errorf("afterwards, got %d dimensions (%s), want 64 (ready)", len(m.Query), state)
	}
	for name, fault := range map[string]*embed.Fault{"a model that is read": {Loading: true}, "a damaged one": {}} {
		x := w.process(&models{missing: fault, others: []*embedtest.Model{model}})
		m, state := x.Meaning(within, loci.DefaultOrg, "water")
		if state != vectors.Partial || m.Vectors == nil || m.Vectors.Len() != 1 || len(m.Query) != 24 {
			t.Errorf("%s: got %d dimensions (%s), want 24 (partial)", name, len(m.Query), state)
		}
	}
}

// TestBrokenModelsAreLeftAlone has a model that asks for a pause, and then one that is down.
func TestBrokenModelsAreLeftAlone(t *testing.T) {
	w := newWorld(t)
	model, calls := &embedtest.Model{}, 0
	x := w.process(model)
	w.add("tea")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	fault := &embed.Fault{Text: "asks for a pause", RetryAfter: 30 * time.Minute}
	model.Fail = func([]string) error { calls++; return fault }
	questions := 0
	askFive := func(want int) {
		t.Helper()
		calls = 0
		for range 5 {
			questions++
			if _, state := x.Meaning(t.Context(), loci.DefaultOrg, fmt.Sprint("question ", questions)); state !=
				vectors.Unavailable {
				t.Errorf("got %s, want unavailable", state)
			}
		}
		if calls != want {
			t.Errorf("five questions made %d calls, want %d", calls, want)
		}
	}
	askFive(1)
	w.now = w.now.Add(29 * time.Minute)
	askFive(0)
	w.now = w.now.Add(time.Minute)
	fault = &embed.Fault{Text: "down"}
	askFive(1)
	w.now = w.now.Add(time.Hour)
	model.Fail = nil
	check(t, x, 1, vectors.Ready)

	model.Fail = func([]string) error { calls++; return &embed.Fault{Text: "refused", Refused: true} }
	askFive(5) // those are faults of the questions
	w.add("milk")
	model.Fail = func([]string) error {
		calls++
		return &embed.Fault{Text: "asks for a pause", RetryAfter: time.Hour}
	}
	x.Upkeep(t.Context()) // what an endpoint says in the background holds for questions, too
	askFive(0)
}

// silent is a model that never answers.
type silent struct{ calls chan struct{} }

func (silent) Name() string { return "silent" }

func (s silent) Embed(ctx context.Context, _ embed.Kind, _ []string) ([][]float32, error) {
	s.calls <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s silent) Current(context.Context) (embed.Model, error) { return s, nil }

func (s silent) ByName(context.Context, string) (embed.Model, error) { return s, nil }

func (s silent) Quick(string, string) []float32 { return nil }

// picky is a model that never answers questions that begin with "slow".
type picky struct {
	embedtest.Model
	slow atomic.Int64
}

func (p *picky) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	if strings.HasPrefix(texts[0], "slow") {
		p.slow.Add(1)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return p.Model.Embed(ctx, kind, texts)
}

func (p *picky) Current(context.Context) (embed.Model, error) { return p, nil }

// TestPlacesOfAModelAreShared has a model that never answers one credential. It still gets the questions of others.
func TestPlacesOfAModelAreShared(t *testing.T) {
	w := newWorld(t)
	model := &picky{}
	x := w.process(model)
	w.add("tea")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	in := func(who, question string, within time.Duration) vectors.State {
		ctx, cancel := context.WithTimeoutCause(fair.In(t.Context(), who), within, loci.ErrSpent)
		defer cancel()
		_, state := x.Meaning(ctx, loci.DefaultOrg, question)
		return state
	}
	for i := range 20 {
		in("flood", fmt.Sprint("slow ", i), 0)
	}
	for i := range 20 {
		if state := in(fmt.Sprint("other ", i%3), fmt.Sprint("question ", i), time.Hour); state != vectors.Ready {
			t.Errorf("a question of another credential: %s", state)
		}
	}
	w.must(x.Close())
	if n := model.slow.Load(); n != 4 {
		t.Errorf("the model had %d questions of one credential, want half of its places", n)
	}
}

// TestSilentModels has a model that swallows all questions: few are with it at a time, and a stop ends them.
func TestSilentModels(t *testing.T) {
	w := newWorld(t)
	model := silent{make(chan struct{}, 100)}
	x := w.process(model)
	for i := range 30 {
		if state := ask(t, x, 0, fmt.Sprint("question ", i)); state != vectors.Unavailable {
			t.Errorf("got %s, want unavailable", state)
		}
	}
	w.must(x.Close())
	if n := len(model.calls); n != 4 {
		t.Errorf("the model had %d questions at a time, want 4", n)
	}
}

// TestQuestionsMakeWhatIsMissing asks in a process without Run: a model on this machine makes the vectors at once, and
// an endpoint gets no memories for a question.
func TestQuestionsMakeWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	w.add("tea", "coffee")
	for name, want := range map[string]vectors.State{"static:m@1": vectors.Ready, "m at an endpoint": vectors.Building} {
		x := w.open(vectors.Options{Models: &embedtest.Model{ID: name}, Patience: time.Minute,
			Sets: vectors.NewFiles(filepath.Join(t.TempDir(), "vectors")), Log: slog.New(slog.DiscardHandler)})
		m, state := x.Meaning(t.Context(), loci.DefaultOrg, "tea")
		if state != want || (m.Vectors != nil) != (want == vectors.Ready) {
			t.Errorf("%s: the state is %q, want %q", name, state, want)
		}
	}
}
