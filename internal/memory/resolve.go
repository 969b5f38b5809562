package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// minPersonID is the shortest beginning of an id that a person may type. A model must send what it
// was shown (loci.ShortID).
const minPersonID = 4

// The error about an ambiguous id lists at most maxAmbiguous things, each with maxKnownBy characters of what it is.
const (
	maxAmbiguous = 10
	maxKnownBy   = 80
)

// Resolve returns the id of a memory from the text of an id or from its beginning: at least loci.ShortID characters,
// for a person 4. It finds superseded memories, and for a person their own in the trash and expired ones. Resolve
// returns a whole id without looking for it. NotFound if no visible memory has an id that begins like this; Invalid
// if there are several, with their ids and titles.
func (s *Service) Resolve(ctx context.Context, p loci.Principal, text string) (loci.MemoryID, error) {
	if err := s.Begin(ctx, p, Resolve); err != nil {
		return loci.MemoryID{}, err
	}
	r, err := beginning[loci.MemoryID](p, text)
	if err != nil || r.First == r.Last {
		return r.First, err
	}
	q := store.IDQuery{IDRange: r, Superseded: p.Vendor != ""}
	if p.Vendor == "" {
		q.Lifecycle = loci.AnyState
	}
	found, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]*loci.Memory, error) {
		return tx.Memories().Between(ctx, p.Viewer(), q)
	})
	now := s.Time()
	found = slices.DeleteFunc(found, func(m *loci.Memory) bool { return goneFor(p.Viewer(), m, now) })
	return onlyOne(found, err, "memory", func(m *loci.Memory) (loci.MemoryID, string) { return m.ID, m.Title })
}

// ResolveAsset is Resolve for the attachments that Asset returns.
func (s *Service) ResolveAsset(ctx context.Context, p loci.Principal, text string) (loci.AssetID, error) {
	if err := s.Begin(ctx, p, Resolve); err != nil {
		return loci.AssetID{}, err
	}
	r, err := beginning[loci.AssetID](p, text)
	if err != nil || r.First == r.Last {
		return r.First, err
	}
	found, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]loci.Asset, error) {
		r.Lifecycle = loci.AnyState
		found, err := tx.Assets().Between(ctx, p.Viewer(), r)
		return readableOf(ctx, tx, p, found, err, func(a loci.Asset) loci.MemoryID { return a.MemoryID })
	})
	return onlyOne(found, err, "attachment", func(a loci.Asset) (loci.AssetID, string) { return a.ID, a.Name })
}

// ResolveSource is Resolve for the sources that Sources returns.
func (s *Service) ResolveSource(ctx context.Context, p loci.Principal, text string) (loci.SourceID, error) {
	if err := s.Begin(ctx, p, Resolve); err != nil {
		return loci.SourceID{}, err
	}
	r, err := beginning[loci.SourceID](p, text)
	if err != nil || r.First == r.Last {
		return r.First, err
	}
	found, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]loci.Source, error) {
		r.Lifecycle = loci.AnyState
		found, err := tx.Sources().Between(ctx, p.Viewer(), r)
		return readableOf(ctx, tx, p, found, err, func(src loci.Source) loci.MemoryID { return src.MemoryID })
	})
	return onlyOne(found, err, "source", func(src loci.Source) (loci.SourceID, string) {
		return src.ID, cmp.Or(src.Ref, src.Text)
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

// beginning returns the range of the ids that begin with text, of what p may read. The range of a whole id has only
// that id.
func beginning[ID ~[16]byte](p loci.Principal, text string) (store.IDRange[ID], error) {
	minimum := minPersonID
	if p.Vendor != "" {
		minimum = loci.ShortID
	}
	first, last, err := loci.ParseIDPrefix[struct{}](text, minimum)
	return store.IDRange[ID]{First: ID(first), Last: ID(last), Lifecycle: Within(p), Limit: maxAmbiguous + 1}, err
}

// onlyOne returns the id of the only thing in a list, unless reading the list failed with err. of returns an id, and
// the name by which people know the thing.
func onlyOne[T any, ID ~[16]byte](found []T, err error, noun string, of func(T) (ID, string)) (ID, error) {
	switch {
	case err != nil:
		return ID{}, err
	case len(found) == 0:
		return ID{}, loci.Errorf(loci.NotFound, "no such %s", noun) // as if it were there but not visible
	case len(found) == 1:
		id, _ := of(found[0])
		return id, nil
	}
	var list []string
	for i, x := range found {
		if i == maxAmbiguous {
			list = append(list, "and more")
			break
		}
		id, name := of(x)
		list = append(list, loci.ID[struct{}](id).String()+" ("+loci.Shorten(loci.OneLine(name), maxKnownBy)+")")
	}
	return ID{}, loci.Errorf(loci.Invalid, "several ids begin like this; send more of one of them: %s",
		strings.Join(list, ", "))
}

// Owners returns what to call the owners of those memories that the principal sees: the e-mail
// address, else the name, else the id. A person who shares a memory is known to its readers.
func (s *Service) Owners(ctx context.Context, p loci.Principal, ids []loci.MemoryID) (map[loci.MemoryID]string,
	error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	of := map[loci.MemoryID]string{}
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		names := map[loci.UserID]string{}
		for part := range slices.Chunk(ids, loci.MaxIDs) {
			found, err := tx.Memories().GetMany(ctx, p.Viewer(), part, loci.AnyState)
			if err != nil {
				return err
			}
			for _, m := range found {
				if names[m.UserID] == "" {
					u, err := tx.Users().Get(ctx, m.UserID)
					if err != nil && loci.CodeOf(err) != loci.NotFound {
						return err
					}
					names[m.UserID] = cmp.Or(u.Email, u.Name, m.UserID.String())
				}
				of[m.ID] = names[m.UserID]
			}
		}
		return nil
	})
	return of, err
}
