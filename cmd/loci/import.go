package main

import (
	"context"
	"fmt"
	"io"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) importCommand() *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read what export wrote",
		Long: `Read what "loci export" wrote: FILE, or "-" for standard input. It can be
repeated: what is here already is left alone, so after an interruption the same
command goes on. Lines that cannot be taken are reported, the others are stored.`,
		Args:        cobra.ExactArgs(1),
		Annotations: does(app.Import),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, size, err := p.source(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			return p.with(cmd.Context(), create, func(in *instance) error {
				return p.takeIn(cmd.Context(), in, r, size, dryRun)
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check and count, store nothing")
	return cmd
}

// source opens what to import; size is -1 if it is not known.
func (p *program) source(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	return p.openFile(ctx, name, "%s cannot be imported: it is not a file")
}

// refusal is a line that was not taken.
type refusal struct {
	Line  int    `json:"line"`
	Error string `json:"error"`
}

func (p *program) takeIn(ctx context.Context, in *instance, r io.Reader, size int64, dryRun bool) error {
	t := p.taking(size)
	report, err := in.app.Import(ctx, in.operator, r, app.ImportOptions{
		DryRun: dryRun, Progress: func(done app.ImportReport) { t.read(done.Bytes) }, Problem: t.problem})
	t.finish()
	if err != nil {
		if !p.json && report.Added > 0 {
			p.note("memories added before this: %d", report.Added)
		}
		return err
	}
	if p.json {
		if err := p.printJSON(map[string]any{"added": report.Added, "present": report.Present, "refused": report.Refused, "dry_run": dryRun, "problems": t.refused}); err != nil {
			return err
		}
	} else {
		p.printf("%s %d, here already %d, not taken %d\n", verbOfImport(dryRun), report.Added, report.Present, report.Refused)
	}
	return notTaken(report.Refused)
}

// taking shows how far an import is, and keeps what it does not take.
type taking struct {
	*program
	bar     *progressbar.ProgressBar
	refused []refusal
}

func (p *program) taking(size int64) *taking {
	return &taking{program: p, bar: p.progress("importing", size, true), refused: []refusal{}}
}

func (t *taking) read(bytes int64) { _ = t.bar.Set64(bytes) }
func (t *taking) finish()          { _ = t.bar.Finish() }

func (t *taking) problem(x app.ImportProblem) {
	if len(t.refused) < maxRefusals {
		t.refused = append(t.refused, refusal{x.Line, x.Text})
	}
	if !t.json {
		t.note("line %d was not taken: %s", x.Line, loci.OneLine(x.Text))
	}
}

func verbOfImport(dryRun bool) string {
	if dryRun {
		return "would add"
	}
	return "added"
}

func notTaken(lines int) error {
	if lines == 0 {
		return nil
	}
	return fmt.Errorf("lines not taken: %d; mend them and import again, what was taken is skipped", lines)
}

// maxRefusals bounds the list in JSON; Refused counts them all.
const maxRefusals = 1000

// untilDone reads r until ctx ends, also while r has nothing to give. The
// goroutine that waits for r ends with the process: nothing can call back a
// read of a terminal or a pipe.
func untilDone(ctx context.Context, r io.Reader) io.ReadCloser {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	return out
}
