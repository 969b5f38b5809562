package sqlstore

import (
	"cmp"
	"maps"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

const (
	// maxRare is how many visible rows the rarest part of an AND may match for the answer to be
	// exact: up to this number, all its entities are read. The value was chosen by measuring with
	// a million observations. The time grows with it.
	maxRare = 100
	// maxRead is how many observations of one entity are read for an exact answer, newest first.
	maxRead = 10_000
)

// perRow reports whether one matching row is enough for its entity to match.
func perRow(q *loci.GraphQuery) bool {
	return q.Op == loci.GraphWords || len(q.Parts) == 1 && perRow(q.Parts[0]) ||
		q.Op == loci.GraphOr && !slices.ContainsFunc(q.Parts, perEntity)
}

func perEntity(q *loci.GraphQuery) bool { return !perRow(q) }

func hasNot(q *loci.GraphQuery) bool {
	return q.Op == loci.GraphNot || slices.ContainsFunc(q.Parts, hasNot)
}

// perEntity finds entities that have the words of an AND in different rows, and entities that
// have none of the words of a NOT in any row. If a part is rare enough, its entities are read and
// the answer is exact. Otherwise it looks only at rows that match on their own and at entities
// that were found for every part. Only visible rows decide which way it takes.
func (s *matcher) perEntity(q *loci.GraphQuery) (list []*GraphFound, more bool, err error) {
	candidates, all, err := s.candidates(q)
	if err != nil || all {
		list, cut, err2 := s.verify(candidates)
		return list, cut, cmp.Or(err, err2)
	}
	list, enough, err := s.index.Match(s.v, q, store.MaxGraphMatches, s.reader)
	if err != nil {
		return nil, true, err
	}
	if hasNot(q) {
		enough = false
		if list, _, err = s.verify(list[:min(len(list), maxRare)]); err != nil {
			return nil, true, err
		}
	}
	if enough {
		return list, true, nil
	}
	known := make(map[int64]bool, len(list))
	for _, f := range list {
		known[f.Seq] = true
	}
	candidates = slices.DeleteFunc(candidates, func(f *GraphFound) bool { return known[f.Seq] })
	if candidates, err = s.visible(candidates); err != nil {
		return nil, true, err
	}
	others, _, err := s.verify(candidates[:min(len(candidates), maxRare)])
	return append(list, others...), true, err
}

// candidates returns entities that may match, newest first. all reports whether there are no
// others. Hidden entities may be among them.
func (s *matcher) candidates(q *loci.GraphQuery) (list []*GraphFound, all bool, err error) {
	switch {
	case perRow(q):
		list, all, err = s.few(q)
	case q.Op == loci.GraphNot:
		return s.candidates(q.Parts[0])
	case q.Op == loci.GraphOr:
		list, all, err = s.ofAny(q.Parts)
	default:
		list, all, err = s.ofEach(q)
	}
	slices.SortFunc(list, newestFirst)
	return list, all, err
}

func (s *matcher) ofAny(parts []*loci.GraphQuery) (list []*GraphFound, all bool, err error) {
	seen, all := map[int64]bool{}, true
	for _, part := range parts {
		more, whole, err := s.candidates(part)
		if err != nil {
			return nil, false, err
		}
		all = all && whole
		for _, f := range more {
			if !seen[f.Seq] {
				seen[f.Seq] = true
				list = append(list, f)
			}
		}
	}
	return list, all, nil
}

// ofEach returns the candidates of one part of an AND that is rare enough. If no part is, it
// returns the entities that are among the newest of each part.
func (s *matcher) ofEach(q *loci.GraphQuery) (list []*GraphFound, all bool, err error) {
	parts, err := s.rarestFirst(conjuncts(q, nil))
	if err != nil {
		return nil, false, err
	}
	times := map[int64]int{}
	for i, part := range parts {
		some, all, err := s.candidates(part)
		if err != nil || all {
			return some, all, err
		}
		for _, f := range some {
			if times[f.Seq]++; times[f.Seq] == len(parts) && i == len(parts)-1 {
				list = append(list, f)
			}
		}
	}
	return list, false, nil
}

// conjuncts flattens nested ANDs.
func conjuncts(q *loci.GraphQuery, list []*loci.GraphQuery) []*loci.GraphQuery {
	if q.Op != loci.GraphAnd {
		return append(list, q)
	}
	for _, part := range q.Parts {
		list = conjuncts(part, list)
	}
	return list
}

// rarestFirst only saves time: any part with few visible rows leads to the same answer. So it may
// count rows that the viewer cannot see.
func (s *matcher) rarestFirst(parts []*loci.GraphQuery) ([]*loci.GraphQuery, error) {
	counts := make(map[*loci.GraphQuery]int, len(parts))
	for _, part := range parts {
		counts[part] = 2 * (maxRare + 1)
		if perEntity(part) {
			continue
		}
		rows, err := s.newestOf(part)
		if err != nil {
			return nil, err
		}
		counts[part] = len(rows.names) + len(rows.observations)
	}
	slices.SortStableFunc(parts, func(a, b *loci.GraphQuery) int { return cmp.Compare(counts[a], counts[b]) })
	return parts, nil
}

// reading is a found entity while its texts are being read.
type reading struct {
	*loci.GraphReading
	f    *GraphFound
	rows int
}

// verify reads entities and returns those that match, with their features. more reports whether
// an entity had too many observations to read them all.
func (s *matcher) verify(list []*GraphFound) (matching []*GraphFound, more bool, err error) {
	if len(list) == 0 {
		return nil, false, nil
	}
	bySeq := make(map[int64]*GraphFound, len(list))
	for _, f := range list {
		bySeq[f.Seq] = f
	}
	read := make(map[string]*reading, len(list)) // key: id
	var names Query
	names.Add("SELECT e.seq, e.id, e.name, e.entity_type FROM {numbered} {join} entities e ON {graph e} e.seq = "+
		"j.value WHERE ", s.d.Numbers(numbersOf(list)))
	s.Sees(&names, s.v, "e", loci.LiveOnly)
	err = s.c.Query(names.String(), names.Args, func(r Row) error {
		id, err := IDAt[loci.EntityID](r, 1)
		read[r.Text(1)] = &reading{s.reader.Read(id, r.Text(2), r.Text(3)), bySeq[r.Int64(0)], 0}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	if more, err = s.observe(read); err != nil {
		return nil, false, err
	}
	for _, r := range read {
		if r.Matches() {
			r.f.GraphMatch = r.GraphMatch
			matching = append(matching, r.f)
		}
	}
	return matching, more, nil
}

// observe reads the observations of entities. more reports whether an entity had too many of them.
func (s *matcher) observe(read map[string]*reading) (more bool, err error) {
	var q Query
	q.Add("SELECT o.entity_id, o.content FROM {each ?} {join} observations o ON {graph o} o.entity_id = value WHERE ",
		ToJSON(slices.Collect(maps.Keys(read))))
	s.Sees(&q, s.v, "o", loci.LiveOnly)
	err = s.c.Query(q.String(), q.Args, func(r Row) error {
		entity := read[string(r.Raw(0))]
		if entity.rows++; entity.rows > maxRead {
			more = true
			return nil
		}
		entity.Observe(r.Text(1))
		return nil
	})
	return more, err
}
