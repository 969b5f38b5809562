package project

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Members returns the members of a project, by id, with their e-mail addresses if the credential has the right
// account, as members of a team see them. With Everyone, other people can use the project, too. NotFound as for Get.
func (s *Service) Members(ctx context.Context, p loci.Principal, id loci.ProjectID) ([]loci.ProjectMember, error) {
	if err := s.Begin(ctx, p, ReadMembers); err != nil {
		return nil, err
	}
	if _, err := s.Store.Projects().Get(ctx, p.Viewer(), id); err != nil {
		return nil, err
	}
	list, err := s.Store.ProjectMembers().List(ctx, p.OrgID, id)
	if err != nil || !p.Has(loci.RightAccount) {
		return list, err
	}
	return list, s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		for i := range list {
			u, err := tx.Users().Get(ctx, list[i].UserID)
			if err != nil && loci.CodeOf(err) != loci.NotFound { // somebody may be deleted meanwhile
				return err
			}
			list[i].Email = u.Email
		}
		return nil
	})
}

// PutMember adds a user of the org as a member, or changes the role. The same people may do it as
// Change, but only an owner may add or change an owner. NotFound if the project or user does not
// exist; Conflict for the last owner's role.
func (s *Service) PutMember(ctx context.Context, p loci.Principal, id loci.ProjectID, m loci.ProjectMember) error {
	if err := s.Begin(ctx, p, ChangeMember); err != nil {
		return err
	}
	if _, err := loci.ParseMemberRole(string(m.Role)); err != nil {
		return err
	}
	ctx, unlock, err := s.lock(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()
	_, members, err := s.manage(ctx, p, ChangeMember, id)
	if err != nil {
		return err
	}
	if err := s.isUser(ctx, p, m.UserID); err != nil {
		return err
	}
	was := entered(members, m.UserID)
	if was == m.Role {
		return nil
	}
	if was == loci.MemberOwner || m.Role == loci.MemberOwner {
		if !projectRole(p, members).AtLeast(loci.MemberOwner) {
			return s.errNotManaged(ctx, p, ChangeMember, loci.MemberOwner)
		}
	}
	if err := s.keepProjectOwner(ctx, p, members, m.UserID); err != nil {
		return err
	}
	if err := s.Record(ctx, p, ChangeMember, id.String()+"/"+m.UserID.String()); err != nil {
		return err
	}
	return s.Store.ProjectMembers().Put(ctx, p.OrgID, id, m)
}

// RemoveMember removes a member. People may remove themselves. It may be repeated. Otherwise its
// errors are those of PutMember.
func (s *Service) RemoveMember(ctx context.Context, p loci.Principal, id loci.ProjectID, user loci.UserID) error {
	if err := s.Begin(ctx, p, ChangeMember); err != nil {
		return err
	}
	ctx, unlock, err := s.lock(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()
	members, err := s.mayRemove(ctx, p, id, user)
	if err != nil || entered(members, user) == "" {
		return err
	}
	if err := s.keepProjectOwner(ctx, p, members, user); err != nil {
		return err
	}
	if err := s.Record(ctx, p, ChangeMember, id.String()+"/"+user.String()); err != nil {
		return err
	}
	return s.Store.ProjectMembers().Remove(ctx, p.OrgID, id, user)
}

// lock lets one caller at a time check and then change who belongs to a project. The roles are in the registry, and
// whether people are disabled is in the org's rows. See store.Store.Lock.
func (s *Service) lock(ctx context.Context, id loci.ProjectID) (held context.Context, unlock func(), err error) {
	return s.Store.Lock(ctx, "project/"+id.String())
}

// mayRemove returns the members of a project from which p may remove that user.
func (s *Service) mayRemove(ctx context.Context, p loci.Principal, id loci.ProjectID, user loci.UserID) (
	[]loci.ProjectMember, error) {
	if user == p.UserID {
		if _, err := s.Store.Projects().Get(ctx, p.Viewer(), id); err != nil {
			return nil, err
		}
		return s.Store.ProjectMembers().List(ctx, p.OrgID, id)
	}
	_, members, err := s.manage(ctx, p, ChangeMember, id)
	if err != nil {
		return nil, err
	}
	if err := s.isUser(ctx, p, user); err != nil {
		return nil, err
	}
	if entered(members, user) == loci.MemberOwner && !projectRole(p, members).AtLeast(loci.MemberOwner) {
		return nil, s.errNotManaged(ctx, p, ChangeMember, loci.MemberOwner)
	}
	return members, nil
}

// isUser returns NotFound unless the user belongs to the org.
func (s *Service) isUser(ctx context.Context, p loci.Principal, user loci.UserID) error {
	return s.Store.View(ctx, p.OrgID, func(tx store.Tx) error { _, err := tx.Users().Get(ctx, user); return err })
}

// keepProjectOwner returns an error if the change would remove the last owner of a project.
// Disabled owners do not count.
func (s *Service) keepProjectOwner(ctx context.Context, p loci.Principal, members []loci.ProjectMember,
	user loci.UserID) error {
	if entered(members, user) != loci.MemberOwner {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(members),
		func(m loci.ProjectMember) bool { return m.UserID == user || !isProjectOwner(m) })
	left := 0
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		left = 0
		for _, m := range others {
			u, err := tx.Users().Get(ctx, m.UserID)
			if err == nil && !u.Disabled {
				left++
			} else if err != nil && loci.CodeOf(err) != loci.NotFound { // the user is being removed
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
