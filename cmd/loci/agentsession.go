package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) agentSessionCommand() *cobra.Command {
	return group("session", "Open, list and close sessions of agents", "",
		p.agentSessionOpenCommand(), p.agentSessionListCommand(),
		p.oneSessionCommand("show", "Show a session of an agent", app.WorkRead, (*app.App).AgentSession),
		p.oneSessionCommand("close", "Close a session: nothing can be written or read in it from then on", app.WorkClose, (*app.App).CloseAgentSession))
}

func (p *program) agentSessionOpenCommand() *cobra.Command {
	var org, user, agent, project, vendor, title string
	cmd := &cobra.Command{
		Use: "open", Short: "Open a session and print its id", Args: cobra.NoArgs, Annotations: does(app.WorkOpen, app.AgentRead, app.ProjectRead),
		Example: `  loci agent session open --agent reviewer --project website --title "Login page"
  loci add --session $(loci agent session open --agent reviewer) --as claude --scope agent "…"`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.with(ctx, create, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				draft := app.AgentSessionDraft{Vendor: loci.Vendor(vendor), Title: title}
				if agent != "" {
					of, err := in.agent(ctx, who, agent)
					if err != nil {
						return err
					}
					draft.AgentID = of.ID
				}
				if project != "" {
					about, err := in.project(ctx, who, project)
					if err != nil {
						return err
					}
					draft.ProjectID = about.ID
				}
				s, err := in.app.OpenAgentSession(ctx, who, draft)
				if err != nil {
					return err
				}
				if p.json {
					return p.printJSON(s)
				}
				p.printf("%s\n", s.ID)
				return nil
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	flags := cmd.Flags()
	flags.StringVar(&agent, "agent", "", "whose session it is (default: of no registered agent)")
	flags.StringVar(&project, "project", "", "what it is about, a name or an id")
	flags.StringVar(&vendor, "vendor", "", "whose keys may name it (default: the agent's vendor; without an agent only you may)")
	flags.StringVar(&title, "title", "", "what is done in it")
	return cmd
}

func (p *program) agentSessionListCommand() *cobra.Command {
	var org, user, agent, state string
	cmd := &cobra.Command{
		Use: "list", Short: "List sessions, the one opened last first", Args: cobra.NoArgs, Annotations: does(app.WorkRead, app.AgentRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := app.AgentSessionList{State: loci.SessionState(state), Limit: app.MaxPage}
			switch state {
			case "all":
				r.State = ""
			case string(loci.SessionActive), string(loci.SessionClosed):
			default:
				return loci.FieldErrorf("--state", "must be active, closed or all, and is %q", cut(state, 60))
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				if agent != "" {
					of, err := in.agent(ctx, who, agent)
					if err != nil {
						return err
					}
					r.AgentID = of.ID
				}
				list, err := in.agentSessions(ctx, who, r)
				if err != nil {
					return err
				}
				return p.printAgentSessions(ctx, in, who, list)
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	cmd.Flags().StringVar(&agent, "agent", "", "only sessions of this agent")
	cmd.Flags().StringVar(&state, "state", string(loci.SessionActive), "active, closed or all")
	return cmd
}

// agentSessions reads all pages.
func (in *instance) agentSessions(ctx context.Context, who loci.Principal, r app.AgentSessionList) ([]loci.Session, error) {
	return allPages(func(cursor string) ([]loci.Session, string, error) {
		r.Cursor = cursor
		page, err := in.app.AgentSessions(ctx, who, r)
		if err != nil {
			return nil, "", err
		}
		return page.Sessions, page.NextCursor, nil
	})
}

func (p *program) printAgentSessions(ctx context.Context, in *instance, who loci.Principal, list []loci.Session) error {
	if p.json {
		return p.printJSON(page("sessions", notNil(list)))
	}
	if len(list) == 0 {
		p.note("no sessions; open one with: loci agent session open")
		return nil
	}
	agents, err := in.agents(ctx, who)
	if err != nil {
		return err
	}
	called := map[loci.AgentID]string{}
	for _, a := range agents {
		called[a.ID] = a.Name
	}
	rows := make([][]string, len(list))
	for i, s := range list {
		rows[i] = []string{s.ID.String(), called[s.AgentID], string(s.Vendor), string(s.State), showTime(s.CreatedAt), s.Title}
	}
	p.printTable([]string{"ID", "AGENT", "VENDOR", "STATE", "OPENED", "TITLE"}, rows)
	return nil
}

// oneSessionCommand does something with one session and prints what it is then.
func (p *program) oneSessionCommand(use, short string, act app.Action, do func(*app.App, context.Context, loci.Principal, loci.SessionID) (loci.Session, error)) *cobra.Command {
	var org, user string
	cmd := &cobra.Command{
		Use: use + " SESSION", Short: short, Args: cobra.ExactArgs(1), Annotations: does(act),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseID[loci.SessionID](args[0], "session", "loci agent session list --state all")
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				s, err := do(in.app, ctx, who, id)
				if err != nil {
					return err
				}
				return p.printSession(s)
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	return cmd
}

func (p *program) printSession(s loci.Session) error {
	if p.json {
		return p.printJSON(s)
	}
	rows := [][2]string{{"id", s.ID.String()}, {"title", s.Title}, {"state", string(s.State)}, {"vendor", string(s.Vendor)}, {"agent", idOrNone(s.AgentID)},
		{"project", idOrNone(s.ProjectID)}, {"opened", showTime(s.CreatedAt)}, {"closed", showTime(s.ClosedAt)}}
	for _, r := range rows {
		if r[1] != "" && r[1] != "-" {
			p.printf("%-8s  %s\n", r[0], loci.OneLine(r[1]))
		}
	}
	return nil
}

func idOrNone[Kind any](id loci.ID[Kind]) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}
