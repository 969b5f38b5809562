package capture

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// These bound what the hook adds to the context of the model: 1,000 tokens. Text as Loci writes it, with ids and
// Markdown, has at least two bytes for each token.
const (
	maxTokens     = 1_000
	bytesPerToken = 2
	// maxBytesPerToken is more than any tokenizer reaches with text.
	maxBytesPerToken = 8
	maxBytes         = maxTokens * bytesPerToken
)

// context returns the briefing, and what happened in the last session if there was one. The server keeps to the tokens
// of the latter, and nobody may cut its text: the marks around stored words would be missing.
func (h hook) context(ctx context.Context, last *loci.Session) string {
	briefing, err := h.api.BriefingMarkdown(ctx)
	if err != nil {
		briefing = ""
	}
	happened := ""
	if last != nil {
		happened = h.contextOf(ctx, last, maxTokens/2)
	}
	if happened == "" {
		return cutLines(briefing, maxBytes)
	}
	const head = "# Last session in this directory\n\n"
	return cutLines(briefing, maxBytes/2-len(head)) + "\n" + head + happened + "\n"
}

// contextOf returns the context of a session as Markdown, or "" if the server has none or is older than the route.
func (h hook) contextOf(ctx context.Context, s *loci.Session, tokens int) string {
	answer, err := h.api.SessionContext(ctx, s.ID.String(), client.ContextRequest{MaxTokens: tokens})
	if err != nil || len(answer.Context) > tokens*maxBytesPerToken {
		return ""
	}
	return strings.TrimSpace(answer.Context)
}

// cutMark ends a text of which lines are missing.
const cutMark = "…\n"

// cutLines returns the first whole lines of a text that have at most n bytes together.
func cutLines(text string, n int) string {
	if len(text) <= n {
		return text
	}
	end := 0
	for line := range strings.Lines(text) {
		if end+len(line) > n-len(cutMark) {
			break
		}
		end += len(line)
	}
	return text[:end] + cutMark
}
