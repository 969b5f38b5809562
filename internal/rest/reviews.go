package rest

import (
	"context"
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/review"
)

var reviewRoutes = table{"review", []served{
	serve("GET /review/candidates", route{ID: "listCandidates", Who: forAny, Action: review.Read,
		Summary: "List candidates",
		Text: "Those that you can see, last proposed first. Without state, those that wait for a decision. counts has " +
			"all states.",
		Out: exampleCandidates}, (*server).candidates),
	serve("GET /review/candidates/{id}", route{ID: "getCandidate", Who: forAny, Action: review.Read,
		Summary: "Get a candidate",
		Text: "With its evidence in the stored notes, the memories that it may replace, contradict or repeat, and what " +
			"was decided before.",
		Out: exampleShown}, (*server).candidate),
	serve("PATCH /review/candidates/{id}", route{ID: "updateCandidate", Who: forAny, Action: review.Decide,
		Conditional: true,
		Summary:     "Edit a candidate that waits",
		Text: "It keeps its evidence. Loci removes secrets and card numbers from the new texts. Only a person can let " +
			"more vendors see it. 409 if it no longer waits.",
		In: client.CandidateChange{Title: new("Deploys are on Tuesdays")}, Out: exampleCandidate,
		Further: settledToo}, (*server).updateCandidate),
	decision("accept", review.Accept, "Make a memory of a candidate",
		"It replaces only what supersedes names; replaced and suggested list that. An assistant cannot accept one that is "+
			"sensitive, contradicting, destructive or instructing, may replace or repeat a memory, or that only a model "+
			"found. Accepting it again changes nothing. 409 if it was rejected or archived.",
		exampleAsPromoted, decideBy((*review.Service).Accept)),
	decision("reject", review.Decide, "Refuse a candidate", "It can be undone. 409 if it was promoted or archived.",
		exampleAs(loci.ReviewRejected, "reject"), decideBy((*review.Service).Reject)),
	decision("archive", review.Decide, "Put a candidate away",
		"For one that says what is known. It can be undone. 409 if it was promoted or rejected.",
		exampleAs(loci.ReviewArchived, "archive"), decideBy((*review.Service).Archive)),
	decision("defer", review.Decide, "Let a candidate wait",
		"Until a time at most a year ahead; by default for 7 days. Then it is pending again. 409 if it no longer waits.",
		exampleAs(loci.ReviewDeferred, "defer"), (*server).deferCandidate),
	decision("undo", review.Decide, "Take back the last decision about a candidate",
		"It is as it was before. If it was promoted, the memory goes to the trash, for which a key needs the right to "+
			"delete, and what it superseded holds again. An assistant takes back only its own decisions. 409 if nothing was "+
			"decided.",
		exampleAs(loci.ReviewPending, "undo"), decideBy((*review.Service).Undo)),
	serve("POST /review/candidates/{id}/merge", route{ID: "mergeCandidates", Atomic: true, Who: forAny,
		Action: review.Decide, Conditional: true,
		Summary: "Make one candidate of several",
		Text: "It takes over the texts, evidence, tags and links of the others, which are archived. They must have the " +
			"same project and readers. 409 if one no longer waits.",
		In: client.CandidateMerge{Others: []loci.CandidateID{loci.CandidateID(otherID)}}, Out: exampleCandidate,
		Further: settledToo}, (*server).mergeCandidates),
	serve("POST /review/bulk", route{ID: "reviewBulk", Who: forAny, Action: review.Read,
		More: []gate.Action{review.Decide, review.Accept}, Limit: expensive,
		Summary: "Decide about many candidates",
		Text: "Decides the same about up to 100 candidates, about each by itself: each result has its own error, and " +
			"one that fails stops no other.",
		In: exampleBulkReview, Out: exampleBulkReviewed}, (*server).reviewBulk),
}}

const noCandidate missing = "candidate"

// decision returns a route that decides about one candidate.
func decision(verb string, action gate.Action, summary, text string, out any,
	do func(*server, context.Context, loci.Principal, *decisionInput) (*candidateOutput, error)) served {
	return serve("POST /review/candidates/{id}/"+verb, route{ID: verb + "Candidate", Atomic: true, Who: forAny,
		Action: action, Conditional: true, Summary: summary, Text: text,
		In: client.ReviewDecision{Reason: "We settled that on Monday."}, Out: out, Further: settledToo}, do)
}

// CandidatePath is a candidate in a path, exported as AgentPath is.
type CandidatePath struct {
	ID string `path:"id" doc:"Id of the candidate, or its beginning" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (c CandidatePath) candidate() loci.CandidateID { return idOf[loci.CandidateID](c.ID) }

// CandidateTarget is the candidate to change.
type CandidateTarget struct {
	CandidatePath
	IfMatch string `header:"If-Match" maxLength:"100" doc:"The version that you saw; default or *: any" example:"\"1\""`
}

// tagged is a body with its version as entity tag.
type tagged[T any] struct {
	ETag string `header:"ETag" doc:"The version, for If-Match"`
	Body T
}

type candidateOutput = tagged[loci.Candidate]

func oneCandidate(c *loci.Candidate, err error) (*candidateOutput, error) {
	if err != nil {
		return nil, err
	}
	return &candidateOutput{versionTag(c.Version), *c}, nil
}

type candidatesInput struct {
	State    string             `query:"state" enum:"pending,promoted,rejected,deferred,archived,all" doc:"Default: pending"`
	Kind     loci.CandidateKind `query:"kind" enum:"decision,plan,idea,claim,artifact,procedure,session" doc:"Default: all"`
	Project  string             `query:"project" maxLength:"100" doc:"Only candidates about this project, by id or name"`
	SourceID loci.ReflectionID  `query:"source_id" format:"uuid" doc:"Only candidates from these stored notes"`
	Limit    int                `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Cursor   string             `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same filter"`
}

func (s *server) candidates(ctx context.Context, p loci.Principal, in *candidatesInput) (
	*answer[client.CandidateList], error) {
	state := loci.ReviewState(in.State)
	switch in.State {
	case "":
		state = loci.ReviewPending
	case "all":
		state = ""
	}
	page, counts, err := s.app.Review.Inbox(ctx, p, review.ListRequest{State: state, Kind: in.Kind,
		Project: in.Project, SourceID: in.SourceID, Limit: in.Limit, Cursor: in.Cursor})
	return say(client.CandidateList{Candidates: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor),
		Counts: counts}, err)
}

func (s *server) candidate(ctx context.Context, p loci.Principal, in *CandidatePath) (
	*tagged[loci.ShownCandidate], error) {
	c, err := s.app.Review.Show(ctx, p, in.candidate())
	if err != nil {
		return nil, err
	}
	return &tagged[loci.ShownCandidate]{versionTag(c.Version), *c}, nil
}

type candidateChangeInput struct {
	CandidateTarget
	Body client.CandidateChange
}

func (s *server) updateCandidate(ctx context.Context, p loci.Principal, in *candidateChangeInput) (*candidateOutput,
	error) {
	version, err := ifVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	return oneCandidate(s.app.Review.Change(ctx, p, in.candidate(), in.Body, review.Decision{IfVersion: version}))
}

type decisionInput struct {
	CandidateTarget
	Body *client.ReviewDecision
}

// decided reads what was decided. Only a deferral has an end.
func (in *decisionInput) decided(defers bool) (d review.Decision, until time.Time, err error) {
	body := orZero(in.Body)
	if d.IfVersion, err = ifVersion(in.IfMatch); err != nil {
		return d, until, err
	}
	d.Reason, d.Supersedes = body.Reason, body.Supersedes
	return d, body.Until, onlyDefers(body.Until, defers)
}

func onlyDefers(until time.Time, defers bool) error {
	if !defers && !until.IsZero() {
		return loci.FieldErrorf("until", "is only for defer; leave it out")
	}
	return nil
}

// decideBy returns a handler of a decision without an end.
func decideBy(do func(*review.Service, context.Context, loci.Principal, loci.CandidateID, review.Decision) (
	*loci.Candidate, error)) func(*server, context.Context, loci.Principal, *decisionInput) (*candidateOutput, error) {
	return func(s *server, ctx context.Context, p loci.Principal, in *decisionInput) (*candidateOutput, error) {
		d, _, err := in.decided(false)
		if err != nil {
			return nil, err
		}
		return oneCandidate(do(s.app.Review, ctx, p, in.candidate(), d))
	}
}

func (s *server) deferCandidate(ctx context.Context, p loci.Principal, in *decisionInput) (*candidateOutput, error) {
	d, until, err := in.decided(true)
	if err != nil {
		return nil, err
	}
	return oneCandidate(s.app.Review.Defer(ctx, p, in.candidate(), until, d))
}

type candidateMergeInput struct {
	CandidateTarget
	Body client.CandidateMerge
}

func (s *server) mergeCandidates(ctx context.Context, p loci.Principal, in *candidateMergeInput) (*candidateOutput,
	error) {
	version, err := ifVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	return oneCandidate(s.app.Review.Merge(ctx, p, in.candidate(), in.Body.Others,
		review.Decision{Reason: in.Body.Reason, IfVersion: version}))
}

func (s *server) reviewBulk(ctx context.Context, p loci.Principal, in *body[client.BulkReview]) (
	*answer[client.BulkReviewed], error) {
	r := in.Body
	if err := onlyDefers(r.Until, r.Action == "defer"); err != nil {
		return nil, err
	}
	results, err := s.app.Review.Bulk(ctx, p, review.BulkRequest{Action: r.Action, IDs: r.IDs, Reason: r.Reason,
		Until: r.Until, Supersedes: r.Supersedes})
	out := client.BulkReviewed{Results: review.Outcomes(results)}
	for _, one := range out.Results {
		if one.Error != nil {
			out.Failed++
		} else {
			out.Succeeded++
		}
	}
	return say(out, err)
}

var (
	exampleAccess = loci.EventAccess{UserID: exampleUser, Reach: loci.ReachPrivate, Origin: "claude",
		AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	exampleCandidate = &loci.Candidate{ID: loci.CandidateID(exampleID), Kind: loci.CandidateDecision,
		Title: "Deploy on Tuesdays", Content: "Decided to deploy on Tuesdays, because Fridays went wrong twice.",
		Reason: "“Decided to” states a decision.", Confidence: 0.92, Tags: []string{"reflection", "decision", "releases"},
		Domain: "releases", Metadata: json.RawMessage(`{"extractor_kind":"rules"}`), RawSources: []string{exampleID.String()},
		SuggestedScope: loci.ScopeGlobal, State: loci.ReviewPending, Claims: []loci.ClaimRecord{},
		Findings: []loci.ReflectionFinding{}, Relations: []loci.RelationshipRecord{}, SensitivityFlags: []string{},
		Evidence: []loci.Evidence{{Start: 0, End: 63, CharStart: 0, CharEnd: 63, Role: "statement"}}, Cue: "Decided to",
		SourceID: loci.ReflectionID(exampleID), TaskIDs: []loci.TaskID{}, RelatedTo: []string{}, EventAccess: exampleAccess,
		Version: 1, CreatedAt: exampleTime, UpdatedAt: exampleTime}
	exampleCandidates = client.CandidateList{Candidates: []*loci.Candidate{exampleCandidate},
		Counts: map[loci.ReviewState]int{loci.ReviewPending: 1, loci.ReviewPromoted: 12}}
	exampleShown = loci.ShownCandidate{Candidate: *exampleCandidate,
		Passages: []loci.Passage{{Text: exampleCandidate.Content, Role: "statement"}}, Changes: []loci.WouldChange{},
		History: []loci.Review{}}
	exampleAsPromoted = examplePromoted()
	exampleBulkReview = client.BulkReview{Action: "reject", IDs: []loci.CandidateID{loci.CandidateID(exampleID)},
		ReviewDecision: client.ReviewDecision{Reason: "These are old."}}
	exampleBulkReviewed = client.BulkReviewed{Succeeded: 1, Results: []loci.Reviewed{{ID: loci.CandidateID(exampleID),
		State: loci.ReviewRejected, Version: 2}}}
)

// settledToo is what a conditional decision answers, too.
var settledToo = map[string]*huma.Response{"409": problemResponse("The candidate was decided about otherwise")}

func exampleAs(state loci.ReviewState, action string) loci.Candidate {
	c := *exampleCandidate
	c.State, c.Version, c.UpdatedAt = state, 2, exampleTime.Add(time.Hour)
	c.Review = &loci.Review{Action: action, UserID: exampleUser, Origin: "api", Reason: "We settled that on Monday.",
		At: c.UpdatedAt, Versions: c.Version}
	return c
}

func examplePromoted() loci.Candidate {
	c := exampleAs(loci.ReviewPromoted, "accept")
	c.MemoryID = otherID
	return c
}
