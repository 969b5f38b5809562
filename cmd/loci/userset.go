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
	var change identity.UserChange
	cmd := p.changeUser(&cobra.Command{
		Use: "set USER", Short: "Set a person's e-mail address or name", Annotations: does(identity.UserSet),
		Long: `Set a person's e-mail address or name. Passwords and single sign-on require an
address; the owner of a laptop has none at first. The old address no longer signs
in, and somebody else may use it.`,
		Example: `  loci user set mara@acme.example --email mara@acme.test --name Mara`,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			change = identity.UserChange{Email: given(cmd, "email", &email), Name: given(cmd, "name", &name)}
			if change == (identity.UserChange{}) {
				return usagef("specify --email ADDRESS, --name NAME or both")
			}
			return nil
		},
	}, func(ctx context.Context, c *call, id loci.UserID) (loci.User, error) {
		if change.Email != nil && id == c.operator.UserID && p.settings.Owner != "" {
			return loci.User{}, loci.Errorf(loci.Conflict,
				"cannot set the owner's address: LOCI_DASHBOARD_OWNER_EMAIL sets it; change it there")
		}
		return c.app.Identity.SetUser(ctx, c.who, id, change)
	})
	cmd.Flags().StringVar(&email, "email", "", "e-mail address, unique on this server")
	cmd.Flags().StringVar(&name, "name", "", "name")
	return cmd
}

func (p *program) userDisableCommand() *cobra.Command {
	return p.changeUser(&cobra.Command{
		Use: "disable USER", Short: "Disable a person: end their access, keep their data",
		Long: `Disable a person, effective immediately: end their sign-ins, keys and grants and take
them out of their team. Loci keeps their data.`,
		Annotations: does(org.MemberRemove, identity.WhoAmI, identity.SignInList, identity.KeyList, identity.GrantList),
	}, func(ctx context.Context, c *call, id loci.UserID) (loci.User, error) {
		had, err := c.access(ctx, c.who.OrgID, id)
		if err != nil {
			return loci.User{}, err
		}
		u, err := c.app.Org.SetMember(ctx, c.who, id, org.MemberChange{Disabled: new(true)})
		if err == nil && !p.json {
			p.noteEnded(had)
		}
		return u, err
	})
}

func (p *program) userEnableCommand() *cobra.Command {
	return p.changeUser(&cobra.Command{
		Use: "enable USER", Short: "Let a disabled person sign in again, without their old keys and team",
		Long: `Let a disabled person sign in again. Their password, passkeys and data are as before.
Their old sign-ins, keys and grants stay ended, and they are in no team.`,
		Annotations: does(org.MemberEnable, identity.WhoAmI, identity.SignInList, identity.KeyList, identity.GrantList),
	}, func(ctx context.Context, c *call, id loci.UserID) (loci.User, error) {
		had, err := c.access(ctx, c.who.OrgID, id)
		if err != nil {
			return loci.User{}, err
		}
		u, err := c.app.Org.SetMember(ctx, c.who, id, org.MemberChange{Disabled: new(false)})
		if disabled := had == nil; err == nil && disabled && !p.json {
			p.noteNotRestored(c.who, &u)
		}
		return u, err
	})
}

// noteNotRestored tells what a person who is enabled again does not have, and how to give it to them.
func (p *program) noteNotRestored(who loci.Principal, u *loci.User) {
	user, email := u.ID.String(), "EMAIL"
	if u.Email != "" {
		user, email = quoted(u.Email), quoted(u.Email)
	}
	p.note("They can sign in again. Their old sign-ins, keys and grants stay ended, and they are in no team. " +
		"To give them new ones, run what they need:")
	for _, line := range []string{"user link " + user, "key create --user " + user + " --name NAME",
		"agent-key create --user " + user + " --vendor VENDOR --name NAME",
		"team invite TEAM " + email + orgHint(who)} {
		p.note("  %s", p.onSameData("loci "+line))
	}
}

// access counts a person's working credentials, and names their team.
type access struct {
	signIns, keys, agentKeys, grants int
	team                             string
}

// access returns nil for a disabled person, who has no access.
func (in *instance) access(ctx context.Context, org loci.OrgID, user loci.UserID) (*access, error) {
	who, err := in.auth.LocalAs(ctx, org, user)
	if loci.CodeOf(err) == loci.Conflict {
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
