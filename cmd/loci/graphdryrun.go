package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/project"
)

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
