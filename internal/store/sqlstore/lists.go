package sqlstore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type lists struct{ *Tx }

// maxBatch is how many places are held at once, even for a huge offset.
const maxBatch = 1024

func (t lists) List(ctx context.Context, v loci.Viewer, lq store.ListQuery) (page store.Page, err error) {
	if lq.Limit < 1 || lq.Offset < 0 {
		return store.Page{}, loci.Errorf(loci.Invalid, "limit must be at least 1, and offset must not be negative")
	}
	if err := checkWhen(&lq.Filter); err != nil {
		return store.Page{}, err
	}
	there := t.kept(v, &lq)
	var w *listing
	if there == nil || lq.Total {
		if w, err = t.listing(v, &lq.Filter, lq.Oldest); err != nil {
			return store.Page{}, err
		}
	}
	if lq.Total {
		if err := total(w.walk, lq.All, &page); err != nil {
			return store.Page{}, err
		}
	}
	kind := listKind(&lq)
	if there == nil {
		if there, err = t.page(ctx, w, v, &lq, kind); err != nil {
			return store.Page{}, err
		}
		page.Memories = there.memories
	} else {
		page.Memories = clones(there.memories)
		t.remember(there.calm)
	}
	if there.more {
		page.Next = t.Positions.encode(there.last, kind)
	}
	return page, nil
}

// total counts the rows of the whole list.
func total(walk Walk, all bool, page *store.Page) error {
	most := store.MaxTotal
	if all {
		most = math.MaxInt32 - 1
	}
	n, err := walk.Total(most + 1)
	page.Total, page.Exact = min(n, most), n <= most
	return err
}

// page reads a page, and keeps a copy of it for later transactions.
func (t lists) page(ctx context.Context, w *listing, v loci.Viewer, lq *store.ListQuery, kind byte) (
	p *keptPage, err error) {
	if lq.After != "" {
		if w.after, err = t.Positions.decode(lq.After, kind); err != nil {
			return nil, err
		}
	}
	p = &keptPage{made: w.Now}
	calm := len(t.calm)
	if err := t.fill(ctx, w, lq, p); err != nil {
		return nil, err
	}
	p.calm = t.calm[calm:]
	kept := *p
	t.keep(v, lq, &kept)
	return p, nil
}

// fill appends rows until the page is full. It reads places until it knows whether there is one
// more visible row, however many places do not pass.
func (t lists) fill(ctx context.Context, w *listing, lq *store.ListQuery, page *keptPage) error {
	more := true
	for skip := lq.Offset; more && skip > 0; {
		places, err := t.next(w, min(skip, maxBatch), nil, nil)
		if err != nil {
			return err
		}
		more = len(places) == min(skip, maxBatch)
		skip -= len(places)
	}
	for more && ctx.Err() == nil {
		want, rows := min(lq.Limit-len(page.memories), maxBatch-1)+1, map[int64]*loci.Memory{}
		places, err := t.next(w, want, stateOf, func(r Row) error {
			m, err := t.readMemory(r)
			rows[m.Seq] = &m.Memory
			return err
		})
		if err != nil {
			return err
		}
		more = len(places) == want
		for _, p := range places {
			m := rows[p.Seq]
			switch {
			case m == nil:
			case len(page.memories) == lq.Limit:
				page.more = true
				page.expires(m)
				return nil
			default:
				page.memories = append(page.memories, m)
				page.last = p
			}
		}
	}
	return ctx.Err()
}

// listing is the state of a list while it is read.
type listing struct {
	Listing
	walk  Walk
	after Place // the last place that next has returned
}

func (t lists) listing(v loci.Viewer, f *store.Filter, oldest bool) (*listing, error) {
	index := t.Index()
	v, err := index.Near(v, f)
	if err != nil {
		return nil, err
	}
	l := &listing{Listing: Listing{v, f, oldest, t.Now()}, after: Place{math.MaxInt64, math.MaxInt64}}
	if oldest {
		l.after = Place{math.MinInt64, math.MinInt64}
	}
	l.walk, err = index.Walk(l.Listing)
	return l, err
}

// next returns at most n places in order. If there are fewer, the list has ended. It calls fn, unless it is nil, with
// each row there that passes, in no particular order: number, id and the columns of its stage. It applies the predicate
// and the filter again, because an index entry is never enough to show a row.
func (t lists) next(l *listing, n int, columns map[string]string, fn func(Row) error) (places []Place, err error) {
	for part := range l.walk.Parts() {
		var q Query
		at := t.placesQuery(&q, l, part, n, columns)
		err := t.c.Query(q.String(), q.Args, func(r Row) error {
			places = append(places, Place{r.Int64(at), r.Int64(at + 1)})
			if fn == nil || r.Null(0) {
				return nil
			}
			return fn(r)
		})
		if err != nil {
			return nil, err
		}
	}
	if l.walk.Parts() > 1 {
		slices.SortFunc(places, l.compare)
		places = slices.Compact(places)
		places = places[:min(n, len(places))]
	}
	if len(places) == 0 {
		return nil, nil
	}
	l.after = places[len(places)-1]
	if fn != nil && len(stages(l.Filter.When)) > 1 {
		var q Query
		t.oldQuery(&q, l, places, columns["o"])
		err = t.c.Query(q.String(), q.Args, fn)
	}
	return places, err
}

func (l *listing) compare(a, b Place) int {
	c := cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Seq, b.Seq))
	if l.Oldest {
		return c
	}
	return -c
}

// placesQuery selects places with their rows as they are now, and returns the column of the places.
func (t lists) placesQuery(q *Query, l *listing, part, n int, columns map[string]string) (at int) {
	if columns == nil {
		l.walk.Select(q, part, l.after, n)
		return 0
	}
	q.put("SELECT m.seq, m.id", columns["m"], ", j.at, j.seq FROM (")
	l.walk.Select(q, part, l.after, n)
	q.put(") j LEFT JOIN memories m ON {m} m.seq = j.seq AND ")
	t.Passes(q, l.Viewer, l.Filter, l.Now, "m")
	if columns["m"] == "" {
		return suggestedColumn - len(stateColumns)
	}
	return suggestedColumn + 1
}

// oldQuery selects the old rows at places.
func (t lists) oldQuery(q *Query, l *listing, places []Place, columns string) {
	seqs := loci.Mapped(places, func(p Place) int64 { return p.Seq })
	q.put("SELECT m.seq, m.id", columns, " FROM {numbered} {join} memories m ON {m} m.seq = j.value "+
		"{join} memory_versions o ON {o} o.seq = m.seq WHERE ")
	q.bind(t.d.Numbers(seqs))
	t.Passes(q, l.Viewer, l.Filter, l.Now, "o")
}

func (t lists) IDs(ctx context.Context, v loci.Viewer, f store.Filter, limit int) (
	ids []loci.MemoryID, more bool, err error) {
	if limit < 1 {
		return nil, false, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	if err := checkWhen(&f); err != nil {
		return nil, false, err
	}
	w, err := t.listing(v, &f, false)
	for more := true; more && err == nil && ctx.Err() == nil; {
		var places []Place
		found := map[int64]loci.MemoryID{}
		places, err = t.next(w, maxBatch, map[string]string{}, func(r Row) error { found[r.Int64(0)] = r.ID(1); return nil })
		more = len(places) == maxBatch
		for _, p := range places {
			id, ok := found[p.Seq]
			if ok && len(ids) == limit {
				return ids, true, err
			}
			if ok {
				ids = append(ids, id)
			}
		}
	}
	return ids, false, errors.Join(err, ctx.Err())
}

func (t lists) Passing(_ context.Context, v loci.Viewer, f store.Filter, ids []loci.MemoryID) (
	passing []loci.MemoryID, err error) {
	if err := checkWhen(&f); err != nil {
		return nil, err
	}
	there := map[loci.MemoryID]bool{}
	for _, row := range stages(f.When) {
		var q Query
		q.Add("SELECT m.id FROM {ids} {join} memories m ON {m} m.id = j.value", listOf(t.d, ids))
		if row == "o" {
			q.Add(" {join} memory_versions o ON {o} o.seq = m.seq")
		}
		q.Add(" WHERE ")
		t.Passes(&q, v, &f, t.Now(), row)
		err := t.c.Query(q.String(), q.Args, func(r Row) error { there[r.ID(0)] = true; return nil })
		if err != nil {
			return nil, err
		}
	}
	for _, id := range ids {
		if there[id] {
			passing = append(passing, id)
		}
	}
	return passing, nil
}

func (t lists) Tagged(_ context.Context, v loci.Viewer, tags []string, except loci.MemoryID) (
	[]string, error) {
	f := store.Filter{}
	v, err := t.Index().Near(v, &f)
	if err != nil {
		return nil, err
	}
	return t.Index().Tagged(Listing{Viewer: v, Filter: &f, Now: t.Now()}, tags, except)
}

func (t lists) Rebuild(ctx context.Context) error { return t.Index().Rebuild(ctx) }

func (t lists) Check(ctx context.Context) ([]string, error) { return t.Index().Check(ctx) }

// memoryBatch is how many memories EachMemory holds at once. Each has at most 400 kB of content.
const memoryBatch = 100

// EachMemory calls fn for every row of the org. fn may run statements.
func (tx *Tx) EachMemory(ctx context.Context, fn func(*Stored) error) error {
	for after := int64(0); ; {
		batch, err := all(tx.c, "SELECT "+memoryColumns+" FROM memories m WHERE {m} m.seq > ? ORDER BY m.seq LIMIT ?",
			Args{after, memoryBatch}, tx.scanMemory)
		if err == nil {
			err = ctx.Err()
		}
		for _, m := range batch {
			if after = m.Seq; err == nil {
				err = fn(m)
			}
		}
		if err != nil || len(batch) < memoryBatch {
			return err
		}
	}
}

// Narrow adds the filter to q, except for its time and lifecycle. row is the alias of the row.
func Narrow(q *Query, f *store.Filter, row string) {
	if f.Type != "" {
		q.Add(" AND "+row+".type = ?", string(f.Type))
	}
	if f.Category != "" {
		q.Add(" AND "+row+".category = ?", f.Category)
	}
	if f.Origin != "" {
		q.Add(" AND "+row+".origin = ?", f.Origin)
	}
	if f.Key != "" {
		q.Add(" AND "+row+".key = ?", f.Key)
	}
	if f.Pinned {
		q.Add(" AND "+row+".pinned = ?", true)
	}
	narrowContext(q, f, row)
	narrowTags(q, f, row)
	if !f.From.IsZero() {
		q.Add(" AND "+row+".created_at >= ?", CeilMicro(f.From))
	}
	if !f.To.IsZero() {
		q.Add(" AND "+row+".created_at < ?", CeilMicro(f.To))
	}
}

// narrowContext adds the filter's conditions on the person and the purpose of the rows.
func narrowContext(q *Query, f *store.Filter, row string) {
	if f.Scope != "" {
		q.Add(" AND "+row+".scope = ?", string(f.Scope))
	}
	switch {
	case f.ProjectID.IsZero():
	case f.OrGlobal:
		q.Add(" AND ("+row+".project_id = ? OR "+row+".project_id IS NULL)", [16]byte(f.ProjectID))
	default:
		q.Add(" AND "+row+".project_id = ?", [16]byte(f.ProjectID))
	}
	if !f.TeamID.IsZero() {
		q.Add(" AND "+row+".team_id = ?", [16]byte(f.TeamID))
	}
	if !f.AgentID.IsZero() {
		q.Add(" AND "+row+".agent_id = ?", [16]byte(f.AgentID))
	}
	if !f.SessionID.IsZero() {
		q.Add(" AND "+row+".session_id = ?", [16]byte(f.SessionID))
	}
	if f.HiddenFrom != "" { // what agents keep to themselves is hidden from everybody outside of their sessions
		q.Add(" AND ("+row+".scope = 'agent' OR NOT EXISTS (SELECT 1 FROM {each "+row+
			".allowed_vendors} WHERE value = '*' OR value = ?))", string(f.HiddenFrom))
	}
}

func narrowTags(q *Query, f *store.Filter, row string) {
	tags := loci.Unique(f.Tags)
	if !f.AllTags {
		if len(tags) > 0 {
			q.Add(" AND EXISTS (SELECT 1 FROM {each " + row + ".tags} WHERE value IN ")
			in(q, tags)
			q.Add(")")
		}
		return
	}
	for _, tag := range tags {
		q.Add(" AND EXISTS (SELECT 1 FROM {each "+row+".tags} WHERE value = ?)", tag)
	}
}

// Facets reads each visible row once. Rows with the same values are one row of the answer, and the lists of tags and
// vendors are taken apart here.
func (t lists) Facets(ctx context.Context, v loci.Viewer, f store.Filter) (loci.Facets, error) {
	if !f.When.IsPresent() {
		return loci.Facets{}, loci.Errorf(loci.Invalid, "facets are of the present only")
	}
	var q Query
	q.Add("SELECT m.origin, m.category, m.type, m.scope, m.project_id, m.pinned, m.tags, m.allowed_vendors, count(*) " +
		"FROM memories m WHERE {m} ")
	t.Passes(&q, v, &f, t.Now(), "m")
	q.Add(" GROUP BY 1, 2, 3, 4, 5, 6, 7, 8")
	out := loci.Facets{}
	counts := map[loci.Facet]map[string]int{}
	for _, facet := range []loci.Facet{loci.FacetOrigin, loci.FacetVendor, loci.FacetTag, loci.FacetCategory,
		loci.FacetType, loci.FacetScope, loci.FacetProject, loci.FacetPinned} {
		counts[facet] = map[string]int{}
	}
	err := t.c.Query(q.String(), q.Args, func(r Row) error {
		n := r.Int(8)
		out.Total += n
		counts[loci.FacetOrigin][r.Text(0)] += n
		counts[loci.FacetCategory][r.Text(1)] += n
		counts[loci.FacetType][r.Text(2)] += n
		counts[loci.FacetScope][r.Text(3)] += n
		if id := loci.ProjectID(r.ID(4)); !id.IsZero() {
			counts[loci.FacetProject][id.String()] += n
		}
		counts[loci.FacetPinned][strconv.FormatBool(r.Bool(5))] += n
		for column, facet := range map[int]loci.Facet{6: loci.FacetTag, 7: loci.FacetVendor} {
			var values []string
			if err := json.Unmarshal([]byte(r.Text(column)), &values); err != nil {
				return err
			}
			for _, value := range loci.Unique(values) {
				counts[facet][value] += n
			}
		}
		return ctx.Err()
	})
	out.Facets = make(map[loci.Facet][]loci.FacetCount, len(counts))
	for facet, values := range counts {
		out.Facets[facet] = mostFrequent(values)
	}
	return out, err
}

// mostFrequent returns the most frequent values, those of the same count by name.
func mostFrequent(values map[string]int) []loci.FacetCount {
	list := make([]loci.FacetCount, 0, len(values))
	for value, n := range values {
		list = append(list, loci.FacetCount{Value: value, Count: n})
	}
	slices.SortFunc(list, func(a, b loci.FacetCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return slices.Clip(list[:min(len(list), loci.MaxFacetValues)])
}

// TagText returns the text of all tags for the index, one on each line.
func TagText(tags []string) string { return strings.Join(tags, "\n") }
