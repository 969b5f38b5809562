package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/project"
)

// connectionTable counts the SDK's sessions of each credential in this process, so that none can use
// up the memory that others need. A connection without a session gets one with its next request, so
// the table may end an idle session at any time.
type connectionTable struct {
	perSubject, max int
	idle            time.Duration
	now             func() time.Time

	mu       sync.Mutex
	total    int // all sessions, including those being opened
	swept    time.Time
	subjects map[string]*subject
}

// subject is one credential with its connections, by id.
type subject struct {
	opening     int
	connections map[string]*connection
}

type connection struct {
	sdk  string // the id of the SDK's session
	busy int    // running requests and streams
	used time.Time
}

// resident names a session of the SDK and the subject that it belongs to.
type resident struct{ subject, sdk string }

func newConnectionTable(perSubject, maximum int, idle time.Duration) *connectionTable {
	return &connectionTable{perSubject: perSubject, max: maximum, idle: idle,
		now: time.Now, subjects: map[string]*subject{}}
}

// sweepEvery is how often a table looks for idle sessions, unless it is full.
const sweepEvery = time.Minute

// reserve makes room for one more session of name. The caller must then call add or cancel, and
// must end the sessions that reserve returns: those that have been idle for long enough, and if name
// has too many, the one of them that has been idle for longest. RateLimited if all of name's are
// busy, Unavailable if the other credentials have taken the rest.
func (t *connectionTable) reserve(name string) (evicted []resident, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subjects[name]
	if s == nil {
		s = &subject{connections: map[string]*connection{}}
		t.subjects[name] = s
	}
	if now := t.now(); t.total >= t.max || now.Sub(t.swept) >= min(sweepEvery, t.idle) {
		evicted, t.swept = t.sweep(name), now
	}
	full := len(s.connections)+s.opening >= t.perSubject
	if full || t.total >= t.max {
		oldest := s.oldest()
		if oldest == "" {
			t.drop(name)
			if full {
				return evicted, loci.Errorf(loci.RateLimited,
					"this credential has too many connections in use; end some with DELETE, or "+orStateless)
			}
			return evicted, loci.Errorf(loci.Unavailable,
				"the server has too many connections open; try again later, or "+orStateless)
		}
		evicted = append(evicted, t.remove(name, oldest))
	}
	s.opening++
	t.total++
	return evicted, nil
}

// oldest returns the connection that has been idle the longest, or "".
func (s *subject) oldest() string {
	var found string
	for id, one := range s.connections {
		if one.busy == 0 && (found == "" || one.used.Before(s.connections[found].used)) {
			found = id
		}
	}
	return found
}

// sweep removes the idle sessions. It keeps the subject of name, even if it has none left.
func (t *connectionTable) sweep(name string) (evicted []resident) {
	before := t.now().Add(-t.idle)
	for other, s := range t.subjects {
		for id, one := range s.connections {
			if one.busy == 0 && one.used.Before(before) {
				evicted = append(evicted, t.remove(other, id))
			}
		}
		if other != name {
			t.drop(other)
		}
	}
	return evicted
}

func (t *connectionTable) remove(name, id string) resident {
	s := t.subjects[name]
	one := s.connections[id]
	delete(s.connections, id)
	t.total--
	return resident{name, one.sdk}
}

// drop forgets a subject that has nothing.
func (t *connectionTable) drop(name string) {
	if s := t.subjects[name]; s.opening == 0 && len(s.connections) == 0 {
		delete(t.subjects, name)
	}
}

// add turns a reservation into a session in use, until done.
func (t *connectionTable) add(name, id, sdk string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subjects[name]
	s.opening--
	s.connections[id] = &connection{sdk: sdk, busy: 1, used: t.now()}
}

func (t *connectionTable) cancel(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.subjects[name].opening--
	t.total--
	t.drop(name)
}

// begin returns the session of a connection if this process has one. It is in use until done.
func (t *connectionTable) begin(name, id string) (sdk string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.find(name, id)
	if one == nil {
		return "", false
	}
	one.busy++
	return one.sdk, true
}

// done ends what begin or add began.
func (t *connectionTable) done(name, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.find(name, id); one != nil {
		one.busy, one.used = max(0, one.busy-1), t.now()
	}
}

// take removes a connection and returns its session, if this process has one.
func (t *connectionTable) take(name, id string) (sdk string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.find(name, id) == nil {
		return "", false
	}
	sdk = t.remove(name, id).sdk
	t.drop(name)
	return sdk, true
}

func (t *connectionTable) find(name, id string) *connection {
	if s := t.subjects[name]; s != nil {
		return s.connections[id]
	}
	return nil
}

// locks has a lock for each name. The zero locks is ready to use.
type locks struct {
	mu     sync.Mutex
	byName map[string]*namedLock
}

type namedLock struct {
	sync.Mutex
	users int // who hold it or wait for it
}

// lock waits for the lock of a name, and returns a function that releases it.
func (l *locks) lock(name string) (unlock func()) {
	l.mu.Lock()
	one := l.byName[name]
	if one == nil {
		if one = new(namedLock); l.byName == nil {
			l.byName = map[string]*namedLock{}
		}
		l.byName[name] = one
	}
	one.users++
	l.mu.Unlock()
	one.Lock()
	return func() {
		one.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(l.byName, name)
		}
	}
}

// Connections keeps the state of connections for as long as they may be continued.
type Connections interface {
	// OpenConnection stores a connection of p.
	OpenConnection(ctx context.Context, p loci.Principal, key project.ConnectionKey, state []byte) error
	// ContinueConnection returns the state of a connection of p, or NotFound.
	ContinueConnection(ctx context.Context, p loci.Principal, key project.ConnectionKey) ([]byte, error)
	// EndConnection forgets a connection.
	EndConnection(ctx context.Context, key project.ConnectionKey) error
}
