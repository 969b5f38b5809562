package review

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// forReader takes out of candidates what p may not see: memories and candidates that are hidden from p, what the checks
// found about them, and, unless p decides about a candidate, why it waits. The candidates were compared with what their
// writer sees. A deferred candidate whose time has come is pending.
func (s *Service) forReader(ctx context.Context, tx store.Tx, p loci.Principal, list ...*loci.Candidate) error {
	sees, titles, err := visibleOf(ctx, tx, p, list)
	if err != nil {
		return err
	}
	now := s.Time()
	for _, c := range list {
		c.Wake(now)
		hideFindings(c, p, sees)
		c.Superseded = slices.DeleteFunc(slices.Clone(c.Superseded),
			func(id loci.MemoryID) bool { return !sees[id.String()] })
		c.Replaced = nil
		for _, id := range c.Superseded {
			c.Replaced = append(c.Replaced, loci.TitledMemory{ID: id, Title: titles[id]})
		}
		for i := range c.Suggested {
			c.Suggested[i].Title = titles[c.Suggested[i].ID]
		}
		if !sees[c.MemoryID.String()] {
			c.MemoryID, c.Existing = loci.MemoryID{}, false
		}
		c.Merged = slices.DeleteFunc(slices.Clone(c.Merged), func(id loci.CandidateID) bool { return !sees[id.String()] })
		if !sees[c.MergedInto.String()] {
			c.MergedInto = loci.CandidateID{}
		}
		if !p.Owns(c.UserID, c.Origin) {
			hideWork(c)
		}
	}
	return nil
}

// visibleOf returns the ids of those memories and candidates that p sees, of all that the candidates name, and the
// titles of the memories.
func visibleOf(ctx context.Context, tx store.Tx, p loci.Principal, list []*loci.Candidate) (map[string]bool,
	map[loci.MemoryID]string, error) {
	states := loci.LiveOnly
	if p.Vendor == "" {
		states = loci.AnyState // people look up what was superseded
	}
	sees, titles := map[string]bool{}, map[loci.MemoryID]string{}
	var ids []loci.MemoryID
	var merged []loci.CandidateID
	for _, c := range list {
		for _, f := range c.Findings {
			if id, err := loci.ParseID[struct{}](f.Target); err == nil && f.TargetType == "memory" {
				ids = append(ids, loci.MemoryID(id))
			}
		}
		if !c.MemoryID.IsZero() {
			ids = append(ids, c.MemoryID)
		}
		for _, m := range c.Suggested {
			ids = append(ids, m.ID)
		}
		ids, merged = append(ids, c.Superseded...), append(merged, c.Merged...)
		if !c.MergedInto.IsZero() {
			merged = append(merged, c.MergedInto)
		}
	}
	for some := range slices.Chunk(loci.Unique(ids), loci.MaxIDs) {
		found, err := tx.Memories().GetMany(ctx, p.Viewer(), some, states)
		if err != nil {
			return nil, nil, err
		}
		for _, m := range found {
			sees[m.ID.String()], titles[m.ID] = true, m.Title
		}
	}
	for _, id := range loci.Unique(merged) {
		_, err := tx.Candidates().Get(ctx, p.Viewer(), id)
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			return nil, nil, err
		}
		sees[id.String()] = err == nil
	}
	return sees, titles, nil
}

// hideFindings takes out what the checks found about what p does not see.
func hideFindings(c *loci.Candidate, p loci.Principal, sees map[string]bool) {
	c.Findings = slices.DeleteFunc(c.Findings, func(f loci.ReflectionFinding) bool {
		return f.TargetType == "memory" && !sees[f.Target] || f.TargetType == "entity" && !p.Owns(c.UserID, c.Origin)
	})
	hidden := func(id string) bool {
		return !slices.ContainsFunc(c.Findings, func(f loci.ReflectionFinding) bool { return f.Target == id })
	}
	for i := range c.Claims {
		claim := &c.Claims[i]
		claim.Contradicts = slices.DeleteFunc(claim.Contradicts, hidden)
		claim.Supersedes = slices.DeleteFunc(claim.Supersedes, hidden)
		if len(claim.Contradicts) == 0 {
			claim.Validity = "active"
		}
	}
}

// hideWork takes out what only those who decide about a candidate know.
func hideWork(c *loci.Candidate) {
	c.Exceptions, c.Attempts, c.NextAttempt = nil, 0, time.Time{}
	c.RelatedTo, c.TaskIDs, c.SessionID, c.EntityID = []string{}, []loci.TaskID{}, loci.SessionID{}, loci.EntityID{}
	c.OtherSessions = nil
	c.Relations = slices.DeleteFunc(slices.Clone(c.Relations), func(r loci.RelationshipRecord) bool {
		return r.Type == "RELATED_TO" || r.Type == "PART_OF_TASK"
	})
	if c.Review != nil {
		said := *c.Review
		said.Reason = ""
		c.Review = &said
	}
}

// shown returns a copy of a candidate as p may see it.
func (s *Service) shown(ctx context.Context, p loci.Principal, c *loci.Candidate) (*loci.Candidate, error) {
	out := *c
	out.Findings, out.Claims = slices.Clone(c.Findings), slices.Clone(c.Claims)
	for i := range out.Claims {
		claim := &out.Claims[i]
		claim.Contradicts, claim.Supersedes = slices.Clone(claim.Contradicts), slices.Clone(claim.Supersedes)
	}
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error { return s.forReader(ctx, tx, p, &out) })
	if err != nil {
		return nil, err
	}
	return &out, nil
}
