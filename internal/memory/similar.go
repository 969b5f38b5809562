package memory

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

const (
	similarLook = 16 // best matches of each search that are looked at
	similarText = 4  // words of a content that says something without its title
)

// maxBulkCompared is how many creates of one bulk call are compared with what Loci has.
const maxBulkCompared = 50

// lookBeside starts to look for similar memories while the save is stored, because a commit mostly
// waits for the disk. It never holds the writer of the org. The caller must call wait. A save that
// leaves out the title or the content is looked at by tell, once the stored ones are known; so is one
// that found a memory which is not quite the draft.
func (s *saving) lookBeside(ctx context.Context) (wait func()) {
	s.app.index.Touch(s.p.OrgID)
	if !s.compares || s.d.Title == "" || s.d.Content == "" {
		return func() {}
	}
	var look sync.WaitGroup
	look.Go(func() { s.lookAlike(ctx, s.m) })
	return look.Wait
}

// lookAlike keeps in s.others the memories that m is compared with. It stops after a fiftieth of the
// patience of a search.
func (s *saving) lookAlike(ctx context.Context, m *loci.Memory) {
	s.looked, s.others = true, nil
	s.guarded(ctx, func() error {
		text := s.read(m)
		about := text.Alike(m.Content)
		if text.Words < similarText {
			both := m.Title + "\n" + m.Content
			about = recall.Read(both).Alike(both)
		}
		return s.app.Store.View(ctx, s.p.OrgID, func(tx store.Tx) error {
			short, cancel := context.WithTimeoutCause(ctx, s.app.patience/50, store.ErrSpent)
			defer cancel()
			index, err := s.app.index.Recent(short, tx, s.p.OrgID)
			if err != nil {
				return err
			}
			found := candidates{tx: tx, index: index, v: s.p.Viewer(), now: s.app.Time(), m: m, words: text.Words,
				known: s.app.gists, own: s.gist(m)}
			found.alike(&about)
			err = found.namesakes(short)
			s.skipped = !index.Whole
			if err == nil && len(found.ids) > 0 {
				s.others, err = tx.Memories().GetMany(ctx, s.p.Viewer(), found.ids, loci.LiveOnly)
			}
			return err
		})
	})
}

// read returns the content of m as it is compared. Most often newSaving has read it already.
func (s *saving) read(m *loci.Memory) *recall.Text {
	if s.text == nil || m.Content != s.m.Content {
		return recall.Read(m.Content)
	}
	return s.text
}

// tell adds to the answer of a save the memories that say nearly the same, or nearly the same but
// for a number, a date, a unit or a negation: the one that has most in common first. Nothing is
// done about them. It never fails a save: the answer has similar_skipped then.
func (s *saving) tell(ctx context.Context) {
	m := &s.saved.Memory
	if s.compares {
		if !s.looked || !s.drafted(m) {
			s.lookAlike(ctx, m)
		}
		s.guarded(ctx, func() error {
			others := slices.DeleteFunc(s.others, func(o *loci.Memory) bool {
				return o.ID == m.ID || s.names(o.ID)
			})
			s.saved.Similar = s.compare(m, others)
			return nil
		})
	}
	s.saved.SimilarSkipped = s.skipped || s.d.NotCompared
}

// guarded runs a part of the comparison. Neither an error nor a fault in it stops the save.
func (s *saving) guarded(ctx context.Context, fn func() error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.skipped = true
			s.app.Log.ErrorContext(ctx, "look for similar memories", "fault", fault, "stack", string(debug.Stack()))
		}
	}()
	if err := fn(); err != nil {
		s.skipped = true
		if ctx.Err() == nil && !errors.Is(err, store.ErrSpent) && !errors.Is(err, context.DeadlineExceeded) {
			s.app.Log.WarnContext(ctx, "look for similar memories", "error", err)
		}
	}
}

// candidates collects the visible memories that m is compared with. The contexts of its methods end
// by ErrSpent.
type candidates struct {
	tx    store.Tx
	index *indexing.Snapshot
	v     loci.Viewer
	now   time.Time
	m     *loci.Memory
	words int // of its content
	known *gists
	own   *gist

	ids []loci.MemoryID
}

// alike adds memories that have the words of one of the groups.
func (c *candidates) alike(a *recall.Alike) {
	for _, f := range c.index.Alike(a, c.v, c.now, similarLook+1, c.unlike) { // m may be stored by now
		c.add(f.ID)
	}
}

// unlike reports whether a memory is known to be unlike m.
func (c *candidates) unlike(id loci.MemoryID, updated int64) bool {
	g := c.known.of(id, updated)
	return g != nil && !c.own.mayBeLike(g)
}

func (c *candidates) add(id loci.MemoryID) {
	if id != c.m.ID && !slices.Contains(c.ids, id) {
		c.ids = append(c.ids, id)
	}
}
