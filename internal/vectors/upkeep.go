package vectors

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

const (
	// lookEvery is how often Run looks for memories without a vector. A look works for about as long.
	lookEvery = 2 * time.Second
	// quietEvery is how often it looks at an org that is quiet, and at most mostQuiet of them in one look.
	quietEvery = time.Minute
	mostQuiet  = 10
	// unreadStays is for how long a model that cannot be read is left alone.
	unreadStays = 30 * time.Second
)

// Run makes the vectors of the memories of all orgs, until ctx ends. One process needs to run it; several may.
func (x *Index) Run(ctx context.Context) { x.run(ctx, true) }

// RunUsed is Run for the orgs only in which this process searches and saves. So a process that is not used reads no
// model.
func (x *Index) RunUsed(ctx context.Context) { x.run(ctx, false) }

func (x *Index) run(ctx context.Context, all bool) {
	if !x.on() {
		return
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		x.look(ctx, all)
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		case <-x.due:
		}
	}
}

// look follows the changes of all orgs, and then makes vectors that are missing: the orgs take turns, because one that
// saves faster than the model works must not keep the others waiting.
func (x *Index) look(ctx context.Context, all bool) {
	began := x.Now()
	if all && began.Sub(x.listed) >= quietEvery {
		x.list(ctx)
		x.listed = began
	}
	due := x.dueOrgs(began, all)
	m := x.model(ctx, began, due)
	if m == nil {
		return
	}
	var busy []*org
	for _, o := range due {
		if o.followed(ctx, m, began) {
			busy = append(busy, o)
		}
	}
	slices.SortStableFunc(busy, func(a, b *org) int { return a.worked.Compare(b.worked) })
	for i, o := range busy {
		if now := x.Now(); i > 0 && now.Sub(began) >= lookEvery || ctx.Err() != nil {
			x.wake()
			break
		}
		o.worked = x.Now()
		done, err := o.catchUp(ctx, m, began.Add(lookEvery))
		if o.ended(ctx, err); !done && err == nil {
			x.wake()
		}
	}
	for _, o := range due {
		if o.isQuiet(x.Now()) {
			o.letGo()
		}
	}
}

// list makes known which orgs there are.
func (x *Index) list(ctx context.Context) {
	orgs, err := x.Store.Orgs().List(ctx)
	if err != nil {
		return // they are known when somebody uses them
	}
	for _, o := range orgs {
		x.of(o.ID)
	}
}

// dueOrgs returns the orgs to look at now: those in use, and if all are wanted, some of the others.
func (x *Index) dueOrgs(now time.Time, all bool) (due []*org) {
	var quiet []*org
	for _, o := range x.all() {
		switch {
		case !o.isQuiet(now):
			due = append(due, o)
		case all && now.Sub(o.looked) >= quietEvery:
			quiet = append(quiet, o)
		}
	}
	slices.SortFunc(quiet, func(a, b *org) int { return a.looked.Compare(b.looked) })
	return append(due, quiet[:min(len(quiet), mostQuiet)]...)
}

// model returns the model in use, or nil if there is nothing to do. If embeddings are off, it closes all files.
func (x *Index) model(ctx context.Context, now time.Time, due []*org) embed.Model {
	if len(due) == 0 || now.Before(x.rest.until) {
		return nil
	}
	m, err := x.Models.Current(ctx)
	switch {
	case err == nil && m == nil:
		x.letGo(func(*file) bool { return true })
	case err != nil && ctx.Err() == nil:
		x.warn(ctx, due[0].id, err)
		if loci.CodeOf(err) != loci.NotFound { // a folder that is missing may be about to come
			x.rest.until = now.Add(unreadStays)
		}
	case err == nil:
		return m
	}
	return nil
}

// followed follows the changes of an org. It reports whether the model is to work for it now.
func (o *org) followed(ctx context.Context, m embed.Model, now time.Time) bool {
	o.looked = now
	waits, err := o.follow(ctx, m)
	if now.Before(o.rest.until) {
		return false
	}
	if err != nil || !waits {
		o.ended(ctx, err)
	}
	return err == nil && waits
}

// ended notes how the work for an org has ended.
func (o *org) ended(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case loci.CodeOf(err) == loci.NotFound: // somebody has deleted the org
		o.Index.mu.Lock()
		delete(o.orgs, o.id)
		o.Index.mu.Unlock()
		o.letGo()
	case err != nil:
		o.rest.after(o.Now(), err)
		o.pauseQuestions(err)
		o.warn(ctx, o.id, err)
	default:
		o.rest = pause{}
	}
}

// follow puts into the queues what has changed, and removes the files of models that nobody uses. It reports whether
// memories wait for a vector of the current model.
func (o *org) follow(ctx context.Context, m embed.Model) (waits bool, err error) {
	current, err := o.current(ctx, m)
	complete := false
	for _, path := range o.paths() { // also those of other models: what a memory no longer says must not lead to it
		err = errors.Join(err, o.use(ctx, path, func(f *file) error {
			if err := o.followAll(ctx, f); err != nil || path != current {
				return err
			}
			if err := f.noteUse(ctx, o.Now()); err != nil {
				return err
			}
			s, err := f.state(ctx)
			if err == nil {
				waits, err = f.waits(ctx, o.Now())
			}
			complete, waits = s.complete, waits || !s.complete
			return err
		}))
	}
	if err == nil && complete {
		err = o.removeUnused(ctx, current)
	}
	return waits, err
}

func (f *file) waits(ctx context.Context, now time.Time) (waits bool, err error) {
	err = f.DB.View(ctx, func(c *sqlitedb.Conn) error {
		waits, err = c.One("SELECT 1 FROM queue WHERE due <= ? LIMIT 1", sqlitedb.Args{now.UnixMicro()},
			func(*sqlitedb.Row) error { return nil })
		return err
	})
	return waits, err
}

// catchUp makes vectors by a model that are missing, until then, or if that is zero, all of them. done reports whether
// none waits any more.
func (o *org) catchUp(ctx context.Context, m embed.Model, until time.Time) (done bool, err error) {
	path, err := o.current(ctx, m)
	if err != nil {
		return false, err
	}
	err = o.use(ctx, path, func(f *file) error {
		for !done {
			err := o.followAll(ctx, f)
			if err == nil {
				done, err = o.work(ctx, m, f)
			}
			switch {
			case err != nil:
				return err
			case until.IsZero():
				o.report(ctx, f)
			case !o.Now().Before(until):
				return nil
			}
		}
		return nil
	})
	return done, err
}

// followAll puts into the queue of a file what has changed.
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

// current returns the path of the file of a model, and makes it. To know the dimensions, it asks the model about a word
// if nobody has asked it yet.
func (o *org) current(ctx context.Context, m embed.Model) (path string, err error) {
	o.mu.Lock()
	n := modelName{m.Name(), o.dims[m.Name()]}
	o.mu.Unlock()
	if n.dims == 0 {
		vector, err := o.ask(ctx, m, probe)
		if err != nil {
			return "", err
		}
		n.dims = len(vector)
	}
	path = o.path(n)
	err = o.use(ctx, path, func(*file) error { return nil })
	if errors.Is(err, fs.ErrNotExist) || unreadable(err) {
		if err = create(ctx, o.place(o.id), n); err == nil {
			err = o.removeOtherSizes(ctx, n)
		}
	}
	return path, err
}

// removeOtherSizes removes what was begun with other dimensions of a model: an endpoint that has others each time must
// not fill the disk.
func (o *org) removeOtherSizes(ctx context.Context, n modelName) (err error) {
	for _, path := range o.paths() {
		begun := false
		err = errors.Join(err, o.use(ctx, path, func(f *file) error {
			s, err := f.state(ctx)
			begun = f.name.model == n.model && f.name.dims != n.dims && !s.complete
			return err
		}))
		if begun {
			err = errors.Join(err, o.remove(ctx, path))
		}
	}
	return err
}

// removeUnused removes the files of other models, unless a process has had one of them in use lately: two with
// different models would else remove each other's vectors for ever.
func (o *org) removeUnused(ctx context.Context, current string) (err error) {
	for _, path := range o.paths() {
		unused := false
		if path != current {
			err = errors.Join(err, o.use(ctx, path, func(f *file) error {
				s, err := f.state(ctx)
				unused = err == nil && o.Now().Sub(time.UnixMicro(s.used)) >= unusedStays
				return err
			}))
		}
		if unused {
			o.Log.InfoContext(ctx, "removing the vectors of a model that is not in use any more", "file", path)
			err = errors.Join(err, o.remove(ctx, path))
		}
	}
	return err
}

func (o *org) removeAll(ctx context.Context) (err error) {
	for _, path := range o.paths() {
		err = errors.Join(err, o.remove(ctx, path))
	}
	return err
}

// report tells loci.ReportProgress how far the vectors are. A memory that waits for another vector is not done.
func (o *org) report(ctx context.Context, f *file) {
	p := loci.Progress{Stage: "making vectors of the memories of " + string(o.id)}
	err := f.DB.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT count(*), (SELECT count(*) FROM queue) FROM (SELECT id FROM vectors WHERE hash IS NOT NULL "+
			"UNION SELECT id FROM queue)", nil, func(r *sqlitedb.Row) error {
			p.Total = r.Int64(0)
			p.Done = p.Total - r.Int64(1)
			return nil
		})
		return err
	})
	if err == nil {
		loci.ReportProgress(ctx, p)
	}
}

// count returns how many memories have a vector and how many wait for one.
func (f *file) count(ctx context.Context) (done, waiting int, err error) {
	err = f.DB.View(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT (SELECT count(*) FROM vectors WHERE hash IS NOT NULL), (SELECT count(*) FROM queue)", nil,
			func(r *sqlitedb.Row) error { done, waiting = r.Int(0), r.Int(1); return nil })
		return err
	})
	return done, waiting, err
}
