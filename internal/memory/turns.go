package memory

import (
	"context"
	"runtime"
	"sync"

	"github.com/loci-memory/loci"
)

// maxWaiting is how many searches of one credential may wait for their turn.
const maxWaiting = 64

// turns divides the processors among searchers. Each credential runs at most half of the
// concurrent searches, and credentials take turns. So a credential that sends many slow searches
// delays only itself.
type turns struct {
	mu   sync.Mutex
	free int // how many more searches may begin
	each int // how many searches of one credential may run at once
	by   map[string]*line
	next []*line // lines with waiting searches; the first is next
}

// line is one credential's searches.
type line struct {
	who     string
	running int
	waiting []chan struct{} // closed when the search may begin
}

func newTurns() *turns {
	slots := max(2, runtime.GOMAXPROCS(0))
	return &turns{free: slots, each: slots / 2, by: map[string]*line{}}
}

// take waits until who may search, and returns a function that ends the search. RateLimited if
// too many of who's searches wait.
func (t *turns) take(ctx context.Context, who string) (done func(), err error) {
	t.mu.Lock()
	l := t.by[who]
	if l == nil {
		l = &line{who: who}
		t.by[who] = l
	}
	if len(l.waiting) >= maxWaiting {
		t.mu.Unlock()
		return nil, loci.Errorf(loci.RateLimited,
			"too many searches at once: %d of this credential are waiting; send the next one after an answer", maxWaiting)
	}
	ready := make(chan struct{})
	l.waiting = append(l.waiting, ready)
	if len(l.waiting) == 1 {
		t.next = append(t.next, l)
	}
	t.begin()
	t.mu.Unlock()
	select {
	case <-ready:
		return func() { t.give(l) }, nil
	case <-ctx.Done():
		t.leave(l, ready)
		return nil, ctx.Err()
	}
}

// begin starts as many waiting searches as may run. The caller holds mu.
func (t *turns) begin() {
	for i := 0; i < len(t.next) && t.free > 0; {
		l := t.next[i]
		if l.running >= t.each {
			i++
			continue
		}
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		l.running++
		t.free--
		t.next = append(t.next[:i:i], t.next[i+1:]...)
		if len(l.waiting) > 0 {
			t.next = append(t.next, l)
		}
	}
}

// give ends a search of l.
func (t *turns) give(l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l.running--
	t.free++
	t.begin()
	t.forget(l)
}

// leave removes a search from l when its caller gives up. It may have begun meanwhile.
func (t *turns) leave(l *line, ready chan struct{}) {
	t.mu.Lock()
	for i, w := range l.waiting {
		if w != ready {
			continue
		}
		l.waiting = append(l.waiting[:i:i], l.waiting[i+1:]...)
		if len(l.waiting) == 0 {
			t.drop(l)
		}
		t.forget(l)
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
	t.give(l)
}

func (t *turns) drop(l *line) {
	for i, other := range t.next {
		if other == l {
			t.next = append(t.next[:i:i], t.next[i+1:]...)
			return
		}
	}
}

func (t *turns) forget(l *line) {
	if l.running == 0 && len(l.waiting) == 0 {
		delete(t.by, l.who)
	}
}
