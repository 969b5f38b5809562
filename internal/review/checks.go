package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/language"
	"github.com/loci-memory/loci/internal/reflection"
)

// compareWith is how many of the best matches each candidate is compared with.
const compareWith = 12

// compare adds to the candidates what checks of the visible memories, and of the project's graph, found. A check that
// failed, or could not look at everything, is a finding, too: it never counts as "no conflict".
func (s *Service) compare(ctx context.Context, p loci.Principal, r *reading) error {
	if len(r.list) == 0 {
		return nil
	}
	texts, known := make([]string, len(r.list)), readMemories{}
	for i, c := range r.list {
		texts[i] = c.Content
	}
	for i, related := range s.memories.RelatedTo(ctx, p, texts, compareWith) {
		r.list[i].compareWith(related.Memories, known)
		if related.Partial {
			r.list[i].unchecked("Loci could not compare it with all memories that you see")
		}
	}
	s.compareGraph(ctx, p, r)
	return ctx.Err()
}

// mostCompared is how many bytes of a text are compared. A statement that replaces or denies another is short.
const mostCompared = 4_000

// readMemories are memories as they are compared, each read once.
type readMemories map[loci.MemoryID][2]*reflection.Statement

func (r readMemories) of(m *loci.Memory) (content, whole *reflection.Statement) {
	both, known := r[m.ID]
	if !known {
		text := head(m.Content, mostCompared)
		both = [2]*reflection.Statement{reflection.Prepare(text), reflection.Prepare(m.Title + "\n" + text)}
		r[m.ID] = both
	}
	return both[0], both[1]
}

// compareWith adds a finding for each memory that the candidate relates to.
func (c *proposal) compareWith(memories []*loci.Memory, read readMemories) {
	own, outdated := reflection.Prepare(head(c.Content, mostCompared)), reflection.Outdated(head(c.Content, mostCompared))
	for _, m := range memories {
		content, whole := read.of(m)
		v := content.Relate(own)
		if v.Bond == reflection.Unrelated { // the title may say what the content is about
			v = whole.Relate(own)
		}
		stale := slices.ContainsFunc(outdated, func(o reflection.Outdating) bool {
			return o.ID == m.ID.String() || o.Outdates(whole)
		})
		c.add(v, stale, loci.ReflectionFinding{Target: m.ID.String(), TargetType: "memory", Title: m.Title})
	}
}

// add adds the finding of a comparison with the target of f. stale says that the candidate calls it out of date.
func (c *proposal) add(v reflection.Verdict, stale bool, f loci.ReflectionFinding) {
	f.Reason, f.Confidence, f.Reversible = v.Reason, v.Score, true
	switch v.Bond {
	case reflection.Duplicate:
		f.Kind, f.Action = loci.FindingDuplicate, "mark_duplicate"
	case reflection.UpdateSupersedes:
		f.Kind, f.Action = loci.FindingSupersession, "route_to_review" // nothing is replaced by itself
	case reflection.Contradiction:
		f.Kind, f.Action = loci.FindingContradiction, "route_to_review"
	case reflection.Refinement:
		f.Kind, f.Action = loci.FindingRefinement, "none"
	case reflection.Unrelated:
		if !stale {
			return
		}
		f.Kind, f.Action, f.Confidence = loci.FindingStale, "route_to_review", 0.8
		f.Reason = "The notes say that what this memory is about is out of date."
	}
	c.found(f)
}

func (c *proposal) found(f loci.ReflectionFinding) {
	f.ID = fmt.Sprintf("%s/%s/%s", c.ID, f.Kind, f.Target)
	c.Findings = append(c.Findings, f)
	if f.Kind != loci.FindingContradiction && f.Kind != loci.FindingSupersession {
		return
	}
	for i := range c.Claims {
		claim := &c.Claims[i]
		if f.Kind == loci.FindingSupersession {
			claim.Supersedes = append(claim.Supersedes, f.Target)
			continue
		}
		claim.Contradicts, claim.Validity = append(claim.Contradicts, f.Target), "contested"
	}
}

func (c *proposal) unchecked(reason string) {
	c.found(loci.ReflectionFinding{Kind: loci.FindingUnchecked, Reason: reason, Action: "check_again", Reversible: true})
}

// maxNamedEntities is how many names of one reflection are looked for in the graph.
const maxNamedEntities = 50

// compareGraph looks for what the candidates name in the graph of their project.
func (s *Service) compareGraph(ctx context.Context, p loci.Principal, r *reading) {
	if r.at.ProjectID.IsZero() || s.May(p, graph.Read) != nil {
		return
	}
	var refs []loci.EntityRef
	for _, c := range r.list {
		for _, name := range c.named() {
			if len(refs) < maxNamedEntities {
				refs = append(refs, loci.EntityRef{Name: name})
			}
		}
	}
	if len(refs) == 0 {
		return
	}
	found, err := s.graphs.OpenEntities(ctx, p, r.at.ProjectID, loci.Unique(refs))
	for _, c := range r.list {
		if len(c.named()) == 0 {
			continue
		}
		if err != nil {
			c.unchecked("Loci could not compare it with the graph of the project")
			continue
		}
		c.compareEntities(found.Entities)
	}
}

// compareEntities relates a candidate to the entities that it names, and compares it with what is known of them.
func (c *proposal) compareEntities(entities []loci.Entity) {
	own := reflection.Prepare(c.Content)
	for _, e := range entities {
		if !c.mentions(e.Name) {
			continue
		}
		c.Relations = append(c.Relations, loci.RelationshipRecord{Source: c.ID.String(), Target: e.ID.String(),
			Type: "RELATED_TO", Reason: "It names this entity of the project's graph", Confidence: 0.9, Text: e.Name})
		for _, o := range e.Observations {
			v := reflection.Prepare(o.Content).Relate(own)
			if v.Bond == reflection.Contradiction || v.Bond == reflection.UpdateSupersedes {
				c.add(v, false, loci.ReflectionFinding{Target: e.ID.String(), TargetType: "entity", Title: e.Name})
			}
		}
	}
}

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
