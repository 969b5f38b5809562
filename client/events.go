package client

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/loci-memory/loci"
)

// NewEvent is loci.NewEvent.
type NewEvent = loci.NewEvent

// NewEvents are events to log, all or none of them.
type NewEvents struct {
	Events []NewEvent `json:"events" nullable:"false" minItems:"1" maxItems:"10000"`
}

// Logged is what became of events.
type Logged struct {
	ID         loci.EventID  `json:"id,omitzero" format:"uuid" doc:"The id of the event, if you sent one"`
	Stored     int           `json:"stored" doc:"How many events Loci stored"`
	Duplicates int           `json:"duplicates" doc:"How many it did not, because it has them"`
	Secrets    []string      `json:"secrets,omitempty" doc:"Which types of secrets the texts have. Loci stores them as sent, shows [secret] in their place in contexts, and puts them into the inbox of the person" example:"[\"password\"]"`
	Results    []LoggedEvent `json:"results,omitempty" nullable:"false" doc:"What became of each event of a list, in its order"`
}

// LoggedEvent is what became of one event of a list.
type LoggedEvent struct {
	ID          loci.EventID `json:"id,omitzero" format:"uuid" doc:"The id of the event; absent: it is a duplicate"`
	DuplicateOf loci.EventID `json:"duplicate_of,omitzero" format:"uuid" doc:"The earlier event that is equal"`
}

// StreamStopped is where a stream of events stopped.
type StreamStopped struct {
	Line       int `json:"line" doc:"The line that Loci refused, from 1. It stored every line before, and none after"`
	Stored     int `json:"stored" doc:"How many events of the stream Loci stored"`
	Duplicates int `json:"duplicates" doc:"How many it did not, because it has them"`
}

// EventList is a page of events.
type EventList struct {
	Events []*loci.Event `json:"events" nullable:"false"`
	More
	Partial bool `json:"partial,omitempty" doc:"The search used up its time. The next page goes on where it stopped"`
}

// EventStats are counts of events.
type EventStats struct {
	Total        int            `json:"total"`
	ByMemoryType map[string]int `json:"by_memory_type" nullable:"false" doc:"How many events each memory_type has"`
	ByEventType  map[string]int `json:"by_event_type" nullable:"false" doc:"The same for the 50 most frequent values of event_type"`
	Sessions     int            `json:"sessions" doc:"How many sessions they belong to"`
	First        time.Time      `json:"first,omitzero" doc:"The time of the earliest event"`
	Last         time.Time      `json:"last,omitzero" doc:"The time of the latest event"`
	Partial      bool           `json:"partial,omitempty" doc:"The count used up its time, so there may be more"`
	Density      *EventDensity  `json:"density,omitempty" doc:"How the events spread over time, if you sent parts and there are any"`
}

// EventDensity is how many events there are at which times.
type EventDensity struct {
	Start   time.Time `json:"start" doc:"When the first part begins"`
	Seconds int64     `json:"seconds" doc:"The length of each part" example:"300"`
	Counts  []int     `json:"counts" nullable:"false" doc:"How many events are in each part, the earliest first"`
}

// EventConditions narrow a list of events or their counts. An event must match every field that is set.
type EventConditions struct {
	Since         string            `query:"since" maxLength:"100" doc:"Only events at or after a time: a span before now (30m, 12h, 7d), RFC 3339, or a date"`
	Until         string            `query:"until" maxLength:"100" doc:"Only events before a time, in the same forms"`
	Zone          string            `query:"time_zone" maxLength:"100" doc:"The time zone of dates and times without one, such as Europe/Berlin or +01:00. Default: UTC"`
	Session       string            `query:"session_id" maxLength:"500" doc:"Only events of this session, by id or title"`
	Agent         string            `query:"agent_id" maxLength:"100" doc:"Only events of this agent, by id or name"`
	ProjectID     loci.ProjectID    `query:"project_id" format:"uuid" doc:"Only events about this project"`
	Classes       []loci.EventClass `query:"memory_type,explode" enum:"episodic,session,decision,entity" doc:"Repeat it for several: any of them"`
	Types         []string          `query:"event_type,explode" maxItems:"50" maxLength:"64" doc:"Repeat it for several: any of them"`
	Tags          []string          `query:"tags,explode" maxItems:"50" minLength:"1" maxLength:"100" doc:"Exact tags. Repeat it for several"`
	TagMode       TagMode           `query:"tag_mode" enum:"any,all" doc:"Default: any"`
	Origin        string            `query:"origin" maxLength:"50" doc:"The writer"`
	Actor         string            `query:"actor" maxLength:"100" doc:"Who spoke or acted"`
	ParentID      loci.EventID      `query:"parent_id" format:"uuid" doc:"Only events that answer this one or belong to it"`
	MinImportance int               `query:"min_importance" minimum:"1" maximum:"10"`
	Text          string            `query:"q" maxLength:"500" doc:"Only events whose content has all of these words, phrases in quotes and beginnings with *; at most 32"`
}

// EventQuery asks for a page of events.
type EventQuery struct {
	EventConditions
	Order  string // desc, the newest first, or asc; "": desc
	Limit  int    // 0: 50; at most 500
	Cursor string // NextCursor of the previous page
}

// ContextRequest asks for a text about events for a model to read.
type ContextRequest struct {
	Since     string   `json:"since,omitzero" maxLength:"100" doc:"Only events at or after a time: a span before now (30m, 12h, 7d), RFC 3339, or a date" example:"12h"`
	Until     string   `json:"until,omitzero" maxLength:"100" doc:"Only events before a time, in the same forms"`
	Zone      string   `json:"time_zone,omitzero" maxLength:"100" doc:"The time zone of dates and times without one. Default: UTC"`
	Types     []string `json:"include_types,omitzero" nullable:"false" maxItems:"50" maxLength:"64" doc:"Only events with one of these memory types or event types. Default: all" example:"[\"decision\",\"error\"]"`
	Topic     string   `json:"topic,omitzero" maxLength:"500" doc:"Only events with these words, as q of events finds them; at most 32"`
	MaxTokens int      `json:"max_tokens,omitzero" minimum:"500" maximum:"100000" doc:"The most tokens of the text. Default: 4,000"`
	Format    string   `json:"format,omitzero" enum:"markdown,json" doc:"Default: markdown, the text alone"`
}

// EventContext is loci.EventContext.
type EventContext = loci.EventContext

// LogEvent logs an event. It fails with Conflict if its session is closed, and if Loci already has the
// event: then DuplicateOf of the Error is the id of the earlier one.
func (c *Client) LogEvent(ctx context.Context, e NewEvent) (*Logged, error) {
	return send[Logged](ctx, c, "/events", e)
}

// LogEvents logs up to 10,000 events, all or none of them. A duplicate is no error.
func (c *Client) LogEvents(ctx context.Context, events []NewEvent) (*Logged, error) {
	return send[Logged](ctx, c, "/events", NewEvents{events})
}

// Event returns an event.
func (c *Client) Event(ctx context.Context, id loci.EventID) (*loci.Event, error) {
	return get[loci.Event](ctx, c, "/events/"+id.String())
}

// Events returns one page of the events that the caller can see, the newest first.
func (c *Client) Events(ctx context.Context, q EventQuery) (*EventList, error) {
	v := q.values()
	for name, value := range map[string]string{"order": q.Order, "limit": number(q.Limit), "cursor": q.Cursor} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return get[EventList](ctx, c, query("/events", v))
}

// EventStats counts the events that the caller can see.
func (c *Client) EventStats(ctx context.Context, q EventConditions) (*EventStats, error) {
	return get[EventStats](ctx, c, query("/events/stats", q.values()))
}

// EventDensity returns the same, and how the events spread over at most so many parts of their time (1 to 100).
func (c *Client) EventDensity(ctx context.Context, q EventConditions, parts int) (*EventStats, error) {
	values := q.values()
	values.Set("parts", strconv.Itoa(parts))
	return get[EventStats](ctx, c, query("/events/stats", values))
}

// SessionContext returns a text about the events of a session, by its id or title, for a model to read.
func (c *Client) SessionContext(ctx context.Context, session string, r ContextRequest) (*EventContext, error) {
	return c.eventContext(ctx, sessionPath(session)+"/context", r)
}

// AgentContext returns the same about an agent, by its id or name.
func (c *Client) AgentContext(ctx context.Context, agent string, r ContextRequest) (*EventContext, error) {
	return c.eventContext(ctx, agentPath(agent)+"/context", r)
}

// EventContext returns the same about all events that the caller can see.
func (c *Client) EventContext(ctx context.Context, r ContextRequest) (*EventContext, error) {
	return c.eventContext(ctx, "/events/context", r)
}

func (c *Client) eventContext(ctx context.Context, path string, r ContextRequest) (*EventContext, error) {
	r.Format = "json"
	return send[EventContext](ctx, c, path, r)
}

func (q *EventConditions) values() url.Values {
	v := values("since", q.Since, "until", q.Until, "time_zone", q.Zone, "session_id", q.Session, "agent_id", q.Agent,
		"project_id", idOf(q.ProjectID), "tag_mode", string(q.TagMode), "origin", q.Origin, "actor", q.Actor, "parent_id",
		idOf(q.ParentID), "min_importance", number(q.MinImportance), "q", q.Text)
	for _, class := range q.Classes {
		v.Add("memory_type", string(class))
	}
	v["event_type"], v["tags"] = q.Types, q.Tags
	return v
}
