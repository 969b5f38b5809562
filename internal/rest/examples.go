package rest

import (
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// The examples of the OpenAPI document: one small world, so that they fit
// together. A test validates each against its schema.
var (
	exampleTime = time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC)
	exampleID   = loci.MemoryID{0x6f, 0x1d, 0x2c, 0x1e, 0x8a, 0x52, 0x4c, 0x0e, 0x9d, 0x7b, 0x2f, 0x3a, 0x4b, 0x5c, 0x6d, 0x7e}
	otherID     = loci.MemoryID{0x1b, 0x9d, 0x6b, 0xcd, 0xbb, 0xfd, 0x4b, 0x2d, 0x9b, 0x5d, 0xab, 0x8d, 0xfb, 0xbd, 0x4b, 0xed}
	exampleUser = loci.UserID{0x0d, 0x9a, 0x1b, 0x3c, 0x5e, 0x7f, 0x41, 0x28, 0x8c, 0x6d, 0x1e, 0x2f, 0x3a, 0x4b, 0x5c, 0x6d}

	exampleMemory = &loci.Memory{
		ID: exampleID, Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays.", Tags: []string{"ops"},
		Type: loci.Semantic, Category: loci.DefaultCategory, Importance: loci.DefaultImportance, Source: loci.DefaultSource,
		Access: loci.Access{UserID: exampleUser, Scope: loci.ScopeGlobal, Origin: "claude",
			AllowedVendors: []loci.Vendor{"claude", "cursor"}},
		CreatedAt: exampleTime, UpdatedAt: exampleTime,
		State: loci.State{Version: 1, Change: loci.Created, Editor: "claude"},
	}
	exampleNew = client.NewMemory{Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays.",
		Tags: []string{"ops"}, AllowedVendors: []loci.Vendor{"claude", "cursor"}, Attributes: client.Attributes{Key: "deploy.day"},
		Sources: []client.NewSource{{Kind: loci.SourceURL, Ref: "https://wiki.example.org/deploys", Quote: "never on Fridays"}}}
	exampleSaved       = &loci.Saved{Memory: *exampleKeyed(), ReplacedVersion: 1, Similar: []loci.Similar{{ID: otherID, Title: "Deploys of the website", Score: 0.8, Relation: loci.Contradiction}}}
	exampleReplacement = client.Replacement{Title: "Deploys", Content: "We deploy on Tuesdays and Thursdays.",
		Tags: []string{"ops"}, AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	exampleEdit = client.Edit{Content: client.Set("We deploy on Tuesdays and Thursdays."), Summary: client.Clear[string]()}
	exampleList = client.ListRequest{Filter: client.Filter{By: client.ByTags, Conditions: client.Conditions{Tags: []string{"ops"}}}, Limit: 50}

	one              = 1
	examplePosition  = client.Page{Limit: 50, Total: &one}
	examplePage      = client.MemoryPage{Memories: []*loci.Memory{exampleMemory}, Page: examplePosition}
	exampleSummaries = client.SummaryPage{Memories: []loci.MemorySummary{exampleMemory.Summarize()}, Page: examplePosition}
	exampleFound     = client.SearchPage{Memories: []*loci.Memory{exampleMemory}, Count: 1,
		Hits: []client.Hit{{ID: exampleID, Score: 2.7, Snippet: "We **deploy** on Tuesdays, never on Fridays.", Why: exampleWhy}},
		Page: client.Page{Limit: 10, Total: &one}}
	exampleNewest  = client.CountedPage{Memories: []*loci.Memory{exampleMemory}, Count: 1}
	exampleHistory = client.History{CurrentVersion: 2, Versions: []*loci.Version{{Memory: *exampleMemory, ReplacedAt: exampleTime.Add(time.Hour)}}}

	exampleHealth   = client.Health{Service: "loci", Status: "ok", Version: "0.1.0", Uptime: 12.5, ModelEgress: "disabled"}
	exampleVendor   = loci.Vendor("claude")
	exampleIdentity = client.Identity{Role: "agent", Vendor: &exampleVendor, Origin: "claude", OrgID: loci.DefaultOrg,
		UserID: exampleUser, OrgName: "Acme", OrgRole: loci.Member, Method: loci.ByKey, Scopes: loci.AgentRights()}

	exampleQuery  = client.QueryRequest{Query: "When do we deploy?"}
	exampleAnswer = client.QueryAnswer{MemoriesUsed: []*loci.Memory{exampleMemory}, UsedCount: 1, Included: 1, IncludedInPrompt: 1,
		MemoriesTotal: 1, PromptSent: "Answer the question with the help of the memories below. …", VendorFilter: &exampleVendor,
		EstimatedTokens: 180, Receipt: client.Receipt{Used: []client.Use{{ID: exampleID, Title: "Deploys", Reason: "match"}}, Cut: []client.Left{}}}
	exampleBriefing = loci.Briefing{Total: 1, Recent: []loci.MemorySummary{exampleMemory.Summarize()}, Pinned: []loci.PinnedMemory{},
		Tags: []loci.Count{{Name: "ops", Count: 1}}, Origins: []loci.Count{{Name: "claude", Count: 1}}, GeneratedAt: exampleTime}
)

// exampleKeyed is the example after it was saved again under its key.
func exampleKeyed() *loci.Memory {
	m := exampleMemory.Clone()
	m.Key, m.Version, m.Change, m.UpdatedAt = "deploy.day", 2, loci.Updated, exampleTime.Add(time.Hour)
	return m
}
