package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
)

func (p *program) keyCommand() *cobra.Command {
	return group("key", "Make, list, rotate and revoke API keys of people", `Make, list, rotate and revoke API keys of people: yours, or with --org and --user
those of anybody on this server. A key belongs to one person of one org.`, p.keyCommands(loci.KindUser)...)
}

func (p *program) keyCommands(kind loci.Kind) []*cobra.Command {
	return []*cobra.Command{p.keyCreateCommand(kind), p.keyListCommand(kind), p.keyRotateCommand(kind), p.keyRevokeCommand(kind)}
}

// keyFlags say what a new key is for.
type keyFlags struct {
	name, vendor, expires string
	scopes, projects      []string
	org, user, workspace  string
}

func (p *program) keyCreateCommand(kind loci.Kind) *cobra.Command {
	var f keyFlags
	cmd := &cobra.Command{
		Use: "create", Short: "Make a key; it is shown once", Args: cobra.NoArgs, Annotations: does(app.KeyCreate, app.WorkspaceRead, app.ProjectRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			request, err := f.request(kind)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.with(ctx, create, func(in *instance) error {
				who, err := in.actFor(ctx, f.org, f.user)
				if err != nil {
					return err
				}
				if f.workspace != "" {
					w, err := in.workspace(ctx, who, f.workspace)
					if err != nil {
						return err
					}
					request.WorkspaceID = w.ID
				}
				if request.ProjectIDs, err = in.projectIDs(ctx, who, f.projects); err != nil {
					return err
				}
				c, key, err := in.app.CreateKey(ctx, who, request)
				if err != nil {
					return err
				}
				if err := p.printNewKey(c, key); err != nil || p.json || f.user != "" || who.OrgID == loci.DefaultOrg {
					return err
				}
				owner, err := in.names().user(ctx, who.OrgID, who.UserID)
				if err == nil {
					p.note("It acts for %s, the owner of %s; --user names somebody else.", loci.OneLine(owner), who.OrgID)
				}
				return err
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "what it is for, such as \"laptop\" (required)")
	rights := loci.Rights()
	if kind == loci.KindAgent {
		rights = loci.AgentRights()
	}
	flags.StringSliceVar(&f.scopes, "scope", nil, "limit it: "+strings.ReplaceAll(joinRights(rights), ",", ", ")+" (default: everything)")
	flags.StringSliceVar(&f.projects, "project", nil, "limit it to this project, by name or id; may be repeated")
	flags.StringVar(&f.workspace, "workspace", "", "the workspace it is in, by id or name (default: the person's first)")
	flags.StringVar(&f.expires, "expires", "", "useless from then on: 90d, 12h or a time (default: never)")
	orgFlag(cmd, &f.org)
	userFlag(cmd, &f.user)
	_ = cmd.MarkFlagRequired("name")
	if kind == loci.KindAgent {
		flags.StringVar(&f.vendor, "vendor", "", "whose key it is: claude, cursor, codex, … (required)")
		_ = cmd.MarkFlagRequired("vendor")
	}
	return cmd
}

func (f *keyFlags) request(kind loci.Kind) (auth.KeyRequest, error) {
	at, err := parseExpiry(f.expires, time.Now())
	if err != nil {
		return auth.KeyRequest{}, err
	}
	r := auth.KeyRequest{Name: f.name, ExpiresAt: at}
	for _, s := range f.scopes {
		r.Rights = append(r.Rights, loci.Right(s))
	}
	if kind == loci.KindAgent {
		if r.Vendor, err = loci.ParseVendor(f.vendor); err != nil {
			return r, loci.FieldErrorf("--vendor", "%q is not usable: %s", cut(f.vendor, 60), err)
		}
	}
	return r, nil
}

// keyJSON is what is shown of a credential. Key is there once, when it is made.
type keyJSON struct {
	ID         loci.CredentialID `json:"id"`
	OrgID      loci.OrgID        `json:"org_id"`
	UserID     loci.UserID       `json:"user_id"`
	Kind       loci.Kind         `json:"kind"`
	Vendor     loci.Vendor       `json:"vendor,omitempty"`
	Name       string            `json:"name"`
	Prefix     string            `json:"prefix"`
	Scopes     []loci.Right      `json:"scopes"`
	Projects   []loci.ProjectID  `json:"project_ids,omitempty"`
	Workspace  loci.WorkspaceID  `json:"workspace_id,omitzero"`
	Replaces   loci.CredentialID `json:"replaces,omitzero"`
	Status     string            `json:"status"`
	CreatedAt  time.Time         `json:"created_at"`
	ExpiresAt  time.Time         `json:"expires_at,omitzero"`
	RevokedAt  time.Time         `json:"revoked_at,omitzero"`
	LastUsedAt time.Time         `json:"last_used_at,omitzero"`
	Key        string            `json:"key,omitempty"`
}

func showKey(c *loci.Credential) keyJSON {
	scopes := c.Rights
	if len(scopes) == 0 {
		scopes = []loci.Right{}
	}
	return keyJSON{ID: c.ID, OrgID: c.OrgID, UserID: c.UserID, Projects: c.ProjectIDs, Workspace: c.WorkspaceID, Replaces: c.Replaces, Kind: c.Kind, Vendor: c.Vendor, Name: c.Name, Prefix: c.Prefix, Scopes: scopes, Status: keyStatus(c),
		CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt, RevokedAt: c.RevokedAt, LastUsedAt: c.LastUsedAt}
}

func keyStatus(c *loci.Credential) string {
	switch {
	case !c.RevokedAt.IsZero():
		return "revoked"
	case !c.Usable(time.Now()):
		return "expired"
	}
	return "valid"
}

func (p *program) printNewKey(c loci.Credential, key loci.Secret) error {
	if p.json {
		shown := showKey(&c)
		shown.Key = key.Reveal()
		return p.printJSON(shown)
	}
	p.printf("%s\n", key.Reveal())
	p.note("This is the only time that the key is shown. Revoke it with: loci %s revoke %s", keyNoun(c.Kind), c.ID)
	return nil
}

func keyNoun(kind loci.Kind) string {
	if kind == loci.KindAgent {
		return "agent-key"
	}
	return "key"
}

func (p *program) keyListCommand(kind loci.Kind) *cobra.Command {
	var org, user string
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List keys, revoked ones too; never the keys themselves", Args: cobra.NoArgs, Annotations: does(app.KeyList, app.OrgList),
		Long: `List keys, revoked ones too; never the keys themselves. Without flags they are
those of the owner here, with --org those of everybody in an org, with --all
those of everybody on this server.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) (err error) {
				var keys []loci.Credential
				switch {
				case user != "" || org == "" && !all:
					who, err := in.actFor(ctx, org, user)
					if err != nil {
						return err
					}
					keys, err = in.app.Keys(ctx, who, kind)
					if err != nil {
						return err
					}
				default:
					if keys, err = in.keys(ctx, org, kind); err != nil {
						return err
					}
				}
				return p.printKeys(keys, kind)
			})
		},
	}
	cmd.Flags().StringVar(&org, "org", "", "of everybody in the org with this id")
	cmd.Flags().StringVar(&user, "user", "", "of this person, by id or e-mail")
	cmd.Flags().BoolVar(&all, "all", false, "of everybody in every org")
	return cmd
}

// keys returns the keys of everybody in an org, or in all, of one kind.
func (in *instance) keys(ctx context.Context, org string, kind loci.Kind) (out []loci.Credential, err error) {
	orgs, err := in.orgs(ctx, org)
	if err != nil {
		return nil, err
	}
	for _, o := range orgs {
		who, err := in.auth.LocalAs(ctx, o.ID, loci.UserID{})
		if err != nil {
			return nil, err
		}
		keys, err := in.app.OrgKeys(ctx, who)
		if err != nil {
			return nil, err
		}
		for _, c := range keys {
			if c.Kind == kind && c.Method == loci.ByKey {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// key finds a key of anybody by its id, and the operator who acts for them.
func (in *instance) key(ctx context.Context, kind loci.Kind, arg string) (loci.Credential, error) {
	id, err := parseID[loci.CredentialID](arg, "key", "loci "+keyNoun(kind)+" list --all")
	if err != nil {
		return loci.Credential{}, err
	}
	keys, err := in.keys(ctx, "", kind)
	if err != nil {
		return loci.Credential{}, err
	}
	for _, c := range keys {
		if c.ID == id {
			return c, nil
		}
	}
	return loci.Credential{}, loci.Errorf(loci.NotFound, "no key %s; `loci %s list --all` shows ids", id, keyNoun(kind))
}

func (p *program) printKeys(keys []loci.Credential, kind loci.Kind) error {
	shown := make([]keyJSON, len(keys))
	rows := make([][]string, len(keys))
	for i := range keys {
		k := showKey(&keys[i])
		shown[i] = k
		rows[i] = []string{k.ID.String(), k.Name, string(k.Vendor), k.Prefix + "…", k.Status, joinRights(k.Scopes), string(k.OrgID), showTime(k.CreatedAt), showTime(k.ExpiresAt), showTime(k.LastUsedAt)}
	}
	if p.json {
		return p.printJSON(page("keys", shown))
	}
	if len(rows) == 0 {
		p.note("no keys; make one with: %s", map[loci.Kind]string{loci.KindUser: "loci key create --name NAME",
			loci.KindAgent: "loci agent-key create --vendor VENDOR --name NAME"}[kind])
		return nil
	}
	p.printTable([]string{"ID", "NAME", "VENDOR", "KEY", "STATUS", "SCOPES", "ORG", "CREATED", "EXPIRES", "LAST USED"}, rows)
	return nil
}

func (p *program) keyRotateCommand(kind loci.Kind) *cobra.Command {
	var overlap time.Duration
	cmd := &cobra.Command{
		Use: "rotate ID", Short: "Make a key in the place of another, which works a while longer", Args: cobra.ExactArgs(1),
		Annotations: does(app.KeyRotate, app.KeyList, app.OrgList),
		RunE: func(cmd *cobra.Command, args []string) error {
			if overlap < 0 {
				return loci.FieldErrorf("--overlap", "must not be less than nothing")
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				c, err := in.key(ctx, kind, args[0])
				if err != nil {
					return err
				}
				who, err := in.auth.LocalAs(ctx, c.OrgID, c.UserID)
				if err != nil {
					return err
				}
				// 0 means the default there, and none at all here.
				next, key, err := in.app.RotateKey(ctx, who, c.ID, max(overlap, time.Nanosecond))
				if err != nil {
					return err
				}
				if !p.json {
					p.note("The old one, %s, works until %s at the latest.", c.ID, showTime(time.Now().Add(overlap)))
				}
				return p.printNewKey(next, key)
			})
		},
	}
	cmd.Flags().DurationVar(&overlap, "overlap", 24*time.Hour, "how long the old one still works: at most 720h")
	return cmd
}

func (p *program) keyRevokeCommand(kind loci.Kind) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "Make a key useless from the next request on", Args: cobra.ExactArgs(1),
		Annotations: does(app.KeyRevoke, app.KeyList, app.OrgList),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				c, err := in.key(ctx, kind, args[0])
				if err != nil {
					return err
				}
				who, err := in.auth.LocalAs(ctx, c.OrgID, loci.UserID{})
				if err == nil {
					err = in.app.RevokeKey(ctx, who, c.ID)
				}
				if err != nil {
					return err
				}
				return p.done("revoked", c.ID.String())
			})
		},
	}
}

func joinRights(rights []loci.Right) string {
	names := make([]string, len(rights))
	for i, r := range rights {
		names[i] = string(r)
	}
	return strings.Join(names, ",")
}

func grantStatus(g *loci.Grant) string {
	switch {
	case !g.RevokedAt.IsZero():
		return "revoked"
	case !g.Usable(time.Now()):
		return "expired"
	}
	return "valid"
}
