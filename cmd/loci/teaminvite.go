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
	return mapped(list, func(v loci.Invite) loci.InviteID { return v.ID }), err
})
