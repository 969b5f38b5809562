package mcpserver_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/review"
)

// TestReflectKeepsThePromisesOfItsSeedOverMCP calls the tool as the three examples of its description do.
func TestReflectKeepsThePromisesOfItsSeedOverMCP(t *testing.T) {
	t.Parallel()
	w := newWorldOf(t, nil)
	_, key := w.key("claude")
	r := w.raw(key, stateless)
	r.must("create_project", `{"name":"crawler"}`)
	for _, tt := range []struct {
		name, args string
		want       []string
		state      loci.ReviewState
		persisted  bool
	}{
		{"debugging", `{"content":"Spent the session debugging the crawler. Found that imports stall when the source has ` +
			`more than 5000 documents. Decided to add resumable jobs. Also noticed the adapter contract should expose a ` +
			`progress callback.","source_title":"Crawler debugging session","intent":"debug","project":"crawler"}`,
			[]string{"decision: Decided to add resumable jobs.",
				"claim: Found that imports stall when the source has more than 5000 documents.",
				"idea: Also noticed the adapter contract should expose a progress callback."}, loci.ReviewPending, false},
		{"storage", `{"content":"Session notes: settled on Surreal-native storage, dropped the Postgres sidecar. Plan is ` +
			`to keep Postgres only for migration rehearsal.","source_title":"Storage architecture session","intent":"decide",` +
			`"project":"crawler","persist":true}`,
			[]string{"decision: settled on Surreal-native storage, dropped the Postgres sidecar.",
				"plan: Plan is to keep Postgres only for migration rehearsal."}, loci.ReviewPromoted, true},
		{"rough ideas", `{"content":"Rough ideas from the planning call, not all confirmed yet.","source_title":"Planning ` +
			`call notes","intent":"plan","project":"crawler","persist":true,"persist_review":true}`,
			[]string{"idea: Rough ideas from the planning call, not all confirmed yet."}, loci.ReviewPending, true},
	} {
		got := r.answered(t, "reflect", strings.TrimSuffix(tt.args, "}")+`,"detail":"full"}`)
		var found []string
		for _, c := range got["candidates"].([]any) {
			c := c.(map[string]any)
			found = append(found, fmt.Sprintf("%s: %s", c["kind"], c["content"]))
			if c["review_state"] != string(tt.state) || (c["persisted_id"] != nil) != tt.persisted {
				t.Errorf("%s: got %v as %v", tt.name, c["review_state"], c["persisted_id"])
			}
			if c["persisted_id"] != nil && tt.state == loci.ReviewPromoted {
				id, err := loci.ParseMemoryID(c["persisted_id"].(string))
				if err != nil {
					t.Fatal(err)
				}
				owner, err := w.auth.Local(t.Context(), "")
				if err != nil {
					t.Fatal(err)
				}
				if m, err := w.app.Memory.Get(t.Context(), owner, id); err != nil || m.Content != c["content"] {
					t.Errorf("%s: the memory is %+v, %v", tt.name, m, err)
				}
			}
		}
		for _, want := range tt.want {
			if !slices.Contains(found, want) {
				t.Errorf("%s: no %q in %q", tt.name, want, found)
			}
		}
		count := 0.
		if tt.persisted {
			count = float64(len(found))
		}
		if got["persisted_count"] != count || (got["source_id"] != nil) != tt.persisted {
			t.Errorf("%s: %v were written, from notes %v", tt.name, got["persisted_count"], got["source_id"])
		}
	}
	owner, err := w.auth.Local(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	counts, err := w.app.Review.Counts(t.Context(), owner, review.ListRequest{})
	if err != nil || counts[loci.ReviewPending] != 1 || counts[loci.ReviewPromoted] < 2 {
		t.Errorf("the queue has %v, %v", counts, err)
	}
}

// TestReflectNeedsAnOrgOverMCP calls the tool as a client that comes with no org, which no credential of Loci does.
func TestReflectNeedsAnOrgOverMCP(t *testing.T) {
	t.Parallel()
	nobody := loci.Principal{Kind: loci.KindAgent, Vendor: "claude", Origin: "claude",
		Rights: []loci.Right{loci.RightRead, loci.RightWrite, loci.RightReflect}}
	w := newWorldOf(t, nil, func(o *mcpserver.Options) {
		o.Open = func(context.Context) (loci.Principal, error) { return nobody, nil }
	})
	text := failure(t, w.raw("", stateless).tool("reflect", `{"content":"We decided to use gin."}`))
	if !strings.HasPrefix(text, "Organization context required") {
		t.Errorf("got %q", text)
	}
}
