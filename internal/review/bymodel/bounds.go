package bymodel

import (
	"context"
	"sync"
	"time"

	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/store"
)

// budget counts the tokens of each person on each UTC day.
type budget struct {
	limits store.Limits
	perDay int
}

// share is the tokens of one call.
type share struct {
	limits   store.Limits
	person   string
	day      time.Time
	reserved int
}

// reserve takes n tokens from the share of a person, or returns nil if there are not so many left.
func (b *budget) reserve(ctx context.Context, a *review.Asked, n int, now time.Time) (*share, error) {
	most := b.perDay
	if a.Dream {
		most /= 2
	}
	// A window has the time at which it ends, because old windows are purged.
	s := &share{limits: b.limits, person: "model/" + a.Person, reserved: n,
		day: now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)}
	used, err := s.limits.Take(ctx, s.person, s.day, n)
	if err != nil {
		return nil, err
	}
	if used > most {
		s.spend(ctx, 0)
		return nil, nil
	}
	return s, nil
}

// spend gives back what was reserved and not used. If that fails, the person has a little less for the day.
func (s *share) spend(ctx context.Context, used int) {
	if used != s.reserved {
		_, _ = s.limits.Take(context.WithoutCancel(ctx), s.person, s.day, used-s.reserved)
	}
}

// tokens estimates the tokens of texts. Most have fewer.
func tokens(texts ...string) (n int) {
	for _, t := range texts {
		n += len(t)/3 + 1
	}
	return n
}

// How many calls run at the same time. Nobody waits: if there is no place, the rules answer.
const (
	maxCalls      = 32
	callsOfPerson = 4 // with all their keys and assistants
	callsOfCaller = 2
	// A caller has a second place only as long as so many are taken.
	maxShared = maxCalls / 2
)

// After some failures in a row, a caller does not ask for a minute, and then for twice as long each time.
const (
	failuresAllowed = 3
	firstRest       = time.Minute
	longestRest     = 32 * time.Minute
	maxCallers      = 10_000 // that are remembered
)

// callers knows who asks, and who should rest because the model failed. Each caller rests alone: the notes of one may
// be the cause.
type callers struct {
	mu      sync.Mutex
	running int
	persons map[string]int // how many calls of each run
	list    map[string]*caller
}

type caller struct {
	running  int
	failures int // in a row
	rests    time.Time
}

// enter takes a place for a call. leave gives it back, and says what became of the call and whether the caller has
// waited for that.
func (c *callers) enter(by review.Asker, now time.Time) (leave func(review.NoModel, bool, time.Time),
	why review.NoModel) {
	c.mu.Lock()
	defer c.mu.Unlock()
	who := c.list[by.Caller]
	if who == nil {
		who = &caller{}
	}
	switch {
	case now.Before(who.rests):
		return nil, review.ModelFailing
	case c.running >= maxCalls, c.persons[by.Person] >= callsOfPerson, who.running >= callsOfCaller,
		who.running > 0 && c.running >= maxShared:
		return nil, review.ModelBusy
	}
	c.forget(now)
	c.list[by.Caller] = who
	who.running++
	c.persons[by.Person]++
	c.running++
	return func(why review.NoModel, waited bool, now time.Time) { c.leave(by, why, waited, now) }, ""
}

func (c *callers) leave(by review.Asker, why review.NoModel, waited bool, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	who := c.list[by.Caller]
	who.running--
	c.running--
	if c.persons[by.Person]--; c.persons[by.Person] == 0 {
		delete(c.persons, by.Person)
	}
	switch {
	case why == "":
		who.failures = 0
	case why != review.ModelBudget && waited:
		if who.failures++; who.failures >= failuresAllowed {
			who.rests = now.Add(min(firstRest<<min(who.failures-failuresAllowed, 10), longestRest))
		}
	}
	if who.running == 0 && who.failures == 0 {
		delete(c.list, by.Caller)
	}
}

// forget makes room if too many callers are remembered.
func (c *callers) forget(now time.Time) {
	if len(c.list) < maxCallers {
		return
	}
	for name, who := range c.list {
		if who.running == 0 && !now.Before(who.rests) {
			delete(c.list, name)
		}
	}
}
