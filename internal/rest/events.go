package rest

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/eventlog"
)

var eventRoutes = table{"events", []served{
	{routeAt("POST /events", route{ID: "logEvents", Who: forAny, Action: event.Log, Status: http.StatusCreated,
		Raw: true, Takes: eventBody, Again: true, Further: eventAnswers,
		Summary: "Log events",
		Text: "One event, or up to 10,000 in a list: all or none of them. As " + jsonLines + ", any number of " +
			"events, one a line: Loci stores them as they arrive, and stops at the first bad line. A duplicate of an " +
			"event of the last 24 hours is not stored: 409 for one event, duplicate_of in the result of a list.",
		Out: exampleLogged}), (*server).logEvents},
	serve("GET /events", route{ID: "listEvents", Who: forAny, Action: event.Read,
		Summary: "List and search events",
		Text: "Those that you can see, newest first. Each filter narrows the list. Memory types: episodic (what " +
			"happened), session (the state of the work), decision (a choice with its reason), entity (a fact).",
		Out: exampleEvents}, (*server).events),
	serve("GET /events/stats", route{ID: "eventStats", Who: forAny, Action: event.Read,
		Summary: "Count events",
		Text: "Counts the events that you can see, with the same filters as GET /events, and with parts also when " +
			"they were.",
		Out: exampleEventStats}, (*server).eventStats),
	serve("GET /events/{id}", route{ID: "getEvent", Who: forAny, Action: event.Read,
		Summary: "Get an event",
		Text:    "Events never change. If the access of its session changes, that of the event does, too.",
		Out:     exampleEvent}, (*server).event),
}}

// eventAnswers are what a call that logs events answers in its own way.
var eventAnswers = map[string]*huma.Response{
	"200": {Description: "Loci has all of these events already", Content: map[string]*huma.MediaType{
		jsonType: {Schema: &huma.Schema{Ref: schemaPrefix + "Logged"}, Example: asSent(client.Logged{Duplicates: 1,
			Results: []client.LoggedEvent{{DuplicateOf: loci.EventID(exampleID)}}})}}},
	"409": problemResponse("The session is closed, or Loci has the event already (see duplicate_of)"),
	"413": problemResponse("The body is larger than 16 MiB, or 64 MiB as a stream. Of a stream, Loci stored what the " +
		"answer says"),
	"415": problemResponse("The body is neither " + jsonType + " nor " + jsonLines + ", or compressed"),
}

// eventBody documents the body of a call that logs events.
func eventBody(s *server) *huma.RequestBody {
	schemas := s.api.OpenAPI().Components.Schemas
	one := schemas.Schema(reflect.TypeFor[client.NewEvent](), true, "NewEvent")
	many := schemas.Schema(reflect.TypeFor[client.NewEvents](), true, "NewEvents")
	return &huma.RequestBody{Required: true,
		Description: "At most 16 MiB, or 64 MiB as a stream. A line of a stream has at most 2 MiB. A stream takes no " +
			onceHeader + ": send a dedup_key with each event instead.",
		Content: map[string]*huma.MediaType{
			jsonType: {Schema: &huma.Schema{AnyOf: []*huma.Schema{one, many}}, Example: asSent(exampleNewEvent)},
			jsonLines: {Schema: &huma.Schema{Type: huma.TypeString,
				Description: "A NewEvent in each line"}},
		}}
}

type eventsInput struct {
	client.EventConditions
	Order  eventlog.Order `query:"order" enum:"desc,asc" doc:"By time: desc, the newest first, or asc. Default: desc"`
	Limit  int            `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor string         `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same filters"`
}

func (s *server) events(ctx context.Context, p loci.Principal, in *eventsInput) (*answer[client.EventList], error) {
	if err := timesSent(ctx); err != nil {
		return nil, err
	}
	page, err := s.app.Event.Search(ctx, p, event.SearchRequest{Filter: eventFilter(&in.EventConditions),
		Order: in.Order, Limit: in.Limit, Cursor: in.Cursor})
	return say(client.EventList{Events: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor),
		Partial: page.Partial}, err)
}

type eventStatsInput struct {
	client.EventConditions
	Parts int `query:"parts" minimum:"1" maximum:"100" doc:"Also count them in at most so many parts of their time"`
}

func (s *server) eventStats(ctx context.Context, p loci.Principal, in *eventStatsInput) (
	*answer[client.EventStats], error) {
	if err := timesSent(ctx); err != nil {
		return nil, err
	}
	var got event.Density
	var err error
	if in.Parts > 0 {
		got, err = s.app.Event.Density(ctx, p, eventFilter(&in.EventConditions), in.Parts)
	} else {
		got.Stats, err = s.app.Event.Stats(ctx, p, eventFilter(&in.EventConditions))
	}
	out := client.EventStats{Total: got.Total, ByMemoryType: map[string]int{}, ByEventType: map[string]int{},
		Sessions: got.Sessions, First: got.First, Last: got.Last, Partial: got.Partial}
	for class, n := range got.ByClass {
		out.ByMemoryType[string(class)] = n
	}
	maps.Copy(out.ByEventType, got.ByType)
	if len(got.Counts) > 0 {
		out.Density = &client.EventDensity{Start: got.Start, Seconds: got.Seconds, Counts: got.Counts}
	}
	return say(out, err)
}

// timesSent refuses empty times. A program that sends one has lost its value, and would get everything of all times.
func timesSent(ctx context.Context) error {
	query := exchangeOf(ctx).request.URL.Query()
	for _, name := range []string{"since", "until", "time_zone"} {
		if query.Has(name) && query.Get(name) == "" {
			return loci.FieldErrorf(name, "%s; leave it out for all times", loci.EmptyText)
		}
	}
	return nil
}

func eventFilter(c *client.EventConditions) event.Filter {
	return event.Filter{Since: c.Since, Until: c.Until, Zone: c.Zone, Session: c.Session, Agent: c.Agent,
		ProjectID: c.ProjectID, Classes: c.Classes, Types: c.Types, Tags: c.Tags, AllTags: c.TagMode == client.EveryTag,
		Origin: c.Origin, Actor: c.Actor, ParentID: c.ParentID, MinImportance: c.MinImportance, Text: c.Text}
}

type eventPath struct {
	ID string `path:"id" doc:"Id of the event, a UUID" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (s *server) event(ctx context.Context, p loci.Principal, in *eventPath) (*answer[*loci.Event], error) {
	return say(s.app.Event.Get(ctx, p, idOf[loci.EventID](in.ID)))
}

var (
	exampleNewEvent = client.NewEvent{Type: "error", Content: "The login test fails with 401.", Tags: []string{"ci"},
		Metadata: json.RawMessage(`{"test":"login"}`)}
	exampleEvent = &loci.Event{ID: loci.EventID(exampleID), Time: exampleTime, RecordedAt: exampleTime,
		SessionID: loci.SessionID(exampleID), AgentID: loci.AgentID(exampleID), Class: loci.EventEpisodic, Type: "error",
		Content: "The login test fails with 401.", Metadata: json.RawMessage(`{"test":"login"}`), Tags: []string{"ci"},
		Importance: loci.DefaultImportance, EventAccess: exampleSession.EventAccess}
	exampleEvents     = client.EventList{Events: []*loci.Event{exampleEvent}}
	exampleLogged     = client.Logged{ID: loci.EventID(exampleID), Stored: 1}
	exampleEventStats = client.EventStats{Total: 12, ByMemoryType: map[string]int{"decision": 2, "episodic": 10},
		ByEventType: map[string]int{"error": 1, "general": 11}, Sessions: 3, First: exampleTime, Last: exampleTime}
)
