package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) contextCommand() *cobra.Command {
	var r pack.Request
	var session string
	var receipt bool
	var least float64
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "context GOAL", Short: "Print what an assistant should know for a goal",
		Long: `Print what an assistant should know for a goal, within a budget of tokens: pinned memories,
then decisions, facts, procedures, events and entities of graphs that fit, each with its id.
With --session, it prints the same beginning each time and then only what is new. --receipt
also tells what went in, what was left out, and why.`,
		Example: `  loci context "plan the next deploy"
  loci context "why does the login test fail" --intent debug --max-tokens 500 --receipt`,
		Args:        cobra.MinimumNArgs(1),
		Annotations: does(pack.Read, project.Read, agent.SessionRead),
	}, func(ctx context.Context, c *call) error {
		r.MinConfidence = &least
		r.Goal = strings.Join(c.args, " ")
		who, err := c.instance.during(ctx, c.who, session)
		if err != nil {
			return err
		}
		got, err := c.app.Pack.Context(ctx, who, r)
		switch {
		case err != nil:
			return err
		case p.json:
			return p.printJSON(got)
		}
		if got.Project != "" {
			p.note("project: %s", got.Project)
		}
		p.printf("%s", got.Context)
		if receipt {
			p.printReceipt(got)
		}
		return nil
	})
	confidenceFlag(cmd, &least)
	flags := cmd.Flags()
	flags.StringVar((*string)(&r.Intent), "intent", "",
		"which kinds get room first: build, plan, ideate, research, debug, decide, learn")
	flags.StringVar(&r.Domain, "domain", "", "only memories of this category")
	flags.StringVar(&r.Project, "project", "", "leave out other projects; by id or name")
	flags.StringVar(&session, "session", "", "the session that asks, by id or title: print only what is new to it")
	flags.IntVar(&r.MaxTokens, "max-tokens", 0, "how many tokens it may have, from 200 to 32000 (default: 1000)")
	flags.IntVar(&r.Limit, "limit", 0, "how many lines it may have, at most 50 (default: 24)")
	flags.BoolVar(&r.Fresh, "fresh", false, "forget what the session has received")
	flags.BoolVar(&receipt, "receipt", false, "also print what went in and what was left out")
	return cmd
}

func (p *program) printReceipt(got *loci.ContextPack) {
	p.printf("\n%d of %d tokens\n", got.Tokens, got.MaxTokens)
	for _, l := range got.Receipt.Included {
		p.printf("in   %s %s: %s, %s\n", l.Kind, l.ID, l.Reason, loci.Plural(l.Tokens, "token", "tokens"))
	}
	for _, l := range got.Receipt.LeftOut {
		p.printf("out  %s %s: %s\n", l.Kind, l.ID, l.Reason)
	}
	if got.Receipt.More > 0 {
		p.printf("out  %d more\n", got.Receipt.More)
	}
}
