package sqlstore

import (
	"bytes"
	"context"
	"math"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// OfKey repeats the condition of the indexes memories_by_key and memories_by_look as constants, because the database
// cannot use an index on the strength of parameter values.
func (t memories) OfKey(_ context.Context, v loci.Viewer, k store.KeyQuery, limit int) ([]*loci.Memory, error) {
	if k.Key == "" {
		return nil, nil
	}
	var q Query
	q.Add("SELECT " + shownColumns + " FROM memories m WHERE {m} m.key <> '' AND ")
	if k.Alike {
		q.Add("replace(lower(m.key), ' ', '') = replace(lower(?), ' ', '') AND ", k.Key)
	} else {
		q.Add("m.key = ? AND ", k.Key)
	}
	t.liveIn(&q, v, k.Place)
	if !k.From.IsZero() {
		q.Add(" AND (m.valid_to IS NULL OR m.valid_to > ?)", k.From.UnixMicro())
	}
	if !k.Until.IsZero() {
		q.Add(" AND COALESCE(m.valid_from, m.created_at) < ?", k.Until.UnixMicro())
	}
	q.Add(" ORDER BY ")
	if !k.From.IsZero() {
		q.Add("COALESCE(m.valid_from, m.created_at) <= ? DESC, ", k.From.UnixMicro())
	}
	q.Add("m.updated_at DESC, m.seq DESC LIMIT ?", limit)
	return t.manyMemories(&q)
}

// liveIn adds that the row stands in that place, and that v sees it.
func (t memories) liveIn(q *Query, v loci.Viewer, p store.Place) {
	q.Add("m.user_id = ? AND m.scope = ? AND m.project_id {is} ? AND m.agent_id {is} ? AND m.workspace_id {is} ?",
		[16]byte(p.UserID), string(p.Scope), OrNull(p.ProjectID), OrNull(p.AgentID), OrNull(p.WorkspaceID))
	if p.Origin != "" {
		q.Add(" AND m.origin = ?", p.Origin)
	}
	q.Add(" AND ")
	t.visible(q, v, loci.LiveOnly, t.Now())
}

func (t memories) ByText(_ context.Context, v loci.Viewer, same store.TextQuery) ([]*loci.Memory, error) {
	if same.Limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	var q Query
	// The digest alone finds the row. The text is compared because two texts may share a digest.
	q.Add("SELECT "+shownColumns+" FROM memories m WHERE {m} m.digest = ? AND m.title = ? AND m.content = ? AND ",
		TextDigest(same.Title, same.Content), same.Title, same.Content)
	t.liveIn(&q, v, same.Place)
	q.Add(" ORDER BY m.seq DESC LIMIT ?", same.Limit)
	return t.manyMemories(&q)
}

func (t memories) Between(_ context.Context, v loci.Viewer, r store.IDQuery) ([]*loci.Memory, error) {
	f := store.Filter{Lifecycle: r.Lifecycle, When: loci.When{Superseded: r.Superseded}}
	if err := checkWhen(&f); err != nil {
		return nil, err
	}
	if r.Limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	var q Query
	q.Add("SELECT "+shownColumns+" FROM memories m WHERE {m} m.id >= ? AND m.id <= ? AND ",
		[16]byte(r.First), [16]byte(r.Last))
	t.Passes(&q, v, &f, t.Now(), "m")
	q.Add(" ORDER BY m.id LIMIT ?", r.Limit)
	return t.manyMemories(&q)
}

// manyMemories returns the rows of q, which selects shownColumns.
func (t memories) manyMemories(q *Query) ([]*loci.Memory, error) {
	return all(t.c, q.String(), q.Args, func(r Row) (*loci.Memory, error) {
		m, err := t.readMemory(r)
		return &m.Memory, err
	})
}

// oneMemory returns the first row of q, which selects shownColumns, or NotFound.
func (t memories) oneMemory(q *Query) (*loci.Memory, error) {
	var m *Stored
	found, err := t.c.One(q.String(), q.Args, func(r Row) (err error) { m, err = t.readMemory(r); return err })
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, loci.NoSuchMemory()
	}
	return &m.Memory, nil
}

func (t memories) GetAt(ctx context.Context, v loci.Viewer, id loci.MemoryID, w loci.When) (*loci.Memory, error) {
	if w.IsZero() {
		return t.Get(ctx, v, id, loci.LiveOnly)
	}
	for _, row := range stages(w) {
		var q Query
		t.getAtQuery(&q, v, id, w, row)
		if m, err := t.oneMemory(&q); loci.CodeOf(err) != loci.NotFound {
			return m, err
		}
	}
	return nil, loci.NoSuchMemory()
}

func (t memories) getAtQuery(q *Query, v loci.Viewer, id loci.MemoryID, w loci.When, row string) {
	q.put("SELECT m.seq, m.id", stateOf[row], " FROM memories m")
	if row == "o" {
		q.Add(" {join} memory_versions o ON {o} o.seq = m.seq")
	}
	q.Add(" WHERE {m} m.id = ? AND ", [16]byte(id))
	t.visibleAt(q, v, w, t.Now(), row)
}

// EditedBy sorts its results itself. The indexes are ordered by time and not by id.
func (t memories) EditedBy(_ context.Context, v loci.Viewer, e store.EditQuery) ([]loci.MemoryID, error) {
	if e.Limit < 1 {
		return nil, loci.Errorf(loci.Invalid, "limit must be at least 1")
	}
	found := map[loci.MemoryID]struct{}{}
	for _, row := range []string{"m", "o"} {
		var q Query
		t.editQuery(&q, v, &e, row)
		err := t.c.Query(q.String(), q.Args, func(r Row) error { found[r.ID(0)] = struct{}{}; return nil })
		if err != nil {
			return nil, err
		}
	}
	list := make([]loci.MemoryID, 0, len(found))
	for id := range found {
		list = append(list, id)
	}
	slices.SortFunc(list, func(a, b loci.MemoryID) int { return bytes.Compare(a[:], b[:]) })
	return list[:min(e.Limit, len(list))], nil
}

// editQuery searches the current versions or the old ones.
func (t memories) editQuery(q *Query, v loci.Viewer, e *store.EditQuery, row string) {
	from := " FROM memories m WHERE {m} "
	if row == "o" {
		from = " FROM memory_versions o {join} memories m ON {m} m.seq = o.seq WHERE {o} m.user_id = o.user_id AND "
	}
	since, until := int64(math.MinInt64), int64(math.MaxInt64)
	if !e.Since.IsZero() {
		since = CeilMicro(e.Since)
	}
	if !e.Until.IsZero() {
		until = CeilMicro(e.Until)
	}
	q.Add("SELECT m.id"+from+row+".user_id = ? AND "+row+".updated_at >= ? AND "+row+".updated_at < ? AND m.id > ?",
		[16]byte(v.UserID), since, until, [16]byte(e.After))
	if e.Editor != "" {
		q.Add(" AND "+row+".editor = ?", e.Editor)
	}
	if !e.Credential.IsZero() {
		q.Add(" AND "+row+".editor_credential = ?", [16]byte(e.Credential))
	}
	if !e.Session.IsZero() {
		q.Add(" AND "+row+".editor_session = ?", [16]byte(e.Session))
	}
	q.Add(" AND ")
	t.visible(q, v, loci.AnyState, t.Now())
	if row == "o" {
		versionMay(q, v, row)
	}
}
