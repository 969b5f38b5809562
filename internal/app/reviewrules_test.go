package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/review"
)

// newRules returns a desk whose notes are read as those of a real server without a model.
func newRules(t testing.TB) *desk {
	d := newDesk(t)
	d.App = app.New(app.Options{Store: d.st, Now: d.clock, Deletion: loci.DeleteWithKey})
	d.must(second(d.Review.Reject(t.Context(), d.owner, d.candidate, review.Decision{})))
	return d
}

// TestNotesNameEntities requires that what the notes name is found in the graph of their project, compared with what is
// known about it, and related to what the candidate becomes.
func TestNotesNameEntities(t *testing.T) {
	t.Parallel()
	d := newRules(t)
	ctx := t.Context()
	put, err := d.Graph.CreateEntities(ctx, d.mara, d.project, nil,
		[]loci.NewEntity{ent("Postgres", "database", "Postgres listens on port 5432.")})
	d.must(err)
	known := put[0].Entity.ID.String()
	r := d.reflect(d.mara, review.Notes{Project: d.project.String(), Persist: true, PersistReview: true,
		Content: "We decided to use Postgres for the queue. " +
			"Turns out that Postgres listens on port 5433 on every machine."})
	if len(r.Candidates) != 2 {
		t.Fatalf("got %s", r.Markdown)
	}
	for _, c := range r.Candidates {
		for _, want := range []string{"MENTIONS Postgres", "RELATED_TO " + known, "BELONGS_TO " + d.project.String()} {
			if !slices.ContainsFunc(c.Relations, func(r loci.RelationshipRecord) bool {
				return r.Type+" "+r.Target == want && r.Reason != ""
			}) {
				t.Errorf("%s is not related by %s: %+v", c.Content, want, c.Relations)
			}
		}
		conflict := slices.ContainsFunc(c.Findings, func(f loci.ReflectionFinding) bool {
			return f.Kind == loci.FindingContradiction && f.Target == known && f.TargetType == "entity"
		})
		if conflict != strings.Contains(c.Content, "5433") {
			t.Errorf("%s: the findings are %+v", c.Content, c.Findings)
		}
	}
	at := slices.IndexFunc(r.Candidates, func(c loci.ReflectedCandidate) bool { return c.Kind == loci.CandidateDecision })
	decided := r.Candidates[at]
	d.must(second(d.Review.Accept(ctx, d.mara, decided.ID, review.Decision{})))
	about, err := d.Graph.Entity(ctx, d.mara, d.project, graph.Which{EntityRef: loci.EntityRef{Name: decided.Title,
		Type: "decision"}})
	d.must(err)
	if len(about.Observations) != 1 || about.Observations[0].Content != decided.Content {
		t.Errorf("the graph has %+v", about)
	}
	page, err := d.Graph.Read(ctx, d.mara, d.project, graph.ListRequest{})
	d.must(err)
	if len(page.Relations) != 1 || page.Relations[0].Type != "RELATED_TO" || page.Relations[0].ToID != put[0].Entity.ID {
		t.Errorf("the relations are %+v", page.Relations)
	}
}

// TestOnlyTheGraphOfAProjectIsCompared requires that notes without a project, and those of a credential that may not
// read graphs, have no finding about a graph, and that the audit trail has no rejected read.
func TestOnlyTheGraphOfAProjectIsCompared(t *testing.T) {
	t.Parallel()
	d := newRules(t)
	reflects := d.stage.key(d.mara, auth.KeyRequest{Rights: []loci.Right{loci.RightReflect}})
	d.st.entries = nil
	for name, tt := range map[string]struct {
		who     loci.Principal
		project string
	}{"no project": {d.mara, ""}, "no right to read": {reflects, d.project.String()}} {
		r := d.reflect(tt.who, review.Notes{Content: "We decided to use Postgres for the queue.", Project: tt.project})
		if len(r.Candidates) != 1 || !strings.Contains(fmt.Sprint(r.Candidates[0].Relations), "MENTIONS") ||
			strings.Contains(fmt.Sprint(r.Candidates[0].Findings), "graph") {
			t.Errorf("%s: got %+v", name, r.Candidates)
		}
	}
	if slices.ContainsFunc(d.st.entries, func(e loci.AuditEntry) bool { return !e.Allowed }) {
		t.Errorf("the audit trail has %+v", d.st.entries)
	}
}

// TestEveryRelationHasAType requires that no relation of notes comes out without its type and a reason for it.
func TestEveryRelationHasAType(t *testing.T) {
	t.Parallel()
	d := newRules(t)
	r := d.reflect(d.claude, review.Notes{Limit: loci.MaxCandidates, Content: "At first we chose Kafka for the event " +
		"bus. After two days we switched to NATS because one binary is enough.\n\nAna will write the runbook by Friday.\n\n" +
		"We decided to deploy on Tuesdays only. The reason is that Fridays went wrong twice.\n"})
	types := map[string]bool{}
	for _, c := range r.Candidates {
		for _, rel := range c.Relations {
			if types[rel.Type] = true; rel.Type == "" || rel.Reason == "" || rel.Target == "" {
				t.Errorf("%s: got %+v", c.Content, rel)
			}
		}
	}
	for _, want := range []string{"OWNED_BY", "DUE", "MENTIONS", "SUPERSEDES", "BECAUSE"} {
		if !types[want] {
			t.Errorf("no relation is %s: %v", want, types)
		}
	}
}
