package sqlite

import (
	"math"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// walk goes through the postings of one list in order. It merges the ranges that its reader may read.
type walk struct {
	x      index
	v      loci.Viewer
	filter *store.Filter
	driver driver
	rest   *store.Filter // the part that the driver's postings do not answer
	oldest bool
	now    time.Time
	except loci.MemoryID // of formTag
	ranges []postingRange
}

// postingRange is one pool, vendor value and token.
type postingRange struct {
	pool          pool
	vendor, token string
	old           bool // read old versions of the rows, for another time
}

// form is the result wanted from a range.
type form int

const (
	formPage  form = iota // places after a given one
	formCount             // all places, with the times at which they expire
	formTag               // whether any row has the tag value
)

var selects = map[form]string{formPage: "SELECT p.at, p.seq", formCount: "SELECT p.at, p.seq, p.expires_at AS ends",
	formTag: "SELECT 1"}

// Walk implements sqlstore.Index.
func (x index) Walk(l sqlstore.Listing) (sqlstore.Walk, error) {
	return x.walk(l)
}

func (x index) walk(l sqlstore.Listing) (*walk, error) {
	w := &walk{x: x, v: l.Viewer, filter: l.Filter, oldest: l.Oldest, now: l.Now}
	return w, w.choose(drivers(w.v, w.filter))
}

// enough is how far choose counts. Above it, choose treats all ways as equally slow.
const enough = 256

// choose picks the option with the fewest postings.
func (w *walk) choose(options []driver) error {
	best := math.MaxInt
	for _, d := range options {
		d.only, _ = w.onlyPool()
		ranges := w.rangesOf(d)
		size := 0
		if len(options) > 1 {
			probe := walk{x: w.x, v: w.v, filter: &store.Filter{}, rest: &store.Filter{}, driver: d, now: w.now, ranges: ranges}
			var err error
			if size, err = probe.Total(enough); err != nil {
				return err
			}
		}
		if size < best {
			best, w.driver, w.rest, w.ranges = size, d, d.unanswered(w.filter), ranges
		}
	}
	return nil
}

// rangesOf lists the ranges that contain everything the viewer may see.
func (w *walk) rangesOf(d driver) []postingRange {
	v := w.v
	if v.OrgID != w.x.Org || v.UserID.IsZero() {
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

// onlyPool returns the kind and name of the one pool that can contain rows of the list: the pool of the reader's own
// team or of one of the reader's projects, or 0 if there is no such pool. It never returns another team's pool, where
// even the time of a query would reveal the size. At another time the rows may have been in another pool.
func (w *walk) onlyPool() (kind byte, p pool) {
	f := w.filter
	switch {
	case !f.When.KnownAt.IsZero():
	case f.Scope == loci.ScopeProject && !f.OrGlobal && slices.Contains(w.v.ProjectIDs, f.ProjectID):
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
			return pools // nobody sees the trash of others
		}
		if !w.v.TeamID.IsZero() {
			pools = append(pools, newPool(teamPool, w.v.TeamID))
		}
	}
	if w.filter.Scope == loci.ScopeGlobal && w.filter.When.KnownAt.IsZero() {
		return pools // the pools of projects contain none of it
	}
	for _, id := range sqlstore.ProjectIDs(w.v) {
		if p := newPool(projectPool, id); !slices.Contains(pools, p) {
			pools = append(pools, p)
		}
	}
	return pools
}

// overlap reports whether a row may be in several ranges. A person's own row is also in their
// team's pool, and a row may have several of the tags.
func (w *walk) overlap() bool {
	for _, r := range w.ranges {
		if r.pool != w.ranges[0].pool {
			return true
		}
	}
	return len(w.driver.tags) > 1
}

// joined reports whether the query must also read the row, because a range's postings alone do
// not decide who may see the row or whether it passes the filter.
func (w *walk) joined(r postingRange) bool {
	if r.vendor == vendorListed || !w.filter.When.IsZero() {
		return true
	}
	switch w.filter.Lifecycle {
	case loci.LiveOnly:
	case loci.TrashOnly, loci.AnyState:
		if r.pool[0] != userPool {
			return true // other pools contain rows that others trashed
		}
	default:
		return true
	}
	var q sqlstore.Query
	sqlstore.Narrow(&q, w.rest, "m")
	return len(q.Args) > 0
}

// maxRanges is how many ranges one statement reads. SQLite allows 500 in a compound SELECT.
const maxRanges = 64

// Parts implements sqlstore.Walk.
func (w *walk) Parts() int { return (len(w.ranges) + maxRanges - 1) / maxRanges }

// Select implements sqlstore.Walk.
func (w *walk) Select(q *sqlstore.Query, part int, after place, n int) {
	w.selects(q, w.ranges[part*maxRanges:min((part+1)*maxRanges, len(w.ranges))], formPage, after, n)
}

type place = sqlstore.Place

// Total counts the rows of the whole list, up to limit.
func (w *walk) Total(limit int) (int, error) {
	if w.Parts() == 1 {
		return w.count(limit)
	}
	seen, after := map[place]struct{}{}, place{At: math.MinInt64, Seq: math.MinInt64}
	if !w.oldest {
		after = place{At: math.MaxInt64, Seq: math.MaxInt64}
	}
	for part := range w.Parts() {
		var q sqlstore.Query
		w.Select(&q, part, after, limit)
		err := w.x.shared.Query(q.String(), q.Args, func(row *sqlitedb.Row) error {
			seen[place{At: row.Int64(0), Seq: row.Int64(1)}] = struct{}{}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return min(len(seen), limit), nil
}

// selects adds a statement over some ranges, which SQLite merges without sorting.
func (w *walk) selects(q *sqlstore.Query, ranges []postingRange, f form, after place, limit int) {
	all := " UNION ALL "
	if w.overlap() {
		all = " UNION "
	}
	for i, r := range ranges {
		if i > 0 {
			q.Add(all)
		}
		w.add(q, r, f, after)
	}
	switch {
	case f == formPage && w.oldest, f == formCount && w.overlap():
		q.Add(" ORDER BY 1, 2")
	case f == formPage:
		q.Add(" ORDER BY 1 DESC, 2 DESC")
	}
	q.Add(" LIMIT ?", int64(limit))
}

// Tagged implements sqlstore.Index.
func (x index) Tagged(l sqlstore.Listing, tags []string, except loci.MemoryID) (there []string, err error) {
	w := &walk{x: x, v: l.Viewer, filter: l.Filter, rest: l.Filter, now: l.Now, except: except,
		driver: driver{tokens: []string{tokenTag}}}
	var q sqlstore.Query
	q.Add("SELECT t.value FROM {each ?} t WHERE FALSE", sqlstore.ToJSON(tags))
	for _, r := range w.rangesOf(w.driver) {
		q.Add(" OR EXISTS (")
		w.add(&q, r, formTag, place{})
		q.Add(")")
	}
	err = x.shared.Query(q.String(), q.Args,
		func(row *sqlitedb.Row) error { there = append(there, row.Text(0)); return nil })
	return there, err
}

// add adds a SELECT over one range.
func (w *walk) add(q *sqlstore.Query, r postingRange, f form, after place) {
	joined, row := w.joined(r), "m"
	q.Add(selects[f])
	q.Add(" FROM memory_postings p")
	if joined {
		q.Add(" {join} memories m ON {m} m.seq = p.seq")
	}
	if r.old {
		row = "o"
		q.Add(" {join} memory_versions o ON {o} o.seq = m.seq")
	}
	q.Add(" WHERE {p} p.pool = ? AND p.vendor = ? AND p.token = ?", r.pool[:], r.vendor, r.token)
	if f == formTag {
		q.Add(" || t.value AND p.seq IS NOT (SELECT e.seq FROM memories e WHERE {e} e.id = ?)", [16]byte(w.except))
	}
	w.bound(q, f, after)
	if l := w.filter.Lifecycle; (l == loci.LiveOnly || l == loci.CurrentOnly) && w.filter.When.IsZero() {
		q.Add(" AND (p.expires_at IS NULL OR p.expires_at > ?)", w.now.UnixMicro())
	}
	w.agents(q, r)
	if !w.v.WorkspaceID.IsZero() {
		q.Add(" AND p.workspace_id = ?", [16]byte(w.v.WorkspaceID))
	}
	if joined {
		q.Add(" AND ")
		w.x.Passes(q, w.v, w.rest, w.now, row)
	}
}

// agents leaves out the rows of agents that the reader does not act as. A person sees all of theirs: their own pool
// shows them, and so must the pool of their team if it is the only one.
func (w *walk) agents(q *sqlstore.Query, r postingRange) {
	if w.everyAgent(r) {
		return
	}
	q.Add(" AND (p.agent_id IS NULL OR p.agent_id = ?", sqlstore.OrNull(w.v.AgentID))
	if owner := w.ownerIn(); !owner.IsZero() {
		q.Add(" OR EXISTS (SELECT 1 FROM memories a WHERE {a} a.seq = p.seq AND a.user_id = ?)", [16]byte(owner))
	}
	q.Add(")")
}

// everyAgent reports whether a range shows the rows of all agents: a person sees all of theirs.
func (w *walk) everyAgent(r postingRange) bool {
	return w.v.Vendor == "" && r.pool == newPool(userPool, w.v.UserID)
}

// ownerIn returns the person whose rows of all agents the pool of a team shows, if it is the only one, or zero.
func (w *walk) ownerIn() loci.UserID {
	if kind, _ := w.onlyPool(); w.v.Vendor == "" && kind == teamPool {
		return w.v.UserID
	}
	return loci.UserID{}
}

// times returns the range of times that the filter allows.
func (w *walk) times() (from, to int64) {
	from, to = math.MinInt64, math.MaxInt64
	if answersTime(w.driver) {
		if !w.filter.From.IsZero() {
			from = sqlstore.CeilMicro(w.filter.From)
		}
		if !w.filter.To.IsZero() {
			to = sqlstore.CeilMicro(w.filter.To)
		}
	}
	if known := w.filter.When.KnownAt; !known.IsZero() {
		to = known.UnixMicro() + 1 // exclude rows created later
	}
	return from, to
}

// bound adds the range of times that the filter allows and, for a page, that follows the last
// place. The text has the same bounds for all values.
func (w *walk) bound(q *sqlstore.Query, f form, after place) {
	from, to := w.times()
	switch {
	case f != formPage:
		q.Add(" AND p.at >= ? AND p.at < ?", from, to)
	case w.oldest:
		if after.At < from {
			after = place{At: from, Seq: math.MinInt64}
		}
		q.Add(" AND (p.at, p.seq) > (?, ?) AND p.at < ?", after.At, after.Seq, to)
	default:
		if after.At >= to {
			after = place{At: to, Seq: math.MinInt64}
		}
		q.Add(" AND (p.at, p.seq) < (?, ?) AND p.at >= ?", after.At, after.Seq, from)
	}
}
