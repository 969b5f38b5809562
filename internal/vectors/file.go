package vectors

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

//go:embed migrations/*.sql
var migrations embed.FS

// suffix ends the names of the files. A file with another format of its contents needs another suffix.
const suffix = ".vectors"

// cacheKiB is small, because the vectors that searches compare are in memory.
const cacheKiB = 512

// file has the vectors of one org by one model.
type file struct {
	sqlitedb.Pooled
	path string
	name modelName

	mu      sync.Mutex
	vectors *index.Vectors
	seq     int64 // up to here, vectors has those of the file
	stamp   sqlitedb.Stamp
	stamped bool // nothing has changed since stamp, as far as vectors knows
}

// modelName says whose vectors a file has. Two models may have the same name if one of them changed its dimensions.
type modelName struct {
	model string
	dims  int
}

func (n modelName) file() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d", n.model, n.dims))
	return hex.EncodeToString(sum[:8]) + suffix
}

// create makes the file of a model, unless it is there.
func create(ctx context.Context, dir string, n modelName) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	db, err := openDB(ctx, filepath.Join(dir, n.file()))
	if err != nil {
		return err
	}
	err = db.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("INSERT OR IGNORE INTO state (one, model, dims) VALUES (1, ?, ?)", n.model, n.dims)
	})
	return errors.Join(err, db.Close())
}

func openFile(ctx context.Context, f *file) error {
	db, err := openDB(ctx, f.path)
	if err != nil {
		return err
	}
	found := false
	err = db.View(ctx, func(c *sqlitedb.Conn) (err error) {
		found, err = c.One("SELECT model, dims FROM state", nil, func(r *sqlitedb.Row) error {
			f.name = modelName{r.Text(0), r.Int(1)}
			return nil
		})
		return err
	})
	if err == nil && !found {
		err = fs.ErrNotExist // a process has stopped while it made the file; create goes on
	}
	if err != nil {
		_ = db.Close() // the first error tells more
		return err
	}
	f.DB, f.vectors = db, index.NewVectors(f.name.dims)
	return nil
}

func openDB(ctx context.Context, path string) (*sqlitedb.DB, error) {
	return sqlitedb.Open(ctx, sqlitedb.Options{Path: path, CacheKiB: cacheKiB,
		Migrations: sqlitedb.ReadMigrations(migrations, "migrations")})
}

func filesIn(dir string) (list []string) {
	entries, _ := os.ReadDir(dir) // without the directory there are none
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list
}

// state is how far a file is.
type state struct {
	begun, walking, complete bool
	position                 store.Position
	rest                     int64
	used                     int64 // when a process last had the model in use, in microseconds since 1970
}

func readState(c *sqlitedb.Conn) (s state, err error) {
	_, err = c.One("SELECT begun, walking, complete, position, rest, used FROM state", nil, func(r *sqlitedb.Row) error {
		s = state{r.Bool(0), r.Bool(1), r.Bool(2), store.Position(r.Text(3)), r.Int64(4), r.Int64(5)}
		return nil
	})
	return s, err
}

func (s state) write(c *sqlitedb.Conn) error {
	return c.Exec("UPDATE state SET begun = ?, walking = ?, complete = ?, position = ?, rest = ?", s.begun, s.walking,
		s.complete, string(s.position), s.rest)
}

func (f *file) state(ctx context.Context) (s state, err error) {
	err = f.DB.View(ctx, func(c *sqlitedb.Conn) error {
		s, err = readState(c)
		return err
	})
	return s, err
}

// These say for how long a file stays of which no process has the model in use, and how often one that has it says so.
const (
	unusedStays  = time.Hour
	noteUseEvery = unusedStays / 6
)

// noteUse notes that this process has the model in use, so that one with another model does not remove the file.
func (f *file) noteUse(ctx context.Context, now time.Time) error {
	s, err := f.state(ctx)
	if err != nil || now.Sub(time.UnixMicro(s.used)) < noteUseEvery {
		return err
	}
	return f.DB.Update(ctx, func(c *sqlitedb.Conn) error {
		return c.Exec("UPDATE state SET used = ?", now.UnixMicro())
	})
}

// put stores the vector of a memory. A nil vector removes it.
func put(c *sqlitedb.Conn, id loci.MemoryID, hash []byte, vector []float32) error {
	if vector == nil {
		return c.Exec("INSERT OR REPLACE INTO vectors (id) VALUES (?)", [16]byte(id))
	}
	p := index.Pack(vector)
	packed := make([]byte, len(p.Values))
	for i, x := range p.Values {
		packed[i] = byte(x)
	}
	exact := make([]byte, 0, 4*len(vector))
	for _, x := range vector {
		exact = binary.LittleEndian.AppendUint32(exact, math.Float32bits(x))
	}
	return c.Exec("INSERT OR REPLACE INTO vectors (id, hash, scale, packed, exact) VALUES (?, ?, ?, ?, ?)",
		[16]byte(id), hash,
		float64(p.Scale), packed, exact)
}

// loaded brings the vectors in memory up to what the file has, as far as ctx allows, and returns them.
func (f *file) loaded(ctx context.Context) (*index.Vectors, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	stamp, ok := f.DB.Stamp()
	if ok && f.stamped && stamp == f.stamp {
		return f.vectors, nil
	}
	if f.vectors.Wasted() > f.vectors.Len()+chunk {
		f.vectors, f.seq = index.NewVectors(f.name.dims), 0
	}
	err := f.DB.Scan(ctx, func(c *sqlitedb.Conn) error {
		return c.Query("SELECT seq, id, scale, packed FROM vectors WHERE seq > ? ORDER BY seq", sqlitedb.Args{f.seq},
			f.take)
	})
	f.stamp, f.stamped = stamp, ok && err == nil
	if loci.Spent(ctx) || ctx.Err() != nil {
		return f.vectors, nil // the next search goes on
	}
	return f.vectors, err
}

// chunk is how many rows are read or written at a time.
const chunk = 1000

// take takes over a row of the file.
func (f *file) take(r *sqlitedb.Row) error {
	id, packed := r.ID(1), r.Raw(3)
	switch {
	case len(packed) == f.name.dims && len(packed) > 0:
		values := make([]int8, len(packed))
		for i, x := range packed {
			values[i] = int8(x)
		}
		f.vectors.Put(id, index.Packed{Values: values, Scale: float32(r.Float(2))})
	default:
		f.vectors.Remove(id)
	}
	f.seq = r.Int64(0)
	return nil
}

// exact sets the vectors of memories as the model made them.
func (f *file) exact(ctx context.Context, ids [][16]byte, out [][]float32) error {
	return f.DB.View(ctx, func(c *sqlitedb.Conn) error {
		for i, id := range ids {
			if _, err := c.One("SELECT exact FROM vectors WHERE id = ?", sqlitedb.Args{id},
				func(r *sqlitedb.Row) error { out[i] = floats(r.Raw(0)); return nil }); err != nil {
				return err
			}
		}
		return nil
	})
}

func floats(raw []byte) []float32 {
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}
