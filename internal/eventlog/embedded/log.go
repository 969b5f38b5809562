// Package embedded is the event log in files of the data directory, for one host. Each org has a
// directory with log.db, which has new and recent events, and one compressed file for each past month,
// such as 2026-01.db. Who searches events by a text passes their ids, which an index has found.
//
// An append is one transaction on log.db, with two trees to write: the events in the order in which
// they were stored, and their ids, which are in the order of time. Everything else is done behind it,
// by Upkeep: it moves those of past months into their files.
//
// A read takes its snapshots of log.db before those of the months, and an event moves in that order,
// too. So a read finds every event once, whatever moves meanwhile (see source).
//
// The visibility rule is loci.Viewer.SeesEvent and nothing else. Events refer to a stream and that to
// a class, which is a distinct access. A read asks the rule once for each class.
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
	"syscall"
	"time"

	"github.com/gofrs/flock"

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

const tooManyFiles = "the server has too many files open; try again later. The operator can raise the limit (ulimit -n)"

// errorClass is a kind of error with the code and the text that callers get for it. Texts of the system
// have paths, so they are only causes.
type errorClass struct {
	class error
	code  loci.Code
	text  string
}

var logErrors = []errorClass{
	{sqlitedb.ErrFull, loci.Full, "the disk is full; nothing was written"},
	{sqlitedb.ErrReadOnly, loci.Unavailable, "the directory of events cannot be written"},
	{sqlitedb.ErrBusy, loci.Unavailable, "the event log is locked by another program; try again"},
	{sqlitedb.ErrFiles, loci.Unavailable, tooManyFiles},
	{sqlitedb.ErrGone, loci.Unavailable, "the event log was moved, replaced or deleted while Loci was running; put it " +
		"back, then restart Loci"},
	{sqlitedb.ErrClosed, loci.Unavailable, "the event log is closed"},
	{sqlitedb.ErrCorrupt, loci.Unavailable, "a file of the event log is damaged; run: loci doctor"},
	{sqlitedb.ErrNotDB, loci.Unavailable, "a file of the event log is damaged; run: loci doctor"},
	{sqlitedb.ErrMissing, loci.Unavailable, "a file of the event log is missing or empty; run: loci doctor"},
	{errDamaged, loci.Unavailable, "a file of the event log is damaged; run: loci doctor"},
	{sqlitedb.ErrIO, loci.Unavailable, "the disk failed; nothing was written"},
	{syscall.ENOSPC, loci.Full, "the disk is full; nothing was written"},
	{syscall.EMFILE, loci.Unavailable, tooManyFiles},
	{syscall.ENFILE, loci.Unavailable, tooManyFiles},
	{fs.ErrPermission, loci.Unavailable, "the directory of events cannot be written; this user must own everything in it"},
	{syscall.EROFS, loci.Unavailable, "the directory of events cannot be written"},
	{syscall.ENOTDIR, loci.Unavailable, "a file has the name of the directory of events; move it away"},
	{fs.ErrNotExist, loci.Unavailable, "the event log was moved or deleted while Loci was running"},
	{sqlitedb.ErrNewer, loci.Unavailable, "the event log was written by a newer version; upgrade loci"},
	{sqlitedb.ErrNotWAL, loci.Unavailable, "the directory of events is on a network or container file system; put it " +
		"on a local disk"},
}

const targetReadOnly = "the directory of the backup cannot be written"

// targetErrors are about the files of a backup. Others that occur while one is written are about the log.
var targetErrors = []errorClass{
	{sqlitedb.ErrFull, loci.Full, "the disk of the backup is full"},
	{sqlitedb.ErrReadOnly, loci.Unavailable, targetReadOnly},
	{sqlitedb.ErrIO, loci.Unavailable, "a disk failed while the backup was written"},
	{syscall.ENOSPC, loci.Full, "the disk of the backup is full"},
	{fs.ErrPermission, loci.Unavailable, targetReadOnly},
	{syscall.EROFS, loci.Unavailable, targetReadOnly},
	{syscall.ENOTDIR, loci.Unavailable, targetReadOnly},
	{fs.ErrNotExist, loci.Unavailable, targetReadOnly},
	{fs.ErrExist, loci.Conflict, "the directory of the backup has a file of this log already; use another directory"},
}

// translate adds a code to errors of files. It leaves errors that have one, and those that only a defect can cause.
func translate(err error) error { return classify(err, logErrors) }

func translateTarget(err error) error { return translate(classify(err, targetErrors)) }

func classify(err error, classes []errorClass) error {
	if err == nil || loci.CodeOf(err) != "" {
		return err
	}
	for _, c := range classes {
		if errors.Is(err, c.class) {
			return loci.WrapError(c.code, err, "%s", c.text)
		}
	}
	return err
}

const (
	// upkeepLock is held by the one call that moves or deletes events, copies the log, or writes the index.
	upkeepLock = "upkeep.lock"
	// upkeepTurn is held by the call that is next. Upkeep does nothing while somebody waits, because it
	// may be called again and again.
	upkeepTurn = "upkeep.turn"
	// upkeepWait is how often a waiting call looks whether the lock is free.
	upkeepWait = 10 * time.Millisecond
)

func (l *Log) lock(org loci.OrgID, name string) *flock.Flock {
	return flock.New(l.path(org, name), flock.SetPermissions(0o600))
}

// alone waits until no other call moves or deletes events of an org. leave is nil if the org has no
// directory: then it has no events either.
func (l *Log) alone(ctx context.Context, org loci.OrgID) (leave func(), err error) {
	return l.enter(org, func(f *flock.Flock) (bool, error) { return f.TryLockContext(ctx, upkeepWait) })
}

// aloneNow is alone for a call that doesn't wait. leave is also nil if there is another one.
func (l *Log) aloneNow(org loci.OrgID) (leave func(), err error) {
	return l.enter(org, (*flock.Flock).TryLock)
}

func (l *Log) enter(org loci.OrgID, try func(*flock.Flock) (bool, error)) (leave func(), err error) {
	turn, lock := l.lock(org, upkeepTurn), l.lock(org, upkeepLock)
	free, err := take(turn, try)
	if free {
		free, err = take(lock, try)
	}
	if err = errors.Join(err, turn.Close()); err != nil || !free {
		err = errors.Join(err, lock.Close())
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// take takes a lock. It begins again if the file that it has locked was removed meanwhile (see
// removeLocks), because others may hold the lock of the next file.
func take(lock *flock.Flock, try func(*flock.Flock) (bool, error)) (free bool, err error) {
	for {
		if free, err = try(lock); !free || err != nil {
			return false, err
		}
		has, err := lock.Stat()
		if err != nil {
			return false, err
		}
		there, err := os.Stat(lock.Path())
		if err == nil && os.SameFile(has, there) {
			return true, nil
		}
		if err := lock.Close(); err != nil {
			return false, err
		}
	}
}

// removeLocks removes the files of the locks for a caller that is alone. If somebody is waiting, they stay.
func (l *Log) removeLocks(org loci.OrgID) {
	turn := l.lock(org, upkeepTurn)
	if free, err := take(turn, (*flock.Flock).TryLock); free && err == nil {
		_ = os.Remove(l.path(org, upkeepLock)) // where an open file can't be removed, both stay
		_ = os.Remove(l.path(org, upkeepTurn))
		_ = turn.Close()
	}
}
