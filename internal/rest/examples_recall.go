package rest

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// The examples of routes about recall.
var (
	exampleWhy = loci.Why{Boosts: []string{}, Terms: []loci.WhyTerm{{Term: "deploy", Fields: []string{"title", "content"}, Score: 2.1},
		{Term: "day", Fields: []string{"content"}, Score: 0.6}}}
	exampleRecalled = client.RecallPage{Total: 1, Memories: []loci.Recalled{{Memory: *exampleMemory, Score: 2.7,
		Snippet: "We **deploy** on Tuesdays, never on Fridays.", Why: exampleWhy,
		Sources: []loci.Source{{ID: loci.SourceID(exampleID), MemoryID: exampleID, Kind: loci.SourceURL, Ref: "https://wiki.example/deploys",
			Quote: "We deploy on Tuesdays", UserID: exampleUser, Origin: "claude", AllowedVendors: []loci.Vendor{loci.AnyVendor}, CreatedAt: exampleTime}}}}}
)
