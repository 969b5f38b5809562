// Package indexing keeps the full-text index of each org up to date. It follows the changes of the
// rows, keeps the newest ones in memory and the others in files, and merges these.
//
// Nothing here is the only copy of anything. An index that is missing, damaged or behind is built
// of the rows again, in the order from the newest row to the oldest, so that what is newest can be
// found first.
package indexing

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// Index is the index of every org of a store. It is safe for concurrent use, also by several
// processes with one directory.
type Index struct {
	store store.Store
	dir   string
	log   *slog.Logger
	due   chan struct{} // Run has something to do

	limits limits

	mu   sync.Mutex
	orgs map[loci.OrgID]*orgIndex
}

// Options configure an Index.
type Options struct {
	Store store.Store  // required
	Dir   string       // where the files of each org have a directory; "": in memory only
	Log   *slog.Logger // required
}

// New returns an Index. It reads and writes nothing yet.
func New(o Options) *Index {
	return &Index{store: o.Store, dir: o.Dir, log: o.Log, due: make(chan struct{}, 1), limits: usualLimits,
		orgs: map[loci.OrgID]*orgIndex{}}
}

// Snapshot is the index of an org at one time. It is immutable.
type Snapshot struct {
	parts   []*part
	views   []*index.View
	waiting []waiting
	// Whole is false as long as old memories are missing.
	Whole bool
}

// Find answers a question.
func (s *Snapshot) Find(q *recall.Question) *recall.Answer {
	defer runtime.KeepAlive(s.parts) // the files stay mapped until then
	return q.Find(s.views)
}

// Alike returns the memories that have all words of a group of a, at most limit for each group of those that
// do not wait, except those that unlike reports by their last change. Of a row that waits, asking unlike mostly
// takes less time than looking for words.
func (s *Snapshot) Alike(a *recall.Alike, v loci.Viewer, now time.Time, limit int,
	unlike func(id loci.MemoryID, updated int64) bool) (found []index.Found) {
	defer runtime.KeepAlive(s.parts)
	sees := recall.Sees(v)
	for i := range s.waiting {
		w := &s.waiting[i]
		f := index.Found{ID: w.row.ID, Updated: w.row.Updated.UnixMicro()}
		if sees(w.row.Class) && w.row.Admits(now) && !unlike(f.ID, f.Updated) && a.Fits(w.words()) {
			found = append(found, f)
		}
	}
	known := func(f index.Found) bool { return unlike(f.ID, f.Updated) }
	return append(found, slices.DeleteFunc(a.Find(s.views, sees, now, limit), known)...)
}

// Snapshot returns the index with all changes that tx sees. It is not Whole if ctx ends first, and
// then the next call goes on.
func (x *Index) Snapshot(ctx context.Context, tx store.Tx, org loci.OrgID) (*Snapshot, error) {
	return x.snapshot(ctx, tx, org, (*orgIndex).followAll)
}

// Recent works like Snapshot and costs less after few changes. Only Alike finds what changed then.
func (x *Index) Recent(ctx context.Context, tx store.Tx, org loci.OrgID) (*Snapshot, error) {
	return x.snapshot(ctx, tx, org, (*orgIndex).follow)
}

func (x *Index) snapshot(ctx context.Context, tx store.Tx, org loci.OrgID,
	follow func(*orgIndex, context.Context, store.Tx) error) (*Snapshot, error) {
	o := x.of(org)
	o.used.Store(true)
	if !o.lock(ctx) {
		return &Snapshot{}, nil
	}
	defer o.unlock()
	err := follow(o, ctx, tx)
	if o.wantsUpkeep() {
		x.wake()
	}
	return o.snapshot(), err
}

// Touch tells Run that an org is in use, so that it keeps its index up to date before anybody searches.
func (x *Index) Touch(org loci.OrgID) { x.of(org).used.Store(true) }

func (x *Index) of(org loci.OrgID) *orgIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	o := x.orgs[org]
	if o == nil {
		o = newOrg(x, org)
		x.orgs[org] = o
	}
	return o
}

// close forgets an index in memory. Its files stay, and whoever is searching it goes on.
func (x *Index) close(o *orgIndex) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.orgs[o.org] == o {
		delete(x.orgs, o.org)
	}
}

// open returns the orgs that have been used.
func (x *Index) open() (list []*orgIndex) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range x.orgs {
		list = append(list, o)
	}
	return list
}

func (x *Index) wake() {
	select {
	case x.due <- struct{}{}:
	default:
	}
}

// place returns the directory of an org, or "" if there are no files.
func (x *Index) place(org loci.OrgID) string {
	if x.dir == "" {
		return ""
	}
	return filepath.Join(x.dir, string(org))
}
