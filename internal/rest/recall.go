package rest

import (
	"cmp"
	"context"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/memory"
)

var recallRoutes = table{"recall", []served{
	serve("POST /memories/recall", route{ID: "recallMemories", Reads: true, ForAgents: true, Who: forAny,
		Action:  memory.Read,
		Summary: "Recall the best matching memories and events",
		Text: "Full memories with reasons and their 10 oldest sources, events, and entities of graphs. limit counts " +
			"memories and events together; rank is the place among both. Takes words, \"phrases\" and prefix*. If " +
			"nothing matches, Loci looks for similar words, beginnings and parts of words.",
		In: client.RecallRequest{Query: "deploy day"}, Out: exampleRecalled}, (*server).recallByBody),
	serve("GET /memories/recall", route{ID: "recallMemoriesByQuery", Who: forAny, Action: memory.Read,
		Summary: "Recall by query parameters",
		Text:    "The same as POST /memories/recall, for browsers and scripts.",
		Out:     exampleRecalled}, (*server).recallByQuery),
	serve("POST /query", route{ID: "query", Reads: true, ForAgents: true, Who: forAny, Action: memory.Query,
		Summary: "Ask a question",
		Text: "Finds matching memories, builds a prompt from them and, if a model is configured, answers. The " +
			"receipt lists the memories that Loci used and those that it cut.",
		In: exampleQuery, Out: exampleAnswer,
		Further: map[string]*huma.Response{"502": problemResponse("The model did not answer")}}, (*server).query),
	serve("GET /briefing", route{ID: "getBriefing", Who: forPeople, Action: memory.Briefing,
		Summary: "Get a briefing",
		Text:    "For the start of a session. format=markdown returns it for a model.",
		Out:     exampleBriefing, Alternatives: markdownToo}, (*server).briefing),
	serve("GET /agent/briefing", route{ID: "agentGetBriefing", Who: forAny, Action: memory.Briefing,
		Summary: "Get a briefing as an agent",
		Text:    "Only what the vendor of the key may read. format=markdown returns it for a model.",
		Out:     exampleBriefing, Alternatives: markdownToo}, (*server).briefing),
}}

func (s *server) query(ctx context.Context, p loci.Principal, in *body[client.QueryRequest]) (
	*answer[*client.QueryAnswer], error) {
	r, err := s.question(ctx, p, &in.Body)
	if err != nil {
		return nil, err
	}
	answer, err := s.app.Memory.Query(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return say(answerOf(p, answer), nil)
}

// question parses a request. If its filter has a search, that search finds the memories first,
// and only those are used.
func (s *server) question(ctx context.Context, p loci.Principal, r *client.QueryRequest) (memory.QueryRequest, error) {
	const name = "memory_filter"
	q := memory.QueryRequest{Query: r.Query, Limit: r.Limit, Filter: filterOf(&r.Filter.Conditions),
		MinConfidence: r.MinConfidence}
	by, err := kindOf(&r.Filter, name)
	if err != nil {
		return q, err
	}
	switch by {
	case client.ByTrashed, client.ByExpired:
		return q, loci.FieldErrorf(name+".by", "cannot be %s; questions use only what holds now", by)
	case client.ByIDs:
		q.IDs = distinct(r.Filter.IDs)
	case client.BySearch:
		got, err := s.findText(ctx, p, ask{filter: r.Filter, name: name, limit: cmp.Or(r.Limit, memory.DefaultQuery)},
			q.Filter)
		if err != nil {
			return q, err
		}
		q.IDs = make([]loci.MemoryID, len(got.memories))
		for i, m := range got.memories {
			q.IDs[i] = m.ID
		}
	}
	return q, nil
}

func answerOf(p loci.Principal, a *memory.QueryAnswer) *client.QueryAnswer {
	n := len(a.Used)
	out := &client.QueryAnswer{Response: a.Response, MemoriesUsed: loci.OrEmpty(a.Used), UsedCount: n, Included: n,
		IncludedInPrompt: n,
		MemoriesTotal:    a.Total, StoppedBy: string(a.StoppedBy), PromptSent: a.Prompt, Truncated: len(a.Cut) > 0,
		EstimatedTokens: (len(a.Prompt) + 3) / 4,
		Receipt:         client.Receipt{Used: make([]client.Use, n), Cut: make([]client.Left, len(a.Cut))}}
	if p.Vendor != "" {
		out.VendorFilter = &p.Vendor
	}
	if m := a.Model; m != nil {
		out.ModelConfig = &client.Model{Provider: m.Provider, Name: m.Name,
			Parameters: client.ModelParameters{Temperature: m.Temperature, MaxTokens: m.MaxTokens}}
	}
	for i, m := range a.Used {
		out.Receipt.Used[i] = client.Use{ID: m.ID, Title: m.Title, Reason: string(a.ReasonOf(i))}
	}
	for i, m := range a.Cut {
		out.Receipt.Cut[i] = client.Left{ID: m.ID, Title: m.Title}
	}
	return out
}

// briefingInput also accepts the fields that clients of S1 send.
type briefingInput struct {
	Format      string `query:"format" enum:"json,markdown" doc:"Default: json"`
	TopTags     int    `query:"top_tags" minimum:"0" maximum:"1000" doc:"How many tags; default and maximum: 20"`
	RecencyDays int    `query:"recency_days" minimum:"0" maximum:"36500" doc:"Limits recent to the last days"`
	client.When
	ActiveThreads int `query:"active_threads" minimum:"0" maximum:"1000" doc:"Ignored; older clients send it"`
}

type briefingOutput struct {
	ContentType string `header:"Content-Type" hidden:"true"`
	Body        any    // *loci.Briefing or, as Markdown, []byte
}

func (s *server) briefing(ctx context.Context, p loci.Principal, in *briefingInput) (*briefingOutput, error) {
	b, err := s.app.Memory.Briefing(ctx, p, whenOf(in.When))
	if err != nil {
		return nil, err
	}
	if in.TopTags > 0 {
		b.Tags = b.Tags[:min(in.TopTags, len(b.Tags))]
	}
	if in.RecencyDays > 0 {
		since := b.GeneratedAt.AddDate(0, 0, -in.RecencyDays)
		b.Recent = slices.DeleteFunc(b.Recent, func(m loci.MemorySummary) bool { return m.CreatedAt.Before(since) })
	}
	if in.Format == "markdown" {
		return &briefingOutput{"text/markdown; charset=utf-8", []byte(memory.BriefingText(b))}, nil
	}
	return &briefingOutput{"application/json", b}, nil
}

type recallQueryInput struct {
	client.RecallRequest
	Q     string  `query:"q" maxLength:"500" doc:"Another name of query"`
	Least float64 `query:"min_confidence" default:"0.012" minimum:"0" maximum:"1" doc:"As in POST /memories/recall"`
}

func (s *server) recallByBody(ctx context.Context, p loci.Principal, in *body[client.RecallRequest]) (
	*answer[client.RecallPage], error) {
	return s.recall(ctx, p, &in.Body)
}

func (s *server) recallByQuery(ctx context.Context, p loci.Principal, in *recallQueryInput) (
	*answer[client.RecallPage], error) {
	if in.Query != "" && in.Q != "" {
		return nil, loci.FieldErrorf("q", "is another name for query; send one of them")
	}
	in.Query += in.Q
	in.MinConfidence = &in.Least
	return s.recall(ctx, p, &in.RecallRequest)
}

func (s *server) recall(ctx context.Context, p loci.Principal, r *client.RecallRequest) (
	*answer[client.RecallPage], error) {
	p, err := s.auth.InSession(ctx, p, r.SessionID)
	if err != nil {
		return nil, err
	}
	page, err := s.app.Memory.Recall(ctx, p, memory.SearchRequest{Filter: filterOf(&r.Conditions), Query: r.Query,
		Limit: r.Limit, Cursor: r.Cursor, AskedAt: r.AskedAt, Explain: r.Explain, Kinds: kindsOf(r.Kinds),
		MinConfidence: r.MinConfidence})
	if err != nil {
		return nil, err
	}
	return say(client.RecallPage{Memories: page.Items, Events: loci.OrEmpty(page.Events),
		EventsPartial: page.EventsPartial, Meaning: string(page.Meaning), MeaningDone: page.MeaningDone,
		More:        moreAt(page.NextCursor),
		NothingFits: page.NothingFits, Total: page.Total, TotalIsLowerBound: page.TotalIsLowerBound,
		Stopped: client.Stopped{Partial: page.Partial(), StoppedBy: string(page.StoppedBy)}, Graph: page.Graph}, nil)
}

func kindsOf(list []string) (kinds []memory.Kind) {
	for _, k := range list {
		kinds = append(kinds, memory.Kind(k))
	}
	return kinds
}

var (
	exampleWhy = loci.Why{Boosts: []string{}, Terms: []loci.WhyTerm{{Term: "deploy", Fields: []string{"title",
		"content"}, Score: 2.1},
		{Term: "day", Fields: []string{"content"}, Score: 0.6}}}
	exampleRecalled = client.RecallPage{Total: 1, Events: []loci.RecalledEvent{}, Memories: []loci.Recalled{{
		Memory: *exampleMemory, Rank: 1, Score: 2.7, Confidence: 0.87,
		Snippet: "We **deploy** on Tuesdays, never on Fridays.", Why: exampleWhy,
		Sources: []loci.Source{{ID: loci.SourceID(exampleID), MemoryID: exampleID, Kind: loci.SourceURL,
			Ref:   "https://wiki.example/deploys",
			Quote: "We deploy on Tuesdays", UserID: exampleUser, Origin: "claude",
			AllowedVendors: []loci.Vendor{loci.AnyVendor}, CreatedAt: exampleTime}}}}}
	exampleQuery  = client.QueryRequest{Query: "When do we deploy?"}
	exampleAnswer = client.QueryAnswer{MemoriesUsed: []*loci.Memory{exampleMemory}, UsedCount: 1, Included: 1,
		IncludedInPrompt: 1,
		MemoriesTotal:    1, PromptSent: "Answer the question with the help of the memories below. " +
			"…", VendorFilter: &exampleVendor,
		EstimatedTokens: 180, Receipt: client.Receipt{Used: []client.Use{{ID: exampleID, Title: "Deploys",
			Reason: "match"}}, Cut: []client.Left{}}}
	exampleBriefing = loci.Briefing{Total: 1, Recent: []loci.MemorySummary{exampleMemory.Summarize()},
		Pinned: []loci.PinnedMemory{},
		Tags:   []loci.Count{{Name: "ops", Count: 1}}, Origins: []loci.Count{{Name: "claude",
			Count: 1}}, GeneratedAt: exampleTime}
)
