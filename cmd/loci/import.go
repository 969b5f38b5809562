package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
	"github.com/loci-memory/loci/internal/transfer"
)

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
