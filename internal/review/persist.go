package review

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// persist stores the notes and the candidates. Candidates about which somebody has decided stay as they are, also if
// that was undone, except that their readers may get fewer. Others are promoted now if they may be.
func (s *Service) persist(ctx context.Context, p loci.Principal, r *reading) error {
	if r.notes.PersistSource {
		r.source = r.raw(s)
	}
	for _, c := range r.list {
		c.source(r)
	}
	for {
		known, err := s.known(ctx, p, r.list)
		if err != nil {
			return err
		}
		err = s.persistOver(ctx, p, r, known)
		switch {
		case errors.Is(err, errNarrowed):
		case loci.CodeOf(err) != loci.Conflict || !s.knowsMore(ctx, p, r.list, known):
			return err
		}
	}
}

// known returns those of the candidates that are stored. One whose id belongs to a candidate that is hidden from p now
// gets another id: for p, that one never existed.
func (s *Service) known(ctx context.Context, p loci.Principal, list []*proposal) (map[loci.CandidateID]*loci.Candidate,
	error) {
	known := map[loci.CandidateID]*loci.Candidate{}
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		clear(known)
		for _, c := range list {
			old, err := visibleOrFree(ctx, tx, p, c, list)
			if err != nil {
				return err
			}
			if old != nil {
				known[c.ID] = old
			}
		}
		return nil
	})
	return known, err
}

// visibleOrFree returns the stored candidate with the id of c, or nil if the id is free.
func visibleOrFree(ctx context.Context, tx store.Tx, p loci.Principal, c *proposal, list []*proposal) (*loci.Candidate,
	error) {
	for {
		old, err := tx.Candidates().Get(ctx, p.Viewer(), c.ID)
		if loci.CodeOf(err) != loci.NotFound {
			return old, err
		}
		if _, err := tx.Candidates().VersionOf(ctx, c.ID); err != nil {
			if loci.CodeOf(err) == loci.NotFound {
				err = nil
			}
			return nil, err
		}
		rename(c, list)
	}
}

// rename gives c another id, which follows from the one that it has, wherever the candidates of a reflection name it.
func rename(c *proposal, list []*proposal) {
	next := loci.CandidateIDOf(&c.EventAccess, "again/"+c.ID.String())
	names := strings.NewReplacer(c.ID.String(), next.String())
	c.ID = next
	for i := range c.Claims {
		c.Claims[i].ID = names.Replace(c.Claims[i].ID)
	}
	for i := range c.Findings {
		f := &c.Findings[i]
		f.ID, f.Target = names.Replace(f.ID), names.Replace(f.Target)
	}
	for _, other := range list {
		for i := range other.Relations {
			r := &other.Relations[i]
			r.Source, r.Target = names.Replace(r.Source), names.Replace(r.Target)
		}
	}
}

// knowsMore reports whether somebody else has stored or changed one of the candidates meanwhile.
func (s *Service) knowsMore(ctx context.Context, p loci.Principal, list []*proposal,
	before map[loci.CandidateID]*loci.Candidate) bool {
	now, err := s.known(ctx, p, list)
	if err != nil {
		return false
	}
	for id, c := range now {
		if old := before[id]; old == nil || old.Version != c.Version {
			return true
		}
	}
	return false
}

// persistOver stores what is not known, in one transaction.
func (s *Service) persistOver(ctx context.Context, p loci.Principal, r *reading,
	known map[loci.CandidateID]*loci.Candidate) error {
	var promoted []*proposal
	var drafts []memory.Promotion
	next := make([]*loci.Candidate, len(r.list)) // as they will be stored; nil: they stay
	for i, c := range r.list {
		old := known[c.ID]
		if old != nil && (old.State != loci.ReviewPending || old.Review != nil) {
			next[i] = forFewer(old, c.Candidate)
			continue
		}
		next[i] = renewed(c.Candidate, old)
		next[i].Exceptions = waits(next[i])
		if r.notes.PersistReview || len(next[i].Exceptions) > 0 {
			continue
		}
		promoted = append(promoted, c)
		drafts = append(drafts, draftOf(next[i], nil))
	}
	err := s.memories.Promote(ctx, p, Persist, drafts, func(tx store.Tx, e *loci.AuditEntry,
		saved []*loci.Saved) error {
		if err := r.narrow(ctx, tx); err != nil {
			return err
		}
		if r.source != nil {
			e.Target = r.source.ID.String()
			if err := tx.Reflections().Insert(ctx, r.source); err != nil {
				return err
			}
		}
		for i, c := range promoted {
			at := slices.Index(r.list, c)
			s.accept(next[at], p, "", saved[i])
		}
		e.Count = len(r.list)
		return putAll(ctx, tx, next, known)
	})
	if err != nil {
		return err
	}
	for i, c := range r.list {
		old := known[c.ID]
		c.Candidate = cmp.Or(next[i], old)
		s.intoGraph(ctx, p, c.Candidate)
		if old != nil {
			if c.Candidate, err = s.shown(ctx, p, c.Candidate); err != nil {
				return err
			}
		}
		c.persisted = c.ID.String()
		if !c.MemoryID.IsZero() { // it is promoted, and p sees the memory
			c.persisted = c.MemoryID.String()
		}
	}
	return nil
}

// errNarrowed ends a transaction because the readers of the session have become fewer since the notes were read.
var errNarrowed = errors.New("the session has fewer readers now")

// narrow limits the notes and candidates to those who see their session now, or returns errNarrowed if they were for
// more.
func (r *reading) narrow(ctx context.Context, tx store.Tx) error {
	before := r.at.EventAccess
	if err := toSession(ctx, tx, &r.at.EventAccess, r.at.session); err != nil || before.SameAccess(&r.at.EventAccess) {
		return err
	}
	for _, c := range r.list {
		c.Narrow(&r.at.EventAccess)
	}
	if r.source != nil {
		r.source.Narrow(&r.at.EventAccess)
	}
	return errNarrowed
}

// toSession limits readers to those of a session, unless that is zero or gone.
func toSession(ctx context.Context, tx store.Tx, a *loci.EventAccess, id loci.SessionID) error {
	if id.IsZero() {
		return nil
	}
	session, err := tx.Sessions().Stored(ctx, id)
	if loci.CodeOf(err) == loci.NotFound {
		return nil
	}
	if err == nil {
		a.Narrow(&session.EventAccess)
	}
	return err
}

// forFewer returns the next version of a stored candidate, limited to the readers of c, or nil if it has no others.
func forFewer(old, c *loci.Candidate) *loci.Candidate {
	next := *old
	if next.Narrow(&c.EventAccess); next.SameAccess(&old.EventAccess) {
		return nil
	}
	next.Version++
	return &next
}

// putAll stores candidates, each as a new one or over the known one.
func putAll(ctx context.Context, tx store.Tx, list []*loci.Candidate,
	known map[loci.CandidateID]*loci.Candidate) error {
	for _, c := range list {
		if c == nil {
			continue
		}
		put := tx.Candidates().Insert
		if known[c.ID] != nil {
			put = tx.Candidates().Replace
		}
		if err := put(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// renewed returns c as the next version of old, if that is stored. Those who read it are those of both.
func renewed(c, old *loci.Candidate) *loci.Candidate {
	next := *c
	if old != nil {
		next.Version, next.CreatedAt, next.EventAccess = old.Version+1, old.CreatedAt, old.EventAccess
		next.Narrow(&c.EventAccess)
	}
	return &next
}

// source names where the candidate comes from.
func (c *proposal) source(r *reading) {
	ref := "input:" + c.ID.String() // the notes were not stored
	if r.source != nil {
		c.SourceID, ref = r.source.ID, r.source.ID.String()
	}
	setSource(c.Candidate, ref)
}

// setSource names where a candidate and its claims come from.
func setSource(c *loci.Candidate, ref string) {
	c.RawSources = []string{ref}
	for i := range c.Claims {
		c.Claims[i].RawSources = []string{ref}
	}
}

// raw returns the notes as they are stored.
func (r *reading) raw(s *Service) *loci.Reflection {
	n := &loci.Reflection{Title: r.notes.SourceTitle, Text: r.text, Intent: r.notes.Intent, Domain: r.notes.Domain,
		Redacted: []loci.Redacted{}, SessionID: r.at.session, EventAccess: r.at.EventAccess,
		TaskIDs:   append([]loci.TaskID{}, r.at.tasks...),
		CreatedAt: s.Time()}
	n.ID = loci.ReflectionIDOf(&n.EventAccess, n.Title, n.Text)
	for _, m := range r.matches {
		if m.Type.Redacted() {
			from, to := r.redactions.RedactedSpan(m.Start, m.End)
			n.Redacted = append(n.Redacted, loci.Redacted{Type: string(m.Type), Start: m.Start, End: m.End, At: from,
				Width: to - from})
		}
	}
	return n
}
