package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/project"
)

// maxInFlight is how many calls of one stdio client run at a time. Others wait in the pipe.
const maxInFlight = 128

// Who returns the principal of the client. It is called for every message, because a process may run for weeks: a
// person who leaves a team must lose its pool at once.
type Who func(context.Context) (loci.Principal, error)

// ServeStdio serves one client over in and out, with one JSON-RPC message on each line, as the
// principal that who returns. It returns nil when in ends and every call has been answered, or
// when ctx is done. It writes only messages to out. Forbidden if the principal has no vendor.
func (s *Server) ServeStdio(ctx context.Context, who Who, in io.Reader, out io.Writer) error {
	p, err := who(ctx)
	if err == nil {
		err = onlyAgents(p)
	}
	if err != nil {
		return err
	}
	l := newLines(in, out, who)
	l.project = s.options.Project
	defer s.ended(ctx, l.connection)
	session, err := s.buildAlone(s.offer).Connect(ctx, l, nil)
	if err != nil {
		return fmt.Errorf("serve stdio: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		_ = session.Close() // Wait returns its error
		err = <-ended
	}
	if ctx.Err() != nil {
		return nil // a connection that was cut short has not failed
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve stdio: %w", err)
	}
	return nil
}

// lines is a transport and connection for the SDK, over lines. The SDK's own transport ends at the first malformed
// line. At the end of the input it cancels calls that it has not answered yet.
type lines struct {
	who        Who
	connection project.ConnectionKey // of versions with connections: the process is the connection
	project    string                // see caller.usualProject

	in      chan line
	closed  chan struct{}
	once    sync.Once
	alone   bool   // the previous ordered call must be answered first; see takeTurn
	greeted bool   // the client has sent initialize, or needs not
	rest    []line // what is left of a batch, and what comes before it
	ahead   []line // what was read while a call waited for its turn; see wait

	writing sync.Mutex
	out     io.Writer

	mu       sync.Mutex
	version  string // of the protocol, once it has been negotiated
	inFlight map[jsonrpc.ID]*running
	changed  chan struct{} // closed and replaced when inFlight shrinks
}

// running is a call that has not been answered.
type running struct {
	batch     *batch // nil: the call came alone
	ordered   bool   // see ordered
	cancelled bool
}

// line is one line of the input, or one message of a batch.
type line struct {
	text  []byte
	err   error
	batch *batch
}

var errLineTooLong = errors.New("line too long")

func newLines(in io.Reader, out io.Writer, who Who) *lines {
	l := &lines{who: who, connection: connectionKey(rand.Text()),
		in: make(chan line), closed: make(chan struct{}), out: out,
		inFlight: map[jsonrpc.ID]*running{}, changed: make(chan struct{})}
	// A read from a terminal cannot be interrupted, so nothing waits for this
	// goroutine. It ends with the input, or at the next line after Close.
	go l.read(bufio.NewReaderSize(in, 64<<10))
	return l
}

func (l *lines) read(in *bufio.Reader) {
	for {
		text, err := readLine(in)
		select {
		case l.in <- line{text: text, err: err}:
		case <-l.closed:
			return
		}
		if err != nil && !errors.Is(err, errLineTooLong) {
			return
		}
	}
}

// readLine returns the next line. If it is too long, readLine skips the rest of it and returns its beginning
// with errLineTooLong. The last line need not end with a newline.
func readLine(in *bufio.Reader) ([]byte, error) {
	var text []byte
	tooLong := false
	for {
		part, err := in.ReadSlice('\n')
		if tooLong = tooLong || len(text)+len(part) > maxMessage; !tooLong {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return text, errLineTooLong
		case errors.Is(err, io.EOF) && len(text) > 0:
			return text, nil
		default:
			return text, err
		}
	}
}

// Connect returns l itself.
func (l *lines) Connect(context.Context) (mcp.Connection, error) { return l, nil }

// SessionID is empty: the process is the connection.
func (l *lines) SessionID() string { return "" }

// Read returns the next well-formed message. It answers malformed ones itself. At
// the end of the input it returns io.EOF, once the last call has been answered.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if err := l.waitBelow(ctx, maxInFlight); err != nil {
			return nil, err
		}
		next, err := l.next(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case errors.Is(next.err, errLineTooLong):
			l.complain(nil, idAtBeginning(next.text),
				&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: loci.SafeText(errTooLarge)})
		case next.err != nil:
			if err := l.waitBelow(ctx, 1); err != nil {
				return nil, err
			}
			return nil, next.err
		default:
			next.text = bytes.TrimSpace(next.text)
			if m := l.decode(ctx, next); m != nil {
				return m, nil
			}
		}
	}
}

// next returns the next message of a batch, the next line that was read ahead, or the next line.
func (l *lines) next(ctx context.Context) (line, error) {
	select {
	case <-l.closed:
		return line{}, io.EOF
	default:
	}
	for _, queue := range []*[]line{&l.rest, &l.ahead} {
		if len(*queue) > 0 {
			next := (*queue)[0]
			*queue = (*queue)[1:]
			return next, nil
		}
	}
	select {
	case next := <-l.in:
		return next, nil
	case <-l.closed:
		return line{}, io.EOF
	case <-ctx.Done():
		return line{}, ctx.Err()
	}
}

// decode returns nil for an empty line, for a batch, and for a message that it has answered with an error.
func (l *lines) decode(ctx context.Context, next line) jsonrpc.Message {
	if len(next.text) == 0 {
		return nil
	}
	parsed, problem := parseMessage(next.text)
	if problem == nil && parsed.batch != nil {
		problem = l.unpack(parsed.batch)
		parsed.id = nil
	}
	if problem != nil {
		l.complain(next.batch, parsed.id, problem)
		return nil
	}
	if parsed.batch != nil {
		return nil
	}
	m, err := jsonrpc.DecodeMessage(next.text)
	if err != nil {
		l.complain(next.batch, parsed.id, errNoRequest)
		return nil
	}
	if request, ok := m.(*jsonrpc.Request); ok && !l.accept(ctx, request, parsed, next) {
		return nil
	}
	return m
}

// accept prepares a request for the SDK. If it returns false, it has answered the request or put it
// back, or the connection has ended.
func (l *lines) accept(ctx context.Context, request *jsonrpc.Request, parsed message, current line) bool {
	if l.takeTurn(ctx, current, parsed) != nil {
		return false // Read returns next
	}
	in := current.batch
	if !l.greet(parsed) {
		l.complain(in, parsed.id, errNotConnectedHere)
		return false
	}
	p, err := l.who(ctx) // only now: the previous call may have created a project
	if err == nil {
		err = onlyAgents(p)
	}
	if err != nil {
		if request.IsCall() {
			l.complain(in, parsed.id, &jsonrpc.Error{Code: answers[loci.CodeOf(err)].rpc, Message: loci.SafeText(err)})
		}
		return false
	}
	c := caller{principal: p, connection: l.connection, usualProject: l.project, fault: parsed.fault}
	if parsed.version >= statelessVersion {
		c.connection = project.ConnectionKey{}
	}
	request.Extra = &mcp.RequestExtra{TokenInfo: tokenInfo(c)}
	if request.IsCall() && !l.start(request.ID, &running{batch: in, ordered: ordered(parsed.method)}) {
		l.complain(in, parsed.id, badRequest("a request with this id is still running; give each request its own id"))
		return false
	}
	l.cancel(parsed.cancels)
	return true
}

// greet reports whether the client may send m now. In a version with connections, initialize comes
// first. The SDK checks it too, but its error does not tell what to do.
func (l *lines) greet(m message) bool {
	l.greeted = l.greeted || m.method == initialize || m.version >= statelessVersion
	return l.greeted || m.id == nil || m.method == "" || m.method == "ping" || m.method == "server/discover"
}

// start records a call, unless one with the same id is running.
func (l *lines) start(id jsonrpc.ID, call *running) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inFlight[id] != nil {
		return false
	}
	l.inFlight[id] = call
	return true
}

// cancel notes that the client wants no answer to a call, if it is still running.
func (l *lines) cancel(raw json.RawMessage) {
	id, ok := idOf(raw)
	l.mu.Lock()
	defer l.mu.Unlock()
	if call := l.inFlight[id]; ok && call != nil {
		call.cancelled = true
	}
}

// waitBelow waits until fewer than n calls are in flight.
func (l *lines) waitBelow(ctx context.Context, n int) error {
	for {
		l.mu.Lock()
		running, changed := len(l.inFlight), l.changed
		l.mu.Unlock()
		if running < n {
			return nil
		}
		select {
		case <-changed:
		case <-l.closed:
			return io.EOF
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *lines) complain(in *batch, id json.RawMessage, problem *jsonrpc.Error) {
	_ = l.answer(in, encodeError(id, problem)) // the next answer fails too if the pipe is broken
}

// Write writes one message.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	answer, ok := m.(*jsonrpc.Response)
	if !ok {
		text, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		return l.write(text)
	}
	if answer.Error != nil {
		problem := &jsonrpc.Error{Message: answer.Error.Error()}
		if rpc, ok := errors.AsType[*jsonrpc.Error](answer.Error); ok {
			problem.Code, problem.Data = rpc.Code, rpc.Data
		}
		answer.Error = tidy(problem)
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	l.noteVersion(answer)
	l.mu.Lock()
	call := l.inFlight[answer.ID]
	l.mu.Unlock()
	if call == nil {
		call = new(running)
	}
	if call.cancelled {
		text = nil
	}
	err = l.answer(call.batch, text)
	l.mu.Lock()
	delete(l.inFlight, answer.ID)
	close(l.changed)
	l.changed = make(chan struct{})
	l.mu.Unlock()
	return err
}

func (l *lines) write(text []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, err := l.out.Write(append(text, '\n'))
	return err
}

// Close ends Read. It may be called repeatedly.
func (l *lines) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}
