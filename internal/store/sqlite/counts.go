package sqlite

import (
	"math"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// counts keeps how many places the ranges of a file have, because a total reads hundreds of them for
// each page. They are valid only as long as nobody, in any process, has committed since they were
// counted. It is safe for concurrent use.
type counts struct {
	mu    sync.Mutex
	stamp store.Stamp
	list  map[countKey]rangeCount
}

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

// keptCounts are the counts for one transaction that only reads. stamp is from before its snapshot,
// so a count is never older than the transaction.
type keptCounts struct {
	of    *counts
	stamp store.Stamp
}

func (k *keptCounts) get(key *countKey, now int64) (n int, known bool) {
	k.of.mu.Lock()
	defer k.of.mu.Unlock()
	if k.of.stamp != k.stamp {
		return 0, false
	}
	c, known := k.of.list[*key]
	return c.n, known && now < c.until
}

func (k *keptCounts) put(key *countKey, c rangeCount) {
	k.of.mu.Lock()
	defer k.of.mu.Unlock()
	if k.of.stamp != k.stamp || k.of.list == nil || len(k.of.list) >= maxCounts {
		k.of.stamp, k.of.list = k.stamp, map[countKey]rangeCount{}
	}
	k.of.list[*key] = c
}

// count counts the places of a range, up to limit.
func (w *walk) count(r postingRange, limit int) (int, error) {
	if w.x.kept == nil || w.joined(r) { // only the postings decide
		c, err := w.countNow(r, limit)
		return c.n, err
	}
	key := countKey{pool: r.pool, vendor: r.vendor, token: r.token, lifecycle: w.filter.Lifecycle,
		everyAgent: w.everyAgent(r), owner: w.ownerIn(), workspace: w.v.WorkspaceID, limit: limit}
	key.from, key.to = w.times()
	if !key.everyAgent {
		key.agent = w.v.AgentID
	}
	if n, known := w.x.kept.get(&key, w.now.UnixMicro()); known {
		return n, nil
	}
	c, err := w.countNow(r, limit)
	if err == nil {
		w.x.kept.put(&key, c)
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
