package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) teamCommand() *cobra.Command {
	return group("team", "Make and look after teams and their invitations", `Make and look after teams: people of one org who share a pool of memories. TEAM is
an id or a name, USER an id or an e-mail address.`,
		p.teamCreateCommand(), p.teamListCommand(), p.teamShowCommand(), p.teamRenameCommand(), p.teamDeleteCommand(),
		p.teamInviteCommand(), p.teamInvitesCommand(), p.teamRevokeInviteCommand(), p.teamRemoveCommand(), p.teamRoleCommand())
}

// team finds a team of the org by id or name.
func (in *instance) team(ctx context.Context, who loci.Principal, s string) (loci.Team, error) {
	teams, err := in.app.Teams(ctx, who)
	if err != nil {
		return loci.Team{}, err
	}
	for _, t := range teams {
		if t.ID.String() == strings.ToLower(s) || t.Name == s {
			return t, nil
		}
	}
	return loci.Team{}, loci.Errorf(loci.NotFound, "no team %s in org %s; `loci team list --org %s` shows all", cut(s, 100), who.OrgID, who.OrgID)
}

// onTeam opens the data directory and finds the team of a command.
func (p *program) onTeam(cmd *cobra.Command, org, team string, do func(context.Context, *instance, loci.Principal, loci.Team) error) error {
	ctx := cmd.Context()
	return p.with(ctx, refuse, func(in *instance) error {
		who, err := in.inOrg(ctx, org)
		if err != nil {
			return err
		}
		t, err := in.team(ctx, who, team)
		if err != nil {
			return err
		}
		return do(ctx, in, who, t)
	})
}

func (p *program) teamCreateCommand() *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make a team; --user becomes its owner", Args: cobra.ExactArgs(1), Annotations: does(app.TeamCreate),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				t, err := in.app.CreateTeam(ctx, who, args[0])
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(t)
				}
				p.printf("%s\n", t.ID)
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	return cmd
}

func (p *program) teamListCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "list", Short: "List the teams of an org", Args: cobra.NoArgs, Annotations: does(app.TeamRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.inOrg(ctx, org)
				if err != nil {
					return err
				}
				teams, err := in.app.Teams(ctx, who)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(page("teams", notNil(teams)))
				}
				if len(teams) == 0 {
					p.note("no teams; make one with: loci team create NAME --org %s", who.OrgID)
					return nil
				}
				rows := make([][]string, len(teams))
				for i, t := range teams {
					rows[i] = []string{t.ID.String(), t.Name, showTime(t.CreatedAt)}
				}
				p.printTable([]string{"ID", "NAME", "CREATED"}, rows)
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) teamShowCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "show TEAM", Short: "Show a team with its members", Args: cobra.ExactArgs(1), Annotations: does(app.TeamRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onTeam(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, t loci.Team) error {
				view, err := in.app.Team(ctx, who, t.ID)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(map[string]any{"id": t.ID, "name": t.Name, "created_at": t.CreatedAt, "members": notNil(view.Members), "invites": notNil(view.Invites)})
				}
				p.printf("%s  %s\n\n", t.ID, loci.OneLine(t.Name))
				rows := make([][]string, len(view.Members))
				for i, u := range view.Members {
					rows[i] = []string{u.ID.String(), u.Email, u.Name, string(u.TeamRole)}
				}
				p.printTable([]string{"ID", "EMAIL", "NAME", "ROLE"}, rows)
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) teamRenameCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "rename TEAM NAME", Short: "Give a team another name", Args: cobra.ExactArgs(2), Annotations: does(app.TeamChange, app.TeamRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onTeam(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, t loci.Team) error {
				t, err := in.app.RenameTeam(ctx, who, t.ID, args[1])
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(t)
				}
				p.printf("renamed %s: %s\n", t.ID, loci.OneLine(t.Name))
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) teamDeleteCommand() *cobra.Command {
	var org string
	var yes bool
	cmd := &cobra.Command{
		Use: "delete TEAM", Short: "Delete a team; what was shared goes back to those who shared it", Args: cobra.ExactArgs(1),
		Annotations: does(app.TeamDelete, app.TeamRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onTeam(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, t loci.Team) error {
				if err := p.sure(yes, "Delete the team "+t.Name+"? Its members lose the pool."); err != nil {
					return err
				}
				if err := in.app.DeleteTeam(ctx, who, t.ID, true); err != nil {
					return err
				}
				return p.done("deleted", t.ID.String())
			})
		},
	}
	orgFlag(cmd, &org)
	yesFlag(cmd, &yes)
	return cmd
}

func (p *program) teamRemoveCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "remove TEAM USER", Short: "Take a person out of a team; they lose the pool at once", Args: cobra.ExactArgs(2),
		Annotations: does(app.TeamRemove, app.TeamRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onTeam(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, t loci.Team) error {
				person, err := in.person(ctx, args[1])
				if err != nil {
					return err
				}
				if err := in.app.RemoveFromTeam(ctx, who, t.ID, person.UserID); err != nil {
					return notInTeam(args[1], t, err)
				}
				return p.done("removed", person.UserID.String())
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) teamRoleCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "role TEAM USER ROLE", Short: "Set a role in a team: owner, admin or member", Args: cobra.ExactArgs(3),
		Annotations: does(app.TeamRole, app.TeamRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			role, err := loci.ParseMemberRole(args[2])
			if err != nil {
				return err
			}
			return p.onTeam(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, t loci.Team) error {
				person, err := in.person(ctx, args[1])
				if err != nil {
					return err
				}
				u, err := in.app.SetTeamRole(ctx, who, t.ID, person.UserID, role)
				if err != nil {
					return notInTeam(args[1], t, err)
				}
				if p.json {
					return p.printJSON(u)
				}
				p.printf("%s is %s of %s now\n", u.ID, u.TeamRole, loci.OneLine(t.Name))
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func notInTeam(user string, t loci.Team, err error) error {
	if loci.CodeOf(err) != loci.NotFound {
		return err
	}
	return loci.WrapError(loci.NotFound, err, "%s is not in the team %s; `loci team show` says who is, `loci team invite` asks people in", cut(user, 100), cut(t.Name, 60))
}
