package rest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/event"
)

type loggedOutput struct {
	Status int
	Body   client.Logged
}

// head implements plainOutput.
func (o *loggedOutput) head(http.Header) (status int, body any) { return o.Status, &o.Body }

// unreadBody is the input of the route that logs events. Its handler reads the body.
type unreadBody struct{}

// fill implements plainInput.
func (*unreadBody) fill(*exchange, *http.Request) bool { return true }

type sentEvents struct {
	events []client.NewEvent
	list   bool // it was a list, perhaps of one
}

// logEvents registers the route that logs events. It reads the body itself, because huma would read it
// four times, and a stream not before its end.
func (s *server) logEvents(r route) {
	log := once(s, &r, func(ctx context.Context, p loci.Principal, in *sentEvents) (*loggedOutput, error) {
		if in.list {
			return s.logList(ctx, p, in.events)
		}
		return s.logOne(ctx, p, in.events[0])
	})
	enter(s, r, func(ctx context.Context, p loci.Principal, _ *unreadBody) (*loggedOutput, error) {
		if err := s.app.Allowed(ctx, p, event.Log); err != nil { // before any other error
			return nil, err
		}
		x := exchangeOf(ctx)
		kind, err := eventBodyType(x.request)
		if err != nil {
			return nil, err
		}
		if kind != jsonLines {
			done, err := s.app.Room(ctx, x.request.ContentLength, maxBulk)
			if err != nil {
				return nil, err
			}
			defer done()
			in, err := readEvents(&capped{r: &incoming{x.request}, left: maxBulk, most: maxBulk})
			if err != nil {
				return nil, err
			}
			return log(ctx, p, in)
		}
		body := &capped{r: &incoming{x.request}, left: maxEvents, most: maxEvents}
		if x.once != nil {
			return nil, loci.FieldErrorf(onceHeader, "cannot be used with a stream; send a dedup_key with each event")
		}
		return s.logLines(ctx, p, body)
	})
}

func eventBodyType(r *http.Request) (string, error) {
	sent := r.Header.Get("Content-Type")
	if sent == "" || sent == jsonType {
		return jsonType, nil
	}
	kind, parameters, err := mime.ParseMediaType(sent)
	charset := parameters["charset"]
	if err != nil || kind != jsonType && kind != jsonLines || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return "", problemOf(http.StatusUnsupportedMediaType, string(loci.Invalid), "Content-Type",
			"Content-Type must be "+jsonType+" or "+jsonLines+", in UTF-8")
	}
	return kind, nil
}

func (s *server) logOne(ctx context.Context, p loci.Principal, e client.NewEvent) (*loggedOutput, error) {
	id, err := s.app.Event.Record(ctx, p, e)
	if twice := (*event.DuplicateError)(nil); errors.As(err, &twice) {
		known := newProblem(err)
		known.DuplicateOf = twice.Of
		return nil, known
	}
	if err != nil {
		return nil, err
	}
	return &loggedOutput{http.StatusCreated, client.Logged{ID: id, Stored: 1, Secrets: event.SecretsIn(e)}}, nil
}

func (s *server) logList(ctx context.Context, p loci.Principal, events []client.NewEvent) (*loggedOutput, error) {
	outcomes, err := s.app.Event.Append(ctx, p, events)
	if err != nil {
		return nil, err
	}
	out := &loggedOutput{Body: client.Logged{Results: make([]client.LoggedEvent, len(outcomes)),
		Secrets: event.SecretsIn(events...)}}
	for i, o := range outcomes {
		if o.Duplicate {
			out.Body.Duplicates++
			out.Body.Results[i].DuplicateOf = o.ID
		} else {
			out.Body.Stored++
			out.Body.Results[i].ID = o.ID
		}
	}
	out.Status = statusOf(&out.Body)
	return out, nil
}

// statusOf is 201 if anything was stored.
func statusOf(l *client.Logged) int {
	if l.Stored > 0 {
		return http.StatusCreated
	}
	return http.StatusOK
}

// logLines logs the events of a stream. If it stops, the error tells where.
func (s *server) logLines(ctx context.Context, p loci.Principal, body io.Reader) (*loggedOutput, error) {
	stream, err := s.app.Event.Stream(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := stream.ReadLines(ctx, body); err != nil {
		return nil, s.stoppedAt(ctx, stream, err)
	}
	out := &loggedOutput{Body: client.Logged{Stored: stream.Stored, Duplicates: stream.Duplicates,
		Secrets: stream.Secrets}}
	out.Status = statusOf(&out.Body)
	return out, nil
}

// stoppedAt is the error of a stream that stopped.
func (s *server) stoppedAt(ctx context.Context, stream *event.Stream, err error) error {
	p := s.fail(ctx, noEvent, err)
	at := (*event.LineError)(nil)
	if !errors.As(err, &at) {
		return p
	}
	p.Stream = &client.StreamStopped{Line: at.Line, Stored: stream.Stored, Duplicates: stream.Duplicates}
	p.Detail = fmt.Sprintf("line %d: %s; %s", at.Line, p.Detail, stream.Before())
	p.Problem.Error = p.Detail
	return p
}

// bodyReader reads the JSON of a body. Its buffers serve many bodies, one after the other.
type bodyReader struct {
	head *bufio.Reader
	json *loci.JSONReader
}

var bodyReaders = sync.Pool{New: func() any {
	head := bufio.NewReaderSize(nil, 4<<10)
	return &bodyReader{head, loci.NewJSONReader(head)}
}}

// readEvents reads an event, or the list of events of an object {"events": […]}.
func readEvents(body io.Reader) (*sentEvents, error) {
	r := bodyReaders.Get().(*bodyReader)
	defer func() {
		r.head.Reset(nil) // which keeps no body
		bodyReaders.Put(r)
	}()
	r.head.Reset(body)
	r.json.Reset(r.head)
	if start, err := r.head.Peek(headSize); isList(start) {
		return readEventList(r.json)
	} else if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	out := &sentEvents{events: make([]client.NewEvent, 1)}
	if err := event.ReadDraft(r.json, &out.events[0]); err != nil {
		return nil, err
	}
	return out, r.json.End()
}

func readEventList(in *loci.JSONReader) (*sentEvents, error) {
	_, _ = in.Begins('{') // as isList has seen
	_, _ = in.Name()
	if list, err := in.Begins('['); err != nil || !list {
		if err == nil {
			err = loci.FieldErrorf("events", "must be a list")
		}
		return nil, err
	}
	out := &sentEvents{list: true}
	for in.More() {
		if len(out.events) == loci.MaxEvents {
			return nil, loci.FieldErrorf("events", "must be a list of 1 to %d events", loci.MaxEvents)
		}
		var e client.NewEvent
		if err := event.ReadDraft(in, &e); err != nil {
			return nil, ofEvent(len(out.events), err)
		}
		out.events = append(out.events, e)
	}
	if _, err := in.Begins(']'); err != nil {
		return nil, err
	}
	if end, err := in.Begins('}'); err != nil || !end {
		if err == nil {
			err = loci.FieldErrorf("events", "must be the only field; the others are those of each event")
		}
		return nil, err
	}
	return out, in.End()
}

// headSize is how much of a body tells whether it is a list.
const headSize = 64

// isList reports whether a body begins like {"events":.
func isList(head []byte) bool {
	rest, object := bytes.CutPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("{"))
	return object && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(`"events"`))
}

// ofEvent says in an error about a field which event of the list has it.
func ofEvent(i int, err error) error {
	return loci.AtField(err, fmt.Sprintf("events[%d].%s", i, loci.FieldOf(err)))
}

// capped is a body that fails after left bytes.
type capped struct {
	r          io.Reader
	left, most int
}

// Read returns TooLarge if the body goes on after the limit.
func (c *capped) Read(b []byte) (int, error) {
	n, err := 0, error(nil)
	if c.left >= 0 {
		n, err = c.r.Read(b[:min(len(b), c.left+1)])
		c.left -= n
	}
	if c.left < 0 {
		return max(0, n-1), loci.Errorf(loci.TooLarge, "the body is larger than %d bytes; send less, or split it", c.most)
	}
	return n, err
}
