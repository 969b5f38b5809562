// Package vectors keeps a vector of each memory of each org that uses a model of embeddings, so that a search finds
// memories by what they mean. It follows the changes of the memories, has their vectors made in the background, and
// keeps them in a Store, a contract beside the engine. Files is the Store of a data directory.
//
// Nothing here is the only copy of anything, and nothing waits for it: a search goes on without vectors if there is no
// model, if the model does not answer, or if its vectors are not there yet. The vectors of each model are a separate
// Set, so those of two models, or of two numbers of dimensions, never meet.
package vectors

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/fair"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/store"
)

// Options configure an Index.
type Options struct {
	Store  store.Store      // required
	Models embed.Source     // nil: there are no vectors
	Sets   Store            // nil: there are no vectors; Close closes it
	Log    *slog.Logger     // required
	Now    func() time.Time // default: time.Now
	// Patience is for how long a question waits until a model on this machine has made the vectors that are missing; 0:
	// it does not wait. It is for a process without Run.
	Patience time.Duration
}

// Index has the vectors of every org of a store. It is safe for concurrent use, also by several processes and hosts
// with one Store.
type Index struct {
	Options
	due    chan struct{}  // Run has something to do
	asking sync.WaitGroup // questions that no model has answered yet
	loaded *memo.Memo[place, int64, *loaded]

	// Only Run uses these.
	listed time.Time // when all orgs were listed last
	rest   pause     // after a model that cannot be read

	mu   sync.Mutex
	orgs map[loci.OrgID]*org
	// warned is when a fault of the model was logged last.
	warned time.Time
}

// New returns an Index. It reads and writes nothing yet.
func New(o Options) *Index {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Index{Options: o, due: make(chan struct{}, 1), orgs: map[loci.OrgID]*org{},
		loaded: memo.New[place, int64, *loaded](mostLoaded)}
}

func (x *Index) on() bool { return x.Models != nil && x.Sets != nil }

// inUse returns the model of now, or nil if there is none.
func (x *Index) inUse(ctx context.Context) (embed.Model, error) {
	if !x.on() {
		return nil, nil
	}
	return x.Models.Current(ctx)
}

// State says what a search by meaning can rely on.
type State string

// These are the states.
const (
	Off         State = ""            // there is no model
	Ready       State = "ready"       // each memory has had its vector
	Partial     State = "partial"     // the larger model was not ready, so the built-in one was asked
	Building    State = "building"    // some memories have no vector of the model yet, or the model is being read
	Unavailable State = "unavailable" // the model or the vectors cannot be used now
)

// Model returns the name of the model of now; "": there is none, or it cannot be read.
func (x *Index) Model(ctx context.Context) string {
	m, err := x.inUse(ctx)
	if err != nil || m == nil {
		return ""
	}
	return m.Name()
}

// Meaning returns how a search of an org finds what means the same as a question. It ends with ctx. If the vectors of
// the current model are not complete, it uses those of the model before, if that can still be asked.
func (x *Index) Meaning(ctx context.Context, id loci.OrgID, question string) (index.Meaning, State) {
	model, err := x.inUse(ctx)
	if model == nil && err == nil {
		return index.Meaning{}, Off
	}
	o := x.of(id)
	o.touch()
	var m index.Meaning
	state := Ready
	if err == nil && x.Patience > 0 && embed.Local(model.Name()) {
		short, cancel := context.WithTimeout(ctx, x.Patience)
		_ = x.CatchUp(short, id) // or else the question shows that some are missing
		cancel()
	}
	if err == nil {
		m, state, err = o.meaning(ctx, model, question)
	}
	if err != nil {
		state = Unavailable
		if fault := (*embed.Fault)(nil); errors.As(err, &fault) && fault.Loading {
			state = Building
		} else {
			x.warn(ctx, id, err)
		}
		if model != nil && !embed.Local(model.Name()) {
			return index.Meaning{}, state
		}
		if m, ok := o.quick(ctx, question); ok {
			return m, Partial
		}
		return index.Meaning{}, state
	}
	if state != Ready {
		x.wake()
	}
	return m, state
}

// warnEvery is how often a fault of the model is logged at most.
const warnEvery = time.Minute

// warn logs why there are no vectors, unless somebody did so just now.
func (x *Index) warn(ctx context.Context, id loci.OrgID, err error) {
	x.mu.Lock()
	late := x.Now().Sub(x.warned) >= warnEvery
	if late {
		x.warned = x.Now()
	}
	x.mu.Unlock()
	if late {
		x.Log.WarnContext(ctx, "cannot use the model of embeddings now; searches go on without it",
			"org", string(id), "error", err)
	}
}

// Touch tells Run that an org is in use.
func (x *Index) Touch(id loci.OrgID) {
	if x.on() {
		x.of(id).touch()
	}
}

func (x *Index) of(id loci.OrgID) *org {
	x.mu.Lock()
	defer x.mu.Unlock()
	o := x.orgs[id]
	if o == nil {
		o = &org{Index: x, id: id, dims: map[string]int{}, pending: map[*asked]context.CancelFunc{},
			places: fair.NewPool(fair.Options{Total: mostPending, Each: mostPending / 2, Spare: mostPending / 2})}
		x.orgs[id] = o
	}
	return o
}

func (x *Index) wake() {
	select {
	case x.due <- struct{}{}:
	default:
	}
}
