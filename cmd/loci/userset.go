package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) userSetCommand() *cobra.Command {
	var email, name string
	cmd := &cobra.Command{
		Use: "set USER", Short: "Give a person an e-mail address or a name", Args: cobra.ExactArgs(1), Annotations: does(app.UserSet),
		Long: `Give a person an e-mail address or a name. A password and single sign-on need an
address; the owner of a laptop has none at first. The address of before is free
again, and whoever holds it does not get in with it any more.`,
		Example: `  loci user set mara@acme.example --email mara@acme.test --name Mara`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var c app.UserChange
			if cmd.Flags().Changed("email") {
				c.Email = &email
			}
			if cmd.Flags().Changed("name") {
				c.Name = &name
			}
			if c == (app.UserChange{}) {
				return usagef("say --email ADDRESS, --name NAME or both")
			}
			return p.changeUser(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
				if c.Email != nil && id == in.operator.UserID && p.settings.Owner != "" {
					return loci.User{}, loci.Errorf(loci.Conflict, "LOCI_DASHBOARD_OWNER_EMAIL says what the address of the owner here is; change it there")
				}
				return in.app.SetUser(ctx, who, id, c)
			})
		},
	}
	cmd.Flags().StringVar(&email, "email", "", "their address, of nobody else on this server")
	cmd.Flags().StringVar(&name, "name", "", "their name")
	return cmd
}

func (p *program) userDisableCommand() *cobra.Command {
	disabled := true
	return &cobra.Command{
		Use: "disable USER", Short: "Shut a person out: sessions, keys and grants end, they leave their team, what is theirs stays", Args: cobra.ExactArgs(1),
		Annotations: does(app.MemberRemove, app.WhoAmI, app.SessionList, app.KeyList, app.GrantList),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeUser(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
				had, err := in.access(ctx, who.OrgID, id)
				if err != nil {
					return loci.User{}, err
				}
				u, err := in.app.SetMember(ctx, who, id, app.MemberChange{Disabled: &disabled})
				if err == nil && !p.json {
					p.ended(had)
				}
				return u, err
			})
		},
	}
}

func (p *program) userEnableCommand() *cobra.Command {
	disabled := false
	return &cobra.Command{
		Use: "enable USER", Short: "Let a disabled person sign in again; keys have to be made anew", Args: cobra.ExactArgs(1), Annotations: does(app.MemberRemove),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeUser(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
				return in.app.SetMember(ctx, who, id, app.MemberChange{Disabled: &disabled})
			})
		},
	}
}

// access is what somebody comes in with, and the team that they are in.
type access struct {
	sessions, keys, agentKeys, grants int
	team                              string
}

// access returns nil for somebody who is shut out already: they have none.
func (in *instance) access(ctx context.Context, org loci.OrgID, user loci.UserID) (*access, error) {
	who, err := in.auth.LocalAs(ctx, org, user)
	if loci.CodeOf(err) == loci.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	me, err := in.app.WhoAmI(ctx, who)
	if err != nil {
		return nil, err
	}
	out := &access{}
	if me.Team != nil {
		out.team = me.Team.Name
	}
	sessions, err := in.app.Sessions(ctx, who)
	if err != nil {
		return nil, err
	}
	keys, err := in.app.Keys(ctx, who, loci.KindUser)
	if err != nil {
		return nil, err
	}
	agentKeys, err := in.app.Keys(ctx, who, loci.KindAgent)
	if err != nil {
		return nil, err
	}
	grants, err := in.app.Grants(ctx, who)
	if err != nil {
		return nil, err
	}
	out.sessions, out.keys, out.agentKeys = usable(sessions), usable(keys), usable(agentKeys)
	for i := range grants {
		if grants[i].Usable(time.Now()) {
			out.grants++
		}
	}
	return out, nil
}

func usable(list []loci.Credential) (n int) {
	for i := range list {
		if list[i].Usable(time.Now()) {
			n++
		}
	}
	return n
}

func (p *program) ended(had *access) {
	if had == nil {
		return
	}
	p.note("Ended: sessions %d, keys %d, agent keys %d, grants %d.", had.sessions, had.keys, had.agentKeys, had.grants)
	if had.team != "" {
		p.note("They left the team %s: its pool is closed to them, and what they shared is only theirs again.", loci.OneLine(had.team))
	}
}
