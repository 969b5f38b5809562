package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) graphExportCommand() *cobra.Command {
	var f graphFlags
	var format string
	cmd := &cobra.Command{
		Use: "export [FILE]", Short: "Write the graph as JSON lines", Args: cobra.MaximumNArgs(1), Annotations: does(app.GraphExport, app.ProjectRead),
		Long: `Write the live graph of a project as JSON lines: to FILE, or to standard output. A
FILE appears only when it is complete. --format loci has everything: ids, times,
writers, vendors. --format reference is the memory.json of the reference "memory"
MCP server. "loci graph import" takes both.`,
		Example: `  loci graph export --project home home.jsonl
  loci graph export --project home --format reference memory.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "-"
			if len(args) == 1 {
				name = args[0]
			}
			form := app.GraphFormat(format)
			if form != app.GraphLoci && form != app.GraphReference {
				return loci.FieldErrorf("--format", "must be loci or reference, and is %q", cut(format, 60))
			}
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error { return p.exportGraph(ctx, g, form, name) })
		},
	}
	f.add(cmd, false)
	cmd.Flags().StringVar(&format, "format", string(app.GraphLoci), "loci or reference")
	return cmd
}

func (p *program) exportGraph(ctx context.Context, g *onGraph, format app.GraphFormat, name string) error {
	bar := p.progress("exporting "+cut(g.project.Name, 40), -1, true)
	count := lineCounter{moved: func(n int64) { _ = bar.Set64(n) }}
	err := p.writeTo(name, func(w io.Writer) error {
		count.to = w
		return g.app.ExportGraph(ctx, g.who, g.project.ID, format, &count)
	})
	_ = bar.Finish()
	if err != nil {
		return err
	}
	if p.json && name != "-" {
		return p.printJSON(map[string]any{"project_id": g.project.ID, "format": format, "lines": count.lines, "file": name})
	}
	p.note("lines exported: %d", count.lines)
	return nil
}

// lineCounter counts what goes through it.
type lineCounter struct {
	to    io.Writer
	lines int
	bytes int64
	moved func(bytes int64)
}

func (c *lineCounter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	for _, x := range b[:n] {
		if x == '\n' {
			c.lines++
		}
	}
	c.bytes += int64(n)
	c.moved(c.bytes)
	return n, err
}

func (p *program) graphImportCommand() *cobra.Command {
	var f graphFlags
	var dryRun, fresh bool
	var vendors []string
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Read a graph, also the reference memory server's file", Args: cobra.ExactArgs(1),
		Annotations: does(app.GraphImport, app.ProjectRead, app.ProjectCreate),
		Long: `Read a graph into a project: what "loci graph export" wrote, or the memory.json of
the reference "memory" MCP server; FILE, or "-" for standard input. It can be
repeated: what is here already is left alone, so after an interruption the same
command goes on. Lines that cannot be taken are reported, the others are stored.`,
		Example: `  loci graph import ~/memory.json --project home --create`,
		RunE: func(cmd *cobra.Command, args []string) error {
			allowed, err := parseVendors("--allow", vendors)
			if err != nil {
				return err
			}
			if fresh && (f.project == "" || dryRun) {
				return usagef("--create needs --project NAME, and does not go with --dry-run")
			}
			r, size, err := p.source(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			do := func(ctx context.Context, g *onGraph) error {
				return p.importGraph(ctx, g, r, size, app.GraphImportOptions{AllowedVendors: allowed, DryRun: dryRun})
			}
			if fresh {
				return p.madeGraph(cmd, &f, do)
			}
			err = p.graph(cmd, &f, do)
			if loci.CodeOf(err) == loci.NotFound && f.project != "" {
				return loci.WrapError(loci.NotFound, err, "%s; --create makes the project", err.Error())
			}
			return err
		},
	}
	f.add(cmd, false)
	cmd.Flags().BoolVar(&fresh, "create", false, "make the project if it is not there")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check and count, store nothing")
	cmd.Flags().StringSliceVar(&vendors, "allow", nil, `vendors that may read what the reference format brings, such as claude,cursor; "*" is all (default: all)`)
	return cmd
}

// madeGraph is graph, and makes what is not there: the data directory and the
// project.
func (p *program) madeGraph(cmd *cobra.Command, f *graphFlags, do func(context.Context, *onGraph) error) error {
	ctx := cmd.Context()
	return p.with(ctx, create, func(in *instance) error {
		who, err := f.principal(ctx, in)
		if err != nil {
			return err
		}
		x, err := in.project(ctx, who, f.project)
		if loci.CodeOf(err) == loci.NotFound {
			if x, err = in.app.CreateProject(ctx, who, app.ProjectDraft{Name: f.project}); err == nil {
				p.note("made the project %s", cut(x.Name, 100))
				who, err = f.principal(ctx, in) // who says to which projects they belong
			}
		}
		if err != nil {
			return err
		}
		return do(ctx, &onGraph{in, who, x})
	})
}

func (p *program) importGraph(ctx context.Context, g *onGraph, r io.Reader, size int64, o app.GraphImportOptions) error {
	t := p.taking(size)
	o.Progress = func(done app.GraphReport) { t.read(done.Bytes) }
	o.Problem = t.problem
	report, err := g.app.ImportGraph(ctx, g.who, g.project.ID, r, o)
	t.finish()
	added := report.Entities + report.Observations + report.Relations
	if err != nil {
		if !p.json && added > 0 && !o.DryRun {
			p.note("rows added before this: %d", added)
		}
		return err
	}
	if p.json {
		out := struct {
			wire.GraphImported
			DryRun bool `json:"dry_run"`
		}{wire.GraphImported{Lines: report.Lines, Entities: report.Entities, Observations: report.Observations, Relations: report.Relations,
			Present: report.Present, Refused: report.Refused, Problems: []wire.LineProblem{}}, o.DryRun}
		slices.SortStableFunc(t.refused, func(a, b refusal) int { return a.Line - b.Line }) // relations are read last
		for _, x := range t.refused {
			out.Problems = append(out.Problems, wire.LineProblem{Line: x.Line, Detail: x.Error})
		}
		if err := p.printJSON(out); err != nil {
			return err
		}
	} else {
		p.printf("%s entities %d, observations %d, relations %d; here already %d, lines not taken %d\n", verbOfImport(o.DryRun),
			report.Entities, report.Observations, report.Relations, report.Present, report.Refused)
	}
	return notTaken(report.Refused)
}

func (p *program) graphCheckCommand() *cobra.Command {
	var f graphFlags
	var rebuild bool
	cmd := &cobra.Command{
		Use: "check", Short: "Compare the full-text index of a graph with its rows", Args: cobra.NoArgs, Annotations: does(app.GraphCheck, app.ProjectRead),
		Long: `Compare what is derived of a graph with its rows; --rebuild makes it anew and
compares again. The exit code is 1 if they differ. "loci doctor" checks all projects.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.graph(cmd, &f, func(ctx context.Context, g *onGraph) error { return p.checkGraph(ctx, g, rebuild) })
		},
	}
	f.add(cmd, false)
	cmd.Flags().BoolVar(&rebuild, "rebuild", false, "make the index anew")
	return cmd
}

// checkGraph says what differs; after a rebuild, what did, and what still does.
func (p *program) checkGraph(ctx context.Context, g *onGraph, rebuild bool) error {
	problems, err := g.app.CheckGraph(ctx, g.who, g.project.ID, rebuild)
	if err == nil && rebuild {
		if !p.json {
			for _, text := range problems {
				p.note("before: %s", loci.OneLine(text))
			}
		}
		problems, err = g.app.CheckGraph(ctx, g.who, g.project.ID, false)
	}
	if err != nil {
		return err
	}
	if p.json {
		if err := p.printJSON(map[string]any{"ok": len(problems) == 0, "rebuilt": rebuild, "problems": notNil(problems)}); err != nil {
			return err
		}
	} else {
		p.printCheck(g.project, problems, rebuild)
	}
	if len(problems) > 0 {
		return errUnwell
	}
	return nil
}

func (p *program) printCheck(x loci.Project, problems []string, rebuilt bool) {
	for _, text := range problems {
		p.printf("%s\n", loci.OneLine(text))
	}
	if len(problems) > 0 {
		return
	}
	done := "fits its rows"
	if rebuilt {
		done = "was made anew and " + done
	}
	p.printf("the full-text index of %s %s\n", cut(x.Name, 100), done)
}
