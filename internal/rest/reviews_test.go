package rest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
)

// candidates reflects notes and returns the candidates that wait, with the id of the stored notes.
func (s *server) candidates(tb testing.TB, key string, lines ...string) (list []loci.ReflectedCandidate,
	source string) {
	tb.Helper()
	body := fmt.Sprintf(`{"content":%q,"persist":true,"persist_review":true}`, strings.Join(lines, "\n"))
	var r loci.Reflected
	decode(tb, s.expect(tb, 200, key, "POST /context/reflect "+body), &r)
	if len(r.Candidates) != len(lines) || r.PersistedCount != len(lines) || r.SourceID == nil {
		tb.Fatalf("got %d candidates, of which %d are stored: %+v", len(r.Candidates), r.PersistedCount, r)
	}
	return r.Candidates, *r.SourceID
}

func TestReflectReadsUnlessItIsToWrite(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const notes = `"content":"decision: Deploy on Tuesdays\nclaim: The token is ghp_` +
		`16C7e42F292c6912E7710c838347Ae178B4a","source_title":"Planning","intent":"decide","domain":"releases"`
	for _, path := range []string{"/api/context/reflect", "/api/v1/context/reflect", "/context/reflect"} {
		var r map[string]any
		decode(t, s.expect(t, 200, claude, "POST "+path+" {"+notes+"}"), &r)
		if r["source_id"] != nil || r["project"] != nil || r["persisted_count"] != 0. || r["total_candidates"] != 2. ||
			r["intent"] != "decide" || r["domain"] != "releases" || r["source_title"] != "Planning" {
			t.Errorf("%s: got %v", path, r)
		}
		first := r["candidates"].([]any)[0].(map[string]any)
		for _, field := range []string{"kind", "title", "content", "reason", "confidence", "tags", "metadata",
			"raw_source_ids", "suggested_memory_scope", "suggested_scope_key", "review_state", "persisted_id", "claim_records",
			"reflection_findings", "relationship_records", "sensitivity_flags"} {
			if _, there := first[field]; !there {
				t.Errorf("%s: the candidate has no %s: %v", path, field, first)
			}
		}
	}
	var list client.CandidateList
	if decode(t, s.expect(t, 200, owner, "GET /review/candidates?state=all"), &list); len(list.Candidates) > 0 {
		t.Errorf("a call without persist wrote %v", list.Candidates)
	}
	w := s.expect(t, 200, claude, `POST /context/reflect {"persist":true,`+notes+"}")
	var r loci.Reflected
	if decode(t, w, &r); r.PersistedCount != 2 || r.SourceID == nil || strings.Contains(w.Body.String(), "ghp_16C7") {
		t.Errorf("got %s", w.Body)
	}
	if first := r.Candidates[0]; first.State != loci.ReviewPromoted || first.PersistedID == nil {
		t.Errorf("got %+v, want a memory", first)
	}
	if w := s.expect(t, 200, owner, "GET /reflections/"+*r.SourceID); strings.Contains(w.Body.String(), "ghp_16C7") ||
		!strings.Contains(w.Body.String(), "Deploy on Tuesdays") {
		t.Errorf("got %s", w.Body)
	}
	s.expect(t, 404, cursor, "GET /reflections/"+absent)
	if decode(t, s.expect(t, 200, owner, "GET /review/candidates"), &list); len(list.Candidates) != 1 ||
		list.Counts[loci.ReviewPromoted] != 1 || list.Counts[loci.ReviewPending] != 1 {
		t.Errorf("the secret waits for a person: got %+v", list)
	}
}

func TestReflectRefusesBadNotes(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for body, want := range map[string]string{
		`{}`:                                  "content is required",
		`{"content":""}`:                      "content must not be empty",
		`{"content":"x","limit":26}`:          "limit must be at most 25",
		`{"content":"x","limit":0}`:           "limit must be at least 1",
		`{"content":"x","intent":"guess"}`:    "intent must be one of",
		`{"content":"x","persist":"yes"}`:     "persist must be true or false",
		`{"content":"x","surprise":1}`:        "surprise is an unknown field",
		`{"content":"x","project":"none"}`:    "project",
		`{"content":"x","related_to":["x"]}`:  "related_to must be the ids of memories",
		`{"content":"x","task_ids":["x"]}`:    "task_ids must be the ids of tasks that this credential may see",
		`{"content":"x","source_title":null}`: "",
		`{"content":"x","allowed_vendors":null}`: `allowed_vendors must be a list; leave it out or send ["*"] for ` +
			"every vendor",
	} {
		w := s.request(owner, "POST /context/reflect "+body)
		if want == "" {
			continue
		}
		if w.Code != 400 || !strings.Contains(strings.ReplaceAll(w.Body.String(), `\"`, `"`), want) {
			t.Errorf("%s: got %d %s, want %q", body, w.Code, w.Body, want)
		}
	}
	long := strings.Repeat("a", 1<<20-100)
	if w := s.do("POST", "/context/reflect", owner, `{"content":"`+long+`"}`); w.Code != 400 {
		t.Errorf("more than 1,000,000 characters: got %d %.200s", w.Code, w.Body)
	}
	if w := s.do("POST", "/context/reflect", owner, `{"content":"`+strings.Repeat("記", 600_000)+`"}`); w.Code != 200 {
		t.Errorf("1.8 MB of fewer characters: got %d %.200s", w.Code, w.Body)
	}
	if w := s.do("POST", "/context/reflect", owner, `{"content":"`+long+long+long+`"}`); w.Code != 413 ||
		!strings.Contains(w.Body.String(), "2097152 bytes") {
		t.Errorf("more than 2 MiB: got %d %.200s", w.Code, w.Body)
	}
}

func TestReflectSaysTheErrorsOfItsSeed(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var mine, other loci.Project
	decode(t, s.expect(t, 201, owner, `POST /projects {"name":"website"}`), &mine)
	decode(t, s.expect(t, 201, owner, `POST /projects {"name":"billing"}`), &other)
	_, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Vendor: "claude",
		Rights: []loci.Right{loci.RightRead, loci.RightWrite, loci.RightReflect}, ProjectIDs: []loci.ProjectID{mine.ID}})
	for _, tt := range []struct {
		body string
		code int
		want string
	}{
		{`{"content":"x"}`, 200, ""},
		{`{"content":"x","persist":true}`, 400, "Project is required when MCP credentials are project-scoped"},
		{`{"content":"x","persist":true,"project":"website"}`, 200, ""},
		{`{"content":"x","persist":true,"project":"billing"}`, 403, "api_key_memory_space_denied"},
		{`{"content":"x","project":"` + other.ID.String() + `"}`, 403, "api_key_memory_space_denied"},
		{`{"content":"x","project":"nowhere"}`, 403, "api_key_memory_space_denied"},
	} {
		if w := s.request(key, "POST /context/reflect "+tt.body); w.Code != tt.code ||
			!strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s: got %d %s, want %d %s", tt.body, w.Code, w.Body, tt.code, tt.want)
		}
	}
	for _, unknown := range []string{"", "loci_live_unknown"} {
		for _, path := range []string{"/api/context/reflect", "/api/v1/context/reflect", "/context/reflect"} {
			w := s.request(unknown, "POST "+path+` {"content":"x"}`)
			if w.Code != 401 || !strings.Contains(w.Body.String(), `"error":"Organization context required`) ||
				w.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s with key %q: got %d %s", path, unknown, w.Code, w.Body)
			}
		}
	}
}

func TestReviewOverREST(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	list, source := s.candidates(t, claude, "decision: Deploy on Tuesdays", "claim: Fridays went wrong twice",
		"idea: Try canaries", "plan: Write the runbook", "claim: It rains")
	at := func(i int) string { return "/review/candidates/" + list[i].ID.String() }

	var shown loci.ShownCandidate
	w := s.expect(t, 200, owner, "GET "+at(0))
	if decode(t, w, &shown); w.Header().Get("ETag") != `"1"` || len(shown.Passages) != 1 ||
		shown.Passages[0].Text != "Deploy on Tuesdays" || shown.Passages[0].Before != "decision: " {
		t.Errorf("got %s", w.Body)
	}
	var page client.CandidateList
	decode(t, s.expect(t, 200, owner, "GET /review/candidates?kind=claim&limit=1&source_id="+source), &page)
	if len(page.Candidates) != 1 || !page.HasMore || page.Counts[loci.ReviewPending] != 2 {
		t.Errorf("got %+v", page)
	}

	edit := s.do("PATCH", at(0), owner, `{"title":"Deploys are on Tuesdays","tags":["ops"]}`, `If-Match: "1"`)
	if edit.Code != 200 || edit.Header().Get("ETag") != `"2"` {
		t.Errorf("got %d %s", edit.Code, edit.Body)
	}
	if w := s.do("PATCH", at(0), owner, `{"title":"x"}`, `If-Match: "1"`); w.Code != 412 {
		t.Errorf("an old version: got %d %s", w.Code, w.Body)
	}
	if w := s.do("POST", at(0)+"/accept", owner, "", `If-Match: "1"`); w.Code != 412 {
		t.Errorf("an old version: got %d %s", w.Code, w.Body)
	}
	var made loci.Candidate
	decode(t, s.expect(t, 200, owner, "POST "+at(0)+`/accept {"reason":"settled"}`), &made)
	if made.State != loci.ReviewPromoted || made.MemoryID.IsZero() || made.Review.Reason != "settled" {
		t.Errorf("got %+v", made)
	}
	var m loci.Memory
	if decode(t, s.expect(t, 200, owner, "GET /memories/"+made.MemoryID.String()), &m); m.Source != loci.AutoSource ||
		m.Title != "Deploys are on Tuesdays" || m.Origin != "claude" || m.Editor != "api" {
		t.Errorf("got %+v", m)
	}
	s.expect(t, 409, owner, "POST "+at(0)+"/reject {}")
	s.expect(t, 200, owner, "POST "+at(0)+`/undo {"reason":"not yet"}`)
	if decode(t, s.expect(t, 200, owner, "GET /memories/"+made.MemoryID.String()), &m); m.DeletedAt.IsZero() {
		t.Errorf("the memory is not in the trash: %+v", m)
	}

	s.expect(t, 400, owner, "POST "+at(1)+`/reject {"until":"2027-01-01T00:00:00Z"}`)
	s.expect(t, 400, owner, "POST "+at(1)+`/defer {"until":"2020-01-01T00:00:00Z"}`)
	decode(t, s.expect(t, 200, owner, "POST "+at(1)+`/defer {"until":"2026-12-01T00:00:00Z"}`), &made)
	if made.State != loci.ReviewDeferred || made.DeferredTo.IsZero() {
		t.Errorf("got %+v", made)
	}
	s.expect(t, 200, owner, "POST "+at(2)+"/archive {}")
	decode(t, s.expect(t, 200, owner, "POST "+at(3)+`/merge {"others":["`+list[4].ID.String()+`"]}`), &made)
	if made.Content != "Write the runbook\n\nIt rains" {
		t.Errorf("got %q", made.Content)
	}
	var bulk client.BulkReviewed
	decode(t, s.expect(t, 200, owner, fmt.Sprintf(`POST /review/bulk {"action":"reject","ids":[%q,%q,%q],"reason":"all"}`,
		list[3].ID, absent, list[4].ID)), &bulk)
	if bulk.Succeeded != 1 || bulk.Failed != 2 || bulk.Results[0].State != loci.ReviewRejected ||
		bulk.Results[1].Error.Code != loci.NotFound || bulk.Results[2].Error.Code != loci.Conflict {
		t.Errorf("got %+v", bulk)
	}
	s.expect(t, 400, owner, `POST /review/bulk {"action":"eat","ids":["`+absent+`"]}`)
	s.expect(t, 400, owner, `POST /review/bulk {"action":"accept","ids":["`+absent+`"],"until":"2027-01-01T00:00:00Z"}`)
	for _, missing := range []string{absent, "x"} {
		s.expect(t, 404, owner, "GET /review/candidates/"+missing)
		s.expect(t, 404, owner, "POST /review/candidates/"+missing+"/accept {}")
		s.expect(t, 404, owner, "PATCH /review/candidates/"+missing+` {"title":"x"}`)
	}
}

// TestCandidatesHaveTheirReaders: an agent decides only about what its own vendor proposed, and what it does not see
// is absent.
func TestCandidatesHaveTheirReaders(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	list, _ := s.candidates(t, claude, "decision: Deploy on Tuesdays")
	at := "/review/candidates/" + list[0].ID.String()
	s.expect(t, 200, cursor, "GET "+at)
	s.expect(t, 403, cursor, "POST "+at+"/accept {}")
	s.expect(t, 200, owner, "PATCH "+at+` {"allowed_vendors":["claude"]}`)
	s.expect(t, 403, claude, "PATCH "+at+` {"allowed_vendors":["*"]}`)
	for _, r := range []string{"GET " + at, "POST " + at + "/accept {}", "PATCH " + at + ` {"title":"x"}`} {
		w, none := s.request(cursor, r), s.request(cursor, strings.Replace(r, list[0].ID.String(), absent, 1))
		if w.Code != 404 || w.Body.String() != none.Body.String() {
			t.Errorf("%s: got %d %s, want the answer about nothing: %s", r, w.Code, w.Body, none.Body)
		}
	}
	var page client.CandidateList
	if decode(t, s.expect(t, 200, cursor, "GET /review/candidates?state=all"), &page); len(page.Candidates) > 0 ||
		len(page.Counts) > 0 {
		t.Errorf("got %+v", page)
	}
}

// TestReflectRunsOncePerKey: a repetition of a call that writes repeats nothing.
func TestReflectRunsOncePerKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	body := `{"content":"decision: Deploy on Tuesdays","persist":true}`
	var replayed []string
	for range 2 {
		w := s.do("POST", "/context/reflect", claude, body, "Idempotency-Key: one")
		if w.Code != http.StatusOK {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
		replayed = append(replayed, w.Header().Get("Idempotency-Replayed"))
	}
	if !slices.Equal(replayed, []string{"", "true"}) {
		t.Errorf("got %q", replayed)
	}
}
