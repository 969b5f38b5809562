package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "demo",
		Short:       "Walk through two assistants that share a memory, in a throw-away directory",
		Args:        cobra.NoArgs,
		Annotations: does(app.MemoryCreate, app.MemoryRead, app.MemoryChange, app.MemoryHistory, app.MemoryTrash, app.MemoryRestore, app.ProjectCreate, app.GraphWrite, app.GraphRead),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx := cmd.Context()
			if flag := cmd.Flag("data-dir"); flag.Changed {
				if entries, err := os.ReadDir(p.settings.DataDir); err == nil && len(entries) > 0 {
					return loci.Errorf(loci.Conflict, "%s is not empty, and the demo would write into your memories; name a new directory", p.settings.DataDir)
				}
			} else {
				if p.settings.DataDir, err = os.MkdirTemp("", "loci-demo-*"); err != nil {
					return err
				}
				defer func() { err = errors.Join(err, os.RemoveAll(p.settings.DataDir)) }()
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

// demo is the walk. Everything it prints is what the use cases answered.
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
	if _, err := d.write(ctx, d.cursor, "Test command", "Run the tests with make test before every commit.", "ops"); err != nil {
		return err
	}
	d.step("Cursor looks for what Claude wrote")
	if err := d.find(ctx, d.cursor, "when do we deploy"); err != nil {
		return err
	}
	d.step("You restrict that memory to Claude")
	if err := d.restrict(ctx, deploys, "claude"); err != nil {
		return err
	}
	d.step("Now it is as if it were not there for Cursor, by words and by id")
	if err := d.find(ctx, d.cursor, "when do we deploy"); err != nil {
		return err
	}
	if _, err := d.app.Get(ctx, d.cursor, deploys); err != nil {
		d.printf("  cursor gets %s: %s\n", deploys, err)
	}
	if err := d.find(ctx, d.claude, "when do we deploy"); err != nil {
		return err
	}
	d.step("Nothing was overwritten: its history")
	if err := d.history(ctx, deploys); err != nil {
		return err
	}
	return d.trashAndRestore(ctx, deploys)
}

func (d *demo) trashAndRestore(ctx context.Context, id loci.MemoryID) error {
	d.step("You trash it; nobody finds it, and it can be restored for %d days", loci.TrashDays)
	if _, err := d.app.Trash(ctx, d.operator, id, 0); err != nil {
		return err
	}
	if err := d.find(ctx, d.claude, "deploy"); err != nil {
		return err
	}
	m, err := d.app.Restore(ctx, d.operator, id, 0)
	if err != nil {
		return err
	}
	d.printf("  restored %q, now version %d\n", m.Title, m.Version)
	d.step("What each of them sees now")
	for _, who := range []loci.Principal{d.operator, d.claude, d.cursor} {
		page, err := d.app.List(ctx, who, app.ListRequest{Total: true})
		if err != nil {
			return err
		}
		d.printf("  %s: %d memories\n", whoIs(who), page.Total)
		for _, m := range page.Memories {
			d.printf("    %s (written by %s)\n", m.Title, m.Origin)
		}
	}
	if err := d.graph(ctx); err != nil {
		return err
	}
	d.step("The same with your own assistants: loci serve")
	return nil
}

// graph is what assistants know of a project, as things and how they hang
// together.
func (d *demo) graph(ctx context.Context) error {
	d.step("Claude keeps a graph of a project")
	x, err := d.app.CreateProject(ctx, d.claude, app.ProjectDraft{Name: "website"})
	if err != nil {
		return err
	}
	for _, who := range []*loci.Principal{&d.claude, &d.cursor} { // who they are says which projects they are in
		if *who, err = d.auth.Local(ctx, who.Vendor); err != nil {
			return err
		}
	}
	made, err := d.app.CreateEntities(ctx, d.claude, x.ID, nil, []loci.NewEntity{
		{EntityRef: loci.EntityRef{Name: "website", Type: "service"}, Observations: []string{"Its certificate expires on 3 March."}},
		{EntityRef: loci.EntityRef{Name: "API gateway", Type: "service"}, Observations: []string{"Listens on port 8443."}}})
	if err != nil {
		return err
	}
	link := loci.NewRelation{From: loci.EntityRef{Name: "website"}, Type: "depends_on", To: loci.EntityRef{Name: "API gateway"}}
	if _, err := d.app.CreateRelations(ctx, d.claude, x.ID, nil, []loci.NewRelation{link}); err != nil {
		return err
	}
	d.printf("  project %s: %d entities, 1 relation\n", x.Name, len(made))
	d.step("Cursor asks it")
	hits, err := d.app.SearchGraph(ctx, d.cursor, x.ID, app.GraphSearch{Query: "certificate"})
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
	m, err := d.app.Create(ctx, who, app.Draft{Title: title, Content: content, Tags: []string{tag}})
	if err != nil {
		return loci.MemoryID{}, err
	}
	d.printf("  %q, origin %s, visible to %s\n", m.Content, m.Origin, joined(m.AllowedVendors))
	return m.ID, nil
}

func (d *demo) find(ctx context.Context, who loci.Principal, query string) error {
	page, err := d.app.Search(ctx, who, app.SearchRequest{Query: query})
	if err != nil {
		return err
	}
	d.printf("  %s searches %q: %d found\n", whoIs(who), query, page.Total)
	for _, h := range page.Hits {
		d.printf("    %s (written by %s): %s\n", h.Memory.Title, h.Memory.Origin, loci.OneLine(h.Snippet))
	}
	return nil
}

func (d *demo) restrict(ctx context.Context, id loci.MemoryID, vendor loci.Vendor) error {
	m, err := d.app.Patch(ctx, d.operator, id, 0, app.Patch{AllowedVendors: &[]loci.Vendor{vendor}})
	if err != nil {
		return err
	}
	d.printf("  %q is visible to %s now\n", m.Title, joined(m.AllowedVendors))
	return nil
}

func (d *demo) history(ctx context.Context, id loci.MemoryID) error {
	versions, current, err := d.app.Versions(ctx, d.operator, id, 0, 0)
	if err != nil {
		return err
	}
	d.printf("  version %d, %s by %s, visible to %s\n", current.Version, current.Change, current.Editor, joined(current.AllowedVendors))
	for _, v := range versions {
		d.printf("  version %d, %s by %s, visible to %s\n", v.Version, v.Change, v.Editor, joined(v.AllowedVendors))
	}
	return nil
}
