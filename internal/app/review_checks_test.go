package app_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/review"
)

func (q *queue) shown(p loci.Principal, c *modelled) *review.Shown {
	got, err := q.Review.Show(q.t.Context(), p, c.id)
	q.ok(err)
	return got
}

// check compares one of the candidates with the model, another one each time.
func (q *queue) check(*rapid.T) {
	q.steps++
	q.wake()
	one := q.list[q.steps%len(q.list)]
	q.checkOne(one)
	q.checkMemories(one)
	if q.steps%3 == 0 {
		q.checkReaders(one)
	}
}

// wake lets time pass for those that were deferred.
func (q *queue) wake() {
	for _, c := range q.list {
		if c.state == loci.ReviewDeferred && !c.until.After(q.now) {
			c.state, c.until = loci.ReviewPending, time.Time{}
		}
	}
}

// checkAll compares everything with the model.
func (q *queue) checkAll() {
	if q.rt.Failed() {
		return
	}
	q.wake()
	for _, c := range q.list {
		q.checkOne(c)
		q.checkMemories(c)
		q.checkReaders(c)
	}
}

func (q *queue) checkOne(c *modelled) {
	got := q.shown(q.mara, c)
	if got.State != c.state || got.Version != c.version || got.Title != c.title || got.Content != c.text ||
		got.MemoryID != c.memory || !got.DeferredTo.Equal(c.until) {
		q.rt.Fatalf("got %s, version %d, %q: %q, memory %s, until %s; want %s, version %d, %q: %q, memory %s, until %s",
			got.State, got.Version, got.Title, got.Content, got.MemoryID, got.DeferredTo, c.state, c.version, c.title, c.text,
			c.memory, c.until)
	}
	if (c.state == loci.ReviewPromoted) == got.MemoryID.IsZero() {
		q.rt.Fatalf("a candidate that is %s has the memory %s", c.state, got.MemoryID)
	}
	said := slices.Clone(got.History)
	slices.Reverse(said)
	if len(said) != c.history || len(said) < len(c.said) || !slices.Equal(said[:len(c.said)], c.said) {
		q.rt.Fatalf("the history was %+v and is %+v", c.said, said)
	}
	if c.said = said; len(said) > 0 && said[len(said)-1].Action != c.last {
		q.rt.Fatalf("the last decision is %+v, want %s", said[len(said)-1], c.last)
	}
	var merged []loci.CandidateID
	for _, o := range c.merged {
		merged = append(merged, o.id)
	}
	into := loci.CandidateID{}
	if c.into != nil {
		into = c.into.id
	}
	if !slices.Equal(got.Merged, merged) || got.MergedInto != into {
		q.rt.Fatalf("%s has taken over %v and is in %s; want %v, %s", c.text, got.Merged, got.MergedInto, merged, into)
	}
}

// checkMemories requires one live memory if the candidate is promoted, and none otherwise.
func (q *queue) checkMemories(c *modelled) {
	ctx := q.t.Context()
	if n := len(c.memories); n > 0 {
		id := c.memories[n-1]
		if m, err := q.Memory.Get(ctx, q.mara, id); err != nil || m.DeletedAt.IsZero() {
			q.rt.Fatalf("a memory that was taken back is not in the trash: %+v, %v", m, err)
		}
	}
	if c.memory.IsZero() {
		return
	}
	readers := map[string]struct {
		who  loci.Principal
		sees bool
	}{"mara": {q.mara, true}, "claude": {q.claude, true}, "tom": {q.tom, c.readers[0]},
		"cursor": {q.cursor, c.readers[1]}, "the owner of the org": {q.owner, false}}
	for name, r := range readers {
		m, err := q.Memory.Get(ctx, r.who, c.memory)
		if (err == nil) != r.sees || err == nil && (m.Content != c.text || m.Title != c.title) {
			q.rt.Fatalf("%s gets the memory of %q: %+v, %v", name, c.text, m, err)
		}
	}
}

// checkReaders requires that those see the candidates who see their session, and that they exist for nobody else.
func (q *queue) checkReaders(one *modelled) {
	for name, r := range map[string]struct {
		who  loci.Principal
		sees bool
	}{"claude": {q.claude, true}, "tom": {q.tom, !q.private}, "ines": {q.ines, !q.private},
		"cursor": {q.cursor, !q.single}, "the owner of the org": {q.owner, false}} {
		page, err := q.Review.List(q.t.Context(), r.who, review.ListRequest{Limit: len(q.list)})
		q.ok(err)
		for _, c := range q.list {
			at := slices.IndexFunc(page.Items, func(o *loci.Candidate) bool { return o.ID == c.id })
			if (at >= 0) != r.sees || r.sees && (page.Items[at].State != c.state || page.Items[at].Content != c.text) {
				q.rt.Fatalf("%s lists %q at %d, want %v: %+v", name, c.text, at, r.sees, page.Items)
			}
		}
		if _, err := q.Review.Show(q.t.Context(), r.who, one.id); (err == nil) != r.sees || err != nil &&
			loci.CodeOf(err) != loci.NotFound {
			q.rt.Fatalf("%s gets %q: %v, want %v", name, one.text, err, r.sees)
		}
	}
}

// clear leaves nothing that the dream-cycle or a comparison of the next round could find.
func (q *queue) clear() {
	for _, c := range q.list {
		if c.state == loci.ReviewPromoted {
			_, _ = q.Memory.Trash(q.t.Context(), q.mara, c.memory, 0)
		}
		if c.open() {
			_, _ = q.Review.Reject(q.t.Context(), q.mara, c.id, review.Decision{})
		}
	}
}
