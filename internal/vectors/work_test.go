package vectors_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
	"github.com/loci-memory/loci/internal/vectors"
)

// TestSlowModelsGetFewerTexts has a model that does not answer in time for more than five texts, but at once for one
// word. Each call in vain may take half a minute.
func TestSlowModelsGetFewerTexts(t *testing.T) {
	w := newWorld(t)
	vain, vainAtFirst, made := 0, 0, 0
	model := &embedtest.Model{Fail: func(texts []string) error {
		if len(texts) > 5 {
			vain++
			return &embed.Fault{Text: "does not answer"}
		}
		if made += len(texts); len(texts) > 1 && vainAtFirst == 0 {
			vainAtFirst = vain
		}
		return nil
	}}
	x := w.process(model)
	w.add(numbered(640)...)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 640, vectors.Ready)
	if vainAtFirst > 4 || vain > 25 {
		t.Errorf("the model was asked %d times in vain for the first batch and %d times for 640 texts, want at most 4 and 25",
			vainAtFirst, vain)
	}
}

// TestSlowBatchesShrink has a model that works at each text for half a second.
func TestSlowBatchesShrink(t *testing.T) {
	w := newWorld(t)
	var sizes []int
	x := w.process(&embedtest.Model{Fail: func(texts []string) error {
		w.now = w.now.Add(time.Duration(len(texts)) * time.Second / 2)
		sizes = append(sizes, len(texts))
		return nil
	}})
	w.add(numbered(128)...)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 128, vectors.Ready)
	if len(sizes) < 5 || sizes[1] != 64 || sizes[2] != 32 || sizes[3] != 16 || sizes[4] != 16 { // the first is one word
		t.Errorf("the model got %v texts at a time, want 1, 64, 32, 16 and 16", sizes)
	}
}

// TestNewMemoriesComeFirst saves a memory while 200 wait for a new model, the newest of which come first.
func TestNewMemoriesComeFirst(t *testing.T) {
	w := newWorld(t)
	w.add(numbered(200)...)
	calls := 0
	model := &embedtest.Model{Fail: func(texts []string) error {
		if calls++; calls == 2 { // after a word
			w.add("we deploy on Tuesdays")
		}
		return nil
	}}
	x := w.process(model)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	all := model.Texts()
	list := numbered(200)
	if len(all) != 202 || all[1] != list[199] || all[65] != "we deploy on Tuesdays" || all[201] != list[0] {
		t.Errorf("the first is %q, after the first batch comes %q, and the last is %q", all[1], all[65], all[201])
	}
}

// partial is a model that stops in the middle of a batch.
type partial struct {
	*embedtest.Model
	stop func() error
}

func (p partial) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	list, err := p.Model.Embed(ctx, kind, texts)
	if err == nil && len(texts) > 50 {
		return list[:50], p.stop()
	}
	return list, err
}

func (p partial) Current(context.Context) (embed.Model, error) { return p, nil }

// TestWhatWasMadeStays stops a process after 50 of 64 texts, and has an endpoint that asks for a pause then.
func TestWhatWasMadeStays(t *testing.T) {
	w := newWorld(t)
	w.add(numbered(64)...)
	ctx, kill := context.WithCancel(t.Context())
	killed := w.process(partial{&embedtest.Model{}, func() error { kill(); return ctx.Err() }})
	if err := killed.CatchUp(ctx, loci.DefaultOrg); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	rest := func(want int) {
		t.Helper()
		stats, err := killed.Stats(t.Context(), loci.DefaultOrg)
		if err != nil || len(stats) != 1 || stats[0].Waiting != want {
			t.Errorf("there are %+v (%v), want %d waiting", stats, err, want)
		}
	}
	rest(14)
	w.add(numbered(50)...)
	paused := w.process(partial{&embedtest.Model{}, func() error {
		return &embed.Fault{Text: "asks for a pause", RetryAfter: time.Hour}
	}})
	if err := paused.CatchUp(t.Context(), loci.DefaultOrg); err == nil {
		t.Error("the pause that the model asked for is no error")
	}
	rest(14)
	model := &embedtest.Model{}
	x := w.process(model)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg)) // the others were released, so nobody waits for a claim
	check(t, x, 114, vectors.Ready)
	if n := len(model.Texts()); n != 14+2 {
		t.Errorf("the model was asked for %d texts, want 14, a word and a question", n)
	}
}

// TestRebuildsKeepWhatThereIs rebuilds while the model is down, and with one that breaks in the middle.
func TestRebuildsKeepWhatThereIs(t *testing.T) {
	w := newWorld(t)
	model := &embedtest.Model{}
	x := w.process(model)
	list := w.add(numbered(100)...)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 100, vectors.Ready)
	w.must(x.Sets.(*vectors.Files).Spoil(t.Context(), loci.DefaultOrg, list[0].ID, list[1].ID, list[2].ID))
	down := &embed.Fault{Text: "down", RetryAfter: time.Second}
	model.Fail = func([]string) error { return down }
	if err := x.Rebuild(t.Context(), loci.DefaultOrg); !errors.Is(err, down) {
		t.Errorf("got %v, want the fault of the model", err)
	}
	stats := func(done, waiting int) {
		t.Helper()
		got, err := x.Stats(t.Context(), loci.DefaultOrg)
		if err != nil || len(got) != 1 || got[0].Done != done || got[0].Waiting != waiting ||
			got[0].All != 100 {
			t.Errorf("there are %+v (%v), want %d done and %d waiting", got, err, done, waiting)
		}
	}
	stats(100, 0)
	calls := 0
	model.Fail = func(texts []string) error {
		if calls++; calls > 2 { // after a word and a batch
			return down
		}
		return nil
	}
	if err := x.Rebuild(t.Context(), loci.DefaultOrg); !errors.Is(err, down) {
		t.Errorf("got %v, want the fault of the model", err)
	}
	if m, state := x.Meaning(t.Context(), loci.DefaultOrg, "tea"); state != vectors.Ready || m.Vectors.Len() < 98 {
		t.Errorf("meanwhile searches use %+v (%s)", m, state)
	}
	model.Fail = nil
	w.now = w.now.Add(time.Hour)
	before := len(model.Texts())
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	stats(100, 0)
	if made := len(model.Texts()) - before; made > 40 {
		t.Errorf("afterwards, %d vectors were made, want at most 40", made)
	}
	if got, err := x.Verify(t.Context(), loci.DefaultOrg); err != nil || len(got) > 0 {
		t.Errorf("afterwards, verify finds %q (%v)", got, err)
	}
}
