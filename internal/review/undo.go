package review

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
	"github.com/loci-memory/loci/internal/store"
)

// Undo takes back the last decision about a candidate: it is as it was before, as a new version. If it was promoted,
// the memory goes to the trash, which requires the right to delete, unless it was there before, and what it superseded
// holds again. If others were merged into it, they are as they were. Conflict if nothing was decided; otherwise its
// errors are those of Accept.
func (s *Service) Undo(ctx context.Context, p loci.Principal, id loci.CandidateID, d Decision) (*loci.Candidate,
	error) {
	if err := s.Begin(ctx, p, Decide); err != nil {
		return nil, err
	}
	c, err := gate.View(ctx, s.Gate, p, func(tx store.Tx) (*loci.Candidate, error) { return decidable(ctx, tx, p, id, d) })
	if err != nil {
		return nil, err
	}
	if c.State != loci.ReviewPromoted {
		return s.decide(ctx, p, id, d, "undo",
			func(tx store.Tx, c *loci.Candidate) error { return s.restore(ctx, tx, p, c, d.Reason) })
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	next := *c
	was := memory.Promoted{ID: c.MemoryID, Existing: c.Existing, Superseded: c.Superseded}
	err = s.memories.Demote(ctx, p, Decide, was, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		next = *c
		if err := s.restore(ctx, tx, p, &next, d.Reason); err != nil {
			return err
		}
		next.Version++
		s.reviewed(&next, p, "undo", d.Reason)
		return tx.Candidates().Replace(ctx, &next)
	})
	if err != nil {
		return nil, err
	}
	s.outOfGraph(ctx, p, c)
	return s.shown(ctx, p, &next)
}

// restore gives c the state before its last decision, and lets the candidates that this decision merged into it be as
// they were.
func (s *Service) restore(ctx context.Context, tx store.Tx, p loci.Principal, c *loci.Candidate, reason string) error {
	if c.Review == nil || c.Review.Action == "undo" {
		return loci.Errorf(loci.Conflict, "nobody has decided about this candidate since it was proposed or since the "+
			"last undo")
	}
	versions, err := tx.Candidates().Versions(ctx, p.Viewer(), c.ID)
	if err != nil {
		return err
	}
	for _, old := range versions {
		if old.Version == c.Review.Versions-1 {
			version, access, merged := c.Version, c.EventAccess, c.Merged
			*c = *old
			c.Version, c.EventAccess = version, access
			return s.separate(ctx, tx, p, c, merged, reason)
		}
	}
	// It was stored with the decision: it was promoted when it was proposed.
	c.State, c.MemoryID, c.Existing = loci.ReviewPending, loci.MemoryID{}, false
	c.GraphPending, c.EntityID, c.Superseded = false, loci.EntityID{}, nil
	return nil
}

// separate restores those of some candidates that are merged into c no more.
func (s *Service) separate(ctx context.Context, tx store.Tx, p loci.Principal, c *loci.Candidate,
	merged []loci.CandidateID, reason string) error {
	for _, id := range merged {
		if slices.Contains(c.Merged, id) {
			continue
		}
		o, err := decidable(ctx, tx, p, id, Decision{})
		if loci.CodeOf(err) == loci.NotFound || err == nil && (o.MergedInto != c.ID || o.Review.Action != "merge") {
			continue // it was restored on its own
		}
		if err == nil {
			err = s.restore(ctx, tx, p, o, reason)
		}
		if err != nil {
			return err
		}
		o.Version++
		s.reviewed(o, p, "undo", reason)
		if err := tx.Candidates().Replace(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// clean redacts what an edit has brought in, and renews the flags.
func clean(c *loci.Candidate) {
	flags := []string{}
	c.Domain = withoutSecrets(c.Domain)
	for i := range c.Tags {
		c.Tags[i] = withoutSecrets(c.Tags[i])
	}
	for _, text := range []*string{&c.Title, &c.Content} {
		found := sensitive.Find(*text)
		*text, _ = sensitive.Redact(*text, found)
		for _, m := range found {
			flags = append(flags, string(m.Type))
		}
		if recall.Instructs(*text) {
			flags = append(flags, flagInstruction)
		}
	}
	c.SensitivityFlags = loci.Unique(append(c.SensitivityFlags, flags...))
	// What was read from the old text goes with it.
	c.Cue = ""
	for i := range c.Claims {
		c.Claims[i].Title, c.Claims[i].Content = c.Title, c.Content
	}
	c.Relations = slices.DeleteFunc(slices.Clone(c.Relations), func(r loci.RelationshipRecord) bool {
		return !slices.Contains([]string{"BELONGS_TO", "PART_OF_TASK", "RELATED_TO"}, r.Type)
	})
}
