package review

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/store"
)

// draftOf returns the memory that c becomes. It supersedes those memories.
func draftOf(c *loci.Candidate, supersedes []loci.MemoryID) memory.Draft {
	kept, category := Kept(c.Kind, c.Domain)
	d := memory.Draft{Title: c.Title, Content: c.Content, Category: category, Source: loci.AutoSource, Type: kept,
		Tags: slices.Clone(c.Tags), AllowedVendors: slices.Clone(c.AllowedVendors), Scope: scopeOf(c),
		ProjectID: c.ProjectID, Supersedes: supersedes, Sources: sourcesOf(c)}
	if slices.Contains(d.AllowedVendors, loci.AnyVendor) {
		d.AllowedVendors = nil // those of what it supersedes, if these are fewer
	}
	return d
}

// scopeOf returns the scope of the memory that c becomes: never wider than who sees c now.
func scopeOf(c *loci.Candidate) loci.Scope {
	if c.Reach != loci.ReachOrg || c.ProjectID.IsZero() {
		return loci.ScopeGlobal
	}
	return c.SuggestedScope
}

// Kept returns the type and the category of a memory that keeps something of a kind and a domain.
func Kept(kind loci.CandidateKind, domain string) (loci.MemoryType, string) {
	category := cmp.Or(domain, string(kind))
	switch kind {
	case loci.CandidateProcedure:
		return loci.Procedural, category
	case loci.CandidateSession, loci.CandidatePlan:
		return loci.Episodic, category
	case loci.CandidateDecision, loci.CandidateIdea, loci.CandidateClaim, loci.CandidateArtifact:
	}
	return loci.Semantic, category
}

// sourcesOf returns where the memory comes from: its passage of the notes, and the events.
func sourcesOf(c *loci.Candidate) []loci.Source {
	text := []rune(c.Content)
	text = text[:min(len(text), loci.MaxQuote)]
	ref := ""
	if !c.SourceID.IsZero() {
		ref = c.SourceID.String()
	}
	list := []loci.Source{{Kind: loci.SourceText, Ref: ref, Text: string(text), AllowedVendors: c.AllowedVendors}}
	for _, e := range c.Evidence {
		if e.EventID != "" && len(list) < loci.MaxCandidateEvidence {
			list = append(list, loci.Source{Kind: loci.SourceEvent, Ref: e.EventID, AllowedVendors: c.AllowedVendors})
		}
	}
	return list
}

// supersededBy returns the memories that a check found to be out of date because of c.
func supersededBy(c *loci.Candidate) (ids []loci.MemoryID) {
	for _, f := range c.Findings {
		if f.TargetType != "memory" || f.Kind != loci.FindingSupersession && f.Kind != loci.FindingStale {
			continue
		}
		if id, err := loci.ParseID[struct{}](f.Target); err == nil && len(ids) < memory.MaxSuperseded {
			ids = append(ids, loci.MemoryID(id))
		}
	}
	return loci.Unique(ids)
}

// live returns those of ids that p sees and that nothing has superseded since.
func (s *Service) live(ctx context.Context, p loci.Principal, ids []loci.MemoryID) (live []loci.MemoryID) {
	if len(ids) == 0 {
		return nil
	}
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		found, err := tx.Memories().GetMany(ctx, p.Viewer(), ids, loci.LiveOnly)
		live = nil
		for _, m := range found {
			live = append(live, m.ID)
		}
		return err
	})
	if err != nil {
		return ids // the save itself will fail with the reason
	}
	return live
}
