package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/org"
)

func (p *program) workspaceCommand() *cobra.Command {
	return group("workspace", "Manage the workspaces of an org",
		`Manage workspaces, the divisions of an org. They take effect once the org enables
them: loci org set ORG workspaces=on. WORKSPACE is an id or a name, USER an id or
an e-mail address.`,
		p.workspaceCreateCommand(), p.workspaceListCommand(), p.workspaceRenameCommand(), p.workspaceDeleteCommand(),
		p.workspaceMemberCommand("add", "Add a person to a workspace", "added", (*org.Service).JoinWorkspace),
		p.workspaceMemberCommand("remove", "Remove a person from a workspace", "removed", (*org.Service).LeaveWorkspace),
		p.workspaceMembersCommand())
}

// workspace finds a workspace of the org by id or name.
func (in *instance) workspace(ctx context.Context, who loci.Principal, s string) (loci.Workspace, error) {
	list, err := in.app.Org.Workspaces(ctx, who)
	return findNamed(list, err, s, func(w loci.Workspace) (string, string) { return w.ID.String(), w.Name },
		"workspace", "loci workspace list"+orgHint(who))
}

func (p *program) workspaceCreateCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "create NAME", Short: "Create a workspace", Annotations: does(org.WorkspaceChange),
	}, func(ctx context.Context, c *call) error {
		w, err := c.app.Org.CreateWorkspace(ctx, c.who, c.args[0])
		return p.answer(w, err, "created %s: %s", w.ID, loci.OneLine(w.Name))
	})
}

func (p *program) workspaceListCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "list", Short: "List the workspaces of an org, oldest first", Annotations: does(org.WorkspaceRead),
	}, func(ctx context.Context, c *call) error {
		list, err := c.app.Org.Workspaces(ctx, c.who)
		return printList(p, "workspaces", list, err, "no workspaces; create one with: loci workspace create NAME"+
			orgHint(c.who),
			"NAME|ID|CREATED",
			func(w loci.Workspace) []string { return []string{w.Name, w.ID.String(), p.showTime(w.CreatedAt)} })
	})
}

func (p *program) workspaceRenameCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "rename WORKSPACE NAME", Short: "Rename a workspace",
		Annotations: does(org.WorkspaceChange, org.WorkspaceRead),
	}, onNamed((*instance).workspace, func(ctx context.Context, c *call, w loci.Workspace) error {
		w, err := c.app.Org.RenameWorkspace(ctx, c.who, w.ID, c.args[1])
		return p.answer(w, err, "renamed %s: %s", w.ID, loci.OneLine(w.Name))
	}))
}

func (p *program) workspaceDeleteCommand() *cobra.Command {
	return p.acting(pickOrg|asks, &cobra.Command{
		Use: "delete WORKSPACE", Short: "Delete a workspace that has no memories",
		Annotations: does(org.WorkspaceChange, org.WorkspaceRead),
	}, onNamed((*instance).workspace, func(ctx context.Context, c *call, w loci.Workspace) error {
		return p.erase(ctx, "workspace", w.Name, w.ID, func() error { return c.app.Org.DeleteWorkspace(ctx, c.who, w.ID) })
	}))
}

func (p *program) workspaceMemberCommand(use, short, done string,
	do func(*org.Service, context.Context, loci.Principal, loci.WorkspaceID, loci.UserID) error) *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: use + " WORKSPACE USER", Short: short, Annotations: does(org.WorkspaceChange, org.WorkspaceRead),
	}, onNamed((*instance).workspace, func(ctx context.Context, c *call, w loci.Workspace) error {
		person, err := c.person(ctx, c.args[1])
		if err != nil {
			return err
		}
		return p.doneTo(do(c.app.Org, ctx, c.who, w.ID, person.UserID), done, person)
	}))
}

func (p *program) workspaceMembersCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "members WORKSPACE", Short: "List the members of a workspace", Annotations: does(org.WorkspaceRead),
	}, onNamed((*instance).workspace, func(ctx context.Context, c *call, w loci.Workspace) error {
		users, err := c.app.Org.WorkspaceMembers(ctx, c.who, w.ID)
		return p.printUsers(ctx, c.instance, users, err)
	}))
}
