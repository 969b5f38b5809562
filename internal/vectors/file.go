package vectors

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index/packing"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

//go:embed migrations/*.sql
var migrations embed.FS

// cacheKiB is small, because the vectors that searches compare are in memory.
const cacheKiB = 512

// file is a Set.
type file struct {
	sqlitedb.Pooled
	path    string
	damaged atomic.Bool

	mu      sync.Mutex
	seq     int64 // no vector has changed after seq, as long as the file has this stamp
	stamp   sqlitedb.Stamp
	stamped bool
}

func openFile(ctx context.Context, f *file) error {
	db, err := openDB(ctx, f.path)
	if err != nil {
		return err
	}
	var s Progress
	err = db.View(ctx, func(c *sqlitedb.Conn) (err error) {
		s, err = readProgress(c)
		return err
	})
	if err == nil && s.Model.Dims == 0 {
		err = fs.ErrNotExist // a process has stopped while it made the file; Create goes on
	}
	if err != nil {
		_ = db.Close() // the first error tells more
		return err
	}
	f.DB = db
	return nil
}

func openDB(ctx context.Context, path string) (*sqlitedb.DB, error) {
	return sqlitedb.Open(ctx, sqlitedb.Options{Path: path, CacheKiB: cacheKiB,
		Migrations: sqlitedb.ReadMigrations(migrations, "migrations")})
}

func (f *file) view(ctx context.Context, fn func(*sqlitedb.Conn) error) error {
	return f.note(f.DB.View(ctx, fn))
}

func (f *file) update(ctx context.Context, fn func(*sqlitedb.Conn) error) error {
	return f.note(f.DB.Update(ctx, fn))
}

// note notes whether an error says that the file is damaged.
func (f *file) note(err error) error {
	err = damage(err)
	if errors.Is(err, ErrDamaged) {
		f.damaged.Store(true)
	}
	return err
}

func readProgress(c *sqlitedb.Conn) (s Progress, err error) {
	_, err = c.One("SELECT model, dims, identity, begun, walking, position, rest, complete, used FROM state", nil,
		func(r *sqlitedb.Row) error {
			s = Progress{Model{r.Text(0), r.Int(1)}, r.Int64(2), r.Bool(3), r.Bool(4), store.Position(r.Text(5)), r.Int64(6),
				r.Bool(7), r.Int64(8)}
			return nil
		})
	return s, err
}

func (f *file) Progress(ctx context.Context) (s Progress, err error) {
	err = f.view(ctx, func(c *sqlitedb.Conn) error {
		s, err = readProgress(c)
		return err
	})
	return s, err
}

func (f *file) Advance(ctx context.Context, from, to Progress, list []Change) (ok bool, err error) {
	err = f.update(ctx, func(c *sqlitedb.Conn) error {
		now, err := readProgress(c)
		if ok = err == nil && now == from; !ok {
			return err
		}
		for i := range list {
			if err := list[i].apply(c); err != nil {
				return err
			}
		}
		return c.Exec("UPDATE state SET begun = ?, walking = ?, position = ?, rest = ?, complete = ?, used = ?",
			to.Begun, to.Walking, string(to.Position), to.Rest, to.Complete, to.Used)
	})
	return ok && err == nil, err
}

func (ch *Change) apply(c *sqlitedb.Conn) error {
	if ch.Gone {
		return remove(c, ch.ID)
	}
	if ch.Hash != nil {
		hash, err := hashIn(c, ch.ID)
		if err == nil && hash != nil && !bytes.Equal(hash, ch.Hash) {
			err = put(c, ch.ID, nil, nil)
		}
		if err != nil || bytes.Equal(hash, ch.Hash) {
			return err
		}
	}
	return c.Exec("INSERT OR REPLACE INTO queue (id, due, tries) VALUES (?, ?, 0)", [16]byte(ch.ID), ch.Later)
}

// hashIn returns the hash of the text whose vector a memory has, or nil.
func hashIn(c *sqlitedb.Conn, id loci.MemoryID) (hash []byte, err error) {
	_, err = c.One("SELECT hash FROM vectors WHERE id = ?", sqlitedb.Args{[16]byte(id)}, func(r *sqlitedb.Row) error {
		hash = r.Blob(0)
		return nil
	})
	return hash, err
}

// remove forgets a memory.
func remove(c *sqlitedb.Conn, id loci.MemoryID) error {
	hash, err := hashIn(c, id)
	if err == nil && hash != nil {
		err = put(c, id, nil, nil)
	}
	if err != nil {
		return err
	}
	return c.Exec("DELETE FROM queue WHERE id = ?", [16]byte(id))
}

// put stores the vector of a memory. A nil vector removes it.
func put(c *sqlitedb.Conn, id loci.MemoryID, hash []byte, vector []float32) error {
	if vector == nil {
		return c.Exec("INSERT OR REPLACE INTO vectors (id) VALUES (?)", [16]byte(id))
	}
	p := packing.Pack(vector)
	packed := make([]byte, len(p.Values))
	for i, x := range p.Values {
		packed[i] = byte(x)
	}
	return c.Exec("INSERT OR REPLACE INTO vectors (id, hash, scale, packed) VALUES (?, ?, ?, ?)", [16]byte(id), hash,
		float64(p.Scale), packed)
}

func (f *file) Take(ctx context.Context, most int, now, until time.Time) (jobs []Job, err error) {
	err = f.update(ctx, func(c *sqlitedb.Conn) error {
		jobs = nil
		err := c.Query("SELECT id, tries FROM queue WHERE due <= ? ORDER BY due, rowid LIMIT ?",
			sqlitedb.Args{now.UnixMicro(), most}, func(r *sqlitedb.Row) error {
				jobs = append(jobs, Job{r.ID(0), until, r.Int(1) + 1})
				return nil
			})
		for i := 0; i < len(jobs) && err == nil; i++ {
			err = c.Exec("UPDATE queue SET due = ?, tries = tries + 1 WHERE id = ?", until.UnixMicro(), [16]byte(jobs[i].ID))
		}
		return err
	})
	return jobs, err
}

func (f *file) Finish(ctx context.Context, list []Result) error {
	return f.update(ctx, func(c *sqlitedb.Conn) error {
		for i := range list {
			r := &list[i]
			mine, err := c.One("SELECT 1 FROM queue WHERE id = ? AND due = ?", sqlitedb.Args{[16]byte(r.ID),
				r.Due.UnixMicro()}, func(*sqlitedb.Row) error { return nil })
			if err == nil && mine {
				err = r.apply(c)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *Result) apply(c *sqlitedb.Conn) error {
	switch {
	case r.Back != nil:
		return c.Exec("UPDATE queue SET due = ?, tries = ? WHERE id = ?", r.Back.Due.UnixMicro(), r.Back.Tries,
			[16]byte(r.ID))
	case r.Gone:
		return remove(c, r.ID)
	case r.Vector != nil:
		if err := put(c, r.ID, r.Hash, r.Vector); err != nil {
			return err
		}
	}
	return c.Exec("DELETE FROM queue WHERE id = ?", [16]byte(r.ID))
}

func (f *file) Queue(ctx context.Context, fn func(Job) error) error {
	return f.view(ctx, func(c *sqlitedb.Conn) error {
		return c.Query("SELECT id, due, tries FROM queue ORDER BY due, rowid", nil, func(r *sqlitedb.Row) error {
			return fn(Job{r.ID(0), time.UnixMicro(r.Int64(1)), r.Int(2)})
		})
	})
}

func (f *file) Since(ctx context.Context, seq int64, fn func(Row) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	stamp, ok := f.DB.Stamp()
	if ok && f.stamped && stamp == f.stamp && seq >= f.seq {
		return nil
	}
	dims := 0
	err := f.DB.Scan(ctx, func(c *sqlitedb.Conn) error {
		s, err := readProgress(c)
		if dims = s.Model.Dims; err != nil {
			return err
		}
		return c.Query("SELECT seq, id, hash, scale, packed FROM vectors WHERE seq > ? ORDER BY seq",
			sqlitedb.Args{seq}, func(r *sqlitedb.Row) error {
				row := Row{Seq: r.Int64(0), ID: r.ID(1), Hash: r.Raw(2)}
				if packed := r.Raw(4); len(packed) == dims {
					row.Packed = packing.Vector{Values: make([]int8, dims), Scale: float32(r.Float(3))}
					for i, x := range packed {
						row.Packed.Values[i] = int8(x)
					}
				}
				seq = row.Seq
				return fn(row)
			})
	})
	f.seq, f.stamp, f.stamped = seq, stamp, ok && err == nil
	return f.note(err)
}

func (f *file) Count(ctx context.Context) (n Count, err error) {
	err = f.view(ctx, func(c *sqlitedb.Conn) error {
		_, err := c.One("SELECT (SELECT count(*) FROM vectors WHERE hash IS NOT NULL), (SELECT count(*) FROM queue), "+
			"(SELECT count(*) FROM (SELECT id FROM vectors WHERE hash IS NOT NULL UNION SELECT id FROM queue))", nil,
			func(r *sqlitedb.Row) error { n = Count{r.Int(0), r.Int(1), r.Int(2), 0}; return nil })
		return err
	})
	matches, _ := filepath.Glob(f.path + "*")
	for _, m := range matches {
		if info, err := os.Stat(m); err == nil {
			n.Bytes += info.Size()
		}
	}
	return n, err
}

func (f *file) Check(ctx context.Context) ([]string, error) {
	problems, err := f.DB.Check(ctx)
	return problems, f.note(err)
}
