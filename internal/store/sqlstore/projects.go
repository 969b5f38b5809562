package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Projects is the part of store.Projects that creates, moves and removes no files.
type Projects struct{ *Registry }

// Projects returns the store of projects.
func (r *Registry) Projects() Projects { return Projects{r} }

// isoTime is the format of times in a project's registry row and graph. It is always 24 bytes, so
// that the times sort as text.
const isoTime = "2006-01-02T15:04:05.000Z"

// ISO returns a time in this format.
func ISO(t time.Time) string { return t.UTC().Format(isoTime) }

func isoAt(r Row, col int) time.Time {
	t, err := time.Parse(isoTime, r.Text(col))
	if err != nil { // NULL, or written by another program
		return time.Time{}
	}
	return t
}

// ProjectRow is what the registry knows of a project.
type ProjectRow struct {
	loci.Project
	Intent string // "" if settled
	Moves  int64  // number of moves of the project's file
}

// These intents are the operations that can be in progress on a project. Nobody can work on the project meanwhile.
const (
	IntentCreating  = "creating"
	IntentArchiving = "archiving"
	IntentRestoring = "restoring"
	IntentDeleting  = "deleting"
)

// Gone reports whether the project does not exist for callers, because it is being created or deleted.
func (p *ProjectRow) Gone() bool { return p.Intent == IntentCreating || p.Intent == IntentDeleting }

// Usable rejects a project that nobody may work on now.
func (p *ProjectRow) Usable() error {
	switch {
	case p.Gone():
		return loci.NoSuchProject()
	case p.Status != loci.ProjectActive:
		return loci.Errorf(loci.Conflict, "project %s is archived; restore it first", loci.OneLine(p.Name))
	}
	return nil
}

const projectColumns = "p.id, p.org_id, p.workspace_id, p.name, p.description, p.status, p.everyone, p.created_at, " +
	"p.updated_at, p.intent, p.moves, (SELECT count(*) FROM project_members n WHERE {global n} n.project_id = p.id), " +
	"(SELECT n.user_id FROM project_members n WHERE {global n} n.project_id = p.id ORDER BY n.user_id LIMIT 1)"

const fromProjects = " FROM projects p JOIN orgs o ON {global o} o.id = p.org_id AND o.state IN " + OpenStates

func scanProject(r Row) (p ProjectRow, err error) {
	if p.ID, err = IDAt[loci.ProjectID](r, 0); err != nil {
		return p, err
	}
	p.OrgID, p.WorkspaceID, p.Name, p.Description = loci.OrgID(r.Text(1)), r.ID(2), r.Text(3), r.Text(4)
	p.Status, p.Everyone, p.CreatedAt, p.UpdatedAt = loci.ProjectStatus(r.Text(5)), r.Bool(6), isoAt(r, 7), isoAt(r, 8)
	p.Intent, p.Moves, p.Members, p.OneMember = r.Text(9), r.Int64(10), r.Int(11), r.ID(12)
	if p.Intent == IntentArchiving || p.Intent == IntentRestoring {
		p.Status = loci.ProjectArchived // nobody can use it
	}
	return p, nil
}

// IDAt returns the id whose text is in a column.
func IDAt[T ~[16]byte](r Row, col int) (T, error) {
	id, err := loci.ParseMemoryID(r.Text(col))
	return T(id), err
}

// projectExists belongs in every query about projects, except to settle intents.
const projectExists = " AND (p.intent IS NULL OR p.intent IN ('archiving', 'restoring'))"

// LookUpProject returns the registry's row, whatever its state, or NotFound.
func (r *Registry) LookUpProject(ctx context.Context, org loci.OrgID, id loci.ProjectID) (p ProjectRow, err error) {
	err = r.db.View(ctx, func(c Conn) (err error) {
		p, err = projectIn(c, org, id)
		return err
	})
	return p, err
}

func projectIn(c Conn, org loci.OrgID, id loci.ProjectID) (p ProjectRow, err error) {
	found, err := c.One("SELECT "+projectColumns+fromProjects+" WHERE {global p} p.id = ? AND p.org_id = ?",
		Args{id.String(), string(org)},
		func(r Row) (err error) { p, err = scanProject(r); return err })
	return p, orMissing(found, err, loci.NoSuchProject)
}

// Get returns a project that v belongs to, or NotFound.
func (ps Projects) Get(ctx context.Context, v loci.Viewer, id loci.ProjectID) (loci.Project, error) {
	return ps.one(ctx, v, " AND p.id = ?", id.String())
}

// Find returns a project that v belongs to by name, or NotFound.
func (ps Projects) Find(ctx context.Context, v loci.Viewer, name string) (loci.Project, error) {
	return ps.one(ctx, v, " AND p.name = ?", name)
}

// one applies the rule itself to the only row that can match, so that its cost does not grow with
// the number of the viewer's projects.
func (ps Projects) one(ctx context.Context, v loci.Viewer, where string, arg any) (p loci.Project, err error) {
	found, err := ps.first(ctx, "SELECT "+projectColumns+fromProjects+" WHERE {global p} p.org_id = ?"+projectExists+
		where, Args{string(v.OrgID), arg}, func(r Row) error {
		row, err := scanProject(r)
		p = row.Project
		return err
	})
	if err == nil && (!found || !v.InProject(&p)) {
		p, err = loci.Project{}, loci.NoSuchProject()
	}
	return p, err
}

// inProject adds loci.Viewer.InProject over the alias p.
func inProject(q *Query, v loci.Viewer) {
	if v.OrgID == "" || v.UserID.IsZero() {
		q.Add("FALSE")
		return
	}
	q.Add("p.org_id = ? AND p.id IN (SELECT value FROM {each ?})"+projectExists, string(v.OrgID), toJSON(v.ProjectIDs))
	if !v.WorkspaceID.IsZero() {
		q.Add(" AND p.workspace_id = ?", [16]byte(v.WorkspaceID))
	}
}

// List returns a page of the projects that v belongs to, by name.
func (ps Projects) List(ctx context.Context, v loci.Viewer, lq store.ProjectQuery) (page store.ProjectPage, err error) {
	var q Query
	q.Add("SELECT " + projectColumns + fromProjects + " WHERE {global p} ")
	inProject(&q, v)
	q.Add(" AND p.name > ?", lq.After)
	switch lq.Status {
	case loci.ProjectActive:
		q.Add(" AND p.status = 'active' AND p.intent IS NULL")
	case loci.ProjectArchived:
		q.Add(" AND (p.status = 'archived' OR p.intent IS NOT NULL)")
	}
	q.Add(" ORDER BY p.name LIMIT ?", int64(lq.Limit)+1)
	err = ps.db.View(ctx, func(c Conn) error {
		page = store.ProjectPage{}
		return c.Query(q.String(), q.Args, func(r Row) error {
			p, err := scanProject(r)
			if len(page.Projects) == lq.Limit {
				page.More = true
				return ErrStop
			}
			page.Projects = append(page.Projects, p.Project)
			return err
		})
	})
	return page, err
}

// Update changes a project's name, description and members. Conflict if the name is taken.
func (ps Projects) Update(ctx context.Context, org loci.OrgID, id loci.ProjectID, change func(*loci.Project) error) (
	p loci.Project, err error) {
	err = ps.db.Update(ctx, func(c Conn) error {
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
		p.UpdatedAt = ps.now().UTC().Truncate(loci.GraphTime)
		return c.Exec("UPDATE projects SET name = ?, description = ?, workspace_id = ?, everyone = ?, updated_at = ? "+
			"WHERE {global projects} id = ?",
			p.Name, p.Description, OrNull(p.WorkspaceID), p.Everyone, ISO(p.UpdatedAt), id.String())
	})
	if err != nil {
		return loci.Project{}, ps.NameTaken(err, p.Name)
	}
	ps.hints(ctx, nil, ProjectHint(&p, loci.Updated))
	return p, nil
}

// InWorkspace reports whether a project is in that workspace.
func (ps Projects) InWorkspace(ctx context.Context, org loci.OrgID, workspace loci.WorkspaceID) (
	bool, error) {
	return ps.first(ctx, "SELECT 1"+fromProjects+" WHERE {global p} p.org_id = ? AND p.workspace_id = ?"+projectExists+
		" LIMIT 1", Args{string(org), OrNull(workspace)}, func(Row) error { return nil })
}

// NameTaken turns the error of a statement that sets a project's name into a Conflict.
func (r *Registry) NameTaken(err error, name string) error {
	return r.d.orTaken(err, "a project named %s exists; choose another name", loci.OneLine(name))
}

// Of returns the settled projects of an org, ordered by id. "" means all orgs.
func (ps Projects) Of(ctx context.Context, org loci.OrgID) (list []loci.Project, err error) {
	rows, err := ps.rows(ctx, " WHERE {global p} ? IN (p.org_id, '')"+projectExists+" ORDER BY p.id", string(org))
	for _, p := range rows {
		list = append(list, p.Project)
	}
	return list, err
}

// UnsettledProjects returns the projects of all orgs with an operation in progress.
func (r *Registry) UnsettledProjects(ctx context.Context) ([]ProjectRow, error) {
	return r.Projects().rows(ctx, " WHERE {global p} p.intent IS NOT NULL")
}

func (ps Projects) rows(ctx context.Context, where string, args ...any) ([]ProjectRow, error) {
	return every(ctx, ps.Registry, "SELECT "+projectColumns+fromProjects+where, args, scanProject)
}

// TrashMemories moves those rows among seqs that are memories of the project to their owners' trash.
func (tx *Tx) TrashMemories(id loci.ProjectID, seqs []int64, now time.Time) error {
	t := memories{tx}
	return t.eachSeq(seqs, " WHERE m.scope = 'project' AND m.project_id = ? AND m.deleted_at IS NULL", Args{[16]byte(id)},
		func(old *Stored) error {
			return t.put(old, trashed(&old.Memory, now)) // the owner may be leaving
		})
}

// trashed returns the version of m with which the server trashes it. Its history stays in order
// even if the clock was set back.
func trashed(m *loci.Memory, now time.Time) *loci.Memory {
	next := m.Clone()
	// through no credential
	next.State = loci.State{Version: m.Version + 1, Change: loci.Trashed, Editor: loci.ServerOrigin}
	next.DeletedAt, next.UpdatedAt = now, now
	if !now.After(m.UpdatedAt) {
		next.UpdatedAt = m.UpdatedAt.Add(time.Microsecond)
	}
	return next
}

// TrashNodes trashes memory nodes of the project, at most limit, and returns the number.
func (tx *Tx) TrashNodes(ctx context.Context, id loci.ProjectID, now time.Time, limit int) (int, error) {
	t := memoryNodes{tx}
	list, err := all(t.c, "SELECT "+nodeColumns+" FROM memory_nodes m WHERE {m} m.scope = 'project' AND "+
		"m.project_id = ? AND m.deleted_at IS NULL LIMIT ?", Args{[16]byte(id), limit}, t.scanNode)
	for _, old := range list {
		next := old.MemoryNode
		next.DeletedAt, next.UpdatedAt = now, now
		if !now.After(old.UpdatedAt) {
			next.UpdatedAt = old.UpdatedAt.Add(time.Microsecond)
		}
		if err == nil {
			err = t.Update(ctx, &next)
		}
	}
	return len(list), err
}
