package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/reviewtest"
	"github.com/loci-memory/loci/internal/store"
)

// TestTheSameNotesKeepDecisions requires that notes sent again bring back nothing that a person has changed, merged or
// taken back.
func TestTheSameNotesKeepDecisions(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	notes := review.Notes{Content: "idea: one\nidea: two\n", Persist: true, PersistReview: true}
	ids := d.queued(d.claude, notes.Content)
	d.must(second(d.Review.Change(ctx, d.mara, ids[0], review.Edit{Content: new("one, edited")}, review.Decision{})))
	d.must(second(d.Review.Merge(ctx, d.mara, ids[0], ids[1:], review.Decision{})))
	before := d.waiting(d.mara, ids[0]).Candidate
	d.reflect(d.claude, notes)
	if now := d.waiting(d.mara, ids[0]).Candidate; now.Version != before.Version || now.Content != before.Content {
		t.Errorf("the merged one is %+v", now)
	}
	notes.Content, notes.PersistReview = "decision: we use gin\n", false
	id := d.reflect(d.claude, notes).Candidates[0].ID
	d.must(second(d.Review.Undo(ctx, d.mara, id, review.Decision{Reason: "wrong"})))
	again := d.reflect(d.claude, notes).Candidates[0]
	if again.State != loci.ReviewPending || slices.Contains(d.kept(d.mara), "we use gin") {
		t.Errorf("after the person took it back: %+v", again)
	}
}

// during is an extractor that lets something happen while it reads.
type during struct {
	reviewtest.ByLine
	happens func()
}

func (x *during) Extract(ctx context.Context, a *review.Asked) (*review.Extracted, error) {
	if happens := x.happens; happens != nil {
		x.happens = nil
		happens()
	}
	return x.ByLine.Extract(ctx, a)
}

// TestASessionNarrowsWhatIsBeingRead requires the readers of the moment in which candidates are stored, not of that in
// which an extractor began to read.
func TestASessionNarrowsWhatIsBeingRead(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"review", "promote", "dream"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			d := newDreams(t)
			ctx := t.Context()
			s := d.open(d.mara, agent.SessionDraft{ProjectID: d.project})
			slow := time.Duration(0)
			narrow := func() {
				slow = 2 * time.Hour // the dream-cycle has no time to decide, too
				d.must(second(d.Agent.UpdateSession(ctx, d.mara, s.ID.String(),
					agent.SessionPatch{Reach: new(loci.ReachPrivate), AllowedVendors: []loci.Vendor{"claude"}})))
			}
			d.App = app.New(app.Options{Store: d.st, Now: func() time.Time { return d.clock().Add(slow) },
				Extractor: &during{happens: narrow}, Deletion: loci.DeleteWithKey, Events: eventsIn(d.events),
				Patience: time.Minute})
			if mode == "dream" {
				d.log(d.claude, event.Draft{Session: s.ID.String(), Content: "decision: we use gin\n"})
				d.dream()
			} else {
				in := d.claude
				in.SessionID = s.ID
				d.reflect(in, review.Notes{Content: "decision: we use gin\n", Project: d.project.String(), Persist: true,
					PersistReview: mode == "review", PersistSource: true})
			}
			c := d.found(d.mara, "we use gin")
			if c == nil {
				t.Fatal("there is no candidate")
			}
			for name, p := range map[string]loci.Principal{"tom": d.tom, "cursor": d.cursor} {
				_, notes := d.Review.Source(ctx, p, c.SourceID)
				if d.found(p, "we use gin") != nil || notes == nil || slices.Contains(d.kept(p), "we use gin") {
					t.Errorf("%s sees what was read for fewer", name)
				}
			}
			if d.found(d.claude, "we use gin") == nil {
				t.Error("its vendor does not see it")
			}
		})
	}
}

// TestMergedCandidatesFollowAllSessions requires that a session narrows a candidate with whose text another one was
// merged, and one whose notes were sent again in the session.
func TestMergedCandidatesFollowAllSessions(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	in := func(content string, sessions ...loci.SessionID) loci.CandidateID {
		p := d.claude
		id := loci.CandidateID{}
		for _, s := range append([]loci.SessionID{{}}, sessions...) {
			p.SessionID = s
			id = d.reflect(p, review.Notes{Content: content, Project: d.project.String(), Persist: true, PersistReview: true,
				PersistSource: true}).Candidates[0].ID
		}
		return id
	}
	open := func() loci.SessionID { return d.open(d.mara, agent.SessionDraft{ProjectID: d.project}).ID }
	one, two := open(), open()
	a, b, alone := in("idea: a\n"), in("idea: b\n", one), in("idea: alone\n", two)
	source := d.waiting(d.mara, alone).SourceID
	d.must(second(d.Review.Merge(ctx, d.mara, a, []loci.CandidateID{b}, review.Decision{})))
	if _, err := d.Review.Show(ctx, d.tom, a); err != nil {
		t.Fatal(err)
	}
	for _, id := range []loci.SessionID{one, two} {
		d.must(second(d.Agent.UpdateSession(ctx, d.mara, id.String(), agent.SessionPatch{Reach: new(loci.ReachPrivate)})))
	}
	for what, id := range map[string]loci.CandidateID{"merged": a, "sent again": alone} {
		_, err := d.Review.Show(ctx, d.tom, id)
		if loci.CodeOf(err) != loci.NotFound {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := d.Review.Source(ctx, d.tom, source)
	wantCode(t, err, loci.NotFound)
}

// TestMergesInEveryOrder requires that no undo leaves a candidate archived for one that does not have its text.
func TestMergesInEveryOrder(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	undo := func(p loci.Principal, id loci.CandidateID) {
		t.Helper()
		d.must(second(d.Review.Undo(ctx, p, id, review.Decision{})))
	}
	merge := func(into, other loci.CandidateID) {
		t.Helper()
		d.must(second(d.Review.Merge(ctx, d.mara, into, []loci.CandidateID{other}, review.Decision{})))
	}
	ids := d.queued(d.claude, "idea: a\nidea: b\n")
	a, b := ids[0], ids[1]
	merge(a, b)
	d.must(second(d.Review.Accept(ctx, d.mara, a, review.Decision{})))
	undo(d.mara, a)
	undo(d.mara, b)
	merge(a, b)
	undo(d.mara, a)
	if c := d.waiting(d.mara, b); c.State != loci.ReviewPending || !c.MergedInto.IsZero() {
		t.Errorf("merged twice: %+v", c.Candidate)
	}
	// What another vendor proposed.
	a = d.queued(d.claude, "idea: of claude\n")[0]
	b = d.queued(d.cursor, "idea: of cursor\n")[0]
	merge(a, b)
	d.must(second(d.Review.Change(ctx, d.mara, a, review.Edit{Title: new("t")}, review.Decision{})))
	undo(d.mara, a)
	d.change(b, func(c *loci.Candidate) { c.AllowedVendors = []loci.Vendor{"cursor"} })
	a = d.queued(d.claude, "idea: another of claude\n")[0]
	other := d.queued(d.cursor, "idea: another of cursor\n")[0]
	merge(a, other)
	d.change(other, func(c *loci.Candidate) { c.AllowedVendors = []loci.Vendor{"cursor"} })
	undo(d.mara, a)
	if c := d.waiting(d.mara, other); c.State != loci.ReviewPending || !slices.Equal(c.AllowedVendors,
		[]loci.Vendor{"cursor"}) {
		t.Errorf("of another vendor: %+v", c.Candidate)
	}
}

// TestUndoOfAnEditGivesTheReadersBack requires the readers from before, for a person.
func TestUndoOfAnEditGivesTheReadersBack(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	id := d.reflect(d.claude, review.Notes{Content: "idea: a\n", Persist: true, PersistReview: true,
		AllowedVendors: []loci.Vendor{"claude"}}).Candidates[0].ID
	readers := func(p loci.Principal, edit ...loci.Vendor) []loci.Vendor {
		t.Helper()
		d.must(second(d.Review.Change(ctx, p, id, review.Edit{AllowedVendors: &edit}, review.Decision{})))
		c, err := d.Review.Undo(ctx, p, id, review.Decision{})
		d.must(err)
		return c.AllowedVendors
	}
	if got := readers(d.mara, "*"); !slices.Equal(got, []loci.Vendor{"claude"}) {
		t.Errorf("after more: %v", got)
	}
	d.must(second(d.Review.Change(ctx, d.mara, id, review.Edit{AllowedVendors: &[]loci.Vendor{"*"}}, review.Decision{})))
	if got := readers(d.mara, "claude", "cursor"); !slices.Equal(got, []loci.Vendor{"*"}) {
		t.Errorf("after fewer: %v", got)
	}
	if got := readers(d.claude, "claude"); !slices.Equal(got, []loci.Vendor{"claude"}) {
		t.Errorf("undone by an agent: %v", got)
	}
}

// TestOnlyItsOwnerReadsReasons requires that members of a project read no reasons, also of older decisions.
func TestOnlyItsOwnerReadsReasons(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	id := d.reflect(d.claude, review.Notes{Content: "idea: a\n", Persist: true, PersistReview: true,
		Project: d.project.String()}).Candidates[0].ID
	d.must(second(d.Review.Reject(ctx, d.mara, id, review.Decision{Reason: "first reason"})))
	d.must(second(d.Review.Undo(ctx, d.mara, id, review.Decision{Reason: "second reason"})))
	for name, tt := range map[string]struct {
		who  loci.Principal
		want string
	}{"mara": {d.mara, "second reason, first reason"}, "tom": {d.tom, ", "}} {
		var reasons []string
		for _, h := range d.waiting(tt.who, id).History {
			reasons = append(reasons, h.Reason)
		}
		if got := strings.Join(reasons, ", "); got != tt.want {
			t.Errorf("%s reads %q, want %q", name, got, tt.want)
		}
	}
}

// TestUndoRevivesNothingObsolete requires that what a promotion superseded stays superseded if something newer has
// superseded the promoted memory.
func TestUndoRevivesNothingObsolete(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	old := d.add(d.claude, memory.Draft{Title: "old", Content: "The export runs at two."})
	id := d.queued(d.claude, "claim: It runs at three.\n")[0]
	c, err := d.Review.Accept(ctx, d.mara, id, review.Decision{Supersedes: []loci.MemoryID{old.ID}})
	d.must(err)
	newest := d.add(d.mara, memory.Draft{Title: "new", Content: "It runs at four.",
		Supersedes: []loci.MemoryID{c.MemoryID}})
	d.must(second(d.Review.Undo(ctx, d.mara, id, review.Decision{})))
	now, err := d.Memory.GetAt(ctx, d.mara, old.ID, loci.When{Superseded: true})
	if err != nil || now.SupersededBy != newest.ID {
		t.Errorf("the old memory is %+v, %v", now, err)
	}
}

// TestUndoKeepsTheMemoryOfAnother requires that a memory onto which another candidate was promoted stays, and goes when
// that one is taken back, too.
func TestUndoKeepsTheMemoryOfAnother(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	ids := d.queued(d.claude, "claim: It runs at three.\nclaim: It runs then.\n")
	first, err := d.Review.Accept(ctx, d.mara, ids[0], review.Decision{})
	d.must(err)
	d.change(ids[1], func(c *loci.Candidate) { c.Title, c.Content = first.Title, first.Content })
	again, err := d.Review.Accept(ctx, d.mara, ids[1], review.Decision{})
	d.must(err)
	if again.MemoryID != first.MemoryID || !again.Existing {
		t.Fatalf("got %+v", again)
	}
	d.must(second(d.Review.Undo(ctx, d.mara, ids[0], review.Decision{})))
	if _, err := d.Memory.Get(ctx, d.claude, first.MemoryID); err != nil {
		t.Errorf("what the other one says is gone: %v", err)
	}
	d.must(second(d.Review.Undo(ctx, d.mara, ids[1], review.Decision{})))
	_, err = d.Memory.Get(ctx, d.claude, first.MemoryID)
	wantCode(t, err, loci.NotFound)
}

// TestWhatAModelFoundStaysForAPerson requires that neither a merge nor an agent promotes what only a model has found.
func TestWhatAModelFoundStaysForAPerson(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	ids := d.queued(d.claude, "idea: of the rules\nidea: of a model\n")
	d.change(ids[1], func(c *loci.Candidate) { c.Metadata, c.Confidence = []byte(`{"extractor_kind":"model"}`), 0.4 })
	refused(t, "an agent", second(d.Review.Accept(ctx, d.claude, ids[1], review.Decision{})), loci.Forbidden, "a person")
	merged, err := d.Review.Merge(ctx, d.claude, ids[0], ids[1:], review.Decision{})
	d.must(err)
	if !merged.ByModel() || merged.Confidence != 0.4 {
		t.Errorf("merged: %s, %v", merged.Metadata, merged.Confidence)
	}
	refused(t, "merged", second(d.Review.Accept(ctx, d.claude, ids[0], review.Decision{})), loci.Forbidden, "a person")
	d.must(second(d.Review.Accept(ctx, d.mara, ids[0], review.Decision{})))
}

// TestNoReaderIsLeft requires an error that says how to go on if the session admits no assistant any more.
func TestNoReaderIsLeft(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	id := d.queued(d.claude, "idea: a\n")[0]
	d.change(id, func(c *loci.Candidate) { c.AllowedVendors = []loci.Vendor{} })
	refused(t, "accept", second(d.Review.Accept(ctx, d.mara, id, review.Decision{})), loci.Invalid, "loci review edit")
	d.App = d.over(d.st)
	if r := d.dream(); r.Failed != 0 || r.LeftBy["no_reader"] != 1 {
		t.Errorf("%s, left by %v", inShort(r), r.LeftBy)
	}
	d.must(second(d.Review.Change(ctx, d.mara, id, review.Edit{AllowedVendors: &[]loci.Vendor{"claude"}},
		review.Decision{})))
	d.must(second(d.Review.Accept(ctx, d.mara, id, review.Decision{})))
}

// undoing is a store that lets something happen before a transaction.
type undoing struct {
	store.Store
	before func()
}

func (s *undoing) Update(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	if before := s.before; before != nil {
		s.before = nil
		before()
	}
	return s.Store.Update(ctx, org, fn)
}

// TestALateEntityGoesAgain requires that an entity that a promotion writes after it was undone does not stay.
func TestALateEntityGoesAgain(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	id := d.reflect(d.claude, review.Notes{Content: "decision: we use gin\n", Persist: true, PersistReview: true,
		PersistSource: true, Project: d.project.String()}).Candidates[0].ID
	slow := &undoing{Store: d.st}
	late := app.New(app.Options{Store: slow, Now: d.clock, Extractor: reviewtest.ByLine{}, Deletion: loci.DeleteWithKey})
	// The first transaction promotes, the second says that the entity is in the graph.
	slow.before = func() {
		slow.before = func() { d.must(second(d.Review.Undo(ctx, d.mara, id, review.Decision{}))) }
	}
	_, _ = late.Review.Accept(ctx, d.mara, id, review.Decision{})
	if c := d.waiting(d.mara, id); c.State != loci.ReviewPending || !c.EntityID.IsZero() {
		t.Errorf("the candidate is %+v", c.Candidate)
	}
	_, err := d.Graph.Entity(ctx, d.mara, d.project, graph.Which{EntityRef: loci.EntityRef{Name: "we use gin",
		Type: "decision"}})
	wantCode(t, err, loci.NotFound)
}

// TestNothingUnsureIsSuperseded requires that only a person supersedes a memory that may be about something else.
func TestNothingUnsureIsSuperseded(t *testing.T) {
	t.Parallel()
	d := newDreams(t)
	old := d.add(d.claude, memory.Draft{Title: "export", Content: "The nightly export runs at 02:00 UTC."})
	const other = "Turns out the staging export now runs at 06:00 UTC."
	c := d.reflect(d.claude, review.Notes{Content: "claim: " + other + "\n", Persist: true}).Candidates[0]
	if c.State != loci.ReviewPending || !slices.Contains(c.Exceptions, "supersession_candidate") {
		t.Errorf("got %s, %v, findings %+v", c.State, c.Exceptions, c.Findings)
	}
	d.must(second(d.Review.Reject(t.Context(), d.mara, c.ID, review.Decision{})))
	d.log(d.claude, event.Draft{Session: d.private(), Content: "claim: " + other + "\n"})
	if r := d.dream(); r.Promoted != 0 || r.LeftBy["supersession_candidate"] != 1 {
		t.Errorf("%s, left by %v", inShort(r), r.LeftBy)
	}
	if _, err := d.Memory.Get(t.Context(), d.claude, old.ID); err != nil {
		t.Errorf("the memory: %v", err)
	}
}

// TestNotesSentAgainFinishTheGraph requires that notes sent again write the entity that an interrupted promotion owes,
// also if the memory is hidden from the sender by now.
func TestNotesSentAgainFinishTheGraph(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	notes := review.Notes{Content: "decision: we use gin\n", Persist: true, PersistReview: true,
		Project: d.project.String()}
	id := d.reflect(d.claude, notes).Candidates[0].ID
	c, err := d.Review.Accept(ctx, d.mara, id, review.Decision{})
	d.must(err)
	_, err = d.Graph.DeleteEntities(ctx, d.mara, d.project, []loci.EntityRef{{Name: "we use gin", Type: "decision"}})
	d.must(err)
	d.change(id, func(c *loci.Candidate) { c.GraphPending, c.EntityID = true, loci.EntityID{} })
	d.must(second(d.Memory.Trash(ctx, d.mara, c.MemoryID, 0)))
	d.reflect(d.claude, notes)
	if now := d.waiting(d.mara, id); now.GraphPending || now.EntityID.IsZero() {
		t.Errorf("got %+v", now.Candidate)
	}
	_, err = d.Graph.Entity(ctx, d.mara, d.project, graph.Which{EntityRef: loci.EntityRef{Name: "we use gin",
		Type: "decision"}})
	d.must(err)
}
