package vectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Verify compares the vectors of an org with its memories, and returns one sentence for each kind of problem. It asks
// no model: what waits for its vector is no problem.
func (x *Index) Verify(ctx context.Context, id loci.OrgID) (problems []string, err error) {
	if x.Dir == "" {
		return nil, nil
	}
	o := x.of(id)
	for _, path := range o.paths() {
		found, err := o.verify(ctx, path)
		if err == nil && len(found) > 0 { // somebody may have changed a memory meanwhile
			found, err = o.verify(ctx, path)
		}
		if err != nil {
			return nil, err
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

func (o *org) verify(ctx context.Context, path string) (problems []string, err error) {
	err = o.with(ctx, path, func(f *file) error {
		problems, err = o.verifyFile(ctx, f)
		return err
	})
	switch {
	case unreadable(err):
		return []string{fmt.Sprintf("the file %s cannot be read: %s", filepath.Base(path), err)}, nil
	case errors.Is(err, fs.ErrNotExist): // it has just gone
		return nil, nil
	}
	return problems, err
}

func (o *org) verifyFile(ctx context.Context, f *file) ([]string, error) {
	problems, err := f.DB.Check(ctx)
	if err != nil || len(problems) > 0 {
		return problems, err
	}
	if err := o.followAll(ctx, f); err != nil {
		return nil, err
	}
	var has map[loci.MemoryID][]byte
	var waiting map[loci.MemoryID]bool
	odd := 0
	err = f.DB.View(ctx, func(c *sqlitedb.Conn) error {
		has, waiting, odd, err = f.all(c)
		return err
	})
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
				loci.Plural(p.n, p.is+"vector", p.is+"vectors"), p.what, f.name.model))
		}
	}
	return problems, err
}

// all returns the hashes of the texts that have a vector, which memories wait for one, and how many vectors have
// another size than those of the model.
func (f *file) all(c *sqlitedb.Conn) (has map[loci.MemoryID][]byte, waiting map[loci.MemoryID]bool, odd int,
	err error) {
	has, waiting = map[loci.MemoryID][]byte{}, map[loci.MemoryID]bool{}
	err = c.Query("SELECT id, hash, length(packed), length(exact) FROM vectors WHERE hash IS NOT NULL", nil,
		func(r *sqlitedb.Row) error {
			has[r.ID(0)] = r.Blob(1)
			if r.Int(2) != f.name.dims || r.Int(3) != 4*f.name.dims {
				odd++
			}
			return nil
		})
	if err == nil {
		err = c.Query("SELECT id FROM queue", nil, func(r *sqlitedb.Row) error {
			waiting[r.ID(0)] = true
			return nil
		})
	}
	return has, waiting, odd, err
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
