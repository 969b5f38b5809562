package indexing

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// These bound the rows that comparisons look at one by one.
const (
	// mostRead is how many changes a comparison reads. After more, it brings the index up to date.
	mostRead = 64
	// mostRecent is after how many changes Run brings the index up to date, and recentText after how many bytes of
	// text. A comparison does so after twice as many.
	mostRecent = 4 << 10
	recentText = 2 << 20
)

// recent is a row that has changed since the index was brought up to date.
type recent struct {
	index.Row
	words func() recall.Words // few rows are asked for them
	gone  atomic.Bool         // there is another version
}

// shown is what comparisons see of an org's index: its parts, and the rows that have changed since. So a save
// neither brings the index up to date, which would take as long as the save itself, nor waits for whoever does.
type shown struct {
	mu    sync.Mutex
	now   Snapshot
	bytes int // of the texts of now.recent
	// changed are the memories that have changed, in any state.
	changed map[loci.MemoryID]changed
}

// changed is a version of a memory, with its row if that is in the index.
type changed struct {
	version int
	row     *recent
}

func (w *shown) snapshot() *Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.now
	s.many, s.shown = w.many(2), w
	s.recent, s.marks = slices.Clip(s.recent), slices.Clip(s.marks)
	return &s
}

// set shows other parts. s.at is up to where they have all changes.
func (w *shown) set(s *Snapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.indexed == w.now.indexed {
		s.at, s.recent, s.marks, s.learned = w.now.at, w.now.recent, w.now.marks, w.now.learned // the same rows
	} else {
		w.bytes, s.learned, w.changed = 0, w.now.learned+1, map[loci.MemoryID]changed{}
	}
	w.now = *s
}

// unknown returns which changes are of rows that are not shown as they are now. The caller has w.mu.
func (w *shown) unknown(c *store.RowChanges) (ids []loci.MemoryID) {
	for i, id := range c.IDs {
		if was, known := w.changed[id]; !known || was.version != c.Versions[i] {
			ids = append(ids, id)
		}
	}
	return ids
}

func newRecent(m *loci.Memory, mark index.Mark) *recent {
	r := &recent{Row: recall.IndexRow(m)}
	r.Mark, r.words = mark, sync.OnceValue(func() recall.Words { return recall.WordsOf(&r.Row) })
	return r
}

// add shows a version of a memory. The caller has w.mu.
func (w *shown) add(r *recent, version int) {
	w.change(r.ID, version, r)
	w.now.recent, w.now.marks = append(w.now.recent, r), append(w.now.marks, r.Mark)
	for _, f := range r.Fields {
		w.bytes += len(f.Text)
	}
}

// change records the version of a memory, with its row if it has one. The caller has w.mu.
func (w *shown) change(id loci.MemoryID, version int, r *recent) {
	if was := w.changed[id].row; was != nil {
		was.gone.Store(true)
	}
	w.changed[id] = changed{version, r}
}

// outdated reports whether the parts may have another version of a memory.
func (w *shown) outdated(id loci.MemoryID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, changed := w.changed[id]
	return changed
}

// many reports whether there are n times as many changes as Run leaves. The caller has w.mu.
func (w *shown) many(n int) bool {
	return max(len(w.now.recent), len(w.changed)) >= n*mostRecent || w.bytes >= n*recentText
}

// mark returns the mark of a memory. That of a recent row is known.
func (w *shown) mark(m *loci.Memory) index.Mark {
	w.mu.Lock()
	was := w.changed[m.ID]
	w.mu.Unlock()
	if was.row != nil && was.version == m.Version && was.row.Updated.Equal(m.UpdatedAt) {
		return was.row.Mark
	}
	return recall.MarkOf(m)
}

// advance records that everything up to the end of c, which begins at from, is shown. The caller has w.mu.
func (w *shown) advance(from store.Position, c *store.RowChanges) {
	if w.now.at == from { // else somebody else has been faster
		w.now.at = c.Next
	}
}

// Shown returns the index of an org and the changes that it knows of. It returns nil if the index has not been
// read yet, if old memories are missing, or after many changes.
func (x *Index) Shown(org loci.OrgID) *Snapshot {
	if s := x.of(org).shown.snapshot(); s.Whole && !s.many {
		return s
	}
	return nil
}

// Saved shows a memory that tx has saved, before it commits. It reports whether s, which Shown returned, has all
// other changes that tx sees, except those that Saved has been told of since. If tx fails, call Unsaved.
func (x *Index) Saved(ctx context.Context, tx store.Tx, s *Snapshot, m *loci.Memory, sketch *recall.Sketch) (
	bool, error) {
	w := &x.of(m.OrgID).shown
	from := w.snapshot().at
	c, err := tx.Rows().Changed(ctx, from)
	if err != nil || c.Ahead || c.More {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.Index(c.IDs, m.ID); i >= 0 && c.Versions[i] == m.Version {
		w.add(newRecent(m, sketch.Mark()), m.Version)
	}
	if len(w.unknown(&c)) > 0 {
		return false, nil
	}
	w.advance(from, &c)
	if w.many(1) {
		x.wake()
	}
	return s.shown == w && s.learned == w.now.learned, nil
}

// Unsaved forgets the changes of an org that Saved has been told of, because some of them have not come about.
func (x *Index) Unsaved(org loci.OrgID) {
	w := &x.of(org).shown
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now, w.bytes, w.changed = Snapshot{learned: w.now.learned + 1}, 0, map[loci.MemoryID]changed{}
}

// Recent returns the index of an org with all changes that tx sees. It costs less than Snapshot after few changes.
// Only Alike finds what changed then.
func (x *Index) Recent(ctx context.Context, tx store.Tx, org loci.OrgID) (*Snapshot, error) {
	s, err := x.catchUp(ctx, tx, org)
	if s != nil || err != nil {
		return s, err
	}
	return x.Snapshot(ctx, tx, org)
}

// catchUp reads the changes of which nobody has told. It returns nil if they are many, or not known, or if the
// index has not been read yet.
func (x *Index) catchUp(ctx context.Context, tx store.Tx, org loci.OrgID) (*Snapshot, error) {
	w := &x.of(org).shown
	s := w.snapshot()
	if !s.Whole || s.many {
		return nil, nil
	}
	c, err := tx.Rows().Changed(ctx, s.at)
	if code := loci.CodeOf(err); c.Ahead || c.More || code == loci.Conflict || code == loci.Invalid {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	ids := w.unknown(&c)
	w.mu.Unlock()
	if len(ids) > mostRead {
		return nil, nil
	}
	memories, err := tx.Rows().Read(ctx, ids)
	if err != nil {
		return nil, err
	}
	w.learn(s, &c, memories)
	return s, nil
}

// learn adds to s what has been read of the changes c since s, and shows it if nobody has been faster.
func (w *shown) learn(s *Snapshot, c *store.RowChanges, memories []*loci.Memory) {
	marks, live := make([]index.Mark, len(memories)), map[loci.MemoryID]bool{}
	for i, m := range memories {
		marks[i], live[m.ID] = recall.MarkOf(m), m.DeletedAt.IsZero() && m.SupersededBy.IsZero()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	first := w.now.at == s.at
	for i, m := range memories {
		if !live[m.ID] {
			continue
		}
		r := newRecent(m, marks[i])
		if first {
			w.add(r, m.Version)
		}
		s.recent, s.marks = append(s.recent, r), append(s.marks, marks[i])
	}
	if !first || len(c.IDs) == 0 {
		return
	}
	for i, id := range c.IDs {
		if was, known := w.changed[id]; !live[id] && (!known || was.version != c.Versions[i]) {
			w.change(id, c.Versions[i], nil)
		}
	}
	w.now.learned++
	w.advance(s.at, c)
}
