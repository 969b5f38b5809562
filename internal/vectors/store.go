package vectors

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index/packing"
	"github.com/loci-memory/loci/internal/store"
)

// Store keeps vectors, and the queue of memories that wait for one. It is safe for concurrent use, also by several
// processes, and on several hosts if it is shared: a vector that one of them stores is there for all. It knows no
// memories and no rules. Everything in it follows from the memories, so it may lose what was written last, but never
// part of one call.
type Store interface {
	// Sets returns the keys of the sets of an org.
	Sets(ctx context.Context, org loci.OrgID) ([]Key, error)
	// Use calls fn with a set, which is valid until fn returns. It fails with fs.ErrNotExist if there is none, and, as the
	// calls of a Set do, with ErrDamaged if it cannot be read.
	Use(ctx context.Context, org loci.OrgID, k Key, fn func(Set) error) error
	// Create makes an empty set of a model, unless there is one.
	Create(ctx context.Context, org loci.OrgID, m Model) error
	// Remove removes a set, if there is one. A Set in use elsewhere then fails, or goes on without effect.
	Remove(ctx context.Context, org loci.OrgID, k Key) error
	// Heal removes a set that was found damaged, unless it has been made again since.
	Heal(ctx context.Context, org loci.OrgID, k Key) error
	// Drop removes everything of an org.
	Drop(ctx context.Context, org loci.OrgID) error
	// Rest releases what is open for an org until it is used again.
	Rest(org loci.OrgID)
	// Close waits for calls of Use, and releases everything.
	Close() error
}

// Model says whose vectors a set has. Two models may have the same name if one of them changed its dimensions.
type Model struct {
	Name string
	Dims int
}

// Key identifies a model among the sets of an org.
type Key string

// Key returns the key of a model.
func (m Model) Key() Key {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", m.Name, m.Dims))
	return Key(hex.EncodeToString(sum[:8]))
}

// ErrDamaged means that a set cannot be read.
var ErrDamaged = errors.New("the vectors are damaged")

// Set has the vectors of one org by one model. Each call is atomic and sees what calls before it have written,
// wherever they ran.
type Set interface {
	// Progress returns how far the set is.
	Progress(ctx context.Context) (Progress, error)
	// Advance makes changes and moves the progress, unless it is no longer from: then it does nothing, and ok is
	// false. So of two processes that follow the same memories, one does.
	Advance(ctx context.Context, from, to Progress, list []Change) (ok bool, err error)
	// Take takes up to that many jobs from the queue, those due for longest first, and makes each due at until, after
	// one try more. So no other caller takes them before, and if the caller dies, another one takes them then.
	Take(ctx context.Context, most int, now, until time.Time) ([]Job, error)
	// Finish records what became of jobs. It ignores a job that is no longer in the queue with the Due that Take
	// returned: its memory has changed, or another caller has taken it.
	Finish(ctx context.Context, list []Result) error
	// Queue calls fn with each job, by Due, until fn returns an error.
	Queue(ctx context.Context, fn func(Job) error) error
	// Since calls fn with the last change of each vector that has changed after seq, in their order.
	Since(ctx context.Context, seq int64, fn func(Row) error) error
	// Count counts what the set has.
	Count(ctx context.Context) (Count, error)
	// Check looks for damage, and returns a sentence for each.
	Check(ctx context.Context) (problems []string, err error)
}

// Progress is how far a set is. States are compared with ==.
type Progress struct {
	Model    Model
	Identity int64 // differs from that of a set that was removed
	// Begun is whether changes up to Position are in the queue. If Walking, memories before number Rest are not yet.
	Begun, Walking bool
	Position       store.Position
	Rest           int64
	Complete       bool  // at one time, each memory had its vector
	Used           int64 // when a process last had the model in use, in microseconds since 1970
}

// Count says how much a set has.
type Count struct {
	Done, Waiting int   // memories that have a vector, and memories in the queue
	All           int   // memories that are one of these or both
	Bytes         int64 // the storage that it takes
}

// Change is a memory whose text or existence has changed.
type Change struct {
	ID loci.MemoryID
	// Hash is that of its text. Without a vector of this text, it gets into the queue, due at once after no tries, and
	// the vector of another text goes. If Hash is nil, it gets into the queue, and its vector stays until then.
	Hash []byte
	Gone bool // its vector goes, and it leaves the queue
	// Later is set if changes without it come first: it is due a microsecond after 1970, and they are due when that began.
	Later bool
}

// Job is a memory in the queue.
type Job struct {
	ID    loci.MemoryID
	Due   time.Time // to the microsecond
	Tries int
}

// Result is what became of a Job: it leaves the queue, unless Back is set.
type Result struct {
	Job
	Hash   []byte
	Vector []float32 // of the text with Hash; nil: none was made
	Gone   bool      // the vector goes
	Back   *Job      // its Due and Tries are those of the job from now on
}

// Row is a vector as Since returns it.
type Row struct {
	Seq    int64 // higher with each change in a set
	ID     loci.MemoryID
	Hash   []byte         // of the text; nil: there is no vector any more. It is valid until fn returns.
	Packed packing.Vector // without values if what is stored has other dimensions than the model
}
