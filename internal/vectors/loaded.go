package vectors

import (
	"context"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
)

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
