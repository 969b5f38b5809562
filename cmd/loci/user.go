package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/transfer"
)

func (p *program) userCommand() *cobra.Command {
	return group("user", "Manage people and how they sign in",
		`Manage people. USER is an id or an e-mail address. A person belongs to exactly one
org, and an address to one person on the whole server.`,
		p.addUserCommand("create", false), p.userListCommand(), p.userRoleCommand(), p.userMemberCommand(),
		p.userSetCommand(), p.userDisableCommand(), p.userEnableCommand(), p.userResetCommand(), p.userLinkCommand(),
		p.userSignInsCommand(), p.userExportCommand(), p.userDeleteCommand())
}

// addUserCommand is `user create --org ORG` and `org add-user ORG`.
func (p *program) addUserCommand(use string, orgFirst bool) *cobra.Command {
	var orgName, role string
	var n org.NewUser
	which := operator
	if !orgFirst { // the default org needs no preparation
		which = starts
	}
	cmd := p.acting(which, &cobra.Command{
		Use: use, Short: "Create a person in an org; they sign in with a link",
		Annotations: does(org.MemberAdd, project.Read),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			if orgFirst {
				orgName = args[0]
			}
			n.Role, err = loci.ParseMemberRole(role)
			return err
		},
	}, func(ctx context.Context, c *call) error {
		who, err := c.inOrg(ctx, orgName)
		if err != nil {
			return err
		}
		u, err := c.app.Org.AddUser(ctx, who, n)
		if err != nil || p.json {
			return p.answer(u, err, "")
		}
		p.note("To let %s sign in, run: loci user link %s", u.Email, u.Email)
		if err := p.noteOpenProjects(ctx, c.instance, who, u.Email); err != nil {
			return err
		}
		return p.answer(u, nil, "created %s: %s", u.ID, u.Email)
	})
	flags := cmd.Flags()
	if !orgFirst {
		flags.StringVar(&orgName, "org", "", "org, by id or name (default: "+string(loci.DefaultOrg)+")")
	}
	flags.StringVar(&n.Email, "email", "", "e-mail address (required)")
	flags.StringVar(&n.Name, "name", "", "name")
	flags.StringVar(&role, "role", string(loci.Member), "role in the org: owner, admin or member")
	_ = cmd.MarkFlagRequired("email")
	return cmd
}

// noteOpenProjects names what a new person of an org can read: sessions, events and what was saved in open projects.
func (p *program) noteOpenProjects(ctx context.Context, in *instance, who loci.Principal, newcomer string) error {
	list, err := in.projects(ctx, who, "", 0)
	open := len(slices.DeleteFunc(list, func(x loci.Project) bool { return !x.Everyone }))
	p.note("%s can read sessions and events that are not private, also earlier ones; see: loci session list%s",
		newcomer, orgHint(who))
	if err == nil && open > 0 {
		p.note("%s can read %s, with everything saved there; see: loci project list --status all%s", newcomer,
			loci.Plural(open, "open project", "open projects"), orgHint(who))
	}
	return err
}

func (p *program) userListCommand() *cobra.Command {
	var orgName string
	cmd := p.acting(operator, &cobra.Command{
		Use: "list", Short: "List people", Annotations: does(org.MemberList, org.List),
	}, func(ctx context.Context, c *call) error {
		users, err := c.everybody(ctx, orgName)
		return p.printUsers(ctx, c.instance, users, err)
	})
	cmd.Flags().StringVar(&orgName, "org", "", "only of this org, by id or name")
	return cmd
}

func (p *program) printUsers(ctx context.Context, in *instance, users []loci.User, err error) error {
	names := in.names()
	return printList(p, "users", users, err, "no people", "EMAIL|NAME|ID|ORG|ROLE|INSTANCE|TEAM|STATE|CREATED",
		func(u loci.User) []string {
			state, team := "active", names.team(ctx, u)
			if u.Disabled {
				state = "disabled"
			}
			if team != "" {
				team = string(u.TeamRole) + " of " + team
			}
			return []string{u.Email, u.Name, u.ID.String(), string(u.OrgID), string(u.OrgRole), string(u.Role), team, state,
				p.showTime(u.CreatedAt)}
		})
}

// onUser completes a command about the person in its first argument, which acts for the owner of their org.
func (p *program) onUser(which picks, cmd *cobra.Command,
	do func(context.Context, *call, loci.Person) error) *cobra.Command {
	return p.acting(which, cmd, func(ctx context.Context, c *call) error {
		person, err := c.person(ctx, c.args[0])
		if err != nil {
			return err
		}
		if c.who, err = c.auth.LocalAs(ctx, person.OrgID, loci.UserID{}); err != nil {
			return err
		}
		return do(ctx, c, person)
	})
}

// changeUser completes a command that changes a person and prints the result.
func (p *program) changeUser(cmd *cobra.Command,
	do func(context.Context, *call, loci.UserID) (loci.User, error)) *cobra.Command {
	return p.onUser(operator, cmd, func(ctx context.Context, c *call, who loci.Person) error {
		u, err := do(ctx, c, who.UserID)
		if err != nil || p.json {
			return p.answer(u, err, "")
		}
		return p.printUsers(ctx, c.instance, []loci.User{u}, nil)
	})
}

func (p *program) userRoleCommand() *cobra.Command {
	var role loci.Role
	return p.changeUser(&cobra.Command{
		Use: "role USER ROLE", Short: "Set a role on the instance: admin, private-alpha or user",
		Annotations: does(identity.UserRole),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			role, err = loci.ParseRole(args[1])
			return err
		},
	}, func(ctx context.Context, c *call, id loci.UserID) (loci.User, error) {
		return c.app.Identity.SetUserRole(ctx, c.who, id, role)
	})
}

func (p *program) userMemberCommand() *cobra.Command {
	var role loci.MemberRole
	return p.changeUser(&cobra.Command{
		Use: "member USER ROLE", Short: "Set a role in the org: owner, admin or member", Annotations: does(org.MemberRole),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			role, err = loci.ParseMemberRole(args[1])
			return err
		},
	}, func(ctx context.Context, c *call, id loci.UserID) (loci.User, error) {
		return c.app.Org.SetMember(ctx, c.who, id, org.MemberChange{Role: &role})
	})
}

func (p *program) userResetCommand() *cobra.Command {
	return p.onUser(asks, &cobra.Command{
		Use:         "reset USER",
		Short:       "Remove a person's password and passkeys, end their sign-ins, and print a sign-in link",
		Annotations: does(identity.UserReset, identity.LinkCreate),
	}, func(ctx context.Context, c *call, who loci.Person) error {
		id := who.UserID
		if _, err := c.auth.LocalAs(ctx, who.OrgID, id); err != nil { // the link could not work
			return err
		}
		if err := p.sure(ctx, "reset", "user", c.args[0]); err != nil {
			return err
		}
		if err := c.app.Identity.ResetUser(ctx, c.who, id); err != nil {
			return err
		}
		if p.signInServer().URL != "" {
			return p.printLink(ctx, c.instance, c.who, id)
		}
		p.note("cannot make a sign-in link: %s", p.noPages())
		return p.answer(map[string]any{"user_id": id, "reset": true}, nil, "reset %s", id)
	})
}

func (p *program) userExportCommand() *cobra.Command {
	var force bool
	cmd := p.acting(operator, &cobra.Command{
		Use: "export USER FILE", Short: "Export a person's memories with all versions as JSON lines",
		Long:        "Export a person's memories with all versions as JSON lines, also those of a disabled person.",
		Annotations: does(transfer.Export),
	}, func(ctx context.Context, c *call) error {
		who, err := c.readFor(ctx, "", c.args[0])
		if err != nil {
			return err
		}
		return p.exportTo(ctx, c.instance, who, c.args[1], force)
	})
	forceFlag(cmd, &force)
	return cmd
}

func (p *program) userDeleteCommand() *cobra.Command {
	return p.onUser(asks, &cobra.Command{
		Use: "delete USER", Short: "Permanently delete a person with all their memories",
		Annotations: does(identity.AccountDelete),
		Long: `Permanently delete a person: memories, sign-in methods, keys, sign-ins and grants.
The owner of an org can only be deleted with the org. To keep a copy of the
memories, first run: loci user export USER FILE.`,
	}, func(ctx context.Context, c *call, who loci.Person) error {
		if err := p.sure(ctx, "delete", "user", c.args[0]); err != nil {
			return err
		}
		return p.doneTo(c.app.Identity.DeleteUser(ctx, c.who, who.UserID), "deleted", who)
	})
}

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
	return p.disableUser(&cobra.Command{
		Use: "disable USER", Short: "Disable a person: end their access, keep their data",
		Long: `Disable a person, effective immediately: end their sign-ins, keys and grants and take
them out of their team. Loci keeps their data.`}, org.MemberRemove, true)
}

func (p *program) userEnableCommand() *cobra.Command {
	return p.disableUser(&cobra.Command{
		Use: "enable USER", Short: "Let a disabled person sign in again, without their old keys and team",
		Long: `Let a disabled person sign in again. Their password, passkeys and data are as before.
Their old sign-ins, keys and grants stay ended, and they are in no team.`}, org.MemberEnable, false)
}

// disableUser completes a command that disables a person, or enables them again.
func (p *program) disableUser(cmd *cobra.Command, act gate.Action, disabled bool) *cobra.Command {
	cmd.Annotations = does(act, identity.WhoAmI, identity.SignInList, identity.KeyList, identity.GrantList)
	return p.changeUser(cmd, func(ctx context.Context, c *call, id loci.UserID) (loci.User, error) {
		had, err := c.access(ctx, c.who.OrgID, id)
		if err != nil {
			return loci.User{}, err
		}
		u, err := c.app.Org.SetMember(ctx, c.who, id, org.MemberChange{Disabled: &disabled})
		switch {
		case err != nil || p.json:
		case disabled:
			p.noteEnded(had)
		case had == nil:
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
	valid := func(c loci.Credential) bool { return keyStatus(&c) == "valid" }
	out.signIns, out.keys, out.agentKeys = countIf(signIns, valid), countIf(keys, valid), countIf(agentKeys, valid)
	out.grants = countIf(grants, func(g loci.Grant) bool { return grantStatus(&g) == "valid" })
	return out, err
}

// countIf returns how many of a list are so.
func countIf[T any](list []T, is func(T) bool) (n int) {
	for _, x := range list {
		if is(x) {
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
