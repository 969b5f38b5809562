package embedded

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Options configure a log. Only Dir is required.
type Options struct {
	Dir string           // has a directory for each org; created by the first event
	Now func() time.Time // default time.Now
	// ReadOnly also opens what cannot be written.
	ReadOnly bool
	// Registry knows which orgs have a log, so that a lost one is no empty one; nil: no log is missed.
	Registry Registry
	Warn     func(text string) // as in sqlitedb.Options
}

// Registry records which orgs have an event log: EventLogs returns the org if it has one. Damaged is
// told of each error of a log, and names the file in those about damage.
type Registry interface {
	EventLogs(ctx context.Context, org loci.OrgID) ([]loci.OrgID, error)
	KeepsEvents(ctx context.Context, org loci.OrgID, keeps bool) error
	Damaged(file string, err error) error
}

// noRegistry misses no log.
type noRegistry struct{}

func (noRegistry) EventLogs(context.Context, loci.OrgID) ([]loci.OrgID, error) { return nil, nil }
func (noRegistry) KeepsEvents(context.Context, loci.OrgID, bool) error         { return nil }
func (noRegistry) Damaged(_ string, err error) error                           { return err }

const (
	idleLogs  = 16 // most orgs whose log.db stays open while nobody uses it
	idleSides = 32 // the same for all other files
)

// Log is the event log of all orgs. Several processes may use the same directory.
type Log struct {
	opts   Options
	logs   *sqlitedb.Files[*orgLog]
	sides  *sqlitedb.Files[*sideFile]
	zip    compressor
	access lastAccess
}

var _ eventlog.Engine = (*Log)(nil)

type orgLog struct {
	sqlitedb.Pooled
	org   loci.OrgID
	known known // by the writer
	works works

	sealAfter atomic.Int64 // when to look for events of past months again, in microseconds

	ready    sync.Mutex
	readyAt  time.Time
	readyErr error
}

// sideFile is an open file of a month.
type sideFile struct {
	sqlitedb.Pooled
	org  loci.OrgID
	name string
}

const logFile = "log.db"

// Open returns the log in a directory. It opens files when they are needed, and creates them with the
// first event of an org.
func Open(opts Options) *Log {
	if opts.Dir == "" {
		panic("embedded: Options.Dir is required")
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Registry == nil {
		opts.Registry = noRegistry{}
	}
	l := &Log{opts: opts}
	l.logs = sqlitedb.NewFiles(idleLogs, func(org string) *orgLog { return &orgLog{org: loci.OrgID(org)} },
		l.openLog)
	l.sides = sqlitedb.NewFiles(idleSides, newSideFile, l.openSide)
	return l
}

// Close waits for running calls. Later calls fail.
func (l *Log) Close() error { return errors.Join(l.logs.Close(), l.sides.Close()) }

func (l *Log) path(org loci.OrgID, name string) string {
	return filepath.Join(l.opts.Dir, string(org), name)
}

// exists reports whether an org has a file of that name.
func (l *Log) exists(org loci.OrgID, name string) (bool, error) {
	_, err := os.Stat(l.path(org, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func (l *Log) openLog(ctx context.Context, f *orgLog) error {
	had, err := l.opts.Registry.EventLogs(ctx, f.org)
	if err != nil {
		return err
	}
	f.DB, err = sqlitedb.Open(ctx, sqlitedb.Options{Path: l.path(f.org, logFile), Migrations: migrations("log"),
		Now: l.opts.Now, ReadOnly: l.opts.ReadOnly, Exists: len(had) > 0, Warn: l.opts.Warn})
	if err == nil && len(had) == 0 && !l.opts.ReadOnly {
		if err = l.opts.Registry.KeepsEvents(ctx, f.org, true); err != nil { // before the first event
			err = errors.Join(err, f.DB.Close())
		}
	}
	return err
}

// errDropped is the error of a function that finds that the org was deleted.
var errDropped = errors.New("the events of the org were deleted")

// write runs fn on the log of an org and creates it if necessary. fn may run several times.
func (l *Log) write(ctx context.Context, org loci.OrgID, fn func(*orgLog) error) error {
	if err := org.Validate(); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		gone, err := l.with(ctx, org, fn)
		if !gone || attempt > 1 {
			return err
		}
		if errors.Is(err, errDropped) { // by a call that is still at work, or was killed
			if err := l.drop(ctx, org, l.isDropped); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(filepath.Join(l.opts.Dir, string(org)), 0o700); err != nil {
			return translate(err)
		}
	}
}

// read runs fn on the log of an org, or does nothing if there is none. fn may run twice.
func (l *Log) read(ctx context.Context, org loci.OrgID, fn func(*orgLog) error) error {
	if err := org.Validate(); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		there, err := l.exists(org, logFile)
		if !there && err == nil { // then it may be missing, as with reports
			var had []loci.OrgID
			had, err = l.opts.Registry.EventLogs(ctx, org)
			there = len(had) > 0
		}
		if err != nil || !there {
			return translate(err)
		}
		gone, err := l.with(ctx, org, fn)
		if errors.Is(err, errDropped) {
			return nil
		}
		if !gone || attempt > 0 {
			return err
		}
	}
}

// with runs fn on the log of an org. gone is set if its file, or the directory, is not in its place any
// more: then the next call opens it again.
func (l *Log) with(ctx context.Context, org loci.OrgID, fn func(*orgLog) error) (gone bool, err error) {
	damaged := func(err error) error {
		return translate(l.opts.Registry.Damaged(path.Join(filepath.Base(l.opts.Dir), string(org), logFile), err))
	}
	f, err := l.logs.Acquire(ctx, string(org))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist), damaged(err)
	}
	defer l.logs.Release(f)
	err = fn(f)
	if gone = errors.Is(err, sqlitedb.ErrGone) || errors.Is(err, errDropped); gone {
		l.logs.Discard(f)
	}
	return gone, damaged(err)
}

// state is the one row of that table.
type state struct {
	epoch     [epochBytes]byte
	key       [16]byte // of cursors
	floor     int64
	sealed    int64
	access    int64
	forgotten int64
	last      int64 // the highest seq of an event; 0: there is none
}

const selectState = `SELECT epoch, floor, sealed, access, forgotten, dropped,
	(SELECT max(seq) FROM events), key FROM state`

// loadState returns the state of a log. It fails with errDropped if the org was deleted.
func loadState(c *sqlitedb.Conn) (s state, err error) {
	dropped := false
	_, err = c.One(selectState, nil, func(r *sqlitedb.Row) error {
		copy(s.epoch[:], r.Raw(0))
		s.floor, s.sealed, s.access = r.Int64(1), r.Int64(2), r.Int64(3)
		s.forgotten, dropped, s.last = r.Int64(4), r.Bool(5), r.Int64(6)
		s.key = r.ID(7)
		return nil
	})
	if err == nil && dropped {
		err = errDropped
	}
	return s, err
}

// newState is loadState for a writer, which may be the first.
func newState(c *sqlitedb.Conn) (state, error) {
	s, err := loadState(c)
	if err != nil || s.epoch != [epochBytes]byte{} {
		return s, err
	}
	var epoch [epochBytes]byte
	var key [16]byte
	_, _ = rand.Read(epoch[:]) // never fails
	_, _ = rand.Read(key[:])
	err = c.Exec(`INSERT INTO state (one, epoch, key, floor, sealed, access, forgotten, dropped)
		VALUES (1, ?, ?, 0, 0, 0, 0, 0)`, epoch[:], key)
	if err != nil {
		return s, err
	}
	return loadState(c)
}

func (s *state) next() int64 { return max(s.last, s.floor) + 1 }

//go:embed migrations/log/*.sql migrations/month/*.sql
var migrationFiles embed.FS

// migrations returns the steps of the schema of one kind of database.
func migrations(kind string) []sqlitedb.Migration {
	return sqlitedb.ReadMigrations(migrationFiles, path.Join("migrations", kind))
}
