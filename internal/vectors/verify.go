package vectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

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
