package client_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// proposes reflects notes for review, and returns the one candidate that they have.
func proposes(t *testing.T, c *client.Client, content string) loci.Candidate {
	t.Helper()
	r := must(c.Reflect(t.Context(), client.NewNotes{Content: content, Persist: true, PersistReview: true}))(t)
	if len(r.Candidates) != 1 || r.Candidates[0].State != loci.ReviewPending {
		t.Fatalf("%s: got %s", content, r.Markdown)
	}
	return r.Candidates[0].Candidate
}

func TestReflect(t *testing.T) {
	ctx := t.Context()
	address, _ := start(t)
	owner, assistant := client.New(address, "owner"), client.New(address, "claude-key")
	project := must(owner.CreateProject(ctx, client.NewProject{Name: "website"}))(t)
	doing := must(owner.CreateTask(ctx, client.NewTask{Project: "website", Title: "Queue", State: loci.TaskDoing}))(t)
	notes := client.NewNotes{Content: "We decided to use Postgres for the queue, because it is " +
		"backed up already.\n\npassword: hunter2Zx9!",
		SourceTitle: "Planning", Intent: loci.IntentDecide, Domain: "ops", Project: "website", Limit: 5}
	read := must(assistant.Reflect(ctx, notes))(t)
	if read.Total == 0 || read.PersistedCount != 0 || read.SourceID != nil || read.Candidates[0].PersistedID != nil ||
		read.SourceTitle != "Planning" || *read.Domain != "ops" || *read.Project != project.ID.String() {
		t.Errorf("Reflect: got %+v", read)
	}
	first := read.Candidates[0]
	if first.Kind != loci.CandidateDecision || !slices.Equal(first.TaskIDs, []loci.TaskID{doing.ID}) ||
		*first.SuggestedScopeKey != project.ID.String() || first.SuggestedScope != loci.ScopeProject {
		t.Errorf("Reflect: got %+v", first)
	}
	if len(read.Sensitive) != 1 || !read.Sensitive[0].Redacted {
		t.Errorf("Reflect: sensitive is %+v", read.Sensitive)
	}
	notes.Persist, notes.ActiveTask = true, new(false)
	kept := must(assistant.Reflect(ctx, notes))(t)
	if kept.Candidates[0].ID != first.ID || kept.Candidates[0].State != loci.ReviewPromoted ||
		len(kept.Candidates[0].TaskIDs) > 0 {
		t.Errorf("Reflect with Persist: got %+v", kept.Candidates[0])
	}
	source := must(owner.Reflection(ctx, kept.Candidates[0].SourceID))(t)
	if source.Title != "Planning" || strings.Contains(source.Text, "hunter2Zx9!") || len(source.Redacted) != 1 ||
		source.TaskIDs == nil {
		t.Errorf("Reflection: got %+v", source)
	}
	m := must(owner.Get(ctx, kept.Candidates[0].MemoryID))(t)
	if m.Content != kept.Candidates[0].Content || m.Category != "ops" || m.Source != loci.AutoSource {
		t.Errorf("the memory: got %+v", m)
	}
	notes.PersistSource, notes.Content = new(false), "Maybe we could try canary releases."
	if without := must(assistant.Reflect(ctx, notes))(t); without.SourceID != nil {
		t.Errorf("Reflect without PersistSource: got %+v", without)
	}
	for want, n := range map[string]client.NewNotes{"limit": {Content: "x", Limit: 26}, "intent": {Content: "x",
		Intent: "guess"}, "content": {}, "related_to": {Content: "x", RelatedTo: []string{"x"}},
		"task_ids": {Content: "x", TaskIDs: []string{"x"}}, "project": {Content: "x", Project: "nowhere"}} {
		if _, err := owner.Reflect(ctx, n); client.CodeOf(err) != loci.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("Reflect with a bad %s: got %v", want, err)
		}
	}
	if _, err := owner.Reflection(ctx, loci.ReflectionID{9}); client.CodeOf(err) != loci.NotFound {
		t.Errorf("Reflection of nothing: got %v", err)
	}
	if _, err := client.New(address, "").Reflect(ctx, notes); client.CodeOf(err) != loci.Unauthenticated ||
		!strings.Contains(err.Error(), "Organization context required") {
		t.Errorf("Reflect without a key: got %v", err)
	}
}

func TestReviews(t *testing.T) {
	ctx := t.Context()
	address, _ := start(t)
	owner, assistant := client.New(address, "owner"), client.New(address, "claude-key")
	old := must(assistant.AgentCreate(ctx, client.NewMemory{Title: "Export",
		Content: "The nightly export runs at 02:00 UTC."}))(t)
	claim := proposes(t, assistant, "Turns out the nightly export now runs at 04:00 UTC.")
	idea := proposes(t, assistant, "Maybe we could try canary releases.")
	plan := proposes(t, assistant, "I'll write the runbook on Friday.")

	shown := must(owner.Candidate(ctx, claim.ID))(t)
	if len(shown.Changes) != 1 || shown.Changes[0].ID != old.ID || shown.Changes[0].Effect != "superseded" ||
		len(shown.Changes[0].Diff) == 0 || len(shown.Passages) != 1 || shown.Passages[0].Text != claim.Content {
		t.Errorf("Candidate: got %+v", shown)
	}
	page := must(owner.Candidates(ctx, client.CandidateQuery{Limit: 2}))(t)
	if len(page.Candidates) != 2 || !page.HasMore || page.Counts[loci.ReviewPending] != 3 {
		t.Fatalf("Candidates: got %+v", page)
	}
	rest := must(owner.Candidates(ctx, client.CandidateQuery{Limit: 2, Cursor: page.NextCursor}))(t)
	if len(rest.Candidates) != 1 || rest.Candidates[0].ID != claim.ID || rest.HasMore {
		t.Errorf("the next page of Candidates: got %+v", rest)
	}
	accepted := must(owner.Accept(ctx, claim.ID, 1, client.ReviewDecision{Reason: "Ops said so.",
		Supersedes: []loci.MemoryID{old.ID}}))(t)
	if len(accepted.Replaced) != 1 || accepted.Replaced[0] != (loci.TitledMemory{ID: old.ID, Title: "Export"}) {
		t.Errorf("Accept replaced %+v", accepted.Replaced)
	}
	if accepted.State != loci.ReviewPromoted || accepted.Version != 2 || accepted.Review.Reason != "Ops said so." ||
		!slices.Equal(accepted.Superseded, []loci.MemoryID{old.ID}) {
		t.Errorf("Accept: got %+v", accepted)
	}
	if _, err := owner.Get(ctx, old.ID); client.CodeOf(err) != loci.NotFound {
		t.Errorf("the superseded memory: got %v", err)
	}
	if _, err := owner.Reject(ctx, claim.ID, 1, client.ReviewDecision{}); client.CodeOf(err) != loci.Precondition {
		t.Errorf("Reject at an old version: got %v", err)
	}
	if _, err := owner.Reject(ctx, claim.ID, 0, client.ReviewDecision{}); client.CodeOf(err) != loci.Conflict {
		t.Errorf("Reject of a promoted candidate: got %v", err)
	}
	undone := must(owner.UndoReview(ctx, claim.ID, 2, client.ReviewDecision{Reason: "Not yet."}))(t)
	if undone.State != loci.ReviewPending || !undone.MemoryID.IsZero() {
		t.Errorf("UndoReview: got %+v", undone)
	}
	if m := must(owner.Get(ctx, old.ID))(t); !m.SupersededBy.IsZero() {
		t.Errorf("the superseded memory after UndoReview: got %+v", m)
	}
	edited := must(owner.UpdateCandidate(ctx, idea.ID, 1, client.CandidateChange{Title: new("Canaries"),
		Tags: &[]string{"releases"}}))(t)
	if edited.Title != "Canaries" || !slices.Equal(edited.Tags, []string{"releases"}) || edited.Content != idea.Content {
		t.Errorf("UpdateCandidate: got %+v", edited)
	}
	until := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Second)
	deferred := must(assistant.Defer(ctx, idea.ID, 2, client.ReviewDecision{Until: until}))(t)
	if deferred.State != loci.ReviewDeferred || !deferred.DeferredTo.Equal(until) {
		t.Errorf("Defer: got %+v", deferred)
	}
	if _, err := owner.Defer(ctx, idea.ID, 0, client.ReviewDecision{Until: time.Unix(1, 0)}); client.CodeOf(err) !=
		loci.Invalid {
		t.Errorf("Defer to the past: got %v", err)
	}
	merged := must(owner.MergeCandidates(ctx, plan.ID, 1, client.CandidateMerge{Others: []loci.CandidateID{idea.ID},
		Reason: "One plan."}))(t)
	if !strings.Contains(merged.Content, idea.Content) || !slices.Equal(merged.Merged, []loci.CandidateID{idea.ID}) {
		t.Errorf("MergeCandidates: got %+v", merged)
	}
	archived := must(owner.Candidates(ctx, client.CandidateQuery{State: loci.ReviewArchived}))(t)
	if len(archived.Candidates) != 1 || archived.Candidates[0].MergedInto != plan.ID ||
		!archived.Candidates[0].DeferredTo.IsZero() {
		t.Errorf("archived Candidates: got %+v", archived.Candidates)
	}
	if got := must(owner.Archive(ctx, plan.ID, 0, client.ReviewDecision{}))(t); got.State != loci.ReviewArchived {
		t.Errorf("Archive: got %+v", got)
	}
	bulk := must(owner.ReviewAll(ctx, client.BulkReview{Action: "reject",
		IDs: []loci.CandidateID{claim.ID, {9}, plan.ID}, ReviewDecision: client.ReviewDecision{Reason: "old"}}))(t)
	if bulk.Succeeded != 1 || bulk.Failed != 2 || bulk.Results[0].State != loci.ReviewRejected ||
		bulk.Results[1].Error.Code != loci.NotFound || bulk.Results[2].Error.Code != loci.Conflict {
		t.Errorf("ReviewAll: got %+v", bulk)
	}
	if got := must(owner.UndoReview(ctx, claim.ID, 0, client.ReviewDecision{}))(t); got.State != loci.ReviewPending {
		t.Errorf("UndoReview of a rejection: got %+v", got)
	}
	if got := must(assistant.Reject(ctx, claim.ID, 0, client.ReviewDecision{}))(t); got.State != loci.ReviewRejected {
		t.Errorf("Reject: got %+v", got)
	}
	every := must(owner.Candidates(ctx, client.CandidateQuery{Every: true, Kind: loci.CandidateClaim,
		SourceID: claim.SourceID}))(t)
	if len(every.Candidates) != 1 || every.Counts[loci.ReviewRejected] != 1 {
		t.Errorf("Candidates in every state: got %+v", every)
	}
	if _, err := owner.Candidate(ctx, loci.CandidateID{9}); client.CodeOf(err) != loci.NotFound {
		t.Errorf("Candidate of nothing: got %v", err)
	}
}

func TestDreams(t *testing.T) {
	ctx := t.Context()
	address, _ := start(t)
	owner, assistant := client.New(address, "owner"), client.New(address, "claude-key")
	must(owner.CreateSession(ctx, client.NewSession{Title: "queue", Reach: loci.ReachPrivate}))(t)
	must(assistant.LogEvent(ctx, client.NewEvent{Session: "queue", Class: loci.EventDecision,
		Content: "We decided to use Postgres for the queue of the crawler, because it is backed up already."}))(t)
	dry := must(owner.Dream(ctx, client.NewDream{DryRun: true}))(t)
	if !dry.DryRun || dry.WouldPromote != 1 || dry.Promoted != 0 {
		t.Errorf("a dry Dream: got %+v", dry)
	}
	if runs := must(owner.DreamRuns(ctx, 0, ""))(t); len(runs.Runs) > 0 {
		t.Errorf("a dry Dream left %+v", runs.Runs)
	}
	done := must(owner.Dream(ctx, client.NewDream{}))(t)
	if done.State != loci.DreamDone || done.Promoted != 1 || done.More {
		t.Errorf("Dream: got %+v", done)
	}
	second := must(owner.Dream(ctx, client.NewDream{}))(t)
	first := must(owner.DreamRuns(ctx, 1, ""))(t)
	if len(first.Runs) != 1 || first.Runs[0].ID != second.ID || !first.HasMore {
		t.Fatalf("DreamRuns: got %+v", first)
	}
	if next := must(owner.DreamRuns(ctx, 1, first.NextCursor))(t); len(next.Runs) != 1 || next.Runs[0].ID != done.ID {
		t.Errorf("the next page of DreamRuns: got %+v", next)
	}
	if got := must(owner.DreamRun(ctx, done.ID))(t); got.Promoted != 1 || len(got.PromotedIDs) != 1 {
		t.Errorf("DreamRun: got %+v", got)
	}
	if _, err := owner.DreamRun(ctx, loci.NewDreamID()); client.CodeOf(err) != loci.NotFound {
		t.Errorf("DreamRun of nothing: got %v", err)
	}
	if _, err := assistant.Dream(ctx, client.NewDream{}); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("Dream by an assistant: got %v", err)
	}
}
