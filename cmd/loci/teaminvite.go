package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// inviteJSON is an invitation with what its holder needs, shown once.
type inviteJSON struct {
	loci.Invite
	Token string `json:"token"`
	Link  string `json:"link,omitempty"`
}

func (p *program) teamInviteCommand() *cobra.Command {
	var org, role string
	cmd := &cobra.Command{
		Use: "invite TEAM EMAIL…", Short: "Invite people into a team; each link is shown once and lasts 7 days", Args: cobra.MinimumNArgs(2),
		Annotations: does(app.TeamInvite, app.TeamRead),
		Long: `Invite people into a team, and into its org if they are in none. Loci sends no
mail: hand each their link. It works for the invited address only, once.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := loci.ParseMemberRole(role)
			if err != nil {
				return err
			}
			return p.onTeam(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, t loci.Team) error {
				made, err := in.app.InviteToTeam(ctx, who, t.ID, args[1:], r)
				if err != nil {
					return err
				}
				return p.printInvited(made)
			})
		},
	}
	orgFlag(cmd, &org)
	cmd.Flags().StringVar(&role, "role", string(loci.Member), "in the team: owner, admin or member")
	return cmd
}

func (p *program) printInvited(made []app.Invited) error {
	address := p.localAddress()
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
		what := i.Link
		if what == "" {
			what = i.Token
		}
		p.printf("%s  %s\n", i.Email, what)
	}
	p.note("This is the only time that these are shown. They last until %s.", showTime(time.Now().Add(loci.InviteLife)))
	if address == "" {
		p.note("%s Each link is ADDRESS/app/invite?token=TOKEN.", noAddress)
	}
	return nil
}

func (p *program) teamInvitesCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "invites TEAM", Short: "List the invitations into a team", Args: cobra.ExactArgs(1), Annotations: does(app.TeamRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onTeam(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, t loci.Team) error {
				view, err := in.app.Team(ctx, who, t.ID)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(page("invites", notNil(view.Invites)))
				}
				rows := make([][]string, len(view.Invites))
				for i, v := range view.Invites {
					state := string(v.State)
					if v.State == loci.InvitePending && !v.Usable(time.Now()) {
						state = "expired"
					}
					rows[i] = []string{v.ID.String(), v.Email, string(v.TeamRole), state, showTime(v.CreatedAt), showTime(v.ExpiresAt)}
				}
				p.printTable([]string{"ID", "EMAIL", "ROLE", "STATE", "CREATED", "EXPIRES"}, rows)
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) teamRevokeInviteCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "revoke-invite ID", Short: "Make an invitation useless", Args: cobra.ExactArgs(1), Annotations: does(app.TeamInvite),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseID[loci.InviteID](args[0], "invitation", "loci team invites TEAM")
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.inOrg(ctx, org)
				if err == nil {
					err = in.app.RevokeInvite(ctx, who, id)
				}
				if err != nil {
					return err
				}
				return p.done("revoked", id.String())
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}
