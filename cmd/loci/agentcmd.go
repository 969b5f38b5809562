package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) agentCommands() []*cobra.Command {
	return []*cobra.Command{group("agent", "Register agents, and open sessions of them", `Register agents, and open sessions of them. An assistant reads a memory of agent
scope only in a session of its agent: with --session, or with the header
Loci-Session over REST and MCP. AGENT is an id, a name or VENDOR/NAME.`,
		p.agentCreateCommand(), p.agentListCommand(), p.agentShowCommand(), p.agentSessionCommand())}
}

func (p *program) agentCreateCommand() *cobra.Command {
	var org, user, vendor, config string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Register an agent", Args: cobra.ExactArgs(1), Annotations: does(app.AgentCreate),
		Example: `  loci agent create reviewer --vendor claude --settings '{"model":"large"}'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			draft := app.AgentDraft{Name: args[0], Vendor: loci.Vendor(vendor)}
			if config != "" {
				draft.Config = json.RawMessage(config)
			}
			ctx := cmd.Context()
			return p.with(ctx, create, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				made, err := in.app.CreateAgent(ctx, who, draft)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(made)
				}
				p.printf("created %s: %s of %s\n", made.ID, made.Name, made.Vendor)
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	cmd.Flags().StringVar(&vendor, "vendor", "", "whose product it is: claude, cursor, codex, … (required)")
	cmd.Flags().StringVar(&config, "settings", "", "its configuration, a JSON object that is kept as it is")
	_ = cmd.MarkFlagRequired("vendor")
	return cmd
}

func (p *program) agentListCommand() *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use: "list", Short: "List agents by name", Args: cobra.NoArgs, Annotations: does(app.AgentRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				list, err := in.agents(ctx, who)
				if err != nil {
					return err
				}
				return p.printAgents(list)
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	return cmd
}

func (p *program) printAgents(list []loci.Agent) error {
	if p.json {
		return p.printJSON(page("agents", notNil(list)))
	}
	if len(list) == 0 {
		p.note("no agents; register one with: loci agent create NAME --vendor VENDOR")
		return nil
	}
	rows := make([][]string, len(list))
	for i, a := range list {
		rows[i] = []string{a.ID.String(), a.Name, string(a.Vendor), showTime(a.CreatedAt)}
	}
	p.printTable([]string{"ID", "NAME", "VENDOR", "CREATED"}, rows)
	return nil
}

func (p *program) agentShowCommand() *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use: "show AGENT", Short: "Show an agent", Args: cobra.ExactArgs(1), Annotations: does(app.AgentRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				a, err := in.agent(ctx, who, args[0])
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(a)
				}
				p.printf("%s\n\n", a.Name)
				for _, row := range [][2]string{{"id", a.ID.String()}, {"vendor", string(a.Vendor)}, {"config", string(a.Config)}, {"created", showTime(a.CreatedAt)}} {
					if row[1] != "" {
						p.printf("%-8s  %s\n", row[0], loci.OneLine(row[1]))
					}
				}
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	return cmd
}

// agents reads all pages.
func (in *instance) agents(ctx context.Context, who loci.Principal) ([]loci.Agent, error) {
	return allPages(func(cursor string) ([]loci.Agent, string, error) {
		page, err := in.app.Agents(ctx, who, app.AgentList{Limit: app.MaxPage, Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return page.Agents, page.NextCursor, nil
	})
}

// agent finds an agent by its id, its name or VENDOR/NAME. Invalid for the name of several.
func (in *instance) agent(ctx context.Context, who loci.Principal, s string) (loci.Agent, error) {
	list, err := in.agents(ctx, who)
	if err != nil {
		return loci.Agent{}, err
	}
	var found []loci.Agent
	for _, a := range list {
		full := string(a.Vendor) + "/" + a.Name
		if a.ID.String() == strings.ToLower(s) || full == s {
			return a, nil
		}
		if a.Name == s {
			found = append(found, a)
		}
	}
	switch len(found) {
	case 0:
		return loci.Agent{}, loci.Errorf(loci.NotFound, "there is no agent %s; `loci agent list` shows all", quoted(cut(s, 100)))
	case 1:
		return found[0], nil
	}
	return loci.Agent{}, loci.FieldErrorf("AGENT", "is the name of %d agents; say which, as %s/%s", len(found), found[0].Vendor, found[0].Name)
}
