package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/gate"
)

func (p *program) agentCommand() *cobra.Command {
	return group("agent", "Register and manage agents",
		`Register and manage the agents of an org. Everybody in the org sees them. An assistant
reads a memory of agent scope only in a session of its agent: pass --session, or send the
header Loci-Session over REST and MCP. AGENT is a name, an id or the beginning of an id.`,
		p.agentCreateCommand(), p.agentListCommand(), p.agentShowCommand(), p.agentUpdateCommand(),
		p.agentStatsCommand(), p.agentDeleteCommand())
}

// agentFlags adds the flags that both a new and a changed agent have.
func agentFlags(cmd *cobra.Command, d *agent.Draft) {
	cmd.Flags().StringVar(&d.Description, "description", "", "what the agent does")
	readFlag(cmd, &d.Config, "settings", "", "configuration as a JSON object; Loci stores it unchanged", object)
}

// object returns JSON that a flag has, or nil for "".
func object(_, text string) (json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	return json.RawMessage(text), nil
}

func (p *program) agentCreateCommand() *cobra.Command {
	var d agent.Draft
	cmd := p.acting(pickPerson|starts, &cobra.Command{
		Use: "create NAME", Short: "Register an agent", Annotations: does(agent.Create),
		Example: `  loci agent create reviewer --vendor claude --settings '{"model":"large"}'`,
	}, func(ctx context.Context, c *call) error {
		d.Name = c.args[0]
		made, err := c.app.Agent.Create(ctx, c.who, d)
		return p.answer(made, err, "created %s: %s of %s\n%s", made.ID, made.Name, made.Vendor, made.Hint)
	})
	agentFlags(cmd, &d)
	cmd.Flags().StringVar((*string)(&d.Vendor), "vendor", "",
		"vendor of the agent: claude, cursor, codex, … (default: api, an agent of no vendor)")
	return cmd
}

func (p *program) agentListCommand() *cobra.Command {
	return p.acting(pickPerson, &cobra.Command{
		Use: "list", Short: "List agents by name", Annotations: does(agent.Read),
	}, func(ctx context.Context, c *call) error {
		list, err := c.agents(ctx, c.who)
		return printList(p, "agents", list, err, "no agents; register one with: loci agent create NAME --vendor VENDOR",
			"NAME|ID|VENDOR|LAST ACTIVE|DESCRIPTION", func(a loci.Agent) []string {
				return []string{a.Name, a.ID.String(), string(a.Vendor), p.showTime(a.LastActiveAt), cut(a.Description, 60)}
			})
	})
}

func (p *program) agentShowCommand() *cobra.Command {
	return p.acting(pickPerson, &cobra.Command{
		Use: "show AGENT", Short: "Show an agent", Annotations: does(agent.Read),
	}, onNamed((*instance).agent, func(_ context.Context, _ *call, a loci.Agent) error {
		return p.showAgent(a, nil)
	}))
}

func (p *program) showAgent(a loci.Agent, err error) error {
	if err == nil && !p.json {
		p.printf("%s\n\n", a.Name)
	}
	return p.show(a, err, "id", a.ID.String(), "vendor", string(a.Vendor), "description", a.Description,
		"config", string(a.Config), "created", p.showTime(a.CreatedAt), "last active", p.showTime(a.LastActiveAt),
		"hint", a.Hint)
}

func (p *program) agentUpdateCommand() *cobra.Command {
	var d agent.Draft
	var patch agent.Patch
	cmd := p.acting(pickPerson, &cobra.Command{
		Use: "update AGENT", Short: "Change the name, description or settings of an agent",
		Annotations: does(agent.Change, agent.Read),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			patch = agent.Patch{Config: d.Config, Name: given(cmd, "name", &d.Name),
				Description: given(cmd, "description", &d.Description)}
			if patch.Name == nil && patch.Description == nil && patch.Config == nil {
				return usagef("specify what to change: --name, --description or --settings")
			}
			return nil
		},
	}, onNamed((*instance).agent, func(ctx context.Context, c *call, a loci.Agent) error {
		return p.showAgent(c.app.Agent.Update(ctx, c.who, a.ID.String(), patch))
	}))
	agentFlags(cmd, &d)
	cmd.Flags().StringVar(&d.Name, "name", "", "the new name")
	return cmd
}

func (p *program) agentStatsCommand() *cobra.Command {
	return p.acting(pickPerson, &cobra.Command{
		Use: "stats AGENT", Short: "Count the sessions and events of an agent", Annotations: does(agent.Read),
	}, onNamed((*instance).agent, func(ctx context.Context, c *call, a loci.Agent) error {
		stats, err := c.app.Agent.Stats(ctx, c.who, a.ID.String())
		return p.show(stats, err, "sessions", loci.Thousands(stats.Sessions), "active", loci.Thousands(stats.Active),
			"events", showCount(stats.Events, stats.EventsMore), "last active", p.showTime(stats.LastActiveAt))
	}))
}

// showCount is empty for an unknown number.
func showCount(n *int, more bool) string {
	switch {
	case n == nil:
		return ""
	case more:
		return "at least " + loci.Thousands(*n)
	}
	return loci.Thousands(*n)
}

func (p *program) agentDeleteCommand() *cobra.Command {
	return p.acting(pickPerson|asks, &cobra.Command{
		Use: "delete AGENT", Short: "Permanently delete an agent", Annotations: does(agent.Delete, agent.Read),
		Long: `Permanently delete an agent. Its sessions stay, and so does what was written in them. Only
their owners reach its memories of agent scope then.`,
	}, onNamed((*instance).agent, func(ctx context.Context, c *call, a loci.Agent) error {
		return p.erase(ctx, "agent", a.Name, a.ID, func() error { return c.app.Agent.Delete(ctx, c.who, a.ID.String()) })
	}))
}

// agents reads all pages.
func (in *instance) agents(ctx context.Context, who loci.Principal) ([]loci.Agent, error) {
	return gate.AllPages(func(cursor string) (gate.Page[loci.Agent], error) {
		return in.app.Agent.List(ctx, who, agent.ListRequest{Limit: gate.MaxPage, Cursor: cursor})
	})
}

// agent finds an agent by its name, its id or the beginning of its id.
func (in *instance) agent(ctx context.Context, who loci.Principal, s string) (loci.Agent, error) {
	const see = "loci agent list"
	a, err := in.app.Agent.Get(ctx, who, s)
	if loci.CodeOf(err) != loci.NotFound {
		return a, err
	}
	list, err := in.agents(ctx, who)
	if err != nil {
		return a, err
	}
	return a, noSuchButNear("agent", s, see, loci.Mapped(list, func(a loci.Agent) string { return a.Name }))
}

// agentID returns the id of a named agent, zero for "".
func (in *instance) agentID(ctx context.Context, who loci.Principal, name string) (id loci.AgentID, err error) {
	if name == "" {
		return id, nil
	}
	a, err := in.agent(ctx, who, name)
	return a.ID, err
}
