package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
)

// contextFlags limit what a text about events tells.
func contextFlags(cmd *cobra.Command, r *event.ContextRequest) {
	flags := cmd.Flags()
	sinceFlags(cmd, &r.Since, &r.Until)
	flags.StringSliceVar(&r.Types, "include-types", nil, "only these types, such as decision or error")
	flags.StringVar(&r.Topic, "topic", "", "only events that have all of these words")
	flags.IntVar(&r.MaxTokens, "max-tokens", 0, "how long it may be, from 500 to 100000 tokens (default: 4000)")
}

func (p *program) sessionContextCommand() *cobra.Command {
	var r event.ContextRequest
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "context SESSION", Short: "Print what happened in a session, for a model to read",
		Annotations: does(event.Read, agent.SessionRead),
		Long: `Print what happened in a session, for a model to read: decisions with their reasons,
errors, open questions, who did what, and then everything else by type. If it is too long,
it leaves out the least important events, then the oldest, and counts them.`,
		Example: `  loci session context "Login page"
  loci session context "Login page" --since 12h --include-types decision,error --max-tokens 1000`,
	}, onNamed((*instance).session, func(ctx context.Context, c *call, s loci.Session) error {
		return p.printContext(c.app.Event.SessionContext(ctx, c.who, s.ID.String(), r))
	}))
	contextFlags(cmd, &r)
	return cmd
}

func (p *program) eventsContextCommand() *cobra.Command {
	var r event.ContextRequest
	var agentName string
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "context", Short: "Print what happened in the org, for a model to read",
		Annotations: does(event.Read, agent.Read),
		Long: `Print what happened in the org, for a model to read, as loci session context does for one
session. With --agent, it is about what an agent did, and with --topic, about the events
that have some words.`,
		Example: `  loci events context --since 7d
  loci events context --topic "login test" --max-tokens 1000`,
	}, func(ctx context.Context, c *call) error {
		id, err := c.agentID(ctx, c.who, agentName)
		switch {
		case err != nil:
			return err
		case id.IsZero():
			return p.printContext(c.app.Event.OrgContext(ctx, c.who, r))
		}
		return p.printContext(c.app.Event.AgentContext(ctx, c.who, id.String(), r))
	})
	contextFlags(cmd, &r)
	cmd.Flags().StringVar(&agentName, "agent", "", "only what this agent did, by name or id")
	return cmd
}

func (p *program) printContext(got *event.Context, err error) error {
	if err != nil || p.json {
		return p.answer(got, err, "")
	}
	p.printf("%s", loci.Legible(got.Context))
	return nil
}
