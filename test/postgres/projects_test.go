//go:build postgres

package postgres

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// projects is the registry of projects. Their graphs are in the same database, so each change is one transaction.
type projects struct {
	sqlstore.Projects
	s *engine
}

func (s *engine) Projects() store.Projects { return projects{s.registry.Projects(), s} }

func (ps projects) Create(ctx context.Context, p loci.Project, creator loci.UserID) (loci.Project, error) {
	if err := p.Validate(); err != nil {
		return loci.Project{}, err
	}
	if p.ID.IsZero() {
		p.ID = loci.NewProjectID()
	}
	p.Status = loci.ProjectActive
	p.CreatedAt = ps.s.now().UTC().Truncate(loci.GraphTime)
	p.UpdatedAt = p.CreatedAt
	err := registryDB{ps.s}.Update(ctx, func(c sqlstore.Conn) error {
		err := c.Exec(`INSERT INTO projects ({global} id, name, description, db_path, created_at, updated_at, org_id,
			workspace_id, everyone) SELECT ?, ?, ?, '', ?, ?, o.id, ?::uuid, ?::boolean FROM orgs o
			WHERE {global o} o.id = ? AND o.state IN `+sqlstore.OpenStates, p.ID.String(), p.Name, p.Description,
			sqlstore.ISO(p.CreatedAt), sqlstore.ISO(p.UpdatedAt),
			sqlstore.OrNull(p.WorkspaceID), p.Everyone, string(p.OrgID))
		if err == nil && c.Changes() == 0 {
			err = sqlstore.NoOrg()
		}
		if err == nil && !creator.IsZero() {
			err = sqlstore.PutMember(c, p.ID, loci.ProjectMember{UserID: creator, Role: loci.MemberOwner})
		}
		return err
	})
	if err != nil {
		return loci.Project{}, ps.NameTaken(err, p.Name)
	}
	if p.OneMember = creator; !creator.IsZero() {
		p.Members = 1
	}
	ps.s.Hint(ctx, sqlstore.ProjectHint(&p, loci.Created))
	return p, nil
}

func (ps projects) Archive(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return ps.set(ctx, org, id, loci.ProjectArchived, "project %s is archived already")
}

func (ps projects) Restore(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return ps.set(ctx, org, id, loci.ProjectActive, "project %s is not archived")
}

// set sets the status of a project, after its running writers.
func (ps projects) set(ctx context.Context, org loci.OrgID, id loci.ProjectID, status loci.ProjectStatus,
	already string) error {
	p, err := ps.change(ctx, org, id, func(tx *sqlstore.Tx, p *sqlstore.ProjectRow) error {
		if p.Status == status {
			return loci.Errorf(loci.Conflict, already, loci.OneLine(p.Name))
		}
		return tx.Conn().Exec("UPDATE projects SET status = ?, moves = moves + 1, updated_at = ? "+
			"WHERE {global projects} id = ?", string(status), sqlstore.ISO(ps.s.now()), id.String())
	})
	if err == nil {
		ps.s.Hint(ctx, sqlstore.ProjectHint(&p.Project, loci.Updated))
	}
	return err
}

// change runs fn in a transaction on the org while nobody works on the project.
func (ps projects) change(ctx context.Context, org loci.OrgID, id loci.ProjectID,
	fn func(*sqlstore.Tx, *sqlstore.ProjectRow) error) (p sqlstore.ProjectRow, err error) {
	err = ps.s.Update(ctx, org, func(t store.Tx) error {
		tx := t.(*sqlstore.Tx)
		if _, err := lockProject(tx.Conn(), org, id); err != nil {
			return err
		}
		if p, err = ps.s.in(tx.Conn()).LookUpProject(ctx, org, id); err != nil {
			return err
		}
		return fn(tx, &p)
	})
	if loci.CodeOf(err) == loci.NotFound {
		err = loci.NoSuchProject()
	}
	return p, err
}

// batch is how many rows one statement changes.
const batch = 200

func (ps projects) Delete(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	p, err := ps.change(ctx, org, id, func(tx *sqlstore.Tx, _ *sqlstore.ProjectRow) error {
		now, c := loci.CutTime(ps.s.now()), tx.Conn()
		var seqs []int64
		err := c.Query("SELECT seq FROM memories WHERE {memories} scope = 'project' AND project_id = ? "+
			"AND deleted_at IS NULL ORDER BY seq", sqlstore.Args{[16]byte(id)},
			func(r sqlstore.Row) error { seqs = append(seqs, r.Int64(0)); return nil })
		if err == nil {
			err = tx.TrashMemories(id, seqs, now)
		}
		for _, step := range []func() (int, error){
			func() (int, error) { return tx.TrashNodes(ctx, id, now, batch) },
			func() (int, error) { return tx.EraseTasks(id, batch) },
			func() (int, error) { return tx.ReleaseCandidates(ctx, id, batch) },
		} {
			for n := batch; n == batch && err == nil; {
				n, err = step()
			}
		}
		for _, table := range []string{"changes", "entities", "text_changes"} {
			if err == nil {
				u := under(c)
				_, err = u.tx.Exec(ctx, "DELETE FROM "+table+" WHERE org_id = $1 AND project_id = $2", string(org), [16]byte(id))
			}
		}
		if err != nil {
			return err
		}
		return c.Exec("DELETE FROM projects WHERE {global projects} id = ?", id.String())
	})
	if err == nil {
		ps.s.Hint(ctx, sqlstore.ProjectHint(&p.Project, loci.Erased))
	}
	return err
}

// GatherAudit has nothing to do: GraphTx.Record writes to the trail.
func (ps projects) GatherAudit(ctx context.Context, org loci.OrgID, id loci.ProjectID) error {
	return ps.s.ViewProject(ctx, org, id, func(store.GraphTx) error { return nil })
}

// WithGraphs reads one statement for each project.
func (ps projects) WithGraphs(ctx context.Context, org loci.OrgID, ids []loci.ProjectID) (
	list []loci.ProjectID, err error) {
	if err := org.Validate(); err != nil {
		return nil, err
	}
	for _, id := range ids {
		there := false
		err := ps.s.ViewProject(ctx, org, id, func(t store.GraphTx) (err error) {
			there, err = t.(*graphTx).c.One("SELECT 1 FROM entities e WHERE {graph e} TRUE LIMIT 1", nil,
				func(sqlstore.Row) error { return nil })
			return err
		})
		if code := loci.CodeOf(err); err != nil && code != loci.NotFound && code != loci.Conflict {
			return nil, err
		}
		if there {
			list = append(list, id)
		}
	}
	return list, nil
}
