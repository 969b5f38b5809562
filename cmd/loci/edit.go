package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) editCommand() *cobra.Command {
	var f memoryFlags
	var content string
	var version int
	cmd := &cobra.Command{
		Use:   "edit ID",
		Short: "Change a memory; Loci keeps the old version",
		Long: `Change a memory: what the flags specify, or without flags the content: to what standard
input has, or else in $VISUAL or $EDITOR. Loci drops one line break at the end, and keeps
the old version; see "loci history". A title that is the first line of the content
changes with it. --tag replaces all tags. --tag "", --expires "", --valid-from "" and
--valid-to "" remove them. --scope moves it: to yourself (global), or with --project to the
members of a project.`,
		Example: `  loci edit 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e --allow claude
  loci edit 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e
  loci edit 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e < notes.md`,
		Annotations: does(memory.Change, memory.Read, project.Read),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkMemoryIDs(args); err != nil {
				return err
			}
			patch, err := f.patch(cmd, content, p)
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				id, err := in.memoryID(cmd.Context(), in.operator, args[0])
				if err != nil {
					return err
				}
				if patch == nil {
					return p.editContent(cmd.Context(), in, id, version)
				}
				project, err := in.projectID(cmd.Context(), in.operator, f.project)
				if err != nil {
					return err
				}
				patch.ProjectID = edited(cmd, "project", project)
				began := time.Now()
				m, err := changeMemory(cmd.Context(), in, id, version, *patch)
				if err != nil {
					return aboutMemory(id, err)
				}
				if err := p.savedSince(began, "changed", m); err != nil || p.json {
					return err
				}
				if !patch.AllowedVendors.IsZero() || !patch.Scope.IsZero() {
					p.printVisible(cmd.Context(), in, m)
				}
				if !patch.ExpiresAt.IsZero() && !m.ExpiresAt.IsZero() {
					p.printf("expires %s\n", p.showTime(m.ExpiresAt))
				}
				return nil
			})
		},
	}
	f.add(cmd)
	f.addPlace(cmd)
	cmd.Flags().StringVar(&content, "content", "", `the new content; "-" is standard input`)
	ifVersionFlag(cmd, &version)
	return cmd
}

// patch returns what the flags change, nil if they change nothing.
func (f *memoryFlags) patch(cmd *cobra.Command, content string, p *program) (*memory.Patch, error) {
	c := memory.Patch{Title: edited(cmd, "title", f.Title), Summary: edited(cmd, "summary", f.summary),
		Key: edited(cmd, "key", f.Key), Category: edited(cmd, "category", f.Category),
		Content: edited(cmd, "content", content), Type: edited(cmd, "type", f.Type),
		Scope:     edited(cmd, "scope", f.Scope),
		ProjectID: edited(cmd, "project", loci.ProjectID{}), // the caller sets it
		Tags:      edited(cmd, "tag", newTags(f.Tags)), Importance: edited(cmd, "importance", f.Importance),
		Pinned: edited(cmd, "pinned", f.pinned), AllowedVendors: edited(cmd, "allow", f.AllowedVendors),
		ExpiresAt: edited(cmd, "expires", f.ExpiresAt), ValidFrom: edited(cmd, "valid-from", f.ValidFrom),
		ValidTo: edited(cmd, "valid-to", f.ValidTo)}
	if content == "-" {
		f.file = content
	}
	if cmd.Flags().Changed("file") || content == "-" {
		text, err := p.content(nil, f.file)
		if err != nil {
			return nil, err
		}
		c.Content = loci.Set(text)
	}
	if reflect.ValueOf(c).IsZero() {
		return p.pipedContent()
	}
	return &c, nil
}

// beforeEdit returns a memory that is about to change. If another memory replaced it, the error is that of the change.
func beforeEdit(ctx context.Context, in *instance, id loci.MemoryID) (*loci.Memory, error) {
	m, err := in.app.Memory.Get(ctx, in.operator, id)
	if why, replaced := errors.AsType[*memory.ReplacedError](err); replaced {
		return nil, loci.WrapError(loci.Conflict, why, "%s", err)
	}
	return m, err
}

// pipedContent returns the change to the content that standard input has, or nil if it is not a pipe or a file, or is
// empty.
func (p *program) pipedContent() (*memory.Patch, error) {
	f, ok := p.in.(*os.File)
	if !ok {
		return nil, nil
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 && !info.Mode().IsRegular() {
		return nil, nil
	}
	text, err := readContent(f)
	if err != nil || text == "" {
		return nil, err
	}
	return &memory.Patch{Content: loci.Set(text)}, nil
}

// changeMemory changes a memory. A title that is the first line of the content stays that.
func changeMemory(ctx context.Context, in *instance, id loci.MemoryID, version int, c memory.Patch) (*loci.Memory,
	error) {
	if c.Title.IsZero() && strings.TrimSpace(c.Content.Value()) != "" {
		m, err := beforeEdit(ctx, in, id)
		if err != nil {
			return nil, err
		}
		if m.Title == firstLine(m.Content) {
			c.Title = loci.Set(firstLine(c.Content.Value()))
		}
	}
	return in.app.Memory.Patch(ctx, in.operator, id, version, c)
}

// newTags returns what replaces all tags. --tag "" removes them.
func newTags(tags []string) []string {
	if len(tags) == 1 && tags[0] == "" {
		return []string{}
	}
	return tags
}

// editContent lets the person change the content in their editor. It does not overwrite a change
// that someone else made meanwhile.
func (p *program) editContent(ctx context.Context, in *instance, id loci.MemoryID, version int) error {
	m, err := beforeEdit(ctx, in, id)
	if err != nil {
		return aboutMemory(id, err)
	}
	version = cmp.Or(version, m.Version)
	text, file, err := p.inEditor(ctx, m.Content)
	if err != nil {
		return err
	}
	if text == m.Content {
		p.note("no changes")
		return os.Remove(file)
	}
	changed, err := changeMemory(ctx, in, id, version, memory.Patch{Content: loci.Set(text)})
	if err != nil {
		return fmt.Errorf("%w; your text is in %s", aboutMemory(id, err), file)
	}
	return errors.Join(p.saved("changed", changed), os.Remove(file))
}

// interrupted reports whether Ctrl-C ended another program, which can happen before Loci itself learns of it.
func interrupted(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && (exit.ExitCode() == exitInterrupted || exit.String() == "signal: interrupt")
}

// inEditor returns the edited text, and the file that contains it.
func (p *program) inEditor(ctx context.Context, text string) (edited, file string, err error) {
	words := strings.Fields(p.settings.Editor)
	if len(words) == 0 {
		return "", "",
			usagef("nothing to change: pass --content, --title, --tag or another flag, or set EDITOR to edit the content")
	}
	f, err := os.CreateTemp("", "loci-*.txt") // mode 0600
	if err != nil {
		return "", "", err
	}
	_, err = f.WriteString(text + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return "", "", err
	}
	editor := exec.CommandContext(ctx, words[0], append(words[1:], f.Name())...)
	editor.Stdin, editor.Stdout, editor.Stderr = p.in, p.err, p.err
	if err := editor.Run(); err != nil {
		if ctx.Err() != nil || interrupted(err) {
			return "", "", errors.Join(context.Canceled, os.Remove(f.Name()))
		}
		return "", "", fmt.Errorf("the editor %q failed: %w; nothing was changed", p.settings.Editor,
			errors.Join(err, os.Remove(f.Name())))
	}
	back, err := os.Open(f.Name())
	if err != nil {
		return "", "", err
	}
	defer back.Close()
	edited, err = readContent(back)
	return edited, f.Name(), err
}
