package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
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

func (p *program) importCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Import an export",
		Long: `Import an export of "loci export": FILE, or "-" for standard input. You can repeat the
command, also after an interruption: Loci skips what exists already. It reports lines
that it cannot import, and imports the others. For a graph, or the memory.json of the
reference "memory" MCP server, see "loci graph import".`,
		Annotations: does(transfer.Import),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, size, err := p.openText(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			return p.with(cmd.Context(), create, func(in *instance) error {
				return p.importFrom(cmd.Context(), in, r, size, dryRun)
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check and count, but import nothing")
	return cmd
}

// rejection is a line that was not imported.
type rejection struct {
	Line  int    `json:"line"`
	Error string `json:"error"`
}

func (p *program) importFrom(ctx context.Context, in *instance, r io.Reader, size int64, dryRun bool) error {
	t := &importing{program: p, rejected: []rejection{}}
	var report transfer.ImportReport
	err := p.follow(ctx, func(ctx context.Context) (err error) {
		report, err = in.app.Transfer.Import(ctx, in.operator, r, transfer.ImportOptions{DryRun: dryRun, Size: size,
			Problem: t.problem})
		if err == nil && !dryRun {
			in.app.Index.Complete(ctx, in.operator.OrgID)
		}
		return err
	})
	if err != nil {
		if !p.json && report.Added > 0 {
			p.note("%s %s before this", imported(dryRun), importedRows(&report))
		}
		return err
	}
	err = p.answer(map[string]any{"added": report.Added, "present": report.Present, "refused": report.Refused,
		"dry_run": dryRun, "problems": t.rejected}, nil, "%s %s (%s, %d rejected)", imported(dryRun),
		importedRows(&report), loci.Plural(report.Present, "duplicate", "duplicates"),
		report.Refused)
	if err != nil {
		return err
	}
	return errRejected(report.Refused)
}

// importedRows counts memories, as the export does, and the other rows apart.
func importedRows(r *transfer.ImportReport) string {
	text := loci.Plural(r.Added-r.Others, "memory", "memories")
	if r.Others > 0 {
		text += " and " + loci.Plural(r.Others, "other row", "other rows")
	}
	return text
}

// importing keeps the lines that an import rejects.
type importing struct {
	*program
	rejected []rejection
}

func (t *importing) problem(x jsonlines.Problem) {
	if len(t.rejected) < maxRejections {
		t.rejected = append(t.rejected, rejection{x.Line, x.Text})
	}
	if !t.json {
		t.note("line %d rejected: %s", x.Line, loci.OneLine(x.Text))
	}
}

func imported(dryRun bool) string {
	if dryRun {
		return "Would import"
	}
	return "Imported"
}

func errRejected(lines int) error {
	if lines == 0 {
		return nil
	}
	return fmt.Errorf("cannot import %s; repair those that need it and import again, which skips the others",
		loci.Plural(lines, "line", "lines"))
}

// maxRejections bounds the list in JSON, not the count.
const maxRejections = 1000

// untilDone reads r until ctx ends, also while r has nothing to read. The goroutine that waits for r ends with the
// process: nothing can cancel a read of a terminal or a pipe.
func untilDone(ctx context.Context, r io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	return out
}
