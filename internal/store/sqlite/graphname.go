package sqlite

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// maxNamesakes is how many entities of one name, which differ in their types, a search looks at.
const maxNamesakes = 100

// withNamed adds to a list that is not all that matches the entities that the
// query names, however old they are.
func (s *matcher) withNamed(list []*found) ([]*found, error) {
	known := make(map[int64]bool, len(list))
	for _, f := range list {
		known[f.seq] = true
	}
	var named []*found
	var find query
	find.add("SELECT e.seq FROM entities e WHERE e.name IN ")
	in(&find, s.reader.Spellings())
	find.add(" AND ")
	s.sees(&find, s.v, "e", loci.LiveOnly)
	find.add(" LIMIT ?", maxNamesakes)
	err := s.c.Query(find.String(), find.args, func(r *sqlitedb.Row) error {
		if seq := r.Int64(0); !known[seq] {
			named = append(named, &found{seq: seq})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	named, _, err = s.verify(named)
	return append(list, named...), err
}
