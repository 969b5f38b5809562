package review

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
)

// records adds the claim that a candidate makes, and the relations that the extractor found.
func (r *reading) records(c *loci.Candidate, f *reflection.Candidate) {
	id := c.ID.String()
	if c.Kind == loci.CandidateClaim {
		claim := loci.ClaimRecord{ID: id + "/claim", Title: c.Title, Content: c.Content, Confidence: c.Confidence,
			RawSources: []string{}, Scope: c.SuggestedScope, Validity: "active",
			Freshness: "current", Supports: []string{}, Contradicts: []string{}, Supersedes: []string{}}
		if c.SuggestedScopeKey != nil {
			claim.ScopeKey = *c.SuggestedScopeKey
		}
		c.Claims = append(c.Claims, claim)
		c.Findings = append(c.Findings, loci.ReflectionFinding{ID: id + "/" + string(loci.FindingClaim),
			Kind:   loci.FindingClaim,
			Target: claim.ID, TargetType: "candidate", Reason: "The notes state it as a fact.", Confidence: c.Confidence,
			Action: "none", Reversible: true})
	}
	if !c.ProjectID.IsZero() {
		c.Relations = append(c.Relations, loci.RelationshipRecord{Source: id, Target: c.ProjectID.String(),
			Type: "BELONGS_TO", Reason: "The notes are about this project", Confidence: 1})
	}
	for _, t := range c.TaskIDs {
		c.Relations = append(c.Relations, loci.RelationshipRecord{Source: id, Target: t.String(), Type: "PART_OF_TASK",
			Reason: "The notes belong to this task", Confidence: 1})
	}
	for _, other := range c.RelatedTo {
		c.Relations = append(c.Relations, loci.RelationshipRecord{Source: id, Target: other, Type: "RELATED_TO",
			Reason: "The sender of the notes linked it", Confidence: 1})
	}
	for _, rel := range r.found.Relations {
		if rel.From.Start < f.End && f.Start < rel.From.End && !r.secret(rel.To.Start, rel.To.End) {
			c.Relations = append(c.Relations, r.relation(c, rel))
		}
	}
}

// secret reports whether a part of the notes has something that Loci does not store.
func (r *reading) secret(start, end int) bool {
	return slices.ContainsFunc(r.matches, func(m sensitive.Match) bool {
		return m.Type.Redacted() && m.Start < end && start < m.End
	})
}

// inNotes are the types of relations that an extractor finds, with what they mean.
var inNotes = map[string]struct{ kind, reason string }{
	reflection.OwnedBy:     {"OWNED_BY", "The notes say who does it"},
	reflection.Due:         {"DUE", "The notes say when it is due"},
	reflection.Mentions:    {mentions, "The notes name it there"},
	reflection.Supersedes:  {"SUPERSEDES", "The notes say that it takes the place of this"},
	reflection.Contradicts: {"CONTRADICTS", "The notes say the opposite elsewhere"},
	reflection.Because:     {"BECAUSE", "The notes give this as the reason"},
}

// relation returns a relation of the notes. If it leads to another candidate, its target is the id of that.
func (r *reading) relation(c *loci.Candidate, rel reflection.Relation) loci.RelationshipRecord {
	as := inNotes[rel.Type]
	out := loci.RelationshipRecord{Source: c.ID.String(), Target: r.clean(rel.Value), Type: as.kind,
		Reason:     as.reason,
		Confidence: 0.8, Text: r.passage(rel.To.Start, rel.To.End)}
	if as.kind != "SUPERSEDES" && as.kind != "CONTRADICTS" && as.kind != "BECAUSE" {
		return out
	}
	for i := range r.found.Candidates {
		if other := &r.found.Candidates[i]; other.Start <= rel.To.Start && rel.To.End <= other.End {
			out.Target = r.idOf(other.ID).String()
		}
	}
	return out
}

// extractorVersion increases when the same notes may have other candidates.
const extractorVersion = "1"

// metadata says how the candidate was found.
func (r *reading) metadata(f *reflection.Candidate) json.RawMessage {
	m := map[string]any{"reflection_source_title": r.notes.SourceTitle, "reflection_intent": r.notes.Intent,
		"extractor_kind": "rules", "extractor_version": extractorVersion,
		"span": map[string]int{"start": f.Start, "end": f.End, "char_start": f.RuneStart, "char_end": f.RuneEnd}}
	if f.Proposed {
		m["extractor_kind"] = loci.FoundByModel
	}
	if f.Cue.Text != "" {
		m["cue"], m["cue_list"] = r.clean(f.Cue.Text), f.Cue.Name
		m["cue_span"] = map[string]int{"start": f.Cue.Start, "end": f.Cue.End}
	}
	if f.Speaker != "" {
		m["speaker"] = r.clean(f.Speaker)
	}
	if f.Negative {
		m["polarity"] = "negative"
	}
	if !r.at.ProjectID.IsZero() {
		m["project_id"] = r.at.ProjectID
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil // these values have a form in JSON
	}
	return text
}

// tagOf returns a domain as a tag: in lower case, with hyphens.
func tagOf(domain string) string {
	return strings.Join(strings.Fields(strings.ToLower(domain)), "-")
}

// named returns the names of entities that the extractor found in the candidate.
func (c *proposal) named() (names []string) {
	for _, r := range c.Relations {
		if r.Type == mentions {
			names = append(names, r.Target)
		}
	}
	return names
}

// mentions is the type of a relation to something that the notes name.
const mentions = "MENTIONS"

func (c *proposal) mentions(name string) bool {
	return slices.ContainsFunc(c.named(), func(n string) bool { return strings.EqualFold(n, name) })
}

// mostListed is how many passages an answer lists, of those that were left out and of the sensitive ones.
const mostListed = 200

// leastRepeated is how long a secret must be for its repetitions to be taken for it.
const leastRepeated = 6

// everywhere adds to the secrets that were found in a text the other places that have the same, without the words that
// tell what it is.
func everywhere(text string, matches []sensitive.Match) []sensitive.Match {
	all := slices.Clone(matches)
	seen := map[string]bool{}
	for _, m := range matches {
		value := text[m.Start:m.End]
		if !m.Type.Redacted() || len(value) < leastRepeated || seen[value] || len(seen) >= mostListed {
			continue
		}
		seen[value] = true
		for at := 0; len(all) < 10*mostListed; {
			i := strings.Index(text[at:], value)
			if i < 0 {
				break
			}
			start := at + i
			at = start + len(value)
			if !slices.ContainsFunc(all, func(o sensitive.Match) bool { return o.Start < at && start < o.End }) {
				all = append(all, sensitive.Match{Type: m.Type, Start: start, End: at})
			}
		}
	}
	slices.SortFunc(all, func(a, b sensitive.Match) int { return cmp.Compare(a.Start, b.Start) })
	return all
}

// clean returns a text that was made of the notes without their secrets.
func (r *reading) clean(text string) string {
	text = withoutSecrets(text)
	for _, m := range r.matches[:min(len(r.matches), mostListed)] {
		if value := r.notes.Content[m.Start:m.End]; m.Type.Redacted() && len(value) >= leastRepeated {
			text = strings.ReplaceAll(text, value, "[redacted "+string(m.Type)+"]")
		}
	}
	return text
}
