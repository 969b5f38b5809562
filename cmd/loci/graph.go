package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) graphCommand() *cobra.Command {
	return group("graph", "Read and change the knowledge graph of a project", `Read and change the knowledge graph of a project: entities, observations about
them, and relations between them. --project names it; with one active project it
may be left out. Names are exact; --type tells entities of one name apart.`,
		p.graphAddCommand(), p.graphObserveCommand(), p.graphRelateCommand(),
		p.graphSearchCommand(), p.graphOpenCommand(), p.graphReadCommand(), p.graphNeighboursCommand(), p.graphHistoryCommand(),
		p.graphDeleteCommand(), p.graphForgetCommand(), p.graphUnrelateCommand(), p.graphTrashCommand(), p.graphRestoreCommand(),
		p.graphMergeCommand(), p.graphVendorsCommand(),
		p.graphExportCommand(), p.graphImportCommand(), p.graphCheckCommand())
}

// graphFlags say whose graph it is, and through whose eyes.
type graphFlags struct{ project, org, user, vendor string }

// add gives a command the flags; looks says that --as makes sense there.
func (f *graphFlags) add(cmd *cobra.Command, looks bool) {
	cmd.Flags().StringVar(&f.project, "project", "", "name or id of the project (default: the one that is active, if there is one only)")
	orgFlag(cmd, &f.org)
	userFlag(cmd, &f.user)
	if looks {
		cmd.Flags().StringVar(&f.vendor, "as", "", "act as this vendor's assistant: see what it sees, write in its name")
	}
}

// vendorsFlag is for what is written: who may read it.
func vendorsFlag(cmd *cobra.Command, vendors *[]string) {
	cmd.Flags().StringSliceVar(vendors, "allow", nil, `vendors that may read it, such as claude,cursor; "*" is all (default: all)`)
}

func (f *graphFlags) principal(ctx context.Context, in *instance) (loci.Principal, error) {
	if f.vendor == "" {
		return in.actFor(ctx, f.org, f.user)
	}
	if f.org != "" || f.user != "" {
		return loci.Principal{}, usagef("--as is about the assistants of the person at this machine; it goes without --org and --user")
	}
	return in.as(ctx, f.vendor)
}

// onGraph is what a command has: an open data directory, who acts, and a project.
type onGraph struct {
	*instance
	who     loci.Principal
	project loci.Project
}

// graph opens the project of a command and calls do with it.
func (p *program) graph(cmd *cobra.Command, f *graphFlags, do func(context.Context, *onGraph) error) error {
	ctx := cmd.Context()
	return p.with(ctx, refuse, func(in *instance) error {
		who, err := f.principal(ctx, in)
		if err != nil {
			return err
		}
		x, err := in.chosen(ctx, who, f.project)
		if err != nil {
			return err
		}
		return do(ctx, &onGraph{in, who, x})
	})
}

// chosen returns the project that was named, or the only active one.
func (in *instance) chosen(ctx context.Context, who loci.Principal, name string) (loci.Project, error) {
	if name != "" {
		return in.project(ctx, who, name)
	}
	list, err := in.projects(ctx, who, loci.ProjectActive, 2)
	switch {
	case err != nil:
		return loci.Project{}, err
	case len(list) == 0:
		return loci.Project{}, loci.Errorf(loci.NotFound, "there is no active project; make one with `loci project create NAME%s`", orgHint(who))
	case len(list) > 1:
		return loci.Project{}, usagef("--project must say which of the projects is meant: %s", someNames(list))
	}
	return list[0], nil
}

func someNames(list []loci.Project) string {
	const most = 5
	var names []string
	for i, x := range list {
		if i == most {
			return strings.Join(names, ", ") + ", …; `loci project list` shows all"
		}
		names = append(names, quoted(x.Name))
	}
	return strings.Join(names, ", ")
}

// quoted is a text as a shell takes it for one word.
func quoted(s string) string {
	s = loci.OneLine(s)
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/@:", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// parseVendors reads the vendors of a flag or an argument; nil for none.
func parseVendors(field string, names []string) ([]loci.Vendor, error) {
	var vendors []loci.Vendor
	for _, name := range names {
		if name == string(loci.AnyVendor) {
			vendors = append(vendors, loci.AnyVendor)
			continue
		}
		v, err := loci.ParseVendor(name)
		if err != nil {
			return nil, loci.FieldErrorf(field, "cannot name %q: %s", cut(name, 60), err)
		}
		vendors = append(vendors, v)
	}
	return vendors, nil
}

// typeFlag tells entities of one name apart.
func typeFlag(cmd *cobra.Command, kind *string) {
	cmd.Flags().StringVar(kind, "type", "", "type of the entity, where several have that name")
}

// which reads the name of an entity, or its id.
func which(s, kind string) app.Which {
	var id loci.EntityID
	if kind == "" && id.UnmarshalText([]byte(s)) == nil && !id.IsZero() {
		return app.Which{ID: id}
	}
	return app.Which{EntityRef: loci.EntityRef{Name: s, Type: kind}}
}
