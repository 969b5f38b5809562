package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/gate"
)

func (p *program) agentCommand() *cobra.Command {
	return group("agent", "Register and list agents",
		`Register and list agents. An assistant reads a memory of agent scope only in a
session of its agent: pass --session, or send the header Loci-Session over REST and
MCP. AGENT is an id, a name or VENDOR/NAME.`,
		p.agentCreateCommand(), p.agentListCommand(), p.agentShowCommand())
}

func (p *program) agentCreateCommand() *cobra.Command {
	var vendor, config string
	cmd := p.acting(pickPerson|starts, &cobra.Command{
		Use: "create NAME", Short: "Register an agent", Annotations: does(agent.Create),
		Example: `  loci agent create reviewer --vendor claude --settings '{"model":"large"}'`,
	}, func(ctx context.Context, c *call) error {
		draft := agent.Draft{Name: c.args[0], Vendor: loci.Vendor(vendor)}
		if config != "" {
			draft.Config = json.RawMessage(config)
		}
		made, err := c.app.Agent.Create(ctx, c.who, draft)
		return p.answer(made, err, "created %s: %s of %s", made.ID, made.Name, made.Vendor)
	})
	cmd.Flags().StringVar(&vendor, "vendor", "", "vendor of the agent: claude, cursor, codex, … (required)")
	cmd.Flags().StringVar(&config, "settings", "", "configuration as a JSON object; Loci stores it unchanged")
	_ = cmd.MarkFlagRequired("vendor")
	return cmd
}

func (p *program) agentListCommand() *cobra.Command {
	return p.acting(pickPerson, &cobra.Command{
		Use: "list", Short: "List agents by name", Annotations: does(agent.Read),
	}, func(ctx context.Context, c *call) error {
		list, err := c.agents(ctx, c.who)
		return printList(p, "agents", list, err, "no agents; register one with: loci agent create NAME --vendor VENDOR",
			"NAME|ID|VENDOR|CREATED", func(a loci.Agent) []string {
				return []string{a.Name, a.ID.String(), string(a.Vendor), p.showTime(a.CreatedAt)}
			})
	})
}

func (p *program) agentShowCommand() *cobra.Command {
	return p.acting(pickPerson, &cobra.Command{
		Use: "show AGENT", Short: "Show an agent", Annotations: does(agent.Read),
	}, onNamed((*instance).agent, func(_ context.Context, _ *call, a loci.Agent) error {
		if p.json {
			return p.printJSON(a)
		}
		p.printf("%s\n\n", a.Name)
		p.printFields("id", a.ID.String(), "vendor", string(a.Vendor), "config", string(a.Config),
			"created", p.showTime(a.CreatedAt))
		return nil
	}))
}

// agents reads all pages.
func (in *instance) agents(ctx context.Context, who loci.Principal) ([]loci.Agent, error) {
	return allPages(func(cursor string) (gate.Page[loci.Agent], error) {
		return in.app.Agent.List(ctx, who, agent.ListRequest{Limit: gate.MaxPage, Cursor: cursor})
	})
}

// agent finds an agent by its id, its name or VENDOR/NAME. It returns Invalid if several have the name.
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
		return findNamed(list, s, func(a loci.Agent) (string, string) { return a.ID.String(), a.Name }, "agent",
			"loci agent list")
	case 1:
		return found[0], nil
	}
	return loci.Agent{}, loci.FieldErrorf("AGENT", "is the name of %d agents; specify one as %s/%s",
		len(found), found[0].Vendor, found[0].Name)
}
