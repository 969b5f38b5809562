package vectors

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// lookEvery is how often Run looks for memories without a vector.
const lookEvery = 2 * time.Second

// mostOrgs is how many orgs Run looks at that nobody has used since it began.
const mostOrgs = 100

// Run makes the vectors of the memories of all orgs, until ctx ends. One process needs to run it; several may.
func (x *Index) Run(ctx context.Context) {
	if x.on() {
		x.useAll(ctx)
		x.RunUsed(ctx)
	}
}

// RunUsed is Run for the orgs only in which this process searches and saves. So a process that is not used reads no
// model.
func (x *Index) RunUsed(ctx context.Context) {
	if !x.on() {
		return
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		x.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-x.due:
		}
	}
}

// look makes the vectors that are missing, of the orgs whose model is not left alone now.
func (x *Index) look(ctx context.Context) {
	for _, o := range x.open() {
		if ctx.Err() == nil && !x.Now().Before(o.rest.until) {
			o.upkeep(ctx)
		}
	}
}

// useAll takes the first orgs as used, so that their vectors are made before anybody searches.
func (x *Index) useAll(ctx context.Context) {
	orgs, err := x.Store.Orgs().List(ctx)
	if err != nil {
		return // they are used when somebody searches
	}
	for _, o := range orgs[:min(len(orgs), mostOrgs)] {
		x.Touch(o.ID)
	}
}

// open returns the orgs that have been used.
func (x *Index) open() (list []*org) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range x.orgs {
		if o.used.Load() {
			list = append(list, o)
		}
	}
	return list
}

// upkeep works until each memory of the org has its vector, or something fails.
func (o *org) upkeep(ctx context.Context) {
	m, err := o.Models.Current(ctx)
	if m == nil {
		if err != nil && ctx.Err() == nil { // perhaps its folder is about to come, so the next look asks again
			o.warn(ctx, o.id, err)
		}
		return
	}
	err = o.catchUp(ctx, m)
	switch {
	case ctx.Err() != nil:
	case loci.CodeOf(err) == loci.NotFound: // somebody has deleted the org
		o.used.Store(false)
	case err != nil:
		o.rest.after(o.Now(), err)
		o.pauseQuestions(err)
		o.warn(ctx, o.id, err)
	default:
		o.rest = pause{}
	}
}

// catchUp makes all vectors by a model that are missing, and then removes those of models that nobody uses.
func (o *org) catchUp(ctx context.Context, m embed.Model) error {
	f, err := o.current(ctx, m)
	if err == nil {
		err = f.noteUse(ctx, o.Now())
	}
	if err != nil {
		return err
	}
	for more := true; more; {
		if err := o.followAll(ctx, f); err != nil {
			return err
		}
		done, err := o.work(ctx, m, f)
		if err != nil {
			return err
		}
		o.report(ctx, f)
		more = !done && ctx.Err() == nil
	}
	s, err := f.state(ctx)
	if err == nil && s.complete {
		err = o.removeUnused(ctx, f.path)
	}
	return err
}

// followAll puts into the queue what has changed.
func (o *org) followAll(ctx context.Context, f *file) error {
	for more := true; more && ctx.Err() == nil; {
		err := o.Store.View(ctx, o.id, func(tx store.Tx) (err error) {
			more, err = f.follow(ctx, tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// current returns the file of a model. To know the dimensions, it asks the model about a word if nobody has asked it
// yet.
func (o *org) current(ctx context.Context, m embed.Model) (*file, error) {
	o.mu.Lock()
	dims := o.dims[m.Name()]
	o.mu.Unlock()
	if dims == 0 {
		vector, err := o.ask(ctx, m, probe)
		if err != nil {
			return nil, err
		}
		dims = len(vector)
	}
	return o.file(ctx, modelName{m.Name(), dims})
}

// removeUnused removes the files of other models, unless a process has had one of them in use lately: two with
// different models would else remove each other's vectors for ever.
func (o *org) removeUnused(ctx context.Context, current string) (err error) {
	for _, path := range filesIn(o.place(o.id)) {
		if path != current && !o.isUsed(ctx, path) {
			o.Log.InfoContext(ctx, "removing the vectors of a model that is not in use any more", "org", string(o.id),
				"file", path)
			err = errors.Join(err, o.remove(ctx, path))
		}
	}
	return err
}

// isUsed reports whether a process has had the model of a file in use lately.
func (o *org) isUsed(ctx context.Context, path string) bool {
	f, err := o.opened(path, func() (*file, error) { return readFile(ctx, path) })
	if err != nil {
		return !unreadable(err)
	}
	s, err := f.state(ctx)
	return err != nil && !unreadable(err) || o.Now().Sub(time.UnixMicro(s.used)) < unusedStays
}

// removeAll removes all files.
func (o *org) removeAll(ctx context.Context) (err error) {
	for _, path := range filesIn(o.place(o.id)) {
		err = errors.Join(err, o.remove(ctx, path))
	}
	return err
}

func (o *org) remove(ctx context.Context, path string) error {
	o.mu.Lock()
	if f := o.files[path]; f != nil {
		o.forget(f)
	}
	o.mu.Unlock()
	return sqlitedb.Remove(ctx, path)
}

// report tells loci.ReportProgress how far the vectors are.
func (o *org) report(ctx context.Context, f *file) {
	if done, waiting, err := f.count(ctx); err == nil {
		loci.ReportProgress(ctx, loci.Progress{Stage: "making vectors of the memories of " + string(o.id),
			Done: int64(done), Total: int64(done + waiting)})
	}
}

// count returns how many memories have a vector and how many wait for one.
func (f *file) count(ctx context.Context) (done, waiting int, err error) {
	err = f.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT (SELECT count(*) FROM vectors WHERE hash IS NOT NULL), (SELECT count(*) FROM queue)", nil,
			func(r *sqlitedb.Row) error { done, waiting = r.Int(0), r.Int(1); return nil })
		return err
	})
	return done, waiting, err
}

// CatchUp makes all vectors of an org that are missing, now. It tells loci.ReportProgress how far it is, and does
// nothing if there is no model. If the model fails, CatchUp asks it for fewer at a time before it gives up.
func (x *Index) CatchUp(ctx context.Context, id loci.OrgID) error {
	if !x.on() {
		return nil
	}
	m, err := x.Models.Current(ctx)
	if err != nil || m == nil {
		return err
	}
	o := x.of(id)
	for {
		before := o.paceNow()
		err := o.catchUp(ctx, m)
		now := o.paceNow()
		goesOn := now.done > before.done || now.halved > before.halved
		if fault := (*embed.Fault)(nil); !errors.As(err, &fault) || fault.RetryAfter > 0 || ctx.Err() != nil || !goesOn {
			return err
		}
	}
}

// Rebuild makes all vectors of an org again.
func (x *Index) Rebuild(ctx context.Context, id loci.OrgID) error {
	if !x.on() {
		return nil
	}
	if m, err := x.Models.Current(ctx); err != nil || m == nil {
		return err
	}
	if err := x.of(id).removeAll(ctx); err != nil {
		return err
	}
	return x.CatchUp(ctx, id)
}

// Drop removes the vectors of an org that was deleted.
func (x *Index) Drop(ctx context.Context, id loci.OrgID) {
	if x.Dir == "" {
		return
	}
	x.mu.Lock()
	o := x.orgs[id]
	delete(x.orgs, id)
	x.mu.Unlock()
	if o == nil {
		o = newOrg(x, id)
	}
	err := o.removeAll(ctx)
	if err == nil {
		err = os.RemoveAll(x.place(id))
	}
	if err != nil {
		x.Log.WarnContext(ctx, "cannot remove the vectors of a deleted org", "org", string(id), "error", err)
	}
}

// Close ends the questions that no model has answered yet, and closes all files. Nobody may use the Index afterwards.
func (x *Index) Close() (err error) {
	for _, o := range x.all() {
		o.stop()
	}
	x.asking.Wait()
	for _, o := range x.all() {
		err = errors.Join(err, o.close())
	}
	return err
}

func (x *Index) all() (list []*org) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, o := range x.orgs {
		list = append(list, o)
	}
	return list
}

// Stats describes the vectors of an org.
type Stats struct {
	Model    string `json:"model"`
	Dims     int    `json:"dimensions"`
	Done     int    `json:"done"`    // memories that have a vector
	Waiting  int    `json:"waiting"` // memories whose vectors must be made
	Bytes    int64  `json:"bytes"`
	Complete bool   `json:"complete"` // each memory has had its vector
}

// Stats describes the vectors of an org that are on disk, by name of the model. It asks no model, and leaves out files
// that are damaged.
func (x *Index) Stats(ctx context.Context, id loci.OrgID) (list []Stats, err error) {
	if x.Dir == "" {
		return nil, nil
	}
	o := x.of(id)
	for _, path := range filesIn(x.place(id)) {
		f, err := o.opened(path, func() (*file, error) { return readFile(ctx, path) })
		if unreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s, err := f.state(ctx)
		if err != nil {
			return nil, err
		}
		done, waiting, err := f.count(ctx)
		if err != nil {
			return nil, err
		}
		list = append(list, Stats{f.name.model, f.name.dims, done, waiting, sizeOf(path), s.complete})
	}
	slices.SortFunc(list, func(a, b Stats) int { return strings.Compare(a.Model, b.Model) })
	return list, nil
}

func sizeOf(path string) (size int64) {
	matches, _ := filepath.Glob(path + "*")
	for _, m := range matches {
		if info, err := os.Stat(m); err == nil {
			size += info.Size()
		}
	}
	return size
}
