package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/reviewtest"
	"github.com/loci-memory/loci/internal/task"
)

// newReviews returns a desk whose notes are read by line.
func newReviews(t testing.TB) *desk {
	d := newDesk(t)
	d.App = app.New(app.Options{Store: d.st, Now: d.clock, Extractor: reviewtest.ByLine{}, Deletion: loci.DeleteWithKey})
	d.must(second(d.Review.Reject(t.Context(), d.owner, d.candidate, review.Decision{})))
	return d
}

func (d *desk) reflect(p loci.Principal, n review.Notes) *loci.Reflected {
	d.t.Helper()
	r, err := d.Review.Reflect(d.t.Context(), p, n)
	d.must(err)
	return r
}

// queued returns the candidates of notes that wait for review.
func (d *desk) queued(p loci.Principal, content string) (ids []loci.CandidateID) {
	d.t.Helper()
	for _, c := range d.reflect(p, review.Notes{Content: content, Persist: true, PersistReview: true}).Candidates {
		ids = append(ids, c.ID)
	}
	return ids
}

func (d *desk) waiting(p loci.Principal, id loci.CandidateID) *review.Shown {
	d.t.Helper()
	c, err := d.Review.Show(d.t.Context(), p, id)
	d.must(err)
	return c
}

// states lists the contents of all candidates that p sees, with their states.
func (d *desk) states(p loci.Principal) string {
	d.t.Helper()
	page, err := d.Review.List(d.t.Context(), p, review.ListRequest{})
	d.must(err)
	var list []string
	for _, c := range page.Items {
		list = append(list, fmt.Sprintf("%s %s", c.Content, c.State))
	}
	return strings.Join(list, ", ")
}

func (d *desk) kept(p loci.Principal) []string {
	d.t.Helper()
	page, err := d.Memory.List(d.t.Context(), p, memory.ListRequest{})
	d.must(err)
	var list []string
	for _, m := range page.Items {
		list = append(list, m.Content)
	}
	return list
}

func TestReflectWritesNothingByItself(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	before := d.kept(d.mara)
	d.st.entries = nil
	r := d.reflect(d.claude, review.Notes{Content: "decision: we use gin\nclaim: it is fast\n", PersistReview: true})
	if r.Total != 2 || r.PersistedCount != 0 || r.SourceID != nil || r.Candidates[0].PersistedID != nil {
		t.Errorf("got %+v", r)
	}
	again := d.reflect(d.claude, review.Notes{Content: "decision: we use gin\nclaim: it is fast\n"})
	if again.Candidates[0].ID != r.Candidates[0].ID || again.Candidates[0].ID == again.Candidates[1].ID {
		t.Error("the same notes have other ids")
	}
	if got := d.states(d.mara); got != "" {
		t.Errorf("stored: %s", got)
	}
	if after := d.kept(d.mara); !slices.Equal(before, after) {
		t.Errorf("memories: %v", after)
	}
	if len(d.st.entries) != 2 || d.st.entries[0].Action != string(review.Reflect) {
		t.Errorf("the audit trail has %+v", d.st.entries)
	}
}

func TestReflectPromotes(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	n := review.Notes{Content: "decision: we use gin\nprocedure: run make\n", Persist: true, PersistSource: true,
		Project: d.project.String(), Domain: "web servers"}
	r := d.reflect(d.claude, n)
	if r.PersistedCount != 2 || r.SourceID == nil {
		t.Fatalf("got %+v", r)
	}
	c := r.Candidates[0]
	if c.State != loci.ReviewPromoted || c.MemoryID.IsZero() || *c.PersistedID != c.MemoryID.String() {
		t.Errorf("got %+v", c)
	}
	m, err := d.Memory.Get(t.Context(), d.mara, c.MemoryID)
	d.must(err)
	if m.Source != loci.AutoSource || m.Category != "web servers" || m.Scope != loci.ScopeProject ||
		m.Origin != "claude" ||
		m.ProjectID != d.project || m.Content != "we use gin" || !slices.Contains(m.Tags, "web-servers") {
		t.Errorf("the memory is %+v", m)
	}
	sources, err := d.Memory.Sources(t.Context(), d.mara, m.ID)
	d.must(err)
	if len(sources) != 1 || sources[0].Ref != *r.SourceID || sources[0].Text != "we use gin" {
		t.Errorf("its sources are %+v", sources)
	}
	// The same notes again change nothing.
	count := len(d.kept(d.mara))
	again := d.reflect(d.claude, n)
	if again.Candidates[0].MemoryID != c.MemoryID || *again.SourceID != *r.SourceID || again.PersistedCount != 2 ||
		len(d.kept(d.mara)) != count {
		t.Errorf("a repetition returns %+v", again)
	}
	// What was decided about them stays.
	_, err = d.Review.Undo(t.Context(), d.mara, c.ID, review.Decision{})
	d.must(err)
	_, err = d.Review.Reject(t.Context(), d.mara, c.ID, review.Decision{Reason: "no"})
	d.must(err)
	if third := d.reflect(d.claude, n); third.Candidates[0].State != loci.ReviewRejected {
		t.Errorf("a repetition revives %+v", third.Candidates[0])
	}
}

// TestReflectKeepsSecretsOut requires that no secret and no card number is stored or shown, and that what is sensitive
// waits for a person.
func TestReflectKeepsSecretsOut(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	secret := "hunter2" + "Zx9!"
	n := review.Notes{Content: "claim: the password is " + secret +
		"\nclaim: write to ana@example.org\nclaim: it is dry\n",
		SourceTitle: "password is " + secret, Persist: true, PersistSource: true}
	r := d.reflect(d.claude, n)
	if strings.Contains(fmt.Sprintf("%+v", r), secret) {
		t.Errorf("the answer has the secret: %+v", r)
	}
	if len(r.Sensitive) != 2 || !r.Sensitive[0].Redacted || r.Sensitive[1].Redacted {
		t.Errorf("sensitive: %+v", r.Sensitive)
	}
	if span := r.Sensitive[0]; n.Content[span.Start:span.End] != secret {
		t.Errorf("the span is of %q", n.Content[span.Start:span.End])
	}
	want := "it is dry promoted, write to ana@example.org pending, the password is [redacted password] pending"
	if got := d.states(d.mara); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	source, err := d.Review.Source(t.Context(), d.mara, loci.ReflectionID(parsed(t, *r.SourceID)))
	d.must(err)
	if strings.Contains(source.Text+source.Title, secret) || !strings.Contains(source.Text, "ana@example.org") {
		t.Errorf("the source is %+v", source)
	}
	// The evidence still finds its passage.
	for i, c := range r.Candidates {
		shown := d.waiting(d.mara, c.ID)
		if len(shown.Passages) != 1 || shown.Passages[0].Text != c.Content {
			t.Errorf("candidate %d: the passages are %+v", i, shown.Passages)
		}
	}
}

func parsed(t testing.TB, text string) loci.ID[struct{}] {
	t.Helper()
	id, err := loci.ParseID[struct{}](text)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestCandidatesAreSeenLikeTheirNotes requires that only those who may see the notes see what comes of them.
func TestCandidatesAreSeenLikeTheirNotes(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	private := d.queued(d.claude, "idea: a private one\n")[0]
	r := d.reflect(d.claude, review.Notes{Content: "idea: one of the project\n", Persist: true, PersistReview: true,
		Project: d.project.String(), AllowedVendors: []loci.Vendor{"claude"}})
	shared := r.Candidates[0].ID
	for name, tt := range map[string]struct {
		who             loci.Principal
		private, shared bool
	}{
		"its person":            {d.mara, true, true},
		"the vendor":            {d.claude, true, true},
		"another vendor":        {d.cursor, true, false},
		"another member":        {d.tom, false, true},
		"a key of the project":  {d.limited, false, true},
		"a third member":        {d.ines, false, true},
		"the owner of the org":  {d.owner, false, false},
		"the same key's person": {d.key, true, true},
	} {
		for id, want := range map[loci.CandidateID]bool{private: tt.private, shared: tt.shared} {
			_, err := d.Review.Show(t.Context(), tt.who, id)
			if got := err == nil; got != want {
				t.Errorf("%s sees %s: %v (%v), want %v", name, id, got, err, want)
			}
			if !want {
				_, err = d.Review.Reject(t.Context(), tt.who, id, review.Decision{})
				_, none := d.Review.Reject(t.Context(), tt.who, loci.CandidateID{9}, review.Decision{})
				if loci.CodeOf(err) != loci.NotFound || err.Error() != none.Error() {
					t.Errorf("%s: rejecting what they do not see: %v; what does not exist: %v", name, err, none)
				}
			}
		}
		counts, err := d.Review.Counts(t.Context(), tt.who, review.ListRequest{})
		d.must(err)
		want := 0
		for _, sees := range []bool{tt.private, tt.shared} {
			if sees {
				want++
			}
		}
		if counts[loci.ReviewPending] != want {
			t.Errorf("%s counts %v, want %d", name, counts, want)
		}
	}
}

func TestOnlyTheirOwnersDecideAboutCandidates(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	r := d.reflect(d.claude, review.Notes{Content: "idea: one of the project\n", Persist: true, PersistReview: true,
		Project: d.project.String()})
	id := r.Candidates[0].ID
	for name, who := range map[string]loci.Principal{"another member": d.tom, "another vendor": d.cursor} {
		for action, decide := range map[string]func(loci.CandidateID, review.Decision) error{
			"accept": func(id loci.CandidateID, n review.Decision) error {
				return second(d.Review.Accept(t.Context(), who, id, n))
			},
			"reject": func(id loci.CandidateID, n review.Decision) error {
				return second(d.Review.Reject(t.Context(), who, id, n))
			},
			"edit": func(id loci.CandidateID, n review.Decision) error {
				return second(d.Review.Change(t.Context(), who, id, review.Edit{Title: new("x")}, n))
			},
		} {
			if err := decide(id, review.Decision{}); loci.CodeOf(err) != loci.Forbidden {
				t.Errorf("%s: %s: %v", name, action, err)
			}
		}
	}
	if _, err := d.Review.Accept(t.Context(), d.claude, id, review.Decision{Reason: "fine"}); err != nil {
		t.Errorf("its own vendor: %v", err)
	}
}

func TestDecisionsAboutCandidates(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	ids := d.queued(d.claude, "idea: one\nidea: two\nidea: three\nclaim: four\n")
	now := d.clock()
	deferred, err := d.Review.Defer(ctx, d.mara, ids[0], now.Add(time.Hour), review.Decision{Reason: "later"})
	d.must(err)
	if deferred.State != loci.ReviewDeferred || !deferred.DeferredTo.Equal(now.Add(time.Hour)) {
		t.Errorf("got %+v", deferred)
	}
	// Its time comes, whether the dream-cycle runs or not.
	soon, err := d.Review.Defer(ctx, d.mara, ids[3], d.clock().Add(20*time.Millisecond), review.Decision{})
	d.must(err)
	if soon.State != loci.ReviewDeferred {
		t.Errorf("got %+v", soon)
	}
	for d.clock().Before(now.Add(time.Second)) { // each look at the clock takes a millisecond
	}
	counts, err := d.Review.Counts(ctx, d.mara, review.ListRequest{})
	d.must(err)
	list, err := d.Review.List(ctx, d.mara, review.ListRequest{State: loci.ReviewPending})
	d.must(err)
	if c := d.waiting(d.mara, ids[3]); c.State != loci.ReviewPending || !c.DeferredTo.IsZero() ||
		counts[loci.ReviewDeferred] != 1 || counts[loci.ReviewPending] != 3 || len(list.Items) != 3 ||
		list.Items[0].State != loci.ReviewPending {
		t.Errorf("after its time: %+v, counts %v, pending %d", c.Candidate, counts, len(list.Items))
	}
	refused(t, "the past", second(d.Review.Defer(ctx, d.mara, ids[0], now, review.Decision{})), loci.Invalid, "until")
	edited, err := d.Review.Change(ctx, d.mara, ids[1], review.Edit{Content: new("two, edited"),
		Kind: new(loci.CandidatePlan)},
		review.Decision{IfVersion: 1})
	d.must(err)
	if edited.Version != 2 || edited.Content != "two, edited" || edited.Kind != loci.CandidatePlan {
		t.Errorf("got %+v", edited)
	}
	refused(t, "an old version", second(d.Review.Reject(ctx, d.mara, ids[1], review.Decision{IfVersion: 1})),
		loci.Precondition, "version 2")
	merged, err := d.Review.Merge(ctx, d.mara, ids[1], ids[2:3], review.Decision{Reason: "the same"})
	d.must(err)
	if merged.Content != "two, edited\n\nthree" {
		t.Errorf("got %q", merged.Content)
	}
	if other := d.waiting(d.mara, ids[2]); other.State != loci.ReviewArchived || other.MergedInto != ids[1] {
		t.Errorf("the other one is %+v", other)
	}
	accepted, err := d.Review.Accept(ctx, d.mara, ids[1], review.Decision{Reason: "good"})
	d.must(err)
	again, err := d.Review.Accept(ctx, d.mara, ids[1], review.Decision{})
	d.must(err)
	if again.MemoryID != accepted.MemoryID || again.Version != accepted.Version {
		t.Errorf("accepting twice makes %+v", again)
	}
	refused(t, "reject a promoted one", second(d.Review.Reject(ctx, d.mara, ids[1], review.Decision{})), loci.Conflict,
		"promoted")
	undone, err := d.Review.Undo(ctx, d.mara, ids[1], review.Decision{})
	d.must(err)
	if undone.State != loci.ReviewPending || !undone.MemoryID.IsZero() || undone.Content != "two, edited\n\nthree" {
		t.Errorf("undone: %+v", undone)
	}
	if _, err := d.Memory.Get(ctx, d.claude, accepted.MemoryID); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("the memory is still there: %v", err)
	}
	refused(t, "undo twice", second(d.Review.Undo(ctx, d.mara, ids[1], review.Decision{})), loci.Conflict, "undo")
	shown := d.waiting(d.mara, ids[1])
	var history []string
	for _, h := range shown.History {
		history = append(history, h.Action+" "+h.Reason)
	}
	if got := strings.Join(history, ", "); got != "undo , accept good, merge the same, edit " {
		t.Errorf("the history is %q", got)
	}
	results, err := d.Review.Bulk(ctx, d.mara, review.BulkRequest{Action: "reject", Reason: "all",
		IDs: []loci.CandidateID{ids[0], ids[2], ids[3]}})
	d.must(err)
	if results[0].Err != nil || loci.CodeOf(results[1].Err) != loci.Conflict || results[2].Err != nil {
		t.Errorf("bulk: %+v", results)
	}
}

func TestReflectLinksTasksAndMemories(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	linked := func(n review.Notes) []loci.TaskID {
		n.Content, n.Project, n.ActiveTask = "idea: x\n", d.project.String(), true
		return d.reflect(d.claude, n).Candidates[0].TaskIDs
	}
	one, err := d.Task.Create(ctx, d.mara, task.Draft{Project: d.project.String(), Title: "one", State: loci.TaskDoing})
	d.must(err)
	if got := linked(review.Notes{}); !slices.Equal(got, []loci.TaskID{one.ID}) {
		t.Errorf("with one task in progress: %v", got)
	}
	two, err := d.Task.Create(ctx, d.mara, task.Draft{Project: d.project.String(), Title: "two", State: loci.TaskDoing})
	d.must(err)
	if got := linked(review.Notes{}); len(got) != 0 {
		t.Errorf("with two: %v", got)
	}
	if got := linked(review.Notes{TaskIDs: []string{two.ID.String()}}); !slices.Equal(got, []loci.TaskID{two.ID}) {
		t.Errorf("named: %v", got)
	}
	hidden := d.add(d.tom, memory.Draft{Title: "hidden", Content: "secret plans"})
	for _, n := range []review.Notes{{RelatedTo: []string{hidden.ID.String()}},
		{RelatedTo: []string{loci.NewMemoryID().String()}},
		{RelatedTo: []string{"what"}}} {
		n.Content = "idea: x\n"
		refused(t, fmt.Sprint(n.RelatedTo), second(d.Review.Reflect(ctx, d.claude, n)), loci.Invalid,
			"related_to must be the ids of memories, or of entities, that this credential may see")
	}
	for _, id := range []string{loci.NewTaskID().String(), "what"} {
		refused(t, id, second(d.Review.Reflect(ctx, d.claude, review.Notes{Content: "idea: x\n", TaskIDs: []string{id}})),
			loci.Invalid, "task_ids must be the ids of tasks that this credential may see")
	}
}

func TestLimitedKeysReflectInTheirProjects(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	n := review.Notes{Content: "idea: x\n", Persist: true}
	err := second(d.Review.Reflect(ctx, d.limited, n))
	wantCode(t, err, loci.Invalid)
	if want := "Project is required when MCP credentials are project-scoped: pass project"; err.Error() != want ||
		loci.FieldOf(err) != "project" {
		t.Errorf("no project: %q about %q, want %q", err, loci.FieldOf(err), want)
	}
	n.Project = "nothing like that"
	refused(t, "another project", second(d.Review.Reflect(ctx, d.limited, n)), loci.Forbidden,
		"api_key_memory_space_denied")
	n.Project = d.project.String()
	if r := d.reflect(d.limited, n); r.PersistedCount != 1 {
		t.Errorf("got %+v", r)
	}
	_, err = d.Review.Reflect(ctx, loci.Principal{}, n)
	refused(t, "nobody", err, loci.Unauthenticated, "Organization context required")
}

// TestPromotionWritesIntoTheGraph requires an entity in the graph of the project, with its relations, and none after
// undo.
func TestPromotionWritesIntoTheGraph(t *testing.T) {
	t.Parallel()
	d := newReviews(t)
	ctx := t.Context()
	made, err := d.Graph.CreateEntities(ctx, d.claude, d.project, nil,
		[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "gin",
			Type: "library"}}})
	d.must(err)
	r := d.reflect(d.claude, review.Notes{Content: "decision: we use gin\n", Persist: true, Project: d.project.String(),
		RelatedTo: []string{made[0].Entity.ID.String()}})
	c := d.waiting(d.mara, r.Candidates[0].ID)
	if c.GraphPending || c.EntityID.IsZero() {
		t.Fatalf("got %+v", c.Candidate)
	}
	in := loci.EntityRef{Name: "we use gin", Type: "decision"}
	e, err := d.Graph.Entity(ctx, d.tom, d.project, graph.Which{EntityRef: in})
	d.must(err)
	if len(e.Observations) != 1 || e.Observations[0].Content != "we use gin" {
		t.Errorf("the entity is %+v", e)
	}
	relations, err := d.Graph.EntityRelations(ctx, d.tom, d.project, graph.Which{EntityRef: in}, graph.ListRequest{})
	d.must(err)
	if len(relations.Items) != 1 || relations.Items[0].Type != "RELATED_TO" {
		t.Errorf("its relations are %+v", relations)
	}
	d.must(second(d.Review.Undo(ctx, d.mara, c.ID, review.Decision{})))
	_, err = d.Graph.Entity(ctx, d.tom, d.project, graph.Which{EntityRef: in})
	wantCode(t, err, loci.NotFound)
}
