package mcpserver

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
	"github.com/loci-memory/loci/internal/recall"
)

func searchFields(c *call, in *memory.SearchRequest) []field {
	return []field{
		text("term", &in.Query, 1, loci.MaxTerm).must().or("query"), limit(c, &in.Limit, searchMax, searchDefault),
		cursor(c, &in.Cursor), tags(&in.Tags, 0), origin(&in.Origin),
		moment("as_of", &in.When.AsOf), flag("include_superseded", &in.When.Superseded).hide(), detail(c), inSession(c),
		moment("asked_at", &in.AskedAt).hide(),
		moment("known_at", &in.When.KnownAt).hide(), tagMode(&in.AllTags).hide(), namedProject(c, &in.ProjectID).hide(),
		word("category", &in.Category).hide(),
		share("min_confidence", &in.MinConfidence).hide(),
	}
}

func (s *Server) searchMemories(ctx context.Context, c *call, in *memory.SearchRequest) (any, error) {
	found, err := s.app.Memory.Recall(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	out := page[hit]{Memories: make([]hit, len(found.Items)), Total: &found.Total,
		TotalIsLowerBound: found.TotalIsLowerBound, HasMore: found.NextCursor != "", NextCursor: found.NextCursor,
		EventsPartial: found.EventsPartial, Meaning: unready(found.Meaning),
		stopped: stoppedBy(found.StoppedBy, len(found.Items))}
	inTime := recall.AsksOrder(in.Query)
	if inTime {
		out.Order = "time"
		oldestFirst(found)
	}
	for i := range found.Items {
		if out.Memories[i] = s.foundHit(ctx, c, &found.Items[i]); inTime || len(found.Events) > 0 {
			out.Memories[i].Rank = found.Items[i].Rank
		}
		if inTime {
			out.Memories[i].Date = day(recall.Happened(&found.Items[i].Memory))
		}
	}
	for i := range found.Events {
		out.Events = append(out.Events, foundEventOf(c, &found.Events[i]))
	}
	if out.Graph = graphLines(found.Graph); found.NothingFits {
		out.Hint = nothingFits
	} else if len(out.Graph) == 0 && len(found.Items) == 0 && found.Total == 0 {
		out.Hint = s.hint(ctx, c, in.Query, &in.Filter)
	}
	return out, nil
}

// oldestFirst orders hits by when they happened. Which of them are on the page depends on their rank.
func oldestFirst(found *memory.SearchPage[loci.Recalled]) {
	slices.SortStableFunc(found.Items, func(x, y loci.Recalled) int {
		return recall.Happened(&x.Memory).Compare(recall.Happened(&y.Memory))
	})
	slices.SortStableFunc(found.Events, func(x, y loci.RecalledEvent) int { return x.Time.Compare(y.Time) })
}

// nothingFits is the hint if all that was found was left out.
const nothingFits = "Nothing fits: what was found hardly has to do with the question. To get it, send " +
	"min_confidence 0, or search for other words."

// foundEvent is an event that a search for memories found, as short as a hit. search_events has its full text.
type foundEvent struct {
	Rank    int          `json:"rank"`
	ID      loci.EventID `json:"id"`
	Time    string       `json:"time"`
	Type    string       `json:"event_type"`
	Actor   string       `json:"actor,omitempty"`
	Origin  string       `json:"origin"`
	Session string       `json:"session,omitempty"` // short
	Text    string       `json:"text,omitempty"`    // all of it, or
	Snippet string       `json:"snippet,omitempty"` // a part
	Reason  string       `json:"reasoning,omitempty"`
	Other   string       `json:"alternatives,omitempty"` // what was not chosen
	Alike   int          `json:"alike,omitempty"`        // events that say the same but for numbers and ids
	Why     any          `json:"why,omitempty"`          // a phrase, or a loci.Why
	Score   float64      `json:"score,omitempty"`

	Confidence float64 `json:"confidence,omitempty"`
}

func foundEventOf(c *call, e *loci.RecalledEvent) foundEvent {
	out := foundEvent{Rank: e.Rank, ID: e.ID, Time: e.Time.UTC().Format(time.RFC3339), Type: e.Type, Actor: e.Actor,
		Origin: e.Origin, Why: whyPhrase(&e.Why), Alike: e.Alike, Confidence: e.Confidence,
		Reason: loci.Shorten(e.Detail(loci.ReasonField), wholeText),
		Other:  loci.Shorten(e.Detail(loci.AlternativesField), wholeText)}
	if !e.SessionID.IsZero() {
		out.Session = e.SessionID.Short()
	}
	if utf8.RuneCountInString(e.Content) <= wholeText {
		out.Text = e.Content
	} else {
		out.Snippet = e.Snippet.Plain()
	}
	if c.detail == full {
		out.Why, out.Score = e.Why, e.Score
	}
	return out
}

// maxGraphLine is how many characters of a fact a line has.
const maxGraphLine = 300

// graphLines returns what entities have, each fact as one line.
func graphLines(list []loci.RecalledEntity) (lines []string) {
	add := func(text string) { lines = append(lines, loci.Shorten(loci.OneLine(text), maxGraphLine)) }
	for i := range list {
		e := &list[i]
		for _, o := range e.Observations {
			add(e.Name + ": " + o.Content)
		}
		for _, r := range e.Relations {
			add(r.Path())
		}
		if len(e.Observations)+len(e.Relations) == 0 {
			add(e.Name + " (" + e.Type + ")")
		}
	}
	return slices.Compact(lines)
}

func recallFields(c *call, in *memory.SearchRequest) []field {
	return []field{
		text("query", &in.Query, 1, loci.MaxTerm).must().or("term"),
		limit(c, &in.Limit, memory.MaxRecall, memory.DefaultRecall), cursor(c, &in.Cursor),
		tags(&in.Tags, 0), tagMode(&in.AllTags).hide(), origin(&in.Origin), word("key", &in.Key),
		word("category", &in.Category),
		scope(&in.Scope), namedProject(c, &in.ProjectID), flag("pinned", &in.Pinned),
		moment("as_of", &in.When.AsOf), moment("known_at", &in.When.KnownAt),
		flag("include_superseded", &in.When.Superseded), kinds(&in.Kinds), detail(c), inSession(c),
		moment("asked_at", &in.AskedAt).hide(), share("min_confidence", &in.MinConfidence).about("0: everything"),
	}
}

// kinds is what to find.
func kinds(into *[]memory.Kind) field {
	f := list("kinds", into, 0, 2, loci.MaxEventType, func(string, []memory.Kind) error { return nil }).
		loosely(atCommas)
	f.schema.Items.Enum = []any{memory.KindMemory, memory.KindEvent}
	return f
}

// share is a number from 0 to 1. nil: it is not there.
func share(name string, into **float64) field {
	const kind = "a number from 0 to 1"
	schema := &jsonschema.Schema{Type: "number", Minimum: new(0.0), Maximum: new(1.0)}
	return value(name, kind, schema, func(path string, v float64) error {
		if *into = &v; v < 0 || v > 1 {
			return loci.FieldErrorf(path, "must be "+kind)
		}
		return nil
	}).loosely(unquoted)
}

func scope(into *loci.Scope) field {
	return oneOf("scope", into, loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent)
}

func packFields(c *call, in *pack.Request) []field {
	return []field{
		text("goal", &in.Goal, 1, pack.MaxGoal).must(),
		oneOf("intent", &in.Intent, loci.Intents()...),
		text("domain", &in.Domain, 0, loci.MaxCategory),
		text("project", &in.Project, 0, loci.MaxName).about("leaves out other projects"),
		inSession(c),
		whole("max_tokens", &in.MaxTokens, pack.MinTokens, pack.MaxTokens, pack.DefaultTokens),
		whole("limit", &in.Limit, 1, pack.MaxLines, pack.DefaultLines).hide(),
		flag("fresh", &in.Fresh).about("repeat what the session has").hide(),
		share("min_confidence", &in.MinConfidence).hide(),
	}
}

// packed is a pack for a model. The sections say the same as the text, so they would only cost tokens.
type packed struct {
	Project string   `json:"project,omitempty"`
	Context string   `json:"context"`
	Tokens  int      `json:"tokens"`
	Left    int      `json:"left"` // lines that had no room
	Again   int      `json:"already_sent,omitempty"`
	Unsafe  []string `json:"not_shown,omitempty"` // citations of what reads like an order to a model
	Partial bool     `json:"partial,omitempty"`
	Unfit   bool     `json:"nothing_fits,omitempty"`
}

func (s *Server) contextPack(ctx context.Context, c *call, in *pack.Request) (any, error) {
	in.MaxTokens = min(in.MaxTokens, max(pack.MinTokens, s.budget-marginTokens-packAround))
	got, err := s.app.Pack.Context(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	out := packed{Project: got.Project, Context: got.Context, Tokens: got.Tokens, Left: got.Receipt.More,
		Partial: got.Partial, Unfit: got.NothingFits}
	for _, l := range got.Receipt.LeftOut {
		switch l.Reason {
		case "budget":
			out.Left++
		case "already_sent":
			out.Again++
		case "instructs":
			out.Unsafe = append(out.Unsafe, pack.Citation(l.Kind, l.ID))
		}
	}
	return out, nil
}

// packAround is how many tokens an answer may have besides the text of the pack.
const packAround = 200
