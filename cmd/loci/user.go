package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) userCommand() *cobra.Command {
	return group("user", "Make and look after people", `Make and look after people. USER is an id or an e-mail address. A person belongs
to exactly one org; an address is used once on the whole server.`,
		p.addUserCommand("create", false), p.userListCommand(), p.userRoleCommand(), p.userMemberCommand(),
		p.userSetCommand(), p.userDisableCommand(), p.userEnableCommand(),
		p.userResetCommand(), p.linkCommand("link USER"), p.userExportCommand(), p.userDeleteCommand())
}

// addUserCommand is `user create --org ORG` and `org add-user ORG`.
func (p *program) addUserCommand(use string, orgFirst bool) *cobra.Command {
	var org, role string
	var n app.NewUser
	cmd := &cobra.Command{
		Use: use, Short: "Make a person in an org; they sign in by a link", Args: cobra.NoArgs, Annotations: does(app.MemberAdd),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if orgFirst {
				org = args[0]
			}
			if n.Role, err = loci.ParseMemberRole(role); err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.inOrg(ctx, org)
				if err != nil {
					return err
				}
				u, err := in.app.AddUser(ctx, who, n)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(u)
				}
				p.printf("%s\n", u.ID)
				p.note("Let %s in with: loci user link %s", u.Email, u.Email)
				return nil
			})
		},
	}
	flags := cmd.Flags()
	if orgFirst {
		cmd.Args = cobra.ExactArgs(1)
	} else {
		orgFlag(cmd, &org)
	}
	flags.StringVar(&n.Email, "email", "", "their address (required)")
	flags.StringVar(&n.Name, "name", "", "their name")
	flags.StringVar(&role, "role", string(loci.Member), "in the org: owner, admin or member")
	_ = cmd.MarkFlagRequired("email")
	return cmd
}

func (p *program) userListCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "list", Short: "List people", Args: cobra.NoArgs, Annotations: does(app.MemberList, app.OrgList),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				orgs, err := in.orgs(ctx, org)
				if err != nil {
					return err
				}
				var users []loci.User
				for _, o := range orgs {
					who, err := in.auth.LocalAs(ctx, o.ID, loci.UserID{})
					if err == nil {
						err = in.everybody(ctx, who, func(u loci.User) error { users = append(users, u); return nil })
					}
					if err != nil {
						return err
					}
				}
				return p.printUsers(ctx, in, users)
			})
		},
	}
	cmd.Flags().StringVar(&org, "org", "", "only of the org with this id")
	return cmd
}

func (p *program) printUsers(ctx context.Context, in *instance, users []loci.User) error {
	if p.json {
		return p.printJSON(page("users", notNil(users)))
	}
	names, rows := in.names(), make([][]string, len(users))
	for i, u := range users {
		team, err := names.team(ctx, u)
		if err != nil {
			return err
		}
		rows[i] = userRow(u, team)
	}
	p.printTable(userColumns, rows)
	return nil
}

var userColumns = []string{"ID", "EMAIL", "NAME", "ORG", "ROLE", "INSTANCE", "TEAM", "STATE", "CREATED"}

func userRow(u loci.User, team string) []string {
	state := "active"
	if u.Disabled {
		state = "disabled"
	}
	if team != "" {
		team = string(u.TeamRole) + " of " + team
	}
	return []string{u.ID.String(), u.Email, u.Name, string(u.OrgID), string(u.OrgRole), string(u.Role), team, state, showTime(u.CreatedAt)}
}

// changeUser does something to a person and shows them then.
func (p *program) changeUser(cmd *cobra.Command, user string, do func(context.Context, *instance, loci.Principal, loci.UserID) (loci.User, error)) error {
	ctx := cmd.Context()
	return p.with(ctx, refuse, func(in *instance) error {
		who, person, err := in.about(ctx, user)
		if err != nil {
			return err
		}
		u, err := do(ctx, in, who, person.UserID)
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(u)
		}
		return p.printUsers(ctx, in, []loci.User{u})
	})
}

func (p *program) userRoleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "role USER ROLE", Short: "Set the role on the instance: admin, private-alpha or user", Args: cobra.ExactArgs(2), Annotations: does(app.UserRole),
		RunE: func(cmd *cobra.Command, args []string) error {
			role, err := loci.ParseRole(args[1])
			if err != nil {
				return err
			}
			return p.changeUser(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
				return in.app.SetUserRole(ctx, who, id, role)
			})
		},
	}
}

func (p *program) userMemberCommand() *cobra.Command {
	return &cobra.Command{
		Use: "member USER ROLE", Short: "Set the role in the org: owner, admin or member", Args: cobra.ExactArgs(2), Annotations: does(app.MemberRole),
		RunE: func(cmd *cobra.Command, args []string) error {
			role, err := loci.ParseMemberRole(args[1])
			if err != nil {
				return err
			}
			return p.changeUser(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
				return in.app.SetMember(ctx, who, id, app.MemberChange{Role: &role})
			})
		},
	}
}

func (p *program) userResetCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "reset USER", Short: "Forget a person's password and passkeys, end their sessions, and make a sign-in link", Args: cobra.ExactArgs(1),
		Annotations: does(app.UserReset, app.LinkCreate),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, person, err := in.about(ctx, args[0])
				if err != nil {
					return err
				}
				if err := p.sure(yes, "Forget how "+args[0]+" signs in, and end their sessions?"); err != nil {
					return err
				}
				if err := in.app.ResetUser(ctx, who, person.UserID); err != nil {
					return err
				}
				if p.localAddress() == "" {
					if p.json {
						return p.printJSON(map[string]any{"user_id": person.UserID, "reset": true})
					}
					p.printf("reset %s\n", person.UserID)
					p.note("%s", noAddress)
					return nil
				}
				return p.printLink(ctx, in, who, person.UserID)
			})
		},
	}
	yesFlag(cmd, &yes)
	return cmd
}

func (p *program) userExportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export USER FILE", Short: "Write a person's memories with all versions as JSON lines", Args: cobra.ExactArgs(2), Annotations: does(app.Export),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.actFor(ctx, "", args[0])
				if err != nil {
					return err
				}
				return p.exportTo(ctx, in, who, args[1])
			})
		},
	}
}

func (p *program) userDeleteCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "delete USER", Short: "Delete a person with all their memories, for good", Args: cobra.ExactArgs(1), Annotations: does(app.AccountDelete),
		Long: `Delete a person for good: memories, sign-in, keys, sessions and grants. Whoever
made the org stays as long as the org does. "loci user export" first keeps a copy.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, person, err := in.about(ctx, args[0])
				if err != nil {
					return err
				}
				if err := p.sure(yes, "Delete "+args[0]+" with all their memories, for good?"); err != nil {
					return err
				}
				if err := in.app.DeleteUser(ctx, who, person.UserID); err != nil {
					return err
				}
				return p.done("deleted", person.UserID.String())
			})
		},
	}
	yesFlag(cmd, &yes)
	return cmd
}

// done says that something was done to what has this id.
func (p *program) done(what, id string) error {
	if p.json {
		return p.printJSON(map[string]any{"id": id, what: true})
	}
	p.printf("%s %s\n", what, id)
	return nil
}
