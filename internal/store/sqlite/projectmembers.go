package sqlite

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

type projectMembers struct{ s *Store }

// ProjectMembers says who belongs to which project.
func (s *Store) ProjectMembers() store.ProjectMembers { return projectMembers{s} }

// userOfOrg is true for a user whom the directory knows in that org.
const userOfOrg = "EXISTS (SELECT 1 FROM people WHERE user_id = ? AND org_id = p.org_id)"

func (m projectMembers) Of(ctx context.Context, org loci.OrgID, user loci.UserID) ([]loci.ProjectID, error) {
	return m.ids(ctx, " AND "+userOfOrg+" AND (p.everyone = 1 OR EXISTS (SELECT 1 FROM project_members WHERE project_id = p.id AND user_id = ?))",
		string(org), [16]byte(user), [16]byte(user))
}

func (m projectMembers) All(ctx context.Context, org loci.OrgID) ([]loci.ProjectID, error) {
	return m.ids(ctx, "", string(org))
}

func (m projectMembers) ids(ctx context.Context, where string, args ...any) (list []loci.ProjectID, err error) {
	err = m.s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		list = nil
		return c.Query("SELECT p.id"+fromProjects+" WHERE p.org_id = ?"+projectExists+where+" ORDER BY p.id", args, func(r *sqlitedb.Row) error {
			id, err := idAt[loci.ProjectID](r, 0)
			list = append(list, id)
			return err
		})
	})
	return list, translate(err)
}

// hasProject refuses what is not a project of the org.
func hasProject(c *sqlitedb.Conn, org loci.OrgID, id loci.ProjectID) error {
	found, err := c.One("SELECT 1"+fromProjects+" WHERE p.id = ? AND p.org_id = ?"+projectExists, sqlitedb.Args{id.String(), string(org)},
		func(*sqlitedb.Row) error { return nil })
	if err == nil && !found {
		err = loci.NoSuchProject()
	}
	return err
}

func (m projectMembers) List(ctx context.Context, org loci.OrgID, id loci.ProjectID) (list []loci.ProjectMember, err error) {
	err = m.s.meta.View(ctx, func(c *sqlitedb.Conn) error {
		if err := hasProject(c, org, id); err != nil {
			return err
		}
		list = nil
		return c.Query("SELECT user_id, role FROM project_members WHERE project_id = ? ORDER BY user_id", sqlitedb.Args{id.String()}, func(r *sqlitedb.Row) error {
			list = append(list, loci.ProjectMember{UserID: r.ID(0), Role: loci.MemberRole(r.Text(1))})
			return nil
		})
	})
	return list, translate(err)
}

func (m projectMembers) Put(ctx context.Context, org loci.OrgID, id loci.ProjectID, who loci.ProjectMember) error {
	return translate(m.s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := hasProject(c, org, id); err != nil {
			return err
		}
		return putMember(c, id, who)
	}))
}

// putMember enters a user of the project's org.
func putMember(c *sqlitedb.Conn, id loci.ProjectID, who loci.ProjectMember) error {
	if _, err := loci.ParseMemberRole(string(who.Role)); err != nil {
		return err
	}
	err := c.Exec("INSERT INTO project_members (project_id, user_id, role) SELECT p.id, ?1, ?2 FROM projects p WHERE p.id = ?3 AND "+
		"EXISTS (SELECT 1 FROM people WHERE user_id = ?1 AND org_id = p.org_id) ON CONFLICT DO UPDATE SET role = excluded.role",
		[16]byte(who.UserID), string(who.Role), id.String())
	if err == nil && c.Changes() == 0 {
		err = sqlstore.NoUser()
	}
	return err
}

func (m projectMembers) Remove(ctx context.Context, org loci.OrgID, id loci.ProjectID, user loci.UserID) error {
	return translate(m.s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		if err := hasProject(c, org, id); err != nil {
			return err
		}
		return c.Exec("DELETE FROM project_members WHERE project_id = ? AND user_id = ?", id.String(), [16]byte(user))
	}))
}

func (m projectMembers) Adopt(ctx context.Context, org loci.OrgID, workspace loci.WorkspaceID) (n int, err error) {
	err = m.s.meta.Update(ctx, func(c *sqlitedb.Conn) error {
		err := c.Exec("UPDATE projects SET workspace_id = ? WHERE org_id = ? AND workspace_id IS NULL", orNull(workspace), string(org))
		n = int(c.Changes())
		return err
	})
	return n, translate(err)
}
