package review

import (
	"context"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/language"
)

// The reasons for which only a person accepts a candidate.
const (
	exceptionSensitive     = "sensitive_candidate"
	exceptionInstruction   = "instruction_candidate"
	exceptionDestructive   = "destructive_candidate"
	exceptionContradiction = "contradiction_candidate"
	exceptionSupersession  = "supersession_candidate" // it may replace a memory
	exceptionStale         = "stale_candidate"        // it calls a memory out of date
	exceptionDuplicate     = "duplicate_candidate"
	exceptionUnchecked     = "unchecked_candidate"
	exceptionReaders       = "no_reader"       // its session is open to no assistant any more
	exceptionModel         = "model_candidate" // only a model has found it
)

// waits returns why only a person accepts c. It decides for every surface, for persist and for the dream-cycle.
func waits(c *loci.Candidate) []string { return loci.Unique(append(flagged(c), found(c)...)) }

// flagged returns those of the reasons that c itself gives.
func flagged(c *loci.Candidate) (list []string) {
	sensitive := slices.ContainsFunc(c.SensitivityFlags, func(f string) bool { return f != flagInstruction })
	for _, reason := range []struct {
		holds bool
		name  string
	}{{c.Instructs(), exceptionInstruction}, {sensitive, exceptionSensitive},
		{language.Destroys(c.Title + "\n" + c.Content), exceptionDestructive}, {c.ByModel(), exceptionModel},
		{len(c.AllowedVendors) == 0, exceptionReaders}} {
		if reason.holds {
			list = append(list, reason.name)
		}
	}
	return list
}

// found returns those of the reasons that the checks found.
func found(c *loci.Candidate) (list []string) {
	for _, f := range c.Findings {
		if why := map[loci.FindingKind]string{loci.FindingContradiction: exceptionContradiction,
			loci.FindingSupersession: exceptionSupersession, loci.FindingStale: exceptionStale,
			loci.FindingDuplicate: exceptionDuplicate, loci.FindingUnchecked: exceptionUnchecked}[f.Kind]; why != "" {
			list = append(list, why)
		}
	}
	return list
}

var because = map[string]string{exceptionInstruction: "it reads like an order to a model",
	exceptionSensitive: "it has sensitive text", exceptionDestructive: "it is about deleting memories",
	exceptionModel: "only a model has found it", exceptionReaders: "no assistant may read it",
	exceptionContradiction: "it contradicts a memory", exceptionSupersession: "it may replace a memory",
	exceptionStale: "it calls a memory out of date", exceptionDuplicate: "a memory says the same",
	exceptionUnchecked: "it could not be compared with all memories"}

// onlyPerson returns a Forbidden error unless an agent may accept c.
func onlyPerson(c *loci.Candidate, d Decision) error {
	if len(d.Supersedes) > 0 {
		return loci.Errorf(loci.Forbidden, "cannot replace memories with a candidate: only a person names them; leave "+
			"supersedes out, or save a memory with supersedes")
	}
	var words []string
	for _, why := range waits(c) {
		words = append(words, because[why])
	}
	if len(words) == 0 {
		return nil
	}
	return loci.Errorf(loci.Forbidden, "cannot accept this candidate: %s, so only a person may accept it, in the inbox "+
		"or with `loci review accept %s`", strings.Join(words, ", and "), c.ID.Short())
}

// recheck compares c with what p sees now, in place of what was found before.
func (s *Service) recheck(ctx context.Context, p loci.Principal, c *loci.Candidate) error {
	c.Findings = slices.DeleteFunc(slices.Clone(c.Findings),
		func(f loci.ReflectionFinding) bool { return f.Kind != loci.FindingClaim })
	c.Claims, c.Relations = slices.Clone(c.Claims), slices.Clone(c.Relations)
	for i := range c.Claims {
		claim := &c.Claims[i]
		claim.Contradicts, claim.Supersedes, claim.Validity = []string{}, []string{}, "active"
	}
	err := s.compare(ctx, p, &reading{at: &place{EventAccess: c.EventAccess}, list: []*proposal{{Candidate: c}}})
	c.Relations = loci.Unique(c.Relations)
	return err
}
