package mcpserver

import (
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

// connectionTable counts the open connections of each credential, so that none can use up the
// connections that others need. The SDK keeps the connections themselves. If the SDK ends one,
// the table drops that connection once it has been idle for long enough.
type connectionTable struct {
	perSubject, max int
	idle            time.Duration
	now             func() time.Time

	mu       sync.Mutex
	total    int // all connections, including those being opened
	subjects map[string]*subject
}

// subject is one credential with its connections.
type subject struct {
	opening     int
	connections map[string]*connection
}

type connection struct {
	busy int // running requests and streams
	used time.Time
}

func newConnectionTable(perSubject, maximum int, idle time.Duration) *connectionTable {
	return &connectionTable{perSubject: perSubject, max: maximum, idle: idle,
		now: time.Now, subjects: map[string]*subject{}}
}

// reserve makes room for one more connection of name. The caller must then call add or cancel. If
// another connection has to end to make room, reserve returns the SDK's id of it: clients that
// forget to end connections are more common than clients that need many. RateLimited if all are
// busy, Unavailable if the other credentials have taken the rest.
func (t *connectionTable) reserve(name string) (evict string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subjects[name]
	if s == nil {
		s = &subject{connections: map[string]*connection{}}
		t.subjects[name] = s
	}
	t.forget(s)
	if t.total >= t.max {
		for other, theirs := range t.subjects {
			if other != name {
				t.forget(theirs)
				t.drop(other, theirs)
			}
		}
	}
	full := len(s.connections)+s.opening >= t.perSubject
	if full || t.total >= t.max {
		if evict = s.oldest(); evict == "" {
			t.drop(name, s)
			if full {
				return "", loci.Errorf(loci.RateLimited,
					"this credential has too many connections in use; end some with DELETE, or "+orStateless)
			}
			return "", loci.Errorf(loci.Unavailable,
				"the server has too many connections open; try again later, or "+orStateless)
		}
		t.remove(s, evict)
	}
	s.opening++
	t.total++
	return evict, nil
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

// forget drops the connections that the SDK has ended by now.
func (t *connectionTable) forget(s *subject) {
	before := t.now().Add(-t.idle)
	for id, one := range s.connections {
		if one.busy == 0 && one.used.Before(before) {
			t.remove(s, id)
		}
	}
}

func (t *connectionTable) remove(s *subject, id string) {
	if _, ok := s.connections[id]; ok {
		delete(s.connections, id)
		t.total--
	}
}

func (t *connectionTable) drop(name string, s *subject) {
	if s.opening == 0 && len(s.connections) == 0 {
		delete(t.subjects, name)
	}
}

// add turns a reservation into a connection.
func (t *connectionTable) add(name, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subjects[name]
	s.opening--
	s.connections[id] = &connection{used: t.now()}
}

// cancel gives up a reservation.
func (t *connectionTable) cancel(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subjects[name]
	s.opening--
	t.total--
	t.drop(name, s)
}

// begin records that a request uses a connection, until done.
func (t *connectionTable) begin(name, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.find(name, id); one != nil {
		one.busy++
	}
}

// done ends what begin began. gone means that the connection has ended.
func (t *connectionTable) done(name, id string, gone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.find(name, id)
	if one == nil {
		return
	}
	one.busy, one.used = max(0, one.busy-1), t.now()
	if gone {
		t.remove(t.subjects[name], id)
		t.drop(name, t.subjects[name])
	}
}

func (t *connectionTable) find(name, id string) *connection {
	if s := t.subjects[name]; s != nil {
		return s.connections[id]
	}
	return nil
}
