package project

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Members returns who is entered as a member of a project, by id: with Everyone it is open to others, too. NotFound as
// for Project.
func (s *Service) Members(ctx context.Context, p loci.Principal, id loci.ProjectID) ([]loci.ProjectMember, error) {
	if err := s.Begin(ctx, p, ReadMembers); err != nil {
		return nil, err
	}
	if _, err := s.Store.Projects().Get(ctx, p.Viewer(), id); err != nil {
		return nil, err
	}
	return s.Store.ProjectMembers().List(ctx, p.OrgID, id)
}

// PutMember enters a user of the org as a member, or changes the role. It is for the same people as Change,
// and only an owner makes or changes an owner. NotFound if there is no such project or user; Conflict for the last
// owner's role.
func (s *Service) PutMember(ctx context.Context, p loci.Principal, id loci.ProjectID, m loci.ProjectMember) error {
	if err := s.Begin(ctx, p, ChangeMember); err != nil {
		return err
	}
	if _, err := loci.ParseMemberRole(string(m.Role)); err != nil {
		return err
	}
	s.Registry.Lock()
	defer s.Registry.Unlock()
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

// RemoveMember takes a member out; people may take themselves out. It may be repeated. Otherwise like PutMember.
func (s *Service) RemoveMember(ctx context.Context, p loci.Principal, id loci.ProjectID, user loci.UserID) error {
	if err := s.Begin(ctx, p, ChangeMember); err != nil {
		return err
	}
	s.Registry.Lock()
	defer s.Registry.Unlock()
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

// mayRemove returns who is entered in a project from which p may take that user.
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

// isUser is NotFound for who is no user of the org.
func (s *Service) isUser(ctx context.Context, p loci.Principal, user loci.UserID) error {
	return s.Store.View(ctx, p.OrgID, func(tx store.Tx) error { _, err := tx.Users().Get(ctx, user); return err })
}

// keepProjectOwner refuses to lose the last owner of a project. Owners who are shut out do not count.
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
