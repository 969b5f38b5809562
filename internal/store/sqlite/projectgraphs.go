package sqlite

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// maxProjectRows limits the rows of projects that are kept, as long as nobody, in any process, commits to the registry.
const maxProjectRows = 1024

// projectRow returns the registry's row of a project, as it is now.
func (s *Store) projectRow(ctx context.Context, org loci.OrgID, id loci.ProjectID) (sqlstore.ProjectRow, error) {
	stamp, ok := s.meta.Stamp()
	if !ok {
		return s.registry.LookUpProject(ctx, org, id)
	}
	key := projectKey(org, id)
	if p, known := s.projectRows.Get(key, stamp); known {
		return p, nil
	}
	p, err := s.registry.LookUpProject(ctx, org, id)
	if err == nil {
		s.projectRows.Put(key, stamp, p, 1) // the row may be newer than its stamp, never older
	}
	return p, err
}

// WithGraphs leaves out the projects that cannot be used and those without an entity. It keeps the
// projects whose file cannot be read, so that ViewProject returns the reason.
func (ps projectRegistry) WithGraphs(ctx context.Context, org loci.OrgID, ids []loci.ProjectID) (
	list []loci.ProjectID, err error) {
	if err := org.Validate(); err != nil {
		return nil, err
	}
	for _, id := range ids {
		p, err := ps.s.projectRow(ctx, org, id)
		if loci.CodeOf(err) == loci.NotFound || err == nil && p.Usable() != nil {
			continue
		}
		if err != nil {
			return nil, translate(err)
		}
		if empty, err := ps.s.emptyGraph(ctx, org, id); err != nil || !empty {
			list = append(list, id)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return list, nil
}

// emptyGraph reports whether a project has no entities, not even deleted ones. As long as nobody commits
// to the project's file or to the registry, it reads neither.
func (s *Store) emptyGraph(ctx context.Context, org loci.OrgID, id loci.ProjectID) (empty bool, err error) {
	known, err := s.knownEmpty(ctx, projectKey(org, id))
	if err != nil || known {
		return known, err
	}
	err = s.withProject(ctx, org, id, func(f *projectFile, _ loci.Project) error {
		stamp, ok := f.DB.Stamp()
		return f.DB.View(ctx, func(c *sqlitedb.Conn) error {
			there, err := c.One("SELECT 1 FROM entities LIMIT 1", nil, func(*sqlitedb.Row) error { return nil })
			if empty = err == nil && !there; empty && ok {
				f.empty.Store(&stamp)
			}
			return err
		})
	})
	return empty, err
}

// knownEmpty reports whether the open file had no entities and nobody has committed since. The registry
// tells whether another process has moved the file: before it does, it commits its intent. So the file
// was in its place when its stamp was read, if the registry says so afterwards.
func (s *Store) knownEmpty(ctx context.Context, key string) (bool, error) {
	f, err := s.projectFiles.Acquire(ctx, key)
	if err != nil {
		return false, translateFile(err)
	}
	defer s.projectFiles.Release(f)
	seen := f.empty.Load()
	if seen == nil {
		return false, nil
	}
	if stamp, ok := f.DB.Stamp(); !ok || stamp != *seen {
		return false, nil
	}
	p, err := s.projectRow(ctx, f.org, f.id)
	return err == nil && p.Usable() == nil && p.Moves == f.moves, nil
}

// fewProjects is the number of a reader's projects up to which it is not worth checking which of them have memories.
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
