package sqlstore

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// newestFirst is the order in which candidates are checked and returned.
func newestFirst(a, b *GraphFound) int { return cmp.Compare(b.Seq, a.Seq) }

func (g graph) Search(_ context.Context, v loci.Viewer, q *loci.GraphQuery) (hits store.GraphMatches, err error) {
	list, more, err := g.matches(v, q)
	for _, looser := range q.Looser() {
		if err != nil || len(list) > 0 {
			break
		}
		list, more, err = g.matches(v, looser)
		hits.Any = len(list) > 0
	}
	if err != nil {
		return hits, err
	}
	hits.More, hits.Matches = more, make([]loci.GraphMatch, len(list))
	for i, f := range list {
		hits.Matches[i] = f.GraphMatch
	}
	return hits, nil
}

// matches returns the entities that match, newest first.
func (tx *GraphTx) matches(v loci.Viewer, q *loci.GraphQuery) (list []*GraphFound, more bool, err error) {
	s := &matcher{GraphTx: tx, v: v, index: tx.index(tx), reader: q.Reader(), read: map[*loci.GraphQuery]*newRows{}}
	if perRow(q) {
		list, more, err = s.index.Match(v, q, store.MaxGraphMatches, s.reader)
	} else {
		list, more, err = s.perEntity(q)
	}
	if err == nil && more {
		list, err = s.withNamed(list)
	}
	slices.SortFunc(list, newestFirst)
	return list, more, err
}

// matcher finds the entities that a query matches.
type matcher struct {
	*GraphTx
	v      loci.Viewer
	index  GraphIndex
	reader *loci.GraphReader
	read   map[*loci.GraphQuery]*newRows
}
