package main

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) teamCommand() *cobra.Command {
	return group("team", "Manage teams and their invitations",
		`Manage teams: people of one org who share a pool of memories. TEAM is an id or a
name, USER an id or an e-mail address.`,
		p.teamCreateCommand(), p.teamListCommand(), p.teamShowCommand(), p.teamRenameCommand(), p.teamDeleteCommand(),
		p.teamInviteCommand(), p.teamInvitesCommand(), p.teamRevokeInviteCommand(), p.teamRemoveCommand(),
		p.teamRoleCommand())
}

// team finds a team of the org by id or name.
func (in *instance) team(ctx context.Context, who loci.Principal, s string) (loci.Team, error) {
	teams, err := in.app.Org.Teams(ctx, who)
	return findNamed(teams, err, s, func(t loci.Team) (string, string) { return t.ID.String(), t.Name },
		"team", "loci team list"+orgHint(who))
}

func (p *program) teamCreateCommand() *cobra.Command {
	return p.acting(pickPerson, &cobra.Command{
		Use: "create NAME", Short: "Create a team; --user becomes its owner", Annotations: does(org.TeamCreate),
	}, func(ctx context.Context, c *call) error {
		t, err := c.app.Org.CreateTeam(ctx, c.who, c.args[0])
		return p.answer(t, err, "created %s: %s", t.ID, loci.OneLine(t.Name))
	})
}

func (p *program) teamListCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "list", Short: "List the teams of an org", Annotations: does(org.TeamRead),
	}, func(ctx context.Context, c *call) error {
		teams, err := c.app.Org.Teams(ctx, c.who)
		return printList(p, "teams", teams, err, "no teams; create one with: loci team create NAME"+orgHint(c.who),
			"NAME|ID|CREATED",
			func(t loci.Team) []string { return []string{t.Name, t.ID.String(), p.showTime(t.CreatedAt)} })
	})
}

func (p *program) teamShowCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "show TEAM", Short: "Show a team with its members", Annotations: does(org.TeamRead),
	}, onNamed((*instance).team, func(ctx context.Context, c *call, t loci.Team) error {
		view, err := c.app.Org.Team(ctx, c.who, t.ID)
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(map[string]any{"id": t.ID, "name": t.Name, "created_at": t.CreatedAt,
				"members": loci.OrEmpty(view.Members), "invites": loci.OrEmpty(view.Invites)})
		}
		p.printf("%s  %s\n\n", t.ID, loci.OneLine(t.Name))
		return printList(p, "members", view.Members, nil, "", "ID|EMAIL|NAME|ROLE",
			func(u loci.User) []string { return []string{u.ID.String(), u.Email, u.Name, string(u.TeamRole)} })
	}))
}

func (p *program) teamRenameCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "rename TEAM NAME", Short: "Rename a team", Annotations: does(org.TeamChange, org.TeamRead),
	}, onNamed((*instance).team, func(ctx context.Context, c *call, t loci.Team) error {
		t, err := c.app.Org.RenameTeam(ctx, c.who, t.ID, c.args[1])
		return p.answer(t, err, "renamed %s: %s", t.ID, loci.OneLine(t.Name))
	}))
}

func (p *program) teamDeleteCommand() *cobra.Command {
	return p.acting(pickOrg|asks, &cobra.Command{
		Use: "delete TEAM", Short: "Delete a team; memories in its pool return to their owners",
		Annotations: does(org.TeamDelete, org.TeamRead),
	}, onNamed((*instance).team, func(ctx context.Context, c *call, t loci.Team) error {
		return p.erase(ctx, "team", t.Name, t.ID, func() error { return c.app.Org.DeleteTeam(ctx, c.who, t.ID, true) })
	}))
}

func (p *program) teamRemoveCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "remove TEAM USER", Short: "Remove a person from a team, effective immediately",
		Annotations: does(org.TeamRemove, org.TeamRead),
	}, onNamed((*instance).team, func(ctx context.Context, c *call, t loci.Team) error {
		person, err := c.person(ctx, c.args[1])
		if err != nil {
			return err
		}
		err = c.app.Org.RemoveFromTeam(ctx, c.who, t.ID, person.UserID)
		return p.doneTo(notInTeam(c.args[1], t, err), "removed", person)
	}))
}

func (p *program) teamRoleCommand() *cobra.Command {
	var role loci.MemberRole
	return p.acting(pickOrg, &cobra.Command{
		Use: "role TEAM USER ROLE", Short: "Set a role in a team: owner, admin or member",
		Annotations: does(org.TeamRole, org.TeamRead),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			role, err = loci.ParseMemberRole(args[2])
			return err
		},
	}, onNamed((*instance).team, func(ctx context.Context, c *call, t loci.Team) error {
		person, err := c.person(ctx, c.args[1])
		if err != nil {
			return err
		}
		u, err := c.app.Org.SetTeamRole(ctx, c.who, t.ID, person.UserID, role)
		return p.answer(u, notInTeam(c.args[1], t, err), "%s is now %s of %s", c.names().user(ctx, u.OrgID, u.ID),
			u.TeamRole, loci.OneLine(t.Name))
	}))
}

func notInTeam(user string, t loci.Team, err error) error {
	if loci.CodeOf(err) != loci.NotFound {
		return err
	}
	return loci.WrapError(loci.NotFound, err, "%s is not in team %s; invite them with: loci team invite %s EMAIL",
		cut(user, 100), quoted(cut(t.Name, 60)), quoted(cut(t.Name, 60)))
}

// inviteJSON is an invitation with its token, printed once.
type inviteJSON struct {
	loci.Invite
	Token string `json:"token"`
	Link  string `json:"link,omitempty"`
}

func (p *program) teamInviteCommand() *cobra.Command {
	var text string
	var role loci.MemberRole
	cmd := p.acting(pickOrg, &cobra.Command{
		Use: "invite TEAM EMAIL…", Short: "Invite people into a team; print each link once",
		Annotations: does(org.TeamInvite, org.TeamRead, project.Read),
		Long: `Invite people into a team, and into its org if they are in none. Loci sends no mail:
hand each person their link. A link works once, for the invited address only, and
expires after 7 days. A new invitation of an address revokes an earlier one.`,
		PreRunE: func(*cobra.Command, []string) (err error) {
			role, err = loci.ParseMemberRole(text)
			return err
		},
	}, onNamed((*instance).team, func(ctx context.Context, c *call, t loci.Team) error {
		made, err := c.app.Org.InviteToTeam(ctx, c.who, t.ID, c.args[1:], role)
		if err != nil {
			return err
		}
		address := p.signInServer().URL
		shown := make([]inviteJSON, len(made))
		for i, m := range made {
			shown[i] = inviteJSON{Invite: m.Invite, Token: m.Token.Reveal()}
			if address != "" {
				shown[i].Link = address + "/app/invite?token=" + m.Token.Reveal()
			}
		}
		if p.json {
			return p.printJSON(page("invites", shown))
		}
		for _, i := range shown {
			p.printf("%s  %s\n", i.Email, cmp.Or(i.Link, i.Token))
		}
		p.note("Loci shows these only this once. They expire at %s, and replace earlier invitations of the same "+
			"addresses.", p.showTime(time.Now().Add(loci.InviteLife)))
		if address == "" {
			p.note("Each link is ADDRESS/app/invite?token=TOKEN: %s.", p.noPages())
		}
		return p.noteOpenProjects(ctx, c.instance, c.who, "Everybody in the org")
	}))
	cmd.Flags().StringVar(&text, "role", string(loci.Member), "role in the team: owner, admin or member")
	return cmd
}

func (p *program) teamInvitesCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "invites TEAM", Short: "List the invitations into a team", Annotations: does(org.TeamRead),
	}, onNamed((*instance).team, func(ctx context.Context, c *call, t loci.Team) error {
		view, err := c.app.Org.Team(ctx, c.who, t.ID)
		if err != nil {
			return err
		}
		return printList(p, "invites", view.Invites, nil, "", "ID|EMAIL|ROLE|STATE|CREATED|EXPIRES",
			func(v loci.Invite) []string {
				state := string(v.State)
				if v.State == loci.InvitePending && !v.Usable(time.Now()) {
					state = "expired"
				}
				return []string{v.ID.String(), v.Email, string(v.TeamRole), state, p.showTime(v.CreatedAt), p.showTime(v.ExpiresAt)}
			})
	}))
}

func (p *program) teamRevokeInviteCommand() *cobra.Command {
	return onID(p, pickOrg, "invitation", seeInvites, resolveInvite, &cobra.Command{
		Use: "revoke-invite ID", Short: "Revoke an invitation", Annotations: does(org.TeamInvite),
	}, func(ctx context.Context, c *call, id loci.InviteID) error {
		err := orNoSuch(c.app.Org.RevokeInvite(ctx, c.who, id), "pending invitation", id.String(), seeInvites)
		return p.done(err, "revoked", id.String())
	})
}

const seeInvites = "loci team invites TEAM"

var resolveInvite = among("invitation", seeInvites, func(ctx context.Context, c *call) ([]loci.InviteID, error) {
	list, err := c.app.Org.Invites(ctx, c.who)
	return loci.Mapped(list, func(v loci.Invite) loci.InviteID { return v.ID }), err
})
