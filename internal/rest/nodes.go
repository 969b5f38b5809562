package rest

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// NodePath is a memory node in a path. It is exported because huma passes over
// embedded structs that are not.
type NodePath struct {
	ID string `path:"id" doc:"Of the memory node, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (n NodePath) node() (id loci.NodeID) {
	read(&id, n.ID)
	return id
}

// NodeItemPath is an item of a memory node in a path, exported as NodePath is.
type NodeItemPath struct {
	NodePath
	Item string `path:"item" doc:"Of the item, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (i NodeItemPath) item() (id loci.NodeItemID) {
	read(&id, i.Item)
	return id
}

type newNodeInput struct {
	Body    client.NewNode
	RawBody []byte
}

func (s *server) createNode(ctx context.Context, p loci.Principal, in *newNodeInput) (*answer[*loci.MemoryNode], error) {
	b := &in.Body
	if err := nullVendors(b.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	return say(s.app.CreateNode(ctx, p, app.NodeDraft{Name: b.Name, Description: b.Description, Tags: b.Tags, AllowedVendors: b.AllowedVendors,
		Scope: b.Scope, ProjectID: b.ProjectID, AgentID: b.AgentID, Shared: b.Shared}))
}

type nodesInput struct {
	Scope     loci.Scope `query:"scope" enum:"global,project,agent"`
	ProjectID string     `query:"project_id" doc:"A UUID"`
	Tag       string     `query:"tag" maxLength:"100"`
	Trashed   bool       `query:"trashed" doc:"Those in the trash instead; for people"`
	Limit     int        `query:"limit" minimum:"1" maximum:"500" doc:"Left out: 50"`
	Cursor    string     `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same parameters"`
}

func (s *server) nodes(ctx context.Context, p loci.Principal, in *nodesInput) (*answer[client.NodeList], error) {
	r := app.NodeList{Scope: in.Scope, Tag: in.Tag, Trashed: in.Trashed, Limit: in.Limit, Cursor: in.Cursor}
	if in.ProjectID != "" && r.ProjectID.UnmarshalText([]byte(in.ProjectID)) != nil {
		return nil, loci.FieldErrorf("project_id", "must be a UUID of 36 characters")
	}
	page, err := s.app.Nodes(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return say(client.NodeList{Nodes: orEmpty(page.Nodes), More: moreAt(page.NextCursor)}, nil)
}

func (s *server) node(ctx context.Context, p loci.Principal, in *NodePath) (*answer[*loci.MemoryNode], error) {
	return say(s.app.Node(ctx, p, in.node()))
}

type nodeEditInput struct {
	NodePath
	Body client.NodeEdit `contentType:"application/json"`
}

func (s *server) editNode(ctx context.Context, p loci.Principal, in *nodeEditInput) (*answer[*loci.MemoryNode], error) {
	e := &in.Body
	for name, cleared := range map[string]bool{"name": e.Name.Cleared(), "allowed_vendors": e.AllowedVendors.Cleared()} {
		if cleared {
			return nil, loci.FieldErrorf(name, "cannot be cleared; leave it out to keep it, or send a new value")
		}
	}
	return say(s.app.ChangeNode(ctx, p, in.node(), app.NodePatch{Name: changed(e.Name, ""), Description: changed(e.Description, ""),
		Tags: changed(e.Tags, []string{}), AllowedVendors: changed(e.AllowedVendors, nil), Shared: changed(e.Shared, false)}))
}

type nodeTrashInput struct {
	NodePath
	Permanent bool `query:"permanent" doc:"Erase it for good, with its items; also one that is in the trash"`
}

// nodeOutput is a memory node, or nothing.
type nodeOutput struct {
	Status int
	Body   *loci.MemoryNode
}

func (s *server) trashNode(ctx context.Context, p loci.Principal, in *nodeTrashInput) (*nodeOutput, error) {
	if in.Permanent {
		return &nodeOutput{Status: http.StatusNoContent}, s.app.EraseNode(ctx, p, in.node())
	}
	n, err := s.app.TrashNode(ctx, p, in.node())
	return &nodeOutput{http.StatusOK, n}, err
}

func (s *server) restoreNode(ctx context.Context, p loci.Principal, in *NodePath) (*answer[*loci.MemoryNode], error) {
	return say(s.app.RestoreNode(ctx, p, in.node()))
}

func (s *server) nodeItems(ctx context.Context, p loci.Principal, in *NodePath) (*answer[client.NodeItemList], error) {
	list, err := s.app.NodeItems(ctx, p, in.node())
	return say(client.NodeItemList{Items: orEmpty(list)}, err)
}

type newItemInput struct {
	NodePath
	Body    client.NewNodeItem
	RawBody []byte
}

func (s *server) addNodeItem(ctx context.Context, p loci.Principal, in *newItemInput) (*answer[*loci.NodeItem], error) {
	b := &in.Body
	if err := nullVendors(b.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	return say(s.app.AddNodeItem(ctx, p, in.node(), app.ItemDraft{Kind: b.Kind, MemoryID: b.MemoryID, ProjectID: b.ProjectID, EntityID: b.EntityID,
		Text: b.Text, ParentID: b.ParentID, Before: b.Before, AllowedVendors: b.AllowedVendors}))
}

type moveItemInput struct {
	NodeItemPath
	Body client.NodeItemMove `contentType:"application/json"`
}

func (s *server) moveNodeItem(ctx context.Context, p loci.Principal, in *moveItemInput) (*answer[*loci.NodeItem], error) {
	return say(s.app.MoveNodeItem(ctx, p, in.node(), in.item(), app.ItemMove{Parent: changed(in.Body.ParentID, loci.NodeItemID{}), Before: in.Body.Before}))
}

func (s *server) removeNodeItem(ctx context.Context, p loci.Principal, in *NodeItemPath) (*nothing, error) {
	return done(s.app.RemoveNodeItem(ctx, p, in.node(), in.item()))
}

type packInput struct {
	NodePath
	Format string `query:"format" enum:"json,markdown" doc:"Left out: markdown"`
	Budget int    `query:"budget" minimum:"1" maximum:"1000000" doc:"Characters of items; left out: 100,000. The first item is always in, cut if need be"`
}

type packOutput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	Body        any    // *client.NodePack or, as Markdown, []byte
}

func (s *server) nodePack(ctx context.Context, p loci.Principal, in *packInput) (*packOutput, error) {
	pack, err := s.app.NodePack(ctx, p, in.node(), in.Budget)
	if err != nil {
		return nil, err
	}
	if in.Format != "json" {
		return &packOutput{"text/markdown; charset=utf-8", []byte(pack.Text)}, nil
	}
	out := &client.NodePack{Node: pack.Node, Items: make([]client.PackedItem, len(pack.Items)), Left: pack.Left}
	for i := range pack.Items {
		out.Items[i] = client.PackedItem(pack.Items[i])
	}
	return &packOutput{jsonType, out}, nil
}
