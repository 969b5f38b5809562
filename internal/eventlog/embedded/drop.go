package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// Drop implements eventlog.Keeper. It marks the log first, for processes that have it open, and
// deletes log.db last, so that it can be repeated.
func (l *Log) Drop(ctx context.Context, org loci.OrgID) error {
	if err := org.Validate(); err != nil {
		return err
	}
	return l.drop(ctx, org, func(context.Context, loci.OrgID) (bool, error) { return true, nil })
}

// drop is Drop if a condition holds for a caller that is alone.
func (l *Log) drop(ctx context.Context, org loci.OrgID, when func(context.Context, loci.OrgID) (bool, error)) error {
	leave, err := l.alone(ctx, org)
	if err != nil || leave == nil {
		return translate(err)
	}
	defer leave()
	if ok, err := when(ctx, org); err != nil || !ok {
		return translate(err)
	}
	if err = l.opts.Registry.KeepsEvents(ctx, org, false); err == nil {
		err = l.dropFiles(ctx, org)
	}
	if err != nil {
		return translate(err)
	}
	l.removeLocks(org)
	_ = os.Remove(filepath.Join(l.opts.Dir, string(org))) // fails on purpose if somebody has begun a new log meanwhile
	return nil
}

// isDropped reports whether the log of an org is one that somebody began to delete.
func (l *Log) isDropped(ctx context.Context, org loci.OrgID) (bool, error) {
	if there, err := l.exists(org, logFile); err != nil || !there {
		return false, err
	}
	_, err := l.with(ctx, org, func(f *orgLog) error {
		return f.DB.View(ctx, func(c *sqlitedb.Conn) error { _, err := loadState(c); return err })
	})
	if errors.Is(err, errDropped) {
		return true, nil
	}
	return false, err
}

// dropFiles deletes the files of an org for a caller that holds the lock.
func (l *Log) dropFiles(ctx context.Context, org loci.OrgID) error {
	if err := l.markDropped(ctx, org); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(l.opts.Dir, string(org)))
	if err != nil {
		return err
	}
	for _, e := range entries {
		// A call that was killed may have left only a part of the files of a database.
		name, _, is := strings.Cut(e.Name(), ".db")
		if name += ".db"; is && name != logFile && name[0] != '.' {
			err = errors.Join(err, l.removeSide(ctx, org, name))
		}
	}
	if err = errors.Join(err, l.logs.Drop(string(org))); err != nil {
		return err
	}
	return sqlitedb.Remove(ctx, l.path(org, logFile))
}

func (l *Log) markDropped(ctx context.Context, org loci.OrgID) error {
	if there, err := l.exists(org, logFile); err != nil || !there {
		return err
	}
	f, err := l.logs.Acquire(ctx, string(org))
	if errors.Is(err, sqlitedb.ErrNotDB) || errors.Is(err, sqlitedb.ErrCorrupt) {
		return nil // no process can have it open
	}
	if err != nil {
		return err
	}
	defer l.logs.Release(f)
	err = f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return c.Exec("UPDATE state SET dropped = 1") })
	if errors.Is(err, sqlitedb.ErrGone) || errors.Is(err, sqlitedb.ErrCorrupt) {
		err = nil
	}
	return err
}

// readyFor is how long the result of Ready is used again, because anybody may ask.
const readyFor = 2 * time.Second

// Ready implements eventlog.Keeper.
func (l *Log) Ready(ctx context.Context, org loci.OrgID) error {
	return l.read(ctx, org, func(f *orgLog) error {
		if err := f.DB.InPlace(); err != nil {
			return err
		}
		f.ready.Lock()
		defer f.ready.Unlock()
		now := l.opts.Now()
		if age := now.Sub(f.readyAt); age >= 0 && age < readyFor {
			return f.readyErr
		}
		err := f.DB.Update(ctx, func(c *sqlitedb.Conn) error { return c.Exec("UPDATE state SET one = one") })
		if ctx.Err() == nil { // otherwise the error may not be about the disk
			f.readyAt, f.readyErr = now, err
		}
		return err
	})
}
