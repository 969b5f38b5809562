package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
)

func (p *program) userSetCommand() *cobra.Command {
	var email, name string
	cmd := &cobra.Command{
		Use: "set USER", Short: "Set a person's e-mail address or name", Annotations: does(identity.UserSet),
		Long: `Set a person's e-mail address or name. Passwords and single sign-on require an
address; the owner of a laptop has none at first. The old address no longer signs
in, and somebody else may use it.`,
		Example: `  loci user set mara@acme.example --email mara@acme.test --name Mara`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var c identity.UserChange
			if cmd.Flags().Changed("email") {
				c.Email = &email
			}
			if cmd.Flags().Changed("name") {
				c.Name = &name
			}
			if c == (identity.UserChange{}) {
				return usagef("specify --email ADDRESS, --name NAME or both")
			}
			return p.changeUser(cmd, args[0],
				func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
					if c.Email != nil && id == in.operator.UserID && p.settings.Owner != "" {
						return loci.User{}, loci.Errorf(loci.Conflict,
							"cannot set the owner's address: LOCI_DASHBOARD_OWNER_EMAIL sets it; change it there")
					}
					return in.app.Identity.SetUser(ctx, who, id, c)
				})
		},
	}
	cmd.Flags().StringVar(&email, "email", "", "e-mail address, unique on this server")
	cmd.Flags().StringVar(&name, "name", "", "name")
	return cmd
}

func (p *program) userDisableCommand() *cobra.Command {
	disabled := true
	return &cobra.Command{
		Use: "disable USER", Short: "Disable a person: end their access, keep their data",
		Long: `Disable a person, effective immediately: end their sign-ins, keys and grants and take
them out of their team. Loci keeps their data.`,
		Annotations: does(org.MemberRemove, identity.WhoAmI, identity.SignInList, identity.KeyList, identity.GrantList),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeUser(cmd, args[0],
				func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
					had, err := in.access(ctx, who.OrgID, id)
					if err != nil {
						return loci.User{}, err
					}
					u, err := in.app.Org.SetMember(ctx, who, id, org.MemberChange{Disabled: &disabled})
					if err == nil && !p.json {
						p.noteEnded(had)
					}
					return u, err
				})
		},
	}
}

func (p *program) userEnableCommand() *cobra.Command {
	disabled := false
	return &cobra.Command{
		Use: "enable USER", Short: "Let a disabled person sign in again, without their old keys",
		Annotations: does(org.MemberRemove),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeUser(cmd, args[0],
				func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
					return in.app.Org.SetMember(ctx, who, id, org.MemberChange{Disabled: &disabled})
				})
		},
	}
}

// access counts a person's working credentials, and names their team.
type access struct {
	signIns, keys, agentKeys, grants int
	team                             string
}

// access returns nil for a disabled person: they have none.
func (in *instance) access(ctx context.Context, org loci.OrgID, user loci.UserID) (*access, error) {
	who, err := in.auth.LocalAs(ctx, org, user)
	if loci.CodeOf(err) == loci.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	me, err := in.app.Identity.WhoAmI(ctx, who)
	if err != nil {
		return nil, err
	}
	out := &access{}
	if me.Team != nil {
		out.team = me.Team.Name
	}
	signIns, err := in.app.Identity.SignIns(ctx, who)
	if err != nil {
		return nil, err
	}
	keys, err := in.app.Identity.Keys(ctx, who, loci.KindUser)
	if err != nil {
		return nil, err
	}
	agentKeys, err := in.app.Identity.Keys(ctx, who, loci.KindAgent)
	if err != nil {
		return nil, err
	}
	grants, err := in.app.Identity.Grants(ctx, who)
	out.signIns, out.keys, out.agentKeys = usable(signIns), usable(keys), usable(agentKeys)
	for i := range grants {
		if grants[i].Usable(time.Now()) {
			out.grants++
		}
	}
	return out, err
}

func usable(list []loci.Credential) (n int) {
	for i := range list {
		if list[i].Usable(time.Now()) {
			n++
		}
	}
	return n
}

func (p *program) noteEnded(had *access) {
	if had == nil {
		return
	}
	p.note("Ended %s, %s, %s and %s.", loci.Plural(had.signIns, "sign-in", "sign-ins"),
		loci.Plural(had.keys, "key", "keys"),
		loci.Plural(had.agentKeys, "agent key", "agent keys"), loci.Plural(had.grants, "grant", "grants"))
	if had.team != "" {
		p.note("They left team %s and no longer see its pool. Memories they shared are private to them again.",
			loci.OneLine(had.team))
	}
}
