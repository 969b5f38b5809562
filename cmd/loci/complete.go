package main

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/task"
)

// proposal is a value that the shell proposes, with what it stands for.
type proposal struct{ text, about string }

// proposals are all that an argument or a flag can take. c is nil without a data directory.
type proposals func(ctx context.Context, c *call) ([]proposal, error)

// These bound a completion: the shell waits for it at every press of the key.
const completionValues = 200

var completionTime = 2 * time.Second // tests wait longer

// argumentValues has what use lines name, or the command and what its use line names.
var argumentValues = map[string]proposals{
	"AGENT": agentValues, "CLIENT": clientValues, "MEMORY": memoryValues(loci.LiveOnly), "NODE": nodeValues,
	"ORG": orgValues, "PROJECT": projectValues, "TEAM": teamValues, "USER": userValues, "VENDORS": vendorValues,
	"WORKSPACE": workspaceValues, "key KEY": keyValues(loci.KindUser), "agent-key KEY": keyValues(loci.KindAgent),
	"suggestion ID": suggestionValues, "SESSION": sessionValues, "TASK": taskValues, "CANDIDATE": candidateValues,
	"OTHER":   candidateValues,
	"loci ID": memoryValues(loci.LiveOnly), "restore ID": memoryValues(loci.TrashOnly),
}

var flagValues = map[string]proposals{
	"agent": agentValues, "allow": vendorValues, "as": vendorValues, "corrects": memoryValues(loci.LiveOnly),
	"log-level": fixed("debug", "info", "warn", "error"), "memory": memoryValues(loci.LiveOnly), "org": orgValues,
	"origin": originValues, "project": projectValues, "session": sessionValues,
	"supersedes": memoryValues(loci.LiveOnly), "tag": tagValues, "transport": fixed("stdio", "http"),
	"user": userValues, "vendor": vendorValues, "workspace": workspaceValues, "written-in": sessionValues,
}

// fileNames are the arguments and flags that the shell completes itself.
var fileNames = []string{"FILE", "DIR", "REPOSITORY|FOLDER", "compare", "config", "data-dir", "dir", "export", "file",
	"golden", "lines", "memory-file", "output", "run", "to"}

// takeValues lets the shell complete the arguments and flags of a command and of those below it.
func (p *program) takeValues(cmd *cobra.Command) {
	if names := argumentNames(cmd.Use); len(names) > 0 {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			if len(args) >= len(names) && !strings.Contains(cmd.Use, "…") {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			name := names[min(len(args), len(names)-1)]
			for _, key := range []string{cmd.Name() + " " + name, cmd.Parent().Name() + " " + name, name} {
				if list := argumentValues[key]; list != nil {
					return p.complete(cmd, args, typed, list)
				}
			}
			if cmd.Parent().Name() == "models" && strings.HasPrefix(name, "NAME") {
				return p.complete(cmd, args, typed, p.modelValues)
			}
			return nil, filesIf(name)
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		complete := func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if list := flagValues[f.Name]; list != nil {
				return p.complete(cmd, nil, typed, list)
			}
			if f.Name == "embed-model" {
				return p.complete(cmd, nil, typed, p.modelValues)
			}
			return nil, filesIf(f.Name)
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(err) // the flag exists, and no other function completes it
		}
	})
	for _, below := range cmd.Commands() {
		p.takeValues(below)
	}
}

func filesIf(name string) cobra.ShellCompDirective {
	if slices.Contains(fileNames, name) {
		return cobra.ShellCompDirectiveDefault
	}
	return cobra.ShellCompDirectiveNoFileComp
}

// isCompletion reports whether a command asks for proposals, as shells do. It has the flags of another command.
func isCompletion(cmd *cobra.Command) bool {
	return cmd.Name() == cobra.ShellCompRequestCmd || cmd.Name() == cobra.ShellCompNoDescRequestCmd
}

// argumentNames returns the names of a use line without brackets: NODE and TEXT for "add NODE [TEXT…]".
func argumentNames(use string) []string {
	words, _, _ := strings.Cut(use, " --")
	names := strings.Fields(words)[1:]
	for i, name := range names {
		names[i] = strings.Trim(name, "[]…")
	}
	return names
}

// complete returns the proposals that begin with what was typed. A mistake or a missing data directory leaves the shell
// without proposals: nobody could read an error there.
func (p *program) complete(cmd *cobra.Command, args []string, typed string, list proposals) ([]cobra.Completion,
	cobra.ShellCompDirective) {
	found, err := p.valuesFor(cmd, list)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	before := typed[:strings.LastIndex(typed, ",")+1] // of a list
	named := append(strings.Split(before, ","), args...)
	var out []cobra.Completion
	for _, v := range found {
		if v.text != loci.OneLine(v.text) || slices.Contains(named, v.text) { // a shell takes one line
			continue
		}
		if text := before + v.text; strings.HasPrefix(strings.ToLower(text), strings.ToLower(typed)) {
			out = append(out, cobra.CompletionWithDesc(text, cut(loci.OneLine(v.about), 60)))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (p *program) valuesFor(cmd *cobra.Command, list proposals) (found []proposal, err error) {
	if err := p.configure(cmd); err != nil {
		return nil, err
	}
	p.log = slog.New(slog.DiscardHandler)
	p.err = io.Discard
	ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
	defer cancel()
	if hasNoData(p.settings.DataDir) || maintain.Interrupted(p.settings.DataDir) {
		return list(ctx, nil)
	}
	var a actor
	session := ""
	for name, into := range map[string]*string{"org": &a.org, "user": &a.user, "as": &a.vendor, "session": &session} {
		if f := cmd.Flags().Lookup(name); f != nil {
			*into = f.Value.String()
		}
	}
	err = p.with(ctx, refuse, func(in *instance) error {
		who, err := a.principal(ctx, in)
		if err == nil {
			who, err = in.during(ctx, who, session)
		}
		if err == nil {
			found, err = list(ctx, &call{instance: in, who: who, actor: &a})
		}
		return err
	})
	return found, err
}

func stored[T any](list func(context.Context, *call) ([]T, error), of func(T) proposal) proposals {
	return func(ctx context.Context, c *call) ([]proposal, error) {
		if c == nil {
			return nil, nil
		}
		found, err := list(ctx, c)
		return loci.Mapped(found, of), err
	}
}

func fixed(texts ...string) proposals {
	return func(context.Context, *call) ([]proposal, error) {
		return loci.Mapped(texts, func(s string) proposal { return proposal{s, ""} }), nil
	}
}

func clientValues(context.Context, *call) ([]proposal, error) {
	return loci.Mapped(clients, func(c *client) proposal { return proposal{c.id, c.name} }), nil
}

func vendorValues(context.Context, *call) ([]proposal, error) {
	return loci.Mapped(loci.Vendors, func(v loci.KnownVendor) proposal { return proposal{string(v.Name), v.Label} }), nil
}

func originValues(ctx context.Context, c *call) ([]proposal, error) {
	vendors, err := vendorValues(ctx, c)
	return append(vendors, proposal{"api", ""}, proposal{"cli", ""}, proposal{"dashboard", ""}), err
}

func memoryValues(state loci.Lifecycle) proposals {
	return stored(func(ctx context.Context, c *call) ([]*loci.Memory, error) {
		page, err := c.app.Memory.List(ctx, c.who,
			memory.ListRequest{Filter: memory.Filter{Lifecycle: state}, Limit: completionValues})
		return page.Items, err
	}, func(m *loci.Memory) proposal { return proposal{m.ID.String(), m.Title} })
}

func tagValues(ctx context.Context, c *call) (out []proposal, err error) {
	if c == nil {
		return nil, nil
	}
	page, err := c.app.Memory.List(ctx, c.who, memory.ListRequest{Limit: completionValues})
	for _, m := range page.Items {
		for _, tag := range m.Tags {
			if !slices.Contains(out, proposal{tag, ""}) {
				out = append(out, proposal{tag, ""})
			}
		}
	}
	return out, err
}

var (
	agentValues = stored(func(ctx context.Context, c *call) ([]loci.Agent, error) { return c.agents(ctx, c.who) },
		func(a loci.Agent) proposal { return proposal{a.Name, string(a.Vendor)} })
	nodeValues = stored(func(ctx context.Context, c *call) ([]*loci.MemoryNode, error) {
		page, err := c.app.Node.List(ctx, c.who, node.ListRequest{Limit: completionValues})
		return page.Items, err
	}, func(n *loci.MemoryNode) proposal { return proposal{n.ID.String(), n.Name} })
	orgValues = stored(func(ctx context.Context, c *call) ([]loci.Org, error) { return c.orgs(ctx, "") },
		func(o loci.Org) proposal { return proposal{string(o.ID), o.Name} })
	projectValues = stored(func(ctx context.Context, c *call) ([]loci.Project, error) {
		return c.projects(ctx, c.who, "", completionValues)
	}, func(x loci.Project) proposal { return proposal{x.Name, x.Description} })
	teamValues = stored(func(ctx context.Context, c *call) ([]loci.Team, error) { return c.app.Org.Teams(ctx, c.who) },
		func(t loci.Team) proposal { return proposal{t.Name, ""} })
	workspaceValues = stored(func(ctx context.Context, c *call) ([]loci.Workspace, error) {
		return c.app.Org.Workspaces(ctx, c.who)
	}, func(w loci.Workspace) proposal { return proposal{w.Name, ""} })
	sessionValues = stored(func(ctx context.Context, c *call) ([]loci.Session, error) {
		page, err := c.app.Agent.Sessions(ctx, c.who, agent.SessionList{Limit: completionValues})
		return page.Items, err
	}, func(s loci.Session) proposal { return proposal{s.ID.String(), s.Title} })
	taskValues = stored(func(ctx context.Context, c *call) ([]loci.Task, error) {
		page, err := c.app.Task.List(ctx, c.who, task.ListRequest{Limit: completionValues})
		return page.Items, err
	}, func(t loci.Task) proposal { return proposal{t.ID.String(), t.Title} })
	candidateValues = stored(func(ctx context.Context, c *call) ([]*loci.Candidate, error) {
		page, err := c.app.Review.List(ctx, c.who, review.ListRequest{Limit: completionValues})
		return page.Items, err
	}, func(x *loci.Candidate) proposal { return proposal{x.ID.String(), x.Title} })
	suggestionValues = stored(func(ctx context.Context, c *call) ([]loci.Suggestion, error) {
		page, err := c.app.Memory.Suggestions(ctx, c.who,
			memory.SuggestionsRequest{State: loci.SuggestionPending, Limit: gate.MaxPage})
		return page.Items, err
	}, func(s loci.Suggestion) proposal { return proposal{s.ID.String(), s.By.Title} })
	userValues = stored(func(ctx context.Context, c *call) ([]loci.User, error) { return c.everybody(ctx, c.actor.org) },
		func(u loci.User) proposal { return proposal{cmp.Or(u.Email, u.ID.String()), u.Name} })
)

func keyValues(kind loci.Kind) proposals {
	return stored(func(ctx context.Context, c *call) ([]loci.Credential, error) {
		keys, err := c.keys(ctx, c.actor.org, kind)
		return slices.DeleteFunc(keys, func(k loci.Credential) bool { return !k.RevokedAt.IsZero() }), err
	}, func(k loci.Credential) proposal {
		return proposal{k.Name, strings.TrimSpace(string(k.Vendor) + " " + k.Prefix)}
	})
}
