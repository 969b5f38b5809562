package rest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/rest"
)

// theRules lets a server read notes as it does without a model.
func theRules(_ *rest.Options, ao *app.Options) { ao.Extractor = nil }

// kindsOf lists the candidates as "kind: content".
func kindsOf(r *loci.Reflected) (list []string) {
	for _, c := range r.Candidates {
		list = append(list, fmt.Sprintf("%s: %s", c.Kind, c.Content))
	}
	return list
}

// TestReflectKeepsThePromisesOfItsSeed sends the three examples of the text that describes reflect. It must find what
// that text promises: a decision, a claim and an idea; what was settled and what is planned, as memories; and rough
// ideas, of which nothing is decided, in the queue.
func TestReflectKeepsThePromisesOfItsSeed(t *testing.T) {
	t.Parallel()
	s := newServer(t, theRules)
	var in loci.Project
	decode(t, s.expect(t, 201, owner, `POST /projects {"name":"crawler"}`), &in)
	reflect := func(body string) *loci.Reflected {
		t.Helper()
		var r loci.Reflected
		decode(t, s.expect(t, 200, claude, `POST /api/context/reflect {"project":"`+in.ID.String()+`",`+body+"}"), &r)
		if r.Project == nil || *r.Project != in.ID.String() || r.Total != len(r.Candidates) {
			t.Errorf("got project %v and %d candidates", r.Project, r.Total)
		}
		return &r
	}
	var none client.CandidateList

	read := reflect(`"content":"Spent the session debugging the crawler. Found that imports stall when the source has ` +
		`more than 5000 documents. Decided to add resumable jobs. Also noticed the adapter contract should expose a ` +
		`progress callback.","source_title":"Crawler debugging session","intent":"debug"`)
	for _, want := range []string{"decision: Decided to add resumable jobs.",
		"claim: Found that imports stall when the source has more than 5000 documents.",
		"idea: Also noticed the adapter contract should expose a progress callback."} {
		if got := kindsOf(read); !slices.Contains(got, want) {
			t.Errorf("debugging: no %q in %q", want, got)
		}
	}
	decode(t, s.expect(t, 200, owner, "GET /review/candidates?state=all"), &none)
	if read.PersistedCount != 0 || read.SourceID != nil || len(none.Candidates) > 0 {
		t.Errorf("debugging: it wrote %v", none.Candidates)
	}

	kept := reflect(`"content":"Session notes: settled on Surreal-native storage, dropped the Postgres sidecar. Plan is ` +
		`to keep Postgres only for migration rehearsal.","source_title":"Storage architecture session","intent":"decide",` +
		`"persist":true`)
	for _, want := range []string{"decision: settled on Surreal-native storage, dropped the Postgres sidecar.",
		"plan: Plan is to keep Postgres only for migration rehearsal."} {
		at := slices.Index(kindsOf(kept), want)
		if at < 0 {
			t.Errorf("storage: no %q in %q", want, kindsOf(kept))
			continue
		}
		var m loci.Memory
		decode(t, s.expect(t, 200, owner, "GET /memories/"+*kept.Candidates[at].PersistedID), &m)
		if m.Content != kept.Candidates[at].Content || m.ProjectID != in.ID || kept.Candidates[at].State !=
			loci.ReviewPromoted {
			t.Errorf("storage: the memory is %+v", m)
		}
	}
	if kept.PersistedCount != len(kept.Candidates) || kept.SourceID == nil {
		t.Errorf("storage: %d of %d candidates were written", kept.PersistedCount, len(kept.Candidates))
	}

	rough := reflect(`"content":"Rough ideas from the planning call, not all confirmed yet.","source_title":` +
		`"Planning call notes","intent":"plan","persist":true,"persist_review":true`)
	if got, want := kindsOf(rough), "idea: Rough ideas from the planning call, not all confirmed yet."; len(got) != 1 ||
		got[0] != want || rough.Candidates[0].State != loci.ReviewPending || rough.PersistedCount != 1 {
		t.Errorf("rough ideas: got %q, want %q in the queue", got, want)
	}
	var queue client.CandidateList
	decode(t, s.expect(t, 200, owner, "GET /review/candidates"), &queue)
	if len(queue.Candidates) != 1 || queue.Candidates[0].ID != rough.Candidates[0].ID {
		t.Errorf("the queue has %+v", queue)
	}
}
