package capture

import (
	"bytes"
	"context"
	"encoding/json"
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
	if p := h.pack(ctx, client.PackRequest{Goal: goal, SessionID: session.ID, MaxTokens: room, Fresh: true}); p != nil {
		known = p.Context
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
	p := h.pack(ctx, client.PackRequest{Goal: h.call.Prompt, SessionID: session.ID, MaxTokens: maxTokens,
		MatchesOnly: true})
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

// pack returns a context pack, or nil if the server gives none. Only a pack and the context of a session may go to the
// model: stored words are between marks there.
func (h hook) pack(ctx context.Context, r client.PackRequest) *loci.ContextPack {
	r.Goal = loci.Shorten(strings.TrimSpace(r.Goal), maxGoal)
	p, err := h.api.ContextPack(ctx, r)
	if err != nil || loci.TokenBound(p.Context) > r.MaxTokens {
		return nil
	}
	return p
}

// contextOf returns the context of a session as Markdown, or "" if the server gives none.
func (h hook) contextOf(ctx context.Context, s *loci.Session, tokens int) string {
	answer, err := h.api.SessionContext(ctx, s.ID.String(), client.ContextRequest{MaxTokens: tokens})
	if err != nil || loci.TokenBound(answer.Context) > tokens {
		return ""
	}
	return strings.TrimSpace(answer.Context)
}

// shortened returns a JSON object in which a member's value of more than most bytes is a text of its beginning. It only
// counts the brackets of what it leaves out, because parsing takes too long: a tool can return 20 MB.
func shortened(text []byte, most int) []byte {
	var out bytes.Buffer
	depth, quoted, value, done := 0, false, 0, 0 // value: where that of the member starts
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case depth == 1 && c == ':':
			value = i + 1
		case depth == 1 && (c == ',' || c == '}') && i-value > most && value > done:
			out.Write(text[done:value])
			out.Write(beginning(bytes.TrimSpace(text[value : value+most])))
			done = i
		}
		if !quoted && (c == '}' || c == ']') {
			depth--
		}
	}
	out.Write(text[done:])
	return out.Bytes()
}

// longestEscape is how many bytes of JSON a character can have.
const longestEscape = len(`\ud83d\ude00`)

// beginning returns a JSON text of the first bytes of a value.
func beginning(first []byte) []byte {
	var text string
	for n := len(first); n > len(first)-longestEscape && first[0] == '"'; n-- { // the last character may be incomplete
		if whole := append(bytes.Clone(first[:n]), '"'); json.Unmarshal(whole, &text) == nil {
			return whole
		}
	}
	out, _ := json.Marshal(string(first)) // a text always has a JSON form
	return out
}
