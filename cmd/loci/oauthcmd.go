package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) oauthCommand() *cobra.Command {
	return group("oauth", "Look after programs that people connected, and what they granted", "",
		group("client", "Programs that ask people for access", `Programs that ask people for access. The name of a client is what it calls
itself and proves nothing; "set" binds it to a vendor, which people then cannot
choose otherwise.`, p.clientListCommand(), p.clientShowCommand(), p.clientSetCommand(), p.clientDeleteCommand()),
		group("grant", "What people granted", "", p.grantListCommand(), p.grantRevokeCommand()))
}

func (p *program) clientListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List clients, newest first", Args: cobra.NoArgs, Annotations: does(app.ClientList),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				list, err := in.app.OAuthClients(cmd.Context(), in.operator)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(page("clients", notNil(list)))
				}
				if len(list) == 0 {
					p.note("no clients; one appears here when an assistant connects by OAuth")
					return nil
				}
				rows := make([][]string, len(list))
				for i, c := range list {
					rows[i] = []string{c.ID, c.Name, string(c.Vendor), showTime(c.CreatedAt), showTime(c.LastUsedAt)}
				}
				p.printTable([]string{"ID", "CALLS ITSELF", "VENDOR", "CREATED", "LAST USED"}, rows)
				return nil
			})
		},
	}
}

// client finds an OAuth client.
func (in *instance) client(ctx context.Context, id string) (loci.OAuthClient, error) {
	list, err := in.app.OAuthClients(ctx, in.operator)
	if err != nil {
		return loci.OAuthClient{}, err
	}
	for _, c := range list {
		if c.ID == id {
			return c, nil
		}
	}
	return loci.OAuthClient{}, loci.Errorf(loci.NotFound, "no client %s; `loci oauth client list` shows ids", cut(id, 100))
}

// onClient does something to a client and shows it then.
func (p *program) onClient(cmd *cobra.Command, id string, do func(context.Context, *instance) error) error {
	ctx := cmd.Context()
	return p.with(ctx, refuse, func(in *instance) error {
		if _, err := in.client(ctx, id); err != nil {
			return err
		}
		if err := do(ctx, in); err != nil {
			return err
		}
		c, err := in.client(ctx, id)
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(c)
		}
		for _, r := range [][2]string{{"id", c.ID}, {"calls itself", c.Name}, {"vendor", string(c.Vendor)}, {"redirects", strings.Join(c.RedirectURIs, " ")},
			{"uri", c.URI}, {"created", showTime(c.CreatedAt)}, {"last used", showTime(c.LastUsedAt)}} {
			p.printf("%-12s  %s\n", r[0], loci.OneLine(r[1]))
		}
		return nil
	})
}

func (p *program) clientShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show a client", Args: cobra.ExactArgs(1), Annotations: does(app.ClientList),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onClient(cmd, args[0], func(context.Context, *instance) error { return nil })
		},
	}
}

func (p *program) clientSetCommand() *cobra.Command {
	var vendor string
	cmd := &cobra.Command{
		Use: "set ID --vendor VENDOR", Short: "Bind a client to a vendor; \"\" lets people choose again", Args: cobra.ExactArgs(1),
		Annotations: does(app.ClientSet, app.ClientList),
		RunE: func(cmd *cobra.Command, args []string) error {
			var v loci.Vendor
			if vendor != "" {
				var err error
				if v, err = loci.ParseVendor(vendor); err != nil {
					return loci.FieldErrorf("--vendor", "%q is not usable: %s", cut(vendor, 60), err)
				}
			}
			return p.onClient(cmd, args[0], func(ctx context.Context, in *instance) error {
				return in.app.SetClientVendor(ctx, in.operator, args[0], v)
			})
		},
	}
	cmd.Flags().StringVar(&vendor, "vendor", "", "claude, chatgpt, cursor, … (required)")
	_ = cmd.MarkFlagRequired("vendor")
	return cmd
}

func (p *program) clientDeleteCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use: "delete ID", Short: "Delete a client and end all that people granted it", Args: cobra.ExactArgs(1),
		Annotations: does(app.ClientDrop, app.ClientList),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				c, err := in.client(ctx, args[0])
				if err != nil {
					return err
				}
				if err := p.sure(yes, "Delete the client "+cut(c.Name, 60)+" and end all that people granted it?"); err != nil {
					return err
				}
				if err := in.app.DeleteClient(ctx, in.operator, c.ID); err != nil {
					return err
				}
				return p.done("deleted", c.ID)
			})
		},
	}
	yesFlag(cmd, &yes)
	return cmd
}

// grants returns what was granted in an org, or everywhere, newest first in
// each, and of one person if one is named.
func (in *instance) grants(ctx context.Context, org, user string) (out []loci.Grant, err error) {
	var person loci.Person
	if user != "" {
		if person, err = in.person(ctx, user); err != nil {
			return nil, err
		}
	}
	orgs, err := in.orgs(ctx, org)
	if err != nil {
		return nil, err
	}
	for _, o := range orgs {
		who, err := in.auth.LocalAs(ctx, o.ID, loci.UserID{})
		if err != nil {
			return nil, err
		}
		list, err := in.app.OrgGrants(ctx, who)
		if err != nil {
			return nil, err
		}
		for _, g := range list {
			g.OrgID = o.ID
			if user == "" || g.UserID == person.UserID {
				out = append(out, g)
			}
		}
	}
	return out, nil
}

func (p *program) grantListCommand() *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use: "list", Short: "List what people granted to clients", Args: cobra.NoArgs, Annotations: does(app.GrantList, app.OrgList),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				list, err := in.grants(cmd.Context(), org, user)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(page("grants", notNil(list)))
				}
				if len(list) == 0 {
					p.note("no grants")
					return nil
				}
				names, rows := in.names(), make([][]string, len(list))
				for i, g := range list {
					granted, err := names.user(cmd.Context(), g.OrgID, g.UserID)
					if err != nil {
						return err
					}
					rows[i] = []string{g.ID.String(), g.ClientName, string(g.Vendor), joinRights(g.Rights), string(g.OrgID), granted, grantStatus(&g), showTime(g.CreatedAt), showTime(g.LastUsedAt)}
				}
				p.printTable([]string{"ID", "CLIENT", "VENDOR", "SCOPES", "ORG", "USER", "STATUS", "CREATED", "LAST USED"}, rows)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&org, "org", "", "only of the org with this id")
	cmd.Flags().StringVar(&user, "user", "", "only of this person, by id or e-mail")
	return cmd
}

func (p *program) grantRevokeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "End a grant with all its tokens, from the next request on", Args: cobra.ExactArgs(1),
		Annotations: does(app.GrantRevoke, app.GrantList, app.OrgList),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseID[loci.GrantID](args[0], "grant", "loci oauth grant list")
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				list, err := in.grants(ctx, "", "")
				if err != nil {
					return err
				}
				for _, g := range list {
					if g.ID != id {
						continue
					}
					who, err := in.auth.LocalAs(ctx, g.OrgID, g.UserID)
					if err != nil {
						return err
					}
					if err := in.app.RevokeGrant(ctx, who, id); err != nil {
						return err
					}
					return p.done("revoked", id.String())
				}
				return loci.Errorf(loci.NotFound, "no grant %s; `loci oauth grant list` shows ids", id)
			})
		},
	}
}
