package mcpserver

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

// full is the value of detail that adds everything that Loci knows.
const full = "full"

// detail is the argument of tools whose answers leave out what a model rarely needs.
func detail(c *call) field {
	return value("detail", `"full"`, &jsonschema.Schema{Type: "string", Enum: []any{full}}, func(path, v string) error {
		if c.detail = v; v != "" && v != full {
			return loci.FieldErrorf(path, `must be "full" or left out`)
		}
		return nil
	})
}

// hit is a memory in an answer. Its members are what a model needs to use the memory and to name
// it; the embedded memory is there with detail: "full".
type hit struct {
	Rank         int      `json:"rank,omitempty"` // if there are events, too
	ID           string   `json:"id"`             // short, unless full
	Title        string   `json:"title"`
	Text         string   `json:"text,omitempty"`    // all of it, or
	Snippet      string   `json:"snippet,omitempty"` // a part, and
	More         string   `json:"more,omitempty"`    // how to read on
	Date         string   `json:"date"`              // day of the last change
	Origin       string   `json:"origin"`
	Why          any      `json:"why,omitempty"` // a phrase, or a loci.Why
	Confidence   float64  `json:"confidence,omitempty"`
	Key          string   `json:"key,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Project      string   `json:"project,omitempty"` // its name, or its id if the caller may not see names
	Session      string   `json:"session,omitempty"` // short
	Superseded   bool     `json:"superseded,omitempty"`
	SupersededBy string   `json:"superseded_by,omitempty"`
	Expires      string   `json:"expires,omitempty"`        // day
	NotTrueSince string   `json:"not_true_since,omitempty"` // day
	NotTrueUntil string   `json:"not_true_until,omitempty"` // day
	// DisputedBy names memories of the same key by other origins that say something else, and
	// PendingSupersede the memory that would replace this one if the owner accepts an open suggestion.
	DisputedBy       []string `json:"disputed_by,omitempty"`
	PendingSupersede string   `json:"pending_supersede,omitempty"`

	*loci.Memory
	Content *struct{}   `json:"content,omitempty"` // hides the memory's: Text has it
	Score   float64     `json:"score,omitempty"`
	Sources []hitSource `json:"sources,omitempty"`
}

type hitSource struct {
	Kind  loci.SourceKind `json:"kind"`
	Ref   string          `json:"ref,omitempty"`
	Quote string          `json:"quote,omitempty"`
}

// These are the lengths, in characters, of a text that a list shows whole, and of the beginning
// that it shows of a longer one.
const (
	wholeText = 600
	textStart = 300
)

// hitOf returns a memory for an answer, with as much of its text as a list shows.
func (s *Server) hitOf(ctx context.Context, c *call, m *loci.Memory) hit {
	out := s.bareHit(ctx, c, m)
	if utf8.RuneCountInString(m.Content) <= wholeText {
		out.Text = m.Content
	} else {
		out.Snippet = loci.Shorten(m.Content, textStart+1)
		out.More = readOn(m.ID, textStart)
	}
	return out
}

// readOn returns the call that reads a memory from a character on.
func readOn(id loci.MemoryID, offset int) string {
	return "get_memory_by_id id=" + id.Short() + " offset=" + strconv.Itoa(offset)
}

// bareHit is hitOf without the text.
func (s *Server) bareHit(ctx context.Context, c *call, m *loci.Memory) hit {
	out := hit{ID: m.ID.Short(), Title: m.Title, Date: m.UpdatedAt.Format(time.DateOnly), Origin: m.Origin,
		Key: m.Key, Tags: m.Tags, Superseded: !m.SupersededBy.IsZero(), Project: s.projectName(ctx, c, m.ProjectID)}
	if !m.SessionID.IsZero() {
		out.Session = m.SessionID.Short()
	}
	if out.Superseded {
		out.SupersededBy = m.SupersededBy.Short()
	}
	out.Expires = day(m.ExpiresAt)
	since, until := m.NotTrue(s.app.Memory.Time())
	out.NotTrueSince, out.NotTrueUntil = day(since), day(until)
	out.DisputedBy, out.PendingSupersede = disagreement(&m.Disagreement)
	if c.detail == full {
		out.ID, out.Memory = m.ID.String(), shown(m)
	}
	return out
}

func day(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.DateOnly)
}

// disagreement names the memories that say something else, and the one that is to replace it.
func disagreement(d *loci.Disagreement) (disputedBy []string, pendingSupersede string) {
	for _, other := range d.DisputedBy {
		disputedBy = append(disputedBy, other.ID.Short()+" by "+other.Origin)
	}
	if !d.PendingSupersede.IsZero() {
		pendingSupersede = d.PendingSupersede.Short()
	}
	return disputedBy, pendingSupersede
}

// projectName returns the name of a project, or its id for a caller who may not read projects.
func (s *Server) projectName(ctx context.Context, c *call, id loci.ProjectID) string {
	if id.IsZero() {
		return ""
	}
	if name, known := c.projects[id]; known {
		return name
	}
	name := id.String()
	if c.principal.Has(loci.RightGraph) {
		if p, err := s.app.Project.Get(ctx, c.principal, id); err == nil {
			name = p.Name
		}
	}
	if c.projects == nil {
		c.projects = map[loci.ProjectID]string{}
	}
	c.projects[id] = name
	return name
}

// foundHit returns a found memory: around the match, if its text is long.
func (s *Server) foundHit(ctx context.Context, c *call, r *loci.Recalled) hit {
	out := s.hitOf(ctx, c, &r.Memory)
	if out.More != "" {
		out.Snippet = r.Snippet.Plain()
		out.More = "get_memory_by_id id=" + r.Memory.ID.Short()
	}
	out.Why, out.Confidence = whyPhrase(&r.Why), r.Confidence
	if c.detail == full {
		out.Why, out.Score = r.Why, r.Score
		for _, source := range r.Sources {
			out.Sources = append(out.Sources, hitSource{source.Kind, source.Ref, source.Quote})
		}
	}
	return out
}

// maxWhyTerms is how many words a phrase names.
const maxWhyTerms = 5

// maxThrough is how many relations a phrase names.
const maxThrough = 2

// whyPhrase explains a hit in a few words.
func whyPhrase(why *loci.Why) string {
	words := loci.Mapped(why.Terms[:min(maxWhyTerms, len(why.Terms))], func(t loci.WhyTerm) string { return t.Label() })
	phrase := "matches "
	switch why.Fallback {
	case loci.FallbackSimilar:
		phrase = "has words spelled like "
	case loci.FallbackPrefix:
		phrase = "has words that begin like "
	case loci.FallbackPart:
		phrase = "contains "
	}
	switch phrase += strings.Join(words, ", "); {
	case len(words) == 0 && why.Meaning > 0:
		phrase = recall.AlikeMeaning
	case len(words) == 0:
		phrase = recall.NearMatch
	}
	if len(why.Through) > 0 {
		through := "reached through " + strings.Join(why.Through[:min(maxThrough, len(why.Through))], ", ")
		if phrase += "; " + through; len(words) == 0 {
			phrase = through
		}
	}
	if len(why.Named) > 0 {
		phrase += "; named by its " + strings.Join(why.Named, " and ")
	}
	for _, boost := range why.Boosts {
		if boost == recall.BoostPinned {
			phrase += "; pinned"
		}
	}
	return phrase
}

// readable is the text of a memory from a character on, as much as fits.
type readable struct {
	hit
	Version        int           `json:"version"`
	AllowedVendors []loci.Vendor `json:"allowed_vendors,omitempty"` // unless all
	Offset         int           `json:"offset,omitempty"`
	Left           int           `json:"left,omitempty"` // characters after the text
}

// read returns the text of m from offset on, as far as the budget goes.
func (s *Server) read(ctx context.Context, c *call, m *loci.Memory, offset int) readable {
	out := readable{hit: s.bareHit(ctx, c, m), Version: m.Version, Offset: offset}
	if !loci.Covers(m.AllowedVendors, []loci.Vendor{loci.AnyVendor}) || c.detail == full {
		out.AllowedVendors = m.AllowedVendors
	}
	body, err := encode(out)
	if err != nil {
		return out
	}
	if out.Text, out.Left = s.cutText(m.Content, offset, body); out.Left > 0 {
		out.More = readOn(m.ID, offset+utf8.RuneCountInString(out.Text))
	}
	return out
}

// cutText returns the part of a content that begins at a character and for which the budget has room beside the rest of
// the answer, and how many characters come after it.
func (s *Server) cutText(content string, offset int, beside []byte) (part string, left int) {
	text := []rune(content)
	text = text[min(offset, len(text)):]
	room := max(s.budget-tokens(beside)-marginTokens, s.budget/4) * 4
	n := 0
	for n < len(text) {
		if room -= shownCost(text[n]); room < 0 {
			break
		}
		n++
	}
	return string(text[:n]), len(text) - n
}

// marginTokens is room for what an answer gets at the end: where to read on, and a caution.
const marginTokens = 60

// shownCost returns the quarters of a token that a character takes as text in JSON.
func shownCost(r rune) int {
	n := quarters(loci.Visible(string(r)))
	if r == '\n' || r == '\t' || r == '\r' || r == '"' || r == '\\' {
		n += signQuarters
	}
	return n
}
