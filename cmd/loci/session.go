package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

const seeSessions = "loci session list --state all"

func (p *program) sessionCommand() *cobra.Command {
	return group("session", "Create, list and close sessions",
		`Create, list, change and close sessions. A session is a bounded piece of work of agents or
people. Its reach decides who sees it: org, team or private. SESSION is an id, the
beginning of an id, or a title. An active session comes before closed ones of its title.`,
		p.sessionCreateCommand(), p.sessionListCommand(),
		p.oneSessionCommand("show", "Show a session", agent.SessionRead, (*agent.Service).Session),
		p.sessionUpdateCommand(),
		p.oneSessionCommand("close", "Close a session, effective immediately", agent.SessionClose,
			(*agent.Service).CloseSession),
		p.oneSessionCommand("reopen", "Make a closed session active again", agent.SessionReopen,
			(*agent.Service).ReopenSession),
		p.sessionContextCommand())
}

// sessionFlags adds the flags that both a new and a changed session have. metadata is what --metadata does.
func sessionFlags(cmd *cobra.Command, d *agent.SessionDraft, metadata string) {
	cmd.Flags().StringVar(&d.Title, "title", "", "what the work is about")
	cmd.Flags().StringVar((*string)(&d.Reach), "reach", "", "who sees it besides you: org, team or private (default: org)")
	vendorsFlag(cmd, &d.AllowedVendors, maySee+" (default: all)")
	readFlag(cmd, &d.Metadata, "metadata", "", metadata, object)
}

func (p *program) sessionCreateCommand() *cobra.Command {
	var projectName string
	var draft agent.SessionDraft
	cmd := p.acting(pickAny|starts, &cobra.Command{
		Use: "create", Short: "Create a session and print its id",
		Annotations: does(agent.SessionCreate, agent.Read, project.Read),
		Long: `Create a session and print its id. By default, everybody in the org sees it. With --as,
Loci registers an agent that it doesn't know.`,
		Example: `  loci session create --agent reviewer --project website --title "Login page"
  loci add --session "Login page" --as claude --scope agent "…"`,
	}, func(ctx context.Context, c *call) (err error) {
		if draft.Agent != "" && c.who.Vendor == "" {
			a, err := c.agent(ctx, c.who, draft.Agent)
			if err != nil {
				return err
			}
			draft.Agent = a.ID.String()
		}
		if draft.ProjectID, err = c.projectID(ctx, c.who, projectName); err != nil {
			return err
		}
		s, err := c.app.Agent.CreateSession(ctx, c.who, draft)
		return p.created(s, err, s.ID, s.Title)
	})
	sessionFlags(cmd, &draft, "metadata as a JSON object")
	cmd.Flags().StringVar(&draft.Agent, "agent", "", "main agent, by name or id (default: none)")
	cmd.Flags().StringVar(&projectName, "project", "", "project that it is about, by name or id; only its members see it")
	cmd.Flags().StringVar(&draft.Key, "key", "",
		"your own name for it; if you created one with this key, print the id of that one")
	return cmd
}

func (p *program) sessionUpdateCommand() *cobra.Command {
	var d agent.SessionDraft
	var patch agent.SessionPatch
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "update SESSION", Short: "Change the title, metadata or readers of a session",
		Annotations: does(agent.SessionChange, agent.SessionRead),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			patch = agent.SessionPatch{Title: given(cmd, "title", &d.Title), Metadata: d.Metadata,
				AllowedVendors: d.AllowedVendors}
			if d.Reach != "" {
				patch.Reach = &d.Reach
			}
			if patch.Title == nil && patch.Reach == nil && patch.Metadata == nil && patch.AllowedVendors == nil {
				return usagef("specify what to change: --title, --metadata, --reach or --allow")
			}
			return nil
		},
	}, onNamed((*instance).session, func(ctx context.Context, c *call, s loci.Session) error {
		return p.showSession(c.app.Agent.UpdateSession(ctx, c.who, s.ID.String(), patch))
	}))
	sessionFlags(cmd, &d, "JSON object to merge into the metadata; a null removes a member")
	return cmd
}

func (p *program) sessionListCommand() *cobra.Command {
	var projectName string
	var r agent.SessionList
	var counts bool // the closed sessions that the list leaves out by default
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "list", Short: "List sessions, newest first", Annotations: does(agent.SessionRead, agent.Read, project.Read),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			counts = !p.json && !cmd.Flags().Changed("state")
			return nil
		},
	}, func(ctx context.Context, c *call) (err error) {
		if r.ProjectID, err = c.projectID(ctx, c.who, projectName); err != nil {
			return err
		}
		if counts {
			r.State = ""
		}
		list, err := c.sessions(ctx, c.who, r)
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
	cmd.Flags().StringVar(&r.Agent, "agent", "", "only sessions of this agent, by name or id")
	cmd.Flags().StringVar(&projectName, "project", "", "only sessions about this project, by name or id")
	cmd.Flags().StringVar((*string)(&r.Reach), "reach", "", "only sessions of this reach: org, team or private")
	readFlag(cmd, &r.State, "state", string(loci.SessionActive), "active, closed or all",
		oneOf(loci.SessionActive, loci.SessionClosed))
	return cmd
}

func (p *program) printSessions(ctx context.Context, c *call, list []loci.Session) error {
	called, err := c.agentNames(ctx, c.who)
	if err != nil {
		return err
	}
	return printList(p, "sessions", list, nil, "no sessions; create one with: loci session create",
		"TITLE|ID|AGENT|REACH|VENDORS|STATE|LAST ACTIVE",
		func(s loci.Session) []string {
			return []string{
				s.Title,
				s.ID.String(),
				called(s.AgentID),
				string(s.Reach),
				showVendors(s.AllowedVendors),
				string(s.State),
				p.showTime(s.LastActiveAt),
			}
		})
}

func (in *instance) agentNames(ctx context.Context, who loci.Principal) (func(loci.AgentID) string, error) {
	agents, err := in.agents(ctx, who)
	called := map[loci.AgentID]string{{}: ""}
	for _, a := range agents {
		called[a.ID] = a.Name
	}
	return func(id loci.AgentID) string {
		if name, known := called[id]; known {
			return name
		}
		return "deleted agent " + id.Short()
	}, err
}

// showVendors tells whose assistants may see a session.
func showVendors(list []loci.Vendor) string {
	switch {
	case len(list) == 0:
		return "none"
	case slices.Contains(list, loci.AnyVendor):
		return "all"
	}
	return strings.Join(loci.Texts(list), ", ")
}

// oneSessionCommand does something with one session and prints the result.
func (p *program) oneSessionCommand(use, short string, act gate.Action,
	do func(*agent.Service, context.Context, loci.Principal, string) (loci.Session, error)) *cobra.Command {
	return p.acting(pickAny, &cobra.Command{
		Use: use + " SESSION", Short: short, Annotations: does(act, agent.SessionRead),
	}, onNamed((*instance).session, func(ctx context.Context, c *call, s loci.Session) error {
		return p.showSession(do(c.app.Agent, ctx, c.who, s.ID.String()))
	}))
}

func (p *program) showSession(s loci.Session, err error) error {
	state := string(s.State)
	if s.Expired {
		state += ", because nobody had worked in it for long"
	}
	return p.show(s, err, "id", s.ID.String(), "title", s.Title, "state", state, "reach", string(s.Reach),
		"vendors", showVendors(s.AllowedVendors), "agent", showID(s.AgentID), "project", showID(s.ProjectID),
		"created by", s.Origin, "metadata", string(s.Metadata), "created", p.showTime(s.CreatedAt),
		"last active", p.showTime(s.LastActiveAt), "closed", p.showTime(s.ClosedAt), "reopened", p.showTime(s.ReopenedAt))
}

// sessions reads all pages.
func (in *instance) sessions(ctx context.Context, who loci.Principal, r agent.SessionList) ([]loci.Session, error) {
	r.Limit = gate.MaxPage
	return gate.AllPages(func(cursor string) (gate.Page[loci.Session], error) {
		r.Cursor = cursor
		return in.app.Agent.Sessions(ctx, who, r)
	})
}

// session finds a session by its id, the beginning of its id, or its title.
func (in *instance) session(ctx context.Context, who loci.Principal, s string) (loci.Session, error) {
	found, err := in.app.Agent.Session(ctx, who, s)
	return found, orNoSuch(err, "session", s, seeSessions)
}

// sessionID returns the id of a named session. A whole id may be that of a session that is gone.
func (in *instance) sessionID(ctx context.Context, who loci.Principal, s string) (loci.SessionID, error) {
	if id, err := loci.ParseID[struct{}](s); err == nil {
		return loci.SessionID(id), nil
	}
	found, err := in.session(ctx, who, s)
	return found.ID, err
}

// sessionFlag adds --session, which during reads.
func sessionFlag(cmd *cobra.Command, session *string) {
	cmd.Flags().StringVar(session, "session", "",
		"session to work in, by id or title; see \"loci session create\"")
}

// during returns who in the session that --session names. "" means none.
func (in *instance) during(ctx context.Context, who loci.Principal, session string) (loci.Principal, error) {
	p, err := in.auth.InNamedSession(ctx, who, session)
	if loci.CodeOf(err) == loci.Invalid {
		text := strings.TrimPrefix(loci.SafeText(err), loci.FieldOf(err)+" ")
		return p, loci.FieldErrorf("--session", "%s; see `%s`", text, seeSessions)
	}
	return p, err
}
