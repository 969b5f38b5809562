package group

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/fair"
)

// busy is an operation that takes a moment, whatever the clock.
func busy(*list) error {
	for began := time.Now(); time.Since(began) == 0; {
	}
	return nil
}

// hold lets the writer wait, and returns a function that lets it go on.
func hold(ctx context.Context, t *testing.T, w *Writer[*list], change func(w *Writer[*list])) (release func()) {
	var once sync.Once
	begun, going, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first <- w.Update(ctx, func(*list) error {
			once.Do(func() { // it runs again if another one fails
				change(w) // only the writer's goroutine reads what it changes
				close(begun)
				<-going
			})
			return nil
		})
	}()
	<-begun
	return func() {
		close(going)
		if err := <-first; err != nil {
			t.Error(err)
		}
	}
}

// TestWriterTakesTurns lets one credential queue many operations, and demands that another's later one does not wait
// for all of them.
func TestWriterTakesTurns(t *testing.T) {
	t.Parallel()
	w := start(t, &memory{})
	release := hold(fair.In(t.Context(), "flood"), t, w, func(w *Writer[*list]) { w.batchTime = 0 }) // one each
	var order []string
	queue := func(who string) *operation[*list] {
		o := &operation[*list]{who: who, done: make(chan error, 1), fn: func(l *list) error {
			order = append(order, who)
			return busy(l)
		}}
		w.queue.push(o)
		return o
	}
	var ops []*operation[*list]
	for range 5 {
		ops = append(ops, queue("flood"))
	}
	ops = append(ops, queue("other"))
	release()
	for _, o := range ops {
		if err := <-o.done; err != nil {
			t.Error(err)
		}
	}
	if want := []string{"other", "flood", "flood", "flood", "flood", "flood"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

// TestLongOperationsBeginABatch demands that a short operation is committed before a long one of another credential
// runs.
func TestLongOperationsBeginABatch(t *testing.T) {
	t.Parallel()
	w := start(t, &memory{})
	release := hold(t.Context(), t, w, func(w *Writer[*list]) { w.batchTime = time.Minute })
	w.queue.push(&operation[*list]{who: "bulk"})
	before, _ := w.queue.pop(0)
	w.queue.done(before, time.Hour)
	save := &operation[*list]{who: "save", fn: busy, done: make(chan error, 1)}
	answered := false
	bulk := &operation[*list]{who: "bulk", fn: func(*list) error { answered = len(save.done) == 1; return nil },
		done: make(chan error, 1)}
	w.queue.push(bulk)
	w.queue.push(save)
	release()
	if err := <-bulk.done; err != nil || !answered {
		t.Errorf("the short operation waited for the long one, or it failed: %v", err)
	}
}
