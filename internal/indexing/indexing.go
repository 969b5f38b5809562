// Package indexing keeps the full-text index of each org up to date. It follows the changes of the
// rows, keeps the newest ones in memory and the others in files, and merges these.
//
// Nothing here is the only copy of anything. An index that is missing, damaged or behind is built of the rows again,
// in the order from the newest row to the oldest, so that what is newest can be found first.
package indexing

import (
	"context"
	"log/slog"
	"maps"
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
	// view calls fn with the rows of an org.
	view func(ctx context.Context, org loci.OrgID, fn func(rows) error) error
	// gone reports whether an org is not there any more.
	gone func(ctx context.Context, org loci.OrgID) bool
	// onlyUsed makes Run follow an index only after somebody has searched it or called Touch.
	onlyUsed bool
	// filed is the pattern of the directories of orgs.
	filed string
	// one and many are what one row and several rows are called.
	one, many string
	format    int
	dir       string
	log       *slog.Logger
	due       chan struct{} // Run has something to do

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

// New returns an Index of memories. It reads and writes nothing yet.
func New(o Options) *Index {
	x := newIndex(o)
	x.one, x.many, x.format = "memory", "memories", formatOfMemories
	x.view = func(ctx context.Context, org loci.OrgID, fn func(rows) error) error {
		return x.store.View(ctx, org, func(tx store.Tx) error { return fn(memories{tx, org}) })
	}
	return x
}

func newIndex(o Options) *Index {
	return &Index{store: o.Store, dir: o.Dir, log: o.Log, due: make(chan struct{}, 1), limits: usualLimits,
		orgs: map[loci.OrgID]*orgIndex{}, filed: "*", gone: func(ctx context.Context, org loci.OrgID) bool {
			_, err := o.Store.Orgs().Get(ctx, org)
			return loci.CodeOf(err) == loci.NotFound
		}}
}

// Snapshot is the index of an org at one time. It is immutable.
type Snapshot struct {
	parts []*part
	views []*index.View
	// Whole is false as long as old memories are missing, or changes that nobody has had time for.
	Whole bool

	// indexed is up to where the parts have all changes, and at is up to where parts and recent have them.
	indexed, at store.Position
	recent      []*recent
	marks       []index.Mark // of recent
	many        bool         // so much has changed since that the index should be brought up to date
	shown       *shown       // where it is from; nil: nothing is known to have changed since
	// learned counts how often somebody has learned of changes by reading them.
	learned int
}

// With returns the snapshot with the rows of another one, which Find then finds, too. more may be nil.
func (s *Snapshot) With(more *Snapshot) *Snapshot {
	if more == nil {
		return s
	}
	out := *s
	out.parts, out.views = slices.Concat(s.parts, more.parts), slices.Concat(s.views, more.views)
	return &out
}

// Find answers a question.
func (s *Snapshot) Find(q *recall.Question) *recall.Answer {
	defer runtime.KeepAlive(s.parts) // the files stay mapped until then
	return q.Find(s.views)
}

// Containing returns the visible memories that can contain a text, as index.Containing says it, at most limit.
func (s *Snapshot) Containing(v loci.Viewer, now time.Time, text string, limit int) (list []loci.MemoryID, ok bool) {
	defer runtime.KeepAlive(s.parts)
	ids, ok := index.Containing(s.views, recall.Sees(v), now, text, limit)
	return converted[loci.MemoryID](ids), ok
}

// Alike returns the memories that have the words of one of the groups of a and a mark that like admits, those of the
// lowest rank first, at most limit. Of recent ones, it looks for words only if the mark tells nothing. A row that
// changes meanwhile may be missing.
func (s *Snapshot) Alike(a *recall.Alike, v loci.Viewer, now time.Time, limit int,
	like func(*index.Mark) (rank int, ok bool)) []index.Found {
	defer runtime.KeepAlive(s.parts)
	sees := recall.Sees(v)
	best := index.Best{Limit: limit}
	indexed := func(id [16]byte, m *index.Mark) (int, bool) {
		rank, ok := like(m)
		return rank, ok && (s.shown == nil || !s.shown.outdated(id))
	}
	for _, f := range a.Find(s.views, sees, now, limit, indexed) {
		best.Add(f)
	}
	asked := 0
	for i := len(s.marks) - 1; i >= 0; i-- {
		rank, ok := like(&s.marks[i])
		if !ok {
			continue
		}
		r := s.recent[i]
		if r.gone.Load() || !sees(r.Class) || !r.Admits(now) {
			continue
		}
		if rank == recall.Unsure {
			if asked++; asked > mostAsked || !a.Fits(r.words()) {
				continue
			}
		}
		best.Add(index.Found{ID: r.ID, Rank: rank, Updated: r.Updated.UnixMicro()})
	}
	return best.List
}

// mostAsked is how many recent rows Alike asks for their words, the newest ones.
const mostAsked = 512

// Snapshot returns the index with all changes that tx sees. It is not Whole if ctx ends first, and
// then the next call goes on.
func (x *Index) Snapshot(ctx context.Context, tx store.Tx, org loci.OrgID) (*Snapshot, error) {
	o := x.of(org)
	o.used.Store(true)
	if !o.lock(ctx) {
		return &Snapshot{}, nil
	}
	defer o.unlock()
	err := o.follow(ctx, memories{tx, org})
	if o.wantsUpkeep() {
		x.wake()
	}
	return o.snapshot(), err
}

// Touch tells Run that an org is in use, so that it keeps its index up to date before anybody searches.
func (x *Index) Touch(org loci.OrgID) {
	o := x.of(org)
	o.used.Store(true)
	o.uses.Add(1)
	o.waiting.Store(true)
}

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
func (x *Index) open() []*orgIndex {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Collect(maps.Values(x.orgs))
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
	return filepath.Join(x.dir, filepath.FromSlash(string(org)))
}
