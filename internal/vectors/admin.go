package vectors

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

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
	o, healed := x.of(id), false
	for {
		before := o.paceNow()
		_, err := o.follow(ctx, m)
		if err == nil {
			_, err = o.catchUp(ctx, m, time.Time{})
		}
		if unreadable(err) && !healed { // the file is removed
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
// until each is replaced, unless the file is damaged.
func (x *Index) Rebuild(ctx context.Context, id loci.OrgID) error {
	if !x.on() {
		return nil
	}
	m, err := x.Models.Current(ctx)
	if err != nil || m == nil {
		return err
	}
	if _, err := m.Embed(ctx, embed.Document, []string{probe}); err != nil {
		return err
	}
	o := x.of(id)
	path, err := o.current(ctx, m)
	if err != nil {
		return err
	}
	var problems []string
	err = o.use(ctx, path, func(f *file) (err error) {
		if problems, err = f.DB.Check(ctx); err != nil || len(problems) > 0 {
			return err
		}
		return f.again(ctx)
	})
	if len(problems) > 0 {
		err = errors.Join(err, o.remove(ctx, path))
	}
	if err != nil && !unreadable(err) { // such a file is removed
		return err
	}
	return x.CatchUp(ctx, id)
}

// again puts all memories into the queue, those that have a vector and those that lack one.
func (f *file) again(ctx context.Context) error {
	return f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec("INSERT OR REPLACE INTO queue (id, due, tries) SELECT id, 0, 0 FROM vectors WHERE hash IS NOT NULL")
		if err != nil {
			return err
		}
		return c.Exec("UPDATE state SET begun = 0, walking = 0, rest = 0")
	})
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
func (x *Index) Close() error {
	for _, o := range x.all() {
		o.stop()
	}
	x.asking.Wait()
	return x.files.Close()
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
	for _, path := range x.of(id).paths() {
		err := x.with(ctx, path, func(f *file) error {
			s, err := f.state(ctx)
			if err != nil {
				return err
			}
			done, waiting, err := f.count(ctx)
			list = append(list, Stats{f.name.model, f.name.dims, done, waiting, sizeOf(path), s.complete})
			return err
		})
		if err != nil && !unreadable(err) && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
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
