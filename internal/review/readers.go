package review

import (
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// forReader takes out of candidates what p may not see: what the checks found about memories that are hidden from p
// and, unless p decides about a candidate, why it waits. The candidates were compared with what their writer sees.
func forReader(ctx context.Context, tx store.Tx, p loci.Principal, list ...*loci.Candidate) error {
	states := loci.LiveOnly
	if p.Vendor == "" {
		states = loci.AnyState // people look up what was superseded
	}
	sees := map[string]bool{}
	var ids []loci.MemoryID
	for _, c := range list {
		for _, f := range c.Findings {
			if id, err := loci.ParseID[struct{}](f.Target); err == nil && f.TargetType == "memory" {
				ids = append(ids, loci.MemoryID(id))
			}
		}
	}
	for some := range slices.Chunk(loci.Unique(ids), loci.MaxIDs) {
		found, err := tx.Memories().GetMany(ctx, p.Viewer(), some, states)
		if err != nil {
			return err
		}
		for _, m := range found {
			sees[m.ID.String()] = true
		}
	}
	for _, c := range list {
		c.Findings = slices.DeleteFunc(c.Findings, func(f loci.ReflectionFinding) bool {
			return f.TargetType == "memory" && !sees[f.Target] || f.TargetType == "entity" && !owns(p, c)
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
		if !owns(p, c) {
			c.Exceptions, c.Attempts, c.NextAttempt = nil, 0, time.Time{}
		}
	}
	return nil
}
