package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/gate"
)

func eventFields(c *call, in *event.Draft) []field {
	metadata := value("metadata", "a JSON object", &jsonschema.Schema{Type: "object"},
		func(path string, v json.RawMessage) error {
			in.Metadata = v
			return loci.CheckObject(path, v, loci.MaxEventMetadata)
		}).loosely(unquoted)
	return []field{
		text("content", &in.Content, 1, loci.MaxContent).must(),
		text("event_type", &in.Type, 0, loci.MaxEventType).about("a word, such as error, question or tool_call"),
		oneOf("memory_type", &in.Class, loci.EventClasses()...).otherwise(`"episodic"`),
		inSession(c).about("id or title; default: no session"),
		text("actor", &in.Actor, 0, loci.MaxActor).about("who spoke or acted, such as user"),
		optionalID("parent_id", &in.ParentID).about("the event that this one answers"),
		tags(&in.Tags, 0), whole("importance", &in.Importance, 1, loci.MaxImportance, 0),
		metadata.hide(), // strict mode does not know objects of any form
		text("agent", &in.Agent, 0, loci.MaxName).or("agent_id").hide(),
		text("dedup_key", &in.DedupKey, 0, loci.MaxDedupKey).hide(), moment("time", &in.Time).hide(),
		oneOf("reach", &in.Reach, loci.ReachOrg, loci.ReachTeam, loci.ReachPrivate).hide(),
		namedProject(c, &in.ProjectID).hide(), vendors("allowed_vendors", &in.AllowedVendors).hide(),
	}
}

// logged is what became of an event.
type logged struct {
	ID     loci.EventID `json:"id"`
	Result string       `json:"result"` // logged or duplicate
	Note   string       `json:"note,omitempty"`
}

func (s *Server) logEvent(ctx context.Context, c *call, in *event.Draft) (any, error) {
	id, err := s.app.Event.Record(ctx, c.principal, *in)
	if known := (*event.DuplicateError)(nil); errors.As(err, &known) {
		return logged{known.Of, "duplicate", "Loci has this event already, under this id. Do not log it again."}, nil
	}
	return logged{id, "logged", loci.SecretHint(event.SecretsIn(*in))}, err
}

type choice struct {
	event.Draft
	reasoning    string
	alternatives []string
	confidence   *float64
}

// Limits of decisions. Together they keep to those of the metadata of an event.
const (
	maxReasoning    = 2000
	maxAlternatives = 10
	maxAlternative  = 200
	decisionType    = "decision"
)

func decisionFields(c *call, in *choice) []field {
	return []field{
		text("decision", &in.Content, 1, loci.MaxContent).must(),
		text("reasoning", &in.reasoning, 1, maxReasoning).must(),
		list("alternatives", &in.alternatives, 0, maxAlternatives, maxAlternative, checkAlternatives).
			about("what was not chosen"),
		share("confidence", &in.confidence), inSession(c), namedProject(c, &in.ProjectID), tags(&in.Tags, 0),
		whole("importance", &in.Importance, 1, loci.MaxImportance, 0),
	}
}

func checkAlternatives(path string, list []string) error {
	if len(list) > maxAlternatives {
		return tooMany(path, len(list), maxAlternatives)
	}
	for _, one := range list {
		if err := loci.CheckText(path, one, 1, maxAlternative); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) logDecision(ctx context.Context, c *call, in *choice) (any, error) {
	in.Class, in.Type = loci.EventDecision, decisionType
	members := map[string]any{loci.ReasonField: in.reasoning}
	if len(in.alternatives) > 0 {
		members[loci.AlternativesField] = in.alternatives
	}
	if in.confidence != nil {
		members[loci.ConfidenceField] = *in.confidence
	}
	metadata, err := encode(members)
	if err != nil {
		return nil, err
	}
	in.Metadata = metadata
	return s.logEvent(ctx, c, &in.Draft)
}

// contextAsk asks for a context of a session, an agent or the org.
type contextAsk struct {
	event.ContextRequest
	session, agent string
}

func contextFields(_ *call, in *contextAsk) []field {
	return []field{
		text("session_id", &in.session, 0, loci.MaxTitle).about("id or title"),
		text("agent", &in.agent, 0, loci.MaxName).or("agent_id").about("instead: what this agent did, by name or id"),
		text("topic", &in.Topic, 0, loci.MaxTerm).about("only events with these words"),
		text("since", &in.Since, 0, loci.MaxName).about("such as 12h, 7d or a date"),
		text("until", &in.Until, 0, loci.MaxName),
		list("include_types", &in.Types, 0, gate.MaxPage, loci.MaxEventType, func(string, []string) error { return nil }).
			loosely(atCommas).unlimited().about("memory types or event types"),
		whole("max_tokens", &in.MaxTokens, event.MinContextTokens, event.MaxContextTokens, event.DefaultContextTokens),
		text("time_zone", &in.Zone, 0, loci.MaxName).hide(), askedIn(&in.Zone),
	}
}

type told struct {
	Context string `json:"context"`
	Events  int    `json:"events"`
	Left    int    `json:"left"` // events that did not fit
	Partial bool   `json:"partial,omitempty"`
}

func (s *Server) getSessionContext(ctx context.Context, c *call, in *contextAsk) (any, error) {
	if in.session != "" && in.agent != "" {
		return nil, loci.FieldErrorf("agent", "cannot be combined with session_id; send one of them")
	}
	for r := in.ContextRequest; ; {
		got, err := s.contextOf(ctx, c, in, r)
		if err != nil {
			return nil, err
		}
		out := told{got.Context, got.Events, got.Events - len(got.Shown), got.Partial}
		size := cost(out) + marginTokens
		if size <= s.budget || r.MaxTokens <= event.MinContextTokens {
			return out, nil
		}
		r.MaxTokens = max(event.MinContextTokens, fewerItems(min(r.MaxTokens, got.Tokens), size, s.budget))
	}
}

func (s *Server) contextOf(ctx context.Context, c *call, in *contextAsk, r event.ContextRequest) (
	*event.Context, error) {
	switch {
	case in.session != "":
		return s.app.Event.SessionContext(ctx, c.principal, in.session, r)
	case in.agent != "":
		return s.app.Event.AgentContext(ctx, c.principal, in.agent, r)
	}
	return s.app.Event.OrgContext(ctx, c.principal, r)
}

const (
	eventsMax     = 100
	eventsDefault = 20
)

// eventsAsk asks for the events that pass a filter, or for one by its id.
type eventsAsk struct {
	event.SearchRequest
	id loci.EventID
}

func searchEventFields(c *call, in *eventsAsk) []field {
	return []field{
		optionalID("id", &in.id),
		text("query", &in.Text, 0, loci.MaxTerm).or("q").about("words that the content must have"),
		text("since", &in.Since, 0, loci.MaxName).about("such as 12h, 7d or a date"),
		text("until", &in.Until, 0, loci.MaxName),
		text("session_id", &in.Session, 0, loci.MaxTitle).about("id or title"),
		text("agent", &in.Agent, 0, loci.MaxName).or("agent_id").about("name or id"),
		text("actor", &in.Actor, 0, loci.MaxActor),
		classesField(&in.Classes),
		list("event_type", &in.Types, 0, loci.MaxTags, loci.MaxEventType, func(string, []string) error { return nil }).
			loosely(atCommas).unlimited(),
		tags(&in.Tags, 0),
		tagMode(&in.AllTags),
		whole("min_importance", &in.MinImportance, 1, loci.MaxImportance, 0),
		optionalID("parent_id", &in.ParentID).about("only answers to this event"),
		origin(&in.Origin), namedProject(c, &in.ProjectID),
		oneOf("order", &in.Order, "desc", "asc").about("by time"),
		limit(c, &in.Limit, eventsMax, eventsDefault), cursor(c, &in.Cursor),
		text("time_zone", &in.Zone, 0, loci.MaxName).hide(), askedIn(&in.Zone),
	}
}

// askedIn is the time at which the person asked. Dates and days are in its zone, unless the call names another.
func askedIn(zone *string) field {
	return value("asked_at", "a string", plain(), func(path, v string) error {
		at, err := timeOf(path, v)
		*zone = cmp.Or(*zone, at.Format("-07:00"))
		return err
	}).hide()
}

// classesField is a list of memory types of events.
func classesField(into *[]loci.EventClass) field {
	f := list("memory_type", into, 0, loci.MaxTags, loci.MaxEventType, func(path string, v []loci.EventClass) error {
		for _, one := range v {
			if err := loci.CheckEventClass(path, one); err != nil {
				return err
			}
		}
		return nil
	}).loosely(atCommas).unlimited()
	for _, class := range loci.EventClasses() {
		f.schema.Items.Enum = append(f.schema.Items.Enum, class)
	}
	return f
}

type happened struct {
	ID         loci.EventID    `json:"id"`
	Time       string          `json:"time"`
	Class      loci.EventClass `json:"memory_type"`
	Type       string          `json:"event_type"`
	Actor      string          `json:"actor,omitempty"`
	AgentID    loci.AgentID    `json:"agent_id,omitzero"`
	SessionID  loci.SessionID  `json:"session_id,omitzero"`
	Origin     string          `json:"origin"`
	Content    string          `json:"content"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	Tags       []string        `json:"tags,omitempty"`
	Importance int             `json:"importance,omitempty"` // unless it is the default
	ParentID   loci.EventID    `json:"parent_id,omitzero"`
}

func happenedOf(e *loci.Event) happened {
	out := happened{ID: e.ID, Time: e.Time.UTC().Format(time.RFC3339), Class: e.Class, Type: e.Type, Actor: e.Actor,
		AgentID: e.AgentID, SessionID: e.SessionID, Origin: e.Origin, Content: e.Content, Metadata: e.Metadata, Tags: e.Tags,
		Importance: e.Importance, ParentID: e.ParentID}
	if e.Importance == loci.DefaultImportance {
		out.Importance = 0
	}
	return out
}

func (s *Server) searchEvents(ctx context.Context, c *call, in *eventsAsk) (any, error) {
	if !in.id.IsZero() {
		e, err := s.app.Event.Get(ctx, c.principal, in.id)
		if err != nil {
			return nil, err
		}
		return rows("events", []happened{happenedOf(e)}, ""), nil
	}
	page, err := s.app.Event.Search(ctx, c.principal, in.SearchRequest)
	list := loci.Mapped(page.Items, happenedOf)
	out := rows("events", list, page.NextCursor)
	if page.Partial {
		out["partial"] = true
	}
	return out, err
}
