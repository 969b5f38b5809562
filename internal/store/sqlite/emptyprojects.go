package sqlite

import (
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// fewProjects is how many a reader may belong to before it is worth asking which of them have memories.
const fewProjects = 8

// projectPools lists the projects that have a memory, in whatever state, with one look-up for each.
const projectPools = `WITH RECURSIVE present(pool) AS (
	SELECT min(pool) FROM memory_postings WHERE pool >= x'70' AND pool < x'71'
	UNION ALL SELECT (SELECT min(pool) FROM memory_postings WHERE pool > present.pool AND pool < x'71') FROM present
	WHERE present.pool IS NOT NULL
) SELECT pool FROM present WHERE pool IS NOT NULL`

// Near returns the viewer without those of its projects that have no memory: it sees the same in
// this transaction, and a list need not look into a thousand empty pools. An old
// version may be of a project that has none now, so at another time the viewer stays as it is.
func (x index) Near(v loci.Viewer, f *store.Filter) (loci.Viewer, error) {
	if len(v.ProjectIDs) <= fewProjects || !f.When.IsZero() {
		return v, nil
	}
	present := map[loci.ProjectID]bool{}
	err := x.c.Query(projectPools, nil, func(r *sqlitedb.Row) error {
		var id loci.ProjectID
		copy(id[:], r.Raw(0)[1:])
		present[id] = true
		return nil
	})
	v.ProjectIDs = slices.DeleteFunc(slices.Clone(v.ProjectIDs), func(id loci.ProjectID) bool { return !present[id] })
	return v, err
}
