package memory

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Facets counts the visible memories that pass the filter by origin, allowed vendor, tag, category, type, scope,
// project and pin. With Filter.Lifecycle TrashOnly it counts those in the trash, which only people may. Invalid for
// another time than the present, RateLimited if the caller counts or searches too much at a time: it reads every row.
func (s *Service) Facets(ctx context.Context, p loci.Principal, f Filter) (*loci.Facets, error) {
	if err := s.Begin(ctx, p, reading(&f)); err != nil {
		return nil, err
	}
	if err := s.checkFilter(&f); err != nil {
		return nil, err
	}
	if !f.When.IsPresent() {
		return nil, loci.FieldErrorf("known_at", "cannot be used for facets; leave out as_of and known_at")
	}
	var out loci.Facets
	err := s.scan(ctx, p, func(tx store.Tx) (err error) {
		out, err = tx.Lists().Facets(ctx, p.Viewer(), f)
		return err
	})
	return &out, err
}

// ReplacedBy returns the memories that a memory replaced and that the person sees, oldest first and at most
// loci.MaxIDs, without those in the trash and expired ones. NotFound if the memory does not exist or is not visible.
func (s *Service) ReplacedBy(ctx context.Context, p loci.Principal, id loci.MemoryID) (out []*loci.Memory, err error) {
	if err := s.Begin(ctx, p, History); err != nil {
		return nil, err
	}
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		if _, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.AnyState); err != nil {
			return err
		}
		out, err = tx.Memories().ReplacedBy(ctx, p.Viewer(), id, loci.MaxIDs)
		return err
	})
	return out, err
}

// Readers returns which vendors' assistants get a memory, and why others do not: for a person, also about one that is
// in the trash, expired or superseded. NotFound if the memory does not exist or is not visible.
func (s *Service) Readers(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.MemoryReaders, error) {
	if err := s.Begin(ctx, p, History); err != nil {
		return nil, err
	}
	var out loci.MemoryReaders
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		m, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.AnyState)
		if err == nil {
			out = p.Viewer().ReadersOf(m, s.Time())
		}
		return err
	})
	return &out, err
}
