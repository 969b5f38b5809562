package vectors_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/embedtest"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
	"github.com/loci-memory/loci/internal/vectors"
)

// world is an org with memories.
type world struct {
	testing.TB
	dir  string
	st   store.Store
	now  time.Time
	user loci.UserID
	org  loci.OrgID // where it saves
}

func newWorld(tb testing.TB) *world {
	tb.Helper()
	w := &world{TB: tb, dir: tb.TempDir(), now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
		user: loci.NewUserID(), org: loci.DefaultOrg}
	st, err := sqlite.Open(tb.Context(), sqlite.Options{Dir: w.dir, Now: w.time})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { w.must(st.Close()) })
	w.st = st
	_, _, err = st.Orgs().Ensure(tb.Context(), loci.Org{ID: loci.DefaultOrg, Name: "Default", OwnerID: w.user,
		CreatedAt: w.now}, loci.User{})
	w.must(err)
	return w
}

func (w *world) time() time.Time { return w.now }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Error(err)
	}
}

// process returns an Index as a process has it.
func (w *world) process(models embed.Source) *vectors.Index { return w.logged(models, io.Discard) }

func (w *world) logged(models embed.Source, log io.Writer) *vectors.Index {
	return w.open(vectors.Options{Models: models, Sets: vectors.NewFiles(filepath.Join(w.dir, "vectors")),
		Log: slog.New(slog.NewTextHandler(log, nil))})
}

func (w *world) open(o vectors.Options) *vectors.Index {
	o.Store, o.Now = w.st, w.time
	x := vectors.New(o)
	w.Cleanup(func() { w.must(x.Close()) })
	return x
}

func (w *world) update(fn func(tx store.Tx) error) {
	w.Helper()
	w.now = w.now.Add(time.Second)
	w.must(w.st.Update(w.Context(), w.org, fn))
}

// add saves memories, and returns them.
func (w *world) add(texts ...string) (list []*loci.Memory) {
	w.Helper()
	w.update(func(tx store.Tx) error {
		list = nil
		for _, text := range texts {
			m := &loci.Memory{ID: loci.NewMemoryID(), Title: loci.Shorten(text, 80), Content: text, Type: loci.Semantic,
				Category:   "fact",
				Importance: 5, Source: "manual", CreatedAt: w.now, UpdatedAt: w.now, Tags: []string{},
				Access: loci.Access{OrgID: w.org, UserID: w.user, Scope: loci.ScopeGlobal, Origin: "api",
					AllowedVendors: []loci.Vendor{loci.AnyVendor}},
				State: loci.State{Version: 1, Change: loci.Created, Editor: "api"}}
			if err := tx.Memories().Insert(w.Context(), m); err != nil {
				return err
			}
			list = append(list, m)
		}
		return nil
	})
	return list
}

// change gives a memory another text.
func (w *world) change(m *loci.Memory, text string) {
	w.Helper()
	w.update(func(tx store.Tx) error {
		next := *m
		next.Title, next.Content, next.Version, next.UpdatedAt, next.Change = text, text, m.Version+1, w.now, loci.Updated
		err := tx.Memories().Replace(w.Context(), &next)
		*m = next
		return err
	})
}

func TestVectorsFollowTheMemories(t *testing.T) {
	w := newWorld(t)
	model := &embedtest.Model{}
	x, other := w.process(model), w.process(model)
	list := w.add("tea", "coffee", "milk")
	check(t, x, 0, vectors.Building)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 3, vectors.Ready)
	check(t, other, 3, vectors.Ready)

	asked := len(model.Texts())
	w.change(list[0], "tea with sugar")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, other, 3, vectors.Ready)
	if got := model.Texts()[asked:]; !slices.Equal(got, []string{"tea with sugar"}) {
		t.Errorf("after one change, the model was asked for %q", got)
	}
	w.update(func(tx store.Tx) error { return tx.Memories().Erase(t.Context(), list[1].ID) })
	w.must(other.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 2, vectors.Ready)

	// Another process, later, makes nothing again.
	asked = len(model.Texts())
	later := w.process(model)
	w.must(later.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, later, 2, vectors.Ready)
	for _, text := range model.Texts()[asked:] {
		if text != "tea" && text != "memory" { // those are questions
			t.Errorf("made the vector of %q again", text)
		}
	}
}

// TestTheOldTextLeadsNowhere has a model that fails once a memory has changed: the vector of its old text must go.
func TestTheOldTextLeadsNowhere(t *testing.T) {
	w := newWorld(t)
	model := &embedtest.Model{}
	x := w.process(model)
	list := w.add("tea", "my password is swordfish")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 2, vectors.Ready)
	down := &embed.Fault{Text: "down"}
	model.Fail = func([]string) error { return down }
	w.change(list[1], "nothing")
	if err := x.CatchUp(t.Context(), loci.DefaultOrg); !errors.Is(err, down) {
		t.Errorf("got %v, want the fault of the model", err)
	}
	check(t, x, 1, vectors.Ready)
	model.Fail = nil
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 2, vectors.Ready)
}

// TestRefusedTextsKeepNobodyWaiting has a model that refuses one text, and another one unless it is short.
func TestRefusedTextsKeepNobodyWaiting(t *testing.T) {
	w := newWorld(t)
	long := "long " + strings.Repeat("x", 5000)
	model := &embedtest.Model{Fail: func(texts []string) error {
		for _, text := range texts {
			if text == "poison" || len(text) > 2000 {
				return &embed.Fault{Text: "refused", Refused: true}
			}
		}
		return nil
	}}
	x := w.process(model)
	w.add("tea", "poison", "coffee", long)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 3, vectors.Building)
	for range 3 {
		w.now = w.now.Add(time.Hour)
		w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	}
	check(t, x, 3, vectors.Ready) // it was tried often enough
}

// TestOneTextFails has a model that breaks at one text, and does not answer in time for a long one.
func TestOneTextFails(t *testing.T) {
	w := newWorld(t)
	long, calls := "long "+strings.Repeat("x", 5000), 0
	model := &embedtest.Model{Fail: func(texts []string) error {
		calls++
		if slices.Contains(texts, "poison") || slices.ContainsFunc(texts, func(s string) bool { return len(s) > 2000 }) {
			return &embed.Fault{Text: "failed (HTTP status 500)"}
		}
		return nil
	}}
	x := w.process(model)
	texts := []string{"poison", long}
	for i := range 40 {
		texts = append(texts, fmt.Sprintf("text %d", i))
	}
	w.add(texts...)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 41, vectors.Building)
	if calls > 40 {
		t.Errorf("the model was asked %d times about two bad texts of 42", calls)
	}
	for range 3 {
		w.now = w.now.Add(time.Hour)
		w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	}
	check(t, x, 41, vectors.Ready)
}

// TestSlowModels has a model that does not answer in time for more than five texts, and then for none.
func TestSlowModels(t *testing.T) {
	w := newWorld(t)
	most, late := 5, 0
	model := &embedtest.Model{Fail: func(texts []string) error {
		if late > 0 && texts[0] == "memory" { // it still works on what came before
			late--
			return &embed.Fault{Text: "does not answer"}
		}
		if len(texts) > most {
			late = 1
			return &embed.Fault{Text: "does not answer"}
		}
		return nil
	}}
	x := w.process(model)
	var texts []string
	for i := range 100 {
		texts = append(texts, fmt.Sprintf("text %d", i))
	}
	w.add(texts...)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 100, vectors.Ready)
	most = 0
	w.add("one more")
	var fault *embed.Fault
	if err := x.CatchUp(t.Context(), loci.DefaultOrg); !errors.As(err, &fault) {
		t.Errorf("got %v, want the fault of the model", err)
	}
}

// TestModelsThatAskForAPause has a model that wants to be left alone for an hour.
func TestModelsThatAskForAPause(t *testing.T) {
	w := newWorld(t)
	calls := make(chan struct{}, 10)
	busy := true
	model := &embedtest.Model{Fail: func([]string) error {
		calls <- struct{}{}
		if busy {
			return &embed.Fault{Text: "asks for a pause", RetryAfter: 30 * time.Minute}
		}
		return nil
	}}
	x := w.process(model)
	w.add("tea", "coffee")
	x.Upkeep(t.Context())
	w.now = w.now.Add(29 * time.Minute)
	x.Upkeep(t.Context())
	if len(calls) != 1 {
		t.Errorf("the model was asked %d times before its pause was over", len(calls))
	}
	busy = false
	w.now = w.now.Add(time.Minute)
	x.Upkeep(t.Context())
	check(t, x, 2, vectors.Ready)
}

// models is a Source of two models, of which one is current.
type models struct {
	missing error // of Current
	current *embedtest.Model
	others  []*embedtest.Model
}

func (m *models) Current(context.Context) (embed.Model, error) {
	if m.current == nil {
		return nil, m.missing
	}
	return m.current, nil
}

func (m *models) Quick(name, question string) []float32 {
	for _, o := range m.others {
		if v := o.Quick(name, question); v != nil {
			return v
		}
	}
	return nil
}

func (m *models) ByName(ctx context.Context, name string) (embed.Model, error) {
	for _, o := range m.others {
		if found, err := o.ByName(ctx, name); found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// TestAnotherModelTakesOver changes the model: searches use the old vectors until the new ones are complete.
func TestAnotherModelTakesOver(t *testing.T) {
	w := newWorld(t)
	first := &embedtest.Model{ID: "first", Dims: 32}
	second := &embedtest.Model{ID: "second", Dims: 48}
	source := &models{current: first, others: []*embedtest.Model{first}}
	x := w.process(source)
	w.add("tea", "coffee")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	source.current = second
	m, state := x.Meaning(t.Context(), loci.DefaultOrg, "tea")
	if state != vectors.Building || m.Vectors == nil || m.Vectors.Dims() != 32 || len(m.Query) != 32 {
		t.Errorf("before the second model is ready, searches use %+v (%s)", m, state)
	}
	source.others = nil // the first one is gone
	if m, state := x.Meaning(t.Context(), loci.DefaultOrg, "tea"); state != vectors.Building || m.Vectors != nil {
		t.Errorf("without the first model, searches use %+v (%s)", m, state)
	}
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	w.now = w.now.Add(time.Hour) // another process may have had it in use
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	m, state = x.Meaning(t.Context(), loci.DefaultOrg, "tea")
	if state != vectors.Ready || m.Vectors.Dims() != 48 || m.Vectors.Len() != 2 {
		t.Errorf("afterwards, searches use %d vectors of %d dimensions (%s)", m.Vectors.Len(), m.Vectors.Dims(), state)
	}
	if stats, err := x.Stats(t.Context(), loci.DefaultOrg); err != nil || len(stats) != 1 || stats[0].Model != "second" {
		t.Errorf("the files are of %+v (%v), want only those of the second model", stats, err)
	}
	source.current = nil
	check(t, x, 0, vectors.Off)
}

// TestTwoProcessesWithDifferentModels: each keeps its vectors as long as both run, and afterwards those of the other
// one go.
func TestTwoProcessesWithDifferentModels(t *testing.T) {
	w := newWorld(t)
	w.add("tea", "coffee")
	first, second := &embedtest.Model{ID: "first"}, &embedtest.Model{ID: "second"}
	one, two := w.process(first), w.process(second)
	for range 30 {
		one.Upkeep(t.Context())
		two.Upkeep(t.Context())
		w.now = w.now.Add(10 * time.Minute)
	}
	for _, m := range []*embedtest.Model{first, second} {
		texts := m.Texts()
		slices.Sort(texts)
		if want := []string{"coffee", "memory", "tea"}; !slices.Equal(texts, want) {
			t.Errorf("the model %s was asked for %q, want %q", m.Name(), texts, want)
		}
	}
	check(t, one, 2, vectors.Ready)
	for range 7 {
		two.Upkeep(t.Context())
		w.now = w.now.Add(10 * time.Minute)
	}
	two.Upkeep(t.Context())
	if stats, err := two.Stats(t.Context(), loci.DefaultOrg); err != nil || len(stats) != 1 ||
		stats[0].Model != "second" {
		t.Errorf("an hour after the first process, the files are of %+v (%v)", stats, err)
	}
}

// TestModelsThatComeLater has a model whose folder is missing at first, as an org that is deleted is.
func TestModelsThatComeLater(t *testing.T) {
	w := newWorld(t)
	source := &models{missing: loci.Errorf(loci.NotFound, "there is no folder")}
	var log bytes.Buffer
	x := w.logged(source, &log)
	w.add("tea")
	for range 20 {
		x.Upkeep(t.Context())
	}
	if n := strings.Count(log.String(), "there is no folder"); n != 1 {
		t.Errorf("the log has the fault %d times in a minute: %s", n, &log)
	}
	source.current, source.missing = &embedtest.Model{}, nil
	x.Look(t.Context())
	check(t, x, 1, vectors.Ready)
}

// TestOtherDimensions has a model that changes its dimensions under the same name.
func TestOtherDimensions(t *testing.T) {
	w := newWorld(t)
	model := &embedtest.Model{Dims: 32}
	x := w.process(model)
	w.add("tea", "coffee")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	model.Dims = 40
	w.add("milk")
	if err := x.CatchUp(t.Context(), loci.DefaultOrg); loci.CodeOf(err) != loci.Upstream {
		t.Errorf("got %v, want upstream", err)
	}
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg)) // begins a new file
	if m, state := x.Meaning(t.Context(), loci.DefaultOrg, "water"); state != vectors.Ready || m.Vectors.Dims() != 40 ||
		m.Vectors.Len() != 3 {
		t.Errorf("got %d vectors of %d dimensions (%s)", m.Vectors.Len(), m.Vectors.Dims(), state)
	}
}

// TestModelsThatFail has a model that is gone, one that answers too few vectors, and files that are damaged.
func TestModelsThatFail(t *testing.T) {
	w := newWorld(t)
	model := &embedtest.Model{}
	x := w.process(model)
	w.add("tea", "coffee")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	model.Fail = func([]string) error { return &embed.Fault{Text: "gone"} }
	if m, state := x.Meaning(t.Context(), loci.DefaultOrg, "another question"); m.Vectors != nil ||
		state != vectors.Unavailable {
		t.Errorf("with a model that is gone, a search gets %+v (%s)", m, state)
	}
	model.Fail = nil
	w.must(x.Close())
	files, _ := filepath.Glob(filepath.Join(w.dir, "vectors", "*", "*.vectors"))
	if len(files) != 1 {
		t.Fatalf("the files are %v", files)
	}
	w.must(os.WriteFile(files[0], []byte("this is no database, and long enough to be read as one"), 0o600))
	damaged := w.process(model)
	check(t, damaged, 0, vectors.Building)
	w.must(damaged.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, damaged, 2, vectors.Ready)
	w.must(damaged.Rebuild(t.Context(), loci.DefaultOrg))
	check(t, damaged, 2, vectors.Ready)
}

// TestKilledProcessesLoseNothing takes memories from the queue, and is killed. Another process has them later.
func TestKilledProcessesLoseNothing(t *testing.T) {
	w := newWorld(t)
	w.add("tea", "coffee")
	ctx, kill := context.WithCancel(t.Context())
	killed := w.process(&embedtest.Model{Fail: func(texts []string) error {
		if slices.Contains(texts, "coffee") {
			kill()
			return ctx.Err()
		}
		return nil
	}})
	if err := killed.CatchUp(ctx, loci.DefaultOrg); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want canceled", err)
	}
	x := w.process(&embedtest.Model{})
	w.now = w.now.Add(time.Hour)
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	check(t, x, 2, vectors.Ready)
}

// TestDroppedOrgs removes the files of an org.
func TestDroppedOrgs(t *testing.T) {
	w := newWorld(t)
	x := w.process(&embedtest.Model{})
	w.add("tea")
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	x.Drop(t.Context(), loci.DefaultOrg)
	if left, _ := filepath.Glob(filepath.Join(w.dir, "vectors", "*")); len(left) > 0 {
		t.Errorf("these files are left: %v", left)
	}
}

// TestVerify finds vectors of older texts, of other sizes, of memories that are gone, and missing ones.
func TestVerify(t *testing.T) {
	w := newWorld(t)
	x := w.process(&embedtest.Model{})
	list := w.add("tea", "coffee", "milk", "water")
	verify := func(want ...string) {
		t.Helper()
		if got, err := x.Verify(t.Context(), loci.DefaultOrg); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q (%v), want %q", got, err, want)
		}
	}
	verify()
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	verify()
	w.change(list[0], "green tea") // waits for its vector
	verify()
	w.must(x.CatchUp(t.Context(), loci.DefaultOrg))
	verify()

	w.must(x.Sets.(*vectors.Files).Spoil(t.Context(), loci.DefaultOrg, list[0].ID, list[1].ID, list[2].ID))
	verify("1 vector of another size than the model's, by the model test", "1 vector of an older text, by the model test",
		"1 missing vector of a memory that does not wait for one, by the model test",
		"1 vector of a memory that does not exist, by the model test")
	w.must(x.Rebuild(t.Context(), loci.DefaultOrg))
	verify()
	check(t, x, 4, vectors.Ready)
}
