package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

type projectRegistry struct{ s *Store }

// Projects is the registry of projects.
func (s *Store) Projects() store.Projects { return projectRegistry{s} }

// isoTime is how a project's registry row and graph write times, always 24
// bytes, so that they sort as text.
const isoTime = "2006-01-02T15:04:05.000Z"

func iso(t time.Time) string { return t.UTC().Format(isoTime) }

func isoAt(r *sqlitedb.Row, col int) time.Time {
	t, err := time.Parse(isoTime, r.Text(col))
	if err != nil { // NULL, or another program's
		return time.Time{}
	}
	return t
}

// projectRow is what the registry knows of a project.
type projectRow struct {
	loci.Project
	intent string // "": settled
	moves  int64
}

// projectColumns are read by scanProject.
const projectColumns = "p.id, p.org_id, p.workspace_id, p.name, p.description, p.status, p.everyone, p.created_at, p.updated_at, p.intent, p.moves"

const fromProjects = " FROM projects p JOIN orgs o ON o.id = p.org_id AND o.state IN " + openStates

func scanProject(r *sqlitedb.Row) (p projectRow, err error) {
	if p.ID, err = idAt[loci.ProjectID](r, 0); err != nil {
		return p, err
	}
	p.OrgID, p.WorkspaceID, p.Name, p.Description = loci.OrgID(r.Text(1)), r.ID(2), r.Text(3), r.Text(4)
	p.Status, p.Everyone, p.CreatedAt, p.UpdatedAt = loci.ProjectStatus(r.Text(5)), r.Bool(6), isoAt(r, 7), isoAt(r, 8)
	p.intent, p.moves = r.Text(9), r.Int64(10)
	if p.intent == intentArchiving || p.intent == intentRestoring {
		p.Status = loci.ProjectArchived // nobody gets in
	}
	return p, nil
}

// idAt reads an id that is stored as text.
func idAt[T ~[16]byte](r *sqlitedb.Row, col int) (T, error) {
	id, err := loci.ParseMemoryID(r.Text(col))
	return T(id), err
}

// exists is part of every question about projects but the settling of intents.
const projectExists = " AND (p.intent IS NULL OR p.intent IN ('archiving', 'restoring'))"

// lookUpProject returns the registry's row in whatever state, or NotFound.
func (s *Store) lookUpProject(ctx context.Context, org loci.OrgID, id loci.ProjectID) (p projectRow, err error) {
	err = s.meta.View(ctx, func(c *sqlitedb.Conn) (err error) {
		p, err = projectIn(c, org, id)
		return err
	})
	return p, err
}

func projectIn(c *sqlitedb.Conn, org loci.OrgID, id loci.ProjectID) (p projectRow, err error) {
	found, err := c.One("SELECT "+projectColumns+fromProjects+" WHERE p.id = ? AND p.org_id = ?", sqlitedb.Args{id.String(), string(org)},
		func(r *sqlitedb.Row) (err error) { p, err = scanProject(r); return err })
	if err == nil && !found {
		err = loci.NoSuchProject()
	}
	return p, err
}

func (ps projectRegistry) Create(ctx context.Context, p loci.Project, creator loci.UserID) (loci.Project, error) {
	if err := p.Validate(); err != nil {
		return loci.Project{}, err
	}
	if p.ID.IsZero() {
		p.ID = loci.NewProjectID()
	}
	p.Status = loci.ProjectActive
	p.CreatedAt = ps.s.opts.Now().UTC().Truncate(loci.GraphTime)
	p.UpdatedAt = p.CreatedAt
	err := ps.s.createProject(ctx, p, creator)
	return p, translateFile(err)
}

func (ps projectRegistry) Get(ctx context.Context, v loci.Viewer, id loci.ProjectID) (loci.Project, error) {
	return ps.one(ctx, v, " AND p.id = ?", id.String())
}

func (ps projectRegistry) Find(ctx context.Context, v loci.Viewer, name string) (loci.Project, error) {
	return ps.one(ctx, v, " AND p.name = ?", name)
}

// one lets the rule itself decide on the one row that there can be, so that its cost does
// not grow with the viewer's projects.
func (ps projectRegistry) one(ctx context.Context, v loci.Viewer, where string, arg any) (p loci.Project, err error) {
	found := false
	err = ps.s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		found, err = c.One("SELECT "+projectColumns+fromProjects+" WHERE p.org_id = ?"+projectExists+where, sqlitedb.Args{string(v.OrgID), arg},
			func(r *sqlitedb.Row) error {
				row, err := scanProject(r)
				p = row.Project
				return err
			})
		return err
	})
	if err == nil && (!found || !v.InProject(&p)) {
		p, err = loci.Project{}, loci.NoSuchProject()
	}
	return p, translate(err)
}

// inProject is loci.Viewer.InProject over the alias p.
func inProject(q *query, v loci.Viewer) {
	if v.OrgID == "" || v.UserID.IsZero() {
		q.add("0")
		return
	}
	ids := make([]string, len(v.ProjectIDs))
	for i, id := range v.ProjectIDs {
		ids[i] = id.String()
	}
	q.add("p.org_id = ? AND p.id IN (SELECT value FROM json_each(?))"+projectExists, string(v.OrgID), jsonList(ids))
	if !v.WorkspaceID.IsZero() {
		q.add(" AND p.workspace_id = ?", [16]byte(v.WorkspaceID))
	}
}

// jsonList is one parameter for any number of values, so that one text of SQL
// serves them all.
func jsonList(list []string) string {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always encode
	}
	return string(b)
}

func (ps projectRegistry) List(ctx context.Context, v loci.Viewer, lq store.ProjectQuery) (page store.ProjectPage, err error) {
	var q query
	q.add("SELECT " + projectColumns + fromProjects + " WHERE ")
	inProject(&q, v)
	q.add(" AND p.name > ?", lq.After)
	switch lq.Status {
	case loci.ProjectActive:
		q.add(" AND p.status = 'active' AND p.intent IS NULL")
	case loci.ProjectArchived:
		q.add(" AND (p.status = 'archived' OR p.intent IS NOT NULL)")
	}
	q.add(" ORDER BY p.name LIMIT ?", int64(lq.Limit)+1)
	err = ps.s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		page = store.ProjectPage{}
		return c.Query(q.String(), q.args, func(r *sqlitedb.Row) error {
			p, err := scanProject(r)
			if len(page.Projects) == lq.Limit {
				page.More = true
				return sqlitedb.ErrStop
			}
			page.Projects = append(page.Projects, p.Project)
			return err
		})
	})
	return page, translate(err)
}

func (ps projectRegistry) Update(ctx context.Context, org loci.OrgID, id loci.ProjectID, change func(*loci.Project) error) (p loci.Project, err error) {
	err = ps.s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := hasProject(c, org, id); err != nil {
			return err
		}
		row, err := projectIn(c, org, id)
		if err != nil {
			return err
		}
		p = row.Project
		if err := change(&p); err != nil {
			return err
		}
		if err := p.Validate(); err != nil {
			return err
		}
		p.UpdatedAt = ps.s.opts.Now().UTC().Truncate(loci.GraphTime)
		return c.Exec("UPDATE projects SET name = ?, description = ?, workspace_id = ?, everyone = ?, updated_at = ? WHERE id = ?",
			p.Name, p.Description, orNull(p.WorkspaceID), p.Everyone, iso(p.UpdatedAt), id.String())
	})
	if err != nil {
		return loci.Project{}, translate(nameTaken(err, p.Name))
	}
	return p, nil
}

func (ps projectRegistry) InWorkspace(ctx context.Context, org loci.OrgID, workspace loci.WorkspaceID) (there bool, err error) {
	err = ps.s.meta.View(ctx, func(c *sqlitedb.Conn) (err error) {
		there, err = c.One("SELECT 1"+fromProjects+" WHERE p.org_id = ? AND p.workspace_id = ?"+projectExists+" LIMIT 1",
			sqlitedb.Args{string(org), orNull(workspace)}, func(*sqlitedb.Row) error { return nil })
		return err
	})
	return there, translate(err)
}

func nameTaken(err error, name string) error {
	if errors.Is(err, sqlitedb.ErrConstraintUnique) {
		return loci.WrapError(loci.Conflict, err, "a project named %s exists; choose another name", loci.OneLine(name))
	}
	return err
}
