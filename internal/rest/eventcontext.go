package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/event"
)

const contextText = "Markdown for a model, or JSON: decisions with reasons, errors, open questions, who did what, " +
	"then everything else by type and time, with the ids of events. It keeps to max_tokens: it leaves out the least " +
	"important events, then the oldest, and counts them. The body is optional."

// The routes that tell models about events.
var contextRoutes = table{"events", []served{
	serve("POST /sessions/{id}/context", route{ID: "sessionContext", Reads: true, Who: forAny, Action: event.Read,
		Missing: noSession,
		Summary: "Read what happened in a session",
		Text:    contextText,
		In:      exampleContextRequest, Out: exampleContext, Alternatives: contextToo}, (*server).sessionContext),
	serve("POST /agents/{id}/context", route{ID: "agentContext", Reads: true, Who: forAny, Action: event.Read,
		Missing: noAgent,
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

// These are the examples of contexts.
var (
	exampleContextRequest = client.ContextRequest{Since: "12h", MaxTokens: 2000}
	exampleContext        = loci.EventContext{SessionID: loci.SessionID(exampleID), Tokens: 171, MaxTokens: 2000,
		Events: 1,
		Context: "# Session: Review of the login page\n\n## Errors\n- [6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e] " +
			"2026-11-20 16:00 · reviewer · error\n  > The login test fails with 401.\n",
		Shown:  []loci.EventID{loci.EventID(exampleID)},
		Groups: []loci.ContextGroup{{Name: "Errors", Total: 1, Shown: 1}}}
)
