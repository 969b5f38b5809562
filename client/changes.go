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

// StreamEventKind says what a StreamEvent tells.
type StreamEventKind string

// The kinds of event of a stream of changes.
const (
	StreamReady  StreamEventKind = "ready"  // the stream is open; from here on it tells everything
	StreamChange StreamEventKind = "change" // something has changed
	StreamReset  StreamEventKind = "reset"  // earlier changes are unknown: reload everything, then continue from here
)

// StreamEvent is one event of a stream of changes.
type StreamEvent struct {
	Kind     StreamEventKind
	Position string         // where to go on after it, for FollowOptions.After
	Change   loci.FeedEvent // of a StreamChange
}

// FollowOptions say how to follow changes.
type FollowOptions struct {
	// After is the Position of an event; "": from now on.
	After string
	// Once ends when there is nothing more to tell now.
	Once bool
	// Follow calls Wait before another attempt, with the time to wait. An error of Wait ends Follow. By default, Wait
	// waits for that time, or until ctx ends.
	Wait func(ctx context.Context, d time.Duration) error
}

// The times of Follow.
const (
	firstWait = time.Second
	maxWait   = 30 * time.Second
	// silence is how long a stream may say nothing before it counts as broken: three heartbeats.
	silence = 45 * time.Second
)

// Follow calls handle for each change that the credential may see, in order, and each once, until ctx ends or
// handle returns an error, which Follow then returns. If the stream breaks, Follow reconnects and continues after the
// last event for which handle returned nil. It returns errors that another attempt cannot fix, such as a revoked key.
func (c *Client) Follow(ctx context.Context, o FollowOptions, handle func(StreamEvent) error) error {
	if o.Wait == nil {
		o.Wait = waitFor
	}
	f := &follower{client: c, at: o.After, once: o.Once, handle: handle}
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

// follower is where Follow stands.
type follower struct {
	client   *Client
	at       string
	once     bool
	handle   func(StreamEvent) error
	failed   error // what handle returned, or why there is no going on
	progress bool  // the last attempt got as far as an event
}

// stream reads one answer to its end.
func (f *follower) stream(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	v := values("last_event_id", f.at)
	if f.once {
		v.Set("once", "true")
	}
	patient := *f.client
	h := *f.client.http
	h.Timeout = 0 // the answer has no end
	patient.http = &h
	res, err := patient.send(ctx, http.MethodGet, query("/changes", v), nil, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // what is missing is only text
		return errorOf(res, b)
	}
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	return f.read(res.Body, func() { quiet.Reset(silence) })
}

// read takes the events of a stream; heard is called for every line.
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

// event tells of one event. A heartbeat is only a place.
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
