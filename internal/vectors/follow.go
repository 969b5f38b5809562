package vectors

import (
	"bytes"
	"context"
	"crypto/sha256"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// hashOf identifies the text of which a vector is made.
func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:16]
}

// follow puts memories into the queue that have changed, or that nobody has looked at yet. more reports whether there
// are others.
func (f *file) follow(ctx context.Context, tx store.Tx) (more bool, err error) {
	s, err := f.state(ctx)
	if err != nil {
		return false, err
	}
	next, found, err := s.read(ctx, tx)
	if err != nil || next == s {
		return false, err
	}
	err = f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		now, err := readState(c)
		if err != nil || now.begun != s.begun || now.walking != s.walking || now.position != s.position ||
			now.rest != s.rest {
			return err // another process has done the same
		}
		if err := found.queue(c); err != nil {
			return err
		}
		next.complete = now.complete
		return next.write(c)
	})
	return true, err
}

// changes are memories to look at.
type changes struct {
	memories []*loci.Memory
	erased   []loci.MemoryID
}

// read returns what comes next, and the state afterwards. The state is the same if there is nothing.
func (s state) read(ctx context.Context, tx store.Tx) (next state, found changes, err error) {
	next = s
	if !s.begun {
		next.position, err = tx.Rows().End(ctx)
		next.begun, next.walking, next.rest = true, true, 0
		return next, found, err
	}
	if s.walking {
		found.memories, next.rest, err = tx.Rows().Before(ctx, s.rest, chunk)
		next.walking = next.rest != 0
		return next, found, err
	}
	c, err := tx.Rows().Changed(ctx, s.position)
	switch code := loci.CodeOf(err); {
	case code == loci.Conflict || code == loci.Invalid: // the changes since are not known, so look at everything again
		next.begun = false
		return next, found, nil
	case err != nil || c.Ahead || len(c.IDs) == 0 && c.Next == s.position:
		return s, found, err
	}
	next.position = c.Next
	found.memories, err = tx.Rows().Read(ctx, c.IDs)
	there := map[loci.MemoryID]bool{}
	for _, m := range found.memories {
		there[m.ID] = true
	}
	for _, id := range c.IDs {
		if !there[id] {
			found.erased = append(found.erased, id)
		}
	}
	return next, found, err
}

// queue puts those into the queue whose text has no vector. A vector of an older text goes at once: what a memory no
// longer says must not lead to it.
func (found *changes) queue(c *sqlitedb.Conn) error {
	for _, id := range found.erased {
		if err := remove(c, id); err != nil {
			return err
		}
	}
	for _, m := range found.memories {
		if !m.DeletedAt.IsZero() || !m.SupersededBy.IsZero() {
			continue
		}
		hash, err := hashIn(c, m.ID)
		if err != nil || bytes.Equal(hash, hashOf(recall.TextToEmbed(m))) {
			if err != nil {
				return err
			}
			continue
		}
		if hash != nil {
			if err := put(c, m.ID, nil, nil); err != nil {
				return err
			}
		}
		if err := c.Exec("INSERT OR REPLACE INTO queue (id, due, tries) VALUES (?, 0, 0)", [16]byte(m.ID)); err != nil {
			return err
		}
	}
	return nil
}

// hashIn returns the hash of the text whose vector a memory has, or nil.
func hashIn(c *sqlitedb.Conn, id loci.MemoryID) (hash []byte, err error) {
	_, err = c.One("SELECT hash FROM vectors WHERE id = ?", sqlitedb.Args{[16]byte(id)}, func(r *sqlitedb.Row) error {
		hash = r.Blob(0)
		return nil
	})
	return hash, err
}

// remove forgets a memory that does not exist any more.
func remove(c *sqlitedb.Conn, id loci.MemoryID) error {
	hash, err := hashIn(c, id)
	if err == nil && hash != nil {
		err = put(c, id, nil, nil)
	}
	if err != nil {
		return err
	}
	return c.Exec("DELETE FROM queue WHERE id = ?", [16]byte(id))
}
