package rest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
)

// hand is a clock of streams that moves by hand: nothing of it passes by itself.
type hand struct{ poll, beat chan time.Time }

func newHand() *hand { return &hand{make(chan time.Time), make(chan time.Time)} }

// live gives streams the clock.
func (h *hand) live(o *rest.Options, _ *app.Options) {
	o.Live.Poll, o.Live.Heartbeat, o.Live.PerCredential = time.Hour, 2*time.Hour, 3
	o.Live.After = func(d time.Duration) <-chan time.Time {
		switch d {
		case time.Hour:
			return h.poll
		case 2 * time.Hour:
			return h.beat
		}
		passed := make(chan time.Time, 1)
		passed <- time.Time{}
		return passed
	}
}

// stream is an open stream of changes.
type stream struct {
	tb     testing.TB
	status int
	lines  *bufio.Reader
	close  func()
	last   string // the last id
}

// follow opens a stream over a real connection.
func (s *server) follow(tb testing.TB, url, key, after string) *stream {
	tb.Helper()
	ctx, cancel := context.WithCancel(tb.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/changes", nil)
	if err != nil {
		tb.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	res, err := http.DefaultTransport.RoundTrip(r) //nolint:bodyclose // out.close does
	if err != nil {
		tb.Fatal(err)
	}
	out := &stream{tb: tb, status: res.StatusCode, lines: bufio.NewReader(res.Body),
		close: func() { cancel(); res.Body.Close() }}
	tb.Cleanup(out.close)
	return out
}

// event is a block of a stream.
type event struct{ kind, id, data string }

// next returns the next block, or io.EOF.
func (t *stream) next() (e event, err error) {
	for {
		line, err := t.lines.ReadString('\n')
		if err != nil {
			return e, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "\n":
			t.last = e.id
			return e, nil
		case name == "event":
			e.kind = value
		case name == "id":
			e.id = value
		case name == "data":
			e.data = value
		}
	}
}

// want reads a block of that kind.
func (t *stream) want(kind string) (e event) {
	t.tb.Helper()
	e, err := t.next()
	if err != nil || e.kind != kind {
		t.tb.Fatalf("got %+v, %v; want an event %q", e, err, kind)
	}
	return e
}

// change reads a change.
func (t *stream) change() (c loci.FeedEvent) {
	t.tb.Helper()
	if err := json.Unmarshal([]byte(t.want("change").data), &c); err != nil {
		t.tb.Fatal(err)
	}
	return c
}

// ended demands the end of the stream.
func (t *stream) ended() {
	t.tb.Helper()
	if e, err := t.next(); err == nil {
		t.tb.Fatalf("got %+v, want the end of the stream", e)
	}
}

func newLiveServer(tb testing.TB, change ...func(*rest.Options, *app.Options)) (s *server, h *hand, url string) {
	tb.Helper()
	h = newHand()
	s = newServer(tb, append(change, h.live)...)
	web := httptest.NewServer(s)
	tb.Cleanup(web.Close)
	tb.Cleanup(web.CloseClientConnections)
	return s, h, web.URL
}

func TestAStreamTellsWhatItsReaderSees(t *testing.T) {
	t.Parallel()
	s, h, url := newLiveServer(t)
	agent, person := s.follow(t, url, claude, ""), s.follow(t, url, owner, "")
	if e := agent.want("ready"); e.id == "" || e.data != `{"resumed":false}` {
		t.Errorf("got %+v", e)
	}
	person.want("ready")
	hidden := s.write(t, owner, `{"title":"t","content":"c","allowed_vendors":["cursor"]}`)
	seen := s.write(t, claude, `{"title":"t","content":"c"}`)
	if c := agent.change(); c.ID != seen.ID.String() || c.Change != loci.Created || c.Version != 1 ||
		c.Origin != "claude" || c.Kind != "memory" {
		t.Errorf("got %+v, want only the memory that claude may see", c)
	}
	for _, want := range []*loci.Memory{hidden, seen} {
		if c := person.change(); c.ID != want.ID.String() {
			t.Errorf("got %+v, want %s", c, want.ID)
		}
	}
	s.expect(t, 200, owner, "PATCH /memories/"+seen.ID.String()+` {"allowed_vendors":["cursor"]}`)
	if c := agent.change(); c.ID != seen.ID.String() || c.Change != loci.Hidden || c.Version != 0 || c.Origin != "" {
		t.Errorf("got %+v, want that it is hidden, and nothing more", c)
	}
	s.expect(t, 200, owner, "DELETE /memories/"+seen.ID.String())
	pulse := make(chan event, 1)
	go func() {
		e, _ := agent.next()
		pulse <- e
	}()
	for { // either stream may take a beat
		select {
		case h.beat <- time.Time{}:
		case e := <-pulse:
			if e.kind != "" || e.id == "" {
				t.Errorf("got %+v, want a pulse", e)
			}
			return
		}
	}
}

func TestAStreamGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	s, _, url := newLiveServer(t)
	first := s.follow(t, url, claude, "")
	first.want("ready")
	s.write(t, claude, `{"title":"1","content":"c"}`)
	first.change()
	first.close()
	two, three := s.write(t, cursor, `{"title":"2","content":"c"}`), s.write(t, claude, `{"title":"3","content":"c"}`)
	second := s.follow(t, url, claude, first.last)
	if e := second.want("ready"); e.data != `{"resumed":true}` || e.id != first.last {
		t.Errorf("got %+v, want to go on at %s", e, first.last)
	}
	for _, want := range []*loci.Memory{two, three} {
		if c := second.change(); c.ID != want.ID.String() {
			t.Errorf("got %+v, want %s", c, want.ID)
		}
	}
	for _, bad := range []string{"x", strings.Repeat("A", 43), strings.Repeat("A", 199)} {
		w := s.do("GET", "/changes", claude, "", "Last-Event-ID: "+bad)
		if w.Code != 400 || !strings.Contains(w.Body.String(), "last_event_id") {
			t.Errorf("with the id %q: got %d %s", bad, w.Code, w.Body)
		}
	}
	w := s.do("GET", "/changes?once=true&last_event_id="+first.last, claude, "")
	if n := strings.Count(w.Body.String(), "event: change"); w.Code != 200 || n != 2 ||
		!strings.HasSuffix(w.Body.String(), "\n\n") {
		t.Errorf("once: got %d, %d changes: %s", w.Code, n, w.Body)
	}
	if w := s.do("GET", "/changes?once=true&last_event_id="+first.last, cursor,
		""); !strings.Contains(w.Body.String(), "event: reset") {
		t.Errorf("another reader's place: got %s, want a reset", w.Body)
	}
	if w := s.do("HEAD", "/changes", claude, ""); w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" {
		t.Errorf("HEAD: got %d %v", w.Code, w.Header())
	}
}

// TestAStreamFollowsItsReader: whoever comes into a team, or loses the key, does so at once.
func TestAStreamFollowsItsReader(t *testing.T) {
	t.Parallel()
	s, h, url := newLiveServer(t)
	id, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Vendor: "claude"})
	in := s.follow(t, url, key, "")
	in.want("ready")
	s.addTeam(t, loci.DefaultOrg, "team", s.owner.UserID)
	h.poll <- time.Time{} // that was another process
	in.want("reset")
	m := s.write(t, cursor, `{"title":"t","content":"c"}`)
	if c := in.change(); c.ID != m.ID.String() {
		t.Errorf("got %+v", c)
	}
	if err := s.store.Credentials().Revoke(t.Context(), loci.DefaultOrg, loci.UserID{}, id, s.clock.Now()); err != nil {
		t.Fatal(err)
	}
	s.write(t, cursor, `{"title":"t","content":"nobody is told of it"}`)
	in.ended()
	quietID, quietKey := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Vendor: "claude"})
	quiet := s.follow(t, url, quietKey, "")
	quiet.want("ready")
	if err := s.store.Credentials().Revoke(t.Context(), loci.DefaultOrg, loci.UserID{}, quietID,
		s.clock.Now()); err != nil {
		t.Fatal(err)
	}
	h.beat <- time.Time{}
	if e, err := quiet.next(); err == nil && e.kind != "" {
		t.Errorf("got %+v", e)
	} else if err == nil {
		quiet.ended()
	}
}

func TestStreamsOfACredentialAreLimited(t *testing.T) {
	t.Parallel()
	s, h, url := newLiveServer(t)
	var open []*stream
	for range 3 {
		open = append(open, s.follow(t, url, claude, ""))
		open[len(open)-1].want("ready")
	}
	w := s.do("GET", "/changes", claude, "")
	if w.Code != http.StatusTooManyRequests || !strings.Contains(w.Body.String(), "3 streams") ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	s.follow(t, url, cursor, "").want("ready")
	open[0].close()
	for again := false; !again; { // until the server has noticed
		again = s.do("GET", "/changes?once=true", claude, "").Code == 200
	}
	_ = h
}

var (
	ids  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)
	seal = regexp.MustCompile(`id: [A-Za-z0-9_-]+`)
)

// TestHiddenChangesLeaveNoTrace compares what a reader gets, byte by byte but
// for what is random, with and without changes that it may not see.
func TestHiddenChangesLeaveNoTrace(t *testing.T) {
	t.Parallel()
	read := func(hide bool) string {
		s, h, url := newLiveServer(t)
		s.clock.stop()
		in := s.follow(t, url, claude, "")
		var all strings.Builder
		in.lines = bufio.NewReader(io.TeeReader(in.lines, &all))
		in.want("ready")
		hidden := func() {
			if hide {
				m := s.write(t, cursor, `{"title":"hidden","content":"c","allowed_vendors":["cursor"]}`)
				s.expect(t, 200, owner, "PATCH /memories/"+m.ID.String()+` {"content":"d"}`)
				s.expect(t, 200, owner, "DELETE /memories/"+m.ID.String())
				s.expect(t, 204, owner, "DELETE /memories/"+m.ID.String()+"?permanent=true")
			}
		}
		for range 3 {
			hidden()
			m := s.write(t, gemini, `{"title":"seen","content":"c"}`)
			in.change()
			hidden()
			s.expect(t, 200, owner, "PATCH /memories/"+m.ID.String()+` {"content":"d"}`)
			in.change()
			hidden()
			h.beat <- time.Time{}
			in.want("")
		}
		last := in.last
		hidden()
		resumed := s.do("GET", "/changes?once=true", claude, "", "Last-Event-ID: "+last)
		return all.String() + resumed.Body.String() + headers(resumed)
	}
	mask := func(text string) string {
		text = seal.ReplaceAllStringFunc(text, func(id string) string { return strings.Repeat("x", len(id)) })
		return ids.ReplaceAllString(text, "id")
	}
	with, without := mask(read(true)), mask(read(false))
	if with != without {
		t.Errorf("with hidden changes:\n%s\nwithout:\n%s", with, without)
	}
}

// stuck is a client that takes nothing until it is let go.
type stuck struct {
	*httptest.ResponseRecorder
	once   sync.Once
	began  chan struct{}
	let    chan struct{}
	mu     sync.Mutex
	longer int // the longest write
}

func (w *stuck) Write(b []byte) (int, error) {
	w.once.Do(func() { close(w.began) })
	<-w.let
	w.mu.Lock()
	defer w.mu.Unlock()
	w.longer = max(w.longer, len(b))
	return w.ResponseRecorder.Write(b)
}

// TestASlowReaderHoldsNobody writes while a client takes nothing, and lets it have everything then.
func TestASlowReaderHoldsNobody(t *testing.T) {
	t.Parallel()
	s, _, _ := newLiveServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := &stuck{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{}), let: make(chan struct{})}
	r := httptest.NewRequest(http.MethodGet, "/changes", nil).WithContext(ctx)
	r.Host = "127.0.0.1:5624"
	r.Header.Set("Authorization", "Bearer "+claude)
	done := make(chan struct{})
	go func() { defer close(done); s.ServeHTTP(w, r) }()
	<-w.began
	const n = 700 // more than one page
	for range n {
		s.write(t, cursor, `{"title":"t","content":"c","dedupe":"create"}`)
	}
	close(w.let)
	got := func() int { w.mu.Lock(); defer w.mu.Unlock(); return strings.Count(w.Body.String(), "event: change") }
	for got() < n {
		s.expect(t, 200, cursor, "GET /agent/briefing") // gives the stream time
	}
	cancel()
	<-done
	if got() != n || w.longer > 32<<10 {
		t.Errorf("got %d events, in pieces of up to %d bytes; want %d in small ones", got(), w.longer, n)
	}
}
