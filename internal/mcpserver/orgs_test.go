package mcpserver_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/test/random"
)

// TestOtherOrgIsAbsent fills two orgs, each with a team and memories for three
// vendors. MCP must not reveal anything about the other org: the answers about its
// memories must be the same as for missing ids.
func TestOtherOrgIsAbsent(t *testing.T) {
	t.Parallel()
	for _, version := range []string{stateful, stateless} {
		w := newWorld(t)
		orgs := []loci.Principal{w.owner, w.person("bravo", "b@bravo.example")}
		markers, ids := []string{"alphamarker", "bravomarker"}, [2][]loci.MemoryID{}
		readers := [2][]*raw{}
		for i, p := range orgs {
			w.team(markers[i]+" team", p)
			p, _ = w.auth.LocalAs(context.Background(), p.OrgID, p.UserID) // with its team
			for _, v := range someVendors {
				for _, allowed := range [][]loci.Vendor{{"*"}, {v}} {
					m, err := w.app.Memory.Create(context.Background(), p,
						memory.Draft{Title: markers[i] + " alpha beta", Content: "alpha gamma " + markers[i],
							Tags: []string{"red", markers[i]}, AllowedVendors: allowed})
					if err != nil {
						t.Fatal(err)
					}
					if _, err := w.app.Memory.Share(context.Background(), p, m.ID); err != nil {
						t.Fatal(err)
					}
					ids[i] = append(ids[i], m.ID)
				}
				_, key := w.keyOf(p, v)
				readers[i] = append(readers[i], w.raw(key, version))
			}
		}
		w.clock.freeze()
		for i := range orgs {
			for _, r := range readers[i] {
				ghost := loci.NewMemoryID()
				want := everything(r, ghost)
				if !strings.Contains(want, markers[i]) {
					t.Errorf("over %s, org %d sees nothing of its own", version, i)
				}
				for _, id := range ids[1-i][:random.Rounds(len(ids[1-i]), 2)] {
					got := strings.ReplaceAll(everything(r, id), id.String(), ghost.String())
					got = strings.ReplaceAll(got, id.Short(), ghost.Short())
					if strings.Contains(got, markers[1-i]) {
						t.Fatalf("over %s, org %d sees what is in the other:\n%s", version, i, got)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("over %s, org %d: an id of the other org (+) is not answered like one that never was (-):\n%s", version,
							i, diff)
					}
				}
			}
		}
	}
}

// TestLimitOverMCP checks that a rate-limited request gets JSON-RPC that says when
// to retry, with and without a credential.
func TestLimitOverMCP(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 15, 0, time.UTC)
	w := newWorld(t, func(o *mcpserver.Options) {
		o.Gate.Limiter = auth.NewLimiter(
			auth.LimitOptions{PerPrincipal: 2, PerAddress: 1, Now: func() time.Time { return now }})
	})
	_, key := w.key("claude")
	for _, tt := range []struct {
		key    loci.Secret
		passes int
	}{{key, 2}, {"loci_agent_guess", 1}} {
		r := &raw{w: w, key: tt.key, version: stateless}
		for range tt.passes {
			if a := r.call("tools/list", "{}"); a.status == 429 || a.header.Get("RateLimit") == "" {
				t.Errorf("got %d with RateLimit %q", a.status, a.header.Get("RateLimit"))
			}
		}
		a := r.call("tools/list", "{}")
		var m struct {
			JSONRPC string
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal([]byte(a.body), &m); err != nil || a.status != 429 || a.header.Get("Retry-After") != "45" ||
			m.JSONRPC != "2.0" || m.Error.Code != -32000 || !strings.Contains(m.Error.Message, "45 seconds") {
			t.Errorf("beyond the limit: got %d %s, Retry-After %q", a.status, a.body, a.header.Get("Retry-After"))
		}
	}
}
