package rest

import (
	"time"

	"github.com/loci-memory/loci"
)

// The examples of the OpenAPI document are one small world, so that they fit
// together. A test validates each against its schema.
var (
	exampleTime = time.Date(2026, 11, 20, 16, 0, 0, 0, time.UTC)
	exampleID   = loci.MemoryID{0x6f, 0x1d, 0x2c, 0x1e, 0x8a, 0x52, 0x4c, 0x0e, 0x9d, 0x7b, 0x2f, 0x3a, 0x4b, 0x5c,
		0x6d, 0x7e}
	otherID = loci.MemoryID{0x1b, 0x9d, 0x6b, 0xcd, 0xbb, 0xfd, 0x4b, 0x2d, 0x9b, 0x5d, 0xab, 0x8d, 0xfb, 0xbd,
		0x4b, 0xed}
	exampleUser = loci.UserID{0x0d, 0x9a, 0x1b, 0x3c, 0x5e, 0x7f, 0x41, 0x28, 0x8c, 0x6d, 0x1e, 0x2f, 0x3a, 0x4b,
		0x5c, 0x6d}
	exampleMemory = &loci.Memory{
		ID: exampleID, Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays.", Tags: []string{"ops"},
		Type: loci.Semantic, Category: loci.DefaultCategory, Importance: loci.DefaultImportance, Source: loci.DefaultSource,
		Access: loci.Access{UserID: exampleUser, Scope: loci.ScopeGlobal, Origin: "claude",
			AllowedVendors: []loci.Vendor{"claude", "cursor"}},
		CreatedAt: exampleTime, UpdatedAt: exampleTime,
		State: loci.State{Version: 1, Change: loci.Created, Editor: "claude"},
	}
)

// exampleKeyed is the example after a second save under its key.
func exampleKeyed() *loci.Memory {
	m := exampleMemory.Clone()
	m.Key, m.Version, m.Change, m.UpdatedAt = "deploy.day", 2, loci.Updated, exampleTime.Add(time.Hour)
	return m
}
