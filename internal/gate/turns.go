package gate

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/fair"
)

// What all credentials may hold in this process at once, and each of them. Of the processors, one
// has at most half, so that a flood of slow requests delays only itself.
const (
	allBodies, bodiesEach = 64 << 20, 16 << 20 // in bytes
	smallBody             = 16 << 10           // needs no room
	maxWaiting            = 64                 // requests of one credential
	patience              = 20 * time.Second
)

func newProcessors() *fair.Pool {
	places := int64(max(2, runtime.GOMAXPROCS(0)))
	return fair.NewPool(fair.Options{Total: places, Each: places / 2, Waiting: maxWaiting, Patience: patience})
}

func newRoom() *fair.Pool {
	return fair.NewPool(fair.Options{Total: allBodies, Each: bodiesEach, Waiting: maxWaiting, Patience: patience})
}

// Turn waits for a processor for work that may take long. It returns the context in which to do the
// work, where nested calls return at once, and a function that ends it. RateLimited if too much work
// of the same credential waits, or waits too long.
func (g *Gate) Turn(ctx context.Context) (context.Context, func(), error) {
	in, done, err := g.processors.Take(ctx, 1)
	return in, done, crowded(err)
}

// Room waits for room for a body, before it is read: for size bytes, or for most if size is unknown.
// A large body counts as a quarter of most at least, because decoding it takes memory and time, too.
// done gives the room back. RateLimited as for Turn.
func (g *Gate) Room(ctx context.Context, size, most int64) (done func(), err error) {
	if 0 <= size && size <= smallBody {
		return func() {}, nil
	}
	if size < 0 {
		size = most
	}
	_, done, err = g.room.Take(ctx, max(min(size, most), most/4))
	return done, crowded(err)
}

func crowded(err error) error {
	if errors.Is(err, fair.ErrBusy) {
		err = loci.WrapError(loci.RateLimited, err, "too many large requests or searches of this credential at once; "+
			"send the next one after an answer")
	}
	return err
}
