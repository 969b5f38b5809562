package sqlite

import (
	"math"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// maxCounts is of how many lists of a file it is kept how many places they have, as long as nobody, in any process,
// commits. A total reads hundreds of them for each page.
const maxCounts = 512

// countKey is what a count depends on, besides the file and the time.
type countKey struct {
	ranges    string
	lifecycle loci.Lifecycle
	agent     loci.AgentID
	person    bool // a person sees the rows of all agents in their own pool
	owner     loci.UserID
	workspace loci.WorkspaceID
	from, to  int64
	limit     int
}

// rangeCount is a number of places, and the time at which the first of them expires.
type rangeCount struct {
	n     int
	until int64
}

// count counts the places of all ranges, up to limit, with one statement. It keeps the count of ranges in which only
// the postings decide, which most often have nearly all places.
func (w *walk) count(limit int) (int, error) {
	var plain, joined []postingRange
	for _, r := range w.ranges {
		if w.joined(r) {
			joined = append(joined, r)
		} else {
			plain = append(plain, r)
		}
	}
	if w.overlap() && len(joined) > 0 {
		plain, joined = nil, w.ranges
	}
	key := w.countKey(plain, limit)
	total, known := 0, len(plain) == 0
	if !known && w.x.counts != nil { // the stamp is from before the snapshot, so no count is older than the transaction
		if c, kept := w.x.counts.Get(key, w.x.Kept.Stamp); kept && w.now.UnixMicro() < c.until {
			total, known = c.n, true
		}
	}
	var q sqlstore.Query
	if !known {
		w.countQuery(&q, plain, limit)
	}
	if len(joined) > 0 {
		w.countQuery(&q, joined, limit)
	}
	if len(q.Args) == 0 {
		return total, nil
	}
	err := w.x.shared.Query(q.String(), q.Args, func(row *sqlitedb.Row) error {
		c := rangeCount{row.Int(0), math.MaxInt64}
		if !row.Null(1) {
			c.until = row.Int64(1)
		}
		if total += c.n; !known && w.x.counts != nil {
			w.x.counts.Put(key, w.x.Kept.Stamp, c, 1)
		}
		known = true
		return nil
	})
	return min(total, limit), err
}

func (w *walk) countQuery(q *sqlstore.Query, ranges []postingRange, limit int) {
	if len(q.Args) > 0 {
		q.Add(" UNION ALL ")
	}
	q.Add("SELECT count(*), min(ends) FROM (")
	w.selects(q, ranges, formCount, place{}, limit)
	q.Add(")")
}

func (w *walk) countKey(ranges []postingRange, limit int) countKey {
	key := countKey{lifecycle: w.filter.Lifecycle, agent: w.v.AgentID, person: w.v.Vendor == "", owner: w.ownerIn(),
		workspace: w.v.WorkspaceID, limit: limit}
	key.from, key.to = w.times()
	var names []byte
	for _, r := range ranges {
		names = append(append(append(append(append(names, r.pool[:]...), r.vendor...), 0), r.token...), 0)
	}
	key.ranges = string(names)
	return key
}
