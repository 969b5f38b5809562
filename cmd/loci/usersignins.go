package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
)

func (p *program) userSignInsCommand() *cobra.Command {
	return group("sign-ins", "List and end sign-ins of browsers", "", p.signInListCommand(), p.signInEndCommand())
}

type signInJSON struct {
	ID         loci.CredentialID `json:"id"`
	OrgID      loci.OrgID        `json:"org_id"`
	UserID     loci.UserID       `json:"user_id"`
	Browser    string            `json:"browser"`
	Status     string            `json:"status"`
	CreatedAt  time.Time         `json:"created_at"`
	ProvedAt   time.Time         `json:"proved_at,omitzero"`
	LastUsedAt time.Time         `json:"last_used_at,omitzero"`
	ExpiresAt  time.Time         `json:"expires_at,omitzero"`
}

// signIns calls fn with the operator acting for each person asked for, and that person's sign-ins.
func (in *instance) signIns(ctx context.Context, org, user string,
	fn func(loci.Principal, []loci.Credential) error) error {
	one := func(who loci.Principal, err error) error {
		if err != nil {
			return err
		}
		list, err := in.app.Identity.SignIns(ctx, who)
		if err != nil {
			return err
		}
		return fn(who, list)
	}
	if user != "" {
		return one(in.readFor(ctx, org, user))
	}
	users, err := in.everybody(ctx, org)
	for _, u := range users {
		if err == nil && !u.Disabled { // disabling ended them
			err = one(in.auth.LocalAs(ctx, u.OrgID, u.ID))
		}
	}
	return err
}

func (p *program) signInListCommand() *cobra.Command {
	return p.acting(onlyOf, &cobra.Command{
		Use: "list", Short: "List sign-ins of browsers", Annotations: does(identity.SignInList, org.MemberList, org.List),
	}, func(ctx context.Context, c *call) error {
		var shown []signInJSON
		err := c.signIns(ctx, c.actor.org, c.actor.user, func(_ loci.Principal, list []loci.Credential) error {
			for _, s := range list {
				shown = append(shown, signInJSON{ID: s.ID, OrgID: s.OrgID, UserID: s.UserID, Browser: s.Name,
					Status: keyStatus(&s), CreatedAt: s.CreatedAt, ProvedAt: s.ProvedAt, LastUsedAt: s.LastUsedAt,
					ExpiresAt: s.ExpiresAt})
			}
			return nil
		})
		names := c.names()
		return printList(p, "sign_ins", shown, err, "no sign-ins; print a sign-in link with: loci user link USER",
			"BROWSER|ID|USER|STATUS|LAST USED|CREATED|EXPIRES|ORG", func(s signInJSON) []string {
				return []string{s.Browser, s.ID.String(), names.user(ctx, s.OrgID, s.UserID), s.Status,
					p.showTime(s.LastUsedAt), p.showTime(s.CreatedAt), p.showTime(s.ExpiresAt), string(s.OrgID)}
			})
	})
}

func (p *program) signInEndCommand() *cobra.Command {
	var all bool
	cmd := p.acting(onlyOf, &cobra.Command{
		Use: "end ID, or end --user USER --all", Short: "End sign-ins of browsers, effective immediately",
		Args: cobra.MaximumNArgs(1), Annotations: does(identity.SignInEnd, identity.SignInList, org.MemberList, org.List),
		PreRunE: func(cmd *cobra.Command, args []string) (err error) {
			switch {
			case all && (cmd.Flag("user").Value.String() == "" || len(args) > 0):
				return usagef("--all requires --user and no ID")
			case !all && len(args) == 0:
				return usagef("specify a sign-in by its ID, or --user USER --all; see `loci user sign-ins list`")
			case !all:
				err = checkID(args[0], "sign-in", seeSignIns)
			}
			return err
		},
	}, func(ctx context.Context, c *call) error {
		if all {
			return p.endSignIns(ctx, c)
		}
		return p.endSignIn(ctx, c, c.args[0])
	})
	cmd.Flags().BoolVar(&all, "all", false, "end every sign-in of --user")
	return cmd
}

const seeSignIns = "loci user sign-ins list"

func (p *program) endSignIn(ctx context.Context, c *call, s string) error {
	of := map[loci.CredentialID]loci.Principal{}
	var ids []loci.CredentialID
	err := c.signIns(ctx, c.actor.org, c.actor.user, func(who loci.Principal, list []loci.Credential) error {
		for i := range list {
			of[list[i].ID] = who
			ids = append(ids, list[i].ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	id, err := beginning(ids, s, "sign-in", seeSignIns)
	if err == nil {
		err = c.app.Identity.EndSignIn(ctx, of[id], id)
	}
	return p.done(err, "ended", id.String())
}

func (p *program) endSignIns(ctx context.Context, c *call) error {
	who, err := c.actFor(ctx, c.actor.org, c.actor.user)
	if err != nil {
		return err
	}
	n, err := c.app.Identity.EndOtherSignIns(ctx, who) // the operator is in none
	return p.answer(map[string]any{"user_id": who.UserID, "ended": n}, err, "ended %s",
		loci.Plural(n, "sign-in", "sign-ins"))
}

func (p *program) userLinkCommand() *cobra.Command {
	return p.acting(operator, &cobra.Command{
		Use: "link [USER]", Short: "Print a link that signs a person in once, within 15 minutes",
		Annotations: does(identity.LinkCreate),
		Long: `Print a link that signs a person in once, within 15 minutes: USER, or the owner of
this machine's memories.`,
	}, func(ctx context.Context, c *call) error {
		if p.signInServer().URL == "" {
			return fmt.Errorf("cannot make a link: %s", p.noPages())
		}
		who, err := c.actFor(ctx, "", first(c.args))
		if err != nil {
			return err
		}
		return p.printLink(ctx, c.instance, who, who.UserID)
	})
}

// noPages tells why there is no address at which people can sign in.
func (p *program) noPages() string {
	if p.settings.isPlain() {
		return "browsers cannot sign in at " + p.settings.PublicURL + ", because it is not https"
	}
	return "the address of the server is unknown; set LOCI_PUBLIC_URL"
}

// printLink makes a one-time link and prints it, on standard output only.
func (p *program) printLink(ctx context.Context, in *instance, who loci.Principal, user loci.UserID) error {
	token, err := in.app.Identity.NewLink(ctx, who, user)
	if err != nil {
		return err
	}
	server := p.signInServer()
	link := signInLink(server.URL, token)
	p.noteNotRunning(ctx, server)
	if err := p.answer(map[string]any{"user_id": user, "link": link}, nil, "%s", link); err != nil || p.json {
		return err
	}
	p.note("The link signs in anyone who opens it. It works once, within 15 minutes.")
	return nil
}

func signInLink(address string, token loci.Secret) string {
	return address + "/app/link?token=" + url.QueryEscape(token.Reveal())
}
