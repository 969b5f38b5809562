package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) projectMembersCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "members PROJECT", Short: "List who is entered as a member of a project", Args: cobra.ExactArgs(1), Annotations: does(app.ProjectMembers, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onProject(cmd, org, args[0], p.printProjectMembers)
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) printProjectMembers(ctx context.Context, in *instance, who loci.Principal, x loci.Project) error {
	list, err := in.app.ProjectMembers(ctx, who, x.ID)
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(page("members", notNil(list)))
	}
	if x.Everyone {
		p.note("everybody of the org %s belongs to it, besides those who are entered", who.OrgID)
	}
	if len(list) == 0 {
		p.note("no members are entered")
		return nil
	}
	names := in.names()
	rows := make([][]string, len(list))
	for i, m := range list {
		name, err := names.user(ctx, who.OrgID, m.UserID)
		if err != nil {
			return err
		}
		rows[i] = []string{m.UserID.String(), name, string(m.Role)}
	}
	p.printTable([]string{"ID", "MEMBER", "ROLE"}, rows)
	return nil
}

func (p *program) projectAddCommand() *cobra.Command {
	var role string
	cmd := p.projectMemberCommand("add PROJECT USER", "Enter a person as a member of a project, or change the role", "added",
		func(ctx context.Context, in *instance, who loci.Principal, x loci.Project, user loci.UserID) error {
			as, err := loci.ParseMemberRole(role)
			if err != nil {
				return err
			}
			return in.app.PutProjectMember(ctx, who, x.ID, loci.ProjectMember{UserID: user, Role: as})
		})
	cmd.Flags().StringVar(&role, "role", string(loci.Member), "owner, admin or member")
	return cmd
}

func (p *program) projectRemoveCommand() *cobra.Command {
	return p.projectMemberCommand("remove PROJECT USER", "Take a person out of a project", "removed",
		func(ctx context.Context, in *instance, who loci.Principal, x loci.Project, user loci.UserID) error {
			if err := in.app.RemoveProjectMember(ctx, who, x.ID, user); err != nil {
				return err
			}
			if x.Everyone {
				p.note("everybody of the org still belongs to %s; to change that: loci project set %s everyone=off%s", cut(x.Name, 60), quoted(x.Name), orgHint(who))
			}
			return nil
		})
}

func (p *program) projectMemberCommand(use, short, done string, do func(context.Context, *instance, loci.Principal, loci.Project, loci.UserID) error) *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(2), Annotations: does(app.ProjectMember, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onProject(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, x loci.Project) error {
				person, err := in.person(ctx, args[1])
				if err == nil && person.OrgID != who.OrgID {
					err = loci.Errorf(loci.NotFound, "no user %s in org %s; `loci user list --org %s` shows who is", cut(args[1], 100), who.OrgID, who.OrgID)
				}
				if err == nil {
					err = do(ctx, in, who, x, person.UserID)
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
