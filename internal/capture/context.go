package capture

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// maxTokens bounds what the hook adds to the context of the model.
const maxTokens = 1_000

// context returns the briefing, and what happened in the last session if there was one. The server keeps to the tokens
// of the latter, and nobody may cut its text: the marks around stored words would be missing.
func (h hook) context(ctx context.Context, last *loci.Session) string {
	briefing, err := h.api.BriefingMarkdown(ctx)
	if err != nil {
		briefing = ""
	}
	const head = "\n# Last session in this directory\n\n"
	happened := ""
	if last != nil {
		// A short briefing leaves more room.
		happened = h.contextOf(ctx, last, max(maxTokens/2, maxTokens-loci.TokenBound(briefing+head+"\n")))
	}
	if happened == "" {
		return cutLines(briefing, maxTokens)
	}
	happened = head + happened + "\n"
	return cutLines(briefing, maxTokens-loci.TokenBound(happened)) + happened
}

// contextOf returns the context of a session as Markdown, or "" if the server has none or is older than the route.
func (h hook) contextOf(ctx context.Context, s *loci.Session, tokens int) string {
	answer, err := h.api.SessionContext(ctx, s.ID.String(), client.ContextRequest{MaxTokens: tokens})
	if err != nil || loci.TokenBound(answer.Context) > tokens {
		return ""
	}
	return strings.TrimSpace(answer.Context)
}

// cutMark ends a text of which lines are missing.
const cutMark = "…\n"

// cutLines returns the first whole lines of a text that have at most n tokens together.
func cutLines(text string, n int) string {
	if loci.TokenBound(text) <= n {
		return text
	}
	end, room := 0, (n-loci.TokenBound(cutMark))*loci.QuartersInToken
	for line := range strings.Lines(text) {
		if room -= loci.BoundQuarters(line); room < 0 {
			break
		}
		end += len(line)
	}
	return text[:end] + cutMark
}
