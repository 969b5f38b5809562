package main

import (
	"context"
	"net"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) sessionCommand() *cobra.Command {
	return group("session", "List and end browser sessions, and let people in by a link", "",
		p.sessionListCommand(), p.sessionEndCommand(), p.linkCommand("link"))
}

// sessionJSON is what is shown of a browser session.
type sessionJSON struct {
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

// sessions calls fn with the operator acting for each person whose sessions
// were asked for, and those sessions.
func (in *instance) sessions(ctx context.Context, org, user string, fn func(loci.Principal, []loci.Credential) error) error {
	one := func(who loci.Principal) error {
		list, err := in.app.Sessions(ctx, who)
		if err != nil {
			return err
		}
		return fn(who, list)
	}
	if user != "" {
		who, err := in.actFor(ctx, org, user)
		if err != nil {
			return err
		}
		return one(who)
	}
	orgs, err := in.orgs(ctx, org)
	if err != nil {
		return err
	}
	for _, o := range orgs {
		who, err := in.auth.LocalAs(ctx, o.ID, loci.UserID{})
		if err != nil {
			return err
		}
		err = in.everybody(ctx, who, func(u loci.User) error {
			if u.Disabled { // has none: disabling ended them
				return nil
			}
			person, err := in.auth.LocalAs(ctx, o.ID, u.ID)
			if err != nil {
				return err
			}
			return one(person)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *program) sessionListCommand() *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use: "list", Short: "List browser sessions", Args: cobra.NoArgs, Annotations: does(app.SessionList, app.MemberList, app.OrgList),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				var shown []sessionJSON
				err := in.sessions(ctx, org, user, func(_ loci.Principal, list []loci.Credential) error {
					for i := range list {
						c := &list[i]
						shown = append(shown, sessionJSON{ID: c.ID, OrgID: c.OrgID, UserID: c.UserID, Browser: c.Name, Status: keyStatus(c),
							CreatedAt: c.CreatedAt, ProvedAt: c.ProvedAt, LastUsedAt: c.LastUsedAt, ExpiresAt: c.ExpiresAt})
					}
					return nil
				})
				if err != nil {
					return err
				}
				return p.printSessions(ctx, in, shown)
			})
		},
	}
	cmd.Flags().StringVar(&org, "org", "", "only of the org with this id")
	cmd.Flags().StringVar(&user, "user", "", "only of this person, by id or e-mail")
	return cmd
}

func (p *program) printSessions(ctx context.Context, in *instance, shown []sessionJSON) error {
	if p.json {
		return p.printJSON(page("sessions", notNil(shown)))
	}
	if len(shown) == 0 {
		p.note("no sessions; let somebody in with: loci session link --user USER")
		return nil
	}
	names, rows := in.names(), make([][]string, len(shown))
	for i, s := range shown {
		user, err := names.user(ctx, s.OrgID, s.UserID)
		if err != nil {
			return err
		}
		rows[i] = []string{s.ID.String(), s.Browser, string(s.OrgID), user, s.Status, showTime(s.CreatedAt), showTime(s.LastUsedAt), showTime(s.ExpiresAt)}
	}
	p.printTable([]string{"ID", "BROWSER", "ORG", "USER", "STATUS", "CREATED", "LAST USED", "EXPIRES"}, rows)
	return nil
}

func (p *program) sessionEndCommand() *cobra.Command {
	var org, user string
	var all bool
	cmd := &cobra.Command{
		Use: "end ID, or end --user USER --all", Short: "End browser sessions, from the next request on", Args: cobra.MaximumNArgs(1),
		Annotations: does(app.SessionEnd, app.SessionList, app.MemberList, app.OrgList),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case all && (user == "" || len(args) > 0):
				return usagef("--all goes with --user and without an id")
			case !all && len(args) == 0:
				return usagef("say which session by its id, or --user USER --all; `loci session list` shows ids")
			case all:
				return p.endSessions(cmd.Context(), org, user)
			}
			id, err := parseID[loci.CredentialID](args[0], "session", "loci session list")
			if err != nil {
				return err
			}
			return p.endSession(cmd.Context(), org, user, id)
		},
	}
	cmd.Flags().StringVar(&org, "org", "", "only in the org with this id")
	cmd.Flags().StringVar(&user, "user", "", "only of this person, by id or e-mail")
	cmd.Flags().BoolVar(&all, "all", false, "every session of --user")
	return cmd
}

func (p *program) endSession(ctx context.Context, org, user string, id loci.CredentialID) error {
	return p.with(ctx, refuse, func(in *instance) error {
		found := false
		err := in.sessions(ctx, org, user, func(who loci.Principal, list []loci.Credential) error {
			for i := range list {
				if list[i].ID == id {
					found = true
					return in.app.EndSession(ctx, who, id)
				}
			}
			return nil
		})
		if err == nil && !found {
			err = loci.Errorf(loci.NotFound, "no session %s; `loci session list` shows ids", id)
		}
		if err != nil {
			return err
		}
		return p.done("ended", id.String())
	})
}

func (p *program) endSessions(ctx context.Context, org, user string) error {
	return p.with(ctx, refuse, func(in *instance) error {
		who, err := in.actFor(ctx, org, user)
		if err != nil {
			return err
		}
		n, err := in.app.EndOtherSessions(ctx, who) // the operator is in none
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(map[string]any{"user_id": who.UserID, "ended": n})
		}
		p.printf("sessions ended: %d\n", n)
		return nil
	})
}

// linkCommand is `session link [--user USER]` and `user link USER`.
func (p *program) linkCommand(use string) *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use: use, Short: "Print a link that lets a person in once, within 15 minutes", Args: cobra.NoArgs, Annotations: does(app.LinkCreate),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				user = args[0]
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				if p.localAddress() == "" {
					return loci.Errorf(loci.Unavailable, "%s", noAddress)
				}
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				return p.printLink(ctx, in, who, who.UserID)
			})
		},
	}
	if use == "link" {
		orgFlag(cmd, &org)
		userFlag(cmd, &user)
	} else {
		cmd.Args = cobra.ExactArgs(1)
	}
	return cmd
}

const noAddress = "The address of the server is not known here: set LOCI_PUBLIC_URL."

// printLink makes a one-time link and shows it, on standard output only.
func (p *program) printLink(ctx context.Context, in *instance, who loci.Principal, user loci.UserID) error {
	token, err := in.app.NewLink(ctx, who, user)
	if err != nil {
		return err
	}
	link := signInLink(p.localAddress(), token)
	if p.json {
		return p.printJSON(map[string]any{"user_id": user, "link": link})
	}
	p.printf("%s\n", link)
	p.note("It works once, within 15 minutes, in a browser that reaches the server there. Whoever opens it is signed in.")
	return nil
}

func signInLink(address string, token loci.Secret) string {
	return address + "/app/link?token=" + url.QueryEscape(token.Reveal())
}

// localAddress is where a browser reaches the server, as far as the settings
// say; "" if they do not. On this machine it is localhost: passkeys need a name.
func (p *program) localAddress() string {
	if p.settings.PublicURL != "" {
		return p.settings.PublicURL
	}
	host, port, err := net.SplitHostPort(p.settings.Listen)
	if err != nil || port == "0" || !isLoopbackHost(host) {
		return ""
	}
	return "http://" + net.JoinHostPort("localhost", port)
}
