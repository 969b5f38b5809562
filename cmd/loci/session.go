package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) sessionCommand() *cobra.Command {
	return group("session", "Open, list and close sessions of agents", "",
		p.sessionOpenCommand(), p.sessionListCommand(),
		p.oneSessionCommand("show", "Show a session", agent.SessionRead, (*agent.Service).Session),
		p.oneSessionCommand("close", "Close a session, effective immediately", agent.SessionClose,
			(*agent.Service).CloseSession))
}

func (p *program) sessionOpenCommand() *cobra.Command {
	var agentName, projectName, vendor, title string
	cmd := p.acting(pickPerson|starts, &cobra.Command{
		Use: "open", Short: "Open a session and print its id",
		Annotations: does(agent.SessionOpen, agent.Read, project.Read),
		Example: `  loci session open --agent reviewer --project website --title "Login page"
  loci add --session $(loci session open --agent reviewer) --as claude --scope agent "…"`,
	}, func(ctx context.Context, c *call) error {
		draft := agent.SessionDraft{Vendor: loci.Vendor(vendor), Title: title}
		var err error
		if draft.AgentID, err = c.agentID(ctx, c.who, agentName); err != nil {
			return err
		}
		if draft.ProjectID, err = c.projectID(ctx, c.who, projectName); err != nil {
			return err
		}
		s, err := c.app.Agent.OpenSession(ctx, c.who, draft)
		return p.answer(s, err, "%s", s.ID)
	})
	flags := cmd.Flags()
	flags.StringVar(&agentName, "agent", "", "agent that works in it (default: no registered agent)")
	flags.StringVar(&projectName, "project", "", "project that it is about, by name or id")
	flags.StringVar(&vendor, "vendor", "",
		"vendor whose keys may use it (default: the agent's vendor; without an agent, only you)")
	flags.StringVar(&title, "title", "", "what the work is about")
	return cmd
}

// agentID returns the id of a named agent, zero for "".
func (in *instance) agentID(ctx context.Context, who loci.Principal, name string) (id loci.AgentID, err error) {
	if name == "" {
		return id, nil
	}
	a, err := in.agent(ctx, who, name)
	return a.ID, err
}

func (p *program) sessionListCommand() *cobra.Command {
	var agentName, state string
	var r agent.SessionList
	var counts bool // the closed sessions that the list leaves out by default
	cmd := p.acting(pickPerson, &cobra.Command{
		Use: "list", Short: "List sessions, newest first", Annotations: does(agent.SessionRead, agent.Read),
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			counts = !p.json && !cmd.Flags().Changed("state")
			r.State, err = parseState("--state", state, loci.SessionActive, loci.SessionClosed)
			return err
		},
	}, func(ctx context.Context, c *call) (err error) {
		if r.AgentID, err = c.agentID(ctx, c.who, agentName); err != nil {
			return err
		}
		r.Limit = gate.MaxPage
		if counts {
			r.State = ""
		}
		list, err := allPages(func(cursor string) (gate.Page[loci.Session], error) {
			r.Cursor = cursor
			return c.app.Agent.Sessions(ctx, c.who, r)
		})
		if err != nil {
			return err
		}
		all := len(list)
		if counts {
			list = slices.DeleteFunc(list, func(s loci.Session) bool { return s.State != loci.SessionActive })
		}
		if err := p.printSessions(ctx, c, list); err != nil {
			return err
		}
		if hidden := all - len(list); hidden > 0 {
			p.note("%s not shown; to see all, run: loci session list --state all%s",
				loci.Plural(hidden, "closed session", "closed sessions"), c.actor.flags())
		}
		return nil
	})
	cmd.Flags().StringVar(&agentName, "agent", "", "only sessions of this agent")
	cmd.Flags().StringVar(&state, "state", string(loci.SessionActive), "active, closed or all")
	return cmd
}

func (p *program) printSessions(ctx context.Context, c *call, list []loci.Session) error {
	agents, err := c.agents(ctx, c.who)
	if err != nil {
		return err
	}
	called := map[loci.AgentID]string{}
	for _, a := range agents {
		called[a.ID] = a.Name
	}
	return printList(p, "sessions", list, nil, "no sessions; open one with: loci session open",
		"TITLE|ID|AGENT|VENDOR|STATE|OPENED",
		func(s loci.Session) []string {
			return []string{
				s.Title,
				s.ID.String(),
				called[s.AgentID],
				string(s.Vendor),
				string(s.State),
				p.showTime(s.CreatedAt),
			}
		})
}

// oneSessionCommand does something with one session and prints the result.
func (p *program) oneSessionCommand(use, short string, act gate.Action,
	do func(*agent.Service, context.Context, loci.Principal, loci.SessionID) (loci.Session, error)) *cobra.Command {
	return onID(p, pickPerson, "session", seeSessions, resolveSession, &cobra.Command{
		Use: use + " SESSION", Short: short, Annotations: does(act),
	}, func(ctx context.Context, c *call, id loci.SessionID) error {
		s, err := do(c.app.Agent, ctx, c.who, id)
		return p.show(s, err, "id", s.ID.String(), "title", s.Title, "state", string(s.State), "vendor", string(s.Vendor),
			"agent", showID(s.AgentID), "project", showID(s.ProjectID), "opened", p.showTime(s.CreatedAt),
			"closed", p.showTime(s.ClosedAt))
	})
}
