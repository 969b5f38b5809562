package vectors

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
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
			o.release(ctx)
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

// model returns the model in use, or nil if there is nothing to do. If embeddings are off, it releases all sets.
func (x *Index) model(ctx context.Context, now time.Time, due []*org) embed.Model {
	if len(due) == 0 || now.Before(x.rest.until) {
		return nil
	}
	m, err := x.Models.Current(ctx)
	switch {
	case err == nil && m == nil:
		for _, o := range due {
			o.release(ctx)
		}
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
	waits, err := o.followAll(ctx, m)
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
		o.release(ctx)
	case err != nil:
		o.rest.after(o.Now(), err)
		o.pauseQuestions(err)
		o.warn(ctx, o.id, err)
	default:
		o.rest = pause{}
	}
}

// followAll puts into the queues what has changed, and removes the sets of models that nobody uses. It reports whether
// memories wait for a vector of the current model.
func (o *org) followAll(ctx context.Context, m embed.Model) (waits bool, err error) {
	current, err := o.current(ctx, m)
	complete := false
	for _, k := range o.sets(ctx) { // also those of other models: what a memory no longer says must not lead to it
		err = errors.Join(err, o.use(ctx, k, func(set Set) error {
			if err := o.follow(ctx, set); err != nil || k != current {
				return err
			}
			s, err := noteUse(ctx, set, o.Now())
			if complete = s.Complete; err == nil {
				waits, err = o.waits(ctx, set)
			}
			waits = waits || !s.Complete
			return err
		}))
	}
	if err == nil && complete {
		err = o.removeUnused(ctx, current)
	}
	return waits, err
}

// These say for how long a set stays of which no process has the model in use, and how often one that has it says so.
const (
	unusedStays  = time.Hour
	noteUseEvery = unusedStays / 6
)

// noteUse notes that this process has the model in use, so that one with another model does not remove the set.
func noteUse(ctx context.Context, set Set, now time.Time) (s Progress, err error) {
	s, err = set.Progress(ctx)
	if err != nil || now.Sub(time.UnixMicro(s.Used)) < noteUseEvery {
		return s, err
	}
	next := s
	next.Used = now.UnixMicro()
	_, err = set.Advance(ctx, s, next, nil) // or else at the next look
	return s, err
}

var errEnough = errors.New("enough")

// waits reports whether a job is due.
func (o *org) waits(ctx context.Context, set Set) (waits bool, err error) {
	err = set.Queue(ctx, func(j Job) error {
		waits = !j.Due.After(o.Now())
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return waits, err
}

// catchUp makes vectors by a model that are missing, until then, or if that is zero, all of them. done reports whether
// none waits any more.
func (o *org) catchUp(ctx context.Context, m embed.Model, until time.Time) (done bool, err error) {
	current, err := o.current(ctx, m)
	if err != nil {
		return false, err
	}
	err = o.use(ctx, current, func(set Set) error {
		s, err := set.Progress(ctx)
		if err != nil {
			return err
		}
		for !done {
			err := o.follow(ctx, set)
			if err == nil {
				done, err = o.work(ctx, m, set, s.Model.Dims)
			}
			switch {
			case err != nil:
				return err
			case until.IsZero():
				o.report(ctx, set)
			case !o.Now().Before(until):
				return nil
			}
		}
		return nil
	})
	return done, err
}

// current returns the set of a model, and makes it. To know the dimensions, it asks the model about a word at first.
func (o *org) current(ctx context.Context, m embed.Model) (k Key, err error) {
	o.mu.Lock()
	n := Model{m.Name(), o.dims[m.Name()]}
	o.mu.Unlock()
	if n.Dims == 0 {
		vector, err := o.ask(ctx, m, probe)
		if err != nil {
			return "", err
		}
		n.Dims = len(vector)
	}
	k = n.Key()
	if err = o.use(ctx, k, func(Set) error { return nil }); missing(err) {
		if err = o.Sets.Create(ctx, o.id, n); err == nil {
			err = o.removeOtherSizes(ctx, n)
		}
	}
	return k, err
}

// removeOtherSizes removes what was begun with other dimensions of a model: an endpoint that has others each time must
// not fill the disk.
func (o *org) removeOtherSizes(ctx context.Context, n Model) (err error) {
	for _, k := range o.sets(ctx) {
		s, e := o.progress(ctx, k)
		if e == nil && s.Model.Name == n.Name && s.Model.Dims != n.Dims && !s.Complete {
			e = o.Sets.Remove(ctx, o.id, k)
		}
		err = errors.Join(err, e)
	}
	return err
}

// removeUnused removes the sets of other models, unless a process has had one of them in use lately: two with
// different models would else remove each other's vectors for ever.
func (o *org) removeUnused(ctx context.Context, current Key) (err error) {
	for _, k := range o.sets(ctx) {
		if k == current {
			continue
		}
		s, e := o.progress(ctx, k)
		if e == nil && o.Now().Sub(time.UnixMicro(s.Used)) >= unusedStays {
			o.Log.InfoContext(ctx, "removing the vectors of a model that is not in use any more", "org", string(o.id),
				"model", s.Model.Name)
			e = o.Sets.Remove(ctx, o.id, k)
		}
		err = errors.Join(err, e)
	}
	return err
}

// report tells loci.ReportProgress how far the vectors are. A memory that waits for another vector is not done.
func (o *org) report(ctx context.Context, set Set) {
	if n, err := set.Count(ctx); err == nil {
		loci.ReportProgress(ctx, loci.Progress{Stage: "making vectors of the memories of " + string(o.id),
			Total: int64(n.All), Done: int64(n.All - n.Waiting)})
	}
}

// hashOf identifies the text of which a vector is made.
func hashOf(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:16]
}

// follow puts into the queue of a set the memories that have changed, or that nobody has looked at yet.
func (o *org) follow(ctx context.Context, set Set) error {
	for ctx.Err() == nil {
		s, err := set.Progress(ctx)
		if err != nil {
			return err
		}
		next, found := s, []Change(nil)
		err = o.Store.View(ctx, o.id, func(tx store.Tx) (err error) {
			next, found, err = s.read(ctx, tx)
			return err
		})
		if err != nil || next == s {
			return err
		}
		if _, err := set.Advance(ctx, s, next, found); err != nil { // or another process has done the same
			return err
		}
	}
	return ctx.Err()
}

// read returns what comes next, and the state afterwards. The state is the same if there is nothing.
func (s Progress) read(ctx context.Context, tx store.Tx) (next Progress, found []Change, err error) {
	next = s
	if !s.Begun {
		next.Position, err = tx.Rows().End(ctx)
		next.Begun, next.Walking, next.Rest = true, true, 0
		return next, nil, err
	}
	var list []*loci.Memory
	if s.Walking {
		list, next.Rest, err = tx.Rows().Before(ctx, s.Rest, chunk)
		next.Walking = next.Rest != 0
		found = changesOf(list)
		for i := range found {
			found[i].Later = true // what is saved meanwhile gets its vector before these
		}
		return next, found, err
	}
	c, err := tx.Rows().Changed(ctx, s.Position)
	switch code := loci.CodeOf(err); {
	case code == loci.Conflict || code == loci.Invalid: // the changes since are not known, so look at everything again
		next.Begun = false
		return next, nil, nil
	case err != nil || c.Ahead || len(c.IDs) == 0 && c.Next == s.Position:
		return s, nil, err
	}
	next.Position = c.Next
	list, err = tx.Rows().Read(ctx, c.IDs)
	there := map[loci.MemoryID]bool{}
	for _, m := range list {
		there[m.ID] = true
	}
	found = changesOf(list)
	for _, id := range c.IDs {
		if !there[id] {
			found = append(found, Change{ID: id, Gone: true})
		}
	}
	return next, found, err
}

func changesOf(list []*loci.Memory) (found []Change) {
	for _, m := range list {
		if m.DeletedAt.IsZero() && m.SupersededBy.IsZero() {
			found = append(found, Change{ID: m.ID, Hash: hashOf(recall.TextToEmbed(m))})
		}
	}
	return found
}
