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
	c, err := gate.BeginView(ctx, s.Gate, p, Decide, func(tx store.Tx) (*loci.Candidate, error) {
		return decidable(ctx, tx, p, id, d)
	})
	if err != nil {
		return nil, err
	}
	if c.State != loci.ReviewPromoted {
		return s.decide(ctx, p, id, d, "undo",
			func(tx store.Tx, c *loci.Candidate) error { return s.restore(ctx, tx, p, c, d.Reason) })
	}
	if err := d.check(false); err != nil {
		return nil, err
	}
	next := *c
	was := memory.Promoted{ID: c.MemoryID, Existing: c.Existing, Superseded: c.Superseded}
	was.Keep = func(tx store.Tx) (bool, error) { return passOn(ctx, tx, p, c) }
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

// passOn reports whether another candidate was promoted onto the memory that c made. From then on, the memory is of
// that one.
func passOn(ctx context.Context, tx store.Tx, p loci.Principal, c *loci.Candidate) (bool, error) {
	list, _, err := tx.Candidates().List(ctx, inPerson(p),
		store.CandidateQuery{State: loci.ReviewPromoted, MemoryID: c.MemoryID, Limit: 2})
	for _, o := range list {
		if o.ID == c.ID || o.UserID != c.UserID {
			continue
		}
		o.Existing = false
		o.Version++
		return true, tx.Candidates().Replace(ctx, o)
	}
	return false, err
}

// restore gives c the state before its last decision, and lets the candidates that this decision merged into it be as
// they were.
func (s *Service) restore(ctx context.Context, tx store.Tx, p loci.Principal, c *loci.Candidate, reason string) error {
	switch {
	case c.Review == nil, c.Review.Action == "undo":
		return loci.Errorf(loci.Conflict, "nobody has decided about this candidate since it was proposed or since the "+
			"last undo")
	case p.Vendor != "" && c.Review.Origin != p.Origin && c.Review.Origin != loci.DreamOrigin:
		return loci.Errorf(loci.Forbidden, "cannot take back this decision: %q made it, so only the person takes it back, "+
			"with `loci review undo %s`", c.Review.Origin, c.ID.Short())
	}
	versions, err := tx.Candidates().Versions(ctx, inPerson(p), c.ID)
	if err != nil {
		return err
	}
	for _, old := range versions {
		if old.Version == c.Review.Versions-1 {
			now := *c
			*c = *old
			c.Version, c.EventAccess = now.Version, readersAfterUndo(p, &now, old)
			return s.separate(ctx, tx, p, c, now.Merged[min(len(old.Merged), len(now.Merged)):], reason)
		}
	}
	// It was stored with the decision: it was promoted when it was proposed.
	c.State, c.MemoryID, c.Existing = loci.ReviewPending, loci.MemoryID{}, false
	c.GraphPending, c.EntityID, c.Superseded = false, loci.EntityID{}, nil
	return nil
}

// inPerson returns how the person of p reads what is theirs, whatever their agent may see.
func inPerson(p loci.Principal) loci.Viewer {
	v := p.Viewer()
	v.Vendor, v.OnlyProjects = "", false
	return v
}

// readersAfterUndo returns who reads a candidate after its last decision was undone: the readers from before. If they
// were limited since, by the session or the sender, or for an agent, nobody more reads it than now.
func readersAfterUndo(p loci.Principal, now, old *loci.Candidate) loci.EventAccess {
	before := now.EventAccess
	before.Reach, before.TeamID, before.AllowedVendors = old.Reach, old.TeamID, old.AllowedVendors
	if p.Vendor == "" && now.Version == now.Review.Versions {
		return before
	}
	access := now.EventAccess
	access.Narrow(&before)
	return access
}

// separate lets candidates that an undone decision had merged into c be as they were, unless somebody has done that.
func (s *Service) separate(ctx context.Context, tx store.Tx, p loci.Principal, c *loci.Candidate,
	merged []loci.CandidateID, reason string) error {
	for _, id := range merged {
		o, err := tx.Candidates().Get(ctx, inPerson(p), id)
		if loci.CodeOf(err) == loci.NotFound || err == nil && (o.MergedInto != c.ID || o.Review.Action != "merge") {
			continue
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
