package sqlitedb

import (
	"time"

	"github.com/ncruces/go-sqlite3"
)

// Pages in the log from which it is copied into the database file, and from
// which readers are held back for a moment so that the log can start over
// (64 MiB of 4 KiB pages).
const (
	walCopyPages  = 4000
	walLimitPages = 16384
)

// walKeepBytes is what the log file may keep of the disk when it starts over.
const walKeepBytes = 16 << 20

// restartPatience is how long new writes wait for readers of a log that has
// grown too long.
const restartPatience = 100 * time.Millisecond

// walGauge says how long the log is and when the next look is due.
type walGauge struct {
	pages, copyAt, restartAt int
}

// checkpoint copies the log into the database file when it is long enough. It
// runs after the callers have their answers, and never fails them: the log
// keeps everything until a later try.
func (db *DB) checkpoint() {
	g := &db.wal
	if db.writer == nil || g.pages < walCopyPages {
		g.copyAt, g.restartAt = walCopyPages, walLimitPages
		return
	}
	if g.pages >= max(g.restartAt, walLimitPages) {
		g.restartAt = g.pages + walLimitPages/4
		if db.lock.acquire(db.hurry) == nil {
			db.checkpointTruncate(db.writer, restartPatience)
			db.lock.release()
		}
		return
	}
	if g.pages >= g.copyAt {
		_, _, _ = db.writer.raw.WALCheckpoint("main", sqlite3.CHECKPOINT_PASSIVE)
		g.copyAt = g.pages + walCopyPages // a log that could start over reports fewer pages by then
	}
}

// checkpointTruncate copies the log and empties it, if readers let go in time.
func (db *DB) checkpointTruncate(c *Conn, patience time.Duration) {
	_ = c.raw.BusyTimeout(patience)
	if _, _, err := c.raw.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE); err == nil {
		db.wal = walGauge{copyAt: walCopyPages, restartAt: walLimitPages}
	}
	_ = c.raw.BusyTimeout(busyTimeout)
}
