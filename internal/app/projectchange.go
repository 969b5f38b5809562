package app

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
)

// ProjectPatch changes the fields that are not nil.
type ProjectPatch struct {
	Name, Description *string
	Everyone          *bool
}

func (c *ProjectPatch) apply(p *loci.Project) {
	set(&p.Name, c.Name)
	set(&p.Description, c.Description)
	set(&p.Everyone, c.Everyone)
}

// ChangeProject alters name, description and who belongs to it. It is for the owners and admins of the project,
// and those of the org who belong to it; for others Forbidden. NotFound; Conflict if the name is taken, and for closing a project
// that has no owner, which nobody could manage then. A change that changes nothing records nothing.
func (a *App) ChangeProject(ctx context.Context, p loci.Principal, id loci.ProjectID, c ProjectPatch) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectChange); err != nil {
		return loci.Project{}, err
	}
	a.registry.Lock()
	defer a.registry.Unlock()
	old, members, err := a.manage(ctx, p, ProjectChange, id)
	if err != nil {
		return loci.Project{}, err
	}
	changed := old
	if c.apply(&changed); changed == old {
		return old, nil
	}
	if err := changed.Validate(); err != nil {
		return loci.Project{}, err
	}
	if changed.Name != old.Name {
		if err := a.nameIsFree(ctx, p, changed.Name); err != nil {
			return loci.Project{}, err
		}
	}
	if old.Everyone && !changed.Everyone && !slices.ContainsFunc(members, isProjectOwner) {
		return loci.Project{}, loci.Errorf(loci.Conflict, "this project has no owner, so nobody could manage it once it is closed; make somebody its owner first")
	}
	if err := a.record(ctx, p, ProjectChange, id.String()); err != nil {
		return loci.Project{}, err
	}
	return a.store.Projects().Update(ctx, p.OrgID, id, func(now *loci.Project) error { c.apply(now); return nil })
}

// reread returns a project as it is after a change, or as p left it.
func (a *App) reread(ctx context.Context, p loci.Principal, changed loci.Project) (loci.Project, error) {
	got, err := a.store.Projects().Get(ctx, p.Viewer(), changed.ID)
	if loci.CodeOf(err) == loci.NotFound {
		return changed, nil
	}
	return got, err
}

// ArchiveProject closes a project and keeps it, for the same people as ChangeProject. Sessions that work
// on it work on none then. Conflict if it is archived.
func (a *App) ArchiveProject(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectArchive); err != nil {
		return loci.Project{}, err
	}
	old, _, err := a.manage(ctx, p, ProjectArchive, id)
	if err != nil {
		return loci.Project{}, err
	}
	if old.Status == loci.ProjectArchived {
		return loci.Project{}, loci.Errorf(loci.Conflict, "project %s is archived already", loci.OneLine(old.Name))
	}
	if err := a.record(ctx, p, ProjectArchive, id.String()); err != nil {
		return loci.Project{}, err
	}
	if err := a.store.Projects().Archive(ctx, p.OrgID, id); err != nil {
		return loci.Project{}, err
	}
	old.Status = loci.ProjectArchived
	return a.reread(ctx, p, old)
}

// RestoreProject makes an archived project active again. Conflict if it is not archived. Otherwise like ArchiveProject.
func (a *App) RestoreProject(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := a.begin(ctx, p, ProjectRestore); err != nil {
		return loci.Project{}, err
	}
	old, _, err := a.manage(ctx, p, ProjectRestore, id)
	if err != nil {
		return loci.Project{}, err
	}
	if old.Status == loci.ProjectActive {
		return loci.Project{}, loci.Errorf(loci.Conflict, "project %s is not archived", loci.OneLine(old.Name))
	}
	if err := a.record(ctx, p, ProjectRestore, id.String()); err != nil {
		return loci.Project{}, err
	}
	if err := a.store.Projects().Restore(ctx, p.OrgID, id); err != nil {
		return loci.Project{}, err
	}
	old.Status = loci.ProjectActive
	return a.reread(ctx, p, old)
}

// DeleteProject deletes a project, active or archived, with its graph for good; its
// memories go to their owners' trash. It is for the owners of the project, and those of the org who belong to it. NotFound, Forbidden.
func (a *App) DeleteProject(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	if err := a.begin(ctx, p, ProjectDelete); err != nil {
		return err
	}
	if _, _, err := a.manage(ctx, p, ProjectDelete, id); err != nil {
		return err
	}
	if err := a.record(ctx, p, ProjectDelete, id.String()); err != nil {
		return err
	}
	return a.store.Projects().Delete(ctx, p.OrgID, id)
}

// manage returns a project that p may take the action on, and who is entered in it. What p may not see is NotFound before
// anything else is said of it.
func (a *App) manage(ctx context.Context, p loci.Principal, act Action, id loci.ProjectID) (loci.Project, []loci.ProjectMember, error) {
	got, err := a.store.Projects().Get(ctx, p.Viewer(), id)
	if err != nil {
		return loci.Project{}, nil, err
	}
	members, err := a.store.ProjectMembers().List(ctx, p.OrgID, id)
	if err != nil {
		return loci.Project{}, nil, err
	}
	least := loci.MemberAdmin
	if act == ProjectDelete {
		least = loci.MemberOwner
	}
	if !projectRole(p, members).AtLeast(least) {
		return loci.Project{}, nil, a.errNotManaged(ctx, p, act, least)
	}
	return got, members, nil
}

func (a *App) errNotManaged(ctx context.Context, p loci.Principal, act Action, least loci.MemberRole) error {
	a.Refused(ctx, p, act)
	if least == loci.MemberOwner {
		return loci.Errorf(loci.Forbidden, "%s is for the owners of the project, and for those of the org who belong to it", act)
	}
	return loci.Errorf(loci.Forbidden, "%s is for the owners and admins of the project, and for those of the org who belong to it", act)
}

// projectRole returns what p may be in a project that it belongs to: its entered role, or that
// in the org if it is more than a member there. The operator is above everybody.
func projectRole(p loci.Principal, members []loci.ProjectMember) loci.MemberRole {
	if p.Kind == loci.KindLocal {
		return loci.MemberOwner
	}
	role := entered(members, p.UserID)
	if p.OrgRole.AtLeast(loci.MemberAdmin) && !role.AtLeast(p.OrgRole) {
		role = p.OrgRole
	}
	return role
}

// entered returns the role that a user is entered with; "": none.
func entered(members []loci.ProjectMember, user loci.UserID) loci.MemberRole {
	for _, m := range members {
		if m.UserID == user {
			return m.Role
		}
	}
	return ""
}

func isProjectOwner(m loci.ProjectMember) bool { return m.Role == loci.MemberOwner }
