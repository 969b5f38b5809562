package project

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

// Patch is loci.ProjectEdit.
type Patch = loci.ProjectEdit

func apply(p *loci.Project, c Patch) {
	if c.Name != nil {
		p.Name = loci.Label(*c.Name)
	}
	gate.Set(&p.Description, c.Description)
	gate.Set(&p.Everyone, c.Everyone)
}

// Change changes a project's name, description and who belongs to it. The owners and admins of the project may do
// that, and those of the org if they belong to the project; others get Forbidden. NotFound if the project does not
// exist. Conflict if the name is taken, or if a project without an owner would be limited to its members, because
// then nobody could manage it. A change without effect records nothing.
func (s *Service) Change(ctx context.Context, p loci.Principal, id loci.ProjectID, c Patch) (loci.Project, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return loci.Project{}, err
	}
	ctx, unlock, err := s.lock(ctx, id)
	if err != nil {
		return loci.Project{}, err
	}
	defer unlock()
	old, members, err := s.manage(ctx, p, Change, id)
	if err != nil {
		return loci.Project{}, err
	}
	changed := old
	if apply(&changed, c); changed == old {
		return old, nil
	}
	if err := changed.Validate(); err != nil {
		return loci.Project{}, err
	}
	if changed.Name != old.Name {
		if err := cmp.Or(loci.CheckNewName("name", changed.Name), s.nameIsFree(ctx, p, changed.Name)); err != nil {
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
	out, err := s.Store.Projects().Update(ctx, p.OrgID, id, func(now *loci.Project) error { apply(now, c); return nil })
	if changed.Name != old.Name {
		return s.hinted(ctx, p, out, err)
	}
	return out, err
}

// reread returns a project after a change. If p no longer belongs to it, it returns the project as p changed it.
func (s *Service) reread(ctx context.Context, p loci.Principal, changed loci.Project) (loci.Project, error) {
	got, err := s.Store.Projects().Get(ctx, p.Viewer(), changed.ID)
	if loci.CodeOf(err) == loci.NotFound {
		return changed, nil
	}
	return got, err
}

// Archive closes a project and keeps its data. The same people may do it as Change. Sessions with
// this active project then have none. Conflict if it is archived already.
func (s *Service) Archive(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := s.Begin(ctx, p, Archive); err != nil {
		return loci.Project{}, err
	}
	return s.move(ctx, p, Archive, id, loci.ProjectArchived, s.Store.Projects().Archive)
}

// Restore makes an archived project active again. Conflict if it is not archived. Otherwise its
// errors are those of Archive.
func (s *Service) Restore(ctx context.Context, p loci.Principal, id loci.ProjectID) (loci.Project, error) {
	if err := s.Begin(ctx, p, Restore); err != nil {
		return loci.Project{}, err
	}
	return s.move(ctx, p, Restore, id, loci.ProjectActive, s.Store.Projects().Restore)
}

func (s *Service) move(ctx context.Context, p loci.Principal, act gate.Action, id loci.ProjectID,
	to loci.ProjectStatus, do func(context.Context, loci.OrgID, loci.ProjectID) error) (loci.Project, error) {
	old, _, err := s.manage(ctx, p, act, id)
	if err != nil {
		return loci.Project{}, err
	}
	if old.Status == to {
		state := map[loci.ProjectStatus]string{loci.ProjectArchived: "archived already", loci.ProjectActive: "not archived"}
		return loci.Project{}, loci.Errorf(loci.Conflict, "project %s is %s", loci.OneLine(old.Name), state[to])
	}
	if err := s.Record(ctx, p, act, id.String()); err != nil {
		return loci.Project{}, err
	}
	if err := do(ctx, p.OrgID, id); err != nil {
		return loci.Project{}, err
	}
	if to == loci.ProjectArchived {
		s.Closed(ctx, p.OrgID, id)
	}
	old.Status = to
	return s.reread(ctx, p, old)
}

// Delete permanently deletes a project, active or archived, with its graph and tasks, and moves
// its memories to their owners' trash. The owners of the project may do that, and those of the org if
// they belong to the project. NotFound, Forbidden.
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
	err := s.Store.Projects().Delete(ctx, p.OrgID, id)
	if err == nil {
		s.Closed(ctx, p.OrgID, id)
	}
	return err
}

// manage returns a project that p may take the action on, and its members. If p may not see it,
// the error is always NotFound.
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
		return loci.Errorf(loci.Forbidden, "%s requires an owner of the project, or an owner of the org who belongs to it",
			act)
	}
	return loci.Errorf(loci.Forbidden,
		"%s requires an owner or admin of the project, or one of the org who belongs to it", act)
}

// projectRole returns the role of p in a project that it belongs to: the role as a member, or the role in the org if
// that is higher. The operator outranks everybody.
func projectRole(p loci.Principal, members []loci.ProjectMember) loci.MemberRole {
	if p.Kind == loci.KindLocal {
		return loci.MemberOwner
	}
	role := entered(members, p.UserID)
	if !role.AtLeast(p.OrgRole) {
		role = p.OrgRole
	}
	return role
}

// entered returns the role of a user who is a member, or "".
func entered(members []loci.ProjectMember, user loci.UserID) loci.MemberRole {
	for _, m := range members {
		if m.UserID == user {
			return m.Role
		}
	}
	return ""
}

func isProjectOwner(m loci.ProjectMember) bool { return m.Role == loci.MemberOwner }
