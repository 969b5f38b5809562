package capture

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// maxTokens bounds what the hook adds to the context of the model at a time.
const maxTokens = 1_000

// start returns what Claude should know at the start of a session: the context pack for the directory, and what
// happened in the last session there if there was one. The server keeps to the tokens of both, and nobody may cut its
// texts: the marks around stored words would be missing.
func (h hook) start(ctx context.Context, session, last *loci.Session) string {
	const head = "\n# Last session in this directory\n\n"
	goal, room := "work in "+brief(baseName(h.call.Directory)), maxTokens
	if last != nil {
		goal, room = goal+": "+last.Title, maxTokens/2
	}
	known := ""
	if p := h.pack(ctx, session, goal, room, true); p != nil {
		known = p.Context
	} else if text, err := h.api.BriefingMarkdown(ctx); err == nil { // the server is older than packs
		known = cutLines(text, room)
	}
	if last == nil {
		return known
	}
	// A short pack leaves more room.
	happened := h.contextOf(ctx, last, max(maxTokens/2, maxTokens-loci.TokenBound(known+head+"\n")))
	if happened == "" {
		return known
	}
	return known + head + happened + "\n"
}

// prompt returns what memory has for a prompt and the session has not received, or "". What is pinned came at the
// start, so it comes again only if it has changed. If nothing came at the start, because the server was down or slow or
// the capture began later, the session gets all of it now.
func (h hook) prompt(ctx context.Context, session *loci.Session) string {
	p := h.pack(ctx, session, h.call.Prompt, maxTokens, false)
	if p == nil || p.PrefixBytes > len(p.Context) {
		return ""
	}
	if p.PrefixChanged || p.PrefixNew && len(p.Receipt.Included) > 0 {
		return p.Context
	}
	const begin, end = "<memories>\n", "</memories>\n"
	news := p.Context[p.PrefixBytes:]
	before, _, found := strings.Cut(p.Context, begin)
	if !found || strings.HasPrefix(news, end) || len(p.Receipt.Included) == 0 {
		return ""
	}
	return before + begin + news
}

// maxGoal is how many characters of a prompt are a goal.
const maxGoal = 4_000

// pack returns the context pack for a goal, or nil if the server has none or is older than the route.
func (h hook) pack(ctx context.Context, session *loci.Session, goal string, tokens int, fresh bool) *loci.ContextPack {
	p, err := h.api.ContextPack(ctx, client.PackRequest{Goal: loci.Shorten(strings.TrimSpace(goal), maxGoal),
		SessionID: session.ID, MaxTokens: tokens, Fresh: fresh})
	if err != nil || loci.TokenBound(p.Context) > tokens {
		return nil
	}
	return p
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
