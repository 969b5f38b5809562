package memory

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/indexing"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/store"
)

// similarLook is how many of the best matches of each search are looked at, and similarUnsure of a search that knows
// little of which are the best.
const (
	similarLook   = 8
	similarUnsure = 16
)

// maxBulkCompared is how many creates of one bulk call are compared with what Loci has.
const maxBulkCompared = 50

// lookBefore looks for similar memories before the save waits for the writer of the org, which it never holds. A save
// that leaves out the title or the content is looked at by tell, once the stored ones are known; so is one that found a
// memory which is not quite the draft.
func (s *saving) lookBefore(ctx context.Context) {
	s.app.o.Index.Touch(s.p.OrgID)
	if !s.compares {
		return
	}
	s.index = s.app.o.Index.Shown(s.p.OrgID)
	if s.d.Title != "" && s.d.Content != "" {
		s.lookAlike(ctx, s.m, s.index)
	}
}

// show tells the index of m, which tx saves, so that nobody has to read it again to compare it. It finds out
// whether the index that lookBefore has taken lacks what others have saved before.
func (s *saving) show(ctx context.Context, tx store.Tx, m *loci.Memory) {
	if s.index == nil {
		return
	}
	s.behind, s.shown = true, true
	s.try(ctx, func() error {
		whole, err := s.app.o.Index.Saved(ctx, tx, s.index, m, s.read(m).sketch)
		s.behind = !whole
		return err
	})
}

// unshow tells the index that the save has failed, if it has been told of it.
func (s *saving) unshow() {
	if s.shown {
		s.app.o.Index.Unsaved(s.p.OrgID)
	}
}

// lookAlike keeps in s.others the memories that m is compared with. Without an index, it brings that up to date. It
// stops after a fiftieth of the patience of a search.
func (s *saving) lookAlike(ctx context.Context, m *loci.Memory, index *indexing.Snapshot) {
	s.looked, s.others = true, nil
	s.guarded(ctx, func() error {
		short, cancel := context.WithTimeoutCause(ctx, s.app.o.Patience/50, loci.ErrSpent)
		defer cancel()
		found := candidates{compared: s.read(m), v: s.p.Viewer(), now: s.app.Time()}
		if index != nil {
			if found.in(index); len(found.ids) == 0 && m.Key == "" && len(m.Tags) == 0 {
				return context.Cause(short)
			}
		}
		return s.app.Store.View(ctx, s.p.OrgID, func(tx store.Tx) error {
			if index == nil {
				recent, err := s.app.o.Index.Recent(short, tx, s.p.OrgID)
				if err != nil {
					return err
				}
				s.skipped = !recent.Whole
				found.in(recent)
			}
			keyed, err := found.ofKey(short, tx)
			if err == nil {
				s.tags, err = found.ofTags(short, tx)
			}
			if err == nil {
				s.others, err = tx.Memories().GetMany(ctx, s.p.Viewer(), found.ids, loci.LiveOnly)
			}
			s.others = append(s.others, keyed...)
			return cmp.Or(err, context.Cause(short))
		})
	})
}

// read returns m as it is compared. Most often newSaving has read it already.
func (s *saving) read(m *loci.Memory) *compared {
	if s.own == nil || !s.drafted(m) {
		return read(m).sketched()
	}
	return &compared{m, s.own.text, s.own.title, s.own.sketch}
}

// drafted reports whether m says what the draft says.
func (s *saving) drafted(m *loci.Memory) bool {
	return m.Key == s.m.Key && m.Title == s.m.Title && m.Content == s.m.Content
}

// tell adds to the answer of a save the memories that say nearly the same, or nearly the same but
// for a number, a date, a unit or a negation: the one that has most in common first. Nothing is
// done about them. It never fails a save: the answer has similar_skipped then.
func (s *saving) tell(ctx context.Context) {
	m := &s.saved.Memory
	if s.compares {
		if s.behind {
			s.index, s.looked, s.skipped = nil, false, false
		}
		if !s.looked || !s.drafted(m) {
			s.lookAlike(ctx, m, s.index)
		}
		s.guarded(ctx, func() error {
			others := slices.DeleteFunc(s.others, func(o *loci.Memory) bool {
				return o.ID == m.ID || s.names(o.ID)
			})
			s.saved.Similar = s.read(m).similar(others)
			if s.saved.Created() {
				s.saved.Twin = s.twin(m, others)
				s.saved.Hint = strings.TrimSpace(s.saved.Hint + " " + s.saved.Twin)
			}
			return nil
		})
	}
	s.saved.SimilarSkipped = s.skipped || s.d.NotCompared
}

// guarded runs a part of the comparison without which it is not whole.
func (s *saving) guarded(ctx context.Context, fn func() error) {
	if !s.try(ctx, fn) {
		s.skipped = true
	}
}

// try runs a part of the comparison, and reports whether it succeeded. Neither an error nor a fault in it stops
// the save.
func (s *saving) try(ctx context.Context, fn func() error) (ok bool) {
	defer func() {
		if fault := recover(); fault != nil {
			s.app.Log.ErrorContext(ctx, "look for similar memories", "fault", fault, "stack", string(debug.Stack()))
		}
	}()
	err := fn()
	if err != nil {
		if ctx.Err() == nil && !errors.Is(err, loci.ErrSpent) && !errors.Is(err, context.DeadlineExceeded) {
			s.app.Log.WarnContext(ctx, "look for similar memories", "error", err)
		}
	}
	return err == nil
}

// candidates collects the visible memories that one is compared with.
type candidates struct {
	*compared
	v   loci.Viewer
	now time.Time
	ids []loci.MemoryID
}

// in adds memories that have words of the content or, of a short one, of the title.
func (c *candidates) in(index *indexing.Snapshot) {
	about := c.text.Alike(c.Content)
	if c.text.Words < recall.ShortText {
		both := c.Title + "\n" + c.Content
		about = recall.Read(both).Alike(both)
	}
	c.alike(index, &about, c.sketch.Differs)
	if c.text.Words < shortFact {
		title := c.title.About(c.Title)
		c.alike(index, &title, c.titled)
	}
}

// alike adds memories that have the words of one of the groups, except those that are known to be unlike.
func (c *candidates) alike(index *indexing.Snapshot, a *recall.Alike, like func(*recall.Mark) (int, bool)) {
	look := similarLook
	if !c.sketch.Tells() {
		look = similarUnsure
	}
	for _, f := range index.Alike(a, c.v, c.now, look+1, like) { // m may be stored by now
		c.add(f.ID)
	}
}

// titled prefers memories with the title.
func (c *candidates) titled(m *recall.Mark) (by int, ok bool) {
	if c.sketch.Titled(m) {
		return 0, true
	}
	return c.sketch.Differs(m)
}

func (c *candidates) add(id loci.MemoryID) {
	if id != c.ID && !slices.Contains(c.ids, id) {
		c.ids = append(c.ids, id)
	}
}

// disagreementShare is the part of a search's time limit that looking for disagreements may take.
const disagreementShare = 10

// disagreeing adds to memories, which v sees as they are now, which others say something else. All
// that a reader gets of the present passes through here. If one key has so many memories that the
// time is over, some disagreements are missing.
func (s *Service) disagreeing(ctx context.Context, tx store.Tx, v loci.Viewer, memories ...*loci.Memory) error {
	current := slices.DeleteFunc(slices.Clone(memories), func(m *loci.Memory) bool {
		return !m.DeletedAt.IsZero() || !m.SupersededBy.IsZero()
	})
	var found map[loci.MemoryID]loci.Disagreement
	var err error
	if current = tx.Suggestions().Disputable(current); len(current) > 0 { // most reads need no timer either
		ctx, cancel := context.WithTimeoutCause(ctx, s.o.Patience/disagreementShare, loci.ErrSpent)
		defer cancel()
		found, err = tx.Suggestions().Disagreements(ctx, v, current)
	}
	for _, m := range memories {
		m.Disagreement = found[m.ID]
	}
	return err
}

// newerFirst puts the newer of two hits of a page that disagree first, unless only the other one is named. A memory
// comes before one that would replace it if the person agreed.
func newerFirst(hits []Hit) {
	for i := range hits {
		for j := i + 1; j < len(hits); j++ {
			a, b := hits[i].Memory, hits[j].Memory
			if b.PendingSupersede == a.ID || a.PendingSupersede != b.ID && (a.With(b.ID) || b.With(a.ID)) &&
				b.UpdatedAt.After(a.UpdatedAt) && len(hits[j].Why.Named) >= len(hits[i].Why.Named) {
				hits[i], hits[j] = hits[j], hits[i]
				hits[i].Rank, hits[j].Rank = hits[j].Rank, hits[i].Rank
			}
		}
	}
}

const (
	// shortFact is how many words of a content may be one fact. Longer texts under one title are
	// chapters, which do not exclude each other.
	shortFact = 24
	// maxTitled is how many others may have the title of a fact. A title of more, such as "Note", is no
	// name of anything.
	maxTitled = 2
)

// ofKey returns the newest memories with the key, and removes them from those that are still to be read.
func (c *candidates) ofKey(ctx context.Context, tx store.Tx) ([]*loci.Memory, error) {
	if c.Key == "" {
		return nil, nil
	}
	page, err := tx.Lists().List(ctx, c.v, store.ListQuery{Filter: store.Filter{Key: c.Key}, Limit: similarUnsure})
	c.ids = slices.DeleteFunc(c.ids, func(id loci.MemoryID) bool {
		return slices.ContainsFunc(page.Memories, func(m *loci.Memory) bool { return m.ID == id })
	})
	return page.Memories, err
}

// ofTags returns the tags that others have. For those that none has, it returns the same in small or large letters,
// with a large one at the beginning, or without blanks. The save may have been stored already.
func (c *candidates) ofTags(ctx context.Context, tx store.Tx) (tags []string, err error) {
	if len(c.Tags) == 0 {
		return nil, nil
	}
	tags, err = tx.Lists().Tagged(ctx, c.v, c.Tags, c.ID)
	var alike []string
	for _, tag := range c.Tags {
		if !slices.Contains(tags, tag) {
			lower := strings.ToLower(tag)
			first, size := utf8.DecodeRuneInString(lower)
			alike = append(alike, lower, strings.ToUpper(tag), string(unicode.ToUpper(first))+lower[size:],
				strings.ReplaceAll(tag, " ", ""))
		}
	}
	if err != nil || len(alike) == 0 {
		return tags, err
	}
	alike, err = tx.Lists().Tagged(ctx, c.v, loci.Unique(alike), c.ID)
	return append(tags, alike...), err
}

// twin returns a hint at the key or tag that differs from a new one of m only in case or blanks.
func (s *saving) twin(m *loci.Memory, others []*loci.Memory) string {
	hint := ""
	if !slices.ContainsFunc(others, func(o *loci.Memory) bool { return sameKey(m, o) }) {
		for _, o := range s.ofKey {
			hint = cmp.Or(hint, loci.TwinHint("key", m.Key, o.Key))
		}
	}
	for _, tag := range m.Tags {
		if !slices.Contains(s.tags, tag) {
			hint = cmp.Or(hint, loci.TwinHint("tag", tag, s.tags...))
		}
	}
	return hint
}

// ofSubject says what two texts that are not alike are to each other if they have one key or title.
func (c *compared) ofSubject(o *compared, titled bool) loci.Likeness {
	keyed := sameKey(c.Memory, o.Memory)
	if !keyed && !titled {
		return ""
	}
	switch {
	case c.text.Excludes(o.text):
		return loci.Contradiction
	case !keyed && max(c.text.Words, o.text.Words) >= shortFact:
		return ""
	}
	return loci.SameSubject
}

// sameKey reports whether two memories have one key in one place, or in a project and outside of it.
func sameKey(m, o *loci.Memory) bool {
	if m.Key == "" || m.Key != o.Key || m.WorkspaceID != o.WorkspaceID {
		return false
	}
	if m.Scope == loci.ScopeAgent || o.Scope == loci.ScopeAgent {
		return m.Scope == o.Scope && m.AgentID == o.AgentID && m.ProjectID == o.ProjectID
	}
	return m.ProjectID == o.ProjectID || m.ProjectID.IsZero() || o.ProjectID.IsZero()
}

// sameTitle reports whether the titles differ at most in case and punctuation.
func (c *compared) sameTitle(o *compared) bool {
	return c.ProjectID == o.ProjectID && c.title.Same(o.title)
}

// namesSubject reports whether few others have the title.
func (c *compared) namesSubject(others []*compared) bool {
	n := 0
	for _, o := range others {
		if c.title.Same(o.title) {
			n++
		}
	}
	return n <= maxTitled
}
