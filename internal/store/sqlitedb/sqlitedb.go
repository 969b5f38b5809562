package sqlitedb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/loci-memory/loci/internal/store/group"
)

// Options specify which file to open and how. Only Path is required.
type Options struct {
	Path       string                    // the directory must exist
	Setup      func(*sqlite3.Conn) error // runs on every new connection: functions, tokenizers, virtual tables
	Migrations []Migration               // numbered 1, 2, 3 …
	Readers    int                       // most reader connections of View, and of Scan; default max(4, GOMAXPROCS)
	CacheKiB   int                       // page cache of one connection; default 2048
	Now        func() time.Time          // default time.Now; stamps _migrations.applied_at
	Common     []string                  // tables that Steady leaves out, and that no trigger or reference leads out of
	Moves      bool                      // InPlace accepts that the file is moved or deleted while unused
	ReadOnly   bool                      // Open also opens a file that cannot be written; see [DB.Unwritable]
	Exists     bool                      // Open fails with ErrMissing if there is no file, or an empty one
	Warn       func(text string)         // told of changes that a damaged log has lost; default: discard
}

// DB is one open SQLite file. Its methods may be called from any goroutine.
type DB struct {
	opts    Options
	lock    *fileLock
	group   *group.Writer[*Conn] // nil: nothing can be written
	readers *pool
	scans   *pool // separate from readers, so that a short read never waits for a search
	writer  *Conn // owned by group until that is closed
	wal     walGauge
	index   logIndex
	steady  steady
	at      atomic.Pointer[place]
	// unwritable is why nothing can be written, and reading how the file is opened instead; nil and "": it can.
	unwritable error
	reading    string
	gone       atomic.Pointer[Error] // set when the files are no longer in their place

	closeOnce sync.Once
	closeErr  error
	hurry     chan struct{} // closed when a closing DB stops waiting for the lock file
}

// Open opens or creates the file, brings its schema up to date and starts the writer. Other
// processes may do the same at once. It fails with [ErrReadOnly] if nothing can be written,
// [ErrNotDB] for a file that is not a database, [ErrNewer] for a file that a newer program
// migrated, and [ErrNotWAL] if the file system does not support a write-ahead log.
func Open(ctx context.Context, opts Options) (*DB, error) {
	opts = opts.withDefaults()
	path, err := realPath(opts.Path)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", opts.Path, err)
	}
	opts.Path = path
	db := &DB{opts: opts, hurry: make(chan struct{})}
	db.readers = newPool(opts.Readers, db.connectReader, db.Stamp)
	db.scans = newPool(opts.Readers, db.connectReader, db.Stamp)
	err = db.open(ctx)
	switch {
	case err == nil:
		db.group = group.NewWriter[*Conn](engine{db})
	case opts.ReadOnly && (errors.Is(err, ErrReadOnly) || errors.Is(err, ErrFull)) && db.openToRead() == nil:
		db.unwritable = err
	default:
		return nil, fmt.Errorf("cannot open %s: %w", path, err)
	}
	return db, nil
}

func (o Options) withDefaults() Options {
	if o.Path == "" {
		panic("sqlitedb: Options.Path is required")
	}
	for i, m := range o.Migrations {
		if m.Number != i+1 {
			panic(fmt.Sprintf("sqlitedb: migration %q has number %d, want %d", m.Name, m.Number, i+1))
		}
	}
	if o.Readers <= 0 {
		o.Readers = max(4, runtime.GOMAXPROCS(0))
	}
	if o.CacheKiB <= 0 {
		o.CacheKiB = 2048
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// open creates and migrates under the lock file, so that processes that start together never see unfinished files.
func (db *DB) open(ctx context.Context) (err error) {
	if db.lock, err = lockAt(ctx, db.opts.Path); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			db.lock.close()
		}
	}()
	defer db.lock.release()
	if db.opts.Exists && IsMissing(db.opts.Path) {
		return &Error{ErrMissing, errors.New("no data in " + db.opts.Path)}
	}
	if err := createPrivate(db.opts.Path); err != nil {
		return explainPath(db.opts.Path, err)
	}
	if lost := keepLost(db.opts.Path); lost != "" && db.opts.Warn != nil {
		db.opts.Warn(lost)
	}
	made, copied, err := createMigrated(ctx, db.opts)
	if err != nil {
		return err
	}
	if db.writer, err = db.connectWriter(); err != nil {
		return err
	}
	switch {
	case copied:
		err = db.writer.Exec("UPDATE _migrations SET applied_at = ?", db.opts.Now().UnixMicro())
	case !made:
		err = migrate(ctx, db.writer, db.opts)
	}
	if err != nil {
		return errors.Join(err, db.writer.close())
	}
	keepPrivate(db.opts.Path)
	if err := db.remember(); err != nil {
		return err
	}
	db.index.open(db.opts.Path)
	return nil
}

// closePatience is how long Close waits for another process to release the lock file. After that,
// queued operations fail with ErrBusy.
const closePatience = 10 * time.Second

// Close rejects new calls, waits for running ones, moves the log into the database file and
// closes every connection. Later calls get [ErrClosed].
func (db *DB) Close() error {
	db.closeOnce.Do(func() {
		impatient := time.AfterFunc(closePatience, func() { close(db.hurry) })
		if db.group != nil {
			db.group.Close()
		}
		db.closeErr = errors.Join(db.readers.close(), db.scans.close(), db.closeWriter())
		impatient.Stop()
		db.lock.close()
	})
	return db.closeErr
}

// closeWriter holds the lock file: the last connection to close removes the log, and a process
// that is just opening must not see that half done.
func (db *DB) closeWriter() error {
	db.index.close()
	if db.writer == nil {
		return nil
	}
	if err := db.lock.acquire(db.hurry); err == nil {
		defer db.lock.release()
		db.checkpointTruncate(db.writer, time.Second)
	}
	return db.writer.close()
}

// realPath returns the same path to all who open one file, whatever links they use, because the
// lock file must be beside the file itself.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real, nil
	}
	dir, name := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(real, name), nil
	}
	return path, nil // opening it will report the problem
}

// createPrivate makes sure that the file exists and can be written. Only its owner can read a new file.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// keepPrivate gives the log and its index the mode of the database, because the driver creates them with the umask's,
// and makes their directory entries durable. It ignores errors, because some file systems support neither.
func keepPrivate(path string) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Chmod(path+suffix, info.Mode().Perm())
	}
	_ = syncDir(filepath.Dir(path))
}

// Unwritable returns why Update fails, if the file was opened only to read; else nil.
func (db *DB) Unwritable() error { return db.unwritable }

// openToRead opens an existing file that cannot be written. If there are changes in its log, SQLite reads them with
// the log's index, which it shares with other processes, or else rebuilds in memory. Without such changes SQLite may
// need to create that index. So then the file is opened as one that does not change, and this process shares the pen,
// for which writers wait.
func (db *DB) openToRead() (err error) {
	db.writer, db.lock, db.reading = nil, &fileLock{}, "immutable=1"
	defer func() {
		if err != nil {
			db.lock.close()
		}
	}()
	if f, err := os.Open(db.opts.Path + lockSuffix); err == nil { // otherwise no process has ever opened the file
		db.lock.f = f
		if err := share(f, pen); err != nil {
			return err
		}
	}
	if log, err := os.Stat(db.opts.Path + "-wal"); err == nil && log.Size() > 0 {
		db.lock.close()
		db.reading = "mode=ro"
	}
	if err := db.remember(); err != nil {
		return err
	}
	c, err := db.connectReader()
	if err != nil {
		return err
	}
	applied, err := appliedMigrations(c)
	if err == nil && len(applied) < len(db.opts.Migrations) {
		err = errors.New("it has an older schema, which cannot be brought up to date")
	}
	return errors.Join(err, checkApplied(applied, db.opts.Migrations), c.close())
}

// openFlags returns the name and the flags with which SQLite opens the file.
func (db *DB) openFlags() (name string, flags sqlite3.OpenFlag) {
	if db.reading != "" {
		return uri(db.opts.Path) + "&" + db.reading, sqlite3.OPEN_READONLY | sqlite3.OPEN_URI
	}
	return uri(db.opts.Path), sqlite3.OPEN_READWRITE | sqlite3.OPEN_URI
}
