package indexing

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/store"
)

// orgIndex is the index of one org. Its fields need the lock.
type orgIndex struct {
	org    loci.OrgID
	files  *files // nil: in memory only
	log    *slog.Logger
	limits limits
	turn   chan struct{} // the lock, which a caller can give up to wait for
	used   atomic.Bool   // since rewriteAll; needs no lock
	uses   atomic.Int64  // calls of Touch; needs no lock
	// waiting is set by searches and Touch until Run has followed the changes. It needs no lock.
	waiting atomic.Bool
	loaded  bool
	// parts are the oldest first: those in files, then those in memory. A row is in one of them.
	parts []*part
	// frozen is how many parts in memory a flush is writing to a file.
	frozen int
	at     store.Position // all changes up to here are in the parts
	ended  bool           // there were no more changes when somebody looked last
	begun  bool           // at and rest are known
	// building is how far a build has read all rows.
	building walk
	built    bool
	// fresh is set after a build, until its files are merged.
	fresh bool
	// saved is the manifest that this process has read or written last, and says what is in the files.
	saved manifest
	// ahead is since when transactions come before at.
	ahead time.Time
	// pending are changes of events that come next; nil: they must be read.
	pending *pending
	// batch are the events that were followed last.
	batch batch
	// steps counts what was done to bring the parts up to date. It needs no lock.
	steps atomic.Int64
	// settled is set once the parts have what became of the events in them. Latest unsets it.
	settled bool
	// shown has a lock of its own.
	shown shown
}

func newOrg(x *Index, org loci.OrgID) *orgIndex {
	o := &orgIndex{org: org, log: x.log.With("org", string(org)), limits: x.limits, turn: make(chan struct{}, 1),
		shown: shown{changed: map[loci.MemoryID]changed{}}}
	if dir := x.place(org); dir != "" {
		o.files = &files{dir, x.format}
	}
	return o
}

// lock reports false if ctx ends first.
func (o *orgIndex) lock(ctx context.Context) bool {
	select {
	case o.turn <- struct{}{}:
		return true
	default:
	}
	select {
	case o.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (o *orgIndex) unlock() {
	if o.begun && o.built && o.ended {
		o.shown.set(o.snapshot())
	}
	<-o.turn
}

func (o *orgIndex) snapshot() *Snapshot {
	return &Snapshot{parts: slices.Clone(o.parts), views: viewsOf(o.parts), Whole: o.begun && o.built && o.ended,
		indexed: o.at, at: o.at}
}

// rowID is the id of a row of any kind, which manifests have as text.
type rowID = loci.MemoryID

// part is a segment with what is left of it.
type part struct {
	view *index.View
	size int64 // bytes of the segment
	// The others are of a part in a file.
	name   string // "": it is in memory
	mapped *mapping
	gone   []rowID // rows that are not in view, in the order in which they went
	saved  int     // how many of gone the manifest has
	erased bool    // some of them were erased, so their words must leave the file
}

func (p *part) inFile() bool { return p.name != "" }

// without returns the part without some rows, all of which it has.
func (p *part) without(ids []rowID) *part {
	out := *p
	out.view = p.view.Without(converted[[16]byte](ids)...)
	if p.inFile() {
		out.gone = append(slices.Clip(p.gone), ids...)
	}
	return &out
}

// converted returns ids as those of another type.
func converted[To, From ~[16]byte](ids []From) []To {
	out := make([]To, len(ids))
	for i, id := range ids {
		out[i] = To(id)
	}
	return out
}

func partOf(rows []index.Row) (*part, error) {
	b := index.NewBuilder()
	for _, r := range rows {
		b.Add(r)
	}
	return inMemory(b.Build())
}

func inMemory(segment []byte) (*part, error) {
	s, err := index.Open(segment)
	if err != nil {
		return nil, err
	}
	return &part{view: index.NewView(s), size: s.Size()}, nil
}

func viewsOf(parts []*part) []*index.View {
	views := make([]*index.View, len(parts))
	for i, p := range parts {
		views[i] = p.view
	}
	return views
}

// awaited is how long a search waits for an index that is behind, before its own time begins.
const awaited = 5 * time.Second

// Await returns the index of the memories of an org with all that is stored. It is not Whole if that takes more than
// five seconds, and then the next call goes on.
func (x *Index) Await(ctx context.Context, org loci.OrgID) (*Snapshot, error) {
	x.Touch(org)
	o := x.of(org)
	short, cancel := context.WithTimeout(ctx, awaited)
	defer cancel()
	for more, behind := true, false; more || behind; {
		var err error
		if more, behind, err = x.goOn(short, o); short.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if s := o.shown.snapshot(); s.Whole && short.Err() == nil {
		return s, nil // somebody may be at work on later changes
	}
	if !o.lock(ctx) {
		return &Snapshot{}, ctx.Err()
	}
	defer o.unlock()
	s := o.snapshot()
	s.Whole = false
	return s, nil
}

// Complete brings the index of an org up to date and writes its files, however long that takes.
func (x *Index) Complete(ctx context.Context, org loci.OrgID) {
	x.Touch(org)
	x.upkeep(ctx, x.of(org), false, 0)
}

// Latest returns the index of the events of an org with all that log has. It tries for as long as each says, again and
// again if that gets it on, as far as five seconds allow. Then it is not Whole, and the next call goes on. It is nil if
// it does not know what became of the events that it has.
func (x *Index) Latest(ctx context.Context, log eventlog.Follower, org loci.OrgID, each time.Duration) (s *Snapshot,
	err error) {
	o := x.of(org)
	o.used.Store(true)
	end, before := time.Now().Add(awaited), int64(-1)
	for o.steps.Load() != before && (s == nil || !s.Whole) && err == nil && ctx.Err() == nil && time.Now().Before(end) {
		before = o.steps.Load()
		short, cancel := context.WithTimeoutCause(ctx, each, loci.ErrSpent)
		s, err = x.latest(short, log, o)
		cancel()
	}
	return s, err
}

const (
	// givesWay is for how long upkeep takes longer pauses while events are logged. Then searches have waited long enough.
	givesWay = 10 * time.Second
	longer   = 4
)

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
