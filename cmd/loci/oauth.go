package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
)

func (p *program) oauthCommand() *cobra.Command {
	return group("oauth", "Manage OAuth clients and the access that people granted them", "",
		group("client", "Manage OAuth clients",
			`Manage OAuth clients, the programs that ask people for access. The name of a client
is self-reported and unverified. "set" binds a client to a vendor; people can then
choose no other.`, p.clientListCommand(),
			p.oneClientCommand("show ID", "Show a client", does(identity.ClientList), nil), p.clientSetCommand(),
			p.clientDeleteCommand()),
		group("grant", "Manage access that people granted", "", p.grantListCommand(), p.grantRevokeCommand()))
}

func (p *program) clientListCommand() *cobra.Command {
	return p.acting(operator, &cobra.Command{
		Use: "list", Short: "List clients, newest first", Annotations: does(identity.ClientList),
	}, func(ctx context.Context, c *call) error {
		list, err := c.app.Identity.OAuthClients(ctx, c.operator)
		return printList(p, "clients", list, err, "no clients; one appears here when an assistant connects by OAuth",
			"ID|SELF-REPORTED NAME|VENDOR|CREATED|LAST USED", func(c loci.OAuthClient) []string {
				return []string{c.ID, c.Name, string(c.Vendor), p.showTime(c.CreatedAt), p.showTime(c.LastUsedAt)}
			})
	})
}

func (in *instance) client(ctx context.Context, who loci.Principal, id string) (loci.OAuthClient, error) {
	list, err := in.app.Identity.OAuthClients(ctx, who)
	return findNamed(list, err, id, func(c loci.OAuthClient) (string, string) { return c.ID, c.ID }, "client",
		"loci oauth client list")
}

// oneClientCommand changes a client and shows the result.
func (p *program) oneClientCommand(use, short string, actions map[string]string,
	do func(context.Context, *instance, string) error) *cobra.Command {
	return p.acting(operator, &cobra.Command{
		Use: use, Short: short, Annotations: actions,
	}, onNamed((*instance).client, func(ctx context.Context, c *call, x loci.OAuthClient) (err error) {
		if do != nil {
			if err = do(ctx, c.instance, x.ID); err == nil {
				x, err = c.client(ctx, c.who, x.ID)
			}
		}
		return p.show(x, err, "id", x.ID, "name", x.Name, "vendor", string(x.Vendor), "redirects",
			strings.Join(x.RedirectURIs, " "), "uri", x.URI, "created", p.showTime(x.CreatedAt), "last used",
			p.showTime(x.LastUsedAt))
	}))
}

func (p *program) clientSetCommand() *cobra.Command {
	var vendor string
	var v loci.Vendor
	cmd := p.oneClientCommand("set ID --vendor VENDOR", "Bind a client to a vendor; \"\" lets people choose again",
		does(identity.ClientSet, identity.ClientList), func(ctx context.Context, in *instance, id string) error {
			_, err := in.app.Identity.SetClientVendor(ctx, in.operator, id, v)
			return err
		})
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		if vendor != "" {
			v, err = parseVendor("--vendor", vendor)
		}
		return err
	}
	cmd.Flags().StringVar(&vendor, "vendor", "", "claude, chatgpt, cursor, … (required)")
	_ = cmd.MarkFlagRequired("vendor")
	return cmd
}

func (p *program) clientDeleteCommand() *cobra.Command {
	return p.acting(operator|asks, &cobra.Command{
		Use: "delete ID", Short: "Delete a client and revoke all access granted to it",
		Annotations: does(identity.ClientDrop, identity.ClientList),
	}, onNamed((*instance).client, func(ctx context.Context, c *call, x loci.OAuthClient) error {
		err := p.sure(ctx, "delete", "client", x.Name)
		if err == nil {
			err = c.app.Identity.DeleteClient(ctx, c.who, x.ID)
		}
		return p.done(err, "deleted", x.ID)
	}))
}

// grants returns what people granted in an org, or everywhere, newest first in each; user limits it to one person.
func (in *instance) grants(ctx context.Context, org, user string) (out []loci.Grant, err error) {
	var person loci.Person
	if user != "" {
		if person, err = in.person(ctx, user); err != nil {
			return nil, err
		}
	}
	err = in.inOrgs(ctx, org, func(who loci.Principal) error {
		list, err := in.app.Identity.OrgGrants(ctx, who)
		for _, g := range list {
			g.OrgID = who.OrgID
			if user == "" || g.UserID == person.UserID {
				out = append(out, g)
			}
		}
		return err
	})
	return out, err
}

func (p *program) grantListCommand() *cobra.Command {
	return p.acting(onlyOf, &cobra.Command{
		Use: "list", Short: "List access that people granted to clients", Annotations: does(identity.GrantList, org.List),
	}, func(ctx context.Context, c *call) error {
		list, err := c.grants(ctx, c.actor.org, c.actor.user)
		names := c.names()
		return printList(p, "grants", list, err, "no grants",
			"CLIENT|ID|VENDOR|STATUS|SCOPES|USER|LAST USED|CREATED|ORG", func(g loci.Grant) []string {
				return []string{g.ClientName, g.ID.String(), string(g.Vendor), grantStatus(&g), joined(g.Rights),
					names.user(ctx, g.OrgID, g.UserID), p.showTime(g.LastUsedAt), p.showTime(g.CreatedAt), string(g.OrgID)}
			})
	})
}

func (p *program) grantRevokeCommand() *cobra.Command {
	const see = "loci oauth grant list"
	return onID(p, operator, "grant", see, resolveGrant, &cobra.Command{
		Use: "revoke ID", Short: "Revoke a grant with all its tokens, effective immediately",
		Annotations: does(identity.GrantRevoke, identity.GrantList, org.List),
	}, func(ctx context.Context, c *call, id loci.GrantID) error {
		list, err := c.grants(ctx, "", "")
		g, err := findNamed(list, err, id.String(), func(g loci.Grant) (string, string) { return g.ID.String(), "" }, "grant",
			see)
		if err != nil {
			return err
		}
		who, err := c.auth.LocalAs(ctx, g.OrgID, loci.UserID{})
		if err == nil {
			err = c.app.Identity.RevokeGrant(ctx, who, id)
		}
		return p.done(err, "revoked", id.String())
	})
}

var resolveGrant = among("grant", "loci oauth grant list", func(ctx context.Context, c *call) ([]loci.GrantID, error) {
	list, err := c.grants(ctx, "", "")
	return loci.Mapped(list, func(g loci.Grant) loci.GrantID { return g.ID }), err
})
