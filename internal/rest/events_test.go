package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci/client"
)

const lines = "Content-Type: application/x-ndjson"

func TestStreamsOfEvents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var body strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&body, `{"content":"event %d","tags":["stream"]}`+"\n", i%2900)
	}
	w := s.do("POST", "/events", claude, "\n"+body.String()+`{"content":"last"}`, lines)
	var got client.Logged
	decode(t, w, &got)
	if w.Code != 201 || got.Stored != 2901 || got.Duplicates != 100 {
		t.Fatalf("got %d %+v", w.Code, got)
	}
	if w := s.do("POST", "/events", claude, `{"content":"last"}`, lines); w.Code != 200 {
		t.Errorf("only duplicates: got %d %s", w.Code, w.Body)
	}
	for name, tt := range map[string]struct {
		body   string
		status int
		text   string
		want   client.StreamStopped
	}{
		"not JSON": {`{"content":"a1"}` + "\n\n" + `{"content":` + "\n" + `{"content":"a2"}`, 400,
			"line 3: the JSON ends early", client.StreamStopped{Line: 3, Stored: 1}},
		"an unknown field": {`{"content":"b1"}` + "\n" + `{"content":"b1"}` + "\n" + `{"text":"b2"}`, 400,
			"line 3: text is an unknown field; Loci stored all lines before it (1 event, 1 duplicate)",
			client.StreamStopped{Line: 3, Stored: 1, Duplicates: 1}},
		"a bad value": {`{"content":"c1"}` + "\n" + `{"content":"c2","event_type":"x y"}` + "\n" + `{"content":"c3"}`, 400,
			"line 2: event_type must be a word", client.StreamStopped{Line: 2, Stored: 1}},
		"before another error": {`{"content":""}` + "\n" + `{"content":`, 400, "line 1: content must not be empty",
			client.StreamStopped{Line: 1}},
		"two values in a line": {`{"content":"d1"} {"content":"d2"}`, 400, "line 1: something follows",
			client.StreamStopped{Line: 1}},
		"a long line": {`{"content":"e1"}` + "\n" + `{"content":"` + strings.Repeat("x", 2<<20) + `"}`, 413,
			"line 2: it is longer than 2097152 bytes", client.StreamStopped{Line: 2, Stored: 1}},
	} {
		w := s.do("POST", "/events", claude, tt.body, lines)
		p := problemOf(t, w.Body.Bytes())
		if w.Code != tt.status || !strings.HasPrefix(p.Detail, tt.text) || p.Stream == nil || *p.Stream != tt.want {
			t.Errorf("%s: got %d %s", name, w.Code, w.Body)
		}
	}
	var stats client.EventStats
	decode(t, s.request(owner, "GET /events/stats"), &stats)
	if stats.Total != 2901+4 {
		t.Errorf("%d events are stored", stats.Total)
	}
}

func TestLimitsOfEvents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	many := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"content":"%d"}`, i))
		}
		return `{"events":[` + strings.Join(list, ",") + "]}"
	}
	for name, tt := range map[string]struct {
		body   string
		header string
		status int
		text   string
	}{
		"10,000 events":            {many(10_000), "", 201, `"stored":10000`},
		"10,001 events":            {many(10_001), "", 400, "events must be a list of 1 to 10000 events"},
		"no events":                {`{"events":[]}`, "", 400, "events must be a list of 1 to 10000"},
		"no list":                  {`{"events":{}}`, "", 400, "events must be a list"},
		"a list and something":     {`{"events":[{"content":"x"}],"session_id":"x"}`, "", 400, "must be the only field"},
		"something and a list":     {`{"session_id":"x","events":[{"content":"x"}]}`, "", 400, "events is an unknown field"},
		"a long content":           {`{"content":"` + strings.Repeat("日", 100_001) + `"}`, "", 400, "content is longer than"},
		"the longest content":      {`{"content":"` + strings.Repeat("日", 100_000) + `"}`, "", 201, `"stored":1`},
		"nothing":                  {``, "", 400, "the body is missing"},
		"only space":               {` `, "", 400, "the body is missing"},
		"a list of events":         {`[{"content":"x"}]`, "", 400, "this must be a JSON object"},
		"two bodies":               {`{"content":"x1"}{"content":"x2"}`, "", 400, "something follows"},
		"a half":                   {`{"events":[{"content":"x"}`, "", 400, "the JSON ends early"},
		"a body that is too large": {`{"content":"` + strings.Repeat("x", 64<<20) + `"}`, "", 413, "the body is larger than"},
		"text":                     {`{"content":"x"}`, "Content-Type: text/plain", 415, "must be application/json"},
		"another charset":          {`{"content":"x"}`, "Content-Type: application/json; charset=latin1", 415, "in UTF-8"},
		"a compressed body":        {`{"content":"x"}`, "Content-Encoding: gzip", 415, "must not be compressed"},
	} {
		var headers []string
		if tt.header != "" {
			headers = append(headers, tt.header)
		}
		w := s.do("POST", "/events", claude, tt.body, headers...)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
			t.Errorf("%s: got %d %.500s, want %d %s", name, w.Code, w.Body, tt.status, tt.text)
		}
	}
}

func TestEventsOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const key = "Idempotency-Key: a"
	first := s.do("POST", "/events", claude, `{"content":"x"}`, key)
	again := s.do("POST", "/events", claude, `{"content":"x"}`, key)
	var made client.Logged
	decode(t, first, &made)
	if first.Code != 201 || again.Code != 201 || again.Header().Get("Idempotency-Replayed") != "true" ||
		made.ID.IsZero() || again.Body.String() != first.Body.String() {
		t.Errorf("got %d %s, then %d %s", first.Code, first.Body, again.Code, again.Body)
	}
	if w := s.do("POST", "/events", claude, `{"content":"y"}`, key); w.Code != 409 {
		t.Errorf("another body: got %d %s", w.Code, w.Body)
	}
	list := `{"events":[{"content":"a"},{"content":"b"}]}`
	answers := ""
	for i, want := range []int{201, 201} {
		w := s.do("POST", "/events", claude, list, "Idempotency-Key: b")
		answers += w.Body.String()
		if w.Code != want || (i == 1) != (w.Header().Get("Idempotency-Replayed") == "true") ||
			i == 1 && answers != strings.Repeat(w.Body.String(), 2) {
			t.Errorf("a list, call %d: got %d %s", i, w.Code, w.Body)
		}
	}
	if w := s.do("POST", "/events", claude, `{"content":"z"}`, lines, "Idempotency-Key: c"); w.Code != 400 ||
		problemOf(t, w.Body.Bytes()).Field != "Idempotency-Key" {
		t.Errorf("a stream: got %d %s", w.Code, w.Body)
	}
}

// TestPagesOfEvents follows the cursor, and demands each event once.
func TestPagesOfEvents(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var list []string
	for i := range 30 {
		list = append(list, fmt.Sprintf(`{"content":"%d","time":"2026-11-20T15:00:00Z","tags":["a"]}`, i))
	}
	s.expect(t, 201, claude, `POST /events {"events":[`+strings.Join(list, ",")+`]}`)
	seen := map[string]bool{}
	query := "GET /events?limit=7&since=7d&tags=a&tags=b&order=asc"
	for cursor, pages := "", 1; ; pages++ {
		var page client.EventList
		decode(t, s.request(claude, query+cursor), &page)
		for _, e := range page.Events {
			seen[e.Content] = true
		}
		if cursor = "&cursor=" + page.NextCursor; !page.HasMore {
			if pages != 5 {
				t.Errorf("%d pages", pages)
			}
			break
		}
	}
	if len(seen) != 30 {
		t.Errorf("%d events", len(seen))
	}
	for query, field := range map[string]string{"since=x": "since", "since=": "since",
		"until=&q=x": "until", "time_zone=": "time_zone", "since=99999d": "since", "until=2026-13-01": "until",
		"time_zone=x": "time_zone", "limit=0": "limit", "min_importance=11": "min_importance",
		"memory_type=x": "memory_type[0]",
		"parent_id=x":   "parent_id", "order=up": "order", "session_id=none": "session_id", "cursor=x": "cursor",
		"tag_mode=some": "tag_mode"} {
		w := s.request(claude, "GET /events?"+query)
		if p := problemOf(t, w.Body.Bytes()); w.Code != 400 || p.Field != field {
			t.Errorf("%s: got %d %s, want %s", query, w.Code, w.Body, field)
		}
	}
}
