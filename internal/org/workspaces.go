package org

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Workspaces returns the workspaces that the person is a member of, oldest
// first; all of them for an admin of the org.
func (s *Service) Workspaces(ctx context.Context, p loci.Principal) ([]loci.Workspace, error) {
	if err := s.Begin(ctx, p, WorkspaceRead); err != nil {
		return nil, err
	}
	var list []loci.Workspace
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		role, err := orgRole(ctx, tx, p)
		if err != nil {
			return err
		}
		if role.AtLeast(loci.MemberAdmin) {
			list, err = tx.Workspaces().List(ctx)
		} else {
			list, err = tx.Workspaces().Of(ctx, p.UserID)
		}
		return err
	})
	return list, err
}

// CreateWorkspace makes a workspace with the person as its first member.
// Conflict if its name is taken.
func (s *Service) CreateWorkspace(ctx context.Context, p loci.Principal, name string) (loci.Workspace, error) {
	if err := s.Begin(ctx, p, WorkspaceChange); err != nil {
		return loci.Workspace{}, err
	}
	if err := checkName(name); err != nil {
		return loci.Workspace{}, err
	}
	w := loci.Workspace{ID: loci.NewWorkspaceID(), Name: name, CreatedAt: s.Time()}
	err := s.Write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = w.ID.String()
		if err := tx.Workspaces().Insert(ctx, w); err != nil {
			return err
		}
		return tx.Workspaces().Join(ctx, w.ID, p.UserID)
	})
	if err != nil {
		return loci.Workspace{}, err
	}
	return w, nil
}

// RenameWorkspace gives a workspace another name. NotFound, or Conflict if it
// is taken.
func (s *Service) RenameWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, name string) (
	loci.Workspace, error) {
	if err := s.Begin(ctx, p, WorkspaceChange); err != nil {
		return loci.Workspace{}, err
	}
	if err := checkName(name); err != nil {
		return loci.Workspace{}, err
	}
	var w loci.Workspace
	err := s.Write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = id.String()
		if w, _, err = gate.Workspace(ctx, tx, id); err != nil {
			return err
		}
		if w.Name == name {
			e.Action = ""
			return nil
		}
		w.Name = name
		return tx.Workspaces().Rename(ctx, id, name)
	})
	if err != nil {
		return loci.Workspace{}, err
	}
	return w, nil
}

// DeleteWorkspace deletes an empty workspace. NotFound; Conflict while it has
// memories, trashed ones too, projects, archived ones too, or people who are in
// no other, and for the last one where the org works in workspaces.
func (s *Service) DeleteWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID) error {
	if err := s.Begin(ctx, p, WorkspaceChange); err != nil {
		return err
	}
	org, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return err
	}
	s.Registry.Lock()
	defer s.Registry.Unlock()
	projects, err := s.Store.Projects().InWorkspace(ctx, p.OrgID, id)
	if err != nil {
		return err
	}
	return s.Write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		_, n, err := gate.Workspace(ctx, tx, id)
		if err != nil {
			return err
		}
		if projects {
			return loci.Errorf(loci.Conflict, "this workspace has projects, perhaps archived ones; delete them first")
		}
		if org.Workspaces && n == 1 {
			return loci.Errorf(loci.Conflict, "this is the last workspace; turn workspaces off instead")
		}
		if org.Workspaces {
			if err := noneStranded(ctx, tx, id); err != nil {
				return err
			}
		}
		return tx.Workspaces().Delete(ctx, id)
	})
}

// noneStranded refuses to shut out people who would be in no workspace then.
func noneStranded(ctx context.Context, tx store.Tx, id loci.WorkspaceID) error {
	members, err := tx.Workspaces().Members(ctx, id)
	if err != nil {
		return err
	}
	for _, user := range members {
		of, err := tx.Workspaces().Of(ctx, user)
		if err != nil {
			return err
		}
		if len(of) < 2 {
			return loci.Errorf(loci.Conflict,
				"somebody is in no other workspace and could not get in any more; add them to another one first")
		}
	}
	return nil
}

// WorkspaceMembers returns the members of a workspace, by id. Its members may,
// and the admins of the org; for anybody else it is NotFound.
func (s *Service) WorkspaceMembers(ctx context.Context, p loci.Principal, id loci.WorkspaceID) ([]loci.User, error) {
	if err := s.Begin(ctx, p, WorkspaceRead); err != nil {
		return nil, err
	}
	var list []loci.User
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		role, err := orgRole(ctx, tx, p)
		if err != nil {
			return err
		}
		ids, err := tx.Workspaces().Members(ctx, id)
		if loci.CodeOf(err) == loci.NotFound || err == nil && !role.AtLeast(loci.MemberAdmin) &&
			!slices.Contains(ids, p.UserID) {
			return gate.ErrNoWorkspace()
		}
		if err != nil {
			return err
		}
		for _, user := range ids {
			u, err := tx.Users().Get(ctx, user)
			if loci.CodeOf(err) == loci.NotFound { // is being removed
				continue
			}
			if err != nil {
				return err
			}
			list = append(list, u)
		}
		return nil
	})
	return list, err
}

// JoinWorkspace makes somebody a member of a workspace. It may be repeated.
// NotFound if there is no such workspace or user in the org.
func (s *Service) JoinWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, user loci.UserID) error {
	if err := s.Begin(ctx, p, WorkspaceChange); err != nil {
		return err
	}
	return s.Write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = user.String()
		if in, err := checkMember(ctx, tx, id, user); err != nil || in {
			e.Action = ""
			return err
		}
		return tx.Workspaces().Join(ctx, id, user)
	})
}

// LeaveWorkspace ends that. It may be repeated. NotFound as for JoinWorkspace;
// Conflict for somebody's only one where the org works in workspaces.
func (s *Service) LeaveWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, user loci.UserID) error {
	if err := s.Begin(ctx, p, WorkspaceChange); err != nil {
		return err
	}
	org, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return err
	}
	return s.Write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = user.String()
		if in, err := checkMember(ctx, tx, id, user); err != nil || !in {
			e.Action = ""
			return err
		}
		of, err := tx.Workspaces().Of(ctx, user)
		if err != nil {
			return err
		}
		if org.Workspaces && len(of) < 2 {
			return loci.Errorf(loci.Conflict,
				"this is their only workspace, and they could not get in any more; add them to another one first")
		}
		return tx.Workspaces().Leave(ctx, id, user)
	})
}

// checkMember reports whether a user of the org is in a workspace of it.
func checkMember(ctx context.Context, tx store.Tx, id loci.WorkspaceID, user loci.UserID) (bool, error) {
	if _, _, err := gate.Workspace(ctx, tx, id); err != nil {
		return false, err
	}
	if _, err := tx.Users().Get(ctx, user); err != nil {
		return false, err
	}
	return IsIn(ctx, tx, user, id)
}

// IsIn reports whether a person is a member of a workspace.
func IsIn(ctx context.Context, tx store.Tx, user loci.UserID, id loci.WorkspaceID) (bool, error) {
	list, err := tx.Workspaces().Of(ctx, user)
	return slices.ContainsFunc(list, func(w loci.Workspace) bool { return w.ID == id }), err
}
