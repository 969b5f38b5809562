package rest

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// The examples about what hangs on memories.
var (
	exampleAsset = loci.Asset{ID: loci.AssetID(exampleMemory.ID), MemoryID: exampleMemory.ID, UserID: exampleMemory.UserID, Origin: "claude", Name: "diagram.png",
		MediaType: "image/png", Size: 48213, SHA256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", CreatedAt: exampleMemory.CreatedAt}
	exampleAssets     = []loci.Asset{exampleAsset}
	exampleNewSources = client.NewSources{Sources: []client.NewSource{{Kind: loci.SourceURL, Ref: "https://wiki.example.org/deploys", Quote: "never on Fridays"}}}
	exampleSources    = []loci.Source{{ID: loci.SourceID(exampleMemory.ID), MemoryID: exampleMemory.ID, Kind: loci.SourceURL, Ref: "https://wiki.example.org/deploys",
		Quote: "never on Fridays", UserID: exampleMemory.UserID, Origin: "claude", AllowedVendors: []loci.Vendor{loci.AnyVendor}, CreatedAt: exampleMemory.CreatedAt}}
)
