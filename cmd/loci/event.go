package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

const seeEvents = "loci events list"

func (p *program) eventsCommand() *cobra.Command {
	return group("events", "Log, list and search events",
		`Log, list and search events: what agents and people do and decide, usually in a
session. Events never change. Whoever sees a session sees its events.`,
		p.eventsLogCommand(), p.eventsListCommand(), p.eventsSearchCommand(), p.eventsTailCommand(),
		p.eventsContextCommand(), p.eventsStatsCommand(), p.eventsShowCommand(), p.eventsDeadCommand(),
		p.eventsReplayCommand())
}

type eventFlags struct {
	event.Draft
	session, class, project, file, lines string
}

func (f *eventFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	sessionFlag(cmd, &f.session)
	flags.StringVar(&f.Agent, "agent", "", "the agent that did it, by name or id (default: the session's)")
	flags.StringVar(&f.Actor, "actor", "", "who spoke or acted")
	flags.StringVar(&f.class, "type", "", "memory type: episodic (what happened, the default), session, decision or "+
		"entity (a fact)")
	flags.StringVar(&f.Type, "event-type", "", "a word such as error or tool_call (default: general)")
	flags.StringArrayVar(&f.Tags, "tag", nil, "tag; may be repeated")
	flags.IntVar(&f.Importance, "importance", 0, "importance from 1 to 10 (default: 5)")
	readFlag(cmd, &f.Metadata, "metadata", "", "metadata as a JSON object", object)
	readFlag(cmd, &f.ParentID, "under", "", "id of the event that this one answers or belongs to", eventID)
	timeFlag(cmd, &f.Time, "time", "when it happened (default: now)", parsePast)
	flags.StringVar(&f.DedupKey, "dedup-key", "", "key of the event; another event with this key is a duplicate")
	flags.StringVar((*string)(&f.Reach), "reach", "",
		"without a session: who sees it besides you: org (default), team or private")
	flags.StringVar(&f.project, "project", "", "without a session: project, by name or id; only its members see it")
	vendorsFlag(cmd, &f.AllowedVendors, maySee+" (default: all)")
	flags.StringVar(&f.file, "file", "", `read the content from a file, unchanged; "-" is standard input`)
	flags.StringVar(&f.lines, "lines", "", `log many events: a file with one JSON object a line; "-" is standard input`)
}

// eventID reads the whole id of an event; "" is the zero id.
func eventID(flag, text string) (id loci.EventID, err error) {
	if text != "" && id.UnmarshalText([]byte(text)) != nil {
		err = loci.FieldErrorf(flag, "must be the id of an event; see `%s`", seeEvents)
	}
	return id, err
}

// eventClass reads --type, which people also take for the type of an event.
func eventClass(text string) (loci.EventClass, error) {
	class := loci.EventClass(text)
	if loci.CheckEventClass("", class) == nil {
		return class, nil
	}
	return "", loci.FieldErrorf("--type", "must be a memory type: episodic, session, decision or entity; for a type of "+
		"event, pass --event-type %s", quoted(cut(text, 60)))
}

func (p *program) eventsLogCommand() *cobra.Command {
	var f eventFlags
	d := &f.Draft
	cmd := p.acting(pickAny|starts, &cobra.Command{
		Use: "log [CONTENT]", Short: "Log an event and print its id",
		Annotations: does(event.Log, agent.Read, project.Read),
		Long: `Log an event and print its id. The content is the argument, --file, or standard input.
With --lines, log many events: each line is a JSON object with the fields of POST
/api/v1/events, such as {"content":"…","event_type":"error"}. No line waits longer than
half a second for the next. Ctrl-C stores those that have arrived and counts them.

Loci does not store an event twice within a day: it compares the agent, the event type
and the first 200 characters of the content, or --dedup-key.`,
		Example: `  loci events log "We keep the old API." --session "Login page" --type decision
  loci events log --lines run.jsonl --as claude`,
		PreRunE: func(cmd *cobra.Command, args []string) (err error) {
			if f.lines != "" {
				if cmd.Flags().NFlag() > 1 && cmd.Flags().Changed("file") || len(args) > 0 {
					return usagef("specify the events with --lines, or one as an argument or with --file")
				}
				return nil
			}
			if len(args) > 1 {
				return usagef("too many arguments: put the content in quotes")
			}
			if d.Content, err = p.content(args, f.file); err == nil && f.class != "" {
				d.Class, err = eventClass(f.class)
			}
			return err
		},
	}, func(ctx context.Context, c *call) (err error) {
		if c.who, err = c.during(ctx, c.who, f.session); err != nil {
			return err
		}
		if f.lines != "" {
			return p.logLines(ctx, c, f.lines)
		}
		if d.ProjectID, err = c.projectID(ctx, c.who, f.project); err != nil {
			return err
		}
		id, err := c.app.Event.Record(ctx, c.who, *d)
		if twice := (*event.DuplicateError)(nil); errors.As(err, &twice) {
			err = loci.WrapError(loci.Conflict, err, "this is a duplicate of event %s; to log it nevertheless, pass "+
				"--dedup-key with a key of its own", twice.Of)
		}
		answer := map[string]any{"id": id}
		if found := event.SecretsIn(*d); err == nil && len(found) > 0 {
			answer["secrets"] = p.noteSecrets(found)
		}
		return p.created(answer, err, id, d.Content)
	})
	f.add(cmd)
	return cmd
}

func (p *program) logLines(ctx context.Context, c *call, name string) error {
	in, _, err := p.openText(ctx, name)
	if err != nil {
		return err
	}
	defer in.Close()
	stream, err := c.app.Event.Stream(ctx, c.who)
	if err != nil {
		return err
	}
	err = stream.ReadLines(ctx, untilDone(ctx, in))
	at := (*event.LineError)(nil)
	switch {
	case errors.Is(err, context.Canceled):
		err = stoppedError{fmt.Sprintf("interrupted: %s stored, %s", loci.Plural(stream.Stored, "event", "events"),
			loci.Plural(stream.Duplicates, "duplicate", "duplicates")), err}
	case errors.As(err, &at):
		err = loci.WrapError(loci.CodeOf(err), err, "line %d: %s; %s", at.Line, err, stream.Before())
	}
	p.noteSecrets(stream.Secrets)
	return p.answer(map[string]any{"stored": stream.Stored, "duplicates": stream.Duplicates}, err, "%s stored, %s",
		loci.Plural(stream.Stored, "event", "events"), loci.Plural(stream.Duplicates, "duplicate", "duplicates"))
}

// eventFilterFlags limit which events a command shows.
type eventFilterFlags struct {
	event.Filter
	session, agent, project string
	classes                 []string
}

func (f *eventFilterFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	sinceFlags(cmd, &f.Since, &f.Until)
	flags.StringVar(&f.session, "session", "", "only of this session, by id or title")
	flags.StringVar(&f.agent, "agent", "", "only of this agent, by name or id")
	flags.StringVar(&f.project, "project", "", "only of this project, by name or id")
	flags.StringVar(&f.Origin, "origin", "", "only written by this vendor, or by api, cli or dashboard")
	flags.StringVar(&f.Actor, "actor", "", "only of this actor")
	readFlag(cmd, &f.ParentID, "under", "", "only events that answer this event, by its id", eventID)
	flags.StringSliceVar(&f.classes, "type", nil, "only of these memory types: episodic, session, decision, entity")
	flags.StringSliceVar(&f.Types, "event-type", nil, "only of these event types, such as error")
	flags.StringArrayVar(&f.Tags, "tag", nil, "only with this tag, in the same case; repeat to allow several")
	flags.BoolVar(&f.AllTags, "all-tags", false, "require every --tag instead of any")
	flags.IntVar(&f.MinImportance, "min-importance", 0, "only of at least this importance, from 1 to 10")
}

// sinceFlags limit the time of events.
func sinceFlags(cmd *cobra.Command, since, until *string) {
	timeFlag(cmd, since, "since", "only at or after this time: 30m, 7d, yesterday, 2026-01-31, …", exactTime)
	timeFlag(cmd, until, "until", "only before this time", exactTime)
}

// filter finds what the flags name.
func (f *eventFilterFlags) filter(ctx context.Context, c *call) (out event.Filter, err error) {
	out = f.Filter
	for _, text := range f.classes {
		class, err := eventClass(text)
		if err != nil {
			return out, err
		}
		out.Classes = append(out.Classes, class)
	}
	for _, kind := range f.Types {
		if err := loci.CheckEventType("--event-type", kind); err != nil {
			return out, err
		}
	}
	if f.session != "" {
		id, err := c.sessionID(ctx, c.who, f.session)
		if err != nil {
			return out, err
		}
		out.Session = id.String()
	}
	id, err := c.agentID(ctx, c.who, f.agent)
	if err != nil {
		return out, err
	}
	out.Agent = showID(id)
	out.ProjectID, err = c.projectID(ctx, c.who, f.project)
	return out, err
}

// exactTime returns the time of a flag, which is in the time zone of this machine, in RFC 3339.
func exactTime(flag, text string) (string, error) {
	at, err := parsePast(flag, text)
	if err != nil || at.IsZero() {
		return "", err
	}
	return at.Format(time.RFC3339Nano), nil
}

func (p *program) eventsListCommand() *cobra.Command {
	return p.eventsFindCommand(&cobra.Command{Use: "list", Short: "List events, newest first",
		Example: `  loci events list --session "Login page" --type decision
  loci events list --since 12h --event-type error --json`})
}

func (p *program) eventsSearchCommand() *cobra.Command {
	return p.eventsFindCommand(&cobra.Command{Use: "search WORD…", Short: "Find events that have all of the words",
		Long: `Find events whose content has all of the words, in any order and form, newest first.
Quote a phrase within the argument, and end a word with * for words that begin with it.`,
		Example: `  loci events search login test --since 7d
  loci events search timeout --event-type error --agent reviewer`})
}

// eventsFindCommand completes a command that prints a page of events.
func (p *program) eventsFindCommand(cmd *cobra.Command) *cobra.Command {
	var f eventFilterFlags
	var r event.SearchRequest
	var oldest bool
	cmd.Annotations = does(event.Read, agent.Read, agent.SessionRead, project.Read)
	p.acting(pickAny, cmd, func(ctx context.Context, c *call) (err error) {
		if r.Filter, err = f.filter(ctx, c); err != nil {
			return err
		}
		if oldest {
			r.Order = eventlog.Oldest
		}
		r.Text = strings.Join(c.args, " ")
		page, err := c.app.Event.Search(ctx, c.who, r)
		if err != nil {
			return err
		}
		return p.printEvents(ctx, c, page)
	})
	f.add(cmd)
	cmd.Flags().BoolVar(&oldest, "oldest", false, "the oldest first")
	cmd.Flags().IntVar(&r.Limit, "limit", 0, "how many on a page")
	cmd.Flags().StringVar(&r.Cursor, "cursor", "", "continue after the previous page")
	return cmd
}

func (p *program) printEvents(ctx context.Context, c *call, page event.Page) error {
	if p.json {
		return p.printJSON(map[string]any{"events": loci.OrEmpty(page.Items), "next_cursor": page.NextCursor,
			"has_more": page.NextCursor != "", "partial": page.Partial})
	}
	if len(page.Items) == 0 && !page.Partial {
		p.note("no events")
		return nil
	}
	if page.Partial {
		p.note("the search used up its time; the next page goes on where it stopped")
	}
	called, err := c.agentNames(ctx, c.who)
	if err != nil {
		return err
	}
	printRows(p, "TIME|TYPE|BY|CONTENT|ID", page.Items, func(e *loci.Event) []string {
		return []string{p.showTime(e.Time), eventKind(e), eventBy(e, called), cut(e.Content, 200), e.ID.String()}
	})
	p.more(page.NextCursor)
	return nil
}

func eventKind(e *loci.Event) string {
	switch {
	case e.Class == loci.EventEpisodic:
		return e.Type
	case e.Type == loci.DefaultEventType:
		return string(e.Class)
	}
	return string(e.Class) + ", " + e.Type
}

// eventBy tells who did it, as far as it is known.
func eventBy(e *loci.Event, called func(loci.AgentID) string) string {
	switch {
	case e.Actor != "":
		return e.Actor
	case !e.AgentID.IsZero():
		return called(e.AgentID)
	}
	return e.Origin
}

func (p *program) eventsStatsCommand() *cobra.Command {
	var f eventFilterFlags
	cmd := p.acting(pickAny, &cobra.Command{
		Use: "stats", Short: "Count events", Annotations: does(event.Read, agent.Read, agent.SessionRead, project.Read),
	}, func(ctx context.Context, c *call) error {
		filter, err := f.filter(ctx, c)
		if err != nil {
			return err
		}
		stats, err := c.app.Event.Stats(ctx, c.who, filter)
		if err != nil || p.json {
			return p.answer(stats, err, "")
		}
		fields := []string{"events", loci.Thousands(stats.Total), "sessions", loci.Thousands(stats.Sessions),
			"first", p.showTime(stats.First), "last", p.showTime(stats.Last)}
		for _, class := range loci.EventClasses() {
			if n := stats.ByClass[class]; n > 0 {
				fields = append(fields, string(class), loci.Thousands(n))
			}
		}
		for _, name := range slices.Sorted(maps.Keys(stats.ByType)) {
			fields = append(fields, "type "+name, loci.Thousands(stats.ByType[name]))
		}
		p.printFields(fields...)
		if stats.Partial {
			p.note("the count used up its time, so there may be more; narrow it, for example with --since")
		}
		return nil
	})
	f.add(cmd)
	return cmd
}

func (p *program) eventsShowCommand() *cobra.Command {
	return onID(p, pickAny, "event", seeEvents, resolveEvent, &cobra.Command{
		Use: "show EVENT", Short: "Show an event", Annotations: does(event.Read, agent.Read),
	}, func(ctx context.Context, c *call, id loci.EventID) error {
		e, err := c.app.Event.Get(ctx, c.who, id)
		if err = orNoSuch(err, "event", id.String(), seeEvents); err != nil {
			return err
		}
		called, err := c.agentNames(ctx, c.who)
		if err != nil || p.json {
			return p.answer(e, err, "")
		}
		p.printFields("id", e.ID.String(), "time", p.showTime(e.Time), "type", string(e.Class)+", "+e.Type,
			"actor", e.Actor, "agent", called(e.AgentID), "written by", e.Origin, "session", showID(e.SessionID),
			"project", showID(e.ProjectID), "reach", string(e.Reach), "vendors", showVendors(e.AllowedVendors),
			"tags", strings.Join(e.Tags, ", "), "metadata", string(e.Metadata), "answers", showID(e.ParentID),
			"dedup key", e.DedupKey)
		p.printf("\n%s\n", strings.TrimRight(loci.Legible(e.Content), "\n"))
		return nil
	})
}

// resolveEvent finds the event whose id begins with s. Its id begins with its time, which limits the search.
func resolveEvent(ctx context.Context, c *call, s string) (loci.EventID, error) {
	first, last, err := loci.ParseIDPrefix[struct{}](s, leastID)
	if err != nil {
		return loci.EventID{}, err
	}
	r := event.SearchRequest{Limit: gate.MaxPage, Filter: event.Filter{Since: beginningOf(first).Format(time.RFC3339Nano),
		Until: beginningOf(last).Add(time.Millisecond).Format(time.RFC3339Nano)}}
	if beginningOf(last).Year() > 9998 {
		return loci.EventID{}, noSuch("event", s, seeEvents)
	}
	page, err := c.app.Event.Search(ctx, c.who, r)
	if err != nil {
		return loci.EventID{}, err
	}
	if page.NextCursor != "" {
		return loci.EventID{}, loci.Errorf(loci.Invalid, "many event ids begin with %s; type more of one; see `%s`", s,
			seeEvents)
	}
	return beginning(loci.Mapped(page.Items, func(e *loci.Event) loci.EventID { return e.ID }), s, "event", seeEvents)
}

// beginningOf returns the time with which an id of an event begins, exact to a millisecond.
func beginningOf(id [16]byte) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(id[:8]) >> 16)).UTC() // #nosec G115 -- 48 bits
}
