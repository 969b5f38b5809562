package rest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

func init() { theRoutes = append(theRoutes, "POST /dream", "GET /dream/runs", "GET /dream/runs/{id}") }

// TestDreamOverREST logs an event, runs the dream-cycle, and reads the receipt.
func TestDreamOverREST(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if w := s.do("POST", "/events", claude,
		`{"memory_type":"decision","content":"We use Postgres for the event store."}`); w.Code != 201 {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	run := func(body string) (d loci.Dream) {
		t.Helper()
		w := s.do("POST", "/api/v1/dream", owner, body)
		if err := json.Unmarshal(w.Body.Bytes(), &d); err != nil || w.Code != 200 {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
		return d
	}
	if d := run(`{"dry_run":true}`); !d.DryRun || d.Promoted != 0 || d.WouldPromote != 1 || d.Proposed != 1 {
		t.Errorf("a dry run: %+v", d)
	}
	done := run(`{}`)
	if done.State != loci.DreamDone || done.Promoted != 1 || len(done.PromotedIDs) != 1 || done.Events != 1 {
		t.Errorf("the receipt is %+v", done)
	}
	var list client.DreamList
	w := s.do("GET", "/api/v1/dream/runs?limit=5", owner, "")
	if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil || len(list.Runs) != 1 || list.Runs[0].ID != done.ID {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	w = s.do("GET", fmt.Sprintf("/api/v1/dream/runs/%s", done.ID), owner, "")
	if w.Code != 200 || !strings.Contains(w.Body.String(), done.PromotedIDs[0].String()) ||
		strings.Contains(w.Body.String(), "Postgres") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	for what, want := range map[string]int{"GET /dream/runs/00000000-0000-4000-8000-000000000000": 404,
		"GET /dream/runs/x": 400, "GET /dream/runs?cursor=x": 400, `POST /dream {"dry":true}`: 400} {
		if w := s.request(owner, what); w.Code != want {
			t.Errorf("%s: got %d %s, want %d", what, w.Code, w.Body, want)
		}
	}
}
