package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/pack"
)

const contextText = "Markdown for a model, or JSON: decisions with reasons, errors, open questions, who did what, " +
	"then everything else by type and time, with the ids of events. It keeps to max_tokens: it leaves out the least " +
	"important events, then the oldest, and counts them. The body is optional."

var contextRoutes = table{"events", []served{
	serve("POST /sessions/{id}/context", route{ID: "sessionContext", Reads: true, Who: forAny, Action: event.Read,
		Summary: "Read what happened in a session",
		Text:    contextText,
		In:      exampleContextRequest, Out: exampleContext, Alternatives: contextToo}, (*server).sessionContext),
	serve("POST /agents/{id}/context", route{ID: "agentContext", Reads: true, Who: forAny, Action: event.Read,
		Summary: "Read what an agent did",
		Text:    contextText,
		In:      exampleContextRequest, Out: exampleContext, Alternatives: contextToo}, (*server).agentContext),
	serve("POST /events/context", route{ID: "eventContext", Reads: true, Who: forAny, Action: event.Read,
		Summary: "Read what happened in the org",
		Text:    contextText,
		In:      exampleContextRequest, Out: exampleContext, Alternatives: contextToo}, (*server).eventContext),
}}

var contextToo = map[string]*huma.MediaType{"text/markdown": {Schema: &huma.Schema{Type: huma.TypeString},
	Example: exampleContext.Context}}

type contextInput struct{ Body *client.ContextRequest }

func (in *contextInput) request() (r event.ContextRequest, format string) {
	b := in.Body
	if b == nil {
		return r, ""
	}
	return event.ContextRequest{Since: b.Since, Until: b.Until, Zone: b.Zone, Types: b.Types, Topic: b.Topic,
		MaxTokens: b.MaxTokens}, b.Format
}

type sessionContextInput struct {
	SessionPath
	Body *client.ContextRequest
}

func (s *server) sessionContext(ctx context.Context, p loci.Principal, in *sessionContextInput) (*packOutput, error) {
	r, format := (&contextInput{in.Body}).request()
	c, err := s.app.Event.SessionContext(ctx, p, in.ID, r)
	return contextOutput(c, format, err)
}

type agentContextInput struct {
	AgentPath
	Body *client.ContextRequest
}

func (s *server) agentContext(ctx context.Context, p loci.Principal, in *agentContextInput) (*packOutput, error) {
	r, format := (&contextInput{in.Body}).request()
	c, err := s.app.Event.AgentContext(ctx, p, in.ID, r)
	return contextOutput(c, format, err)
}

func (s *server) eventContext(ctx context.Context, p loci.Principal, in *contextInput) (*packOutput, error) {
	r, format := in.request()
	c, err := s.app.Event.OrgContext(ctx, p, r)
	return contextOutput(c, format, err)
}

func contextOutput(c *event.Context, format string, err error) (*packOutput, error) {
	if err != nil {
		return nil, err
	}
	if format != "json" {
		return &packOutput{"text/markdown; charset=utf-8", []byte(c.Context)}, nil
	}
	return &packOutput{jsonType, c}, nil
}

var (
	exampleContextRequest = client.ContextRequest{Since: "12h", MaxTokens: 2000}
	exampleContext        = loci.EventContext{SessionID: loci.SessionID(exampleID), Tokens: 171, MaxTokens: 2000,
		Events: 1,
		Context: "# Session: Review of the login page\n\n## Errors\n- [6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e] " +
			"2026-11-20 16:00 · reviewer · error\n  > The login test fails with 401.\n",
		Shown:  []loci.EventID{loci.EventID(exampleID)},
		Groups: []loci.ContextGroup{{Name: "Errors", Total: 1, Shown: 1}}}
)

// contextPath is where a goal is sent.
const contextPath = "/context"

var contextPackRoutes = table{"recall", []served{
	serve("POST "+contextPath, route{ID: "context", Reads: true, Who: forAny, Action: pack.Read,
		Summary: "Get what an assistant should know for a goal",
		Text: "Pinned memories, then decisions, facts, procedures, events and entities that fit the goal, with their ids, " +
			"within max_tokens. In a session, the text begins with the same prefix, and then has only what is new. The " +
			"receipt tells what went in and what did not. Also at /api/context.",
		In: examplePackRequest, Out: exampleContextPack, Alternatives: goalPackToo}, (*server).contextPack),
}}

// goalPackToo is the text of a pack.
var goalPackToo = map[string]*huma.MediaType{"text/markdown": {Schema: &huma.Schema{Type: huma.TypeString},
	Example: exampleContextPack.Context}}

type contextPackInput struct{ Body client.PackRequest }

func (s *server) contextPack(ctx context.Context, p loci.Principal, in *contextPackInput) (*packOutput, error) {
	r := &in.Body
	p, err := s.auth.InSession(ctx, p, r.SessionID)
	if err != nil {
		return nil, err
	}
	got, err := s.app.Pack.Context(ctx, p, pack.Request{Goal: r.Goal, Intent: r.Intent, Domain: r.Domain,
		Project: r.Project, MaxTokens: r.MaxTokens, Limit: r.Limit, Fresh: r.Fresh,
		MatchesOnly: r.MatchesOnly, MinConfidence: r.MinConfidence})
	if err != nil {
		return nil, err
	}
	if r.Format == "markdown" {
		return &packOutput{"text/markdown; charset=utf-8", []byte(got.Context)}, nil
	}
	return &packOutput{jsonType, got}, nil
}

var (
	examplePackRequest = client.PackRequest{Goal: "plan the next deploy", MaxTokens: 500}
	exampleContextPack = loci.ContextPack{Goal: examplePackRequest.Goal, PrefixBytes: 134, Tokens: 71, MaxTokens: 500,
		Context: "Context from memory: …\n\n<memories>\n## Facts\n- [6f1d2c1e] Deploys: We deploy on Tuesdays, never on " +
			"Fridays. (claude 2026-11-20)\n</memories>\n",
		Sections: []loci.ContextSection{{Name: loci.SectionFacts, Items: []loci.ContextItem{{Kind: "memory",
			ID: exampleID.String(), Text: "Deploys: We deploy on Tuesdays, never on Fridays.", Origin: "claude",
			Time: exampleTime, Score: 2.7, Reason: "match"}}}},
		Receipt: loci.ContextReceipt{Included: []loci.ContextReceiptLine{{Kind: "memory", ID: exampleID.String(), Tokens: 33,
			Reason: "match"}}, LeftOut: []loci.ContextReceiptLine{}}}
)
