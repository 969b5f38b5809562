package main

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/vectors"
)

// examineModel reports whether the model of embeddings in use can be read. It asks no endpoint.
func (d *doctor) examineModel() {
	chosen := d.settings.chosenModel()
	if chosen == embed.Off || d.settings.Embed.Endpoint.BaseURL != "" {
		return
	}
	m, err := embed.OpenStatic(embed.Folder(modelsDir(d.settings.DataDir), chosen))
	if err != nil {
		d.warn("model", "loci models use another one, or loci models off",
			"recall finds memories by their words only: %s", loci.OneLine(err.Error()))
		return
	}
	d.ok("model", "recall also finds by meaning, with %s (%d dimensions)", quoted(cut(chosen, 100)), m.Dims())
}

// examineVectors reports memories that wait for a vector while nothing runs that makes it.
func (d *doctor) examineVectors(ctx context.Context, in *instance) {
	if d.settings.chosenModel() == embed.Off || len(d.processes()) > 0 {
		return
	}
	orgs, err := in.orgs(ctx, "")
	for _, o := range orgs {
		var files []vectors.Stats
		if files, err = in.app.Vectors.Stats(ctx, o.ID); err != nil {
			break
		}
		all := slices.ContainsFunc(files, func(s vectors.Stats) bool { return s.Complete && s.Waiting == 0 })
		words, e := in.app.Index.Stats(ctx, o.ID)
		if e == nil && !all && words.Rows+words.Memory > 0 {
			d.warn("model", "loci serve, or "+rebuildLine(o.ID), "memories of %s have no vectors yet, and no server runs "+
				"that makes them; recall finds those by their words only", o.ID)
		}
	}
	if err != nil {
		d.fail("model", d.remedy(err), "%s", loci.OneLine(err.Error()))
	}
}
