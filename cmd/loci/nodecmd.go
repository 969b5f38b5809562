package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// nodeCommands are those about memory nodes, and about what changes.
func (p *program) nodeCommands() []*cobra.Command {
	return []*cobra.Command{
		group("node", "Make trees of memories, entities and texts, to be read as a whole", `Make memory nodes: ordered trees of memories, entities and texts, to be read as a
whole. NODE and ITEM are ids; list and show print them.`,
			p.nodeCreateCommand(), p.nodeListCommand(), p.nodeShowCommand(), p.nodeEditCommand(), p.nodeTrashCommand(), p.nodeRestoreCommand(), p.nodeDeleteCommand(),
			p.nodeAddCommand(), p.nodeMoveCommand(), p.nodeRemoveCommand(), p.nodePackCommand()),
		p.changesCommand(),
	}
}

func nodeID(s string) (loci.NodeID, error) {
	return parseID[loci.NodeID](s, "memory node", "loci node list")
}

// aboutNode says where ids are to be found, of nodes and of their items.
func aboutNode(id loci.NodeID, err error) error {
	if loci.CodeOf(err) == loci.NotFound {
		return fmt.Errorf("memory node %s: %w; `loci node list` and `loci node show NODE` show ids", id, err)
	}
	return err
}

// oneNode is a command about the node in its first argument.
func (p *program) oneNode(cmd *cobra.Command, on *onMemory, arg string, do func(context.Context, *instance, loci.Principal, loci.NodeID) error) error {
	id, err := nodeID(arg)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	return on.run(ctx, p, func(in *instance, who loci.Principal) error { return aboutNode(id, do(ctx, in, who, id)) })
}

func (p *program) savedNode(what string, n *loci.MemoryNode, err error) error {
	if err != nil {
		return err
	}
	if p.json {
		return p.printJSON(n)
	}
	p.printf("%s %s: %s\n", what, n.ID, cut(n.Name, 60))
	return nil
}

func (p *program) nodeCreateCommand() *cobra.Command {
	var on onMemory
	var d app.NodeDraft
	var allow []string
	var project string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make a memory node, without items at first", Args: cobra.ExactArgs(1), Annotations: does(app.NodeCreate, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			vendors, err := parseVendors("--allow", allow)
			if err != nil {
				return err
			}
			d.Name, d.AllowedVendors = args[0], vendors
			return on.run(ctx, p, func(in *instance, who loci.Principal) error {
				if project != "" {
					x, err := in.project(ctx, who, project)
					if err != nil {
						return err
					}
					d.Scope, d.ProjectID = loci.ScopeProject, x.ID
				}
				n, err := in.app.CreateNode(ctx, who, d)
				return p.savedNode("made", n, err)
			})
		},
	}
	on.add(cmd)
	vendorsFlag(cmd, &allow)
	cmd.Flags().StringVar(&d.Description, "description", "", "what it is about")
	cmd.Flags().StringSliceVar(&d.Tags, "tag", nil, "words to find it by; repeat it")
	cmd.Flags().StringVar(&project, "project", "", "a project, by name or id: for its members")
	cmd.Flags().BoolVar(&d.Shared, "shared", false, "share it with the team")
	return cmd
}

func (p *program) nodeListCommand() *cobra.Command {
	var on onMemory
	var r app.NodeList
	var scope, project string
	cmd := &cobra.Command{
		Use: "list", Short: "List memory nodes, last changed first", Args: cobra.NoArgs, Annotations: does(app.NodeRead, app.MemoryTrashed, app.ProjectRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			switch r.Scope = loci.Scope(scope); r.Scope {
			case "", loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent:
			default:
				return usagef("--scope must be global, project or agent")
			}
			return on.run(ctx, p, func(in *instance, who loci.Principal) error {
				if project != "" {
					x, err := in.project(ctx, who, project)
					if err != nil {
						return err
					}
					r.ProjectID = x.ID
				}
				page, err := in.app.Nodes(ctx, who, r)
				if err != nil {
					return err
				}
				return p.printNodes(page)
			})
		},
	}
	on.add(cmd)
	cmd.Flags().StringVar(&scope, "scope", "", "only of this scope: global, project or agent")
	cmd.Flags().StringVar(&project, "project", "", "only of this project, by name or id")
	cmd.Flags().StringVar(&r.Tag, "tag", "", "only with this tag")
	cmd.Flags().BoolVar(&r.Trashed, "trash", false, "those in the trash")
	cmd.Flags().IntVar(&r.Limit, "limit", 0, "how many, at most 500 (default 50)")
	cmd.Flags().StringVar(&r.Cursor, "cursor", "", "go on with the next page")
	return cmd
}

func (p *program) printNodes(page *app.NodePage) error {
	if p.json {
		return p.printJSON(wire.NodeList{Nodes: notNil(page.Nodes), More: wire.More{HasMore: page.NextCursor != "", NextCursor: page.NextCursor}})
	}
	rows := make([][]string, len(page.Nodes))
	for i, n := range page.Nodes {
		rows[i] = []string{n.ID.String(), showTime(n.UpdatedAt), n.Origin, strings.Join(n.Tags, ","), n.Name}
	}
	p.printTable([]string{"ID", "CHANGED", "ORIGIN", "TAGS", "NAME"}, rows)
	if page.NextCursor != "" {
		p.note("there are more; go on with --cursor %s", page.NextCursor)
	}
	return nil
}

func (p *program) nodeShowCommand() *cobra.Command {
	var on onMemory
	cmd := &cobra.Command{
		Use: "show NODE", Short: "Show a memory node with its items", Args: cobra.ExactArgs(1), Annotations: does(app.NodeRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.oneNode(cmd, &on, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.NodeID) error {
				n, err := in.app.Node(ctx, who, id)
				if err != nil {
					return err
				}
				var items []loci.NodeItem
				if n.DeletedAt.IsZero() {
					if items, err = in.app.NodeItems(ctx, who, id); err != nil {
						return err
					}
				}
				return p.printNode(n, items)
			})
		},
	}
	on.add(cmd)
	return cmd
}

func (p *program) printNode(n *loci.MemoryNode, items []loci.NodeItem) error {
	if p.json {
		return p.printJSON(struct {
			*loci.MemoryNode
			Items []loci.NodeItem `json:"items"`
		}{n, notNil(items)})
	}
	p.printf("%s\n", loci.OneLine(n.Name))
	rows := [][2]string{{"id", n.ID.String()}, {"origin", n.Origin}, {"visible to", joinVendors(n.AllowedVendors)}, {"tags", strings.Join(n.Tags, ", ")},
		{"description", n.Description}, {"changed", showTime(n.UpdatedAt)}}
	if !n.TeamID.IsZero() {
		rows = append(rows, [2]string{"shared with", "the team"})
	}
	if !n.DeletedAt.IsZero() {
		rows = append(rows, [2]string{"in the trash", "since " + showTime(n.DeletedAt)})
	}
	for _, r := range rows {
		if r[1] != "" {
			p.printf("%-12s  %s\n", r[0], loci.OneLine(r[1]))
		}
	}
	p.printf("\n")
	levels := map[loci.NodeItemID]int{}
	for _, i := range items {
		if !i.ParentID.IsZero() {
			levels[i.ID] = levels[i.ParentID] + 1
		}
		p.printf("%s  %s%s\n", i.ID, strings.Repeat("  ", levels[i.ID]), itemText(&i))
	}
	return nil
}

func itemText(i *loci.NodeItem) string {
	switch i.Kind {
	case loci.ItemMemory:
		return "memory " + i.MemoryID.String()
	case loci.ItemEntity:
		return "entity " + i.EntityID.String() + " of project " + i.ProjectID.String()
	}
	return cut(i.Text, 60)
}

func (p *program) nodeEditCommand() *cobra.Command {
	var on onMemory
	var name, description string
	var tags, allow []string
	var shared bool
	cmd := &cobra.Command{
		Use: "edit NODE", Short: "Change what the flags name", Args: cobra.ExactArgs(1), Annotations: does(app.NodeChange),
		RunE: func(cmd *cobra.Command, args []string) error {
			vendors, err := parseVendors("--allow", allow)
			if err != nil {
				return err
			}
			var c app.NodePatch
			for flag, set := range map[string]func(){"name": func() { c.Name = &name }, "description": func() { c.Description = &description },
				"tag": func() { c.Tags = &tags }, "allow": func() { c.AllowedVendors = &vendors }, "shared": func() { c.Shared = &shared }} {
				if cmd.Flags().Changed(flag) {
					set()
				}
			}
			if c == (app.NodePatch{}) {
				return usagef("say what to change: --name, --description, --tag, --allow or --shared")
			}
			return p.oneNode(cmd, &on, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.NodeID) error {
				n, err := in.app.ChangeNode(ctx, who, id, c)
				return p.savedNode("changed", n, err)
			})
		},
	}
	on.add(cmd)
	vendorsFlag(cmd, &allow)
	cmd.Flags().StringVar(&name, "name", "", "the new name")
	cmd.Flags().StringVar(&description, "description", "", "what it is about")
	cmd.Flags().StringSliceVar(&tags, "tag", nil, "all its tags; repeat it")
	cmd.Flags().BoolVar(&shared, "shared", false, "share it with the team; --shared=false takes it back")
	return cmd
}

// nodeDo is a command that does one thing with a node.
func (p *program) nodeDo(use, short, done string, act app.Action, do func(*app.App, context.Context, loci.Principal, loci.NodeID) (*loci.MemoryNode, error)) *cobra.Command {
	var on onMemory
	cmd := &cobra.Command{
		Use: use + " NODE", Short: short, Args: cobra.ExactArgs(1), Annotations: does(act),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.oneNode(cmd, &on, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.NodeID) error {
				n, err := do(in.app, ctx, who, id)
				return p.savedNode(done, n, err)
			})
		},
	}
	on.add(cmd)
	return cmd
}

func (p *program) nodeTrashCommand() *cobra.Command {
	return p.nodeDo("trash", "Move a memory node to the trash for 30 days, with its items", "trashed", app.NodeTrash, (*app.App).TrashNode)
}

func (p *program) nodeRestoreCommand() *cobra.Command {
	return p.nodeDo("restore", "Take a memory node out of the trash", "restored", app.NodeRestore, (*app.App).RestoreNode)
}

var errNotDeleted = errors.New("nothing was deleted")

func (p *program) nodeDeleteCommand() *cobra.Command {
	var on onMemory
	var yes bool
	cmd := &cobra.Command{
		Use: "delete NODE", Short: "Delete a memory node for good, with its items; what they show stays", Args: cobra.ExactArgs(1), Annotations: does(app.NodeErase),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes && !p.confirm("Delete memory node "+cut(args[0], 40)+" with its texts for good?") {
				return errNotDeleted
			}
			return p.oneNode(cmd, &on, args[0], func(ctx context.Context, in *instance, who loci.Principal, id loci.NodeID) error {
				if err := in.app.EraseNode(ctx, who, id); err != nil {
					return err
				}
				return p.done("deleted", id.String())
			})
		},
	}
	on.add(cmd)
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}
