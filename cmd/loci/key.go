package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

func (p *program) keyCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "key", Short: "Make, list and revoke your own API keys", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(p.keyCreateCommand(loci.KindUser), p.keyListCommand(loci.KindUser), p.keyRevokeCommand(loci.KindUser))
	return cmd
}

func (p *program) keyCreateCommand(kind loci.Kind) *cobra.Command {
	var name, vendor, expires string
	var scopes []string
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Make a key; it is shown once",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			request, err := keyRequest(kind, name, vendor, expires, scopes)
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), create, func(in *instance) error {
				c, key, err := in.app.CreateKey(cmd.Context(), in.operator, request)
				if err != nil {
					return err
				}
				return p.printNewKey(c, key)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "what it is for, such as \"laptop\" (required)")
	flags.StringSliceVar(&scopes, "scope", nil, "limit it: memories:read, memories:write (default: everything)")
	flags.StringVar(&expires, "expires", "", "useless from then on: 90d, 12h or a time (default: never)")
	_ = cmd.MarkFlagRequired("name")
	if kind == loci.KindAgent {
		flags.StringVar(&vendor, "vendor", "", "whose key it is: claude, cursor, codex, … (required)")
		_ = cmd.MarkFlagRequired("vendor")
	}
	return cmd
}

func keyRequest(kind loci.Kind, name, vendor, expires string, scopes []string) (auth.KeyRequest, error) {
	now := time.Now()
	at, err := parseExpiry(expires, now)
	if err != nil {
		return auth.KeyRequest{}, err
	}
	r := auth.KeyRequest{Name: name, ExpiresAt: at}
	for _, s := range scopes {
		r.Rights = append(r.Rights, loci.Right(s))
	}
	if kind == loci.KindAgent {
		if r.Vendor, err = loci.ParseVendor(vendor); err != nil {
			return r, loci.FieldErrorf("--vendor", "%q is not usable: %s", cut(vendor, 60), err)
		}
	}
	return r, nil
}

// keyJSON is what is shown of a credential. Key is there once, when it is made.
type keyJSON struct {
	ID         loci.CredentialID `json:"id"`
	Kind       loci.Kind         `json:"kind"`
	Vendor     loci.Vendor       `json:"vendor,omitempty"`
	Name       string            `json:"name"`
	Prefix     string            `json:"prefix"`
	Scopes     []loci.Right      `json:"scopes"`
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
	return keyJSON{ID: c.ID, Kind: c.Kind, Vendor: c.Vendor, Name: c.Name, Prefix: c.Prefix, Scopes: scopes, Status: keyStatus(c),
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
	return &cobra.Command{
		Use:   "list",
		Short: "List keys, revoked ones too; never the keys themselves",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				keys, err := in.app.Keys(cmd.Context(), in.operator, kind)
				if err != nil {
					return err
				}
				return p.printKeys(keys, kind)
			})
		},
	}
}

func (p *program) printKeys(keys []loci.Credential, kind loci.Kind) error {
	shown := make([]keyJSON, len(keys))
	rows := make([][]string, len(keys))
	for i := range keys {
		k := showKey(&keys[i])
		shown[i] = k
		scopes := make([]string, len(k.Scopes))
		for j, s := range k.Scopes {
			scopes[j] = string(s)
		}
		rows[i] = []string{k.ID.String(), k.Name, string(k.Vendor), k.Prefix + "…", k.Status, strings.Join(scopes, ","), showTime(k.CreatedAt), showTime(k.ExpiresAt), showTime(k.LastUsedAt)}
	}
	if p.json {
		return p.printJSON(map[string]any{"keys": shown, "next_cursor": "", "has_more": false})
	}
	if len(rows) == 0 {
		p.note("no keys; make one with: %s", map[loci.Kind]string{loci.KindUser: "loci key create --name NAME",
			loci.KindAgent: "loci agent-key create --vendor VENDOR --name NAME"}[kind])
		return nil
	}
	p.printTable([]string{"ID", "NAME", "VENDOR", "KEY", "STATUS", "SCOPES", "CREATED", "EXPIRES", "LAST USED"}, rows)
	return nil
}

func (p *program) keyRevokeCommand(kind loci.Kind) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke ID",
		Short: "Make a key useless from the next request on",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var id loci.CredentialID
			if err := id.UnmarshalText([]byte(args[0])); err != nil || id.IsZero() {
				return loci.Errorf(loci.Invalid, "%q is not the id of a key; `loci %s list` shows ids", cut(args[0], 60), keyNoun(kind))
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				if err := in.app.RevokeKey(cmd.Context(), in.operator, id); err != nil {
					if loci.CodeOf(err) == loci.NotFound {
						return loci.WrapError(loci.NotFound, err, "no key %s; `loci %s list` shows ids", id, keyNoun(kind))
					}
					return err
				}
				if p.json {
					return p.printJSON(map[string]any{"id": id, "revoked": true})
				}
				p.printf("revoked %s\n", id)
				return nil
			})
		},
	}
}
