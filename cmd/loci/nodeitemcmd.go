package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

func itemID(s string) (loci.NodeItemID, error) {
	return parseID[loci.NodeItemID](s, "item", "loci node show NODE")
}

// placeFlags say where an item goes.
type placeFlags struct{ under, before string }

func (f *placeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.under, "under", "", "the item to be below, by id")
	cmd.Flags().StringVar(&f.before, "before", "", "the item to stand before, by id (default: last)")
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

// addFlags are what `node add` puts into a node.
type addFlags struct {
	placeFlags
	memory, entity, kind, project string
	allow                         []string
}

// draft reads the flags; text is what else was said.
func (f *addFlags) draft(text []string) (d app.ItemDraft, err error) {
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
		return d, usagef("say one thing to add: a text, --memory ID or --entity NAME")
	case f.memory != "":
		d.Kind = loci.ItemMemory
		d.MemoryID, err = parseID[loci.MemoryID](f.memory, "memory", "loci list")
	case f.entity != "":
		d.Kind = loci.ItemEntity
	default:
		d.Kind, d.Text = loci.ItemText, strings.Join(text, " ")
	}
	return d, err
}

func (p *program) nodeAddCommand() *cobra.Command {
	var on onMemory
	var f addFlags
	cmd := &cobra.Command{
		Use: "add NODE [TEXT…]", Short: "Put a text, a memory or an entity into a memory node", Args: cobra.MinimumNArgs(1), Annotations: does(app.NodeChange, app.ProjectRead, app.GraphRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := f.draft(args[1:])
			if err != nil {
				return err
			}
			return p.oneNode(cmd, &on, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.NodeID) error {
				if d.Kind == loci.ItemEntity {
					x, err := in.chosen(ctx, who, f.project)
					if err != nil {
						return err
					}
					e, err := in.app.Entity(ctx, who, x.ID, which(f.entity, f.kind))
					if err != nil {
						return fmt.Errorf("entity %s: %w", quoted(f.entity), err)
					}
					d.ProjectID, d.EntityID = x.ID, e.ID
				}
				i, err := in.app.AddNodeItem(ctx, who, id, d)
				return p.savedItem("added", i, err)
			})
		},
	}
	on.add(cmd)
	f.add(cmd)
	vendorsFlag(cmd, &f.allow)
	cmd.Flags().StringVar(&f.memory, "memory", "", "a memory, by id")
	cmd.Flags().StringVar(&f.entity, "entity", "", "an entity of a graph, by name or id")
	typeFlag(cmd, &f.kind)
	cmd.Flags().StringVar(&f.project, "project", "", "the project of the entity, by name or id (default: the one that is active, if there is one only)")
	return cmd
}

func (p *program) savedItem(what string, i *loci.NodeItem, err error) error {
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(i)
	}
	p.printf("%s %s: %s\n", what, i.ID, itemText(i))
	return nil
}

func (p *program) nodeMoveCommand() *cobra.Command {
	var on onMemory
	var f placeFlags
	var top bool
	cmd := &cobra.Command{
		Use: "move NODE ITEM", Short: "Put an item elsewhere in its memory node, with all below it", Args: cobra.ExactArgs(2), Annotations: does(app.NodeChange),
		RunE: func(cmd *cobra.Command, args []string) error {
			item, err := itemID(args[1])
			if err != nil {
				return err
			}
			if top && f.under != "" {
				return usagef("--top and --under are both there; say one of them")
			}
			under, before, err := f.parse()
			if err != nil {
				return err
			}
			to := app.ItemMove{Before: before}
			if top || f.under != "" {
				to.Parent = &under
			}
			return p.oneNode(cmd, &on, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.NodeID) error {
				i, err := in.app.MoveNodeItem(ctx, who, id, item, to)
				return p.savedItem("moved", i, err)
			})
		},
	}
	on.add(cmd)
	f.add(cmd)
	cmd.Flags().BoolVar(&top, "top", false, "directly below the node")
	return cmd
}

func (p *program) nodeRemoveCommand() *cobra.Command {
	var on onMemory
	cmd := &cobra.Command{
		Use: "remove NODE ITEM", Short: "Take an item out of its memory node, with all below it; what it shows stays", Args: cobra.ExactArgs(2), Annotations: does(app.NodeChange, app.NodeTrash),
		RunE: func(cmd *cobra.Command, args []string) error {
			item, err := itemID(args[1])
			if err != nil {
				return err
			}
			return p.oneNode(cmd, &on, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.NodeID) error {
				if err := in.app.RemoveNodeItem(ctx, who, id, item); err != nil {
					return err
				}
				return p.done("removed", item.String())
			})
		},
	}
	on.add(cmd)
	return cmd
}

func (p *program) nodePackCommand() *cobra.Command {
	var on onMemory
	var budget int
	cmd := &cobra.Command{
		Use: "pack NODE", Short: "Print what a memory node shows, for a model to read", Args: cobra.ExactArgs(1), Annotations: does(app.NodeRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.oneNode(cmd, &on, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.NodeID) error {
				pack, err := in.app.NodePack(ctx, who, id, budget)
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
		},
	}
	on.add(cmd)
	cmd.Flags().IntVar(&budget, "budget", 0, "characters of items, at most 1000000 (default 100000)")
	return cmd
}
