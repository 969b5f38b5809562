package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) workspaceCommand() *cobra.Command {
	return group("workspace", "Make and look after the workspaces of an org", `Make and look after workspaces, the divisions of an org. They count once the org
has them on: loci org set ORG workspaces=on. WORKSPACE is an id or a name, USER an
id or an e-mail address.`,
		p.workspaceCreateCommand(), p.workspaceListCommand(), p.workspaceRenameCommand(), p.workspaceDeleteCommand(),
		p.workspaceMemberCommand("add", "Make a person a member of a workspace", "added", (*app.App).JoinWorkspace),
		p.workspaceMemberCommand("remove", "Take a person out of a workspace", "removed", (*app.App).LeaveWorkspace),
		p.workspaceMembersCommand())
}

// workspace finds a workspace of the org by id or name.
func (in *instance) workspace(ctx context.Context, who loci.Principal, s string) (loci.Workspace, error) {
	list, err := in.app.Workspaces(ctx, who)
	if err != nil {
		return loci.Workspace{}, err
	}
	for _, w := range list {
		if w.ID.String() == strings.ToLower(s) || w.Name == s {
			return w, nil
		}
	}
	return loci.Workspace{}, loci.Errorf(loci.NotFound, "no workspace %s in org %s; `loci workspace list --org %s` shows all", cut(s, 100), who.OrgID, who.OrgID)
}

func (p *program) onWorkspace(cmd *cobra.Command, org, name string, do func(context.Context, *instance, loci.Principal, loci.Workspace) error) error {
	ctx := cmd.Context()
	return p.with(ctx, refuse, func(in *instance) error {
		who, err := in.inOrg(ctx, org)
		if err != nil {
			return err
		}
		w, err := in.workspace(ctx, who, name)
		if err != nil {
			return err
		}
		return do(ctx, in, who, w)
	})
}

func (p *program) printWorkspace(w loci.Workspace, text string) error {
	if p.json {
		return p.printJSON(w)
	}
	p.printf("%s\n", text)
	return nil
}

func (p *program) workspaceCreateCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make a workspace", Args: cobra.ExactArgs(1), Annotations: does(app.WorkspaceChange),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.inOrg(ctx, org)
				if err != nil {
					return err
				}
				w, err := in.app.CreateWorkspace(ctx, who, args[0])
				if err != nil {
					return err
				}
				return p.printWorkspace(w, w.ID.String())
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) workspaceListCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "list", Short: "List the workspaces of an org, oldest first", Args: cobra.NoArgs, Annotations: does(app.WorkspaceRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.inOrg(ctx, org)
				if err != nil {
					return err
				}
				list, err := in.app.Workspaces(ctx, who)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(page("workspaces", notNil(list)))
				}
				if len(list) == 0 {
					p.note("no workspaces; make one with: loci workspace create NAME --org %s", who.OrgID)
					return nil
				}
				rows := make([][]string, len(list))
				for i, w := range list {
					rows[i] = []string{w.ID.String(), w.Name, showTime(w.CreatedAt)}
				}
				p.printTable([]string{"ID", "NAME", "CREATED"}, rows)
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) workspaceRenameCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "rename WORKSPACE NAME", Short: "Give a workspace another name", Args: cobra.ExactArgs(2),
		Annotations: does(app.WorkspaceChange, app.WorkspaceRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onWorkspace(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, w loci.Workspace) error {
				w, err := in.app.RenameWorkspace(ctx, who, w.ID, args[1])
				if err != nil {
					return err
				}
				return p.printWorkspace(w, "renamed "+w.ID.String()+": "+loci.OneLine(w.Name))
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) workspaceDeleteCommand() *cobra.Command {
	var org string
	var yes bool
	cmd := &cobra.Command{
		Use: "delete WORKSPACE", Short: "Delete a workspace that has no memories", Args: cobra.ExactArgs(1),
		Annotations: does(app.WorkspaceChange, app.WorkspaceRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onWorkspace(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, w loci.Workspace) error {
				if err := p.sure(yes, "Delete the workspace "+w.Name+"?"); err != nil {
					return err
				}
				if err := in.app.DeleteWorkspace(ctx, who, w.ID); err != nil {
					return err
				}
				return p.done("deleted", w.ID.String())
			})
		},
	}
	orgFlag(cmd, &org)
	yesFlag(cmd, &yes)
	return cmd
}

func (p *program) workspaceMemberCommand(use, short, done string, do func(*app.App, context.Context, loci.Principal, loci.WorkspaceID, loci.UserID) error) *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: use + " WORKSPACE USER", Short: short, Args: cobra.ExactArgs(2), Annotations: does(app.WorkspaceChange, app.WorkspaceRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onWorkspace(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, w loci.Workspace) error {
				person, err := in.person(ctx, args[1])
				if err == nil {
					err = do(in.app, ctx, who, w.ID, person.UserID)
				}
				if err != nil {
					return err
				}
				return p.done(done, person.UserID.String())
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) workspaceMembersCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "members WORKSPACE", Short: "List the members of a workspace", Args: cobra.ExactArgs(1), Annotations: does(app.WorkspaceRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onWorkspace(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, w loci.Workspace) error {
				users, err := in.app.WorkspaceMembers(ctx, who, w.ID)
				if err != nil {
					return err
				}
				return p.printUsers(ctx, in, users)
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}
