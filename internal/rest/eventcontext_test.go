package rest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	eventcase "github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/rest"
)

// A context has the decisions that it is asked for, however many events came after them.
func TestContextsReachOldDecisions(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.expect(t, 201, claude, `POST /sessions {"title":"work"}`)
	s.expect(t, 201, claude, `POST /events {"session_id":"work","memory_type":"decision","content":"We keep the API."}`)
	for n := range eventcase.MaxContextEvents / loci.MaxEvents {
		var list []string
		for i := range loci.MaxEvents {
			list = append(list, fmt.Sprintf(`{"session_id":"work","content":"step %d of %d"}`, i, n))
		}
		s.expect(t, 201, claude, `POST /events {"events":[`+strings.Join(list, ",")+`]}`)
	}
	for _, request := range []string{`/sessions/work/context {"include_types":["decision"]}`,
		`/events/context {"include_types":["decision","error"]}`, "/sessions/work/context {}", "/events/context {}"} {
		w := s.expect(t, 200, claude, "POST "+request)
		if !strings.Contains(w.Body.String(), "> We keep the API.") || strings.Contains(w.Body.String(), "No events") {
			t.Errorf("%s: got %s", request, w.Body)
		}
	}
}

// A context that had no time to read does not say that there are no events.
func TestContextsWithoutTime(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *rest.Options, o *app.Options) { o.Events.Patience = time.Nanosecond })
	s.expect(t, 201, claude, `POST /events {"content":"a"}`)
	text := s.expect(t, 200, claude, "POST /events/context {}").Body.String()
	if strings.Contains(text, "No events.") || !strings.Contains(text, "so events may be missing") ||
		!strings.Contains(text, "No events among those that Loci could read in time.") {
		t.Errorf("got %s", text)
	}
}

// A closed session is found by its title, and takes no events until somebody reopens it.
func TestClosedSessionsHaveTitles(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.expect(t, 201, claude, `POST /sessions {"title":"work"}`)
	s.expect(t, 201, claude, `POST /events {"session_id":"work","content":"a"}`)
	s.expect(t, 200, claude, "POST /sessions/work/close")
	var list client.EventList
	decode(t, s.expect(t, 200, claude, "GET /events?session_id=work"), &list)
	if len(list.Events) != 1 {
		t.Errorf("got %+v", list)
	}
	if w := s.expect(t, 200, claude, "POST /sessions/work/context {}"); !strings.Contains(w.Body.String(), "> a") {
		t.Errorf("got %s", w.Body)
	}
	if w := s.expect(t, 409, claude, `POST /events {"session_id":"work","content":"b"}`); !strings.Contains(
		w.Body.String(), "it can be read, but not written in; reopen it") {
		t.Errorf("got %s", w.Body)
	}
	s.expect(t, 201, claude, `POST /sessions {"title":"twice"}`)
	s.expect(t, 200, claude, "POST /sessions/twice/close")
	s.expect(t, 201, claude, `POST /sessions {"title":"twice"}`)
	s.expect(t, 200, claude, "POST /sessions/twice/close") // the active one
	s.expect(t, 400, claude, "GET /sessions/twice")
	s.expect(t, 200, claude, "POST /sessions/work/reopen")
	s.expect(t, 201, claude, `POST /events {"session_id":"work","content":"b"}`)
}
