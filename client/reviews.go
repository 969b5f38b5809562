package client

import (
	"context"
	"net/http"
	"time"

	"github.com/loci-memory/loci"
)

// NewNotes is loci.NewNotes.
type NewNotes = loci.NewNotes

// CandidateChange is loci.CandidateChange.
type CandidateChange = loci.CandidateChange

// CandidateList is a page of candidates, last proposed first.
type CandidateList struct {
	Candidates []*loci.Candidate `json:"candidates" nullable:"false"`
	More
	Counts map[loci.ReviewState]int `json:"counts" nullable:"false" doc:"How many candidates each state has, with the other filters. States without any are absent"`
}

// CandidateQuery filters a list of candidates. Zero fields match everything.
type CandidateQuery struct {
	State    loci.ReviewState // "": pending
	Every    bool             // in every state
	Kind     loci.CandidateKind
	Project  string // an id or a name
	SourceID loci.ReflectionID
	Limit    int    // 0: 50; at most 500
	Cursor   string // NextCursor of the previous page
}

// ReviewDecision is why somebody decides about a candidate, for Defer until when it waits, and for Accept what it
// replaces.
type ReviewDecision struct {
	Reason     string          `json:"reason,omitzero" maxLength:"1000" doc:"Why" example:"We settled that on Monday."`
	Until      time.Time       `json:"until,omitzero" doc:"For defer: when the candidate is pending again. Default: in 7 days"`
	Supersedes []loci.MemoryID `json:"supersedes,omitzero" nullable:"false" maxItems:"50" format:"uuid" doc:"For accept of one candidate, by a person: the memories that the new one replaces. Default: none. For a memory of another person, Loci records a suggestion"`
}

// CandidateMerge says which candidates become part of another.
type CandidateMerge struct {
	Others []loci.CandidateID `json:"others" nullable:"false" minItems:"1" maxItems:"25" format:"uuid" doc:"The candidates that it takes over"`
	Reason string             `json:"reason,omitzero" maxLength:"1000" doc:"Why"`
}

// BulkReview is one decision about several candidates.
type BulkReview struct {
	Action string             `json:"action" enum:"accept,reject,archive,defer,undo"`
	IDs    []loci.CandidateID `json:"ids" nullable:"false" minItems:"1" maxItems:"100" format:"uuid"`
	ReviewDecision
}

// BulkReviewed is what a BulkReview did.
type BulkReviewed struct {
	Results   []loci.Reviewed `json:"results" nullable:"false" doc:"What became of each candidate, in the order of the ids"`
	Succeeded int             `json:"succeeded" example:"1"`
	Failed    int             `json:"failed" example:"0"`
}

// Reflect extracts candidates from notes. Without Persist it writes nothing.
func (c *Client) Reflect(ctx context.Context, n NewNotes) (*loci.Reflected, error) {
	return send[loci.Reflected](ctx, c, "/context/reflect", n)
}

// Reflection returns stored notes.
func (c *Client) Reflection(ctx context.Context, id loci.ReflectionID) (*loci.Reflection, error) {
	return get[loci.Reflection](ctx, c, "/reflections/"+id.String())
}

// Candidates returns one page of the candidates that the caller sees.
func (c *Client) Candidates(ctx context.Context, q CandidateQuery) (*CandidateList, error) {
	state := string(q.State)
	if q.Every {
		state = "all"
	}
	return get[CandidateList](ctx, c, query("/review/candidates", values("state", state, "kind", string(q.Kind),
		"project", q.Project, "source_id", idOf(q.SourceID), "limit", number(q.Limit), "cursor", q.Cursor)))
}

// Candidate returns a candidate with its evidence, what it would change, and its history.
func (c *Client) Candidate(ctx context.Context, id loci.CandidateID) (*loci.ShownCandidate, error) {
	return get[loci.ShownCandidate](ctx, c, candidatePath(id))
}

// UpdateCandidate edits a candidate that waits. ifVersion is the version that the caller saw. If the
// candidate is at another version, UpdateCandidate fails with Precondition. 0 means any version. The
// other methods that change a candidate take the same.
func (c *Client) UpdateCandidate(ctx context.Context, id loci.CandidateID, ifVersion int, change CandidateChange) (
	*loci.Candidate, error) {
	return callAt[loci.Candidate](ctx, c, http.MethodPatch, candidatePath(id), version(ifVersion), change)
}

// Accept makes a memory of a candidate, which replaces d.Supersedes and nothing else. Conflict if it was rejected or
// archived.
func (c *Client) Accept(ctx context.Context, id loci.CandidateID, ifVersion int, d ReviewDecision) (*loci.Candidate,
	error) {
	return c.decide(ctx, id, "accept", ifVersion, d)
}

// Reject refuses a candidate.
func (c *Client) Reject(ctx context.Context, id loci.CandidateID, ifVersion int, d ReviewDecision) (*loci.Candidate,
	error) {
	return c.decide(ctx, id, "reject", ifVersion, d)
}

// Archive puts away a candidate that says what is known.
func (c *Client) Archive(ctx context.Context, id loci.CandidateID, ifVersion int, d ReviewDecision) (*loci.Candidate,
	error) {
	return c.decide(ctx, id, "archive", ifVersion, d)
}

// Defer lets a candidate wait until a time.
func (c *Client) Defer(ctx context.Context, id loci.CandidateID, ifVersion int, d ReviewDecision) (*loci.Candidate,
	error) {
	return c.decide(ctx, id, "defer", ifVersion, d)
}

// UndoReview takes back the last decision about a candidate. If that had made a memory, the memory goes to the trash.
func (c *Client) UndoReview(ctx context.Context, id loci.CandidateID, ifVersion int, d ReviewDecision) (
	*loci.Candidate, error) {
	return c.decide(ctx, id, "undo", ifVersion, d)
}

// MergeCandidates makes one candidate of several.
func (c *Client) MergeCandidates(ctx context.Context, into loci.CandidateID, ifVersion int, m CandidateMerge) (
	*loci.Candidate, error) {
	return c.decide(ctx, into, "merge", ifVersion, m)
}

// ReviewAll decides the same about several candidates, about each by itself.
func (c *Client) ReviewAll(ctx context.Context, r BulkReview) (*BulkReviewed, error) {
	return send[BulkReviewed](ctx, c, "/review/bulk", r)
}

func (c *Client) decide(ctx context.Context, id loci.CandidateID, how string, ifVersion int, body any) (
	*loci.Candidate, error) {
	return callAt[loci.Candidate](ctx, c, http.MethodPost, candidatePath(id)+"/"+how, version(ifVersion), body)
}

func candidatePath(id loci.CandidateID) string { return "/review/candidates/" + id.String() }

// NewDream asks for a run of the dream-cycle.
type NewDream struct {
	DryRun bool `json:"dry_run,omitempty" doc:"Show what would happen, and write nothing"`
}

// DreamList is a list of receipts, last begun first.
type DreamList struct {
	Runs []*loci.Dream `json:"runs" nullable:"false"`
	More
}

// Dream runs the dream-cycle of the caller's org for at most 20 seconds. If the receipt has More, call it again.
func (c *Client) Dream(ctx context.Context, d NewDream) (*loci.Dream, error) {
	return send[loci.Dream](ctx, c, "/dream", d)
}

// DreamRuns returns one page of the receipts. limit 0 is 50, and at most 500. cursor is NextCursor of the previous
// page.
func (c *Client) DreamRuns(ctx context.Context, limit int, cursor string) (*DreamList, error) {
	return get[DreamList](ctx, c, query("/dream/runs", values("limit", number(limit), "cursor", cursor)))
}

// DreamRun returns the receipt of a run.
func (c *Client) DreamRun(ctx context.Context, id loci.DreamID) (*loci.Dream, error) {
	return get[loci.Dream](ctx, c, "/dream/runs/"+id.String())
}

// SuggestionList is a list of suggestions, newest first.
type SuggestionList struct {
	Suggestions []loci.Suggestion `json:"suggestions" nullable:"false"`
	More
}

// SuggestionQuery filters a list of suggestions. Zero fields match everything.
type SuggestionQuery struct {
	State  loci.SuggestionState
	Limit  int    // 0: 50; at most 500
	Cursor string // NextCursor of the previous page
}

// Suggestions returns one page of the suggestions for which the caller sees both memories.
func (c *Client) Suggestions(ctx context.Context, q SuggestionQuery) (*SuggestionList, error) {
	return get[SuggestionList](ctx, c, query("/suggestions",
		values("state", string(q.State), "limit", number(q.Limit), "cursor", q.Cursor)))
}

// Acceptance is how to accept a suggestion.
type Acceptance struct {
	Share bool `json:"share,omitzero" doc:"Also share the new memory with the team and the project that can read the old one. Default: false"`
}

// AcceptSuggestion makes the suggested change. It works with people's keys only. It fails with
// Conflict if the suggestion was already accepted or declined, or if one of its memories is no
// longer live, and with Forbidden if it should share a memory of another person.
func (c *Client) AcceptSuggestion(ctx context.Context, id loci.SuggestionID, how Acceptance) (*loci.Suggestion,
	error) {
	return c.settle(ctx, id, "accept", how)
}

// DeclineSuggestion declines the suggested change and leaves the memory unchanged. It works with people's keys only.
func (c *Client) DeclineSuggestion(ctx context.Context, id loci.SuggestionID) (*loci.Suggestion, error) {
	return c.settle(ctx, id, "decline", nil)
}

func (c *Client) settle(ctx context.Context, id loci.SuggestionID, how string, body any) (*loci.Suggestion, error) {
	return call[loci.Suggestion](ctx, c, http.MethodPost, "/suggestions/"+id.String()+"/"+how, body)
}
