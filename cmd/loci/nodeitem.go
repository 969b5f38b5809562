package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/project"
)

func itemID(s string) (loci.NodeItemID, error) {
	id, err := loci.ParseID[struct{}](s)
	if err != nil || id.IsZero() {
		return loci.NodeItemID{}, loci.Errorf(
			loci.Invalid,
			"%q is not a valid item id; see `loci node show NODE`",
			cut(s, 60),
		)
	}
	return loci.NodeItemID(id), nil
}

// placeFlags specify where an item goes.
type placeFlags struct{ under, before string }

func (f *placeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.under, "under", "", "parent item, by id")
	cmd.Flags().StringVar(&f.before, "before", "", "place it before this item, by id (default: last)")
}

func (f *placeFlags) parse() (under, before loci.NodeItemID, err error) {
	if f.under != "" {
		if under, err = itemID(f.under); err != nil {
			return under, before, err
		}
	}
	if f.before != "" {
		before, err = itemID(f.before)
	}
	return under, before, err
}

// addFlags specify what `node add` adds to a node.
type addFlags struct {
	placeFlags
	memory, entity, kind, project string
	allow                         []string
}

// draft reads the flags. text is the rest of the command line.
func (f *addFlags) draft(text []string) (d node.ItemDraft, err error) {
	if d.ParentID, d.Before, err = f.parse(); err != nil {
		return d, err
	}
	if d.AllowedVendors, err = parseVendors("--allow", f.allow); err != nil {
		return d, err
	}
	given := 0
	for _, is := range []bool{f.memory != "", f.entity != "", len(text) > 0} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return d, usagef("specify exactly one thing to add: a text, --memory ID or --entity NAME")
	case f.memory != "":
		d.Kind = loci.ItemMemory
		err = checkMemoryIDs([]string{f.memory})
	case f.entity != "":
		d.Kind = loci.ItemEntity
	default:
		d.Kind, d.Text = loci.ItemText, strings.Join(text, " ")
	}
	return d, err
}

func (p *program) nodeAddCommand() *cobra.Command {
	var f addFlags
	var d node.ItemDraft
	cmd := p.onNode(&cobra.Command{
		Use: "add NODE [TEXT…]", Short: "Add a text, a memory or an entity to a memory node",
		Annotations: does(node.Change, project.Read, graph.Read),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			d, err = f.draft(args[1:])
			return err
		},
	}, func(ctx context.Context, c *call, id loci.NodeID) (err error) {
		if d.Kind == loci.ItemEntity {
			x, err := c.chosen(ctx, c.who, f.project)
			if err != nil {
				return err
			}
			e, err := c.app.Graph.Entity(ctx, c.who, x.ID, which(f.entity, f.kind))
			if err != nil {
				return fmt.Errorf("entity %s: %w", quoted(f.entity), err)
			}
			d.ProjectID, d.EntityID = x.ID, e.ID
		}
		if d.Kind == loci.ItemMemory {
			if d.MemoryID, err = c.memoryID(ctx, c.who, f.memory); err != nil {
				return err
			}
		}
		i, err := c.app.Node.AddItem(ctx, c.who, id, d)
		return p.savedItem("added", i, err)
	})
	f.add(cmd)
	vendorsFlag(cmd, &f.allow)
	cmd.Flags().StringVar(&f.memory, "memory", "", "a memory, by id")
	cmd.Flags().StringVar(&f.entity, "entity", "", "an entity of a graph, by name or id")
	typeFlag(cmd, &f.kind)
	cmd.Flags().StringVar(&f.project, "project", "",
		"project of the entity, by name or id (default: the only active project)")
	return cmd
}

func (p *program) savedItem(what string, i *loci.NodeItem, err error) error {
	if err != nil {
		return err
	}
	return p.answer(i, nil, "%s %s: %s", what, i.ID, itemText(i))
}

func (p *program) nodeMoveCommand() *cobra.Command {
	var f placeFlags
	var top bool
	var item loci.NodeItemID
	var to node.ItemMove
	cmd := p.onNode(&cobra.Command{
		Use: "move NODE ITEM", Short: "Move an item within its memory node, with its children",
		Annotations: does(node.Change),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			if item, err = itemID(args[1]); err != nil {
				return err
			}
			if top && f.under != "" {
				return usagef("specify --top or --under, not both")
			}
			under, before, err := f.parse()
			to.Before = before
			if top || f.under != "" {
				to.Parent = &under
			}
			return err
		},
	}, func(ctx context.Context, c *call, id loci.NodeID) error {
		i, err := c.app.Node.MoveItem(ctx, c.who, id, item, to)
		return p.savedItem("moved", i, err)
	})
	f.add(cmd)
	cmd.Flags().BoolVar(&top, "top", false, "move it to the top level")
	return cmd
}

func (p *program) nodeRemoveCommand() *cobra.Command {
	var item loci.NodeItemID
	return p.onNode(&cobra.Command{
		Use: "remove NODE ITEM", Short: "Remove an item and its children from a memory node",
		Long: `Remove an item and its children from a memory node. The memories and entities that
they show stay.`,
		Annotations: does(node.Change, node.Trash),
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			item, err = itemID(args[1])
			return err
		},
	}, func(ctx context.Context, c *call, id loci.NodeID) error {
		return p.done(c.app.Node.RemoveItem(ctx, c.who, id, item), "removed", item.String())
	})
}

func (p *program) nodePackCommand() *cobra.Command {
	var budget int
	cmd := p.onNode(&cobra.Command{
		Use: "pack NODE", Short: "Print the contents of a memory node for a model to read", Annotations: does(node.Read),
	}, func(ctx context.Context, c *call, id loci.NodeID) error {
		pack, err := c.app.Node.Pack(ctx, c.who, id, budget)
		if err != nil {
			return err
		}
		if !p.json {
			p.printf("%s", loci.Printable(pack.Text))
			return nil
		}
		out := wire.NodePack{Node: pack.Node, Items: make([]wire.PackedItem, len(pack.Items)), Left: pack.Left}
		for i := range pack.Items {
			out.Items[i] = wire.PackedItem(pack.Items[i])
		}
		return p.printJSON(out)
	})
	cmd.Flags().IntVar(&budget, "budget", 0, "how many characters, at most 1000000 (default 100000)")
	return cmd
}
