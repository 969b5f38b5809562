// Package group lets changes of one database that wait together share a commit. A commit waits for the disk, and with
// a database server each statement for the network, so one at a time is many times slower.
//
// One goroutine at a time takes the queued changes, runs each so that its failure undoes only its own work, commits
// once, and then answers all of them. A change that comes alone runs on the goroutine of its caller, because a switch
// between goroutines and back costs as much as a small change. The writer's goroutine runs changes that come together.
package group

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// ErrClosed is the error of Update after Close.
var ErrClosed = errors.New("the database is closed")

var errGoexit = errors.New("the function ended its goroutine")

// PanicError is the error of Update if the function panicked.
type PanicError struct {
	Value any
	Stack []byte // for logs
}

// Error returns the panic's value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("the function panicked: %v", e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Engine is the database of a Writer, which calls one method at a time. C is what it lends to functions.
type Engine[C any] interface {
	// Lock keeps the writers of other processes waiting until Unlock. An engine may do that in Begin instead. TryLock does
	// it only if that needs no waiting, and reports whether it has; an engine that can't tell returns false.
	Lock() error
	TryLock() bool
	Unlock()
	// Begin begins a transaction, with a new connection if the last one was lost.
	Begin() error
	// Call calls fn in the transaction. It fails if the transaction could not commit after it. fn may panic or end its
	// goroutine.
	Call(fn func(C) error) error
	// Mark returns a number that increases with every change that Rollback would undo, with every failure after which
	// the transaction can't go on, and with every Rollback. A failed statement that the database undoes is none of these.
	Mark() int64
	// Save begins a savepoint. Release ends it, and Restore undoes what was done since. Restore reports false if it can't.
	Save() error
	Release() error
	Restore() bool
	// Intact reports whether the transaction is still there after a function that failed.
	Intact() bool
	// Commit makes a transaction durable. If it fails, Rollback follows.
	Commit() error
	// Rollback ends a transaction in any state.
	Rollback()
	// Settle does the work that no caller should wait for, after a batch was answered. Unsettled reports whether there is
	// some.
	Settle()
	Unsettled() bool
}

// One batch holds the lock for about batchTime at most, so that other processes get their turn, and runs at most
// batchCount functions.
const (
	batchTime  = 10 * time.Millisecond
	batchCount = 256
)

// Writer changes one database. Its methods may be called from any goroutine.
type Writer[C any] struct {
	engine  Engine[C]
	queue   queue[C]
	drained chan struct{} // closed when the goroutine has ended

	turn sync.Mutex // held by the goroutine that runs a batch; it guards what follows
	// These are as the constants, but for tests.
	batchTime, companyTime time.Duration
	companyTurns           int
	lastBatch              int // how many operations the last batch had
}

// NewWriter returns a Writer, which runs until Close.
func NewWriter[C any](e Engine[C]) *Writer[C] {
	w := &Writer[C]{engine: e, queue: queue[C]{wake: make(chan struct{}, 1)}, drained: make(chan struct{}),
		batchTime: batchTime, companyTime: companyTime, companyTurns: companyTurns}
	go w.write()
	return w
}

// Close rejects new changes, and returns once those that wait have their answers.
func (w *Writer[C]) Close() {
	w.queue.close()
	<-w.drained
}

// write runs on the writer's goroutine. A function that calls runtime.Goexit, as testing.T.Fatal
// does, ends it. Then a new goroutine takes over.
func (w *Writer[C]) write() {
	emptied := false
	defer func() {
		if !emptied {
			go w.write()
			return
		}
		close(w.drained)
	}()
	for w.queue.wait() {
		w.work()
	}
	emptied = true
	w.turn.Lock() // a caller may be at work
	defer w.turn.Unlock()
}

// work runs the next operations and settles.
func (w *Writer[C]) work() {
	w.turn.Lock()
	defer w.turn.Unlock()
	if o, _ := w.queue.pop(0); o != nil {
		w.serve(o)
	}
	w.engine.Settle()
}

// lead runs the next operations on the goroutine of a caller who has queued one, if no batch runs, nothing is left to
// settle, and operations come one at a time. It leaves the rest to the writer's goroutine, and the waiting for other
// processes, because a caller may give up.
func (w *Writer[C]) lead() {
	if !w.turn.TryLock() {
		w.queue.signal()
		return
	}
	defer func() {
		more := w.queue.waits() || w.engine.Unsettled()
		w.turn.Unlock()
		if more {
			w.queue.signal()
		}
	}()
	if w.lastBatch < 2 && !w.engine.Unsettled() && w.engine.TryLock() {
		if o, _ := w.queue.pop(0); o != nil {
			w.serveLocked(o)
		} else {
			w.engine.Unlock()
		}
	}
}

// serve waits for the lock and runs one batch, starting with o.
func (w *Writer[C]) serve(o *operation[C]) {
	if err := w.engine.Lock(); err != nil {
		w.queue.done(o, 0)
		if o.start() {
			o.done <- err
		}
		return
	}
	w.serveLocked(o)
}

// serveLocked runs one batch, starting with o. The caller has the lock, and serveLocked unlocks it.
func (w *Writer[C]) serveLocked(o *operation[C]) {
	b := batch[C]{Writer: w}
	defer b.finish()
	b.fill(o)
	b.commit()
	b.repeat(true)
	b.repeat(false)
}

// batch is one turn of the writer, from taking the lock to the answers.
type batch[C any] struct {
	*Writer[C]
	current *operation[C]   // running now
	kept    []*operation[C] // succeeded in the open transaction
	lost    []*operation[C] // succeeded, then lost their transaction because of another
	owed    []*operation[C] // lost ones that wait for their next run
	answers []answer[C]
	open    bool // a transaction is open
	careful bool // each function has a savepoint
	failed  bool // no transaction could be begun
}

type answer[C any] struct {
	to  *operation[C]
	err error
}

func (b *batch[C]) refuse(o *operation[C], err error) {
	b.answers = append(b.answers, answer[C]{o, err})
}

// fill adds queued operations until the batch is full. A long operation begins a batch, so that the
// ones before it need not wait for its end.
func (b *batch[C]) fill(o *operation[C]) {
	var took time.Duration
	began, n := time.Now(), 0
	defer func() { b.lastBatch = n }()
	for o != nil {
		if o.start() {
			b.run(o)
		}
		before := took
		took = time.Since(began)
		b.queue.done(o, took-before)
		if n++; n >= batchCount || took > b.batchTime || b.failed {
			return
		}
		if o, _ = b.queue.pop(b.batchTime); o == nil {
			o = b.expect(n)
		}
	}
}

// companyTime is how long a batch waits for operations like those that the last one had, and companyTurns is how often
// it lets others run meanwhile, at most: a clock may stand still.
const (
	companyTime  = 100 * time.Microsecond
	companyTurns = 2000
)

// expect waits a moment for another operation if the last batch was larger than n: those who wrote together soon write
// again, and a commit costs much more than the moment. A single writer waits for nobody.
func (b *batch[C]) expect(n int) *operation[C] {
	if n >= b.lastBatch || b.lastBatch < 2 {
		return nil
	}
	until := time.Now().Add(b.companyTime)
	for range b.companyTurns {
		runtime.Gosched()
		if o, closed := b.queue.pop(b.batchTime); o != nil || closed || !time.Now().Before(until) {
			return o
		}
	}
	return nil
}

// run executes one function so that its failure undoes only its own work.
//
// A savepoint costs more than many changes: SQLite's FTS5 writes out its pending data, and a server is asked twice
// more. So the first run has none. A function that failed before it changed anything has nothing to undo. In the rare
// other case, the whole transaction is undone, and the rest of the batch runs again with savepoints.
func (b *batch[C]) run(o *operation[C]) {
	if !b.open {
		if err := b.engine.Begin(); err != nil {
			b.failed = true
			b.refuse(o, err)
			return
		}
		b.open, b.failed = true, false
	}
	guarded := b.careful && len(b.kept) > 0 // the first has nothing else to keep
	if guarded {
		if err := b.engine.Save(); err != nil {
			b.refuse(o, err)
			return
		}
	}
	before := b.engine.Mark()
	b.current = o
	err := b.call(o)
	b.current = nil
	if err == nil && guarded {
		err = b.engine.Release()
	}
	if err == nil {
		b.kept = append(b.kept, o)
		return
	}
	b.refuse(o, err)
	b.undo(guarded, before)
}

// call runs the function and turns a panic into an error.
func (b *batch[C]) call(o *operation[C]) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{Value: p, Stack: debug.Stack()}
		}
	}()
	return b.engine.Call(o.fn)
}

// undo rolls back the function that failed last. If only the whole transaction can be rolled
// back, the others are kept for another run.
func (b *batch[C]) undo(guarded bool, before int64) {
	if b.engine.Intact() {
		if guarded && b.engine.Restore() || !guarded && len(b.kept) > 0 && b.engine.Mark() == before {
			return
		}
	}
	b.lost = append(b.lost, b.kept...)
	b.kept = b.kept[:0]
	b.rollback()
}

func (b *batch[C]) rollback() {
	b.open = false
	b.engine.Rollback()
}

func (b *batch[C]) commit() {
	if !b.open {
		return
	}
	var err error
	if len(b.kept) == 0 {
		b.rollback()
	} else if err = b.engine.Commit(); err != nil {
		b.rollback()
	}
	b.open = false
	for _, o := range b.kept {
		b.refuse(o, err)
	}
	b.kept = b.kept[:0]
}

// repeat runs functions again that lost their transaction because of another function: together
// with savepoints, or each in its own transaction.
func (b *batch[C]) repeat(together bool) {
	b.owed, b.lost = b.lost, nil
	b.careful = true
	for len(b.owed) > 0 {
		o := b.owed[0]
		b.owed = b.owed[1:]
		b.run(o)
		if !together {
			b.commit()
		}
	}
	b.commit()
}

// finish gives the next process its turn, and answers all callers. If a function has ended the goroutine, or the engine
// has failed in an unknown way, they get an error.
func (b *batch[C]) finish() {
	left := slices.Concat(b.kept, b.lost, b.owed)
	if b.current != nil {
		left = append(left, b.current)
	}
	for _, o := range left {
		b.refuse(o, errGoexit)
	}
	if len(left) > 0 {
		b.rollback()
	}
	b.engine.Unlock()
	for _, a := range b.answers {
		a.to.done <- a.err
	}
}
