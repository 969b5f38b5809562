package mcpserver

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/pack"
)

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
}

func (s *Server) contextPack(ctx context.Context, c *call, in *pack.Request) (any, error) {
	in.MaxTokens = min(in.MaxTokens, max(pack.MinTokens, s.budget-marginTokens-packAround))
	got, err := s.app.Pack.Context(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	out := packed{Project: got.Project, Context: got.Context, Tokens: got.Tokens, Left: got.Receipt.More,
		Partial: got.Partial}
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
