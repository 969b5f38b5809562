package sqlite

import (
	"math"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// maxCounts is of how many ranges of a file it is kept how many places they have, as long as nobody, in any process,
// commits. A total reads hundreds of them for each page.
const maxCounts = 512

// countKey is what a count depends on, besides the file and the time.
type countKey struct {
	pool          pool
	vendor, token string
	lifecycle     loci.Lifecycle
	agent         loci.AgentID
	everyAgent    bool
	owner         loci.UserID
	workspace     loci.WorkspaceID
	from, to      int64
	limit         int
}

// rangeCount is a number of places, and the time at which the first of them expires.
type rangeCount struct {
	n     int
	until int64
}

// count counts the places of a range, up to limit.
func (w *walk) count(r postingRange, limit int) (int, error) {
	if w.x.counts == nil || w.joined(r) { // only the postings decide
		c, err := w.countNow(r, limit)
		return c.n, err
	}
	key := countKey{pool: r.pool, vendor: r.vendor, token: r.token, lifecycle: w.filter.Lifecycle,
		everyAgent: w.everyAgent(r), owner: w.ownerIn(), workspace: w.v.WorkspaceID, limit: limit}
	key.from, key.to = w.times()
	if !key.everyAgent {
		key.agent = w.v.AgentID
	}
	stamp := w.x.Kept.Stamp // from before the snapshot, so a count is never older than the transaction
	if c, known := w.x.counts.Get(key, stamp); known && w.now.UnixMicro() < c.until {
		return c.n, nil
	}
	c, err := w.countNow(r, limit)
	if err == nil {
		w.x.counts.Put(key, stamp, c, 1)
	}
	return c.n, err
}

func (w *walk) countNow(r postingRange, limit int) (c rangeCount, err error) {
	text, args := w.statement(r, formCount, place{}, limit)
	_, err = w.x.shared.One(text, args, func(row *sqlitedb.Row) error {
		c.n, c.until = row.Int(0), math.MaxInt64
		if !row.Null(1) {
			c.until = row.Int64(1)
		}
		return nil
	})
	return c, err
}
