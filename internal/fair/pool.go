package fair

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrBusy is the error of Take if too much of a line waits, or waits too long.
var ErrBusy = errors.New("too much work at once")

// Options configure a Pool.
type Options struct {
	Total int64 // what all lines may hold together
	Each  int64 // what one line may hold
	Spare int64 // of Total, for lines that hold nothing
	// Waiting is how many takers of a line may wait, and Patience for how long. 0: nobody waits.
	Waiting  int
	Patience time.Duration
}

// Pool lends what it has, in any unit, to lines. It is safe for concurrent use.
type Pool struct {
	o     Options
	mu    sync.Mutex
	lent  int64
	held  map[string]int64 // by line
	lines Lines[*taker]
}

// taker waits until it has begun or is gone.
type taker struct {
	cost  int64
	began time.Time
	ready chan struct{} // closed once it has begun
	gone  bool
}

// NewPool returns a Pool.
func NewPool(o Options) *Pool { return &Pool{o: o, held: map[string]int64{}} }

type heldKey struct{ *Pool }

// Take waits until the line of ctx may have cost of what the pool lends, at most its share, and
// returns a function that gives it back. Work in the returned context has a turn already, so Take
// does nothing there. ErrBusy if the line has to wait too long.
func (p *Pool) Take(ctx context.Context, cost int64) (in context.Context, done func(), err error) {
	if ctx.Value(heldKey{p}) != nil {
		return ctx, func() {}, nil
	}
	who, t := Line(ctx), &taker{cost: min(cost, p.o.Each), ready: make(chan struct{})}
	in, done = context.WithValue(ctx, heldKey{p}, true), func() { p.end(who, t) }
	p.mu.Lock()
	patience := p.o.Patience
	if p.lines.Add(who, t) > p.o.Waiting {
		patience = 0
	}
	p.begin()
	begun := !t.began.IsZero()
	p.mu.Unlock()
	if begun {
		return in, done, nil
	}
	wait, cancel := context.WithTimeoutCause(ctx, patience, ErrBusy)
	defer cancel()
	select {
	case <-t.ready:
		return in, done, nil
	case <-wait.Done():
		done()
		return nil, nil, context.Cause(wait)
	}
}

// begin lets as many begin as may. The caller holds mu.
func (p *Pool) begin() {
	for who, t, ok := p.lines.Next(p.may); ok; who, t, ok = p.lines.Next(p.may) {
		if !t.gone {
			t.began = time.Now()
			p.lent += t.cost
			p.held[who] += t.cost
			close(t.ready)
		}
	}
}

func (p *Pool) may(who string, t *taker, _ int64) bool {
	free, held := p.o.Total-p.lent, p.held[who]
	if held > 0 {
		free -= p.o.Spare
	}
	return t.gone || t.cost <= free && held+t.cost <= p.o.Each
}

// end ends a taker, whether it waits or has begun.
func (p *Pool) end(who string, t *taker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.gone = true; !t.began.IsZero() {
		p.lent -= t.cost
		if p.held[who] -= t.cost; p.held[who] == 0 {
			delete(p.held, who)
		}
		p.lines.Done(who, int64(time.Since(t.began)))
	}
	p.begin()
}
