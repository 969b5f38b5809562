package vectors

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/fair"
	"github.com/loci-memory/loci/internal/index"
)

type org struct {
	*Index
	id   loci.OrgID
	used atomic.Int64 // when somebody has searched or saved last, in microseconds since 1970

	mu      sync.Mutex
	dims    map[string]int // of the models that have answered
	asked   []*asked       // the last questions, the last used one at the end
	pending map[*asked]context.CancelFunc
	places  *fair.Pool // of pending
	mute    pause      // of questions, after the fault
	fault   error
	pace    pace

	// Only Run uses these.
	rest           pause     // of the work, after a fault
	looked, worked time.Time // last
}

func newOrg(x *Index, id loci.OrgID) *org {
	return &org{Index: x, id: id, dims: map[string]int{}, pending: map[*asked]context.CancelFunc{},
		places: fair.NewPool(fair.Options{Total: mostPending, Each: mostPending / 2, Spare: mostPending / 2})}
}

// quietAfter is after how long without a search or a write an org is quiet: its files are closed, and Run looks at it
// less often.
const quietAfter = 5 * time.Minute

func (o *org) touch() { o.used.Store(o.Now().UnixMicro()) }

func (o *org) isQuiet(now time.Time) bool {
	return now.Sub(time.UnixMicro(o.used.Load())) >= quietAfter
}

func (o *org) path(n modelName) string { return filepath.Join(o.place(o.id), n.file()) }

func (o *org) paths() []string { return filesIn(o.place(o.id)) }

func (o *org) letGo() {
	dir := o.place(o.id)
	o.Index.letGo(func(f *file) bool { return filepath.Dir(f.path) == dir })
}

// meaning is Index.Meaning with a model. It makes no file: what a model answers to a question may be wrong.
func (o *org) meaning(ctx context.Context, m embed.Model, question string) (out index.Meaning, _ State, err error) {
	vector, err := o.ask(ctx, m, question)
	if err != nil {
		return out, Unavailable, err
	}
	path := o.path(modelName{m.Name(), len(vector)})
	var s state
	err = o.use(ctx, path, func(f *file) (err error) {
		if s, err = f.state(ctx); err == nil {
			out, err = o.comparison(ctx, f, vector)
		}
		return err
	})
	switch {
	case errors.Is(err, fs.ErrNotExist) || unreadable(err):
		out = index.Meaning{}
	case err != nil:
		return index.Meaning{}, Unavailable, err
	case s.complete:
		return out, Ready, nil
	}
	if older, ok := o.before(ctx, path, question); ok {
		out = older
	}
	return out, Building, nil
}

// comparison returns how a search compares the vector of a question with those of a file.
func (o *org) comparison(ctx context.Context, f *file, vector []float32) (index.Meaning, error) {
	if !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }) {
		return index.Meaning{}, nil // the model knows no word of the question
	}
	list, err := f.loaded(ctx)
	path, ctx := f.path, context.WithoutCancel(ctx)
	return index.Meaning{Vectors: list, Query: vector, Exact: func(ids [][16]byte) [][]float32 {
		out := make([][]float32, len(ids))
		_ = o.with(ctx, path, func(f *file) error { return f.exact(ctx, ids, out) }) // or else the packed ones must do
		return out
	}}, err
}

// before returns how a search uses the complete vectors of another model, until those of the current one are complete.
// ok is false if there are none.
func (o *org) before(ctx context.Context, current, question string) (out index.Meaning, ok bool) {
	for _, path := range o.paths() {
		var s state
		var n modelName
		err := o.with(ctx, path, func(f *file) (err error) {
			n = f.name
			s, err = f.state(ctx)
			return err
		})
		if path == current || err != nil || !s.complete {
			continue
		}
		m, err := o.Models.ByName(ctx, n.model)
		if err != nil || m == nil {
			continue
		}
		vector, err := o.ask(ctx, m, question)
		if err != nil || len(vector) != n.dims {
			continue
		}
		err = o.with(ctx, path, func(f *file) (err error) {
			out, err = o.comparison(ctx, f, vector)
			return err
		})
		if err == nil {
			return out, true
		}
	}
	return index.Meaning{}, false
}
