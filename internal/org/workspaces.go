package org

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Workspaces returns the person's workspaces, oldest first, or all for an admin of the org.
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

// CreateWorkspace creates a workspace with the person as its first member. It fails with Conflict
// if the name is taken.
func (s *Service) CreateWorkspace(ctx context.Context, p loci.Principal, name string) (loci.Workspace, error) {
	if err := s.Begin(ctx, p, WorkspaceChange, checkName(name)); err != nil {
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
	return w, err
}

// RenameWorkspace renames a workspace. It fails with NotFound, or with Conflict if the name is taken.
func (s *Service) RenameWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, name string) (
	loci.Workspace, error) {
	if err := s.Begin(ctx, p, WorkspaceChange, checkName(name)); err != nil {
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
	return w, err
}

// DeleteWorkspace deletes an empty workspace. It fails with NotFound. It fails with Conflict while the workspace has
// memories, even trashed ones, projects, even archived ones, or people who are in no other workspace. It also fails
// with Conflict for the last workspace if the org uses workspaces.
func (s *Service) DeleteWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID) error {
	if err := s.Begin(ctx, p, WorkspaceChange); err != nil {
		return err
	}
	ctx, unlock, err := s.LockWorkspaces(ctx, p.OrgID)
	if err != nil {
		return err
	}
	defer unlock()
	org, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return err
	}
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
			return loci.Errorf(loci.Conflict, "this workspace has projects, perhaps archived; delete them first")
		}
		if org.Workspaces && n == 1 {
			return loci.Errorf(loci.Conflict, "cannot delete the last workspace; turn workspaces off instead")
		}
		if org.Workspaces {
			if err := noneStranded(ctx, tx, id); err != nil {
				return err
			}
		}
		return tx.Workspaces().Delete(ctx, id)
	})
}

// noneStranded returns an error if someone would be left without a workspace, and so couldn't get in.
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
				"someone is only in this workspace and could not get in any more; add them to another one first")
		}
	}
	return nil
}

// WorkspaceMembers returns the members of a workspace, by id. Its members and the admins of the org
// may call it. For others, it fails with NotFound.
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
			if loci.CodeOf(err) == loci.NotFound { // the person is being removed
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

// JoinWorkspace adds a person to a workspace. It may be repeated. It fails with NotFound if the
// workspace or the user isn't in the org.
func (s *Service) JoinWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, user loci.UserID) error {
	return s.BeginWrite(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = user.String()
		if in, err := checkMember(ctx, tx, id, user); err != nil || in {
			e.Action = ""
			return err
		}
		return tx.Workspaces().Join(ctx, id, user)
	})
}

// LeaveWorkspace removes a person from a workspace. It may be repeated. It fails with NotFound like
// JoinWorkspace, and with Conflict for a person's only workspace if the org uses workspaces.
func (s *Service) LeaveWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, user loci.UserID) error {
	if err := s.Begin(ctx, p, WorkspaceChange); err != nil {
		return err
	}
	ctx, unlock, err := s.LockWorkspaces(ctx, p.OrgID)
	if err != nil {
		return err
	}
	defer unlock()
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
				"cannot remove a member from their only workspace; add them to another one first")
		}
		return tx.Workspaces().Leave(ctx, id, user)
	})
}

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
