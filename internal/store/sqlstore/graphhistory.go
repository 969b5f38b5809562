package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// happened is a change with its row number and, for a merge, both entities.
type happened struct {
	loci.GraphChange
	seq        int64
	from, into string
}

// History first finds the changes by their times alone. Then it reads the texts of as many as it has room for.
func (g graph) History(_ context.Context, v loci.Viewer, id loci.EntityID, limit int) ([]loci.GraphChange, error) {
	found, err := g.entities(v, loci.AnyState, "e.id = ?", id.String())
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, loci.NoSuchEntity()
	}
	var q Query
	g.happenedTo(&q, v, id.String())
	q.Add(" ORDER BY at, change_seq, kind, seq LIMIT ?", limit)
	list, err := all(g.c, q.String(), q.Args, scanHappened)
	if err != nil {
		return nil, err
	}
	room := store.MaxGraphText
	var out []loci.GraphChange
	for _, h := range list {
		if h.Text, err = g.textOf(v, &h, found[0].Name); err != nil {
			return nil, err
		}
		if room -= len(h.Text); room < 0 && len(out) > 0 {
			break
		}
		out = append(out, h.GraphChange)
	}
	return out, nil
}

// happenedTo selects the creation of the entity, the creation of every visible row that belongs
// or belonged to it, and all changes to these. A merge reveals that another entity existed, so
// only viewers who see both get it. Each part of the query has its own index.
func (tx *GraphTx) happenedTo(q *Query, v loci.Viewer, id string) {
	q.Add("WITH x (kind, id, seq, at, user_id, origin) AS (SELECT 'entity', e.id, e.seq, e.created_at, e.user_id, "+
		"e.origin FROM entities e WHERE {graph e} e.id = ?", id)
	for _, state := range []loci.Lifecycle{loci.LiveOnly, loci.TrashOnly} {
		q.Add(" UNION ALL SELECT 'observation', o.id, o.seq, o.created_at, o.user_id, o.origin FROM observations o WHERE "+
			"{graph o} o.entity_id = ? AND ", id)
		tx.Sees(q, v, "o", state)
		for _, where := range []string{"r.from_entity = ?", "r.to_entity = ? AND r.from_entity <> r.to_entity"} {
			q.Add(" UNION ALL SELECT 'relation', r.id, r.seq, r.created_at, r.user_id, r.origin FROM "+fromRelations+
				" WHERE {graph r} "+where+" AND ", id)
			tx.Sees(q, v, "r", state)
			q.Add(" AND ")
			tx.Sees(q, v, "f", loci.AnyState)
			q.Add(" AND ")
			tx.Sees(q, v, "t", loci.AnyState)
		}
	}
	q.Add(`) SELECT at, 'created' AS change, kind, id, user_id, origin, seq, 0 AS change_seq, '', '' FROM x
		UNION ALL SELECT c.at, c.change, c.kind, x.id, c.user_id, c.origin, x.seq, c.seq, c.merged_from, c.merged_into
		FROM x {join} changes c ON {graph c} c.row_id = x.id
		WHERE c.merged_from IS NULL OR 2 = (SELECT count(*) FROM entities e
		WHERE {graph e} e.id IN (c.merged_from, c.merged_into) AND `)
	tx.Sees(q, v, "e", loci.AnyState)
	q.Add(")")
}

func scanHappened(r Row) (h happened, err error) {
	h.GraphChange = loci.GraphChange{At: isoAt(r, 0), Change: r.Text(1), Kind: r.Text(2), ID: r.Text(3), Origin: r.Text(5)}
	h.seq, h.from, h.into = r.Int64(6), r.Text(8), r.Text(9)
	h.UserID, err = IDAt[loci.UserID](r, 4)
	return h, err
}

// textOf returns the text of a change. The viewer sees the row, and both entities of a merge.
func (tx *GraphTx) textOf(v loci.Viewer, h *happened, name string) (text string, err error) {
	switch {
	case h.from != "":
		names, err := tx.entities(v, loci.AnyState, "e.id IN (?, ?) ORDER BY e.id = ?", h.from, h.into, h.into)
		if err != nil || len(names) < 2 {
			return name, err
		}
		return names[0].Name + " into " + names[1].Name, nil
	case h.Kind == "entity":
		return name, nil
	case h.Kind == "observation":
		_, err = tx.c.One("SELECT o.content FROM observations o WHERE {graph o} o.seq = ?", Args{h.seq},
			func(r Row) error { text = r.Text(0); return nil })
	default:
		_, err = tx.c.One("SELECT f.name || ' ' || r.relation_type || ' ' || t.name FROM "+fromRelations+
			" WHERE {graph r} r.seq = ?", Args{h.seq},
			func(r Row) error { text = r.Text(0); return nil })
	}
	return text, err
}
