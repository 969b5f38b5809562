package sqlite

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// newRows are the numbers of the newest rows that match a part of a query, hidden and
// deleted ones too, at most maxRare+1 of each kind.
type newRows struct{ names, observations []int64 }

// complete says that these are all.
func (r *newRows) complete() bool { return len(r.names) <= maxRare && len(r.observations) <= maxRare }

// newestOf asks the full-text tables once for each part, and no other table.
func (s *matcher) newestOf(part *loci.GraphQuery) (*newRows, error) {
	if rows := s.read[part]; rows != nil {
		return rows, nil
	}
	rows := &newRows{}
	args := sqlitedb.Args{matchText(part), maxRare + 1}
	into := func(list *[]int64) func(*sqlitedb.Row) error {
		return func(r *sqlitedb.Row) error { *list = append(*list, r.Int64(0)); return nil }
	}
	err := s.c.Query("SELECT rowid FROM entities_fts WHERE entities_fts MATCH ? ORDER BY rowid DESC LIMIT ?", args, into(&rows.names))
	if err == nil {
		err = s.c.Query("SELECT rowid FROM observations_fts WHERE observations_fts MATCH ? ORDER BY rowid DESC LIMIT ?", args, into(&rows.observations))
	}
	s.read[part] = rows
	return rows, err
}

// few returns the entities of the newest maxRare visible rows of each kind that match all by
// themselves, and whether there are no more. If there are none, hidden entities may be among them.
func (s *matcher) few(part *loci.GraphQuery) (list []*found, all bool, err error) {
	rows, err := s.newestOf(part)
	if err != nil {
		return nil, false, err
	}
	complete := rows.complete()
	names, err := s.ofNames(rows.names, complete)
	if err != nil {
		return nil, false, err
	}
	owners, err := s.ofObservations(rows.observations, complete)
	if err != nil {
		return nil, false, err
	}
	if !complete && cutShort(names, rows.names) || cutShort(owners, rows.observations) {
		// So many rows are hidden that there may be as many visible ones behind them.
		list, more, err := s.rows(part, maxRare, false)
		return list, !more, err
	}
	seen := make(map[int64]bool, len(names)+len(owners))
	for _, seqs := range [][]int64{names[:min(len(names), maxRare)], owners[:min(len(owners), maxRare)]} {
		for _, seq := range seqs {
			if !seen[seq] {
				seen[seq] = true
				list = append(list, &found{seq: seq})
			}
		}
	}
	return list, complete, nil
}

// cutShort says that there may be more rows than were read, and that some of those which were read are hidden.
func cutShort(visible, read []int64) bool { return len(read) > maxRare && len(visible) < len(read) }

func (s *matcher) numbers(q *query) ([]int64, error) {
	return all(s.c, q, func(r *sqlitedb.Row) (int64, error) { return r.Int64(0), nil })
}

func itself(n int64) int64 { return n }

// ofNames returns the visible ones of these entities. Those of a complete answer are verified later.
func (s *matcher) ofNames(seqs []int64, complete bool) ([]int64, error) {
	if complete || len(seqs) == 0 {
		return seqs, nil
	}
	var q query
	q.add("SELECT e.seq FROM json_each(?) j CROSS JOIN entities e ON e.seq = j.value WHERE ", numberList(seqs, itself))
	s.sees(&q, s.v, "e", loci.LiveOnly)
	return s.numbers(&q)
}

// ofObservations returns the entity of each of these observations that is visible. Whether the entity is, too, is
// verified later for a complete answer; it takes longer than all the rest.
func (s *matcher) ofObservations(seqs []int64, complete bool) ([]int64, error) {
	if len(seqs) == 0 {
		return nil, nil
	}
	var q query
	q.add("SELECT e.seq FROM json_each(?) j CROSS JOIN observations o ON o.seq = j.value CROSS JOIN entities e ON e.id = o.entity_id WHERE ", numberList(seqs, itself))
	s.sees(&q, s.v, "o", loci.LiveOnly)
	if !complete {
		q.add(" AND ")
		s.sees(&q, s.v, "e", loci.LiveOnly)
	}
	return s.numbers(&q)
}

// visible returns those that are.
func (s *matcher) visible(list []*found) ([]*found, error) {
	seqs, err := s.ofNames(numbersOf(list), false)
	if err != nil || len(seqs) == len(list) {
		return list, err
	}
	sees := make(map[int64]bool, len(seqs))
	for _, seq := range seqs {
		sees[seq] = true
	}
	var out []*found
	for _, f := range list {
		if sees[f.seq] {
			out = append(out, f)
		}
	}
	return out, nil
}

func numbersOf(list []*found) []int64 {
	seqs := make([]int64, len(list))
	for i, f := range list {
		seqs[i] = f.seq
	}
	return seqs
}
