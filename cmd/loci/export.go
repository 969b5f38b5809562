package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/transfer"
)

func (p *program) exportCommand() *cobra.Command {
	var force bool
	cmd := p.acting(operator, &cobra.Command{
		Use:   "export [FILE]",
		Short: "Export everything that is yours as JSON lines",
		Long: `Export all memories with their versions, sources and attachments, including the trash,
and events, sessions, agents, candidates, tasks, memory nodes, suggestions, golden
questions and projects with their graphs. The format is JSON lines, to FILE or to
standard output. "loci import" restores them and their links. A FILE appears only when
it is complete. The output names what is not in it.

The trash and history of graphs, keys and settings are not in it: "loci backup create"
saves everything.`,
		Example: `  loci export memories.jsonl
  loci export | zstd > memories.jsonl.zst`,
		Annotations: does(transfer.Export),
	}, func(ctx context.Context, c *call) error {
		return p.exportTo(ctx, c.instance, c.operator, cmp.Or(first(c.args), "-"), force)
	})
	forceFlag(cmd, &force)
	return cmd
}

func forceFlag(cmd *cobra.Command, force *bool) {
	cmd.Flags().BoolVar(force, "force", false, "replace the file if it exists")
}

// mayReplace rejects the name of a file that exists, unless the person wants to replace it.
func mayReplace(name string, force bool) error {
	if info, err := os.Stat(name); force || name == "-" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return loci.Errorf(loci.Conflict,
		"cannot write %s: it exists; choose another name, or pass --force to replace it", name)
}

// exportTo exports a person's memories and prints how many there are.
func (p *program) exportTo(ctx context.Context, in *instance, who loci.Principal, name string, force bool) error {
	if err := mayReplace(name, force); err != nil {
		return err
	}
	end, err := p.export(ctx, in, who, name)
	if err != nil {
		return err
	}
	if p.json && name != "-" {
		return p.printJSON(map[string]any{"memories": end.Rows["memory"], "rows": end.Rows, "left_out": end.LeftOut,
			"file": name})
	}
	text := loci.Plural(end.Rows["memory"], "memory", "memories")
	for _, kind := range slices.Sorted(maps.Keys(end.Rows)) {
		if one := strings.ReplaceAll(kind, "_", " "); kind != "memory" {
			text += ", " + loci.Plural(end.Rows[kind], one, strings.Replace(one+"s", "entitys", "entities", 1))
		}
	}
	p.note("Exported %s", text)
	if len(end.LeftOut) > 0 {
		p.note("Left out: %s", strings.Join(end.LeftOut, "; "))
	}
	return nil
}

func (p *program) export(ctx context.Context, in *instance, who loci.Principal, name string) (end transfer.ExportEnd,
	err error) {
	err = p.follow(ctx, func(ctx context.Context) error {
		return p.writeTo(name, func(w io.Writer) (err error) {
			who.WorkspaceID = loci.WorkspaceID{} // all of them: a person who moves or leaves takes everything
			end, err = in.app.Transfer.Export(ctx, who, w)
			return err
		})
	})
	return end, err
}

// writeTo lets write fill a file, which appears only when it is complete. "-" is standard output.
func (p *program) writeTo(name string, write func(io.Writer) error) error {
	if name == "-" {
		out := bufio.NewWriterSize(p.out, 1<<16)
		if err := write(out); err != nil {
			return err
		}
		return out.Flush()
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return writeInto(name, write)
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*") // mode 0600
	if err != nil {
		return usagef("cannot write %s: %w", name, withoutPath(err))
	}
	defer func() { _ = os.Remove(f.Name()) }() // fails after success, which renamed it
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		if at := (*fs.PathError)(nil); errors.As(err, &at) && at.Path == f.Name() {
			at.Path = name // the person does not know the temporary file
		}
		return err
	}
	return os.Rename(f.Name(), name)
}

// withoutPath omits the name of a temporary file, which the person does not know.
func withoutPath(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// writeInto writes to a pipe or a device such as /dev/stdout, which a file must not replace.
func writeInto(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return usageError{err}
	}
	return errors.Join(write(f), f.Close())
}
