package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
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
	cmd := &cobra.Command{
		Use: use, Short: "Create a person in an org; they sign in with a link", Annotations: does(org.MemberAdd),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if orgFirst {
				orgName = args[0]
			}
			if n.Role, err = loci.ParseMemberRole(role); err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.inOrg(ctx, orgName)
				if err != nil {
					return err
				}
				u, err := in.app.Org.AddUser(ctx, who, n)
				if err == nil && !p.json {
					p.note("To let %s sign in, run: loci user link %s", u.Email, u.Email)
				}
				return p.answer(u, err, "%s", u.ID)
			})
		},
	}
	flags := cmd.Flags()
	if !orgFirst {
		flags.StringVar(&orgName, "org", "", "id of the org (default: "+string(loci.DefaultOrg)+")")
	}
	flags.StringVar(&n.Email, "email", "", "e-mail address (required)")
	flags.StringVar(&n.Name, "name", "", "name")
	flags.StringVar(&role, "role", string(loci.Member), "role in the org: owner, admin or member")
	_ = cmd.MarkFlagRequired("email")
	return cmd
}

func (p *program) userListCommand() *cobra.Command {
	var orgName string
	cmd := &cobra.Command{
		Use: "list", Short: "List people", Annotations: does(org.MemberList, org.List),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				var users []loci.User
				err := in.inOrgs(ctx, orgName, func(who loci.Principal) error {
					return in.everybody(ctx, who, func(u loci.User) error { users = append(users, u); return nil })
				})
				if err != nil {
					return err
				}
				return p.printUsers(ctx, in, users)
			})
		},
	}
	cmd.Flags().StringVar(&orgName, "org", "", "only of this org, by id")
	return cmd
}

func (p *program) printUsers(ctx context.Context, in *instance, users []loci.User) error {
	names := in.names()
	return printList(p, "users", users, "", "ID|EMAIL|NAME|ORG|ROLE|INSTANCE|TEAM|STATE|CREATED",
		func(u loci.User) []string {
			state, team := "active", names.team(ctx, u)
			if u.Disabled {
				state = "disabled"
			}
			if team != "" {
				team = string(u.TeamRole) + " of " + team
			}
			return []string{u.ID.String(), u.Email, u.Name, string(u.OrgID), string(u.OrgRole), string(u.Role), team, state,
				showTime(u.CreatedAt)}
		})
}

// onUser finds the person in the first argument and calls do for the owner of their org.
func (p *program) onUser(cmd *cobra.Command, user string,
	do func(context.Context, *instance, loci.Principal, loci.UserID) error) error {
	ctx := cmd.Context()
	return p.with(ctx, refuse, func(in *instance) error {
		who, person, err := in.about(ctx, user)
		if err != nil {
			return err
		}
		return do(ctx, in, who, person.UserID)
	})
}

// changeUser changes a person and prints the result.
func (p *program) changeUser(cmd *cobra.Command, user string,
	do func(context.Context, *instance, loci.Principal, loci.UserID) (loci.User, error)) error {
	return p.onUser(cmd, user, func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) error {
		u, err := do(ctx, in, who, id)
		if err != nil || p.json {
			return p.answer(u, err, "")
		}
		return p.printUsers(ctx, in, []loci.User{u})
	})
}

func (p *program) userRoleCommand() *cobra.Command {
	return &cobra.Command{
		Use: "role USER ROLE", Short: "Set a role on the instance: admin, private-alpha or user",
		Annotations: does(identity.UserRole),
		RunE: func(cmd *cobra.Command, args []string) error {
			role, err := loci.ParseRole(args[1])
			if err != nil {
				return err
			}
			return p.changeUser(cmd, args[0],
				func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
					return in.app.Identity.SetUserRole(ctx, who, id, role)
				})
		},
	}
}

func (p *program) userMemberCommand() *cobra.Command {
	return &cobra.Command{
		Use: "member USER ROLE", Short: "Set a role in the org: owner, admin or member", Annotations: does(org.MemberRole),
		RunE: func(cmd *cobra.Command, args []string) error {
			role, err := loci.ParseMemberRole(args[1])
			if err != nil {
				return err
			}
			return p.changeUser(cmd, args[0],
				func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) (loci.User, error) {
					return in.app.Org.SetMember(ctx, who, id, org.MemberChange{Role: &role})
				})
		},
	}
}

func (p *program) userResetCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:         "reset USER",
		Short:       "Remove a person's password and passkeys, end their sign-ins, and print a sign-in link",
		Annotations: does(identity.UserReset, identity.LinkCreate),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onUser(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) error {
				if err := p.sure(yes, "reset", "user", args[0]); err != nil {
					return err
				}
				if err := in.app.Identity.ResetUser(ctx, who, id); err != nil {
					return err
				}
				if p.localAddress() != "" {
					return p.printLink(ctx, in, who, id)
				}
				p.note("cannot make a sign-in link: %s", noAddress)
				return p.answer(map[string]any{"user_id": id, "reset": true}, nil, "reset %s", id)
			})
		},
	}
	yesFlag(cmd, &yes)
	return cmd
}

func (p *program) userExportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export USER FILE", Short: "Export a person's memories with all versions as JSON lines",
		Annotations: does(transfer.Export),
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
		Use: "delete USER", Short: "Permanently delete a person with all their memories",
		Annotations: does(identity.AccountDelete),
		Long: `Permanently delete a person: memories, sign-in methods, keys, sign-ins and grants.
The owner of an org can only be deleted with the org. To keep a copy of the
memories, first run: loci user export USER FILE.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onUser(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.UserID) error {
				if err := p.sure(yes, "delete", "user", args[0]); err != nil {
					return err
				}
				return p.done(in.app.Identity.DeleteUser(ctx, who, id), "deleted", id.String())
			})
		},
	}
	yesFlag(cmd, &yes)
	return cmd
}
