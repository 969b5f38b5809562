package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/review"
)

// TestReviewsFollowTheModel decides about candidates in random order, and compares them with a model after each step:
// their states, versions, texts and history, which memories there are, and who sees any of it.
func TestReviewsFollowTheModel(t *testing.T) {
	t.Parallel()
	d := newDreams(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		m := newQueue(rt, d, round)
		defer m.clear()
		defer m.checkAll()
		rt.Repeat(map[string]func(*rapid.T){
			"": m.check, "accept": m.accept, "close": m.close, "defer": m.postpone, "edit": m.edit,
			"merge": m.merge, "undo": m.undo, "wait": m.wait, "dream": m.dream, "narrow": m.narrow,
		})
	})
}

// queue is the model of some candidates, all of one session of mara's in which claude works.
type queue struct {
	*desk
	rt      *rapid.T
	session string
	list    []*modelled
	private bool      // only mara and her assistants see the session
	single  bool      // of the vendors, only claude sees it
	recent  *modelled // into which others were merged last
	words   int       // that texts have used
	steps   int       // so far
	round   int
}

// modelled is what is known about a candidate.
type modelled struct {
	id       loci.CandidateID
	kind     loci.CandidateKind
	facts           // as they are
	before   *facts // as undo restores them; nil: there is nothing to undo
	last     string // the last action
	version  int
	history  int
	into     *modelled // in which it is merged
	memory   loci.MemoryID
	by       string          // who made the last decision
	readers  [2]bool         // tom and cursor, of the memory
	memories []loci.MemoryID // that are no more
	due      time.Time       // when the dream-cycle looks at it, if it is open
	said     []loci.Review   // the history that was read last, oldest first
}

// facts are what undo restores.
type facts struct {
	state  loci.ReviewState
	title  string
	text   string
	merged []*modelled
	until  time.Time
}

func newQueue(rt *rapid.T, d *desk, round int) *queue {
	q := &queue{desk: d, rt: rt, round: round}
	s, err := d.Agent.CreateSession(d.t.Context(), d.mara, agent.SessionDraft{ProjectID: d.project})
	q.ok(err)
	q.session = s.ID.String()
	claude := d.claude
	claude.SessionID = s.ID
	kinds := []loci.CandidateKind{"decision", "claim", "session", "idea", "plan"}
	kinds = kinds[:rapid.IntRange(3, 5).Draw(rt, "candidates")]
	var notes []string
	for _, kind := range kinds {
		notes = append(notes, fmt.Sprintf("%s: %s", kind, q.text()))
	}
	r, err := d.Review.Reflect(d.t.Context(), claude, review.Notes{Content: strings.Join(notes, "\n"), Persist: true,
		PersistSource: true, PersistReview: true, Project: d.project.String()})
	q.ok(err)
	for i, c := range r.Candidates {
		q.list = append(q.list, &modelled{id: c.ID, kind: kinds[i], version: 1, due: c.CreatedAt,
			facts: facts{state: loci.ReviewPending, title: c.Title, text: c.Content}})
	}
	return q
}

// text returns words that no other text has, so that nothing is compared.
func (q *queue) text() string {
	q.words++
	at := q.round*1000 + q.words*7
	return strings.Join([]string{spoken(at), spoken(at + 1), spoken(at + 2), spoken(at + 3)}, " ")
}

func (q *queue) ok(err error) {
	q.rt.Helper()
	if err != nil {
		q.rt.Fatal(err)
	}
}

// who draws somebody, with the code of the error that they get for any decision.
func (q *queue) who() (string, loci.Principal, loci.Code) {
	name := rapid.SampledFrom([]string{"mara", "mara", "mara", "claude", "claude", "cursor", "tom"}).Draw(q.rt, "who")
	switch {
	case name == "cursor" && q.single, name == "tom" && q.private:
		return name, map[string]loci.Principal{"cursor": q.cursor, "tom": q.tom}[name], loci.NotFound
	case name == "cursor":
		return name, q.cursor, loci.Forbidden
	case name == "tom":
		return name, q.tom, loci.Forbidden
	case name == "claude":
		return name, q.claude, ""
	}
	return name, q.mara, ""
}

func (q *queue) one() *modelled {
	return q.list[rapid.IntRange(0, len(q.list)-1).Draw(q.rt, "candidate")]
}

// undecided draws a candidate about which somebody may decide, if there is one, and sometimes another.
func (q *queue) undecided() *modelled {
	open := slices.DeleteFunc(slices.Clone(q.list), func(c *modelled) bool { return !c.open() })
	if len(open) == 0 || rapid.IntRange(0, 4).Draw(q.rt, "any") == 0 {
		return q.one()
	}
	return open[rapid.IntRange(0, len(open)-1).Draw(q.rt, "undecided")]
}

func (c *modelled) open() bool {
	return c.state == loci.ReviewPending || c.state == loci.ReviewDeferred
}

// did records a decision.
func (c *modelled) did(by, action string, now facts) {
	before := c.facts
	c.before, c.facts, c.last, c.by = &before, now, action, by
	c.version++
	c.history++
}

// want compares the code of an error with what the rule says, and reports whether the decision was taken.
func (q *queue) want(what string, err error, code loci.Code) bool {
	q.rt.Helper()
	if loci.CodeOf(err) != code || code == "" && err != nil {
		q.rt.Fatalf("%s: got %v, want %q", what, err, code)
	}
	return err == nil
}

// settle decides in one of the ways that end in a state.
func (q *queue) settle(action string, to loci.ReviewState,
	decide func(p loci.Principal, id loci.CandidateID) (*loci.Candidate, error)) {
	name, p, code := q.who()
	c := q.undecided()
	if code == "" && !c.open() && c.state != to {
		code = loci.Conflict
	}
	got, err := decide(p, c.id)
	if !q.want(name+" "+action, err, code) || c.state == to && action != "defer" {
		return
	}
	now := c.facts
	now.state, now.until = to, got.DeferredTo
	c.did(name, action, now)
	if to == loci.ReviewDeferred {
		c.due = got.DeferredTo
	}
}

func (q *queue) close(rt *rapid.T) {
	if rapid.Bool().Draw(rt, "archive") {
		q.archive()
		return
	}
	q.settle("reject", loci.ReviewRejected, func(p loci.Principal, id loci.CandidateID) (*loci.Candidate, error) {
		return q.Review.Reject(q.t.Context(), p, id, review.Decision{Reason: "no"})
	})
}

func (q *queue) archive() {
	q.settle("archive", loci.ReviewArchived, func(p loci.Principal, id loci.CandidateID) (*loci.Candidate, error) {
		return q.Review.Archive(q.t.Context(), p, id, review.Decision{})
	})
}

func (q *queue) postpone(rt *rapid.T) {
	days := rapid.IntRange(1, 5).Draw(rt, "days")
	q.settle("defer", loci.ReviewDeferred, func(p loci.Principal, id loci.CandidateID) (*loci.Candidate, error) {
		return q.Review.Defer(q.t.Context(), p, id, q.clock().Add(time.Duration(days)*24*time.Hour), review.Decision{})
	})
}

func (q *queue) accept(*rapid.T) {
	name, p, code := q.who()
	c := q.undecided()
	if code == "" && (c.state == loci.ReviewRejected || c.state == loci.ReviewArchived) {
		code = loci.Conflict
	}
	said := func(o *modelled) bool {
		return o != c && o.state == loci.ReviewPromoted && strings.Contains(o.text, c.text)
	}
	got, err := q.Review.Accept(q.t.Context(), p, c.id, review.Decision{Reason: "yes"})
	if name == "claude" && code == "" && loci.CodeOf(err) == loci.Forbidden && slices.ContainsFunc(q.list, said) {
		return // a memory says the same, because the two were merged before
	}
	if q.want(name+" accept", err, code) && c.state != loci.ReviewPromoted {
		q.promoted(c, got, name)
	}
}

// promoted records that a candidate became a memory.
func (q *queue) promoted(c *modelled, got *loci.Candidate, name string) {
	now := c.facts
	now.state, now.until = loci.ReviewPromoted, time.Time{}
	c.did(name, "accept", now)
	if c.memory = got.MemoryID; slices.Contains(c.memories, c.memory) {
		q.rt.Fatalf("%s is the memory of %s again", c.memory, c.text)
	}
	c.readers = [2]bool{!q.private, !q.single}
}

func (q *queue) edit(*rapid.T) {
	name, p, code := q.who()
	c := q.undecided()
	if code == "" && !c.open() {
		code = loci.Conflict
	}
	now := c.facts
	now.text, now.title = q.text(), q.text()
	_, err := q.Review.Change(q.t.Context(), p, c.id, review.Edit{Title: &now.title, Content: &now.text},
		review.Decision{})
	if q.want(name+" edit", err, code) {
		c.did(name, "edit", now)
	}
}

func (q *queue) merge(rt *rapid.T) {
	name, p, code := q.who()
	c := q.undecided()
	var ids []loci.CandidateID
	var others []*modelled
	first := q.undecided()
	for _, o := range q.list {
		if o != c && (o == first || o.open() && rapid.Bool().Draw(rt, "with")) {
			others, ids = append(others, o), append(ids, o.id)
		}
	}
	settled := slices.ContainsFunc(append([]*modelled{c}, others...), func(o *modelled) bool { return !o.open() })
	switch {
	case len(others) == 0:
		code = loci.Invalid
	case code == "" && settled:
		code = loci.Conflict
	}
	_, err := q.Review.Merge(q.t.Context(), p, c.id, ids, review.Decision{})
	if !q.want(name+" merge", err, code) {
		return
	}
	now := c.facts
	now.merged = slices.Concat(c.merged, others)
	for _, o := range others {
		if !strings.Contains(now.text, o.text) {
			now.text += "\n\n" + o.text
		}
		gone := o.facts
		gone.state, gone.until = loci.ReviewArchived, time.Time{}
		o.did(name, "merge", gone)
		o.into = c
	}
	c.did(name, "merge", now)
	q.recent = c
}

func (q *queue) undo(*rapid.T) {
	name, p, code := q.who()
	c := q.one()
	if rapid.Bool().Draw(q.rt, "the last one") && q.recent != nil {
		c = q.recent
	}
	switch {
	case code != "":
	case c.before == nil:
		code = loci.Conflict
	case name == "claude" && c.by != name && c.by != loci.DreamOrigin:
		code = loci.Forbidden // a person has decided
	}
	if _, err := q.Review.Undo(q.t.Context(), p, c.id, review.Decision{}); q.want(name+" undo", err, code) {
		q.restore(name, c)
	}
}

// restore takes a decision back, and the merges that it made.
func (q *queue) restore(name string, c *modelled) {
	then := c.merged
	if c.state == loci.ReviewPromoted {
		c.memories, c.memory = append(c.memories, c.memory), loci.MemoryID{}
	}
	now := *c.before
	c.did(name, "undo", now)
	c.before, c.into, c.due = nil, nil, q.now
	if c.state == loci.ReviewDeferred {
		c.due = c.until
	}
	// One that was merged, separated and merged again stands there twice.
	for _, o := range then[min(len(now.merged), len(then)):] {
		if o.into == c && o.last == "merge" {
			q.restore(name, o)
		}
	}
}

func (q *queue) wait(rt *rapid.T) {
	q.now = q.now.Add(time.Duration(rapid.IntRange(1, 100).Draw(rt, "hours")) * time.Hour)
}

// dream lets the dream-cycle decide. What it decides about those that are due is its own business, within limits.
func (q *queue) dream(*rapid.T) {
	then := q.clock()
	r, err := q.Review.Dream(q.t.Context(), q.operator, review.DreamRequest{Time: time.Hour})
	q.ok(err)
	if r.State != loci.DreamDone || r.Failed > 0 {
		q.rt.Fatalf("the run is %+v", r)
	}
	for _, c := range q.list {
		got := q.shown(q.mara, c)
		if got.Version == c.version {
			continue
		}
		if !c.open() || c.due.After(then) {
			q.rt.Fatalf("the dream-cycle has changed a candidate that is %s and due at %s: %+v", c.state, c.due, got)
		}
		switch got.State {
		case loci.ReviewPromoted:
			if c.kind == loci.CandidateSession || c.last == "undo" {
				q.rt.Fatalf("the dream-cycle promoted a %s after %q", c.kind, c.last)
			}
			q.promoted(c, &got.Candidate, loci.DreamOrigin)
		case loci.ReviewPending:
			c.state, c.until, c.due = loci.ReviewPending, time.Time{}, got.NextAttempt
			c.version++
		default:
			q.rt.Fatalf("the dream-cycle made it %s", got.State)
		}
	}
}

// narrow takes readers away from the session, and so from all that comes of it.
func (q *queue) narrow(rt *rapid.T) {
	var change agent.SessionPatch
	switch {
	case rapid.Bool().Draw(rt, "private") && !q.private:
		change.Reach, q.private = new(loci.ReachPrivate), true
	case !q.single:
		change.AllowedVendors, q.single = []loci.Vendor{"claude"}, true
	default:
		rt.Skip("nobody else sees it")
	}
	_, err := q.Agent.UpdateSession(q.t.Context(), q.mara, q.session, change)
	q.ok(err)
	for _, c := range q.list {
		c.version++
	}
}

// spoken writes a number as a word, of which the long ones are rare as in a language.
func spoken(i int) string {
	word := ""
	for ; i > 0 || word == ""; i /= 70 {
		word += string("bdfgklmnprstvz"[i%14]) + string("aeiou"[i/14%5])
	}
	return word + "n"
}
