package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show how two assistants share a memory, in a temporary directory",
		Annotations: does(memory.Create, memory.Read, memory.Change, memory.History, memory.Trash,
			memory.Restore, project.Create, graph.Write, graph.Read),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx := cmd.Context()
			if flag := cmd.Flag("data-dir"); flag.Changed {
				if entries, err := os.ReadDir(p.settings.DataDir); err == nil && len(entries) > 0 {
					return loci.Errorf(loci.Conflict, "cannot run the demo in %s: it is not empty; choose a new directory",
						p.settings.DataDir)
				}
			} else {
				var dir string
				if dir, err = os.MkdirTemp("", "loci-demo-*"); err != nil {
					return err
				}
				p.settings.moveTo(dir)
				defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
			}
			return p.with(ctx, create, func(in *instance) error {
				d := &demo{program: p, instance: in}
				if d.claude, err = in.auth.Local(ctx, "claude"); err != nil {
					return err
				}
				if d.cursor, err = in.auth.Local(ctx, "cursor"); err != nil {
					return err
				}
				return d.walk(ctx)
			})
		},
	}
}

// demo prints real answers of the use cases.
type demo struct {
	*program
	*instance
	claude, cursor loci.Principal
}

func (d *demo) walk(ctx context.Context) error {
	d.step("Claude writes two memories")
	deploys, err := d.write(ctx, d.claude, "Deploys", "We deploy on Tuesdays, never on Fridays.", "ops")
	if err != nil {
		return err
	}
	if _, err := d.write(ctx, d.claude, "Coffee", "Ada takes her coffee without milk.", "preference"); err != nil {
		return err
	}
	d.step("Cursor writes one")
	if _, err := d.write(ctx, d.cursor, "Test command", "Run the tests with make test before every commit.",
		"ops"); err != nil {
		return err
	}
	d.step("Cursor searches for what Claude wrote")
	if err := d.find(ctx, d.cursor, "when do we deploy"); err != nil {
		return err
	}
	d.step("You restrict that memory to Claude")
	if err := d.restrict(ctx, deploys, "claude"); err != nil {
		return err
	}
	d.step("Cursor can no longer find it, by words or by id")
	if err := d.find(ctx, d.cursor, "when do we deploy"); err != nil {
		return err
	}
	if _, err := d.app.Memory.Get(ctx, d.cursor, deploys); err != nil {
		d.printf("  cursor gets %s: %s\n", deploys, err)
	}
	if err := d.find(ctx, d.claude, "when do we deploy"); err != nil {
		return err
	}
	d.step("Loci kept the old version: its history")
	if err := d.history(ctx, deploys); err != nil {
		return err
	}
	return d.trashAndRestore(ctx, deploys)
}

func (d *demo) trashAndRestore(ctx context.Context, id loci.MemoryID) error {
	d.step("You trash it: nobody finds it, and you can restore it for %s", trashTime)
	if _, err := d.app.Memory.Trash(ctx, d.operator, id, 0); err != nil {
		return err
	}
	if err := d.find(ctx, d.claude, "deploy"); err != nil {
		return err
	}
	m, err := d.app.Memory.Restore(ctx, d.operator, id, 0)
	if err != nil {
		return err
	}
	d.printf("  restored %q, now version %d\n", m.Title, m.Version)
	d.step("What each of you sees now")
	for _, who := range []loci.Principal{d.operator, d.claude, d.cursor} {
		page, err := d.app.Memory.List(ctx, who, memory.ListRequest{Total: true})
		if err != nil {
			return err
		}
		d.printf("  %s: %s\n", whoIs(who), loci.Plural(page.Total, "memory", "memories"))
		for _, m := range page.Items {
			d.printf("    %s (written by %s)\n", m.Title, m.Origin)
		}
	}
	if err := d.graph(ctx); err != nil {
		return err
	}
	d.step("To do the same with your own assistants, run: loci serve")
	return nil
}

// graph shows how assistants share the entities and relations of a project.
func (d *demo) graph(ctx context.Context) error {
	d.step("Claude keeps a graph of a project")
	x, err := d.app.Project.Create(ctx, d.claude, project.Draft{Name: "website"})
	if err != nil {
		return err
	}
	for _, who := range []*loci.Principal{&d.claude, &d.cursor} { // the principal lists its projects
		if *who, err = d.auth.Local(ctx, who.Vendor); err != nil {
			return err
		}
	}
	made, err := d.app.Graph.CreateEntities(ctx, d.claude, x.ID, nil, []loci.NewEntity{
		{EntityRef: loci.EntityRef{Name: "website", Type: "service"},
			Observations: []string{"Its certificate expires on 3 March."}},
		{EntityRef: loci.EntityRef{Name: "API gateway", Type: "service"}, Observations: []string{"Listens on port 8443."}}})
	if err != nil {
		return err
	}
	link := loci.NewRelation{From: loci.EntityRef{Name: "website"}, Type: "depends_on",
		To: loci.EntityRef{Name: "API gateway"}}
	if _, err := d.app.Graph.CreateRelations(ctx, d.claude, x.ID, nil, []loci.NewRelation{link}); err != nil {
		return err
	}
	d.printf("  project %s: %s, 1 relation\n", x.Name, loci.Plural(len(made), "entity", "entities"))
	d.step("Cursor searches the graph")
	hits, err := d.app.Graph.Search(ctx, d.cursor, x.ID, graph.SearchRequest{Query: "certificate"})
	if err != nil {
		return err
	}
	d.printf("  cursor searches \"certificate\": %d found\n", hits.Total)
	for _, e := range hits.Entities {
		d.printf("    %s (written by %s): %s\n", e.Name, e.Origin, e.Observations[0].Content)
		for _, r := range e.Relations {
			d.printf("      %s\n", relationText(r))
		}
	}
	return nil
}

func (d *demo) step(format string, args ...any) { d.printf("\n"+format+"\n", args...) }

func whoIs(p loci.Principal) string {
	if p.Vendor == "" {
		return "you"
	}
	return string(p.Vendor)
}

func (d *demo) write(ctx context.Context, who loci.Principal, title, content, tag string) (loci.MemoryID, error) {
	m, err := d.app.Memory.Create(ctx, who, memory.Draft{Title: title, Content: content, Tags: []string{tag}})
	if err != nil {
		return loci.MemoryID{}, err
	}
	d.printf("  %q, origin %s, visible to %s\n", m.Content, m.Origin, joined(m.AllowedVendors))
	return m.ID, nil
}

func (d *demo) find(ctx context.Context, who loci.Principal, query string) error {
	page, err := d.app.Memory.Search(ctx, who, memory.SearchRequest{Query: query})
	if err != nil {
		return err
	}
	d.printf("  %s searches %q: %d found\n", whoIs(who), query, page.Total)
	for _, h := range page.Items {
		text := loci.OneLine(h.Snippet.String())
		d.printf("    %s (written by %s): %s\n", h.Memory.Title, h.Memory.Origin, text)
	}
	return nil
}

func (d *demo) restrict(ctx context.Context, id loci.MemoryID, vendor loci.Vendor) error {
	m, err := d.app.Memory.Patch(ctx, d.operator, id, 0, memory.Patch{AllowedVendors: loci.Set([]loci.Vendor{vendor})})
	if err != nil {
		return err
	}
	d.printf("  %q is now visible to %s\n", m.Title, joined(m.AllowedVendors))
	return nil
}

func (d *demo) history(ctx context.Context, id loci.MemoryID) error {
	versions, current, err := d.app.Memory.Versions(ctx, d.operator, id, 0, 0)
	if err != nil {
		return err
	}
	d.printf("  version %d, %s by %s, visible to %s\n", current.Version, current.Change, current.Editor,
		joined(current.AllowedVendors))
	for _, v := range versions {
		d.printf("  version %d, %s by %s, visible to %s\n", v.Version, v.Change, v.Editor, joined(v.AllowedVendors))
	}
	return nil
}
