package loci_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
)

func TestMemoryNodeValidate(t *testing.T) {
	for _, tt := range []struct {
		name, field, text string
		change            func(*loci.MemoryNode)
	}{
		{"good", "", "", func(*loci.MemoryNode) {}},
		{"in a project", "", "", func(n *loci.MemoryNode) { n.Scope, n.ProjectID = loci.ScopeProject, loci.ProjectID{1} }},
		{"no name", "name", "empty", func(n *loci.MemoryNode) { n.Name = "" }},
		{"long name", "name", "500", func(n *loci.MemoryNode) { n.Name = strings.Repeat("é", loci.MaxTitle+1) }},
		{"long description", "description", "longer",
			func(n *loci.MemoryNode) { n.Description = strings.Repeat("é", loci.MaxDescription+1) }},
		{"tag", "tags[0]", "empty", func(n *loci.MemoryNode) { n.Tags = []string{""} }},
		{"too many tags", "tags", "50", func(n *loci.MemoryNode) { n.Tags = manyTags(51) }},
		{"no vendors", "allowed_vendors", "at least one", func(n *loci.MemoryNode) { n.AllowedVendors = []loci.Vendor{} }},
		{"scope", "scope", "global", func(n *loci.MemoryNode) { n.Scope = "x" }},
		{"no project", "project_id", "required", func(n *loci.MemoryNode) { n.Scope = loci.ScopeProject }},
		{"no agent", "agent_id", "required", func(n *loci.MemoryNode) { n.Scope = loci.ScopeAgent }},
	} {
		n := &loci.MemoryNode{Name: "Release"}
		n.SetDefaults()
		tt.change(n)
		wantField(t, tt.name, n.Validate(), tt.field, tt.text)
	}
	n := &loci.MemoryNode{Name: "n", Tags: []string{"x", "y", "x"}}
	n.SetDefaults()
	if err := n.Validate(); err != nil || !cmp.Equal(n.Tags, []string{"x", "y"}) ||
		!cmp.Equal(n.AllowedVendors, []loci.Vendor{"*"}) || n.Scope != loci.ScopeGlobal {
		t.Errorf("got %+v, %v", n, err)
	}
}

func TestNodeItemValidate(t *testing.T) {
	memory, project, entity := loci.MemoryID{1}, loci.ProjectID{2}, loci.EntityID{3}
	for _, tt := range []struct {
		name, field, text string
		item              loci.NodeItem
	}{
		{"memory", "", "", loci.NodeItem{Kind: loci.ItemMemory, MemoryID: memory}},
		{"entity", "", "", loci.NodeItem{Kind: loci.ItemEntity, ProjectID: project, EntityID: entity}},
		{"text", "", "", loci.NodeItem{Kind: loci.ItemText, Text: "First:"}},
		{"kind", "items[0].kind", "memory, entity, text", loci.NodeItem{Kind: "picture", Text: "x"}},
		{"no memory", "items[0]", "memory_id", loci.NodeItem{Kind: loci.ItemMemory}},
		{"memory and text", "items[0]", "nothing else", loci.NodeItem{Kind: loci.ItemMemory, MemoryID: memory, Text: "x"}},
		{"memory and entity", "items[0]", "nothing else",
			loci.NodeItem{Kind: loci.ItemMemory, MemoryID: memory, EntityID: entity}},
		{"entity without project", "items[0]", "project_id", loci.NodeItem{Kind: loci.ItemEntity, EntityID: entity}},
		{"project without entity", "items[0]", "entity_id", loci.NodeItem{Kind: loci.ItemEntity, ProjectID: project}},
		{"entity and memory", "items[0]", "nothing else",
			loci.NodeItem{Kind: loci.ItemEntity, ProjectID: project, EntityID: entity, MemoryID: memory}},
		{"text and memory", "items[0]", "nothing else", loci.NodeItem{Kind: loci.ItemText, Text: "x", MemoryID: memory}},
		{"no text", "items[0].text", "empty", loci.NodeItem{Kind: loci.ItemText}},
		{"long text", "items[0].text", "10000",
			loci.NodeItem{Kind: loci.ItemText, Text: strings.Repeat("é", loci.MaxNodeText+1)}},
	} {
		tt.item.AllowedVendors = []loci.Vendor{"*"}
		wantField(t, tt.name, tt.item.Validate("items[0]"), tt.field, tt.text)
	}
	none := loci.NodeItem{Kind: loci.ItemText, Text: "x"}
	wantField(t, "no vendors", none.Validate("items[0]"), "items[0].allowed_vendors", "at least one")
}
