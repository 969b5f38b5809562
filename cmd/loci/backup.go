package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/maintain"
)

func (p *program) backupCommand() *cobra.Command {
	return group("backup", "Create, list, verify and restore backups",
		`Create, list, verify and restore backups. A backup is consistent even while a server
writes. Backups are in backups/ of the data directory; copy them elsewhere, too.`,
		p.backupCreateCommand(), p.backupListCommand(), p.backupVerifyCommand(), p.backupRestoreCommand())
}

func (p *program) backups() *maintain.Backups {
	return &maintain.Backups{Dir: p.settings.DataDir, Program: readBuildInfo().Version, Check: p.checkCopy,
		Carry: carryRevocations, Settle: retellSessions}
}

// checkCopy opens a copy of a data directory and reads all of it.
func (p *program) checkCopy(ctx context.Context, dir string) (problems []string, err error) {
	st, err := openEngine(ctx, dir, p.log, false)
	if err != nil && ctx.Err() == nil {
		return []string{"cannot be opened: " + err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	found, err := checkData(ctx, st)
	for _, one := range found {
		problems = append(problems, one.Text)
	}
	return problems, err
}

type backupJSON struct {
	Name string `json:"name"`
	Path string `json:"path"`
	maintain.Manifest
}

func showBackup(b maintain.Backup) backupJSON { return backupJSON{b.Name, b.Path, b.Manifest} }

func (p *program) backupCreateCommand() *cobra.Command {
	return p.acting(operator, &cobra.Command{
		Use:         "create",
		Short:       "Create a backup",
		Annotations: needsNoAction("upkeep of the files, of package maintain"),
	}, func(ctx context.Context, c *call) error {
		b, err := followed(ctx, p, func(ctx context.Context) (*maintain.Backup, error) {
			return p.backups().BackUp(ctx, c.store, p.log, backUp(c.store))
		})
		if err != nil {
			return err
		}
		return p.answer(showBackup(*b), nil, "%s (%s, %s)", b.Path, loci.Plural(len(b.Manifest.Files), "file", "files"),
			loci.ShowBytes(b.Manifest.Size()))
	})
}

func (p *program) backupListCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "list",
		Short:       "List backups, newest first",
		Annotations: needsNoAction("upkeep of the files, of package maintain"),
		RunE: func(*cobra.Command, []string) error {
			if err := p.settings.unusable(create); err != nil {
				return err
			}
			found, err := p.backups().List()
			return printList(p, "backups", loci.Mapped(found, showBackup), err,
				"no backups; create one with: loci backup create",
				"NAME|CREATED|FILES|SIZE|BY", func(b backupJSON) []string {
					return []string{b.Name, p.showTime(b.CreatedAt), strconv.Itoa(len(b.Files)), loci.ShowBytes(b.Size()), b.Program}
				})
		},
	}
}

func (p *program) backupVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "verify [NAME]",
		Short:       "Verify a backup: compare it with its manifest and open every file (default: the newest)",
		Annotations: needsNoAction("upkeep of the files, of package maintain"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := p.findBackup(first(args))
			if err != nil {
				return err
			}
			problems, err := followed(cmd.Context(), p, func(ctx context.Context) ([]string, error) {
				return p.backups().Verify(ctx, b)
			})
			if err != nil {
				return err
			}
			if p.json {
				out := map[string]any{"name": b.Name, "ok": len(problems) == 0, "problems": loci.OrEmpty(problems)}
				if err := p.printJSON(out); err != nil {
					return err
				}
			} else {
				for _, text := range problems {
					p.printf("fail  %s\n", text)
				}
			}
			if len(problems) > 0 {
				return loci.Errorf(loci.Unavailable, "backup %s is damaged; use another one, see `loci backup list`", b.Name)
			}
			if !p.json {
				p.printf("ok    %s: %s, %s\n", b.Name, loci.Plural(len(b.Manifest.Files), "file", "files"),
					loci.ShowBytes(b.Manifest.Size()))
			}
			return nil
		},
	}
}

// findBackup returns a backup by its name or path, or the newest if name is empty.
func (p *program) findBackup(name string) (*maintain.Backup, error) {
	if err := p.settings.unusable(create); err != nil {
		return nil, err
	}
	return p.backups().Find(name)
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (p *program) backupRestoreCommand() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "restore [NAME]",
		Short: "Restore a backup (default: the newest)",
		Long: `Restore a backup: into a new directory with --to, or in place. In place requires that no
other loci uses the data directory. Loci keeps the replaced files in replaced/ of the
data directory.

Revoked keys stay revoked, even if the backup is older. People who were deleted since
come back disabled. Orgs that were deleted since stay deleted; with --to, they come
back suspended, so that you can read their data.`,
		Annotations: needsNoAction("upkeep of the files, of package maintain"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to == "" && isEmptyDir(p.settings.DataDir) {
				return loci.Errorf(loci.NotFound, "cannot restore in place: the data directory %s does not exist or is empty; to "+
					"restore into it, run: loci backup restore --to %s --data-dir DIR, where DIR has the backups",
					p.settings.DataDir, quoted(p.settings.DataDir))
			}
			b, err := p.findBackup(first(args))
			if err != nil {
				return err
			}
			if to != "" {
				done, err := followed(cmd.Context(), p, func(ctx context.Context) (maintain.Restored, error) {
					return p.backups().RestoreTo(ctx, b, to)
				})
				return p.restored(b.Name, to, done, err)
			}
			question := fmt.Sprintf("Replace %s with backup %s?", p.settings.DataDir, b.Name)
			err = p.agreed(cmd.Context(), question, "restore backup "+b.Name, "--yes, or --to DIR for a new directory")
			if err != nil {
				return err
			}
			return p.restoreInPlace(cmd.Context(), b)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "restore into this new directory")
	p.yesFlag(cmd)
	return cmd
}

// isEmptyDir reports whether a directory is missing or has no files.
func isEmptyDir(dir string) bool {
	entries, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0
}

func (p *program) restoreInPlace(ctx context.Context, b *maintain.Backup) (err error) {
	release, err := lockAlone(p.settings.DataDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	done, err := followed(ctx, p, func(ctx context.Context) (maintain.Restored, error) {
		return p.backups().RestoreInPlace(ctx, b)
	})
	return p.restored(b.Name, p.settings.DataDir, done, err)
}

// finishRestore completes a restore that was killed, unless another process uses the directory: opening the store then
// fails.
func (p *program) finishRestore(ctx context.Context) error {
	dir := p.settings.DataDir
	if !maintain.Interrupted(dir) {
		return nil
	}
	release, err := lockAlone(dir)
	if loci.CodeOf(err) == loci.Conflict {
		return nil
	}
	if err != nil {
		return err
	}
	kept, err := maintain.FinishRestore(dir)
	if err == nil && kept != "" {
		p.log.WarnContext(ctx, "finished an interrupted restore", "kept", kept)
	}
	return errors.Join(err, release())
}

// restored reports what a restore brought back, and what not.
func (p *program) restored(name, dir string, done maintain.Restored, err error) error {
	if err != nil {
		return err
	}
	if done.Unread != nil {
		p.log.Warn("keys revoked after the backup may be valid again: "+
			p.onSameData("check `loci key list` and `loci agent-key list`"), "error", done.Unread)
	}
	if p.json {
		return p.printJSON(map[string]any{"name": name, "restored_to": dir, "kept": done.Kept,
			"keys_still_revoked": done.Revoked, "revocations_known": done.Unread == nil,
			"deleted_orgs": loci.OrEmpty(done.Orgs), "people_disabled": done.People})
	}
	p.printf("restored %s to %s\n", name, dir)
	if done.Revoked > 0 {
		p.printf("%s revoked\n", loci.Plural(done.Revoked, "key that no longer worked stays",
			"keys that no longer worked stay"))
	}
	if done.People > 0 {
		p.printf("%s disabled, with their data; %s lists them\n", loci.Plural(done.People,
			"person who was missing comes back", "people who were missing come back"),
			p.onSameData("`loci user list`"))
	}
	for _, org := range done.Orgs {
		if done.Kept != "" { // it was in place
			p.printf("org %s was deleted after the backup and stays deleted; to read its data, run: %s\n", org,
				p.onSameData("loci backup restore "+name+" --to DIR"))
			continue
		}
		p.printf("org %s was deleted after the backup; here it is suspended: the command line reads its data, and nobody "+
			"gets in\n", org)
	}
	if done.Kept != "" {
		p.printf("the replaced files are in %s\n", done.Kept)
	}
	return nil
}
