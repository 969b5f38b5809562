package gate

import (
	"context"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// bell wakes callers that wait for writes to an org.
type bell struct {
	wrote   func(loci.OrgID) // nil: nobody wants to know of each write
	mu      sync.Mutex
	waiting map[loci.OrgID]chan struct{}
}

// next returns a channel that closes at the next ring.
func (b *bell) next(org loci.OrgID) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.waiting[org]
	if !ok {
		c = make(chan struct{})
		if b.waiting == nil {
			b.waiting = map[loci.OrgID]chan struct{}{}
		}
		b.waiting[org] = c
	}
	return c
}

func (b *bell) ring(org loci.OrgID) {
	if b.wrote != nil {
		b.wrote(org)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, ok := b.waiting[org]; ok {
		close(c)
		delete(b.waiting, org)
	}
}

// Written returns a channel that closes when this process writes to the org.
func (g *Gate) Written(org loci.OrgID) <-chan struct{} { return g.bell.next(org) }

// ringing is a store that rings the bell after each change of an org's rows.
type ringing struct {
	store.Store
	bell *bell
}

// Update rings even if nothing changed. The woken caller checks for itself.
func (s ringing) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	err := s.Store.Update(ctx, org, fn)
	if err == nil {
		s.bell.ring(org)
	}
	return err
}
