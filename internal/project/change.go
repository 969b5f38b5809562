package project

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

// Patch changes the fields that are not nil.
type Patch struct {
	Name, Description *string
	Everyone          *bool
}

func (c *Patch) apply(p *loci.Project) {
	gate.Set(&p.Name, c.Name)
	gate.Set(&p.Description, c.Description)
	gate.Set(&p.Everyone, c.Everyone)
}

// Change alters name, description and who belongs to it. It is for the owners and admins of the project,
// and those of the org who belong to it; for others Forbidden. NotFound; Conflict if the name is taken, and for
// closing a project that has no owner, which nobody could manage then. A change that changes nothing records nothing.
func (s *Service) Change(ctx context.Context, p loci.Principal, id loci.ProjectID, c Patch) (loci.Project, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return loci.Project{}, err
	}
	s.Registry.Lock()
	defer s.Registry.Unlock()
	old, members, err := s.manage(ctx, p, Change, id)
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
		if err := s.nameIsFree(ctx, p, changed.Name); err != nil {
			return loci.Project{}, err
		}
	}
	if old.Everyone && !changed.Everyone && !slices.ContainsFunc(members, isProjectOwner) {
		return loci.Project{}, loci.Errorf(loci.Conflict,
			"this project has no owner, so nobody could manage it once it is closed; make somebody its owner first")
	}
	if err := s.Record(ctx, p, Change, id.String()); err != nil {
		return loci.Project{}, err
	}
	return s.Store.Projects().Update(ctx, p.OrgID, id, func(now *loci.Project) error { c.apply(now); return nil })
}

// reread returns a project as it is after a change, or as p left it.
func (s *Service) reread(ctx context.Context, p loci.Principal, changed loci.Project) (loci.Project, error) {
	got, err := s.Store.Projects().Get(ctx, p.Viewer(), changed.ID)
	if loci.CodeOf(err) == loci.NotFound {
		return changed, nil
	}
	return got, err
}

// Archive closes a project and keeps it, for the same people as Change. Sessions that work
// on it work on none then. Conflict if it is archived.
func (s *Service) Archive(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := s.Begin(ctx, p, Archive); err != nil {
		return loci.Project{}, err
	}
	old, _, err := s.manage(ctx, p, Archive, id)
	if err != nil {
		return loci.Project{}, err
	}
	if old.Status == loci.ProjectArchived {
		return loci.Project{}, loci.Errorf(loci.Conflict, "project %s is archived already", loci.OneLine(old.Name))
	}
	if err := s.Record(ctx, p, Archive, id.String()); err != nil {
		return loci.Project{}, err
	}
	if err := s.Store.Projects().Archive(ctx, p.OrgID, id); err != nil {
		return loci.Project{}, err
	}
	old.Status = loci.ProjectArchived
	return s.reread(ctx, p, old)
}

// Restore makes an archived project active again. Conflict if it is not archived. Otherwise like Archive.
func (s *Service) Restore(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := s.Begin(ctx, p, Restore); err != nil {
		return loci.Project{}, err
	}
	old, _, err := s.manage(ctx, p, Restore, id)
	if err != nil {
		return loci.Project{}, err
	}
	if old.Status == loci.ProjectActive {
		return loci.Project{}, loci.Errorf(loci.Conflict, "project %s is not archived", loci.OneLine(old.Name))
	}
	if err := s.Record(ctx, p, Restore, id.String()); err != nil {
		return loci.Project{}, err
	}
	if err := s.Store.Projects().Restore(ctx, p.OrgID, id); err != nil {
		return loci.Project{}, err
	}
	old.Status = loci.ProjectActive
	return s.reread(ctx, p, old)
}

// Delete deletes a project, active or archived, with its graph for good; its
// memories go to their owners' trash. It is for the owners of the project, and those of the org who belong to it.
// NotFound, Forbidden.
func (s *Service) Delete(ctx context.Context, p loci.Principal, id loci.ProjectID) error {
	if err := s.Begin(ctx, p, Delete); err != nil {
		return err
	}
	if _, _, err := s.manage(ctx, p, Delete, id); err != nil {
		return err
	}
	if err := s.Record(ctx, p, Delete, id.String()); err != nil {
		return err
	}
	return s.Store.Projects().Delete(ctx, p.OrgID, id)
}

// manage returns a project that p may take the action on, and who is entered in it. What p may not see is NotFound
// before anything else is said of it.
func (s *Service) manage(ctx context.Context, p loci.Principal, act gate.Action, id loci.ProjectID) (
	loci.Project, []loci.ProjectMember, error) {
	got, err := s.Store.Projects().Get(ctx, p.Viewer(), id)
	if err != nil {
		return loci.Project{}, nil, err
	}
	members, err := s.Store.ProjectMembers().List(ctx, p.OrgID, id)
	if err != nil {
		return loci.Project{}, nil, err
	}
	least := loci.MemberAdmin
	if act == Delete {
		least = loci.MemberOwner
	}
	if !projectRole(p, members).AtLeast(least) {
		return loci.Project{}, nil, s.errNotManaged(ctx, p, act, least)
	}
	return got, members, nil
}

func (s *Service) errNotManaged(ctx context.Context, p loci.Principal, act gate.Action, least loci.MemberRole) error {
	s.Refused(ctx, p, act)
	if least == loci.MemberOwner {
		return loci.Errorf(loci.Forbidden, "%s is for the owners of the project, and for those of the org who belong to it",
			act)
	}
	return loci.Errorf(loci.Forbidden,
		"%s is for the owners and admins of the project, and for those of the org who belong to it", act)
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
