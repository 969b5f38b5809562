package rest

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/pack"
)

// contextPath is where a goal is sent.
const contextPath = "/context"

// The route that tells a model what it should know for a goal.
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
		MatchesOnly: r.MatchesOnly})
	if err != nil {
		return nil, err
	}
	if r.Format == "markdown" {
		return &packOutput{"text/markdown; charset=utf-8", []byte(got.Context)}, nil
	}
	return &packOutput{jsonType, got}, nil
}

// These are the examples of packs.
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
