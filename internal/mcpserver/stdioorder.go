package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A model may send several calls at once, such as a save and then a search for it. So a call that changes something
// waits for all earlier calls, and later ones wait for it. Calls that only read run beside each other.

// errNotYet means that a line went back to the queue, behind one that must not wait.
var errNotYet = errors.New("not this line's turn")

// ordered reports whether calls of a method read or change what a person stored. Others never wait,
// and nothing waits for them: some, such as subscriptions/listen, are not answered for hours.
func ordered(method string) bool {
	return method == callTool || method == "resources/read" || method == "prompts/get"
}

// changes reports whether m calls a tool that may change something.
func (m message) changes() bool {
	t := toolNamed(m.tool)
	return t.name != "" && !t.hints.reads
}

// takeTurn waits until the call on the line current may run. It returns errNotYet if a line that must
// not wait has arrived: Read comes back to current after that line.
func (l *lines) takeTurn(ctx context.Context, current line, m message) error {
	if m.id == nil || !ordered(m.method) {
		return nil
	}
	for (l.alone || m.changes()) && !l.idle() {
		if err := l.wait(ctx, current); err != nil {
			return err
		}
	}
	l.alone = m.changes()
	return nil
}

// idle reports whether every ordered call has been answered.
func (l *lines) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, call := range l.inFlight {
		if call.ordered {
			return false
		}
	}
	return true
}

// wait waits until a call has been answered. Meanwhile it reads ahead, because the client may cancel
// the call that current waits for, or current itself.
func (l *lines) wait(ctx context.Context, current line) error {
	l.mu.Lock()
	changed := l.changed
	l.mu.Unlock()
	if l.idle() { // since before changed was read
		return nil
	}
	in := l.in
	if !l.mayReadAhead() {
		in = nil
	}
	select {
	case <-changed:
		return nil
	case next := <-in:
		m, problem := parseMessage(bytes.TrimSpace(next.text))
		if next.err != nil || problem != nil || m.method != "ping" && m.cancels == nil {
			l.ahead = append(l.ahead, next)
			return nil
		}
		l.rest = slices.Insert(l.rest, 0, next, current)
		l.unqueue(m.cancels)
		return errNotYet
	case <-l.closed:
		return io.EOF
	case <-ctx.Done():
		return ctx.Err()
	}
}

// mayReadAhead keeps the lines that wait from filling the memory.
func (l *lines) mayReadAhead() bool {
	size := 0
	for _, next := range l.ahead {
		size += len(next.text)
	}
	return len(l.ahead) < maxInFlight && size < maxMessage
}

// unqueue drops a call that the client has cancelled before it began.
func (l *lines) unqueue(id json.RawMessage) {
	if id == nil || l.isRunning(id) {
		return
	}
	isCancelled := func(next line) bool {
		m, problem := parseMessage(bytes.TrimSpace(next.text))
		if next.err != nil || problem != nil || m.method == "" || !bytes.Equal(m.id, id) {
			return false
		}
		_ = l.answer(next.batch, nil) // the others of its batch may all have been answered
		return true
	}
	l.rest = slices.DeleteFunc(l.rest, isCancelled)
	l.ahead = slices.DeleteFunc(l.ahead, isCancelled)
}

// isRunning reports whether a call with this id, as it was sent, has not been answered.
func (l *lines) isRunning(raw json.RawMessage) bool {
	id, ok := idOf(raw)
	l.mu.Lock()
	defer l.mu.Unlock()
	return ok && l.inFlight[id] != nil
}

func idOf(raw json.RawMessage) (jsonrpc.ID, bool) {
	var value any
	if raw == nil || json.Unmarshal(raw, &value) != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(value)
	return id, err == nil
}
