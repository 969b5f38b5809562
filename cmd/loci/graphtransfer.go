package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) graphExportCommand() *cobra.Command {
	var format graph.Format
	var force bool
	cmd := p.graph(pickPerson, &cobra.Command{
		Use: "export [FILE]", Short: "Export a graph as JSON lines", Annotations: does(graph.Export, project.Read),
		Long: `Export the live graph of a project as JSON lines, to FILE or to standard output. A FILE
appears only when it is complete. --format loci has everything: ids, times, origins,
vendors. --format reference is the memory.json of the reference "memory" MCP server.
"loci graph import" reads both.`,
		Example: `  loci graph export --project home home.jsonl
  loci graph export --project home --format reference memory.json`,
		PreRunE: func(*cobra.Command, []string) error {
			if format != graph.GraphLoci && format != graph.GraphReference {
				return loci.FieldErrorf("--format", "must be loci or reference, not %q", cut(string(format), 60))
			}
			return nil
		},
	}, func(ctx context.Context, g *onGraph) error {
		name := cmp.Or(first(g.args), "-")
		if err := mayReplace(name, force); err != nil {
			return err
		}
		var count lineCounter
		err := p.follow(ctx, func(ctx context.Context) error {
			return p.writeTo(name, func(w io.Writer) error {
				count.to = w
				return g.app.Graph.Export(ctx, g.who, g.project.ID, format, &count)
			})
		})
		if err != nil {
			return err
		}
		if p.json && name != "-" {
			return p.printJSON(map[string]any{"project_id": g.project.ID, "format": format, "lines": count.lines,
				"file": name})
		}
		p.note("Exported %s", loci.Plural(count.lines, "line", "lines"))
		return nil
	})
	forceFlag(cmd, &force)
	cmd.Flags().StringVar((*string)(&format), "format", string(graph.GraphLoci), "loci or reference")
	return cmd
}

// lineCounter counts what goes through it.
type lineCounter struct {
	to    io.Writer
	lines int
}

func (c *lineCounter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	for _, x := range b[:n] {
		if x == '\n' {
			c.lines++
		}
	}
	return n, err
}

func (p *program) graphImportCommand() *cobra.Command {
	var a actor
	var projectName string
	var o graph.ImportOptions
	var fresh bool
	cmd := &cobra.Command{
		Use: "import FILE", Short: "Import a graph, or the file of the reference memory server",
		Annotations: does(graph.Import, project.Read, project.Create),
		Long: `Import a graph into a project: an export of "loci graph export", or the memory.json of
the reference "memory" MCP server. FILE may be "-" for standard input. You can repeat
the command, also after an interruption: Loci skips what exists already. It reports
lines that it cannot import, and imports the others.`,
		Example: `  loci graph import ~/memory.json --project home --create`,
		PreRunE: func(*cobra.Command, []string) error {
			if fresh && projectName == "" {
				return usagef("--create requires --project NAME")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			r, size, err := p.openText(ctx, args[0])
			if err != nil {
				return err
			}
			defer r.Close()
			if fresh && o.DryRun {
				return p.checkImport(ctx, &a, projectName, r, size, o)
			}
			absent := refuse
			if fresh {
				absent = create
			}
			err = p.with(ctx, absent, func(in *instance) error {
				g, err := p.importTarget(ctx, in, &a, projectName, fresh)
				if err != nil {
					return err
				}
				return p.importGraph(ctx, g, r, size, o)
			})
			if loci.CodeOf(err) == loci.NotFound && projectName != "" {
				err = loci.WrapError(loci.NotFound, err, "%s; to create the project, pass --create", err.Error())
			}
			return err
		},
	}
	a.add(cmd, pickPerson)
	projectFlag(cmd, &projectName)
	cmd.Flags().BoolVar(&fresh, "create", false, "create the project if it is missing")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "check and count, but import nothing")
	vendorsFlag(cmd, &o.AllowedVendors,
		`vendors that may read what a reference file brings, such as claude,cursor; "*" means all (default: all)`)
	return cmd
}

// importTarget finds the project of an import. If it is missing and fresh is set, importTarget creates it.
func (p *program) importTarget(ctx context.Context, in *instance, a *actor, projectName string,
	fresh bool) (*onGraph, error) {
	who, err := a.principal(ctx, in)
	if err != nil {
		return nil, err
	}
	x, err := in.chosen(ctx, who, projectName)
	made := fresh && loci.CodeOf(err) == loci.NotFound
	if made {
		if x, err = in.app.Project.Create(ctx, who, project.Draft{Name: projectName}); err == nil {
			p.note("Created project %s", cut(x.Name, 100))
			who, err = a.principal(ctx, in) // the principal lists the person's projects
		}
	}
	return &onGraph{&call{instance: in, who: who, actor: a}, x, made && err == nil}, err
}

func (p *program) importGraph(ctx context.Context, g *onGraph, r io.Reader, size int64,
	o graph.ImportOptions) error {
	report, rejected, err := p.loadGraph(ctx, g, r, size, o)
	added := report.Entities + report.Observations + report.Relations
	if g.made && added == 0 {
		if err := g.app.Project.Delete(context.WithoutCancel(ctx), g.who, g.project.ID); err != nil {
			return err
		}
		p.noteUnmade(g.project.Name)
	}
	if err != nil {
		if !p.json && added > 0 && !o.DryRun {
			p.note("Imported %s before this", loci.Plural(added, "row", "rows"))
		}
		return err
	}
	if p.json {
		if err := p.printJSON(struct {
			*wire.GraphImported
			DryRun bool `json:"dry_run"`
		}{graphImported(report, rejected), o.DryRun}); err != nil {
			return err
		}
	} else {
		p.printf("%s %s\n", imported(o.DryRun), importedText(report))
	}
	return errRejected(report.Refused)
}

func (p *program) noteUnmade(project string) {
	p.note("Deleted project %s again, because nothing was imported", cut(project, 100))
}

// loadGraph imports, shows the progress, and notes the lines that it rejects.
func (p *program) loadGraph(ctx context.Context, g *onGraph, r io.Reader, size int64,
	o graph.ImportOptions) (report graph.Report, _ []rejection, err error) {
	t := &importing{program: p, rejected: []rejection{}}
	o.Size, o.Problem = size, t.problem
	err = p.follow(ctx, func(ctx context.Context) error {
		if report, err = g.app.Graph.Import(ctx, g.who, g.project.ID, r, o); err == nil && !o.DryRun {
			g.app.Graphs.Complete(ctx, g.who.OrgID, g.project.ID)
		}
		return err
	})
	slices.SortStableFunc(t.rejected, func(a, b rejection) int { return a.Line - b.Line }) // relations are read last
	return report, t.rejected, err
}

func graphImported(report graph.Report, rejected []rejection) *wire.GraphImported {
	out := &wire.GraphImported{Lines: report.Lines, Entities: report.Entities, Observations: report.Observations,
		Relations: report.Relations, Present: report.Present, Refused: report.Refused, Problems: []wire.LineProblem{}}
	for _, x := range rejected {
		out.Problems = append(out.Problems, wire.LineProblem{Line: x.Line, Detail: x.Error})
	}
	return out
}

func importedText(report graph.Report) string {
	return fmt.Sprintf("%s, %s and %s (%s, %d rejected)", loci.Plural(report.Entities, "entity", "entities"),
		loci.Plural(report.Observations, "observation", "observations"),
		loci.Plural(report.Relations, "relation", "relations"),
		loci.Plural(report.Present, "duplicate", "duplicates"), report.Refused)
}

func (p *program) graphCheckCommand() *cobra.Command {
	var rebuild bool
	cmd := p.graph(pickPerson, &cobra.Command{
		Use: "check", Short: "Compare the full-text index of a graph with its rows",
		Annotations: does(graph.Check, project.Read),
		Long: `Compare the full-text index of a graph with its rows. --rebuild rebuilds the index and
compares again. The exit code is 1 if they differ. "loci doctor" checks all projects.`,
	}, func(ctx context.Context, g *onGraph) error { return p.checkGraph(ctx, g, rebuild) })
	cmd.Flags().BoolVar(&rebuild, "rebuild", false, "rebuild the index")
	return cmd
}

// checkGraph prints what differs. After a rebuild it also notes what differed before.
func (p *program) checkGraph(ctx context.Context, g *onGraph, rebuild bool) error {
	var problems []string
	err := p.follow(ctx, func(ctx context.Context) (err error) {
		problems, err = g.app.Graph.Check(ctx, g.who, g.project.ID, rebuild)
		if err != nil || !rebuild {
			return err
		}
		if !p.json {
			for _, text := range problems {
				p.note("before: %s", loci.OneLine(text))
			}
		}
		problems, err = g.app.Graph.Check(ctx, g.who, g.project.ID, false)
		return err
	})
	if err != nil {
		return err
	}
	if p.json {
		err = p.printJSON(map[string]any{"ok": len(problems) == 0, "rebuilt": rebuild, "problems": loci.OrEmpty(problems)})
	} else {
		for _, text := range problems {
			p.printf("%s\n", loci.OneLine(text))
		}
	}
	switch {
	case err != nil:
		return err
	case len(problems) > 0:
		return errUnwell
	case p.json:
		return nil
	}
	before := ""
	if rebuild {
		before = "rebuilt; "
	}
	p.printf("%sthe full-text index of %s matches its rows\n", before, cut(g.project.Name, 100))
	return nil
}

// checkImport is a dry run of an import that would create its project if that is missing.
func (p *program) checkImport(ctx context.Context, a *actor, name string, r io.Reader, size int64,
	o graph.ImportOptions) error {
	missing := hasNoData(p.settings.DataDir) && a.org == "" && a.user == ""
	if !missing {
		err := p.with(ctx, refuse, func(in *instance) error {
			who, err := a.principal(ctx, in)
			if err != nil {
				return err
			}
			x, err := in.chosen(ctx, who, name)
			if missing = loci.CodeOf(err) == loci.NotFound; missing || err != nil {
				return err
			}
			return p.importGraph(ctx, &onGraph{call: &call{instance: in, who: who, actor: a}, project: x}, r, size, o)
		})
		if !missing {
			return err
		}
	}
	p.note("Project %s does not exist yet. The import would create it.", cut(name, 100))
	return p.checkAlone(ctx, name, r, size, o)
}

// checkAlone is a dry run into a new project of a temporary data directory, because an import reads what the project
// has already.
func (p *program) checkAlone(ctx context.Context, name string, r io.Reader, size int64, o graph.ImportOptions) (
	err error) {
	dir, err := os.MkdirTemp("", "loci-check-*")
	if err != nil {
		return err
	}
	own := p.settings.DataDir
	p.settings.moveTo(dir)
	defer func() {
		p.settings.moveTo(own)
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	in, err := p.open(ctx, create)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	x, err := in.app.Project.Create(ctx, in.operator, project.Draft{Name: name})
	if err != nil {
		return err
	}
	a := &actor{}
	who, err := a.principal(ctx, in) // who lists the project
	if err != nil {
		return err
	}
	return p.importGraph(ctx, &onGraph{call: &call{instance: in, who: who, actor: a}, project: x}, r, size, o)
}
