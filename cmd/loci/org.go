package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/transfer"
)

func (p *program) orgCommand() *cobra.Command {
	return group("org", "Manage orgs, the tenants of a server",
		`Manage orgs. Each has its own people, teams, keys and memories, and sees nothing of
the others. A laptop requires only its first one. ORG is an id or a name.`,
		p.orgCreateCommand(), p.orgListCommand(),
		p.oneOrgCommand("show ORG", "Show an org", org.List, nil),
		p.oneOrgCommand("rename ORG NAME", "Rename an org; its id stays", org.Change,
			func(ctx context.Context, c *call) error {
				_, err := c.app.Org.Rename(ctx, c.who, c.args[1])
				return err
			}),
		p.orgSuspendCommand(), p.orgSetCommand(), p.orgHoldCommand(), p.orgTransferCommand(),
		p.addUserCommand("add-user ORG", true), p.orgAddArcCommand(), p.orgShowArcCommand(), p.orgUpdateArcCommand(),
		p.orgRemoveArcCommand(), p.orgExportCommand(), p.orgDeleteCommand())
}

func (p *program) orgCreateCommand() *cobra.Command {
	var n org.Draft
	cmd := p.acting(operator|starts, &cobra.Command{
		Use: "create NAME", Short: "Create an org with its first owner", Annotations: does(org.Create),
		Example: `  loci org create "Acme Ltd" --id acme --owner-email mara@acme.example`,
	}, func(ctx context.Context, c *call) error {
		n.Name = c.args[0]
		o, owner, err := c.app.Org.Create(ctx, c.who, n)
		if err == nil && !p.json {
			p.note("To let the owner sign in, run: loci user link %s", owner.Email)
			p.note("It starts empty. To share the memories of your own org, add people there: loci user create --email ADDRESS")
		}
		return p.answer(map[string]any{"org": p.showOrg(o), "owner": owner}, err, "created org %s (%s), owned by %s", o.ID,
			loci.OneLine(o.Name), owner.Email)
	})
	flags := cmd.Flags()
	flags.StringVar(&n.OwnerEmail, "owner-email", "", "e-mail address of the first owner (required)")
	flags.StringVar(&n.OwnerName, "owner-name", "", "name of the first owner")
	flags.StringVar((*string)(&n.ID), "id", "",
		"short name that never changes: a-z, 0-9 and '-' (default: derived from NAME)")
	_ = cmd.MarkFlagRequired("owner-email")
	return cmd
}

func (p *program) orgListCommand() *cobra.Command {
	return p.acting(operator, &cobra.Command{
		Use: "list", Short: "List all orgs", Annotations: does(org.List),
	}, func(ctx context.Context, c *call) error {
		orgs, err := c.app.Org.List(ctx, c.operator)
		return printList(p, "orgs", loci.Mapped(orgs, p.showOrg), err, "no orgs", "NAME|ID|STATE|DELETION|WORKSPACES|CREATED",
			func(o orgJSON) []string {
				return []string{o.Name, string(o.ID), string(o.State), p.deletionOf(o.Org), onOff(o.Workspaces),
					p.showTime(o.CreatedAt)}
			})
	})
}

// orgJSON is an org as a program reads it, with the deletion rule that takes effect if the org sets none.
type orgJSON struct {
	loci.Org
	DeletionEffective loci.Deletion `json:"deletion_effective"`
	OwnerEmail        string        `json:"owner_email,omitempty"` // of one org
}

func (p *program) showOrg(o loci.Org) orgJSON {
	return orgJSON{Org: o, DeletionEffective: cmp.Or(o.Deletion, p.settings.Deletion)}
}

func (p *program) deletionOf(o loci.Org) string {
	if o.Deletion != "" {
		return string(o.Deletion)
	}
	return string(p.settings.Deletion) + " (default)"
}

func (p *program) eventsText(o loci.Org) string {
	if o.Events != "" {
		return string(o.Events)
	}
	return string(p.settings.Events) + " (default)"
}

// inOrgCommand completes a command that acts for the owner of the org in its first argument.
func (p *program) inOrgCommand(which picks, cmd *cobra.Command, do func(context.Context, *call) error) *cobra.Command {
	return p.acting(which, cmd, func(ctx context.Context, c *call) (err error) {
		if c.who, err = c.inOrg(ctx, c.args[0]); err != nil {
			return err
		}
		return do(ctx, c)
	})
}

// oneOrgCommand does something in the org of its first argument, and prints the org.
func (p *program) oneOrgCommand(use, short string, act gate.Action, do func(context.Context,
	*call) error) *cobra.Command {
	return p.inOrgCommand(operator, &cobra.Command{
		Use: use, Short: short, Annotations: does(act),
	}, func(ctx context.Context, c *call) error {
		if do != nil {
			if err := do(ctx, c); err != nil {
				return err
			}
		}
		o, err := c.app.Org.Show(ctx, c.operator, c.who.OrgID)
		if err != nil {
			return err
		}
		shown := p.showOrg(o)
		if owner, err := c.store.People().ByID(ctx, o.OwnerID); err == nil { // who may have no address
			shown.OwnerEmail = owner.Email
		}
		return p.show(shown, nil, "id", string(o.ID), "name", o.Name, "state", string(o.State),
			"owner", shown.OwnerEmail, "owner id", o.OwnerID.String(), "deletion", p.deletionOf(o),
			"workspaces", onOff(o.Workspaces), "events", p.eventsText(o), "events kept", p.keptText(o),
			"legal hold", onOff(o.Hold), "files", filesOf(o.Assets),
			"created", p.showTime(o.CreatedAt))
	})
}

func (p *program) orgSuspendCommand() *cobra.Command {
	var undo bool
	cmd := p.oneOrgCommand("suspend ORG", "Suspend an org: reject its requests, keep its data", org.Suspend,
		func(ctx context.Context, c *call) error {
			_, err := c.app.Org.Suspend(ctx, c.operator, c.who.OrgID, !undo)
			return err
		})
	cmd.Flags().BoolVar(&undo, "undo", false, "end the suspension")
	return cmd
}

func (p *program) orgSetCommand() *cobra.Command {
	var s org.Settings
	cmd := p.oneOrgCommand("set ORG SETTING=VALUE…", "Set an org's deletion rule, workspaces, events and file limits",
		org.Set,
		func(ctx context.Context, c *call) error {
			if err := p.agreedToShorten(ctx, c, s.Retention); err != nil {
				return err
			}
			_, err := c.app.Org.Set(ctx, c.who, s)
			if err == nil && s.Events != nil {
				err = p.noteNoArc(ctx, c)
			}
			return err
		})
	p.yesFlag(cmd)
	cmd.Annotations = does(org.Set, org.List, org.ArcRead)
	cmd.PreRunE = func(_ *cobra.Command, args []string) (err error) {
		s, err = orgSettings(args[1:])
		return err
	}
	cmd.Example = `  loci org set acme deletion=api_key workspaces=on`
	cmd.Long = `Set what applies to everybody in an org:

  deletion=step_up   deleting requires a browser sign-in with a fresh proof of identity
  deletion=api_key   a person's API key is enough, and an agent may trash what it wrote
  workspaces=on      limit every read to the active workspace. Loci creates the first
                     workspace if there is none, and moves people and memories without
                     a workspace into it
  workspaces=off     do not limit reads
  events=embedded    keep its events in files of the data directory
  events=arc         send its events to its Arc; see "loci org add-arc". Events that
                     are stored already stay where they are
  events_retention=365d,tool_call=30d,decision=forever
                     how long events are kept, by their time: first those whose type
                     has no rule, then single types (default: forever). If you
                     shorten it, the command asks first, and Loci begins to
                     delete an hour later
  asset_bytes=50MiB  the largest file that may be attached (default: 25MiB)
  asset_total=10GiB  all files of the org together (default: no limit)
  asset_types=LIST   what may be attached, such as image/*,application/pdf (default: all)

The value "default", or none, resets deletion and the settings about events and files.
Attached files stay.`
	return cmd
}

func (p *program) orgTransferCommand() *cobra.Command {
	cmd := p.oneOrgCommand("transfer ORG USER", "Transfer an org to a new owner", org.MemberRole,
		func(ctx context.Context, c *call) error {
			person, err := c.memberOf(ctx, c.who, c.args[1])
			if err == nil {
				_, err = c.app.Org.SetMember(ctx, c.who, person.UserID, org.MemberChange{Transfer: true})
			}
			return err
		})
	cmd.Long = `Transfer an org to one of its people. The new owner cannot leave the org, and
commands without --user act for them.`
	return cmd
}

func orgSettings(args []string) (s org.Settings, err error) {
	for _, arg := range args {
		name, value, err := splitSetting(arg, "deletion=api_key")
		if err != nil {
			return s, err
		}
		switch {
		case name == "deletion":
			var d loci.Deletion
			if !isDefault(value) {
				d, err = loci.ParseDeletion(value)
			}
			s.Deletion = &d
		case name == "workspaces":
			var on bool
			on, err = parseOnOff(name, value)
			s.Workspaces = &on
		case name == "events":
			var e loci.EventStore
			if !isDefault(value) {
				e, err = loci.ParseEventStore(value)
			}
			s.Events = &e
		case name == "events_retention":
			if s.Retention, err = parseRetention(value); err == nil {
				err = s.Retention.Validate(name)
			}
		default:
			err = assetSetting(&s.Assets, name, value)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

func assetSetting(s *org.AssetSettings, name, value string) (err error) {
	var bytes int64
	switch name {
	case "asset_types":
		types, err := assetTypes(value)
		s.MediaTypes = &types
		return err
	case "asset_bytes":
		s.MaxBytes = &bytes
	case "asset_total":
		s.TotalBytes = &bytes
	default:
		return usagef("unknown setting %q; use deletion, workspaces, events, events_retention, asset_bytes, asset_total or "+
			"asset_types", cut(name, 60))
	}
	if !isDefault(value) {
		bytes, err = loci.ParseBytes(name, value)
	}
	return err
}

func isDefault(value string) bool { return value == "default" || value == "" }

// assetTypes reads a list of media types; the empty list means all.
func assetTypes(value string) ([]string, error) {
	if isDefault(value) || value == "*" || value == "*/*" {
		return []string{}, nil
	}
	rules := loci.AssetRules{MediaTypes: strings.Split(value, ",")}
	if err := rules.Validate("assets"); err != nil {
		_, wrong, _ := strings.Cut(err.Error(), " ")
		return nil, loci.FieldErrorf("asset_types", "%s; use default to allow everything", wrong)
	}
	return rules.MediaTypes, nil
}

// filesOf describes what an org allows as attachments.
func filesOf(r loci.AssetRules) string {
	text := "up to " + loci.ShowBytes(r.Largest())
	if r.TotalBytes != 0 {
		text += ", " + loci.ShowBytes(r.TotalBytes) + " in total"
	}
	if len(r.MediaTypes) > 0 {
		text += ", " + strings.Join(r.MediaTypes, " ")
	}
	return text
}

func (p *program) orgExportCommand() *cobra.Command {
	return p.inOrgCommand(operator, &cobra.Command{
		Use: "export ORG DIR", Short: "Copy everything in an org into an empty directory",
		Annotations: does(transfer.Export),
		Long: `Copy everything in an org, as of one moment, into a directory that is empty or
missing. A server may run meanwhile. ` + whoCanRead + ` It is not
a backup: Loci cannot import it. The copy has no keys, sign-ins or grants, but it has
the hashes of passwords.`,
	}, func(ctx context.Context, c *call) error {
		return p.answer(map[string]any{"org_id": c.who.OrgID, "directory": c.args[1]}, p.exportOrg(ctx, c, c.args[1]),
			"exported %s to %s", c.who.OrgID, c.args[1])
	})
}

func (p *program) exportOrg(ctx context.Context, c *call, dir string) error {
	return p.follow(ctx, func(ctx context.Context) error { return c.app.Org.Export(ctx, c.who, dir) })
}

func (p *program) orgDeleteCommand() *cobra.Command {
	var dir string
	var without bool
	cmd := p.inOrgCommand(operator|asks, &cobra.Command{
		Use: "delete ORG", Short: "Permanently delete an org with its people, keys, memories and files",
		Annotations: does(org.Delete, transfer.Export),
		Long: `Permanently delete an org with its people, keys, sign-ins, grants, memories and
files, and print a receipt. Nobody can use its id again. Pass --export to keep a
copy, or --no-export. Earlier backups still contain the org.`,
		Example: `  loci org delete acme --export ./acme-copy`,
		PreRunE: func(*cobra.Command, []string) error {
			if (dir == "") == !without {
				return usagef("specify --export DIR for a copy, or --no-export")
			}
			return nil
		},
	}, func(ctx context.Context, c *call) error {
		if err := p.sure(ctx, "delete", "org", string(c.who.OrgID)); err != nil {
			return err
		}
		if dir != "" {
			if err := p.exportOrg(ctx, c, dir); err != nil {
				return err
			}
		}
		r, err := followed(ctx, p, func(ctx context.Context) (store.Receipt, error) {
			return c.app.Org.Delete(ctx, c.who, string(c.who.OrgID))
		})
		return p.answer(r, err, "%s", receiptText(r))
	})
	cmd.Flags().StringVar(&dir, "export", "", "first copy the org into this directory")
	cmd.Flags().BoolVar(&without, "no-export", false, "make no copy")
	return cmd
}

func receiptText(r store.Receipt) string {
	return "deleted " + string(r.OrgID) + " at " + r.DeletedAt.UTC().Format("2006-01-02T15:04:05Z") + ": " +
		loci.Plural(r.Users, "person", "people") + ", " + loci.Plural(r.Memories, "memory", "memories") + ", " +
		loci.Plural(r.Projects, "project", "projects") + ", " +
		loci.Plural(r.Credentials, "key, sign-in or link", "keys, sign-ins and links") + ", " +
		loci.Plural(r.Files-r.Attachments, "database file", "database files") + ", " +
		loci.Plural(r.Attachments, "attachment", "attachments")
}
