package sqlstore

import (
	"github.com/loci-memory/loci"
)

// maxNamesakes is how many entities with the same name, but different types, a search looks at.
const maxNamesakes = 100

// withNamed adds the entities that the query names to an incomplete list of matches, however old
// they are.
func (s *matcher) withNamed(list []*GraphFound) ([]*GraphFound, error) {
	known := make(map[int64]bool, len(list))
	for _, f := range list {
		known[f.Seq] = true
	}
	var named []*GraphFound
	var find Query
	find.Add("SELECT e.seq FROM entities e WHERE {graph e} e.name IN ")
	in(&find, s.reader.Spellings())
	find.Add(" AND ")
	s.Sees(&find, s.v, "e", loci.LiveOnly)
	find.Add(" LIMIT ?", maxNamesakes)
	err := s.c.Query(find.String(), find.Args, func(r Row) error {
		if seq := r.Int64(0); !known[seq] {
			named = append(named, &GraphFound{Seq: seq})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	named, _, err = s.verify(named)
	return append(list, named...), err
}
