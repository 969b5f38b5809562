package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/store"
)

func (p *program) orgCommand() *cobra.Command {
	return group("org", "Make and look after orgs, the tenants of a server", `Make and look after orgs. Each has people, teams, keys and memories of its own;
nothing of one can be seen from another. A laptop needs none but its first.`,
		p.orgCreateCommand(), p.orgListCommand(), p.orgShowCommand(), p.orgRenameCommand(), p.orgSuspendCommand(), p.orgSetCommand(), p.orgTransferCommand(),
		p.addUserCommand("add-user ORG", true), p.orgExportCommand(), p.orgDeleteCommand())
}

func (p *program) orgCreateCommand() *cobra.Command {
	var n app.NewOrg
	var id string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make an org with its first owner", Args: cobra.ExactArgs(1), Annotations: does(app.OrgCreate),
		Example: `  loci org create "Acme Ltd" --id acme --owner-email mara@acme.example`,
		RunE: func(cmd *cobra.Command, args []string) error {
			n.ID, n.Name = loci.OrgID(id), args[0]
			return p.with(cmd.Context(), create, func(in *instance) error {
				o, owner, err := in.app.CreateOrg(cmd.Context(), in.operator, n)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(map[string]any{"org": p.showOrg(o), "owner": owner})
				}
				p.printf("%s\n", o.ID)
				p.note("The owner is %s, %s. Let them in with: loci user link %s", owner.ID, owner.Email, owner.Email)
				return nil
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&n.OwnerEmail, "owner-email", "", "of the first owner (required)")
	flags.StringVar(&n.OwnerName, "owner-name", "", "of the first owner")
	flags.StringVar(&id, "id", "", "a short name that never changes: a-z, 0-9 and '-' (default: made from NAME)")
	_ = cmd.MarkFlagRequired("owner-email")
	return cmd
}

func (p *program) orgListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all orgs", Args: cobra.NoArgs, Annotations: does(app.OrgList),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				orgs, err := in.app.Orgs(cmd.Context(), in.operator)
				if err != nil {
					return err
				}
				if p.json {
					shown := make([]orgJSON, len(orgs))
					for i, o := range orgs {
						shown[i] = p.showOrg(o)
					}
					return p.printJSON(page("orgs", shown))
				}
				rows := make([][]string, len(orgs))
				for i, o := range orgs {
					rows[i] = []string{string(o.ID), o.Name, string(o.State), p.deletionOf(o), onOff(o.Workspaces), showTime(o.CreatedAt)}
				}
				p.printTable([]string{"ID", "NAME", "STATE", "DELETION", "WORKSPACES", "CREATED"}, rows)
				return nil
			})
		},
	}
}

// orgJSON is what is shown of an org: also what holds where it says nothing.
type orgJSON struct {
	loci.Org
	DeletionEffective loci.Deletion `json:"deletion_effective"`
}

func (p *program) showOrg(o loci.Org) orgJSON {
	return orgJSON{o, cmp.Or(o.Deletion, p.settings.Deletion)}
}

func (p *program) deletionOf(o loci.Org) string {
	if o.Deletion != "" {
		return string(o.Deletion)
	}
	return string(p.settings.Deletion) + " (default)"
}

func (p *program) orgShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show ORG", Short: "Show an org", Args: cobra.ExactArgs(1), Annotations: does(app.OrgList),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeOrg(cmd, args[0], func(_ context.Context, _ *instance, _ loci.Principal) error { return nil })
		},
	}
}

// changeOrg does something in an org and shows the org then.
func (p *program) changeOrg(cmd *cobra.Command, org string, do func(context.Context, *instance, loci.Principal) error) error {
	ctx := cmd.Context()
	return p.with(ctx, refuse, func(in *instance) error {
		who, err := in.inOrg(ctx, org)
		if err != nil {
			return err
		}
		if err := do(ctx, in, who); err != nil {
			return err
		}
		o, err := in.app.ShowOrg(ctx, in.operator, who.OrgID)
		if err != nil {
			return err
		}
		if p.json {
			return p.printJSON(p.showOrg(o))
		}
		for _, r := range [][2]string{{"id", string(o.ID)}, {"name", o.Name}, {"state", string(o.State)}, {"owner", o.OwnerID.String()},
			{"deletion", p.deletionOf(o)}, {"workspaces", onOff(o.Workspaces)}, {"files", filesOf(o.Assets)}, {"created", showTime(o.CreatedAt)}} {
			p.printf("%-12s  %s\n", r[0], loci.OneLine(r[1]))
		}
		return nil
	})
}

func (p *program) orgRenameCommand() *cobra.Command {
	return &cobra.Command{
		Use: "rename ORG NAME", Short: "Give an org another name; its id stays", Args: cobra.ExactArgs(2), Annotations: does(app.OrgChange),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeOrg(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal) error {
				_, err := in.app.RenameOrg(ctx, who, args[1])
				return err
			})
		},
	}
}

func (p *program) orgSuspendCommand() *cobra.Command {
	var undo bool
	cmd := &cobra.Command{
		Use: "suspend ORG", Short: "Let nobody of an org in, from the next request on; its rows stay", Args: cobra.ExactArgs(1), Annotations: does(app.OrgSuspend),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeOrg(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal) error {
				_, err := in.app.SuspendOrg(ctx, in.operator, who.OrgID, !undo)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&undo, "undo", false, "let them in again")
	return cmd
}

func (p *program) orgSetCommand() *cobra.Command {
	return &cobra.Command{
		Use: "set ORG SETTING=VALUE…", Short: "Set deletion, workspaces and what may be attached", Args: cobra.MinimumNArgs(2), Annotations: does(app.OrgSet),
		Long: `Set what holds for everybody in an org:

  deletion=step_up   deleting needs a browser session with a fresh proof
  deletion=api_key   a person's API key is enough, and an agent may trash what it wrote
  workspaces=on      every read is limited to the active workspace; the first one,
                     made if there is none, takes in the people and memories
                     that are in no workspace
  workspaces=off     nothing is
  asset_bytes=50MiB  the largest file that may be attached (default: 25MiB)
  asset_total=10GiB  all files of the org together (default: no limit)
  asset_types=LIST   what may be attached, such as image/*,application/pdf (default: all)

"default" takes a setting about files back. Files that are attached already stay.`,
		Example: `  loci org set acme deletion=api_key workspaces=on`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := orgSettings(args[1:])
			if err != nil {
				return err
			}
			return p.changeOrg(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal) error {
				_, err := in.app.SetOrg(ctx, who, s)
				return err
			})
		},
	}
}

func (p *program) orgTransferCommand() *cobra.Command {
	return &cobra.Command{
		Use: "transfer ORG USER", Short: "Hand an org over: USER holds it from then on, as an owner", Args: cobra.ExactArgs(2), Annotations: does(app.MemberRole),
		Long: `Hand an org over to one of its people, who becomes an owner. Whoever holds an org
cannot leave it; commands without --user act for them.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeOrg(cmd, args[0], func(ctx context.Context, in *instance, who loci.Principal) error {
				person, err := in.person(ctx, args[1])
				if err == nil && person.OrgID != who.OrgID {
					err = loci.Errorf(loci.NotFound, "no user %s in org %s; `loci user list --org %s` shows who is", cut(args[1], 100), who.OrgID, who.OrgID)
				}
				if err == nil {
					_, err = in.app.SetMember(ctx, who, person.UserID, app.MemberChange{Transfer: true})
				}
				return err
			})
		},
	}
}

func orgSettings(args []string) (s app.OrgSettings, err error) {
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		switch {
		case !ok:
			return s, usagef("%q is not SETTING=VALUE, like deletion=api_key", cut(arg, 60))
		case name == "deletion":
			d, err := loci.ParseDeletion(value)
			if err != nil {
				return s, err
			}
			s.Deletion = &d
		case name == "workspaces" && (value == "on" || value == "off"):
			on := value == "on"
			s.Workspaces = &on
		case name == "workspaces":
			return s, loci.FieldErrorf("workspaces", "must be on or off")
		case strings.HasPrefix(name, "asset_"):
			if err := assetSetting(&s.Assets, name, value); err != nil {
				return s, err
			}
		default:
			return s, errNoSetting(name)
		}
	}
	return s, nil
}

func errNoSetting(name string) error {
	return usagef("there is no setting %q; there are deletion, workspaces, asset_bytes, asset_total and asset_types", cut(name, 60))
}

// assetSetting reads one setting about files.
func assetSetting(s *app.AssetSettings, name, value string) (err error) {
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
		return errNoSetting(name)
	}
	if value != "default" {
		bytes, err = parseBytes(name, value)
	}
	return err
}

// assetTypes reads a list of media types; what stands for all of them is none.
func assetTypes(value string) ([]string, error) {
	switch value {
	case "default", "", "*", "*/*":
		return []string{}, nil
	}
	rules := loci.AssetRules{MediaTypes: strings.Split(value, ",")}
	if err := rules.Validate("assets"); err != nil {
		_, wrong, _ := strings.Cut(err.Error(), " ")
		return nil, loci.FieldErrorf("asset_types", "%s; default takes everything", wrong)
	}
	return rules.MediaTypes, nil
}

// filesOf says what an org takes as attachments.
func filesOf(r loci.AssetRules) string {
	text := "up to " + showBytes(r.Largest())
	if r.TotalBytes != 0 {
		text += ", " + showBytes(r.TotalBytes) + " together"
	}
	if len(r.MediaTypes) > 0 {
		text += ", " + strings.Join(r.MediaTypes, " ")
	}
	return text
}

func (p *program) orgExportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "export ORG DIR", Short: "Copy everything that an org has into an empty directory", Args: cobra.ExactArgs(2), Annotations: does(app.Export),
		Long: `Copy everything that an org has, of one moment, as files into a directory that
is empty or not there. It may be done while a server runs. The copy is for
keeping, handing over and reading with any SQLite program; no Loci takes it in
again, so it is no backup. Keys, sessions and grants are not in it; hashes of
passwords are.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.inOrg(ctx, args[0])
				if err != nil {
					return err
				}
				if err := p.exportOrg(ctx, in, who, args[1]); err != nil {
					return err
				}
				if p.json {
					return p.printJSON(map[string]any{"org_id": who.OrgID, "directory": args[1]})
				}
				p.printf("exported %s to %s\n", who.OrgID, args[1])
				return nil
			})
		},
	}
}

func (p *program) exportOrg(ctx context.Context, in *instance, who loci.Principal, dir string) error {
	bar := p.progress("exporting "+string(who.OrgID), -1, false)
	defer func() { _ = bar.Finish() }()
	return in.app.ExportOrg(ctx, who, dir)
}

func (p *program) orgDeleteCommand() *cobra.Command {
	var dir string
	var without, yes bool
	cmd := &cobra.Command{
		Use: "delete ORG", Short: "Erase an org with its people, keys, memories and files", Args: cobra.ExactArgs(1),
		Annotations: does(app.OrgDelete, app.Export),
		Long: `Erase an org for good: its rows, people, keys, sessions, grants and files, and
print a receipt. Its id is not used again. Say where a copy goes first (--export),
or that none is wanted (--no-export). Backups from before still have it.`,
		Example: `  loci org delete acme --export ./acme-copy`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if (dir == "") == !without {
				return usagef("say --export DIR for a copy first, or --no-export")
			}
			return p.deleteOrg(cmd.Context(), args[0], dir, yes)
		},
	}
	cmd.Flags().StringVar(&dir, "export", "", "copy it into this directory first")
	cmd.Flags().BoolVar(&without, "no-export", false, "no copy is wanted")
	yesFlag(cmd, &yes)
	return cmd
}

func (p *program) deleteOrg(ctx context.Context, org, dir string, yes bool) error {
	return p.with(ctx, refuse, func(in *instance) error {
		who, err := in.inOrg(ctx, org)
		if err != nil {
			return err
		}
		if err := p.sure(yes, "Erase the org "+string(who.OrgID)+" with everything in it, for good?"); err != nil {
			return err
		}
		if dir != "" {
			if err := p.exportOrg(ctx, in, who, dir); err != nil {
				return err
			}
		}
		bar := p.progress("erasing "+string(who.OrgID), -1, false)
		receipt, err := in.app.DeleteOrg(ctx, who, string(who.OrgID))
		_ = bar.Finish()
		if err != nil {
			return err
		}
		return p.printReceipt(receipt)
	})
}

func (p *program) printReceipt(r store.Receipt) error {
	if p.json {
		return p.printJSON(r)
	}
	p.printf("erased %s at %s; people: %d, memories: %d, credentials: %d, files: %d\n", r.OrgID, r.DeletedAt.UTC().Format("2006-01-02T15:04:05Z"),
		r.Users, r.Memories, r.Credentials, r.Files)
	return nil
}
