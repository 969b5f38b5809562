package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

// maxDisagreements limits the rows of one statement, because a key may have many memories.
const maxDisagreements = 1000

func (t suggestions) Disagreements(_ context.Context, v loci.Viewer, ids []loci.MemoryID) (
	map[loci.MemoryID]loci.Disagreement, error) {
	found := map[loci.MemoryID]loci.Disagreement{}
	if len(ids) == 0 {
		return found, nil
	}
	var q Query
	t.disputesQuery(&q, v, ids)
	err := t.c.Query(q.String(), q.Args, func(r Row) error {
		of, one := loci.MemoryID(r.ID(0)), loci.Dispute{ID: r.ID(1), Origin: r.Text(2)}
		if d := found[of]; len(d.DisputedBy) < loci.MaxDisputes {
			d.DisputedBy = append(d.DisputedBy, one)
			found[of] = d
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	q = Query{}
	t.replacementsQuery(&q, v, ids)
	err = t.c.Query(q.String(), q.Args, func(r Row) error {
		of := loci.MemoryID(r.ID(0))
		d := found[of]
		d.PendingSupersede = r.ID(1)
		found[of] = d
		return nil
	})
	return found, err
}

// disputesQuery selects the visible memories with the key of one of ids, by another origin. It
// repeats the condition of the index memories_by_key, as keyQuery does.
func (t suggestions) disputesQuery(q *Query, v loci.Viewer, ids []loci.MemoryID) {
	q.Add(`SELECT a.id, m.id, m.origin FROM memories a {join} memories m ON {m} m.user_id = a.user_id AND m.key = a.key
		AND m.key <> '' AND m.scope = a.scope AND m.project_id {is} a.project_id AND m.agent_id {is} a.agent_id
		AND m.workspace_id {is} a.workspace_id WHERE {a} m.origin <> a.origin AND m.content <> a.content
		AND a.deleted_at IS NULL AND a.superseded_by IS NULL AND a.id IN `)
	in(q, bytesOf(ids))
	q.Add(" AND ")
	t.visible(q, v, loci.LiveOnly, t.Now())
	q.Add(" ORDER BY m.updated_at DESC, m.seq DESC LIMIT ?", maxDisagreements)
}

// replacementsQuery selects the visible memories that open suggestions would put in the place of
// ids, newest last.
func (t suggestions) replacementsQuery(q *Query, v loci.Viewer, ids []loci.MemoryID) {
	q.Add(`SELECT a.id, m.id FROM memories a {join} suggestions s ON {s} s.memory_seq = a.seq AND s.state = 'pending'
		{join} memories m ON {m} m.seq = s.by_seq WHERE {a} a.id IN `)
	in(q, bytesOf(ids))
	q.Add(" AND ")
	t.visible(q, v, loci.LiveOnly, t.Now())
	q.Add(" ORDER BY s.seq LIMIT ?", maxDisagreements)
}

func bytesOf(ids []loci.MemoryID) [][16]byte {
	list := make([][16]byte, len(ids))
	for i, id := range ids {
		list[i] = id
	}
	return list
}
