package bymodel

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/loci-memory/loci/internal/fair"
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

// callers has places for those who ask, and knows who should rest because the model failed. Each caller rests alone:
// the notes of one may be the cause.
type callers struct {
	persons, places *fair.Pool

	mu      sync.Mutex
	failing map[string]*failing // by caller
}

type failing struct {
	failures int // in a row
	rests    time.Time
}

func newCallers() *callers {
	return &callers{failing: map[string]*failing{},
		persons: fair.NewPool(fair.Options{Total: maxCalls, Each: callsOfPerson}),
		places:  fair.NewPool(fair.Options{Total: maxCalls, Each: callsOfCaller, Spare: maxCalls - maxShared})}
}

// enter takes a place for a call. leave gives it back, and says what became of the call and whether the caller has
// waited for that.
func (c *callers) enter(ctx context.Context, by review.Asker, now time.Time) (
	leave func(review.NoModel, bool, time.Time), why review.NoModel) {
	c.mu.Lock()
	f := c.failing[by.Caller]
	rests := f != nil && now.Before(f.rests)
	c.mu.Unlock()
	if rests {
		return nil, review.ModelFailing
	}
	_, ofPerson, err := c.persons.Take(fair.In(ctx, by.Person), 1)
	if err != nil {
		return nil, review.ModelBusy
	}
	_, ofCaller, err := c.places.Take(fair.In(ctx, by.Caller), 1)
	if err != nil {
		ofPerson()
		return nil, review.ModelBusy
	}
	return func(why review.NoModel, waited bool, now time.Time) {
		ofPerson()
		ofCaller()
		c.ended(by.Caller, why, waited, now)
	}, ""
}

func (c *callers) ended(who string, why review.NoModel, waited bool, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.failing[who]
	switch {
	case why == "":
		delete(c.failing, who)
	case why == review.ModelBudget || !waited:
	case f == nil:
		c.forget(now)
		c.failing[who] = &failing{failures: 1}
	default:
		if f.failures++; f.failures >= failuresAllowed {
			f.rests = now.Add(min(firstRest<<min(f.failures-failuresAllowed, 10), longestRest))
		}
	}
}

// forget makes room if too many callers are remembered.
func (c *callers) forget(now time.Time) {
	if len(c.failing) >= maxCallers {
		maps.DeleteFunc(c.failing, func(_ string, f *failing) bool { return !now.Before(f.rests) })
	}
}
