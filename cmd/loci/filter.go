package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// filterFlags limit a list or a search.
type filterFlags struct {
	memory.Filter
	project, agent string
	writtenIn      string
	limit          int
	cursor, vendor string
	session        string
	trash, expired bool
}

// whenFlags select a time other than the present.
func whenFlags(cmd *cobra.Command, w *loci.When) {
	timeFlag(cmd, &w.AsOf, "as-of", "memories that were true then: a time such as 2026-01-31 or 30d", parsePast)
	timeFlag(cmd, &w.KnownAt, "known-at", "memories as Loci had them then: a time", parsePast)
	cmd.Flags().BoolVar(&w.Superseded, "superseded", false, "also memories that another one replaced")
}

func (f *filterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.Tags, "tag", nil, "only with this tag, in the same case; repeat to allow several")
	flags.BoolVar(&f.AllTags, "all-tags", false, "require every --tag instead of any")
	flags.StringVar(&f.Origin, "origin", "", "only written by this vendor, or by api, cli or dashboard")
	flags.StringVar((*string)(&f.Type), "type", "", "only of this type: semantic, episodic or procedural")
	flags.StringVar(&f.Category, "category", "", "only of this category")
	flags.StringVar(&f.project, "project", "", "only of this project, by name or id")
	flags.StringVar(&f.Key, "key", "", "only with this key")
	flags.StringVar((*string)(&f.Scope), "scope", "", "only of this scope: global, project or agent")
	flags.StringVar(&f.agent, "agent", "", "only of this agent; its assistants see its memories only with --session")
	flags.StringVar(&f.writtenIn, "written-in", "", "only written in this session, by id or title")
	flags.BoolVar(&f.Pinned, "pinned", false, "only pinned memories")
	timeFlag(cmd, &f.From, "from", "created at or after this time: 2h, yesterday, 2026-01-31, …", parsePast)
	timeFlag(cmd, &f.To, "to", "created before this time", parsePast)
	flags.IntVar(&f.limit, "limit", 0, "how many on a page")
	flags.StringVar(&f.cursor, "cursor", "", "continue after the previous page")
	flags.StringVar(&f.vendor, "as", "", "see what this vendor sees")
	sessionFlag(cmd, &f.session)
	whenFlags(cmd, &f.When)
}

// addState adds the flags that select what is not live. verb is what the command does with it.
func (f *filterFlags) addState(cmd *cobra.Command, verb, hint string) {
	cmd.Flags().BoolVar(&f.trash, "trash", false, verb+" the trash")
	cmd.Flags().BoolVar(&f.expired, "expired", false, verb+" what has expired"+hint)
	cmd.MarkFlagsMutuallyExclusive("trash", "expired")
}

// viewer returns the principal whose view to take, and puts what the flags name into the filter.
func (f *filterFlags) viewer(ctx context.Context, in *instance) (loci.Principal, error) {
	switch {
	case f.trash:
		f.Lifecycle = loci.TrashOnly
	case f.expired:
		f.Lifecycle = loci.ExpiredOnly
	}
	who, err := in.as(ctx, f.vendor)
	if err == nil {
		who, err = in.during(ctx, who, f.session)
	}
	if err == nil && f.agent != "" {
		f.AgentID, err = in.agentID(ctx, in.operator, f.agent)
	}
	if err == nil && f.writtenIn != "" {
		f.SessionID, err = in.sessionID(ctx, who, f.writtenIn)
	}
	if err == nil {
		f.ProjectID, err = in.projectID(ctx, who, f.project)
	}
	return who, err
}
