package rest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

var changeRoutes = table{"recall", []served{
	serve("GET /changes", route{ID: "followChanges", Who: forAny, Action: memory.ChangesRead,
		Summary: "Follow changes as they happen",
		Text: "Server-sent events: one `ready`, then a `change` (a FeedEvent) for each change that you may " +
			"see. On `reset`, Loci no longer knows what changed meanwhile: reload everything. A position holds for any " +
			"kinds; of one that you add, read the present state.",
		Alternatives: map[string]*huma.MediaType{eventStream: {Schema: streamSchema, Example: exampleChange}}},
		(*server).changes),
}}

// streamSchema describes one event of the stream, because OpenAPI 3.1 cannot describe all of them.
var streamSchema = &huma.Schema{Type: huma.TypeObject, Required: []string{"event", "id", "data"},
	Properties: map[string]*huma.Schema{"event": {Type: huma.TypeString, Enum: []any{"ready", "change", "reset"}},
		"id": {Type: huma.TypeString, Description: "The position after the event"},
		"data": {Type: huma.TypeString, Description: "JSON; of a change, a FeedEvent",
			Extensions: map[string]any{"contentMediaType": jsonType}}}}

// Live configures streams of changes.
type Live struct {
	// Poll is how often a stream checks for writes of other processes; default: a second. Writes
	// of this process wake it immediately.
	Poll time.Duration
	// Heartbeat is how often a stream sends a sign of life; default: 15 seconds.
	Heartbeat time.Duration
	// PerCredential is how many streams one credential may have open in this process; default: 8.
	PerCredential int
	// After is the clock; default: time.After.
	After func(time.Duration) <-chan time.Time
}

const (
	// wakeGap is the shortest time between a write and the read that it causes, so that many writes cost few reads.
	wakeGap = 10 * time.Millisecond
	// writeTime is how long a client may take to accept something before the stream ends.
	writeTime = 30 * time.Second
	// lastTime is the limit while the server stops.
	lastTime = time.Second
	// streamBuffer is how much a stream collects. It is sent when it is full or when there is no more to send: the
	// points where it is cut must not depend on rows that the reader may not see.
	streamBuffer = 16 << 10
	// retryStream is after how many seconds a client may try to open a stream again.
	retryStream = "15"
)

func (l Live) withDefaults() Live {
	if l.Poll <= 0 {
		l.Poll = time.Second
	}
	if l.Heartbeat <= 0 {
		l.Heartbeat = 15 * time.Second
	}
	if l.PerCredential <= 0 {
		l.PerCredential = 8
	}
	if l.After == nil {
		l.After = time.After
	}
	return l
}

type changesInput struct {
	Header string `header:"Last-Event-ID" maxLength:"200" doc:"The last event that you have; EventSource sends it"`
	Query  string `query:"last_event_id" maxLength:"200" doc:"The same; the header takes precedence"`
	Once   bool   `query:"once" doc:"End when there are no more changes now"`

	Kinds []string `query:"kinds,explode" maxItems:"50" doc:"Kinds of rows, or all: repeat it, or separate them by commas. Default: memory and memory_node"`
}

func (in *changesInput) after() string {
	if in.Header != "" {
		return in.Header
	}
	return in.Query
}

// changes answers with a stream that stays open.
func (s *server) changes(ctx context.Context, p loci.Principal, in *changesInput) (*huma.StreamResponse, error) {
	feed, err := s.app.Memory.Changes(ctx, p, in.after(), in.Kinds...)
	if err != nil {
		return nil, err
	}
	x := exchangeOf(ctx)
	_, leave, err := s.streams.Take(ctx, 1)
	if err != nil {
		x.Header().Set("Retry-After", retryStream)
		return nil, loci.WrapError(loci.RateLimited, err,
			"this credential already has %d streams of changes open, the maximum; close one", s.options.Live.PerCredential)
	}
	t := &changeStream{server: s, x: x, feed: feed, once: in.Once || x.request.Method == http.MethodHead}
	t.out = bufio.NewWriterSize(patient{ctx, x, http.NewResponseController(x.ResponseWriter)}, streamBuffer)
	return &huma.StreamResponse{Body: func(huma.Context) {
		defer leave()
		h := x.Header()
		h.Set("Content-Type", eventStream)
		h.Set("X-Accel-Buffering", "no") // proxies that collect answers would keep the events
		t.run(ctx, in.after() != "")
	}}, nil
}

const eventStream = "text/event-stream"

// patient writes to a client that may be slow, but not forever.
type patient struct {
	ctx context.Context //nolint:containedctx // lives as long as one stream
	w   io.Writer
	c   *http.ResponseController
}

// Write sends b. It waits for the client at most writeTime, and at most lastTime while the stream ends.
func (p patient) Write(b []byte) (int, error) {
	// Only a writer that is not a connection rejects deadlines.
	_ = p.c.SetWriteDeadline(time.Now().Add(writeTime))
	if err := p.ctx.Err(); err != nil {
		p.hurry() // the stream may have ended before the deadline above was set
		return 0, err
	}
	return p.w.Write(b)
}

// hurry shortens the wait for a client that does not read, so that the server can stop.
func (p patient) hurry() { _ = p.c.SetWriteDeadline(time.Now().Add(lastTime)) }

type changeStream struct {
	*server
	x    *exchange
	feed *memory.Changes
	out  *bufio.Writer
	once bool
}

// run writes changes until the client disconnects, the server stops or the credential becomes invalid.
func (t *changeStream) run(ctx context.Context, resumed bool) {
	// The stream has no end. The deadline of an earlier request on the connection must not cut it off.
	control := http.NewResponseController(t.x.ResponseWriter)
	_ = control.SetReadDeadline(time.Time{})
	defer context.AfterFunc(ctx, patient{ctx, t.x, control}.hurry)()
	t.event("ready", t.feed.Position(), map[string]bool{"resumed": resumed})
	beat := t.options.Live.After(t.options.Live.Heartbeat)
	for {
		written := t.feed.Written()
		if err := t.round(ctx); err != nil {
			t.ended(ctx, err)
			return
		}
		if t.once {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-t.options.Live.After(t.options.Live.Poll):
		case <-beat:
			t.pulse()
			beat = t.options.Live.After(t.options.Live.Heartbeat)
		case <-written:
			select {
			case <-ctx.Done():
				return
			case <-t.options.Live.After(wakeGap):
			}
		}
	}
}

// round writes the changes so far. It authenticates the client again, because a
// key may be revoked and a person may leave a team while the stream is open.
func (t *changeStream) round(ctx context.Context) error {
	for more := true; more; {
		p, err := t.authenticate(t.x.request)
		if err == nil {
			p, err = t.asSent(t.x.request, p, true)
		}
		if err != nil {
			return err
		}
		page, err := t.feed.Read(ctx, p)
		if err != nil {
			return err
		}
		if page.Reset {
			t.event("reset", page.Position, struct{}{})
		}
		for i := range page.Events {
			t.event("change", page.Events[i].Position, page.Events[i].FeedEvent)
		}
		if _, err := t.out.Write(nil); err != nil { // from writing the buffer
			return errAway
		}
		more = page.More
	}
	if t.once {
		t.pulse()
	}
	return t.flush()
}

// event buffers an event. A connection error shows at the next flush.
func (t *changeStream) event(name, id string, data any) {
	b, err := loci.EncodeJSON(data)
	if err != nil {
		panic("rest: " + err.Error()) // made of our own structs
	}
	_, _ = t.out.WriteString("event: " + name + "\nid: " + id + "\ndata: " + string(b) + "\n\n")
}

// pulse shows that the stream is alive. Its id is the position behind everything that was checked, so a client that
// reconnects much later skips what it could not see.
func (t *changeStream) pulse() {
	_, _ = t.out.WriteString(": still here\nid: " + t.feed.Position() + "\n\n")
}

// errAway ends a stream whose client no longer reads.
var errAway = errors.New("the client is away")

func (t *changeStream) flush() error {
	if t.out.Flush() != nil || http.NewResponseController(t.x.ResponseWriter).Flush() != nil {
		return errAway
	}
	return nil
}

// ended logs a failure that the client cannot be told about. A client whose
// credential expired learns that when it reconnects.
func (t *changeStream) ended(ctx context.Context, err error) {
	code := loci.CodeOf(err)
	if ctx.Err() != nil || errors.Is(err, errAway) || code != "" && code != loci.Unavailable {
		return
	}
	t.options.Log.WarnContext(ctx, "a stream of changes ended", "request_id", t.x.id, "error", chain(err))
}

var exampleChange = map[string]string{"event": "change", "id": "Kc0pZ8rYb1uE",
	"data": `{"at":"2026-11-20T16:00:00.000000Z","kind":"memory","id":"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e",` +
		`"change":"updated","version":2,"origin":"claude"}`}
