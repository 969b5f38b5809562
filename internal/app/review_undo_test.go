package app_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/reviewtest"
	"github.com/loci-memory/loci/internal/store"
)

// change changes a stored candidate as the checks or an older version of Loci might have.
func (d *desk) change(id loci.CandidateID, fn func(*loci.Candidate)) {
	d.t.Helper()
	ctx := d.t.Context()
	d.must(d.st.Update(ctx, d.mara.OrgID, func(tx store.Tx) error {
		c, err := tx.Candidates().Get(ctx, d.mara.Viewer(), id)
		if err != nil {
			return err
		}
		fn(c)
		c.Version++
		return tx.Candidates().Replace(ctx, c)
	}))
}

// TestUndoOfAMergeSeparates requires that the merged candidates are as they were, unless somebody has restored one
// already.
func TestUndoOfAMergeSeparates(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	ids := d.queued(d.claude, "idea: one\nidea: two\nidea: three\nidea: four\n")
	d.must(second(d.Review.Defer(ctx, d.mara, ids[1], d.clock().Add(time.Hour), review.Decision{})))
	merged, err := d.Review.Merge(ctx, d.mara, ids[0], ids[1:], review.Decision{})
	d.must(err)
	if !slices.Equal(merged.Merged, ids[1:]) {
		t.Errorf("merged %v", merged.Merged)
	}
	d.must(second(d.Review.Undo(ctx, d.mara, ids[3], review.Decision{})))
	d.must(second(d.Review.Reject(ctx, d.mara, ids[3], review.Decision{})))
	undone, err := d.Review.Undo(ctx, d.mara, ids[0], review.Decision{Reason: "not the same"})
	d.must(err)
	if len(undone.Merged) > 0 || undone.Content != "one" {
		t.Errorf("undone: %+v", undone)
	}
	if got := d.states(d.mara); got != "four rejected, three pending, two deferred, one pending" {
		t.Errorf("got %s", got)
	}
	if c := d.waiting(d.mara, ids[2]); !c.MergedInto.IsZero() || c.Review.Action != "undo" ||
		c.Review.Reason != "not the same" {
		t.Errorf("the third one is %+v", c.Candidate)
	}
}

// TestMergedCandidatesNameOtherSessions requires that a merged candidate names each other session once, and neither its
// own one nor that of notes without a session.
func TestMergedCandidatesNameOtherSessions(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	in := func() (loci.SessionID, loci.Principal) {
		p := d.claude
		p.SessionID = d.open(d.claude, agent.SessionDraft{Reach: loci.ReachPrivate}).ID
		return p.SessionID, p
	}
	_, here := in()
	other, there := in()
	own := d.queued(here, "idea: one\nidea: two\n")
	others := slices.Concat(own[1:], d.queued(there, "idea: three\nidea: four\n"), d.queued(d.claude, "idea: five\n"))
	merged, err := d.Review.Merge(t.Context(), d.mara, own[0], others, review.Decision{})
	if err != nil || !slices.Equal(merged.OtherSessions, []loci.SessionID{other}) {
		t.Errorf("got the sessions %v, %v; want %v", merged.OtherSessions, err, other)
	}
}

// TestMergedEvidenceIsOfItsNotes requires that a merged candidate shows the passages of all notes that it comes from.
func TestMergedEvidenceIsOfItsNotes(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	stored := func(content string) loci.CandidateID {
		return d.reflect(d.claude, review.Notes{Content: content, Persist: true, PersistReview: true,
			PersistSource: true}).Candidates[0].ID
	}
	one, two := stored("idea: cache the pages\n"), stored("Some words before it.\nidea: cache the images, too\n")
	bare := d.queued(d.claude, "idea: whose notes nobody kept\n")[0]
	d.must(second(d.Review.Merge(t.Context(), d.mara, one, []loci.CandidateID{two, bare}, review.Decision{})))
	var texts []string
	for _, p := range d.waiting(d.mara, one).Passages {
		texts = append(texts, p.Text)
	}
	if got := strings.Join(texts, " | "); got != "cache the pages | cache the images, too" {
		t.Errorf("the passages are %q", got)
	}
}

// TestUndoOfAPromotionOntoAMemory requires that the memory that was there before stays, while what the promotion
// superseded holds again, as long as nothing else has superseded it.
func TestUndoOfAPromotionOntoAMemory(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	ids := d.queued(d.claude, "claim: The export runs at three.\nclaim: It runs then.\n")
	first, err := d.Review.Accept(ctx, d.claude, ids[0], review.Decision{})
	d.must(err)
	there, err := d.Memory.Get(ctx, d.mara, first.MemoryID)
	d.must(err)
	old := d.add(d.claude, memory.Draft{Title: "old", Content: "The nightly export runs at two."})
	older := d.add(d.claude, memory.Draft{Title: "older", Content: "It ran at one."})
	twice := d.add(d.claude, memory.Draft{Title: "twice", Content: "It never ran at noon."})
	id := ids[1]
	d.change(id, func(c *loci.Candidate) { c.Title, c.Content = there.Title, there.Content })
	accepted, err := d.Review.Accept(ctx, d.mara, id,
		review.Decision{Supersedes: []loci.MemoryID{old.ID, older.ID, twice.ID}})
	d.must(err)
	if !accepted.Existing || accepted.MemoryID != there.ID {
		t.Fatalf("got %+v", accepted)
	}
	if shown := d.waiting(d.mara, id); len(shown.Superseded) != 3 {
		t.Errorf("superseded %v", shown.Superseded)
	}
	if err := superseded(d, older.ID); err != nil {
		t.Fatal(err)
	}
	trashed, err := d.Memory.Trash(ctx, d.mara, older.ID, 0)
	d.must(err)
	d.must(second(d.Memory.Revert(ctx, d.mara, twice.ID, 0, 1)))
	d.add(d.claude, memory.Draft{Title: "newest", Content: "It runs at noon.", Supersedes: []loci.MemoryID{twice.ID}})
	d.must(second(d.Review.Undo(ctx, d.mara, id, review.Decision{})))
	d.must(superseded(d, twice.ID))
	for what, m := range map[string]*loci.Memory{"there before": there, "superseded by it": old} {
		if now, err := d.Memory.Get(ctx, d.mara, m.ID); err != nil || !now.SupersededBy.IsZero() || !now.ValidTo.IsZero() {
			t.Errorf("%s: %+v, %v", what, now, err)
		}
	}
	if now, err := d.Memory.Get(ctx, d.mara, older.ID); err != nil || now.Version != trashed.Memory.Version {
		t.Errorf("what is in the trash: %+v, %v; want version %d", now, err, trashed.Memory.Version)
	}
}

// superseded reports unless a memory is superseded.
func superseded(d *desk, id loci.MemoryID) error {
	m, err := d.Memory.GetAt(d.t.Context(), d.mara, id, loci.When{Superseded: true})
	if err == nil && m.SupersededBy.IsZero() {
		err = errors.New("it is not superseded")
	}
	return err
}

// TestUndoGivesTheValidityBack requires the validity from before the promotion, also if the superseded memory has
// changed since.
func TestUndoGivesTheValidityBack(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	old := d.add(d.claude, memory.Draft{Title: "old", Content: "The nightly export runs at two."})
	id := d.queued(d.claude, "claim: It runs at three.\n")[0]
	d.must(second(d.Review.Accept(ctx, d.mara, id, review.Decision{Supersedes: []loci.MemoryID{old.ID}})))
	d.must(second(d.Memory.Trash(ctx, d.mara, old.ID, 0)))
	d.must(second(d.Memory.Restore(ctx, d.mara, old.ID, 0)))
	if err := superseded(d, old.ID); err != nil {
		t.Fatal(err)
	}
	d.must(second(d.Review.Undo(ctx, d.mara, id, review.Decision{})))
	if now, err := d.Memory.Get(ctx, d.mara, old.ID); err != nil || !now.ValidTo.IsZero() {
		t.Errorf("after undo: %+v, %v", now, err)
	}
}

// TestUndoWithoutTheMemory requires that a promotion can be taken back whose memory somebody has put into the trash.
func TestUndoWithoutTheMemory(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	id := d.queued(d.claude, "idea: one\n")[0]
	c, err := d.Review.Accept(ctx, d.mara, id, review.Decision{})
	d.must(err)
	d.must(second(d.Memory.Trash(ctx, d.mara, c.MemoryID, 0)))
	if got := d.waiting(d.claude, id); !got.MemoryID.IsZero() {
		t.Errorf("the agent reads the id of a memory in the trash: %v", got.MemoryID)
	}
	undone, err := d.Review.Undo(ctx, d.mara, id, review.Decision{})
	if err != nil || undone.State != loci.ReviewPending {
		t.Errorf("got %+v, %v", undone, err)
	}
}

// TestASessionNarrowsItsCandidates requires that a change of a session changes who sees its candidates and notes at
// once, and never widens that.
func TestASessionNarrowsItsCandidates(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	s := d.open(d.mara, agent.SessionDraft{ProjectID: d.project})
	claude := d.claude
	claude.SessionID = s.ID
	r := d.reflect(claude, review.Notes{Content: "idea: one\nidea: two\n", Persist: true, PersistReview: true,
		PersistSource: true, Project: d.project.String()})
	id := r.Candidates[0].ID
	source := d.waiting(d.mara, id).SourceID
	d.must(second(d.Review.Reject(ctx, d.claude, r.Candidates[1].ID, review.Decision{})))
	sees := func(p loci.Principal) [3]bool {
		_, err := d.Review.Show(ctx, p, id)
		_, rejected := d.Review.Show(ctx, p, r.Candidates[1].ID)
		_, notes := d.Review.Source(ctx, p, source)
		return [3]bool{err == nil, rejected == nil, notes == nil}
	}
	all, none := [3]bool{true, true, true}, [3]bool{}
	if sees(d.tom) != all || sees(d.cursor) != all {
		t.Fatalf("before: tom %v, cursor %v", sees(d.tom), sees(d.cursor))
	}
	patch := func(c agent.SessionPatch) {
		t.Helper()
		d.must(second(d.Agent.UpdateSession(ctx, d.mara, s.ID.String(), c)))
	}
	patch(agent.SessionPatch{AllowedVendors: []loci.Vendor{"claude"}})
	if sees(d.tom) != all || sees(d.cursor) != none || sees(d.claude) != all {
		t.Errorf("for claude only: tom %v, cursor %v, claude %v", sees(d.tom), sees(d.cursor), sees(d.claude))
	}
	patch(agent.SessionPatch{Reach: new(loci.ReachPrivate)})
	if sees(d.tom) != none || sees(d.claude) != all || sees(d.mara) != all {
		t.Errorf("private: tom %v, claude %v, mara %v", sees(d.tom), sees(d.claude), sees(d.mara))
	}
	patch(agent.SessionPatch{Reach: new(loci.ReachOrg), AllowedVendors: []loci.Vendor{"*"}})
	if sees(d.tom) != none || sees(d.cursor) != none {
		t.Errorf("wide again: tom %v, cursor %v", sees(d.tom), sees(d.cursor))
	}
	// What was decided before the change can still be taken back.
	c, err := d.Review.Undo(ctx, d.mara, r.Candidates[1].ID, review.Decision{})
	if err != nil || c.State != loci.ReviewPending || c.Reach != loci.ReachPrivate {
		t.Errorf("undo: %+v, %v", c, err)
	}
}

// TestHiddenCandidatesDoNotExist requires that the writer of notes cannot tell a candidate that is hidden from it now
// from one that never was.
func TestHiddenCandidatesDoNotExist(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	notes := review.Notes{Content: "idea: one\nclaim: two\n", Persist: true, PersistReview: true}
	first := d.reflect(d.claude, notes)
	hidden := first.Candidates[1].ID
	d.must(second(d.Review.Change(ctx, d.mara, hidden, review.Edit{AllowedVendors: &[]loci.Vendor{"cursor"}},
		review.Decision{})))
	again := d.reflect(d.claude, notes)
	if again.PersistedCount != 2 || again.Candidates[0].ID != first.Candidates[0].ID || again.Candidates[1].ID == hidden ||
		again.Candidates[1].State != loci.ReviewPending {
		t.Fatalf("got %+v", again)
	}
	if text := again.Candidates[1].Claims[0].ID; !strings.HasPrefix(text, again.Candidates[1].ID.String()) {
		t.Errorf("its claim is %s", text)
	}
	if third := d.reflect(d.claude, notes); third.Candidates[1].ID != again.Candidates[1].ID {
		t.Errorf("the third time it is %s, not %s", third.Candidates[1].ID, again.Candidates[1].ID)
	}
	if c := d.waiting(d.mara, hidden); !slices.Equal(c.AllowedVendors, []loci.Vendor{"cursor"}) || c.Version != 2 {
		t.Errorf("the hidden one is %+v", c.Candidate)
	}
}

// TestTheSameNotesForFewer requires that notes sent again for fewer readers are for these only.
func TestTheSameNotesForFewer(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	notes := review.Notes{Content: "idea: one\n", Persist: true, PersistReview: true, PersistSource: true}
	id := d.reflect(d.claude, notes).Candidates[0].ID
	source := d.waiting(d.cursor, id).SourceID
	notes.AllowedVendors = []loci.Vendor{"claude"}
	d.reflect(d.claude, notes)
	_, err := d.Review.Show(t.Context(), d.cursor, id)
	wantCode(t, err, loci.NotFound)
	_, err = d.Review.Source(t.Context(), d.cursor, source)
	wantCode(t, err, loci.NotFound)
	notes.AllowedVendors = nil
	d.reflect(d.claude, notes)
	_, err = d.Review.Show(t.Context(), d.cursor, id)
	wantCode(t, err, loci.NotFound)
}

// choosy fails for notes with the word unreadable.
type choosy struct{ reviewtest.ByLine }

func (x choosy) Extract(ctx context.Context, n *review.Asked) (*review.Extracted, error) {
	if strings.Contains(n.Content, "unreadable") {
		return nil, errors.New("cannot read this")
	}
	return x.ByLine.Extract(ctx, n)
}

// TestDreamGoesOnAfterBadNotes requires that notes that cannot be read keep no others from being read.
func TestDreamGoesOnAfterBadNotes(t *testing.T) {
	t.Parallel()
	d := newDreams(t)
	d.App = app.New(app.Options{Store: d.st, Now: d.clock, Extractor: choosy{}, Deletion: loci.DeleteWithKey,
		Events: eventsIn(d.events), Patience: time.Minute})
	for _, text := range []string{"unreadable", "decision: we use gin\n"} {
		n := &loci.Reflection{Title: "notes", Text: text, Intent: loci.IntentGeneral, TaskIDs: []loci.TaskID{},
			Redacted: []loci.Redacted{}, CreatedAt: d.clock(), EventAccess: loci.EventAccess{OrgID: "acme",
				UserID: d.mara.UserID, Reach: loci.ReachPrivate, Origin: "claude", AllowedVendors: []loci.Vendor{"*"}}}
		n.ID = loci.ReflectionIDOf(&n.EventAccess, n.Title, n.Text)
		d.must(d.st.Update(t.Context(), "acme", func(tx store.Tx) error { return tx.Reflections().Insert(t.Context(), n) }))
	}
	if r := d.dream(); r.Notes != 2 || r.Promoted != 1 || r.Failed != 1 || r.State != loci.DreamDone {
		t.Errorf("%s, %d notes", inShort(r), r.Notes)
	}
	if r := d.dream(); r.Notes != 0 || r.State != loci.DreamDone {
		t.Errorf("again: %s, %d notes", inShort(r), r.Notes)
	}
}

// TestDreamTriesTheGraphLaterAndLater requires that a graph that refuses an entity is not asked each night.
func TestDreamTriesTheGraphLaterAndLater(t *testing.T) {
	t.Parallel()
	d := newDreams(t)
	ctx := t.Context()
	r := d.reflect(d.claude, review.Notes{Content: "decision: we use gin\n", Persist: true, PersistReview: true,
		PersistSource: true, Project: d.project.String()})
	id := r.Candidates[0].ID
	d.change(id, func(c *loci.Candidate) {
		c.State, c.GraphPending = loci.ReviewPromoted, true
		c.Title = strings.Repeat("long ", 200) // no name of an entity
	})
	d.dream()
	c := d.waiting(d.mara, id)
	if !c.GraphPending || c.Attempts != 1 || !c.NextAttempt.After(d.clock()) {
		t.Fatalf("got %+v", c.Candidate)
	}
	d.dream()
	if c := d.waiting(d.mara, id); c.Attempts != 1 {
		t.Errorf("it was tried again at once: %+v", c.Candidate)
	}
	_, err := d.Graph.Entity(ctx, d.mara, d.project, graph.Which{EntityRef: loci.EntityRef{Name: "we use gin",
		Type: "decision"}})
	wantCode(t, err, loci.NotFound)
}
