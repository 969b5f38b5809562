package app

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// ProjectMembers returns who is entered as a member of a project, by id: with Everyone it is open to others, too. NotFound as for Project.
func (a *App) ProjectMembers(ctx context.Context, p loci.Principal, id loci.ProjectID) ([]loci.ProjectMember, error) {
	if err := a.begin(ctx, p, ProjectMembers); err != nil {
		return nil, err
	}
	if _, err := a.store.Projects().Get(ctx, p.Viewer(), id); err != nil {
		return nil, err
	}
	return a.store.ProjectMembers().List(ctx, p.OrgID, id)
}

// PutProjectMember enters a user of the org as a member, or changes the role. It is for the same people as ChangeProject,
// and only an owner makes or changes an owner. NotFound if there is no such project or user; Conflict for the last owner's role.
func (a *App) PutProjectMember(ctx context.Context, p loci.Principal, id loci.ProjectID, m loci.ProjectMember) error {
	if err := a.begin(ctx, p, ProjectMember); err != nil {
		return err
	}
	if _, err := loci.ParseMemberRole(string(m.Role)); err != nil {
		return err
	}
	a.registry.Lock()
	defer a.registry.Unlock()
	_, members, err := a.manage(ctx, p, ProjectMember, id)
	if err != nil {
		return err
	}
	if err := a.isUser(ctx, p, m.UserID); err != nil {
		return err
	}
	was := entered(members, m.UserID)
	if was == m.Role {
		return nil
	}
	if was == loci.MemberOwner || m.Role == loci.MemberOwner {
		if !projectRole(p, members).AtLeast(loci.MemberOwner) {
			return a.errNotManaged(ctx, p, ProjectMember, loci.MemberOwner)
		}
	}
	if err := a.keepProjectOwner(ctx, p, members, m.UserID); err != nil {
		return err
	}
	if err := a.record(ctx, p, ProjectMember, id.String()+"/"+m.UserID.String()); err != nil {
		return err
	}
	return a.store.ProjectMembers().Put(ctx, p.OrgID, id, m)
}

// RemoveProjectMember takes a member out; people may take themselves out. It may be repeated. Otherwise like PutProjectMember.
func (a *App) RemoveProjectMember(ctx context.Context, p loci.Principal, id loci.ProjectID, user loci.UserID) error {
	if err := a.begin(ctx, p, ProjectMember); err != nil {
		return err
	}
	a.registry.Lock()
	defer a.registry.Unlock()
	members, err := a.mayRemove(ctx, p, id, user)
	if err != nil || entered(members, user) == "" {
		return err
	}
	if err := a.keepProjectOwner(ctx, p, members, user); err != nil {
		return err
	}
	if err := a.record(ctx, p, ProjectMember, id.String()+"/"+user.String()); err != nil {
		return err
	}
	return a.store.ProjectMembers().Remove(ctx, p.OrgID, id, user)
}

// mayRemove returns who is entered in a project from which p may take that user.
func (a *App) mayRemove(ctx context.Context, p loci.Principal, id loci.ProjectID, user loci.UserID) ([]loci.ProjectMember, error) {
	if user == p.UserID {
		if _, err := a.store.Projects().Get(ctx, p.Viewer(), id); err != nil {
			return nil, err
		}
		return a.store.ProjectMembers().List(ctx, p.OrgID, id)
	}
	_, members, err := a.manage(ctx, p, ProjectMember, id)
	if err != nil {
		return nil, err
	}
	if err := a.isUser(ctx, p, user); err != nil {
		return nil, err
	}
	if entered(members, user) == loci.MemberOwner && !projectRole(p, members).AtLeast(loci.MemberOwner) {
		return nil, a.errNotManaged(ctx, p, ProjectMember, loci.MemberOwner)
	}
	return members, nil
}

// isUser is NotFound for who is no user of the org.
func (a *App) isUser(ctx context.Context, p loci.Principal, user loci.UserID) error {
	return a.store.View(ctx, p.OrgID, func(tx store.Tx) error { _, err := tx.Users().Get(ctx, user); return err })
}

// keepProjectOwner refuses to lose the last owner of a project. Owners who are shut out do not count.
func (a *App) keepProjectOwner(ctx context.Context, p loci.Principal, members []loci.ProjectMember, user loci.UserID) error {
	if entered(members, user) != loci.MemberOwner {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(members), func(m loci.ProjectMember) bool { return m.UserID == user || !isProjectOwner(m) })
	left := 0
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) error {
		left = 0
		for _, m := range others {
			u, err := tx.Users().Get(ctx, m.UserID)
			if err == nil && !u.Disabled {
				left++
			} else if err != nil && loci.CodeOf(err) != loci.NotFound { // is being removed
				return err
			}
		}
		return nil
	})
	if err == nil && left == 0 {
		err = loci.Errorf(loci.Conflict, "this is the last owner of the project; make somebody else an owner first")
	}
	return err
}
