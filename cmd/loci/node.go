package main

import (
	"context"
	"errors"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) nodeCommand() *cobra.Command {
	return group("node", "Build ordered trees of memories, entities and texts",
		`Build memory nodes: ordered trees of memories, entities and texts that are read as a
whole. NODE is an id or a name, and ITEM is an id, or the beginnings of ids; see
"loci node list" and "loci node show NODE".`,
		p.nodeCreateCommand(), p.nodeListCommand(), p.nodeShowCommand(), p.nodeEditCommand(),
		p.nodeDo("trash", "Move a memory node and its items to the trash for "+trashTime, "trashed", node.Trash,
			(*node.Service).Trash),
		p.nodeDo("restore", "Restore a memory node from the trash", "restored", node.Restore, (*node.Service).Restore),
		p.nodeDeleteCommand(), p.nodeAddCommand(), p.nodeMoveCommand(), p.nodeRemoveCommand(), p.nodePackCommand())
}

// onNode completes a command about the memory node in its first argument: an id, its beginning, or a name.
func (p *program) onNode(cmd *cobra.Command, do func(context.Context, *call, loci.NodeID) error) *cobra.Command {
	return p.acting(pickAny, cmd, func(ctx context.Context, c *call) error {
		id, err := c.app.Node.Find(ctx, c.who, c.args[0])
		if err != nil {
			return c.onlyHere(ctx, orNoSuch(err, "memory node", c.args[0], "loci node list"))
		}
		err = do(ctx, c, id)
		if _, done := errors.AsType[advised](err); !done && loci.CodeOf(err) == loci.NotFound { // the node, or an item of it
			err = loci.WrapError(loci.NotFound, err, "memory node %s: %s; see `loci node list` and `loci node show NODE`", id,
				err)
		}
		return c.onlyHere(ctx, err)
	})
}

func (p *program) savedNode(what string, n *loci.MemoryNode, err error) error {
	if err != nil { // n is nil
		return err
	}
	p.noteSecrets(n.Secrets)
	return p.answer(n, nil, "%s %s: %s", what, n.ID, titleOf(n.Name, n.SecretsKept))
}

func (p *program) nodeCreateCommand() *cobra.Command {
	var d node.Draft
	var projectName string
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "create NAME", Short: "Create an empty memory node", Annotations: does(node.Create, project.Read),
	}, func(ctx context.Context, c *call) (err error) {
		d.Name = c.args[0]
		if projectName != "" {
			d.Scope = loci.ScopeProject
		}
		if d.ProjectID, err = c.projectID(ctx, c.who, projectName); err != nil {
			return err
		}
		n, err := c.app.Node.Create(ctx, c.who, d)
		return p.savedNode("created", n, err)
	})
	vendorsFlag(cmd, &d.AllowedVendors, mayRead)
	cmd.Flags().StringVar(&d.Description, "description", "", "what the node is about")
	cmd.Flags().StringArrayVar(&d.Tags, "tag", nil, "tag; may be repeated")
	cmd.Flags().StringVar(&projectName, "project", "", "make it visible to the members of this project, by name or id")
	cmd.Flags().BoolVar(&d.Shared, "shared", false, "share it with the team")
	return cmd
}

func (p *program) nodeListCommand() *cobra.Command {
	var r node.ListRequest
	var projectName string
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "list", Short: "List memory nodes, last changed first",
		Annotations: does(node.Read, memory.ReadTrash, project.Read),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("tag") && r.Tag == "" {
				return loci.FieldErrorf("--tag", "must not be empty")
			}
			switch r.Scope {
			case "", loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent:
				return nil
			}
			return usagef("--scope must be global, project or agent")
		},
	}, func(ctx context.Context, c *call) (err error) {
		if r.ProjectID, err = c.projectID(ctx, c.who, projectName); err != nil {
			return err
		}
		page, err := c.app.Node.List(ctx, c.who, r)
		if err != nil || p.json {
			return p.answer(wire.NodeList{Nodes: loci.OrEmpty(page.Items), More: moreJSON(page.NextCursor)}, err, "")
		}
		defer p.more(page.NextCursor)
		return printList(p, "memory_nodes", page.Items, nil, "no memory nodes; create one with: loci node create NAME",
			"NAME|ID|CHANGED|ORIGIN|TAGS", func(n *loci.MemoryNode) []string {
				return []string{n.Name, n.ID.String(), p.showTime(n.UpdatedAt), n.Origin, strings.Join(n.Tags, " ")}
			})
	})
	cmd.Flags().StringVar((*string)(&r.Scope), "scope", "", "only of this scope: global, project or agent")
	cmd.Flags().StringVar(&projectName, "project", "", "only of this project, by name or id")
	cmd.Flags().StringVar(&r.Tag, "tag", "", "only with this tag")
	cmd.Flags().BoolVar(&r.Trashed, "trash", false, "list the trash instead")
	cmd.Flags().IntVar(&r.Limit, "limit", 0, "how many, at most 500 (default 50)")
	cmd.Flags().StringVar(&r.Cursor, "cursor", "", "continue after the previous page")
	return cmd
}

func (p *program) nodeShowCommand() *cobra.Command {
	return p.onNode(&cobra.Command{
		Use: "show NODE", Short: "Show a memory node with its items", Annotations: does(node.Read, memory.Read, graph.Read),
	}, func(ctx context.Context, c *call, id loci.NodeID) error {
		n, err := c.app.Node.Get(ctx, c.who, id)
		if err != nil {
			return err
		}
		var items []loci.NodeItem
		if n.DeletedAt.IsZero() {
			if items, err = c.app.Node.Items(ctx, c.who, id); err != nil {
				return err
			}
		}
		if p.json {
			return p.printJSON(struct {
				*loci.MemoryNode
				Items []loci.NodeItem `json:"items"`
			}{n, loci.OrEmpty(items)})
		}
		p.printf("%s\n", loci.OneLine(n.Name))
		shared, trashed := "", ""
		if !n.TeamID.IsZero() {
			shared = "the team"
		}
		if !n.DeletedAt.IsZero() {
			trashed = "since " + p.showTime(n.DeletedAt)
		}
		p.printFields("id", n.ID.String(), "origin", n.Origin, "visible to", joined(n.AllowedVendors),
			"tags", strings.Join(n.Tags, ", "), "description", n.Description, "changed", p.showTime(n.UpdatedAt),
			"shared with", shared, "in the trash", trashed)
		p.printf("\n")
		levels := map[loci.NodeItemID]int{}
		for _, i := range items {
			if !i.ParentID.IsZero() {
				levels[i.ID] = levels[i.ParentID] + 1
			}
			p.printf("%s  %s%s\n", i.ID, strings.Repeat("  ", levels[i.ID]), c.itemText(ctx, &i))
		}
		return nil
	})
}

// itemText is a text, or what an item shows by its id and its title or name.
func (c *call) itemText(ctx context.Context, i *loci.NodeItem) string {
	switch i.Kind {
	case loci.ItemMemory:
		text := "memory " + i.MemoryID.String()
		if m, err := c.app.Memory.GetAt(ctx, c.who, i.MemoryID, loci.When{Superseded: true}); err == nil {
			text += " " + cut(m.Title, 60)
		}
		return text
	case loci.ItemEntity:
		text := "entity " + i.EntityID.String()
		if e, err := c.app.Graph.Entity(ctx, c.who, i.ProjectID, graph.Which{ID: i.EntityID}); err == nil {
			text += " " + cut(e.Name, 60)
		}
		return text + " of project " + loci.OneLine(c.names().project(ctx, c.who.OrgID, i.ProjectID))
	}
	return cut(i.Text, 60)
}

func (p *program) nodeEditCommand() *cobra.Command {
	var name, description string
	var tags []string
	var vendors []loci.Vendor
	var shared bool
	var patch node.Patch
	cmd := p.onNode(&cobra.Command{
		Use: "edit NODE", Short: "Change a memory node", Annotations: does(node.Change),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			patch = node.Patch{Name: edited(cmd, "name", name), Description: edited(cmd, "description", description),
				Tags: edited(cmd, "tag", newTags(tags)), AllowedVendors: edited(cmd, "allow", vendors),
				Shared: edited(cmd, "shared", shared)}
			if reflect.ValueOf(patch).IsZero() {
				return usagef("specify what to change: --name, --description, --tag, --allow or --shared")
			}
			return nil
		},
	}, func(ctx context.Context, c *call, id loci.NodeID) error {
		n, err := c.app.Node.Change(ctx, c.who, id, patch)
		return p.savedNode("changed", n, err)
	})
	vendorsFlag(cmd, &vendors, mayRead)
	cmd.Flags().StringVar(&name, "name", "", "the new name")
	cmd.Flags().StringVar(&description, "description", "", "what the node is about")
	cmd.Flags().StringArrayVar(&tags, "tag", nil, "replace all tags; may be repeated; \"\" removes them")
	cmd.Flags().BoolVar(&shared, "shared", false, "share it with the team; --shared=false makes it private")
	return cmd
}

// nodeDo is a command that does one thing with a node.
func (p *program) nodeDo(use, short, done string, act gate.Action,
	do func(*node.Service, context.Context, loci.Principal, loci.NodeID) (*loci.MemoryNode, error)) *cobra.Command {
	return p.onNode(&cobra.Command{Use: use + " NODE", Short: short, Annotations: does(act)},
		func(ctx context.Context, c *call, id loci.NodeID) error {
			n, err := do(c.app.Node, ctx, c.who, id)
			return p.savedNode(done, n, err)
		})
}

func (p *program) nodeDeleteCommand() *cobra.Command {
	cmd := p.onNode(&cobra.Command{
		Use: "delete NODE", Short: "Permanently delete a memory node with its texts",
		Long: `Permanently delete a memory node with its texts. The memories and entities that it
shows stay.`,
		Annotations: does(node.Erase),
		PreRunE: func(cmd *cobra.Command, args []string) error {
			return p.sure(cmd.Context(), "delete", "memory node", args[0])
		},
	}, func(ctx context.Context, c *call, id loci.NodeID) error {
		return p.done(c.app.Node.Erase(ctx, c.who, id), "deleted", id.String())
	})
	p.yesFlag(cmd)
	return cmd
}

// moreJSON is the end of a page as a program reads it.
func moreJSON(cursor string) wire.More { return wire.More{NextCursor: cursor, HasMore: cursor != ""} }
