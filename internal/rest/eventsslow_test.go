package rest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/rest"
)

// slowStream is a stream of events that goes on.
type slowStream struct {
	t      *testing.T
	s      *server
	body   *io.PipeWriter
	late   chan func() // what Loci does when a line has waited long enough
	answer chan *httptest.ResponseRecorder
}

func newSlowStream(t *testing.T) *slowStream {
	t.Helper()
	x := &slowStream{t: t, late: make(chan func(), 10), answer: make(chan *httptest.ResponseRecorder, 1)}
	x.s = newServer(t, func(_ *rest.Options, o *app.Options) {
		o.Events.Later = func(_ time.Duration, do func()) func() bool {
			x.late <- do
			return func() bool { return true }
		}
	})
	in, out := io.Pipe()
	x.body = out
	r := httptest.NewRequest(http.MethodPost, "/events", in)
	r.Host = "127.0.0.1:5624"
	r.Header.Set("Content-Type", "application/x-ndjson")
	go func() { x.answer <- x.s.send(r, claude) }()
	return x
}

func (x *slowStream) send(text string) {
	x.t.Helper()
	if _, err := io.WriteString(x.body, text); err != nil {
		x.t.Fatal(err)
	}
}

// wait lets the time pass after which lines do not wait any longer.
func (x *slowStream) wait() { (<-x.late)() }

func (x *slowStream) stored(want int) {
	x.t.Helper()
	var stats client.EventStats
	decode(x.t, x.s.request(owner, "GET /events/stats"), &stats)
	if stats.Total != want {
		x.t.Errorf("%d events are stored, want %d", stats.Total, want)
	}
}

// A stream that sends little is stored little by little, and what has arrived is stored if it breaks off.
func TestSlowStreamsOfEvents(t *testing.T) {
	t.Parallel()
	x := newSlowStream(t)
	x.send(`{"content":"a"}` + "\n")
	x.wait()
	x.stored(1)
	x.send(`{"content":"b"}` + "\n" + `{"content":"c"}` + "\n" + `{"content":"d`)
	_ = x.body.CloseWithError(errors.New("the connection is gone"))
	w := <-x.answer
	p := problemOf(t, w.Body.Bytes())
	if want := (client.StreamStopped{Line: 4, Stored: 3}); w.Code != 400 || p.Stream == nil || *p.Stream != want ||
		!strings.HasPrefix(p.Detail, "line 4: the body ended early") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	x.stored(3)
}

// A bad line that was stored late ends the stream with the next one.
func TestSlowStreamsEndAtTheFirstBadLine(t *testing.T) {
	t.Parallel()
	x := newSlowStream(t)
	x.send(`{"content":"a"}` + "\n" + `{"content":""}` + "\n")
	x.wait()
	x.stored(1)
	x.send(`{"content":"b"}` + "\n")
	w := <-x.answer
	p := problemOf(t, w.Body.Bytes())
	if want := (client.StreamStopped{Line: 2, Stored: 1}); w.Code != 400 || p.Stream == nil || *p.Stream != want ||
		!strings.HasPrefix(p.Detail, "line 2: content must not be empty; Loci stored all lines before it (1 event") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	x.stored(1)
	_ = x.body.Close()
}
