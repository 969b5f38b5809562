package sqlstore

import (
	"github.com/loci-memory/loci"
)

// newRows are the numbers of the newest rows that match a part of a query, including hidden and
// deleted ones, at most maxRare+1 of each kind.
type newRows struct{ names, observations []int64 }

// complete reports whether these are all matching rows.
func (r *newRows) complete() bool { return len(r.names) <= maxRare && len(r.observations) <= maxRare }

// newestOf queries the full-text tables once for each part, and no other table.
func (s *matcher) newestOf(part *loci.GraphQuery) (*newRows, error) {
	if rows := s.read[part]; rows != nil {
		return rows, nil
	}
	names, observations, err := s.index.Newest(part, maxRare+1)
	rows := &newRows{names, observations}
	s.read[part] = rows
	return rows, err
}

// few returns the entities of the newest maxRare visible rows of each kind that match on their
// own. all reports whether there are no more. If all is true, hidden entities may be among them.
func (s *matcher) few(part *loci.GraphQuery) (list []*GraphFound, all bool, err error) {
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
		// Many of the newest rows are hidden, so more visible rows may follow them.
		list, more, err := s.index.Match(s.v, part, maxRare, nil)
		return list, !more, err
	}
	seen := make(map[int64]bool, len(names)+len(owners))
	for _, seqs := range [][]int64{names[:min(len(names), maxRare)], owners[:min(len(owners), maxRare)]} {
		for _, seq := range seqs {
			if !seen[seq] {
				seen[seq] = true
				list = append(list, &GraphFound{Seq: seq})
			}
		}
	}
	return list, complete, nil
}

// cutShort reports whether there may be more rows than were read and some of those read are hidden.
func cutShort(visible, read []int64) bool { return len(read) > maxRare && len(visible) < len(read) }

func (s *matcher) numbers(q *Query) ([]int64, error) {
	return all(s.c, q.String(), q.Args, func(r Row) (int64, error) { return r.Int64(0), nil })
}

// ofNames returns the visible entities among seqs. If the answer is complete, verify checks visibility later.
func (s *matcher) ofNames(seqs []int64, complete bool) ([]int64, error) {
	if complete || len(seqs) == 0 {
		return seqs, nil
	}
	var q Query
	q.Add("SELECT e.seq FROM {numbered} {join} entities e ON {graph e} e.seq = j.value WHERE ", s.d.Numbers(seqs))
	s.Sees(&q, s.v, "e", loci.LiveOnly)
	return s.numbers(&q)
}

// ofObservations returns the entities of the visible observations among seqs. If the answer is complete, verify
// checks later whether the viewer sees the entity, too: that check takes longer than everything else.
func (s *matcher) ofObservations(seqs []int64, complete bool) ([]int64, error) {
	if len(seqs) == 0 {
		return nil, nil
	}
	var q Query
	q.Add("SELECT e.seq FROM {numbered} {join} observations o ON {graph o} o.seq = j.value {join} entities e ON {graph "+
		"e} e.id = o.entity_id WHERE ",
		s.d.Numbers(seqs))
	s.Sees(&q, s.v, "o", loci.LiveOnly)
	if !complete {
		q.Add(" AND ")
		s.Sees(&q, s.v, "e", loci.LiveOnly)
	}
	return s.numbers(&q)
}

// visible returns the entities that the viewer sees.
func (s *matcher) visible(list []*GraphFound) ([]*GraphFound, error) {
	seqs, err := s.ofNames(numbersOf(list), false)
	if err != nil || len(seqs) == len(list) {
		return list, err
	}
	sees := make(map[int64]bool, len(seqs))
	for _, seq := range seqs {
		sees[seq] = true
	}
	var out []*GraphFound
	for _, f := range list {
		if sees[f.Seq] {
			out = append(out, f)
		}
	}
	return out, nil
}

func numbersOf(list []*GraphFound) []int64 {
	seqs := make([]int64, len(list))
	for i, f := range list {
		seqs[i] = f.Seq
	}
	return seqs
}
