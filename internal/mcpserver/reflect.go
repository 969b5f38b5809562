package mcpserver

import (
	"context"
	"encoding/json"
	"math"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/review"
)

// keepsake is one thing to remember.
type keepsake struct {
	memory.Draft
	kind   loci.CandidateKind
	domain string
}

func rememberFields(c *call, in *keepsake) []field {
	return []field{
		text("content", &in.Content, 1, loci.MaxContent).must(),
		oneOf("kind", &in.kind, loci.CandidateKinds()...),
		text("domain", &in.domain, 0, loci.MaxCategory).about("the topic"),
		tags(&in.Tags, 0),
		namedProject(c, &in.ProjectID),
		inSession(c).hide(),
		vendors("allowed_vendors", &in.AllowedVendors).hide(),
	}
}

func (s *Server) rememberOne(ctx context.Context, c *call, in *keepsake) (any, error) {
	in.Title, in.Category = firstSentence(in.Content), in.domain
	if in.kind != "" {
		in.Type, in.Category = review.Kept(in.kind, in.domain)
		in.Tags = loci.Unique(append(in.Tags, string(in.kind)))
	}
	if !in.ProjectID.IsZero() {
		in.Scope = loci.ScopeProject
	}
	return s.writeMemory(ctx, c, &in.Draft)
}

// longestTitle is how many characters of a content become its title.
const longestTitle = 100

// firstSentence returns the first sentence or line of a content, cut at the end of a word.
func firstSentence(content string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	line = loci.OneLine(line)
	for _, end := range []string{". ", "! ", "? ", "。", "！", "？"} {
		if before, _, found := strings.Cut(line, end); found && len(before) > len("e.g. Dr. No.") {
			line = before
		}
	}
	short := loci.Shorten(line, longestTitle)
	if short == line {
		return strings.TrimRight(line, ".。")
	}
	short = strings.TrimSuffix(short, "…")
	if end := strings.LastIndexByte(short, ' '); end > longestTitle/2 {
		short = short[:end]
	}
	return short + "…"
}

func reflectFields(c *call, in *review.Notes) []field {
	in.ActiveTask, in.PersistSource = true, true
	return []field{
		text("content", &in.Content, 1, loci.MaxNotes).must(),
		text("source_title", &in.SourceTitle, 0, loci.MaxTitle),
		oneOf("intent", &in.Intent, loci.Intents()...).otherwise(`"general"`),
		text("domain", &in.Domain, 0, loci.MaxCategory),
		text("project", &in.Project, 0, loci.MaxName).about("id or name"),
		links("related_to", &in.RelatedTo).about("ids of memories or entities"),
		links("task_ids", &in.TaskIDs),
		flag("active_task", &in.ActiveTask).about("link the only task in doing").otherwise("true"),
		flag("persist", &in.Persist).about("write the candidates").otherwise("false"),
		flag("persist_source", &in.PersistSource).about("keep the notes").otherwise("true"),
		flag("persist_review", &in.PersistReview).about("let them wait for a decision").otherwise("false"),
		whole("limit", &in.Limit, 1, loci.MaxCandidates, loci.DefaultCandidates),
		detail(c),
		inSession(c).hide(),
		vendors("allowed_vendors", &in.AllowedVendors).hide(),
	}
}

// links is a list of ids of several kinds of things. The use case checks them.
func links(name string, into *[]string) field {
	return list(name, into, 0, loci.MaxRelatedTo, loci.MaxName, func(path string, v []string) error {
		if len(v) > loci.MaxRelatedTo {
			return tooMany(path, len(v), loci.MaxRelatedTo)
		}
		return nil
	}).loosely(atCommas).unlimited()
}

func (s *Server) reflect(ctx context.Context, c *call, in *review.Notes) (any, error) {
	found, err := s.app.Review.Reflect(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	for i := range found.Candidates {
		withhold(&found.Candidates[i].Candidate)
	}
	if c.detail != full {
		return lean(found), nil
	}
	for i := range found.NotExtracted {
		if recall.Instructs(found.NotExtracted[i].Text) {
			found.NotExtracted[i].Text = withheld
		}
	}
	s.fit(found)
	return found, nil
}

// noted is what a model needs of a candidate from notes.
type noted struct {
	ID         string             `json:"id"`
	Kind       loci.CandidateKind `json:"kind"`
	Title      string             `json:"title"`
	Text       string             `json:"text,omitempty"` // unless the title has all of it
	Confidence float64            `json:"confidence"`
	State      loci.ReviewState   `json:"review_state"`
	Exceptions []string           `json:"exceptions,omitempty"`
}

// lean returns what a model needs of the answer to notes.
func lean(a *loci.Reflected) any {
	list := make([]noted, len(a.Candidates))
	for i, c := range a.Candidates {
		list[i] = noted{c.ID.Short(), c.Kind, c.Title, c.Content, math.Round(100*c.Confidence) / 100, c.State, c.Exceptions}
		if strings.TrimRight(c.Content, ".。") == c.Title {
			list[i].Text = ""
		}
	}
	out := map[string]any{"candidates": list, "persisted_count": a.PersistedCount, "usage_hint": a.UsageHint}
	if n := len(a.NotExtracted); n > 0 {
		out["left_out"] = n
	}
	return out
}

// leanSchema is the output schema of the fields of lean, which are in the whole answer as well, except for text.
func leanSchema() *jsonschema.Schema {
	out := listOf("candidates", "id", "kind", "title", "confidence", "review_state")
	out.Properties["candidates"].Items.Properties = map[string]*jsonschema.Schema{"text": {}, "exceptions": {}}
	out.Required = []string{"candidates", "persisted_count", "usage_hint"}
	return out
}

// withheld stands for text that reads like an order to a model, which no model is shown.
const withheld = "(It reads like an order to a model, so it is not shown. A person decides about it.)"

// withhold removes from a candidate what no model should see.
func withhold(c *loci.Candidate) {
	if !c.Instructs() {
		return
	}
	c.Title, c.Content, c.Cue = withheld, withheld, ""
	c.Claims, c.Metadata = []loci.ClaimRecord{}, json.RawMessage("{}")
	for i := range c.Relations {
		c.Relations[i].Text = ""
	}
	c.Relations = ofIDs(c.Relations)
}

// ofIDs returns the relations whose target is an id. Other targets are words of the notes.
func ofIDs(list []loci.RelationshipRecord) []loci.RelationshipRecord {
	kept := []loci.RelationshipRecord{}
	for _, r := range list {
		if _, err := loci.ParseID[struct{}](r.Target); err == nil {
			kept = append(kept, r)
		}
	}
	return kept
}

// fit leaves out of an answer what it says twice, if it is too long otherwise: first the Markdown, which must not be
// cut within its fence, then the spans. What is still too long is cut like every answer.
func (s *Server) fit(a *loci.Reflected) {
	tooLong := func() bool { return cost(a)+marginTokens > s.budget }
	if tooLong() {
		a.Markdown = "(Left out: the answer is at its limit. The candidates say the same.)"
	}
	if !tooLong() {
		return
	}
	for i := range a.Candidates {
		c := &a.Candidates[i]
		c.Metadata, c.Evidence = json.RawMessage("{}"), []loci.Evidence{}
		for j := range c.Claims {
			c.Claims[j].Content = ""
		}
	}
}
