package vectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// CatchUp makes all vectors of an org that are missing, now. It tells loci.ReportProgress how far it is, and does
// nothing if there is no model. If the model fails, CatchUp asks it for fewer at a time before it gives up.
func (x *Index) CatchUp(ctx context.Context, id loci.OrgID) error {
	m, err := x.inUse(ctx)
	if err != nil || m == nil {
		return err
	}
	o, healed := x.of(id), false
	for {
		before := o.paceNow()
		_, err := o.followAll(ctx, m)
		if err == nil {
			_, err = o.catchUp(ctx, m, time.Time{})
		}
		if errors.Is(err, ErrDamaged) && !healed { // the set is removed
			healed = true
			continue
		}
		now := o.paceNow()
		goesOn := now.done > before.done || now.halved > before.halved
		if fault := (*embed.Fault)(nil); !errors.As(err, &fault) || fault.RetryAfter > 0 || ctx.Err() != nil || !goesOn {
			return err
		}
	}
}

// Rebuild makes all vectors of an org again, once it knows that the model answers. Searches use those that there are
// until each is replaced, unless the set is damaged.
func (x *Index) Rebuild(ctx context.Context, id loci.OrgID) error {
	m, err := x.inUse(ctx)
	if err != nil || m == nil {
		return err
	}
	if _, err := m.Embed(ctx, embed.Document, []string{probe}); err != nil {
		return err
	}
	o := x.of(id)
	k, err := o.current(ctx, m)
	if err != nil {
		return err
	}
	var problems []string
	err = o.use(ctx, k, func(set Set) (err error) {
		if problems, err = set.Check(ctx); err != nil || len(problems) > 0 {
			return err
		}
		return again(ctx, set)
	})
	if len(problems) > 0 {
		err = errors.Join(err, o.Sets.Remove(ctx, id, k))
	}
	if err != nil && !errors.Is(err, ErrDamaged) { // such a set is removed
		return err
	}
	return x.CatchUp(ctx, id)
}

// again puts all memories into the queue, those that have a vector and those that lack one.
func again(ctx context.Context, set Set) error {
	for done := false; !done; {
		s, err := set.Progress(ctx)
		if err != nil {
			return err
		}
		var list []Change
		err = set.Since(ctx, 0, func(r Row) error {
			if r.Hash != nil {
				list = append(list, Change{ID: r.ID})
			}
			return nil
		})
		if err != nil {
			return err
		}
		next := s
		next.Begun, next.Walking, next.Rest = false, false, 0
		if done, err = set.Advance(ctx, s, next, list); err != nil {
			return err
		}
	}
	return nil
}

// Drop removes the vectors of an org that was deleted.
func (x *Index) Drop(ctx context.Context, id loci.OrgID) {
	if x.Sets == nil {
		return
	}
	x.of(id).release(ctx)
	x.mu.Lock()
	delete(x.orgs, id)
	x.mu.Unlock()
	if err := x.Sets.Drop(ctx, id); err != nil {
		x.Log.WarnContext(ctx, "cannot remove the vectors of a deleted org", "org", string(id), "error", err)
	}
}

// Close ends the questions that no model has answered yet, and closes the Store. Nobody may use the Index afterwards.
func (x *Index) Close() error {
	for _, o := range x.all() {
		o.stop()
	}
	x.asking.Wait()
	if x.Sets == nil {
		return nil
	}
	return x.Sets.Close()
}

func (x *Index) all() []*org {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Collect(maps.Values(x.orgs))
}

// Stats describes the vectors of an org.
type Stats struct {
	Model    string `json:"model"`
	Dims     int    `json:"dimensions"`
	Done     int    `json:"done"`    // memories that have a vector
	Waiting  int    `json:"waiting"` // memories whose vectors must be made, also if they have one until then
	All      int    `json:"all"`     // memories that are Done, Waiting or both
	Bytes    int64  `json:"bytes"`
	Complete bool   `json:"complete"` // each memory has had its vector
}

// Stats describes the vectors of an org that are stored, by name of the model. It asks no model, and leaves out damaged
// sets.
func (x *Index) Stats(ctx context.Context, id loci.OrgID) (list []Stats, err error) {
	if x.Sets == nil {
		return nil, nil
	}
	for _, k := range x.of(id).sets(ctx) {
		err := x.Sets.Use(ctx, id, k, func(set Set) error {
			s, err := set.Progress(ctx)
			if err != nil {
				return err
			}
			n, err := set.Count(ctx)
			list = append(list, Stats{s.Model.Name, s.Model.Dims, n.Done, n.Waiting, n.All, n.Bytes, s.Complete})
			return err
		})
		if err != nil && !missing(err) {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b Stats) int { return strings.Compare(a.Model, b.Model) })
	return list, nil
}

// Verify compares the vectors of an org with its memories, and returns one sentence for each kind of problem. It asks
// no model: what waits for its vector is no problem.
func (x *Index) Verify(ctx context.Context, id loci.OrgID) (problems []string, err error) {
	if x.Sets == nil {
		return nil, nil
	}
	o := x.of(id)
	for _, k := range o.sets(ctx) {
		found, err := o.verify(ctx, k)
		if err == nil && len(found) > 0 { // somebody may have changed a memory meanwhile
			found, err = o.verify(ctx, k)
		}
		if err != nil {
			return nil, err
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

func (o *org) verify(ctx context.Context, k Key) (problems []string, err error) {
	err = o.Sets.Use(ctx, o.id, k, func(set Set) error {
		problems, err = o.verifySet(ctx, set)
		return err
	})
	switch {
	case errors.Is(err, ErrDamaged):
		return []string{fmt.Sprintf("the set %s cannot be read: %s", k, err)}, nil
	case missing(err): // it has just gone
		return nil, nil
	}
	return problems, err
}

func (o *org) verifySet(ctx context.Context, set Set) ([]string, error) {
	problems, err := set.Check(ctx)
	if err != nil || len(problems) > 0 {
		return problems, err
	}
	if err := o.follow(ctx, set); err != nil {
		return nil, err
	}
	s, err := set.Progress(ctx)
	if err != nil {
		return nil, err
	}
	has, waiting, odd := map[loci.MemoryID][]byte{}, map[loci.MemoryID]bool{}, 0
	err = set.Since(ctx, 0, func(r Row) error {
		if r.Hash == nil {
			return nil
		}
		if has[r.ID] = bytes.Clone(r.Hash); len(r.Packed.Values) == 0 {
			odd++
		}
		return nil
	})
	if err == nil {
		err = set.Queue(ctx, func(j Job) error { waiting[j.ID] = true; return nil })
	}
	if err != nil {
		return nil, err
	}
	stale, missing := 0, 0
	err = o.everyMemory(ctx, func(m *loci.Memory) {
		hash, found := has[m.ID]
		delete(has, m.ID)
		switch {
		case !m.DeletedAt.IsZero() || !m.SupersededBy.IsZero() || waiting[m.ID]:
		case !found:
			missing++
		case !bytes.Equal(hash, hashOf(recall.TextToEmbed(m))):
			stale++
		}
	})
	for _, p := range []struct {
		n        int
		is, what string
	}{{odd, "", "of another size than the model's"}, {stale, "", "of an older text"},
		{missing, "missing ", "of a memory that does not wait for one"}, {len(has), "", "of a memory that does not exist"}} {
		if p.n > 0 {
			problems = append(problems, fmt.Sprintf("%s %s, by the model %s",
				loci.Plural(p.n, p.is+"vector", p.is+"vectors"), p.what, s.Model.Name))
		}
	}
	return problems, err
}

// everyMemory calls fn for each memory of the org, also those in the trash.
func (o *org) everyMemory(ctx context.Context, fn func(*loci.Memory)) error {
	return o.Store.View(ctx, o.id, func(tx store.Tx) error {
		for rest, more := int64(0), true; more; more = rest != 0 {
			list, next, err := tx.Rows().Before(ctx, rest, chunk)
			if err != nil {
				return err
			}
			for _, m := range list {
				fn(m)
			}
			rest = next
		}
		return ctx.Err()
	})
}
