package sqlstore

import (
	"context"

	"github.com/loci-memory/loci"
)

type projectMembers struct{ *Registry }

// userOfOrg is true for a user whom the directory lists in that org.
const userOfOrg = "EXISTS (SELECT 1 FROM people WHERE {global people} user_id = ? AND org_id = p.org_id)"

func (m projectMembers) Of(ctx context.Context, org loci.OrgID, user loci.UserID, in loci.WorkspaceID) (
	[]loci.ProjectID, error) {
	return m.ids(ctx, in, " AND "+userOfOrg+" AND (p.everyone OR EXISTS (SELECT 1 FROM project_members WHERE {global "+
		"project_members} project_id = p.id AND user_id = ?))",
		string(org), [16]byte(user), [16]byte(user))
}

func (m projectMembers) All(ctx context.Context, org loci.OrgID, in loci.WorkspaceID) ([]loci.ProjectID, error) {
	return m.ids(ctx, in, "", string(org))
}

func (m projectMembers) ids(ctx context.Context, in loci.WorkspaceID, where string, args ...any) (
	[]loci.ProjectID, error) {
	if !in.IsZero() {
		where += " AND (p.workspace_id IS NULL OR p.workspace_id = ?)"
		args = append(args, [16]byte(in))
	}
	return every(ctx, m.Registry, "SELECT p.id"+fromProjects+" WHERE {global p} p.org_id = ?"+projectExists+where+
		" ORDER BY p.id", args, func(r Row) (loci.ProjectID, error) { return IDAt[loci.ProjectID](r, 0) })
}

// hasProject rejects the id of a project that the org does not have.
func hasProject(c Conn, org loci.OrgID, id loci.ProjectID) error {
	found, err := c.One("SELECT 1"+fromProjects+" WHERE {global p} p.id = ? AND p.org_id = ?"+projectExists,
		Args{id.String(), string(org)},
		func(Row) error { return nil })
	return orMissing(found, err, loci.NoSuchProject)
}

func (m projectMembers) List(ctx context.Context, org loci.OrgID, id loci.ProjectID) (
	list []loci.ProjectMember, err error) {
	err = m.db.View(ctx, func(c Conn) error {
		if err := hasProject(c, org, id); err != nil {
			return err
		}
		list = nil
		return c.Query("SELECT user_id, role FROM project_members WHERE {global project_members} project_id = ? ORDER BY "+
			"user_id", Args{id.String()}, func(r Row) error {
			list = append(list, loci.ProjectMember{UserID: r.ID(0), Role: loci.MemberRole(r.Text(1))})
			return nil
		})
	})
	return list, err
}

func (m projectMembers) Put(ctx context.Context, org loci.OrgID, id loci.ProjectID, who loci.ProjectMember) error {
	return m.changed(ctx, org, id, func(c Conn) error { return PutMember(c, id, who) })
}

func (m projectMembers) changed(ctx context.Context, org loci.OrgID, id loci.ProjectID, change func(Conn) error) error {
	var p ProjectRow
	err := m.db.Update(ctx, func(c Conn) (err error) {
		if err := hasProject(c, org, id); err != nil {
			return err
		}
		if p, err = projectIn(c, org, id); err != nil {
			return err
		}
		return change(c)
	})
	m.hints(ctx, err, ProjectHint(&p.Project, loci.Updated))
	return err
}

// PutMember adds a user of the project's org.
func PutMember(c Conn, id loci.ProjectID, who loci.ProjectMember) error {
	if _, err := loci.ParseMemberRole(string(who.Role)); err != nil {
		return err
	}
	err := c.Exec("INSERT INTO project_members ({global} project_id, user_id, role) SELECT p.id, ?1, ?2 FROM projects "+
		"p WHERE {global p} p.id = ?3 AND "+
		"EXISTS (SELECT 1 FROM people WHERE {global people} user_id = ?1 AND org_id = p.org_id) ON CONFLICT ({global} "+
		"project_id, user_id) DO UPDATE SET role = excluded.role",
		[16]byte(who.UserID), string(who.Role), id.String())
	return orMissing(c.Changes() > 0, err, NoUser)
}

func (m projectMembers) Remove(ctx context.Context, org loci.OrgID, id loci.ProjectID, user loci.UserID) error {
	return m.changed(ctx, org, id, func(c Conn) error {
		return c.Exec("DELETE FROM project_members WHERE {global project_members} project_id = ? AND user_id = ?",
			id.String(), [16]byte(user))
	})
}

func (m projectMembers) Adopt(ctx context.Context, org loci.OrgID, workspace loci.WorkspaceID) (n int, err error) {
	err = m.db.Update(ctx, func(c Conn) error {
		err := c.Exec("UPDATE projects SET workspace_id = ? WHERE {global projects} org_id = ? AND workspace_id IS NULL",
			OrNull(workspace), string(org))
		if n = int(c.Changes()); err == nil && n > 0 { // a user in another workspace can no longer reach them
			err = c.Exec("UPDATE orgs SET projects_version = projects_version + 1 WHERE {global orgs} id = ?", string(org))
		}
		return err
	})
	return n, err
}
