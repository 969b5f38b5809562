package vectors

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// org has the vectors of one org.
type org struct {
	*Index
	id   loci.OrgID
	used atomic.Bool // somebody has searched or saved

	mu      sync.Mutex
	files   map[string]*file // the open ones, by path
	dims    map[string]int   // of the models that have answered
	asked   []*asked         // the last questions, the last used one at the end
	pending map[*asked]context.CancelFunc
	mute    pause // of questions, after the fault
	fault   error
	pace    pace

	rest pause // of the work, after a fault
}

func newOrg(x *Index, id loci.OrgID) *org {
	return &org{Index: x, id: id, files: map[string]*file{}, dims: map[string]int{},
		pending: map[*asked]context.CancelFunc{}}
}

// meaning is Index.Meaning with a model.
func (o *org) meaning(ctx context.Context, m embed.Model, question string) (out index.Meaning, _ State, err error) {
	vector, err := o.ask(ctx, m, question)
	if err != nil {
		return out, Unavailable, err
	}
	f, err := o.file(ctx, modelName{m.Name(), len(vector)})
	if err != nil {
		return out, Unavailable, err
	}
	s, err := f.state(ctx)
	if err != nil {
		return out, Unavailable, err
	}
	answer := Ready
	if !s.complete {
		answer = Building
		if before, older := o.before(ctx, f.path, question); before != nil {
			f, vector = before, older
		}
	}
	if !slices.ContainsFunc(vector, func(x float32) bool { return x != 0 }) {
		return out, answer, nil // the model knows no word of the question
	}
	list, err := f.loaded(ctx)
	return index.Meaning{Vectors: list, Query: vector, Exact: f.exact(context.WithoutCancel(ctx))}, answer, err
}

// before returns the complete vectors of another model, which searches use until those of the current one are
// complete, and the vector of the question by that model. It returns nil if there are none.
func (o *org) before(ctx context.Context, current, question string) (*file, []float32) {
	for _, path := range filesIn(o.place(o.id)) {
		if path == current {
			continue
		}
		f, err := o.opened(path, func() (*file, error) { return readFile(ctx, path) })
		if err != nil {
			continue
		}
		s, err := f.state(ctx)
		if err != nil || !s.complete {
			continue
		}
		m, err := o.Models.ByName(ctx, f.name.model)
		if err != nil || m == nil {
			continue
		}
		if vector, err := o.ask(ctx, m, question); err == nil && len(vector) == f.name.dims {
			return f, vector
		}
	}
	return nil, nil
}

// file returns the file of a model. One that is damaged is made again: everything in it follows from the memories.
func (o *org) file(ctx context.Context, n modelName) (*file, error) {
	dir := o.place(o.id)
	path := filepath.Join(dir, n.file())
	return o.opened(path, func() (*file, error) {
		f, err := openFile(ctx, dir, n)
		if unreadable(err) {
			o.Log.WarnContext(ctx, "the vectors are damaged and are made again", "org", string(o.id), "error", err)
			if err = sqlitedb.Remove(ctx, path); err == nil {
				f, err = openFile(ctx, dir, n)
			}
		}
		return f, err
	})
}

// unreadable reports whether an error says that a file is damaged.
func unreadable(err error) bool {
	return errors.Is(err, sqlitedb.ErrNotDB) || errors.Is(err, sqlitedb.ErrCorrupt)
}

// opened returns a file that is open, or opens it. A file that another process has removed is opened again.
func (o *org) opened(path string, open func() (*file, error)) (*file, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if f := o.files[path]; f != nil {
		if !errors.Is(f.InPlace(), sqlitedb.ErrGone) {
			return f, nil
		}
		o.forget(f)
	}
	f, err := open()
	if err == nil {
		o.files[path] = f
	}
	return f, err
}

// forget closes a file once nobody uses it. The caller has the lock.
func (o *org) forget(f *file) {
	delete(o.files, f.path)
	_ = f.Close() // waits for those who use it; what it has is derived
}

// close closes all files.
func (o *org) close() (err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range o.files {
		err = errors.Join(err, f.Close())
	}
	clear(o.files)
	return err
}
