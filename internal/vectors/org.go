package vectors

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/fair"
	"github.com/loci-memory/loci/internal/index"
)

type org struct {
	*Index
	id   loci.OrgID
	used atomic.Int64 // when somebody has searched or saved last, in microseconds since 1970

	mu      sync.Mutex
	dims    map[string]int // of the models that have answered
	asked   []*asked       // the last questions, the last used one at the end
	pending map[*asked]context.CancelFunc
	places  *fair.Pool // of pending
	mute    pause      // of questions, after the fault
	fault   error
	pace    pace

	// Only Run uses these.
	rest           pause     // of the work, after a fault
	looked, worked time.Time // last
}

// quietAfter is after how long without a search or a write an org is quiet: its files are closed, and Run looks at it
// less often.
const quietAfter = 5 * time.Minute

func (o *org) touch() { o.used.Store(o.Now().UnixMicro()) }

func (o *org) isQuiet(now time.Time) bool {
	return now.Sub(time.UnixMicro(o.used.Load())) >= quietAfter
}

// release releases what the org has open and in memory.
func (o *org) release(ctx context.Context) {
	for _, k := range o.sets(ctx) {
		o.loaded.Delete(place{o.id, k})
	}
	o.Sets.Rest(o.id)
}

// sets returns the sets of the org. Without them there are no vectors.
func (o *org) sets(ctx context.Context) []Key {
	list, err := o.Sets.Sets(ctx, o.id)
	if err != nil {
		o.warn(ctx, o.id, err)
	}
	return list
}

// use calls fn with a set. A damaged one is made again.
func (o *org) use(ctx context.Context, k Key, fn func(Set) error) error {
	err := o.Sets.Use(ctx, o.id, k, fn)
	if errors.Is(err, ErrDamaged) {
		err = errors.Join(err, o.Sets.Heal(context.WithoutCancel(ctx), o.id, k))
		o.Log.WarnContext(ctx, "the vectors are damaged and are made again", "org", string(o.id), "set", string(k),
			"error", err)
	}
	return err
}

// missing reports whether an error means that there is no set, or no longer.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) }

// meaning is Index.Meaning with a model. It makes no set: what a model answers to a question may be wrong.
func (o *org) meaning(ctx context.Context, m embed.Model, question string) (out index.Meaning, _ State, err error) {
	vector, err := o.ask(ctx, m, question)
	if err != nil {
		return out, Unavailable, err
	}
	key := Model{m.Name(), len(vector)}.Key()
	var s Progress
	err = o.use(ctx, key, func(set Set) (err error) {
		if s, err = set.Progress(ctx); err == nil {
			out, err = o.comparison(ctx, set, s, vector)
		}
		return err
	})
	switch {
	case missing(err):
		out = index.Meaning{}
	case err != nil:
		return index.Meaning{}, Unavailable, err
	case s.Complete:
		return out, Ready, nil
	}
	if older, ok := o.before(ctx, key, question); ok {
		out = older
	}
	return out, Building, nil
}

// comparison returns how a search compares the vector of a question with those of a set.
func (o *org) comparison(ctx context.Context, set Set, s Progress, vector []float32) (index.Meaning, error) {
	if !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }) {
		return index.Meaning{}, nil // the model knows no word of the question
	}
	list, err := o.load(place{o.id, s.Model.Key()}, s).bring(ctx, set)
	return index.Meaning{Vectors: list, Query: vector}, err
}

// before returns how a search uses the complete vectors of another model, until those of the current one are complete.
// ok is false if there are none.
func (o *org) before(ctx context.Context, current Key, question string) (out index.Meaning, ok bool) {
	for _, k := range o.sets(ctx) {
		s, err := o.progress(ctx, k)
		if k == current || err != nil || !s.Complete {
			continue
		}
		m, err := o.Models.ByName(ctx, s.Model.Name)
		if err != nil || m == nil {
			continue
		}
		vector, err := o.ask(ctx, m, question)
		if err != nil || len(vector) != s.Model.Dims {
			continue
		}
		err = o.use(ctx, k, func(set Set) (err error) {
			out, err = o.comparison(ctx, set, s, vector)
			return err
		})
		if err == nil {
			return out, true
		}
	}
	return index.Meaning{}, false
}

// quickTime is how long a search may read vectors after the time for its model is over.
const quickTime = 250 * time.Millisecond

// quick returns how a search uses the part of a question's vector that is there at once. ok is false if no set has it.
func (o *org) quick(ctx context.Context, question string) (out index.Meaning, ok bool) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), quickTime, loci.ErrSpent)
	defer cancel()
	var best Progress
	var known []float32
	for _, k := range o.sets(ctx) {
		s, err := o.progress(ctx, k)
		better := s.Complete == best.Complete && s.Used > best.Used || s.Complete && !best.Complete
		if v := o.Models.Quick(s.Model.Name, question); err == nil && v != nil && (known == nil || better) {
			best, known = s, v
		}
	}
	if known == nil {
		return out, false
	}
	err := o.use(ctx, best.Model.Key(), func(set Set) (err error) {
		out, err = o.comparison(ctx, set, best, known)
		return err
	})
	return out, err == nil
}

func (o *org) progress(ctx context.Context, k Key) (s Progress, err error) {
	err = o.use(ctx, k, func(set Set) error {
		s, err = set.Progress(ctx)
		return err
	})
	return s, err
}

// place is where a set is.
type place struct {
	org loci.OrgID
	set Key
}

// loaded has in memory what searches compare of a set.
type loaded struct {
	dims int

	mu      sync.Mutex
	vectors *index.Vectors
	seq     int64 // up to here, vectors has those of the set
}

// mostLoaded is of how many sets a process has the vectors in memory, at most twice as many.
const mostLoaded = 16

// load returns what there is in memory of a set.
func (x *Index) load(p place, s Progress) *loaded {
	x.mu.Lock()
	defer x.mu.Unlock()
	l, ok := x.loaded.Get(p, s.Identity)
	if !ok {
		l = &loaded{dims: s.Model.Dims, vectors: index.NewVectors(s.Model.Dims)}
		x.loaded.Put(p, s.Identity, l, 1)
	}
	return l
}

// chunk is how many rows are read or written at a time.
const chunk = 1000

// bring brings the vectors in memory up to what the set has, as far as ctx allows, and returns them.
func (l *loaded) bring(ctx context.Context, set Set) (*index.Vectors, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.vectors.Wasted() > l.vectors.Len()+chunk {
		l.vectors, l.seq = index.NewVectors(l.dims), 0
	}
	err := set.Since(ctx, l.seq, func(r Row) error {
		if len(r.Packed.Values) > 0 {
			l.vectors.Put(r.ID, r.Packed)
		} else {
			l.vectors.Remove(r.ID)
		}
		l.seq = r.Seq
		return nil
	})
	if loci.Spent(ctx) || ctx.Err() != nil {
		return l.vectors, nil // the next search goes on
	}
	return l.vectors, err
}
