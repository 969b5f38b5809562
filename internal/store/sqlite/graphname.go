package sqlite

import (
	"slices"
	"strings"
	"unicode"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// nameBonus is what it counts that the query is the name itself. No sum of the rest is as much.
func (s *matcher) nameBonus(name string) float64 {
	if strings.EqualFold(name, s.whole) {
		return 10
	}
	return 0
}

// wholeText is what an entity is named whom the query names.
func wholeText(q *loci.GraphQuery) string {
	if q.Op == loci.GraphWords {
		return q.Text
	}
	words := make([]string, len(q.Parts))
	for i, p := range q.Parts {
		words[i] = wholeText(p)
	}
	return strings.Join(words, " ")
}

// maxNamesakes is how many entities of one name, which differ in their types, a search looks at.
const maxNamesakes = 100

// withNamed adds to a list that is not all that matches the entities that the
// query names, however old they are.
func (s *matcher) withNamed(q *loci.GraphQuery, list []*found) ([]*found, error) {
	known := make(map[int64]bool, len(list))
	for _, f := range list {
		known[f.seq] = true
	}
	var named []*found
	var find query
	find.add("SELECT e.seq FROM entities e WHERE e.name IN ")
	in(&find, spellings(s.whole))
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
	named, _, err = s.verify(q, named)
	return append(list, named...), err
}

// spellings are the ways to write a name that the index of names can be asked
// for: as it is, in small letters, in capitals, with a capital at its beginning and at that of each word.
func spellings(name string) []string {
	lower := strings.ToLower(name)
	first, words, begins := []rune(lower), []rune(lower), true
	for i, r := range words {
		if begins {
			words[i] = unicode.ToUpper(r)
		}
		begins = r == ' '
	}
	if len(first) > 0 {
		first[0] = unicode.ToUpper(first[0])
	}
	list := []string{name, lower, strings.ToUpper(name), string(first), string(words)}
	slices.Sort(list)
	return slices.Compact(list)
}
