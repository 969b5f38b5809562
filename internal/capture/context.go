package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
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
	if p := h.pack(ctx, client.PackRequest{Goal: goal, SessionID: session.ID, MaxTokens: room, Fresh: true,
		MinConfidence: new(float64)}); p != nil {
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
func shortened(r io.Reader, most int) ([]byte, error) {
	c := cutter{most: most}
	_, err := io.Copy(&c, r)
	return c.out, err
}

// cutter keeps of what is written to it, a JSON object, only the beginning of long values.
type cutter struct {
	most, depth int
	out         []byte
	value       int // where that of the member starts in out; 0: there is none
	skip        int // how many of the next bytes a backslash escapes
	quoted      bool
}

// Write goes through each byte once, as an assistant waits for it, and keeps none that the result does not need.
func (c *cutter) Write(p []byte) (int, error) {
	kept := 0 // of p
	keep := func(to int) {
		if c.value > 0 { // one byte more shows that it is too long
			to = min(to, kept+max(c.value+c.most+1-len(c.out), 0))
		}
		c.out = append(c.out, p[kept:max(to, kept)]...)
	}
	i := c.skip
	for c.skip = 0; i < len(p); i++ {
		if c.quoted { // most bytes of a long value
			for ; i < len(p) && p[i] != '"'; i++ {
				if p[i] == '\\' {
					i++
				}
			}
			c.quoted, c.skip = i >= len(p), max(i-len(p), 0)
			continue
		}
		b := p[i]
		switch {
		case b == '"':
			c.quoted = true
		case b == '{', b == '[':
			c.depth++
		case c.depth == 1 && b == ':':
			keep(i + 1)
			kept, c.value = i+1, len(c.out)
		case c.depth == 1 && (b == ',' || b == '}') && c.value > 0:
			keep(i)
			kept = i
			if len(c.out)-c.value > c.most {
				c.out = append(c.out[:c.value], beginning(bytes.TrimSpace(c.out[c.value:c.value+c.most]))...)
			}
			c.value = 0
		}
		if b == '}' || b == ']' {
			c.depth--
		}
	}
	keep(len(p))
	return len(p), nil
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
