package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// filterFlags limit a list or a search.
type filterFlags struct {
	tags           []string
	allTags        bool
	origin, kind   string
	category       string
	project        string
	key, scope     string
	agent          string
	writtenIn      string
	pinned         bool
	from, to       string
	limit          int
	cursor, vendor string
	session        string
	when           whenFlags
}

// whenFlags select a time other than the present.
type whenFlags struct {
	asOf, knownAt string
	superseded    bool
}

func (w *whenFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&w.asOf, "as-of", "", "memories that were true then: a time such as 2026-01-31 or 30d")
	flags.StringVar(&w.knownAt, "known-at", "", "memories as Loci had them then: a time")
	flags.BoolVar(&w.superseded, "superseded", false, "also memories that another one replaced")
}

func (w *whenFlags) when() (loci.When, error) {
	asOf, err := parsePast("--as-of", w.asOf)
	if err != nil {
		return loci.When{}, err
	}
	knownAt, err := parsePast("--known-at", w.knownAt)
	return loci.When{AsOf: asOf, KnownAt: knownAt, Superseded: w.superseded}, err
}

func (f *filterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.tags, "tag", nil, "only with this tag, in the same case; repeat to allow several")
	flags.BoolVar(&f.allTags, "all-tags", false, "require every --tag instead of any")
	flags.StringVar(&f.origin, "origin", "", "only written by this vendor, or by api, cli or dashboard")
	flags.StringVar(&f.kind, "type", "", "only of this type: semantic, episodic or procedural")
	flags.StringVar(&f.category, "category", "", "only of this category")
	flags.StringVar(&f.project, "project", "", "only of this project, by name or id")
	flags.StringVar(&f.key, "key", "", "only with this key")
	flags.StringVar(&f.scope, "scope", "", "only of this scope: global, project or agent")
	flags.StringVar(&f.agent, "agent", "", "only of this agent; its assistants see its memories only with --session")
	flags.StringVar(&f.writtenIn, "written-in", "", "only written in this session, by id or title")
	flags.BoolVar(&f.pinned, "pinned", false, "only pinned memories")
	flags.StringVar(&f.from, "from", "", "created at or after this time: 2h, yesterday, 2026-01-31, …")
	flags.StringVar(&f.to, "to", "", "created before this time")
	flags.IntVar(&f.limit, "limit", 0, "how many on a page")
	flags.StringVar(&f.cursor, "cursor", "", "continue after the previous page")
	flags.StringVar(&f.vendor, "as", "", "see what this vendor sees")
	sessionFlag(cmd, &f.session)
	f.when.add(cmd)
}

func (f *filterFlags) filter() (memory.Filter, error) {
	from, err := parsePast("--from", f.from)
	if err != nil {
		return memory.Filter{}, err
	}
	to, err := parsePast("--to", f.to)
	if err != nil {
		return memory.Filter{}, err
	}
	out := memory.Filter{Tags: f.tags, AllTags: f.allTags, Origin: f.origin, Type: loci.MemoryType(f.kind),
		Category: f.category,
		Key:      f.key, Scope: loci.Scope(f.scope), Pinned: f.pinned, From: from, To: to}
	out.When, err = f.when.when()
	return out, err
}

// viewer returns the principal whose view to take, and puts the named project into the filter.
func (f *filterFlags) viewer(ctx context.Context, in *instance, filter *memory.Filter) (loci.Principal, error) {
	who, err := in.as(ctx, f.vendor)
	if err == nil {
		who, err = in.during(ctx, who, f.session)
	}
	if err == nil && f.agent != "" {
		filter.AgentID, err = in.agentID(ctx, in.operator, f.agent)
	}
	if err == nil && f.writtenIn != "" {
		filter.SessionID, err = in.sessionID(ctx, who, f.writtenIn)
	}
	if err == nil {
		filter.ProjectID, err = in.projectID(ctx, who, f.project)
	}
	return who, err
}
