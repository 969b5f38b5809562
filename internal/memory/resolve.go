package memory

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Resolve returns the id of a memory from the text of an id or from its beginning: at least loci.ShortID characters,
// for a person 4. It finds superseded memories, and for a person their own in the trash and expired ones. Resolve
// returns a whole id without looking for it. NotFound if no visible memory has an id that begins like this; Invalid
// if there are several, with their ids and titles.
func (s *Service) Resolve(ctx context.Context, p loci.Principal, text string) (loci.MemoryID, error) {
	if err := s.Begin(ctx, p, Resolve); err != nil {
		return loci.MemoryID{}, err
	}
	return resolve(ctx, s, p, text, "memory", func(tx store.Tx, r store.IDRange[loci.MemoryID]) ([]*loci.Memory, error) {
		q := store.IDQuery{IDRange: r, Superseded: p.Vendor != ""}
		if p.Vendor == "" {
			q.Lifecycle = loci.AnyState
		}
		found, err := tx.Memories().Between(ctx, p.Viewer(), q)
		return slices.DeleteFunc(found, func(m *loci.Memory) bool { return goneFor(p.Viewer(), m, s.Time()) }), err
	}, func(m *loci.Memory) (loci.MemoryID, string) { return m.ID, m.Title })
}

// ResolveAsset is Resolve for the attachments that Asset returns.
func (s *Service) ResolveAsset(ctx context.Context, p loci.Principal, text string) (loci.AssetID, error) {
	if err := s.Begin(ctx, p, Resolve); err != nil {
		return loci.AssetID{}, err
	}
	return resolve(ctx, s, p, text, "attachment", func(tx store.Tx, r store.IDRange[loci.AssetID]) ([]loci.Asset, error) {
		r.Lifecycle = loci.AnyState
		found, err := tx.Assets().Between(ctx, p.Viewer(), r)
		return readableOf(ctx, tx, p, found, err, func(a loci.Asset) loci.MemoryID { return a.MemoryID })
	}, func(a loci.Asset) (loci.AssetID, string) { return a.ID, a.Name })
}

// ResolveSource is Resolve for the sources that Sources returns.
func (s *Service) ResolveSource(ctx context.Context, p loci.Principal, text string) (loci.SourceID, error) {
	if err := s.Begin(ctx, p, Resolve); err != nil {
		return loci.SourceID{}, err
	}
	return resolve(ctx, s, p, text, "source", func(tx store.Tx, r store.IDRange[loci.SourceID]) ([]loci.Source, error) {
		r.Lifecycle = loci.AnyState
		found, err := tx.Sources().Between(ctx, p.Viewer(), r)
		return readableOf(ctx, tx, p, found, err, func(src loci.Source) loci.MemoryID { return src.MemoryID })
	}, func(src loci.Source) (loci.SourceID, string) { return src.ID, cmp.Or(src.Ref, src.Text) })
}

// resolve returns the id of the only thing between two ids. of returns its id, and the name by which people know it.
func resolve[ID ~[16]byte, T any](ctx context.Context, s *Service, p loci.Principal, text, noun string,
	between func(store.Tx, store.IDRange[ID]) ([]T, error), of func(T) (ID, string)) (ID, error) {
	if whole, err := loci.ParseMemoryID(text); err == nil {
		return ID(whole), nil
	}
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (ID, error) {
		label := func(x T) string {
			id, name := of(x)
			return loci.MemoryID(id).String() + " (" + loci.Shorten(loci.OneLine(name), 80) + ")"
		}
		x, err := store.Find(p.Viewer(), text, noun, label, nil, func(first, last [16]byte) ([]T, error) {
			return between(tx, store.IDRange[ID]{First: first, Last: last, Lifecycle: Within(p), Limit: 50})
		})
		if err != nil {
			return ID{}, err
		}
		id, _ := of(x)
		return id, nil
	})
}

// readableOf returns those of what is attached to memories that p may read.
func readableOf[T any](ctx context.Context, tx store.Tx, p loci.Principal, list []T, err error,
	memory func(T) loci.MemoryID) (kept []T, _ error) {
	for _, one := range list {
		_, absent := withAttached(ctx, tx, p, memory(one))
		switch {
		case absent == nil:
			kept = append(kept, one)
		case loci.CodeOf(absent) != loci.NotFound:
			return nil, absent
		}
	}
	return kept, err
}
