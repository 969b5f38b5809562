package memory

import (
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

// maxAmbiguous is how many memories the error about an ambiguous id lists.
const maxAmbiguous = 10

// Resolve returns the id of a memory from the text of an id or from its beginning: at least
// loci.ShortID characters, for a person 4. It finds superseded memories, and for a person their
// own in the trash and expired ones. Resolve returns a whole id without looking for it. NotFound if no
// visible memory has an id that begins like this; Invalid if there are several, with their ids and
// titles.
func (s *Service) Resolve(ctx context.Context, p loci.Principal, text string) (loci.MemoryID, error) {
	if err := s.Begin(ctx, p, Resolve); err != nil {
		return loci.MemoryID{}, err
	}
	q := store.IDQuery{Lifecycle: loci.AnyState, Limit: maxAmbiguous + 1}
	minimum := minPersonID
	if p.Vendor != "" {
		minimum = loci.ShortID
		q.Lifecycle, q.Superseded = loci.LiveOnly, true
	}
	var err error
	if q.First, q.Last, err = loci.ParseMemoryPrefix(text, minimum); err != nil || q.First == q.Last {
		return q.First, err
	}
	found, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]*loci.Memory, error) {
		return tx.Memories().Between(ctx, p.Viewer(), q)
	})
	now := s.Time()
	found = slices.DeleteFunc(found, func(m *loci.Memory) bool { return goneFor(p.Viewer(), m, now) })
	switch {
	case err != nil:
		return loci.MemoryID{}, err
	case len(found) == 0:
		return loci.MemoryID{}, loci.NoSuchMemory()
	case len(found) > 1:
		return loci.MemoryID{}, ambiguous(found)
	}
	return found[0].ID, nil
}

// ambiguous returns the error about several memories whose ids begin alike.
func ambiguous(found []*loci.Memory) error {
	var list strings.Builder
	for i, m := range found {
		if i == maxAmbiguous {
			list.WriteString(", and more")
			break
		}
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(m.ID.String() + " (" + loci.OneLine(m.Title) + ")")
	}
	return loci.Errorf(loci.Invalid, "several ids begin like this; send more of one of them: %s", list.String())
}
