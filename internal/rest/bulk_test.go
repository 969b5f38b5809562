package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

func init() {
	furtherActions["POST /memories/bulk"] = map[gate.Action]string{
		memory.Change: `POST /memories/bulk {"operations":[{"op":"update","id":"` + absent + `","changes":{"title":"t"}}]}`,
		memory.Trash:  `POST /memories/bulk {"operations":[{"op":"trash","id":"` + absent + `"}]}`,
	}
}

func bulkBody(operations ...string) string {
	return `{"operations":[` + strings.Join(operations, ",") + `]}`
}

func TestBulk(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"old","content":"c"}`)
	create := `{"op":"create","memory":{"title":"one","content":"c","key":"k"}}`
	update := fmt.Sprintf(`{"op":"update","id":"%s","version":1,"changes":{"title":"new","summary":null}}`, m.ID)
	var out client.BulkAnswer
	request := "POST /memories/bulk " + bulkBody(create, update)
	first := s.once(owner, "bulk", request)
	if first.Code != 200 {
		t.Fatalf("got %d %s", first.Code, first.Body)
	}
	decode(t, first, &out)
	if out.Succeeded != 2 || out.Failed != 0 || !out.Results[0].Created || out.Results[1].Version != 2 {
		t.Errorf("got %s", first.Body)
	}
	again := s.once(owner, "bulk", request)
	var repeated client.BulkAnswer
	decode(t, again, &repeated)
	if repeated.Succeeded != 2 || len(repeated.Results) != 2 || repeated.Results[0].ID != out.Results[0].ID ||
		!repeated.Results[0].Created || repeated.Results[1].Version != 2 || again.Code != first.Code ||
		again.Header().Get("Idempotency-Replayed") != "true" ||
		again.Header().Get("Content-Type") != first.Header().Get("Content-Type") {
		t.Errorf("got %d %s after %s", again.Code, again.Body, first.Body)
	}

	// All or none, and why.
	refused := s.expect(t, 404, owner, "POST /memories/bulk "+
		""+bulkBody(`{"op":"create","memory":{"title":"two","content":"c"}}`, `{"op":"trash","id":"`+absent+`"}`))
	var p client.Problem
	decode(t, refused, &p)
	if len(p.Items) != 1 || p.Items[0].Index != 1 || p.Items[0].Code != loci.NotFound {
		t.Errorf("got %s", refused.Body)
	}
	// Each by itself, and a repetition of that.
	each := "POST /memories/bulk " +
		strings.TrimSuffix(bulkBody(`{"op":"create","memory":{"title":"three","content":"c"}}`,
			`{"op":"trash","id":"`+absent+`"}`), "}") + `,"atomic":false}`
	first = s.once(owner, "each", each)
	decode(t, first, &out)
	if first.Code != 200 || out.Succeeded != 1 || out.Failed != 1 || out.Results[1].Error == nil {
		t.Errorf("got %d %s", first.Code, first.Body)
	}
	named(t, first, s.once(owner, "each", each))
	got := s.expect(t, 200, owner, "GET /memories").Body.String()
	for title, n := range map[string]int{"one": 1, "two": 0, "three": 1, "new": 1, "old": 0} {
		if c := strings.Count(got, `"title":"`+title+`"`); c != n {
			t.Errorf("%s is there %d times", title, c)
		}
	}
}

func TestBulkBadInput(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for body, says := range map[string]string{
		`{"operations":[]}`:         "operations",
		bulkBody(`{"op":"move"}`):   "operations",
		bulkBody(`{"op":"create"}`): "memory is required",
		bulkBody(`{"op":"trash","memory":{"title":"t","content":"c"},"id":"` + absent + `"}`): "memory is " +
			"required for create",
		bulkBody(`{"op":"update","id":"` + absent + `"}`): "changes is required",
		bulkBody(`{"op":"trash"}`):                        "id is required",
		bulkBody(`{"op":"create","memory":{"title":"t","content":"c"},"version":1}`): "version is not " +
			"allowed",
		bulkBody(`{"op":"create","memory":{"title":"t","content":"c","value":"c"}}`): "value is " +
			"another name for content",
		bulkBody(`{"op":"create","memory":{"title":"t","content":"c","allowed_vendors":null}}`):      "allowed_vendors",
		bulkBody(`{"op":"create","memory":{"title":"t","content":"c","origin":"claude"}}`):           "origin",
		bulkBody(strings.TrimSuffix(strings.Repeat(`{"op":"trash","id":"`+absent+`"},`, 1001), ",")): "1000",
		bulkBody(`{"op":"update","id":"` + absent + `","changes":{"title":null}}`):                   "cannot be cleared",
	} {
		if w := s.expect(t, 400, owner, "POST /memories/bulk "+body); !strings.Contains(w.Body.String(), says) {
			t.Errorf("%.100s: got %s, want something about %q", body, w.Body, says)
		}
	}
}

// If several memories of a call do not exist, the error names the operations, not the same sentence twice.
func TestBulkNamesWhatItRejects(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	none := `{"op":"trash","id":"` + absent + `"}`
	body := bulkBody(none, `{"op":"create","memory":{"title":"t","content":"c"}}`, none)
	w := s.expect(t, 404, owner, "POST /memories/bulk "+body)
	if got := w.Body.String(); !strings.Contains(got,
		"operations[0]: no such memory; operations[2]: no such memory. Nothing was changed") {
		t.Errorf("got %s", got)
	}
}
