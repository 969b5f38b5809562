package review

import (
	"cmp"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// draftOf returns the memory that c becomes, of the origin that proposed c. It supersedes those memories.
func draftOf(c *loci.Candidate, supersedes []loci.MemoryID) memory.Promotion {
	kept, category := Kept(c.Kind, c.Domain)
	d := memory.Draft{Title: c.Title, Content: c.Content, Category: category, Source: loci.AutoSource, Type: kept,
		Tags: slices.Clone(c.Tags), AllowedVendors: slices.Clone(c.AllowedVendors), Scope: scopeOf(c),
		ProjectID: c.ProjectID, Supersedes: supersedes}
	if slices.Contains(d.AllowedVendors, loci.AnyVendor) {
		d.AllowedVendors = nil // those of what it supersedes, if these are fewer
	}
	d.Sources = sourcesOf(c, d.AllowedVendors)
	return memory.Promotion{Draft: d, Origin: c.Origin}
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

// sourcesOf returns where the memory comes from: its passage of the notes, and the events. If vendors is nil, they are
// for the vendors of the memory.
func sourcesOf(c *loci.Candidate, vendors []loci.Vendor) []loci.Source {
	text := []rune(c.Content)
	text = text[:min(len(text), loci.MaxQuote)]
	ref := ""
	if !c.SourceID.IsZero() {
		ref = c.SourceID.String()
	}
	list := []loci.Source{{Kind: loci.SourceText, Ref: ref, Text: string(text), AllowedVendors: vendors}}
	for _, e := range c.Evidence {
		if e.EventID != "" && len(list) < loci.MaxCandidateEvidence {
			list = append(list, loci.Source{Kind: loci.SourceEvent, Ref: e.EventID, AllowedVendors: vendors})
		}
	}
	return list
}
