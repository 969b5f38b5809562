package app

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Workspaces returns the workspaces that the person is a member of, oldest
// first; all of them for an admin of the org.
func (a *App) Workspaces(ctx context.Context, p loci.Principal) ([]loci.Workspace, error) {
	if err := a.begin(ctx, p, WorkspaceRead); err != nil {
		return nil, err
	}
	var list []loci.Workspace
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) error {
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
func (a *App) CreateWorkspace(ctx context.Context, p loci.Principal, name string) (loci.Workspace, error) {
	if err := a.begin(ctx, p, WorkspaceChange); err != nil {
		return loci.Workspace{}, err
	}
	if err := checkName(name); err != nil {
		return loci.Workspace{}, err
	}
	w := loci.Workspace{ID: loci.NewWorkspaceID(), Name: name, CreatedAt: a.time()}
	err := a.write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) error {
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
func (a *App) RenameWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, name string) (loci.Workspace, error) {
	if err := a.begin(ctx, p, WorkspaceChange); err != nil {
		return loci.Workspace{}, err
	}
	if err := checkName(name); err != nil {
		return loci.Workspace{}, err
	}
	var w loci.Workspace
	err := a.write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		e.Target = id.String()
		if w, _, err = workspace(ctx, tx, id); err != nil {
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

// workspace returns one of the org's and how many there are, or NotFound.
func workspace(ctx context.Context, tx store.Tx, id loci.WorkspaceID) (loci.Workspace, int, error) {
	list, err := tx.Workspaces().List(ctx)
	if err != nil {
		return loci.Workspace{}, 0, err
	}
	n := slices.IndexFunc(list, func(w loci.Workspace) bool { return w.ID == id })
	if n < 0 {
		return loci.Workspace{}, 0, errNoWorkspace()
	}
	return list[n], len(list), nil
}

// DeleteWorkspace deletes an empty workspace. NotFound; Conflict while it has
// memories, trashed ones too, projects, archived ones too, or people who are in
// no other, and for the last one where the org works in workspaces.
func (a *App) DeleteWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID) error {
	if err := a.begin(ctx, p, WorkspaceChange); err != nil {
		return err
	}
	org, err := a.store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return err
	}
	a.registry.Lock()
	defer a.registry.Unlock()
	projects, err := a.store.Projects().InWorkspace(ctx, p.OrgID, id)
	if err != nil {
		return err
	}
	return a.write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		_, n, err := workspace(ctx, tx, id)
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
			return loci.Errorf(loci.Conflict, "somebody is in no other workspace and could not get in any more; add them to another one first")
		}
	}
	return nil
}

// WorkspaceMembers returns the members of a workspace, by id. Its members may,
// and the admins of the org; for anybody else it is NotFound.
func (a *App) WorkspaceMembers(ctx context.Context, p loci.Principal, id loci.WorkspaceID) ([]loci.User, error) {
	if err := a.begin(ctx, p, WorkspaceRead); err != nil {
		return nil, err
	}
	var list []loci.User
	err := a.store.View(ctx, p.OrgID, func(tx store.Tx) error {
		role, err := orgRole(ctx, tx, p)
		if err != nil {
			return err
		}
		ids, err := tx.Workspaces().Members(ctx, id)
		if loci.CodeOf(err) == loci.NotFound || err == nil && !role.AtLeast(loci.MemberAdmin) && !slices.Contains(ids, p.UserID) {
			return errNoWorkspace()
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
func (a *App) JoinWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, user loci.UserID) error {
	if err := a.begin(ctx, p, WorkspaceChange); err != nil {
		return err
	}
	return a.write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) error {
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
func (a *App) LeaveWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, user loci.UserID) error {
	if err := a.begin(ctx, p, WorkspaceChange); err != nil {
		return err
	}
	org, err := a.store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return err
	}
	return a.write(ctx, p, WorkspaceChange, func(tx store.Tx, e *loci.AuditEntry) error {
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
			return loci.Errorf(loci.Conflict, "this is their only workspace, and they could not get in any more; add them to another one first")
		}
		return tx.Workspaces().Leave(ctx, id, user)
	})
}

// checkMember reports whether a user of the org is in a workspace of it.
func checkMember(ctx context.Context, tx store.Tx, id loci.WorkspaceID, user loci.UserID) (bool, error) {
	if _, _, err := workspace(ctx, tx, id); err != nil {
		return false, err
	}
	if _, err := tx.Users().Get(ctx, user); err != nil {
		return false, err
	}
	return isIn(ctx, tx, user, id)
}
