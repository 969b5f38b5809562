package sqlitedb

import (
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/fair"
)

// busy is an operation that takes a moment, whatever the clock.
func busy(*Conn) error {
	for began := time.Now(); time.Since(began) == 0; {
	}
	return nil
}

// TestWriterTakesTurns lets one credential queue many operations, and demands that another's later one does not wait
// for all of them.
func TestWriterTakesTurns(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	begun, release := make(chan struct{}), make(chan struct{})
	first := make(chan error, 1)
	go func() {
		first <- db.Update(fair.In(t.Context(), "flood"), func(c *Conn) error {
			db.batchTime = 0 // so that each operation has a batch
			close(begun)
			<-release
			return busy(c)
		})
	}()
	<-begun
	var order []string
	queue := func(who string) *operation {
		o := &operation{who: who, done: make(chan error, 1), fn: func(c *Conn) error {
			order = append(order, who)
			return busy(c)
		}}
		db.queue.push(o)
		return o
	}
	var ops []*operation
	for range 5 {
		ops = append(ops, queue("flood"))
	}
	ops = append(ops, queue("other"))
	close(release)
	for _, o := range ops {
		wantErr(t, <-o.done, nil)
	}
	wantErr(t, <-first, nil)
	if want := []string{"other", "flood", "flood", "flood", "flood", "flood"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

// TestLongOperationsBeginABatch demands that a short operation is committed before a long one of another credential
// runs.
func TestLongOperationsBeginABatch(t *testing.T) {
	t.Parallel()
	db := openTemp(t)
	begun, release := make(chan struct{}), make(chan struct{})
	go func() {
		_ = db.Update(t.Context(), func(*Conn) error { close(begun); <-release; db.batchTime = time.Minute; return nil })
	}()
	<-begun
	db.queue.push(&operation{who: "bulk"})
	before, _ := db.queue.pop(0)
	db.queue.done(before, time.Hour)
	save := &operation{who: "save", fn: busy, done: make(chan error, 1)}
	answered := false
	bulk := &operation{who: "bulk", fn: func(*Conn) error { answered = len(save.done) == 1; return nil },
		done: make(chan error, 1)}
	db.queue.push(bulk)
	db.queue.push(save)
	close(release)
	wantErr(t, <-bulk.done, nil)
	if !answered {
		t.Error("the short operation waited for the long one")
	}
}
