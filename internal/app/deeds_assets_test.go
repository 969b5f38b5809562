package app_test

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func file(name, content string) memory.Upload {
	return memory.Upload{Name: name, Size: int64(len(content)), Body: strings.NewReader(content)}
}

// settleAttached gives mara's memory a file and a source.
func (c *company) settleAttached() {
	c.ask()
	c.t.Helper()
	ctx := c.t.Context()
	a, _, err := c.Memory.AddAsset(ctx, c.mara, c.memory.ID, file("okapi.txt", "a file of the okapi"))
	c.must(err)
	list, _, err := c.Memory.AddSources(ctx, c.mara, c.memory.ID,
		[]loci.Source{{Kind: loci.SourceURL, Ref: "https://zebra.example/"}})
	c.must(err)
	c.asset, c.source = a.ID, list[0].ID
}

func init() {
	deeds[memory.AssetAdd] = func(c *company, ctx context.Context) error {
		return third(c.Memory.AddAsset(ctx, c.mara, c.memory.ID, file("zebra.txt", "the quagga's file")))
	}
	deeds[memory.AssetDelete] = func(c *company, ctx context.Context) error {
		return c.Memory.DeleteAsset(ctx, c.mara, c.asset)
	}
	deeds[memory.SourceAdd] = func(c *company, ctx context.Context) error {
		return third(c.Memory.AddSources(ctx, c.mara, c.memory.ID,
			[]loci.Source{{Kind: loci.SourceText, Text: "the okapi said so", Quote: "okapi"}}))
	}
	deeds[memory.SourceDelete] = func(c *company, ctx context.Context) error {
		return c.Memory.DeleteSource(ctx, c.mara, c.source)
	}

	probes = append(probes, assetProbes...)
}

func assetsOf(s *strangers) [][16]byte  { return s.assets }
func sourcesOf(s *strangers) [][16]byte { return s.sources }

// assetProbes name a memory of strangers, or what hangs on one.
var assetProbes = []probe{
	{"attach", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return pair(c.Memory.AddAsset(c.ctx, c.p, id, file("a.txt", "mine")))
	}},
	{"attach without a name", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return pair(c.Memory.AddAsset(c.ctx, c.p, id, file("", "mine")))
	}},
	{"attach what is large", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return pair(c.Memory.AddAsset(c.ctx, c.p, id, memory.Upload{Name: "a", Size: 1 << 50, Body: strings.NewReader("")}))
	}},
	{"assets", memoriesOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Assets(c.ctx, c.p, id) }},
	{"asset", assetsOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Asset(c.ctx, c.p, id) }},
	{"open asset", assetsOf,
		func(c *caller, id [16]byte) (any, error) { return pair(c.Memory.OpenAsset(c.ctx, c.p, id)) }},
	{"delete asset", assetsOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Memory.DeleteAsset(c.ctx, c.p, id)) }},
	{"add source", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return pair(c.Memory.AddSources(c.ctx, c.p, id, []loci.Source{{Kind: loci.SourceText, Text: "mine"}}))
	}},
	{"add a bad source", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return pair(c.Memory.AddSources(c.ctx, c.p, id, []loci.Source{{Kind: "bad"}}))
	}},
	{"sources", memoriesOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Sources(c.ctx, c.p, id) }},
	{"resolve asset", assetsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.ResolveAsset(c.ctx, c.p, loci.AssetID(id).String()[:loci.ShortID+1])
	}},
	{"resolve source", sourcesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.ResolveSource(c.ctx, c.p, loci.SourceID(id).String()[:loci.ShortID+1])
	}},
	{"delete source", sourcesOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Memory.DeleteSource(c.ctx, c.p, id)) }},
}

// attachTo gives a memory of a stranger a file and a source.
func (s *stage) attachTo(p loci.Principal, id loci.MemoryID, b *strangers) {
	s.t.Helper()
	a, _, err := s.Memory.AddAsset(s.t.Context(), p, id, file(b.mark+".txt", "the secret plan of "+b.mark))
	s.must(err)
	list, _, err := s.Memory.AddSources(s.t.Context(), p, id,
		[]loci.Source{{Kind: loci.SourceText, Text: "the plan of " + b.mark}})
	s.must(err)
	b.assets, b.sources = append(b.assets, a.ID), append(b.sources, list[0].ID)
}
