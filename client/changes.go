package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

// StreamEventKind is the kind of a StreamEvent.
type StreamEventKind string

// The kinds of event of a stream of changes.
const (
	StreamReady  StreamEventKind = "ready"  // the stream is open and reports everything from here on
	StreamChange StreamEventKind = "change" // something has changed
	StreamReset  StreamEventKind = "reset"  // earlier changes are unknown: reload everything, then continue from here
)

// StreamEvent is one event of a stream of changes.
type StreamEvent struct {
	Kind     StreamEventKind
	Position string         // where to continue after this event, for FollowOptions.After
	Change   loci.FeedEvent // only for StreamChange
}

// FollowOptions configures Follow.
type FollowOptions struct {
	// After is the Position of an event. If empty, Follow starts now.
	After string
	// Kinds are the kinds of rows to follow. If empty, they are memories and memory nodes.
	Kinds []loci.FeedKind
	// If Once is set, Follow returns when there are no more changes at the moment.
	Once bool
	// Follow calls Wait before it tries again, with the time to wait. If Wait returns an error, Follow
	// returns. By default, Wait waits for that time or until ctx ends.
	Wait func(ctx context.Context, d time.Duration) error
}

// Durations of Follow.
const (
	firstWait = time.Second
	maxWait   = 30 * time.Second
	// silence is how long a stream may send nothing before Follow considers it broken: three heartbeats.
	silence = 45 * time.Second
)

// Follow calls handle for each change that the credential may see, once and in order. It returns when ctx ends, or
// when handle returns an error. If the stream breaks, Follow reconnects and continues after the last event for which
// handle returned nil. Follow returns errors that a retry can't fix, such as a revoked key.
func (c *Client) Follow(ctx context.Context, o FollowOptions, handle func(StreamEvent) error) error {
	if o.Wait == nil {
		o.Wait = waitFor
	}
	f := &follower{client: c, at: o.After, kinds: o.Kinds, once: o.Once, handle: handle}
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		f.progress = false
		err := f.stream(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case f.failed != nil:
			return f.failed
		case err == nil && o.Once:
			return nil
		}
		refused, known := errors.AsType[*Error](err)
		if known && !refused.passes() {
			return err
		}
		if f.progress {
			wait = firstWait
		}
		pause := wait
		if known {
			pause = max(pause, refused.RetryAfter)
		}
		if err := o.Wait(ctx, pause); err != nil {
			return err
		}
	}
}

// passes reports whether the same request may succeed later.
func (e *Error) passes() bool { return e.Status >= 500 || e.Status == http.StatusTooManyRequests }

func waitFor(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// follower is the state of Follow.
type follower struct {
	client   *Client
	at       string
	kinds    []loci.FeedKind
	once     bool
	handle   func(StreamEvent) error
	failed   error // the error of handle, or another reason to give up
	progress bool  // the last attempt received at least one event
}

// stream reads one answer until it ends.
func (f *follower) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := values("last_event_id", f.at)
	for _, kind := range f.kinds {
		v.Add("kinds", string(kind))
	}
	if f.once {
		v.Set("once", "true")
	}
	patient := *f.client
	h := *f.client.http
	h.Timeout = 0 // the answer never ends
	patient.http = &h
	res, err := patient.send(ctx, http.MethodGet, query("/changes", v), nil, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // if this fails, only text is missing
		return errorOf(res, b)
	}
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	return f.read(res.Body, func() { quiet.Reset(silence) })
}

// read reads the events of a stream. It calls heard for every line.
func (f *follower) read(body io.Reader, heard func()) error {
	lines := bufio.NewScanner(body)
	var kind, id, data string
	for lines.Scan() {
		heard()
		line := lines.Text()
		if line == "" {
			if err := f.event(StreamEventKind(kind), id, data); err != nil {
				return err
			}
			kind, id, data = "", "", ""
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "id":
			id = value
		case "data":
			data = value
		}
	}
	return lines.Err()
}

// event handles one event. A heartbeat only updates the position.
func (f *follower) event(kind StreamEventKind, id, data string) error {
	e := StreamEvent{Kind: kind, Position: id}
	if kind == StreamChange {
		if err := json.Unmarshal([]byte(data), &e.Change); err != nil {
			f.failed = fmt.Errorf("GET /changes: the event is not Loci's: %w", err)
			return f.failed
		}
	}
	switch kind {
	case StreamReady, StreamChange, StreamReset:
		if f.failed = f.handle(e); f.failed != nil {
			return f.failed
		}
	}
	if id != "" {
		f.at, f.progress = id, true
	}
	return nil
}
