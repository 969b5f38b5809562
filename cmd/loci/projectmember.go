package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) projectMembersCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "members PROJECT", Short: "List the members of a project",
		Annotations: does(project.ReadMembers, project.Read),
	}, onNamed((*instance).project, p.printProjectMembers))
}

func (p *program) printProjectMembers(ctx context.Context, c *call, x loci.Project) error {
	list, err := c.app.Project.Members(ctx, c.who, x.ID)
	if err != nil {
		return err
	}
	if x.Everyone && !p.json {
		p.note("Everybody in org %s belongs to this project, in addition to the members listed.", c.who.OrgID)
	}
	names := c.names()
	return printList(p, "members", list, nil, "no members", "ID|MEMBER|ROLE", func(m loci.ProjectMember) []string {
		return []string{m.UserID.String(), names.user(ctx, c.who.OrgID, m.UserID), string(m.Role)}
	})
}

func (p *program) projectAddCommand() *cobra.Command {
	var role string
	cmd := p.projectMemberCommand("add PROJECT USER", "Add a person to a project, or change their role", "added",
		func(ctx context.Context, c *call, x loci.Project, user loci.UserID) error {
			as, err := loci.ParseMemberRole(role)
			if err != nil {
				return err
			}
			return c.app.Project.PutMember(ctx, c.who, x.ID, loci.ProjectMember{UserID: user, Role: as})
		})
	cmd.Flags().StringVar(&role, "role", string(loci.Member), "owner, admin or member")
	return cmd
}

func (p *program) projectRemoveCommand() *cobra.Command {
	return p.projectMemberCommand("remove PROJECT USER", "Remove a person from a project", "removed",
		func(ctx context.Context, c *call, x loci.Project, user loci.UserID) error {
			err := c.app.Project.RemoveMember(ctx, c.who, x.ID, user)
			if err == nil && x.Everyone {
				p.note("Everybody in the org still belongs to %s. To change that, run: loci project set %s everyone=off%s",
					cut(x.Name, 60), quoted(x.Name), orgHint(c.who))
			}
			return err
		})
}

func (p *program) projectMemberCommand(use, short, done string,
	do func(context.Context, *call, loci.Project, loci.UserID) error) *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: use, Short: short, Annotations: does(project.ChangeMember, project.Read),
	}, onNamed((*instance).project, func(ctx context.Context, c *call, x loci.Project) error {
		person, err := c.memberOf(ctx, c.who, c.args[1])
		if err != nil {
			return err
		}
		return p.doneTo(do(ctx, c, x, person.UserID), done, person)
	}))
}
