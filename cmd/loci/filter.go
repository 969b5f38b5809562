package main

import (
	"context"
	"encoding"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// filterFlags narrow a list or a search.
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

// whenFlags ask for another time than the present.
type whenFlags struct {
	asOf, knownAt string
	superseded    bool
}

func (w *whenFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&w.asOf, "as-of", "", "what was true then: 2026-01-31 or 2026-01-31T15:04:05Z")
	flags.StringVar(&w.knownAt, "known-at", "", "what was stored then, as it was, in the same forms")
	flags.BoolVar(&w.superseded, "superseded", false, "also what another memory took the place of")
}

func (w *whenFlags) when() (loci.When, error) {
	asOf, err := parseTime("--as-of", w.asOf)
	if err != nil {
		return loci.When{}, err
	}
	knownAt, err := parseTime("--known-at", w.knownAt)
	return loci.When{AsOf: asOf, KnownAt: knownAt, Superseded: w.superseded}, err
}

func (f *filterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.tags, "tag", nil, "only with this tag; repeat for any of several")
	flags.BoolVar(&f.allTags, "all-tags", false, "every --tag must be there, instead of any")
	flags.StringVar(&f.origin, "origin", "", "only what this vendor (or api, cli, dashboard) wrote")
	flags.StringVar(&f.kind, "type", "", "semantic, episodic or procedural")
	flags.StringVar(&f.category, "category", "", "only of this category")
	flags.StringVar(&f.project, "project", "", "only of this project, by name or id")
	flags.StringVar(&f.key, "key", "", "only of this key")
	flags.StringVar(&f.scope, "scope", "", "only of this scope: global, project or agent")
	flags.StringVar(&f.agent, "agent", "", "only of this agent, by id; --session shows what belongs to it")
	flags.StringVar(&f.writtenIn, "written-in", "", "only what was written in this session, by id")
	flags.BoolVar(&f.pinned, "pinned", false, "only pinned ones")
	flags.StringVar(&f.from, "from", "", "created at or after: 2026-01-31 or 2026-01-31T15:04:05Z")
	flags.StringVar(&f.to, "to", "", "created before, in the same forms")
	flags.IntVar(&f.limit, "limit", 0, "how many on a page")
	flags.StringVar(&f.cursor, "cursor", "", "continue where the page before ended")
	flags.StringVar(&f.vendor, "as", "", "look through the eyes of this vendor")
	sessionFlag(cmd, &f.session)
	f.when.add(cmd)
}

func (f *filterFlags) filter() (app.Filter, error) {
	from, err := parseTime("--from", f.from)
	if err != nil {
		return app.Filter{}, err
	}
	to, err := parseTime("--to", f.to)
	if err != nil {
		return app.Filter{}, err
	}
	out := app.Filter{Tags: f.tags, AllTags: f.allTags, Origin: f.origin, Type: loci.MemoryType(f.kind), Category: f.category,
		Key: f.key, Scope: loci.Scope(f.scope), Pinned: f.pinned, From: from, To: to}
	for _, id := range []struct {
		flag, text string
		to         encoding.TextUnmarshaler
	}{{"--agent", f.agent, &out.AgentID}, {"--written-in", f.writtenIn, &out.SessionID}} {
		if id.text != "" && id.to.UnmarshalText([]byte(id.text)) != nil {
			return out, loci.FieldErrorf(id.flag, "must be an id: a UUID of 36 characters")
		}
	}
	out.When, err = f.when.when()
	return out, err
}

// viewer returns whose eyes to look through, and puts the project that was
// named into the filter.
func (f *filterFlags) viewer(ctx context.Context, in *instance, filter *app.Filter) (loci.Principal, error) {
	who, err := in.as(ctx, f.vendor)
	if err == nil {
		who, err = in.during(ctx, who, f.session)
	}
	if err != nil || f.project == "" {
		return who, err
	}
	x, err := in.project(ctx, who, f.project)
	filter.ProjectID = x.ID
	return who, err
}

// parseTime reads a day (its first moment, UTC) or a moment.
func parseTime(flag, s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, loci.FieldErrorf(flag, "must be a day like 2026-01-31 or a time like 2026-01-31T15:04:05Z")
}

// parseExpiry reads how long something lasts from now: 90d, 12h, a day or a
// moment.
func parseExpiry(s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if d, err := parseSpan(s); err == nil {
		return now.Add(d), nil
	}
	t, err := parseTime("--expires", s)
	if err != nil {
		return t, loci.FieldErrorf("--expires", "must be a span like 90d or 12h, or a time like 2026-01-31T15:04:05Z")
	}
	return t, nil
}

// parseSpan reads a span of time like 90d or 12h.
func parseSpan(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 36500 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err == nil && d <= 0 {
		err = loci.Errorf(loci.Invalid, "a span is more than nothing")
	}
	return d, err
}

// parseMemoryID reads an id from the command line.
func parseMemoryID(s string) (loci.MemoryID, error) {
	id, err := loci.ParseMemoryID(s)
	if err != nil {
		return id, loci.Errorf(loci.Invalid, "%q is not an id: %s; `loci list` and `loci search` show ids", cut(s, 60), err)
	}
	return id, nil
}
