package mcpserver

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
)

const (
	candidatesMax     = 100
	candidatesDefault = 20
)

// candidateID is the id of a candidate, or its beginning.
func candidateID(c *call, name string, into *loci.CandidateID) field {
	return value(name, "a string", plain(), func(path, v string) error { return c.findCandidate(path, v, into) }).must()
}

// candidateIDs is a list of ids of candidates, or of their beginnings.
func candidateIDs(c *call, name string, into *[]loci.CandidateID, maximum int) field {
	return list(name, new([]string), 1, maximum, loci.MaxName, func(path string, v []string) error {
		if len(v) > maximum {
			return tooMany(path, len(v), maximum)
		}
		*into = make([]loci.CandidateID, len(v))
		for i, text := range v {
			if err := c.findCandidate(path, text, &(*into)[i]); err != nil {
				return err
			}
		}
		return nil
	}).loosely(atCommas).unlimited()
}

func (c *call) findCandidate(path, v string, into *loci.CandidateID) error {
	return findID(c, path, v, into, func(ctx context.Context, s *Server) (loci.CandidateID, error) {
		return s.app.Review.Find(ctx, c.principal, v)
	})
}

// proposed is what a model needs of a candidate.
type proposed struct {
	ID         string             `json:"id"`
	Kind       loci.CandidateKind `json:"kind"`
	Title      string             `json:"title"`
	Text       string             `json:"text,omitempty"`
	State      loci.ReviewState   `json:"review_state"`
	Confidence float64            `json:"confidence"`
	Origin     string             `json:"origin"`
	Project    string             `json:"project,omitempty"`
	Tags       []string           `json:"tags,omitempty"`
	Flags      []string           `json:"sensitivity_flags,omitempty"`
	Findings   []foundOut         `json:"findings,omitempty"`
	Exceptions []string           `json:"exceptions,omitempty"`
	Until      string             `json:"until,omitempty"`
	MemoryID   loci.MemoryID      `json:"memory_id,omitzero"`
	Version    int                `json:"version"`
}

// foundOut is a finding without what only programs need.
type foundOut struct {
	Kind   loci.FindingKind `json:"kind"`
	Target string           `json:"target_source_id,omitempty"`
	Reason string           `json:"reason"`
}

func (s *Server) proposedOf(ctx context.Context, c *call, x *loci.Candidate) proposed {
	withhold(x)
	out := proposed{ID: x.ID.Short(), Kind: x.Kind, Title: x.Title, Text: x.Content, State: x.State,
		Confidence: x.Confidence, Origin: x.Origin, Project: s.projectName(ctx, c, x.ProjectID), Tags: x.Tags,
		Flags: x.SensitivityFlags, Exceptions: x.Exceptions, Until: day(x.DeferredTo), MemoryID: x.MemoryID,
		Version: x.Version}
	for _, f := range x.Findings {
		if f.Kind != loci.FindingClaim {
			out.Findings = append(out.Findings, foundOut{f.Kind, f.Target, f.Reason})
		}
	}
	return out
}

func (s *Server) oneProposed(ctx context.Context, c *call, x *loci.Candidate, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return s.proposedOf(ctx, c, x), nil
}

// everyState stands in a filter for all states.
const everyState loci.ReviewState = "all"

func candidatesFields(c *call, in *review.ListRequest) []field {
	in.State = loci.ReviewPending
	return []field{
		oneOf("state", &in.State, append(loci.ReviewStates(), everyState)...).otherwise(`"pending"`).then(func() {
			if in.State == everyState {
				in.State = ""
			}
		}),
		oneOf("kind", &in.Kind, loci.CandidateKinds()...),
		text("project", &in.Project, 0, loci.MaxName).or("project_id"),
		limit(c, &in.Limit, candidatesMax, candidatesDefault), cursor(c, &in.Cursor),
	}
}

func (s *Server) listCandidates(ctx context.Context, c *call, in *review.ListRequest) (any, error) {
	page, counts, err := s.app.Review.Inbox(ctx, c.principal, *in)
	list := loci.Mapped(page.Items, func(x *loci.Candidate) proposed { return s.proposedOf(ctx, c, x) })
	out := rows("candidates", list, page.NextCursor)
	out["counts"] = counts
	return out, err
}

// onView is a candidate with all that a decision needs.
type onView struct {
	proposed
	Reason   string    `json:"reason,omitempty"`
	Evidence []string  `json:"evidence,omitempty"` // as it stands in the notes
	Changes  []touched `json:"would_change,omitempty"`
	History  []ruling  `json:"history,omitempty"`
}

// touched is a memory that a candidate relates to.
type touched struct {
	ID    string           `json:"id"`
	Kind  loci.FindingKind `json:"kind"`
	Title string           `json:"title"`
	Text  string           `json:"text"`
}

// ruling is a decision of the past.
type ruling struct {
	Action string `json:"action"`
	Origin string `json:"origin"`
	Why    string `json:"reason,omitempty"`
	At     string `json:"at"`
}

func candidateFields(c *call, in *loci.CandidateID) []field { return []field{candidateID(c, "id", in)} }

func (s *Server) showCandidate(ctx context.Context, c *call, in *loci.CandidateID) (any, error) {
	x, err := s.app.Review.Show(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	out := onView{proposed: s.proposedOf(ctx, c, &x.Candidate), Reason: x.Reason}
	for _, p := range x.Passages {
		if !x.Instructs() {
			out.Evidence = append(out.Evidence, p.Text)
		}
	}
	for _, w := range x.Changes {
		out.Changes = append(out.Changes, touched{w.ID.Short(), w.Kind, w.Title, w.Content})
	}
	for _, r := range x.History {
		out.History = append(out.History, ruling{r.Action, r.Origin, r.Reason, r.At.UTC().Format(time.RFC3339)})
	}
	return out, nil
}

// verdict is a decision about a candidate.
type verdict struct {
	id     loci.CandidateID
	action string
	until  time.Time
	review.Decision
}

func verdictFields(c *call, in *verdict) []field {
	return []field{
		candidateID(c, "id", &in.id),
		oneOf("action", &in.action, "reject", "accept", "archive", "defer", "undo").must(),
		text("reason", &in.Reason, 0, loci.MaxReviewReason),
		moment("until", &in.until).about("for defer; default: in 7 days"),
		memoryIDs(c, "supersedes", &in.Supersedes, memory.MaxSuperseded).hide(), // a person's; the error says so
	}
}

func (s *Server) decideCandidate(ctx context.Context, c *call, in *verdict) (any, error) {
	if in.action != "defer" && !in.until.IsZero() {
		return nil, loci.FieldErrorf("until", "is only for defer; leave it out")
	}
	desk := s.app.Review
	if in.action == "defer" {
		x, err := desk.Defer(ctx, c.principal, in.id, in.until, in.Decision)
		return s.oneProposed(ctx, c, x, err)
	}
	decide := map[string]func(context.Context, loci.Principal, loci.CandidateID, review.Decision) (*loci.Candidate, error){
		"accept": desk.Accept, "reject": desk.Reject, "archive": desk.Archive, "undo": desk.Undo}[in.action]
	if decide == nil {
		return nil, loci.FieldErrorf("action", "is missing; it must be accept, reject, archive, defer or undo")
	}
	x, err := decide(ctx, c.principal, in.id, in.Decision)
	return s.oneProposed(ctx, c, x, err)
}

type revision struct {
	id                     loci.CandidateID
	kind                   loci.CandidateKind
	title, content, domain string
	tags                   []string
	review.Edit
}

func revisionFields(c *call, in *revision) []field {
	return []field{
		candidateID(c, "id", &in.id),
		oneOf("kind", &in.kind, loci.CandidateKinds()...).then(func() {
			if in.kind != "" {
				in.Kind = &in.kind
			}
		}),
		text("title", &in.title, 1, loci.MaxTitle).then(func() { in.Title = &in.title }),
		text("content", &in.content, 1, loci.MaxContent).then(func() { in.Content = &in.content }),
		text("domain", &in.domain, 0, loci.MaxCategory).then(func() { in.Domain = &in.domain }),
		tags(&in.tags, 0).then(func() { in.Tags = &in.tags }),
	}
}

func (s *Server) editCandidate(ctx context.Context, c *call, in *revision) (any, error) {
	x, err := s.app.Review.Change(ctx, c.principal, in.id, in.Edit, review.Decision{})
	return s.oneProposed(ctx, c, x, err)
}

// merger is several candidates that become one.
type merger struct {
	id     loci.CandidateID
	others []loci.CandidateID
	review.Decision
}

func mergerFields(c *call, in *merger) []field {
	return []field{candidateID(c, "id", &in.id), candidateIDs(c, "others", &in.others, loci.MaxCandidates).must(),
		text("reason", &in.Reason, 0, loci.MaxReviewReason)}
}

func (s *Server) mergeCandidates(ctx context.Context, c *call, in *merger) (any, error) {
	x, err := s.app.Review.Merge(ctx, c.principal, in.id, in.others, in.Decision)
	return s.oneProposed(ctx, c, x, err)
}
