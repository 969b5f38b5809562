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
	"github.com/loci-memory/loci/internal/reflection/sensitive"
)

// placeFlags specify where an item goes.
type placeFlags struct{ under, before string }

func (f *placeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.under, "under", "", "parent item, by id")
	cmd.Flags().StringVar(&f.before, "before", "", "place it before this item, by id (default: last)")
}

func (f *placeFlags) check() error {
	for _, s := range []string{f.under, f.before} {
		if s == "" {
			continue
		}
		if err := checkID(s, "node item", seeItems); err != nil {
			return err
		}
	}
	return nil
}

// items finds the items of a node that the flags name.
func (f *placeFlags) items(ctx context.Context, c *call, of loci.NodeID) (under, before loci.NodeItemID, err error) {
	if f.under != "" {
		under, err = c.itemID(ctx, of, f.under)
	}
	if err == nil && f.before != "" {
		before, err = c.itemID(ctx, of, f.before)
	}
	return under, before, err
}

// addFlags specify what `node add` adds to a node.
type addFlags struct {
	placeFlags
	memory, entity, kind, project string
}

// read reads the flags into a draft. text is the rest of the command line.
func (f *addFlags) read(d *node.ItemDraft, text []string) error {
	if err := f.placeFlags.check(); err != nil {
		return err
	}
	switch {
	case f.memory != "" && f.entity != "", (f.memory+f.entity != "") == (len(text) > 0):
		return usagef("specify exactly one thing to add: a text, --memory ID or --entity NAME")
	case f.memory != "":
		d.Kind = loci.ItemMemory
		return checkMemoryIDs([]string{f.memory})
	case f.entity != "":
		d.Kind = loci.ItemEntity
	default:
		d.Kind, d.Text = loci.ItemText, strings.Join(text, " ")
	}
	return nil
}

func (p *program) nodeAddCommand() *cobra.Command {
	var f addFlags
	var d node.ItemDraft
	cmd := p.onNode(&cobra.Command{
		Use: "add NODE [TEXT…]", Short: "Add a text, a memory or an entity to a memory node",
		Annotations: does(node.Change, project.Read, graph.Read),
		PreRunE:     func(_ *cobra.Command, args []string) error { return f.read(&d, args[1:]) },
	}, func(ctx context.Context, c *call, id loci.NodeID) (err error) {
		if d.ParentID, d.Before, err = f.items(ctx, c, id); err != nil {
			return err
		}
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
		return p.savedItem(ctx, c, "added", i, err)
	})
	f.add(cmd)
	vendorsFlag(cmd, &d.AllowedVendors, mayRead)
	cmd.Flags().StringVar(&f.memory, "memory", "", "a memory, by id")
	cmd.Flags().StringVar(&f.entity, "entity", "", "an entity of a graph, by name or id")
	typeFlag(cmd, &f.kind)
	cmd.Flags().StringVar(&f.project, "project", "",
		"project of the entity, by name or id (default: the only active project)")
	return cmd
}

func (p *program) savedItem(ctx context.Context, c *call, what string, i *loci.NodeItem, err error) error {
	if err == nil {
		p.noteSecrets(i.Secrets)
	}
	if err != nil || p.json {
		return p.answer(i, err, "")
	}
	return p.answer(i, nil, "%s %s: %s", what, i.ID, sensitive.Mask(c.itemText(ctx, i), i.SecretsKept))
}

func (p *program) nodeMoveCommand() *cobra.Command {
	var f placeFlags
	var top bool
	cmd := p.onNode(&cobra.Command{
		Use: "move NODE ITEM", Short: "Move an item within its memory node, with its children",
		Annotations: does(node.Change),
		PreRunE: func(_ *cobra.Command, args []string) error {
			if err := checkID(args[1], "node item", seeItems); err != nil {
				return err
			}
			if top && f.under != "" {
				return usagef("specify --top or --under, not both")
			}
			return f.check()
		},
	}, func(ctx context.Context, c *call, id loci.NodeID) error {
		item, err := c.itemID(ctx, id, c.args[1])
		if err != nil {
			return err
		}
		under, before, err := f.items(ctx, c, id)
		if err != nil {
			return err
		}
		to := node.ItemMove{Before: before}
		if top || f.under != "" {
			to.ParentID = loci.Set(under)
		}
		i, err := c.app.Node.MoveItem(ctx, c.who, id, item, to)
		return p.savedItem(ctx, c, "moved", i, err)
	})
	f.add(cmd)
	cmd.Flags().BoolVar(&top, "top", false, "move it to the top level")
	return cmd
}

func (p *program) nodeRemoveCommand() *cobra.Command {
	return p.onNode(&cobra.Command{
		Use: "remove NODE ITEM", Short: "Remove an item and its children from a memory node",
		Long: `Remove an item and its children from a memory node. The memories and entities that
they show stay.`,
		Annotations: does(node.Change, node.Trash),
		PreRunE:     func(_ *cobra.Command, args []string) error { return checkID(args[1], "node item", seeItems) },
	}, func(ctx context.Context, c *call, id loci.NodeID) error {
		item, err := c.itemID(ctx, id, c.args[1])
		if err != nil {
			return err
		}
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
			p.printf("%s", loci.Legible(pack.Text))
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
