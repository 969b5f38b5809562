package review

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// ListRequest asks for one page of candidates, last proposed first. Zero fields do not filter.
type ListRequest struct {
	State    loci.ReviewState
	Kind     loci.CandidateKind
	Project  string // an id or a name
	SourceID loci.ReflectionID
	Limit    int    // 0: 50; at most 500
	Cursor   string // NextCursor of the previous page
}

// List returns the visible candidates. Invalid if the cursor belongs to another query or principal, and for a project
// that p does not see.
func (s *Service) List(ctx context.Context, p loci.Principal, r ListRequest) (gate.Page[*loci.Candidate], error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return gate.Page[*loci.Candidate]{}, err
	}
	return s.page(ctx, p, r)
}

// Inbox is List with how many visible candidates there are in each state, whatever state r asks for.
func (s *Service) Inbox(ctx context.Context, p loci.Principal, r ListRequest) (page gate.Page[*loci.Candidate],
	counts map[loci.ReviewState]int, err error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return page, nil, err
	}
	if page, err = s.page(ctx, p, r); err != nil {
		return page, nil, err
	}
	r.State = ""
	counts, err = s.counts(ctx, p, r)
	return page, counts, err
}

func (s *Service) page(ctx context.Context, p loci.Principal, r ListRequest) (gate.Page[*loci.Candidate], error) {
	q, err := s.query(ctx, p, r)
	if err != nil {
		return gate.Page[*loci.Candidate]{}, err
	}
	bound := r
	bound.Limit, bound.Cursor = 0, ""
	return gate.ReadPage(p, "candidates", bound, r.Limit, r.Cursor,
		func(after store.Position, limit int) (list []*loci.Candidate, next store.Position, err error) {
			q.After, q.Limit = after, limit
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				if list, next, err = tx.Candidates().List(ctx, p.Viewer(), q); err != nil {
					return err
				}
				return s.forReader(ctx, tx, p, list...)
			})
			return list, next, err
		})
}

// Counts returns how many visible candidates there are in each state. Its errors are those of List.
func (s *Service) Counts(ctx context.Context, p loci.Principal, r ListRequest) (map[loci.ReviewState]int, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	return s.counts(ctx, p, r)
}

func (s *Service) counts(ctx context.Context, p loci.Principal, r ListRequest) (map[loci.ReviewState]int, error) {
	q, err := s.query(ctx, p, r)
	if err != nil {
		return nil, err
	}
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (map[loci.ReviewState]int, error) {
		return tx.Candidates().Count(ctx, p.Viewer(), q)
	})
}

func (s *Service) query(ctx context.Context, p loci.Principal, r ListRequest) (q store.CandidateQuery, err error) {
	if r.State != "" {
		if err := loci.CheckReviewState("state", r.State); err != nil {
			return q, err
		}
	}
	if r.Kind != "" {
		if err := loci.CheckCandidateKind("kind", r.Kind); err != nil {
			return q, err
		}
	}
	q = store.CandidateQuery{State: r.State, Kind: r.Kind, SourceID: r.SourceID, Now: s.Time()}
	if r.Project == "" {
		return q, nil
	}
	in, err := s.projects.Named(ctx, p, r.Project)
	q.ProjectID = in.ID
	return q, err
}

// Shown is what Show returns.
type Shown = loci.ShownCandidate

// Passage is a piece of the stored notes.
type Passage = loci.Passage

// WouldChange is a memory that a candidate relates to.
type WouldChange = loci.WouldChange

// Show returns a candidate with its evidence, what it would change, and its history. NotFound if p does not see it.
func (s *Service) Show(ctx context.Context, p loci.Principal, id loci.CandidateID) (*Shown, error) {
	return gate.BeginView(ctx, s.Gate, p, Read, func(tx store.Tx) (*Shown, error) {
		c, err := tx.Candidates().Get(ctx, p.Viewer(), id)
		if err != nil {
			return nil, err
		}
		if err := s.forReader(ctx, tx, p, c); err != nil {
			return nil, err
		}
		out := &Shown{Candidate: *c, Passages: []Passage{}, Changes: []WouldChange{}, History: []loci.Review{}}
		if out.Passages, err = passages(ctx, tx, p, c); err != nil {
			return nil, err
		}
		if out.Changes, err = wouldChange(ctx, tx, p, c); err != nil {
			return nil, err
		}
		out.History, err = history(ctx, tx, p, c)
		return out, err
	})
}

func history(ctx context.Context, tx store.Tx, p loci.Principal, c *loci.Candidate) ([]loci.Review, error) {
	list := []loci.Review{}
	versions, err := tx.Candidates().Versions(ctx, p.Viewer(), c.ID)
	for _, v := range append([]*loci.Candidate{c}, versions...) {
		if v.Review != nil && v.Review.Versions == v.Version {
			list = append(list, *v.Review)
			if !p.Owns(c.UserID, c.Origin) {
				list[len(list)-1].Reason = ""
			}
		}
	}
	return list, err
}

// around is how many bytes of the notes stand before and after a passage, at most.
const around = 200

// passages returns the evidence as it stands in the stored notes, if p sees them.
func passages(ctx context.Context, tx store.Tx, p loci.Principal, c *loci.Candidate) ([]Passage, error) {
	list := []Passage{}
	read := map[loci.ReflectionID]*loci.Reflection{}
	for _, e := range c.Evidence {
		if e.EventID != "" || e.Role == "cue" {
			continue
		}
		n, err := notesOf(ctx, tx, p, cmp.Or(e.SourceID, c.SourceID), read)
		if err != nil {
			return nil, err
		}
		if n == nil {
			continue
		}
		start, end := stored(n, e.Start), stored(n, e.End)
		if start > end || end > len(n.Text) {
			continue
		}
		list = append(list, Passage{Before: tail(n.Text[:start]), Text: n.Text[start:end], After: head(n.Text[end:], around),
			Role: e.Role})
	}
	return list, nil
}

// notesOf returns stored notes, or nil if p does not see them. It reads each once.
func notesOf(ctx context.Context, tx store.Tx, p loci.Principal, id loci.ReflectionID,
	read map[loci.ReflectionID]*loci.Reflection) (*loci.Reflection, error) {
	n, known := read[id]
	if known || id.IsZero() {
		return n, nil
	}
	n, err := tx.Reflections().Get(ctx, p.Viewer(), id)
	if loci.CodeOf(err) == loci.NotFound {
		n, err = nil, nil
	}
	read[id] = n
	return n, err
}

// stored returns the place in the stored text of a place in the notes as submitted. A place within a redacted passage
// becomes the beginning of its mark.
func stored(n *loci.Reflection, at int) int {
	shift := 0
	for _, r := range n.Redacted {
		switch {
		case at <= r.Start:
			return at + shift
		case at < r.End:
			return r.At
		}
		shift = r.At + r.Width - r.End
	}
	return at + shift
}

// tail returns the end of a text, cut between characters.
func tail(text string) string {
	if len(text) <= around {
		return text
	}
	from := len(text) - around
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[from:]
}

// head returns the beginning of a text, at most so many bytes, cut between characters.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// wouldChange returns the memories of the findings that p still sees, with what accepting does if p names them. Those
// come first that the candidate may replace, and of these the ones that would be missed most.
func wouldChange(ctx context.Context, tx store.Tx, p loci.Principal, c *loci.Candidate) ([]WouldChange, error) {
	list := []WouldChange{}
	for _, f := range c.Findings {
		id, err := loci.ParseID[struct{}](f.Target)
		if err != nil || f.TargetType != "memory" {
			continue
		}
		found, err := tx.Memories().GetMany(ctx, p.Viewer(), []loci.MemoryID{loci.MemoryID(id)}, loci.LiveOnly)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		m := found[0]
		w := WouldChange{Kind: f.Kind, ID: m.ID, Title: m.Title, Content: m.Content, Reason: f.Reason, Effect: "superseded",
			Origin: m.Origin, Pinned: m.Pinned, Importance: m.Importance, SharedWith: m.SharedWith("the project"),
			Diff: loci.DiffText(head(m.Content, mostCompared), head(c.Content, mostCompared))}
		if !p.Owns(m.UserID, m.Origin) {
			w.Effect = "suggested"
		}
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(a, b WouldChange) int { return cmp.Compare(harm(&b), harm(&a)) })
	return list, nil
}

// harm is larger for what would be missed more: what the candidate may replace, and then what is pinned or important.
func harm(w *WouldChange) int {
	n := w.Importance
	if w.Pinned {
		n += 1 << 4
	}
	if w.Kind == loci.FindingSupersession || w.Kind == loci.FindingStale {
		n += 1 << 5
	}
	return n
}

// Source returns stored notes. NotFound if p does not see them.
func (s *Service) Source(ctx context.Context, p loci.Principal, id loci.ReflectionID) (*loci.Reflection, error) {
	return gate.BeginView(ctx, s.Gate, p, Read, func(tx store.Tx) (*loci.Reflection, error) {
		return tx.Reflections().Get(ctx, p.Viewer(), id)
	})
}

// Find returns the id of the candidate that text names, as store.FindCandidate reads it. NotFound if p sees none like
// it; Invalid if it sees several.
func (s *Service) Find(ctx context.Context, p loci.Principal, text string) (loci.CandidateID, error) {
	return gate.BeginView(ctx, s.Gate, p, Read, func(tx store.Tx) (loci.CandidateID, error) {
		c, err := store.FindCandidate(ctx, tx, p.Viewer(), text)
		if err != nil {
			return loci.CandidateID{}, err
		}
		return c.ID, nil
	})
}
