package group

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// list is what functions change: they add texts to it.
type list struct {
	texts  []string
	broken bool // as a server's transaction is after an error
}

func (l *list) add(text string) error {
	if l.broken {
		return errBroken
	}
	if l.texts = append(l.texts, text); strings.HasPrefix(text, "break") {
		l.broken = true
		return errBroken
	}
	return nil
}

var (
	errBroken = errors.New("the transaction is aborted")
	errMine   = errors.New("mine")
	errFull   = errors.New("full")
)

// memory is an engine that keeps texts in memory.
type memory struct {
	stored  []string
	tx      *list
	saved   int
	marks   int64
	commits int
	full    bool // Commit fails
	down    bool // Begin fails
	taken   bool // another process has the lock

	unsettled bool // there is work for Settle
	stuck     bool // there is, however often Settle is called
	settled   int
}

func (m *memory) Lock() error { return nil }
func (m *memory) Unlock()     {}

func (m *memory) TryLock() bool { return !m.taken }

func (m *memory) Settle() { m.unsettled, m.settled = m.stuck, m.settled+1 }

func (m *memory) Unsettled() bool { return m.unsettled }

func (m *memory) Begin() error {
	if m.down {
		return errFull
	}
	m.tx = &list{texts: slices.Clone(m.stored)}
	return nil
}

func (m *memory) Call(fn func(*list) error) error {
	before := len(m.tx.texts)
	defer func() {
		if m.tx.broken || len(m.tx.texts) > before {
			m.marks++
		}
	}()
	if err := fn(m.tx); err != nil {
		return err
	}
	if m.tx.broken {
		return errBroken
	}
	return nil
}

func (m *memory) Mark() int64 { return m.marks }
func (m *memory) Save() error { m.saved = len(m.tx.texts); return nil }

func (m *memory) Release() error { return nil }

func (m *memory) Restore() bool {
	m.tx.texts, m.tx.broken = m.tx.texts[:m.saved], false
	return true
}

func (m *memory) Intact() bool { return true }

func (m *memory) Commit() error {
	if m.full {
		return errFull
	}
	m.commits++
	m.stored, m.tx, m.saved = m.tx.texts, nil, 0
	return nil
}

func (m *memory) Rollback() { m.tx, m.saved = nil, 0; m.marks++ }

func start(t testing.TB, m *memory) *Writer[*list] {
	w := NewWriter[*list](m)
	t.Cleanup(w.Close)
	return w
}

// together queues all functions before the writer takes any, so that they share one batch, and returns their errors in
// order.
func together(t *testing.T, w *Writer[*list], fns ...func(*list) error) []error {
	t.Helper()
	release := hold(t.Context(), t, w, func(w *Writer[*list]) { w.batchTime = 1 << 40 })
	var ops []*operation[*list]
	for _, fn := range fns {
		o := &operation[*list]{fn: fn, done: make(chan error, 1)}
		ops = append(ops, o)
		w.queue.push(o)
	}
	release()
	errs := make([]error, len(ops))
	for i, o := range ops {
		errs[i] = <-o.done
	}
	return errs
}

func adds(texts ...string) func(*list) error {
	return func(l *list) error {
		for _, s := range texts {
			if err := l.add(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// However functions of a batch fail, those that succeed are stored, and nothing of the others.
func TestFunctionsFailAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := &memory{}
		w := NewWriter[*list](m)
		defer w.Close()
		var fns []func(*list) error
		var want []string
		var fails []bool
		for i := range rapid.IntRange(1, 8).Draw(rt, "functions") {
			text := fmt.Sprint("text ", i)
			kind := rapid.IntRange(0, 5).Draw(rt, "kind")
			fails = append(fails, kind > 1)
			switch kind {
			case 0, 1:
				fns, want = append(fns, adds(text)), append(want, text)
			case 2:
				fns = append(fns, func(l *list) error { return errors.Join(l.add(text), errMine) })
			case 3:
				fns = append(fns, func(*list) error { return errMine })
			case 4:
				fns = append(fns, adds(text, "break"))
			case 5:
				fns = append(fns, func(l *list) error { _ = l.add(text); panic(errMine) })
			}
		}
		for i, err := range together(t, w, fns...) {
			if (err != nil) != fails[i] {
				rt.Errorf("function %d ended with %v", i, err)
			}
		}
		if got := slices.Sorted(slices.Values(m.stored)); !slices.Equal(got, want) {
			rt.Errorf("stored %q, want %q", got, want)
		}
	})
}

func TestBatchesShareACommit(t *testing.T) {
	t.Parallel()
	m := &memory{}
	w := start(t, m)
	for _, err := range together(t, w, adds("a"), adds("b"), adds("c")) {
		if err != nil {
			t.Error(err)
		}
	}
	if m.commits != 1 {
		t.Errorf("%d commits, want 1", m.commits)
	}
	fns := make([]func(*list) error, 3*batchCount)
	for i := range fns {
		fns[i] = adds("d")
	}
	together(t, w, fns...)
	if m.commits < 4 {
		t.Errorf("%d functions shared %d commits", len(fns), m.commits-1)
	}
}

func TestFailedCommitFailsAll(t *testing.T) {
	t.Parallel()
	m := &memory{full: true}
	w := start(t, m)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Update(ctx, adds("late")); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled change ended with %v", err)
	}
	if err := w.Update(t.Context(), adds("a")); !errors.Is(err, errFull) {
		t.Errorf("a failed commit ended with %v", err)
	}
	m.full, m.down = false, true
	if err := w.Update(t.Context(), adds("b")); !errors.Is(err, errFull) {
		t.Errorf("a transaction that could not begin ended with %v", err)
	}
	m.down = false
	if err := w.Update(t.Context(), adds("c")); err != nil || !slices.Equal(m.stored, []string{"c"}) {
		t.Errorf("after failures: %v, stored %q", err, m.stored)
	}
}

// A panic keeps its value and its stack, and a function that ends its goroutine ends no other's.
func TestPanics(t *testing.T) {
	t.Parallel()
	m := &memory{}
	w := start(t, m)
	errs := together(t, w, func(*list) error { panic(errMine) }, func(*list) error { panic("text") })
	errs = append(errs, w.Update(t.Context(), func(*list) error { runtime.Goexit(); return nil }))
	for ended := false; !ended; { // a caller who is alone is ended, once the writer's goroutine is no longer at work
		var call sync.WaitGroup
		ended = true
		call.Go(func() {
			_ = w.Update(t.Context(), func(*list) error { runtime.Goexit(); return nil })
			ended = false
		})
		call.Wait()
	}
	var p *PanicError
	if !errors.As(errs[0], &p) || !errors.Is(errs[0], errMine) || len(p.Stack) == 0 {
		t.Errorf("a panic came back as %#v", errs[0])
	}
	if errs[1] == nil || !strings.Contains(errs[1].Error(), "text") || !errors.Is(errs[2], errGoexit) {
		t.Errorf("got %v", errs)
	}
	if err := w.Update(t.Context(), adds("a")); err != nil || !slices.Equal(m.stored, []string{"a"}) {
		t.Errorf("after panics: %v, stored %q", err, m.stored)
	}
	w.Close()
	if err := w.Update(t.Context(), adds("b")); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// A function that comes alone runs on its caller's goroutine, and so do the ones that come meanwhile. What is left to
// settle, and functions that come together, are the work of the writer's goroutine.
func TestAloneOnTheCallersGoroutine(t *testing.T) {
	t.Parallel()
	m := &memory{}
	w := start(t, m)
	here := func() bool {
		t.Helper()
		pc, self, found := make([]uintptr, 50), false, false
		err := w.Update(t.Context(), func(*list) error {
			for frames := runtime.CallersFrames(pc[:runtime.Callers(0, pc)]); !found; {
				f, more := frames.Next()
				self = self || strings.HasSuffix(f.Function, "TestAloneOnTheCallersGoroutine")
				found = !more
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		return self
	}
	if !here() {
		t.Error("a function that came alone ran on another goroutine")
	}
	err := w.Update(t.Context(), func(*list) error { m.unsettled, m.settled = true, 0; return nil })
	if err != nil {
		t.Error(err)
	}
	for settled := 0; settled == 0; runtime.Gosched() { // the writer's goroutine does it
		w.turn.Lock()
		settled = m.settled
		w.turn.Unlock()
	}
	set := func(unsettled, taken bool) {
		w.turn.Lock()
		defer w.turn.Unlock()
		m.unsettled, m.stuck, m.taken = unsettled, unsettled, taken
	}
	if set(false, true); here() {
		t.Error("a caller waited for another process")
	}
	if set(true, false); here() {
		t.Error("a function ran before the work after the last batch")
	}
	for set(false, false); !here(); runtime.Gosched() { // the writer's goroutine may still be at work
	}
	together(t, w, adds("a"), adds("b"))
	if here() {
		t.Error("a function that came after others that came together did not wait for company")
	}
}
