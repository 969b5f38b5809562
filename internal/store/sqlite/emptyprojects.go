package sqlite

import (
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// fewProjects is the number of a reader's projects up to which it is not worth checking which of
// them have memories.
const fewProjects = 8

// projectPools lists the projects that have a memory, in any state, with one look-up for each.
const projectPools = `WITH RECURSIVE present(pool) AS (
	SELECT min(pool) FROM memory_postings WHERE pool >= x'70' AND pool < x'71'
	UNION ALL SELECT (SELECT min(pool) FROM memory_postings WHERE pool > present.pool AND pool < x'71') FROM present
	WHERE present.pool IS NOT NULL
) SELECT pool FROM present WHERE pool IS NOT NULL`

// Near returns the viewer without those of its projects that have no memory. It sees the same
// rows in this transaction, and a list need not search a thousand empty pools. A project may have
// old versions but no memories now, so for another time Near returns the viewer unchanged.
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
