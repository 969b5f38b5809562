package sqlite

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// walk goes through the postings of one list in order, merged from the ranges
// that its reader may read.
type walk struct {
	tx     *tx
	v      loci.Viewer
	filter *store.Filter
	driver driver
	oldest bool
	now    time.Time
	ranges []postingRange
	last   place
}

// postingRange is one pool, vendor value and token.
type postingRange struct {
	pool          pool
	vendor, token string
	old           bool // the rows as old versions of them, for another time
}

// form is what is asked of a range.
type form int

const (
	formPage  form = iota // places after another
	formCount             // how many places, up to a limit
	formSeqs              // their rows, up to a limit
)

var selects = map[form]string{formPage: "SELECT p.at, p.seq", formCount: "SELECT count(*) FROM (SELECT 1", formSeqs: "SELECT p.seq"}

func (tx *tx) newWalk(v loci.Viewer, f *store.Filter, oldest bool) (*walk, error) {
	v, err := tx.nearby(v, f)
	if err != nil {
		return nil, err
	}
	w := &walk{tx: tx, v: v, filter: f, oldest: oldest, now: tx.now()}
	if err := w.choose(drivers(w.v, f)); err != nil {
		return nil, err
	}
	w.last = place{math.MaxInt64, math.MaxInt64}
	if oldest {
		w.last = place{math.MinInt64, math.MinInt64}
	}
	return w, nil
}

// enough is how far choose counts: beyond it one way is as bad as another.
const enough = 256

// choose takes the way with the fewest postings.
func (w *walk) choose(options []driver) error {
	best := math.MaxInt
	for _, d := range options {
		d.only, _ = w.onlyPool()
		ranges := w.rangesOf(d)
		size := 0
		if len(options) > 1 {
			probe := walk{tx: w.tx, v: w.v, filter: &store.Filter{}, driver: d, now: w.now, ranges: ranges}
			for _, r := range ranges {
				n, err := probe.count(r, enough)
				if err != nil {
					return err
				}
				size += n
			}
		}
		if size < best {
			best, w.driver, w.ranges = size, d, ranges
		}
	}
	return nil
}

// rangesOf lists the ranges that hold everything the viewer may see.
func (w *walk) rangesOf(d driver) []postingRange {
	v := w.v
	if v.OrgID != w.tx.org || v.UserID.IsZero() {
		return nil
	}
	vendors := []string{vendorAny, vendorNone}
	if v.Vendor != "" {
		vendors = unique([]string{vendorAny, string(v.Vendor), vendorListed})
	}
	var list []postingRange
	for _, p := range w.pools() {
		for _, vendor := range vendors {
			for _, token := range d.tokens {
				list = append(list, postingRange{pool: p, vendor: vendor, token: token})
				if d.past {
					list = append(list, postingRange{p, vendor, token, true})
				}
			}
		}
	}
	return list
}

// onlyPool returns the kind and the name of the one pool in which everything is that the list can have: that of the
// reader's own team, or of one of its projects; or 0. In another team's pool even the time
// that it takes would tell its size. What was in a pool at another time need not be in it now.
func (w *walk) onlyPool() (kind byte, p pool) {
	f := w.filter
	switch {
	case !f.When.KnownAt.IsZero():
	case f.Scope == loci.ScopeProject && !f.ProjectID.IsZero() && slices.Contains(w.v.ProjectIDs, f.ProjectID):
		return projectPool, newPool(projectPool, f.ProjectID)
	case !f.TeamID.IsZero() && f.TeamID == w.v.TeamID && !w.v.OnlyProjects:
		return teamPool, newPool(teamPool, f.TeamID)
	}
	return 0, pool{}
}

func (w *walk) pools() (pools []pool) {
	if kind, p := w.onlyPool(); kind != 0 {
		return []pool{p}
	}
	if !w.v.OnlyProjects {
		pools = append(pools, newPool(userPool, w.v.UserID))
		if w.filter.Lifecycle == loci.TrashOnly {
			return pools // the trash of others is nobody else's
		}
		if !w.v.TeamID.IsZero() {
			pools = append(pools, newPool(teamPool, w.v.TeamID))
		}
	}
	if w.filter.Scope == loci.ScopeGlobal && w.filter.When.KnownAt.IsZero() {
		return pools // in those of projects is nothing of it
	}
	for _, id := range projects(w.v) {
		if p := newPool(projectPool, id); !slices.Contains(pools, p) {
			pools = append(pools, p)
		}
	}
	return pools
}

// overlap says whether a row may be in several ranges: a person's own row is
// in their team's pool too, and one row may have several of the tags.
func (w *walk) overlap() bool {
	for _, r := range w.ranges {
		if r.pool != w.ranges[0].pool {
			return true
		}
	}
	return len(w.driver.tags) > 1
}

// joined says whether a range's postings alone do not tell who may see the row
// or what passes the filter, so that the row must be looked at too.
func (w *walk) joined(r postingRange) bool {
	if l := w.filter.Lifecycle; r.vendor == vendorListed || l == loci.LiveOrTrash || l == loci.CurrentOnly || !w.filter.When.IsZero() {
		return true
	}
	if w.filter.Lifecycle != loci.LiveOnly && r.pool[0] != userPool {
		return true // in other pools are rows that others trashed
	}
	var q query
	narrow(&q, w.filter, w.driver, "m")
	return len(q.args) > 0
}

// next returns at most n places in order; none means that the walk has ended.
func (w *walk) next(n int) ([]place, error) {
	var places []place
	for _, r := range w.ranges {
		text, args := w.statement(r, formPage, n)
		err := w.tx.c.Query(text, args, func(row *sqlitedb.Row) error {
			places = append(places, place{row.Int64(0), row.Int64(1)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(w.ranges) > 1 {
		slices.SortFunc(places, w.compare)
		places = slices.Compact(places)
	}
	places = places[:min(n, len(places))]
	if len(places) > 0 {
		w.last = places[len(places)-1]
	}
	return places, nil
}

func (w *walk) compare(a, b place) int {
	c := cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	if w.oldest {
		return c
	}
	return -c
}

// total counts the rows of the whole list, up to limit.
func (w *walk) total(limit int) (int, error) {
	if w.overlap() {
		return w.totalOfSets(limit)
	}
	total := 0
	for _, r := range w.ranges {
		n, err := w.count(r, limit-total)
		total += n
		if err != nil || total >= limit {
			return total, err
		}
	}
	return total, nil
}

func (w *walk) count(r postingRange, limit int) (n int, err error) {
	text, args := w.statement(r, formCount, limit)
	_, err = w.tx.c.One(text, args, func(row *sqlitedb.Row) error { n = row.Int(0); return nil })
	return n, err
}

func (w *walk) totalOfSets(limit int) (int, error) {
	seen := map[int64]struct{}{}
	for _, r := range w.ranges {
		text, args := w.statement(r, formSeqs, limit)
		err := w.tx.c.Query(text, args, func(row *sqlitedb.Row) error { seen[row.Int64(0)] = struct{}{}; return nil })
		if err != nil || len(seen) >= limit {
			return min(len(seen), limit), err
		}
	}
	return len(seen), nil
}

// statement returns a statement over one range and its values.
func (w *walk) statement(r postingRange, f form, limit int) (string, sqlitedb.Args) {
	joined, row := w.joined(r), "m"
	q := &query{}
	q.add(selects[f] + " FROM memory_postings p")
	if joined {
		q.add(" CROSS JOIN memories m ON m.seq = p.seq")
	}
	if r.old {
		row = "o"
		q.add(" CROSS JOIN memory_versions o ON o.seq = m.seq")
	}
	q.add(" WHERE p.pool = ? AND p.vendor = ? AND p.token = ?", r.pool[:], r.vendor, r.token)
	w.bound(q, f)
	if l := w.filter.Lifecycle; (l == loci.LiveOnly || l == loci.CurrentOnly) && w.filter.When.IsZero() {
		q.add(" AND (p.expires_at IS NULL OR p.expires_at > ?)", w.now.UnixMicro())
	}
	q.add(" AND (p.agent_id IS NULL OR p.agent_id = ?)", orNull(w.v.AgentID))
	if !w.v.WorkspaceID.IsZero() {
		q.add(" AND p.workspace_id = ?", [16]byte(w.v.WorkspaceID))
	}
	if joined {
		q.add(" AND ")
		w.tx.passes(q, w.v, w.filter, w.driver, w.now, row)
	}
	switch {
	case f == formPage && w.oldest:
		q.add(" ORDER BY p.at, p.seq")
	case f == formPage:
		q.add(" ORDER BY p.at DESC, p.seq DESC")
	}
	q.add(" LIMIT ?", int64(limit))
	if f == formCount {
		q.add(")")
	}
	return q.String(), q.args
}

// bound adds the range of times: what the filter allows, and for a page what
// comes after the last place. The text has the same bounds for every value.
func (w *walk) bound(q *query, f form) {
	from, to := int64(math.MinInt64), int64(math.MaxInt64)
	if answersTime(w.driver) {
		if !w.filter.From.IsZero() {
			from = ceilMicro(w.filter.From)
		}
		if !w.filter.To.IsZero() {
			to = ceilMicro(w.filter.To)
		}
	}
	if known := w.filter.When.KnownAt; !known.IsZero() {
		to = known.UnixMicro() + 1 // nothing that was created later is seen
	}
	switch {
	case f != formPage:
		q.add(" AND p.at >= ? AND p.at < ?", from, to)
	case w.oldest:
		after := w.last
		if after.at < from {
			after = place{from, math.MinInt64}
		}
		q.add(" AND (p.at, p.seq) > (?, ?) AND p.at < ?", after.at, after.seq, to)
	default:
		after := w.last
		if after.at >= to {
			after = place{to, math.MinInt64}
		}
		q.add(" AND (p.at, p.seq) < (?, ?) AND p.at >= ?", after.at, after.seq, from)
	}
}

// ceilMicro is the first microsecond that is not before t: rows' times have no
// finer part.
func ceilMicro(t time.Time) int64 {
	n := t.UnixMicro()
	if t.Nanosecond()%1000 != 0 {
		n++
	}
	return n
}
