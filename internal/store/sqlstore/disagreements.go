package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
)

// maxDisagreements limits the rows of one statement. They are rows that the viewer sees, so hidden
// ones do not change the answer. The time of ctx limits the others.
const maxDisagreements = 10_000

// dispute is a row that says something else.
type dispute struct {
	loci.Dispute
	updated, seq int64
}

func (t suggestions) Disagreements(ctx context.Context, v loci.Viewer, memories []*loci.Memory) (
	map[loci.MemoryID]loci.Disagreement, error) {
	found := map[loci.MemoryID]loci.Disagreement{}
	if len(memories) == 0 {
		return found, nil
	}
	suggested := t.suggested(memories)
	var keyed []loci.MemoryID // most memories have no key, which saves a statement
	for _, m := range memories {
		if m.Key != "" {
			keyed = append(keyed, m.ID)
		}
	}
	newest := map[loci.MemoryID][]dispute{}
	var cut bool
	var err error
	if len(keyed) > 0 {
		err = t.untilSpent(ctx, &cut, func() error { return t.disputes(v, loci.Unique(keyed), newest) })
	}
	for id, list := range newest {
		d := loci.Disagreement{}
		for _, one := range list {
			d.DisputedBy = append(d.DisputedBy, one.Dispute)
		}
		found[id] = d
	}
	if err != nil || cut || len(suggested) == 0 {
		return found, err
	}
	err = t.untilSpent(ctx, &cut, func() error { return t.replacements(v, loci.Unique(suggested), found) })
	return found, err
}

// Disputable finds most memories without a statement: they have no key, and the read has shown that
// they have no open suggestion.
func (t suggestions) Disputable(memories []*loci.Memory) (list []*loci.Memory) {
	for i, m := range memories {
		if m.Key != "" || !t.isCalm(i, m.ID) {
			list = append(list, m)
		}
	}
	return list
}

// suggested returns those of memories that may have open suggestions.
func (t suggestions) suggested(memories []*loci.Memory) (ids []loci.MemoryID) {
	for i, m := range memories {
		if !t.isCalm(i, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func (t suggestions) disputes(v loci.Viewer, ids []loci.MemoryID, newest map[loci.MemoryID][]dispute) error {
	var q Query
	t.disputesQuery(&q, v, ids)
	left := maxDisagreements
	return t.c.Query(q.String(), q.Args, func(r Row) error {
		of, one := loci.MemoryID(r.ID(0)), dispute{loci.Dispute{ID: r.ID(1), Origin: r.Text(2)}, r.Int64(3), r.Int64(4)}
		list := newest[of]
		at, _ := slices.BinarySearchFunc(list, one, newerDispute)
		if at < loci.MaxDisputes {
			list = slices.Insert(list, at, one)
			newest[of] = list[:min(len(list), loci.MaxDisputes)]
		}
		if left--; left == 0 {
			return ErrStop
		}
		return nil
	})
}

// newerDispute orders disputes, newest first.
func newerDispute(x, y dispute) int {
	return cmp.Or(cmp.Compare(y.updated, x.updated), cmp.Compare(y.seq, x.seq))
}

// replacements adds to found the memories that would replace ids if the owner accepted open suggestions.
func (t suggestions) replacements(v loci.Viewer, ids []loci.MemoryID, found map[loci.MemoryID]loci.Disagreement) error {
	var q Query
	t.replacementsQuery(&q, v, ids)
	newest, left := map[loci.MemoryID]int64{}, maxDisagreements
	return t.c.Query(q.String(), q.Args, func(r Row) error {
		of, seq := loci.MemoryID(r.ID(0)), r.Int64(2)
		if seq > newest[of] {
			d := found[of]
			d.PendingSupersede = r.ID(1)
			newest[of], found[of] = seq, d
		}
		if left--; left == 0 {
			return ErrStop
		}
		return nil
	})
}

// disputesQuery selects the visible memories with the key of one of ids, by another origin or of any origin in a
// project and outside of it, that are true at a time at which the other one is: facts that follow each other do not
// disagree. It repeats the condition of the index memories_by_key, as OfKey does. It does not sort, so that the rows
// come while it looks for others.
func (t suggestions) disputesQuery(q *Query, v loci.Viewer, ids []loci.MemoryID) {
	q.Add(`SELECT a.id, m.id, m.origin, m.updated_at, m.seq FROM {ids} {join} memories a ON {a} a.id = j.value
		{join} memories m ON {m} m.user_id = a.user_id AND m.key = a.key AND m.key <> '' AND
		m.workspace_id {is} a.workspace_id WHERE (m.scope = a.scope AND m.project_id {is} a.project_id AND
			m.agent_id {is} a.agent_id AND m.origin <> a.origin OR m.scope <> 'agent' AND a.scope <> 'agent' AND
			(m.scope <> a.scope AND m.project_id {is} a.project_id OR (m.project_id IS NULL) <> (a.project_id IS NULL)))
		AND m.content <> a.content AND a.deleted_at IS NULL AND a.superseded_by IS NULL
		AND (m.valid_to IS NULL OR m.valid_to > coalesce(a.valid_from, a.created_at))
		AND (a.valid_to IS NULL OR a.valid_to > coalesce(m.valid_from, m.created_at)) AND `, listOf(t.d, ids))
	t.visible(q, v, loci.LiveOnly, t.Now())
}

// replacementsQuery selects the visible memories that would replace ids if their owner accepted the open suggestions.
func (t suggestions) replacementsQuery(q *Query, v loci.Viewer, ids []loci.MemoryID) {
	q.Add(`SELECT a.id, m.id, s.seq FROM {ids} {join} memories a ON {a} a.id = j.value {join} suggestions s ON {s}
		s.memory_seq = a.seq AND s.state = 'pending' {join} memories m ON {m} m.seq = s.by_seq WHERE `, listOf(t.d, ids))
	t.visible(q, v, loci.LiveOnly, t.Now())
}
