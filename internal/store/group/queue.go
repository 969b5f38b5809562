package group

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci/internal/fair"
)

// An operation is waiting until the writer starts it or its caller gives up. The first of them to
// change the state wins.
const (
	waiting int32 = iota
	started
	abandoned
)

type operation[C any] struct {
	who   string // the line in which it waits
	fn    func(C) error
	state atomic.Int32
	done  chan error // capacity 1: for the answer
}

func (o *operation[C]) start() bool { return o.state.CompareAndSwap(waiting, started) }

// queue holds the operations that wait for the writer. Credentials take turns: the one that has
// used the least of the writer's time comes next.
type queue[C any] struct {
	mu     sync.Mutex
	lines  fair.Lines[*operation[C]]
	count  int // in lines
	closed bool
	wake   chan struct{} // has a token if the writer's goroutine has something to do
}

func (q *queue[C]) push(o *operation[C]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.lines.Add(o.who, o)
	q.count++
	return true
}

func (q *queue[C]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue[C]) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// wait returns true once there is something to do, and false when the queue is closed and empty.
func (q *queue[C]) wait() bool {
	q.mu.Lock()
	waits, closed := q.count > 0, q.closed
	q.mu.Unlock()
	if waits || closed {
		return waits
	}
	<-q.wake
	return true
}

func (q *queue[C]) waits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count > 0
}

// pop returns the next operation, or nil if there is none. It leaves out those of a line whose last
// one took longer than most; 0: none.
func (q *queue[C]) pop(most time.Duration) (o *operation[C], closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, o, ok := q.lines.Next(func(_ string, _ *operation[C], last int64) bool { return most == 0 || last <= int64(most) })
	if ok {
		q.count--
	}
	return o, q.closed && o == nil
}

// done ends an operation that pop has returned and that has kept the writer so long.
func (q *queue[C]) done(o *operation[C], took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lines.Done(o.who, int64(took))
}

// Update runs fn inside a transaction and returns once its changes are on the disk or undone.
// Functions that wait together share a commit, but each succeeds or fails alone. If ctx ends
// before fn has started, fn never runs. Once it has started, Update waits for the outcome. fn may run twice, and on
// another goroutine. A panic in fn comes back as a [*PanicError].
func (w *Writer[C]) Update(ctx context.Context, fn func(C) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &operation[C]{who: fair.Line(ctx), fn: fn, done: make(chan error, 1)}
	if !w.queue.push(o) {
		return ErrClosed
	}
	w.lead()
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done():
		if o.state.CompareAndSwap(waiting, abandoned) {
			return ctx.Err()
		}
		return <-o.done
	}
}
