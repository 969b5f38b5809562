package rest

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// The examples about memory nodes.
var (
	exampleNodeID = loci.NodeID(exampleID)
	exampleItemID = loci.NodeItemID{0x0d, 0x9a, 0x1b, 0x3c, 0x5e, 0x7f, 0x41, 0x28, 0x8c, 0x6d, 0x1e, 0x2f, 0x3a, 0x4b, 0x5c, 0x6d}

	exampleNewNode = client.NewNode{Name: "Onboarding", Description: "What a new colleague has to know.", Tags: []string{"team"}}
	exampleNode    = &loci.MemoryNode{ID: exampleNodeID, Name: "Onboarding", Description: "What a new colleague has to know.", Tags: []string{"team"},
		Access:    loci.Access{UserID: exampleUser, Scope: loci.ScopeGlobal, Origin: "api", AllowedVendors: []loci.Vendor{loci.AnyVendor}},
		CreatedAt: exampleTime, UpdatedAt: exampleTime}
	exampleNodes    = client.NodeList{Nodes: []*loci.MemoryNode{exampleNode}}
	exampleNodeEdit = client.NodeEdit{Name: client.Set("First week"), Description: client.Clear[string]()}
	exampleNewItem  = client.NewNodeItem{Kind: loci.ItemText, Text: "Ask for a key on the first day."}
	exampleItem     = &loci.NodeItem{ID: exampleItemID, NodeID: exampleNodeID, Kind: loci.ItemText, Text: "Ask for a key on the first day.",
		UserID: exampleUser, Origin: "api", AllowedVendors: []loci.Vendor{loci.AnyVendor}, CreatedAt: exampleTime}
	exampleItems = client.NodeItemList{Items: []loci.NodeItem{*exampleItem}}
	exampleMove  = client.NodeItemMove{ParentID: client.Clear[loci.NodeItemID]()}
	examplePack  = client.NodePack{Node: exampleNode, Items: []client.PackedItem{{NodeItem: *exampleItem, Number: "1", Content: exampleItem.Text}}}
)
