package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) keyCommand() *cobra.Command {
	return group("key", "Create, list, rotate and revoke API keys of people",
		`Create, list, rotate and revoke API keys of people: yours, or with --org and --user
those of anybody on this server. A key belongs to one person of one org.`, p.keyCommands(loci.KindUser)...)
}

func (p *program) agentKeyCommand() *cobra.Command {
	return group("agent-key", "Create, list, rotate and revoke keys of assistants",
		`Create, list, rotate and revoke keys of assistants. Each key is bound to a vendor:
that vendor is the origin of what the assistant writes, and the assistant reads only
what its vendor may see.`, p.keyCommands(loci.KindAgent)...)
}

func (p *program) keyCommands(kind loci.Kind) []*cobra.Command {
	return []*cobra.Command{p.keyCreateCommand(kind), p.keyListCommand(kind), p.keyRotateCommand(kind),
		p.keyRevokeCommand(kind)}
}

type keyFlags struct {
	auth.KeyRequest
	vendor, workspace string
	scopes, projects  []string
}

func (p *program) keyCreateCommand(kind loci.Kind) *cobra.Command {
	var f keyFlags
	cmd := p.acting(pickPerson|starts, &cobra.Command{
		Use: "create", Short: "Create a key and print it once",
		Annotations: does(identity.KeyCreate, identity.KeyList, org.WorkspaceRead, project.Read),
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if err = f.limits(cmd); err == nil && kind == loci.KindAgent {
				f.Vendor, err = parseVendor("--vendor", f.vendor)
			}
			return err
		},
	}, func(ctx context.Context, c *call) (err error) {
		if f.workspace != "" {
			w, err := c.workspace(ctx, c.who, f.workspace)
			if err != nil {
				return err
			}
			f.WorkspaceID = w.ID
		}
		for _, s := range f.scopes {
			f.Rights = append(f.Rights, loci.Right(s))
		}
		if f.ProjectIDs, err = c.projectIDs(ctx, c.who, f.projects); err != nil {
			return err
		}
		made, key, err := c.app.Identity.CreateKey(ctx, c.who, f.KeyRequest)
		if err != nil {
			return err
		}
		if err = p.printNewKey(made, key); err == nil {
			err = p.noteTwin(ctx, c, kind, made)
		}
		if err == nil && !p.json && c.actor.user == "" && c.who.OrgID != loci.DefaultOrg {
			p.note("It acts for %s, the owner of %s. To create one for somebody else, pass --user.",
				loci.OneLine(c.names().user(ctx, c.who.OrgID, c.who.UserID)), c.who.OrgID)
		}
		return err
	})
	flags := cmd.Flags()
	flags.StringVar(&f.Name, "name", "", "what the key is for, such as \"laptop\" (required)")
	rights := loci.Rights()
	if kind == loci.KindAgent {
		rights = loci.AgentRights()
	}
	flags.StringSliceVar(&f.scopes, "scope", nil,
		"limit it to "+strings.Join(loci.Texts(rights), ", ")+" (default: all)")
	flags.StringSliceVar(&f.projects, "project", nil, "limit it to this project, by name or id; may be repeated")
	flags.StringVar(&f.workspace, "workspace", "", "workspace of the key, by id or name (default: the person's first)")
	timeFlag(cmd, &f.ExpiresAt, "expires",
		"when it expires: 12h, 90d, 2026-01-31 or another time ahead (default: never)", parseFuture)
	_ = cmd.MarkFlagRequired("name")
	if kind == loci.KindAgent {
		flags.StringVar(&f.vendor, "vendor", "", "vendor of the assistant: claude, cursor, codex, … (required)")
		_ = cmd.MarkFlagRequired("vendor")
	}
	return cmd
}

// noteTwin names a valid key with the same name as a new one.
func (p *program) noteTwin(ctx context.Context, c *call, kind loci.Kind, made loci.Credential) error {
	keys, err := c.app.Identity.Keys(ctx, c.who, kind)
	if err == nil && slices.ContainsFunc(keys, func(k loci.Credential) bool {
		return k.Name == made.Name && k.ID != made.ID && keyStatus(&k) == "valid"
	}) {
		p.note("Another key is named %s, too. To replace a key, use: loci %s rotate KEY", quoted(cut(made.Name, 100)),
			keyNoun(kind))
	}
	return err
}

// limits rejects limits that are given but empty: they would limit nothing.
func (f *keyFlags) limits(cmd *cobra.Command) error {
	for flag, list := range map[string][]string{"scope": f.scopes, "project": f.projects} {
		if cmd.Flags().Changed(flag) && (len(list) == 0 || slices.Contains(list, "")) {
			return loci.FieldErrorf("--"+flag, "must not be empty; for a key without this limit, leave it out")
		}
	}
	return nil
}

// keyJSON is a credential as a program reads it. Key is set once, when the key is created.
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

func showKey(c loci.Credential) keyJSON {
	return keyJSON{ID: c.ID, OrgID: c.OrgID, UserID: c.UserID, Projects: c.ProjectIDs, Workspace: c.WorkspaceID,
		Replaces: c.Replaces, Kind: c.Kind, Vendor: c.Vendor, Name: c.Name, Prefix: c.Prefix, Scopes: loci.OrEmpty(c.Rights),
		Status: keyStatus(&c), CreatedAt: c.CreatedAt, ExpiresAt: c.ExpiresAt, RevokedAt: c.RevokedAt,
		LastUsedAt: c.LastUsedAt}
}

func keyStatus(c *loci.Credential) string { return statusOf(c.RevokedAt, c.Usable(time.Now())) }

func grantStatus(g *loci.Grant) string { return statusOf(g.RevokedAt, g.Usable(time.Now())) }

func statusOf(revoked time.Time, usable bool) string {
	switch {
	case !revoked.IsZero():
		return "revoked"
	case !usable:
		return "expired"
	}
	return "valid"
}

func (p *program) printNewKey(c loci.Credential, key loci.Secret) error {
	if p.json {
		shown := showKey(c)
		shown.Key = key.Reveal()
		return p.printJSON(shown)
	}
	p.printf("%s\n", key.Reveal())
	p.note("Loci shows the key only this once. Revoke it with: loci %s revoke %s", keyNoun(c.Kind), c.ID)
	return nil
}

func keyNoun(kind loci.Kind) string {
	if kind == loci.KindAgent {
		return "agent-key"
	}
	return "key"
}

func (p *program) keyListCommand(kind loci.Kind) *cobra.Command {
	var all bool
	cmd := p.acting(onlyOf, &cobra.Command{
		Use: "list", Short: "List keys without their secrets",
		Annotations: does(identity.KeyList, org.List, project.Read),
		Long: `List valid keys without their secrets: the owner's keys, with --org those of everybody
in an org. With --all: keys of everybody on this server, and those that are revoked or
expired.`,
	}, func(ctx context.Context, c *call) (err error) {
		of := c.actor
		var keys []loci.Credential
		if of.user == "" && (of.org != "" || all) {
			keys, err = c.keys(ctx, of.org, kind)
		} else {
			var who loci.Principal
			if who, err = c.readFor(ctx, of.org, of.user); err == nil {
				keys, err = c.app.Identity.Keys(ctx, who, kind)
			}
		}
		found := len(keys)
		if !all {
			keys = slices.DeleteFunc(keys, func(k loci.Credential) bool { return keyStatus(&k) != "valid" })
		}
		if ended := found - len(keys); ended > 0 && !p.json {
			defer p.note("%s not shown, because revoked or expired; to see all, pass --all", loci.Plural(ended, "key", "keys"))
		}
		return p.printKeys(ctx, c, keys, err, kind)
	})
	cmd.Flags().BoolVar(&all, "all", false, "keys of everybody in every org, also revoked and expired ones")
	return cmd
}

// keys returns the keys of everybody in an org, or in all, of one kind.
func (in *instance) keys(ctx context.Context, org string, kind loci.Kind) (out []loci.Credential, err error) {
	err = in.inOrgs(ctx, org, func(who loci.Principal) error {
		keys, err := in.app.Identity.OrgKeys(ctx, who)
		for _, c := range keys {
			if c.Kind == kind && c.Method == loci.ByKey {
				out = append(out, c)
			}
		}
		return err
	})
	return out, err
}

// usableName returns the id and the name of a key. A revoked or expired key has no name: its successor may have the
// same.
func usableName(k loci.Credential) (id, name string) {
	if keyStatus(&k) != "valid" {
		return k.ID.String(), ""
	}
	return k.ID.String(), k.Name
}

// onKey completes a command about a key of anybody, by its id or name.
func (p *program) onKey(kind loci.Kind, cmd *cobra.Command,
	do func(context.Context, *call, loci.Credential) error) *cobra.Command {
	return p.acting(operator, cmd, func(ctx context.Context, c *call) error {
		keys, err := c.keys(ctx, "", kind)
		if err != nil {
			return err
		}
		k, err := findNamed(keys, nil, c.args[0], usableName, "key", "loci "+keyNoun(kind)+" list --all")
		if err != nil {
			called := c.names()
			err = told(err, keys, func(k loci.Credential) (string, string) {
				return k.ID.String(), called.owner(ctx, k.OrgID, k.UserID)
			})
			return c.otherKind(ctx, kind, cmd.Name(), endedKey(keys, c.args[0], err))
		}
		return do(ctx, c, k)
	})
}

// endedKey says that the key with this name has ended, if there is one, in place of the error of a command that looked
// for one to use. Its proposal of a similar name would be another key.
func endedKey(keys []loci.Credential, name string, err error) error {
	i := slices.IndexFunc(keys, func(k loci.Credential) bool { return k.Name == name })
	if i < 0 || loci.CodeOf(err) != loci.NotFound {
		return err
	}
	return loci.WrapError(loci.NotFound, err, "the key %s is %s", quoted(cut(name, 100)), keyStatus(&keys[i]))
}

// otherKind adds the right command to the error of one that did not find its key, if a key of the other kind has that
// id or name.
func (c *call) otherKind(ctx context.Context, kind loci.Kind, command string, err error) error {
	other, what := loci.KindAgent, "the key of an assistant"
	if kind == loci.KindAgent {
		other, what = loci.KindUser, "the key of a person"
	}
	keys, failed := c.keys(ctx, "", other)
	if loci.CodeOf(err) != loci.NotFound || failed != nil {
		return err
	}
	if _, failed := findNamed(keys, nil, c.args[0], usableName, "key", ""); failed != nil {
		return err
	}
	return loci.WrapError(loci.NotFound, err, "%s is %s; run: loci %s %s %s", quoted(cut(c.args[0], 100)), what,
		keyNoun(other), command, quoted(c.args[0]))
}

func (p *program) printKeys(ctx context.Context, c *call, keys []loci.Credential, err error, kind loci.Kind) error {
	create := "loci key create --name NAME"
	if kind == loci.KindAgent {
		create = "loci agent-key create --vendor VENDOR --name NAME"
	}
	called := c.names()
	return printList(p, "keys", loci.Mapped(keys, showKey), err, "no keys; create one with: "+create,
		"NAME|ID|VENDOR|STATUS|SCOPES|PROJECTS|USER|LAST USED|EXPIRES|KEY|CREATED|ORG",
		func(k keyJSON) []string {
			return []string{
				k.Name,
				k.ID.String(),
				string(k.Vendor),
				k.Status,
				joined(k.Scopes),
				called.projectList(ctx, k.OrgID, k.Projects),
				called.owner(ctx, k.OrgID, k.UserID),
				p.showTime(k.LastUsedAt),
				p.showTime(k.ExpiresAt),
				k.Prefix + "…",
				p.showTime(k.CreatedAt),
				string(k.OrgID),
			}
		})
}

func (p *program) keyRotateCommand(kind loci.Kind) *cobra.Command {
	overlap := span(24 * time.Hour)
	cmd := p.onKey(kind, &cobra.Command{
		Use: "rotate KEY", Short: "Replace a key, by its id or name; the old one works for a while longer",
		Annotations: does(identity.KeyRotate, identity.KeyList, org.List),
	}, func(ctx context.Context, c *call, k loci.Credential) error {
		who, err := c.auth.LocalAs(ctx, k.OrgID, k.UserID)
		if err != nil {
			return err
		}
		// There, 0 means the default; here, it means none.
		next, key, err := c.app.Identity.RotateKey(ctx, who, k.ID, max(time.Duration(overlap), time.Nanosecond))
		if err != nil {
			return err
		}
		if !p.json {
			p.note("The old key, %s, works until %s at the latest.", k.ID, p.showTime(time.Now().Add(time.Duration(overlap))))
		}
		if err := p.printNewKey(next, key); err != nil || p.json || kind != loci.KindAgent {
			return err
		}
		return p.noteRotated(ctx, c.instance, &next)
	})
	cmd.Flags().Var(&overlap, "overlap", "how long the old key still works: 12h or 7d, at most 30d; 0 is not at all")
	return cmd
}

func (p *program) keyRevokeCommand(kind loci.Kind) *cobra.Command {
	return p.onKey(kind, &cobra.Command{
		Use: "revoke KEY", Short: "Revoke a key, by its id or name, effective immediately",
		Annotations: does(identity.KeyRevoke, identity.KeyList, org.List),
	}, func(ctx context.Context, c *call, k loci.Credential) error {
		who, err := c.auth.LocalAs(ctx, k.OrgID, loci.UserID{})
		if err == nil {
			err = c.app.Identity.RevokeKey(ctx, who, k.ID)
		}
		return p.done(err, "revoked", k.ID.String())
	})
}
