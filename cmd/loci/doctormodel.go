package main

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
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
