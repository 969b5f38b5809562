package vectors

import (
	"context"
	"crypto/sha256"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// hashOf identifies the text of which a vector is made.
func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:16]
}

// follow puts into the queue of a set the memories that have changed, or that nobody has looked at yet.
func (o *org) follow(ctx context.Context, set Set) error {
	for ctx.Err() == nil {
		s, err := set.Progress(ctx)
		if err != nil {
			return err
		}
		next, found := s, []Change(nil)
		err = o.Store.View(ctx, o.id, func(tx store.Tx) (err error) {
			next, found, err = s.read(ctx, tx)
			return err
		})
		if err != nil || next == s {
			return err
		}
		if _, err := set.Advance(ctx, s, next, found); err != nil { // or another process has done the same
			return err
		}
	}
	return ctx.Err()
}

// read returns what comes next, and the state afterwards. The state is the same if there is nothing.
func (s Progress) read(ctx context.Context, tx store.Tx) (next Progress, found []Change, err error) {
	next = s
	if !s.Begun {
		next.Position, err = tx.Rows().End(ctx)
		next.Begun, next.Walking, next.Rest = true, true, 0
		return next, nil, err
	}
	var list []*loci.Memory
	if s.Walking {
		list, next.Rest, err = tx.Rows().Before(ctx, s.Rest, chunk)
		next.Walking = next.Rest != 0
		return next, changesOf(list), err
	}
	c, err := tx.Rows().Changed(ctx, s.Position)
	switch code := loci.CodeOf(err); {
	case code == loci.Conflict || code == loci.Invalid: // the changes since are not known, so look at everything again
		next.Begun = false
		return next, nil, nil
	case err != nil || c.Ahead || len(c.IDs) == 0 && c.Next == s.Position:
		return s, nil, err
	}
	next.Position = c.Next
	list, err = tx.Rows().Read(ctx, c.IDs)
	there := map[loci.MemoryID]bool{}
	for _, m := range list {
		there[m.ID] = true
	}
	found = changesOf(list)
	for _, id := range c.IDs {
		if !there[id] {
			found = append(found, Change{ID: id, Gone: true})
		}
	}
	return next, found, err
}

func changesOf(list []*loci.Memory) (found []Change) {
	for _, m := range list {
		if m.DeletedAt.IsZero() && m.SupersededBy.IsZero() {
			found = append(found, Change{ID: m.ID, Hash: hashOf(recall.TextToEmbed(m))})
		}
	}
	return found
}
