package sqlitedb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// The log is copied into the database file when it is as long as the file, but has at least
// walLeastPages (4 MiB of 4 KiB pages) and at most walMostPages. A log that outgrew its database
// would fill a small disk, and a full disk has no room to copy it. When it is walLimit times as
// long, readers have to wait for a moment so that the log can start over.
const (
	walLeastPages = 1024
	walMostPages  = 8192
	walLimit      = 4
)

// walKeepBytes is how much disk space the log file may keep when it starts over.
const walKeepBytes = 16 << 20

// restartPatience is how long new writes wait for readers of a log that has grown too long.
const restartPatience = 100 * time.Millisecond

// walGauge records how long the log is and when to check it next.
type walGauge struct {
	pages, copyAt, restartAt int
}

// set is told how long the log is. A log that has started over is copied and restarted when it is long again.
func (g *walGauge) set(pages int) {
	if pages < walLeastPages {
		*g = walGauge{}
	}
	g.pages = pages
}

// checkpoint copies the log into the database file when it is long enough. It runs after the callers have their
// answers, and never makes them fail: the log keeps all data until a later attempt.
func (db *DB) checkpoint() {
	g := &db.wal
	if db.writer == nil || g.pages < walLeastPages {
		return
	}
	due := db.walDue()
	if g.pages >= max(g.restartAt, walLimit*due) {
		g.restartAt = g.pages + due
		if db.lock.acquire(db.hurry) == nil {
			db.readers.endKept()
			db.checkpointTruncate(db.writer, restartPatience)
			db.lock.release()
		}
		return
	}
	if g.pages >= max(g.copyAt, due) {
		db.readers.endKept() // the log is copied only as far as all snapshots have it
		_, _, _ = db.writer.raw.WALCheckpoint("main", sqlite3.CHECKPOINT_PASSIVE)
		g.copyAt = g.pages + due // a log that could start over reports fewer pages by then
	}
	g.copyAt = max(g.copyAt, due)
}

// walDue is how many pages the log may have before it is copied.
func (db *DB) walDue() int {
	info, err := os.Stat(db.opts.Path)
	if err != nil {
		return walLeastPages
	}
	return int(min(max(info.Size()/4096, walLeastPages), walMostPages))
}

// checkpointTruncate copies the log and empties it, if readers finish in time.
func (db *DB) checkpointTruncate(c *Conn, patience time.Duration) {
	_ = c.raw.BusyTimeout(patience)
	if _, _, err := c.raw.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE); err == nil {
		db.wal = walGauge{}
	}
	_ = c.raw.BusyTimeout(busyTimeout)
}

const maxProblems = 100

// Check reads the whole file and describes its problems. An empty result means that the file is
// sound. It reads one snapshot beside the writers.
func (db *DB) Check(ctx context.Context) (problems []string, err error) {
	err = db.Scan(ctx, func(c *Conn) (err error) {
		problems, err = c.Check()
		return err
	})
	return problems, err
}

// Check does the same as DB.Check, in the caller's transaction.
func (c *Conn) Check() (problems []string, err error) {
	err = c.Query("PRAGMA integrity_check", nil, func(r *Row) error {
		if text := r.Text(0); text != "ok" {
			problems = append(problems, text)
		}
		return nil
	})
	if errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNotDB) {
		// A file too damaged to check further is a result, not a failure.
		return append(problems, err.Error()), nil
	}
	if err != nil {
		return problems, err
	}
	dangling, err := danglingKeys(c, maxProblems)
	return append(append(problems, dangling...), lostBefore(c.raw.Filename("main").String())...), err
}

func danglingKeys(c *Conn, limit int) (problems []string, err error) {
	err = c.Query("PRAGMA foreign_key_check", nil, func(r *Row) error {
		problems = append(problems,
			fmt.Sprintf("row %d of %s refers to a missing row of %s", r.Int64(1), r.Text(0), r.Text(2)))
		if len(problems) >= limit {
			return ErrStop
		}
		return nil
	})
	return problems, err
}
