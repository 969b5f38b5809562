package review

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Merge makes one candidate of several. The first takes over the texts, evidence, tags and links of the others, which
// are archived. Invalid without others, for too many, and if they are of other projects or readers; otherwise its
// errors are those of Accept.
func (s *Service) Merge(ctx context.Context, p loci.Principal, into loci.CandidateID, others []loci.CandidateID,
	d Decision) (*loci.Candidate, error) {
	if err := s.Begin(ctx, p, Decide); err != nil {
		return nil, err
	}
	others = loci.Unique(others)
	if len(others) == 0 || len(others) > loci.MaxCandidates || slices.Contains(others, into) {
		return nil, loci.FieldErrorf("others", "must be 1 to %d other candidates", loci.MaxCandidates)
	}
	return s.decide(ctx, p, into, d, "merge", func(tx store.Tx, c *loci.Candidate) error {
		if !open(c) {
			return settled(c)
		}
		for _, id := range others {
			o, err := decidable(ctx, tx, p, id, Decision{})
			if err != nil {
				return err
			}
			if err := s.absorb(ctx, tx, p, c, o, d); err != nil {
				return err
			}
		}
		return c.Validate()
	})
}

// absorb adds what o has to c, and archives o.
func (s *Service) absorb(ctx context.Context, tx store.Tx, p loci.Principal, c, o *loci.Candidate, d Decision) error {
	if !open(o) {
		return settled(o)
	}
	if !c.SameAccess(&o.EventAccess) {
		return loci.FieldErrorf("others", "must have the same project and readers as the candidate that they are merged into")
	}
	if !strings.Contains(c.Content, o.Content) {
		c.Content += "\n\n" + o.Content
	}
	c.Evidence = append(c.Evidence, evidenceFor(c, o)...)
	c.Evidence = c.Evidence[:min(len(c.Evidence), loci.MaxCandidateEvidence)]
	c.Tags = loci.Unique(append(c.Tags, o.Tags...))
	c.RawSources = loci.Unique(append(c.RawSources, o.RawSources...))
	c.RelatedTo = loci.Unique(append(c.RelatedTo, o.RelatedTo...))
	c.TaskIDs = loci.Unique(append(c.TaskIDs, o.TaskIDs...))
	c.SensitivityFlags = loci.Unique(append(c.SensitivityFlags, o.SensitivityFlags...))
	takeRecords(c, o)
	c.TakeTrust(o)
	for _, id := range append([]loci.SessionID{o.SessionID}, o.OtherSessions...) {
		if !id.IsZero() && id != c.SessionID {
			c.OtherSessions = loci.Unique(append(c.OtherSessions, id))
		}
	}
	c.Merged = append(c.Merged, o.ID)
	o.State, o.MergedInto, o.DeferredTo = loci.ReviewArchived, c.ID, time.Time{}
	o.Version++
	s.reviewed(o, p, "merge", d.Reason)
	return tx.Candidates().Replace(ctx, o)
}

// evidenceFor returns the evidence of o as that of c, into which it is merged. Passages of notes that were not stored
// cannot be told from those of others, so they go.
func evidenceFor(c, o *loci.Candidate) (list []loci.Evidence) {
	for _, e := range o.Evidence {
		if e.EventID == "" && e.SourceID.IsZero() && o.SourceID != c.SourceID {
			if o.SourceID.IsZero() {
				continue
			}
			e.SourceID = o.SourceID
		}
		list = append(list, e)
	}
	return list
}

// maxRecords is how many findings, claims and relations a candidate has at most after a merge.
const maxRecords = 200

// takeRecords adds to c the findings, claims and relations of o that it has not.
func takeRecords(c, o *loci.Candidate) {
	for _, f := range o.Findings {
		if !slices.ContainsFunc(c.Findings,
			func(own loci.ReflectionFinding) bool { return own.Kind == f.Kind && own.Target == f.Target }) {
			c.Findings = append(c.Findings, f)
		}
	}
	for _, r := range o.Relations {
		if r.Source == o.ID.String() {
			r.Source = c.ID.String()
		}
		if !slices.Contains(c.Relations, r) {
			c.Relations = append(c.Relations, r)
		}
	}
	c.Claims = append(c.Claims, o.Claims...)
	c.Findings = c.Findings[:min(len(c.Findings), maxRecords)]
	c.Relations = c.Relations[:min(len(c.Relations), maxRecords)]
	c.Claims = c.Claims[:min(len(c.Claims), maxRecords)]
}
