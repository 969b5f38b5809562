package mcpserver

import (
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

// sessionTable counts who has which sessions open, so that no credential can
// use up what the others need. The SDK keeps the sessions themselves; what it
// ends on its own is found out here when it has been idle for long enough.
type sessionTable struct {
	perSubject, max int
	idle            time.Duration
	now             func() time.Time

	mu       sync.Mutex
	total    int // sessions of all, with those that are being opened
	subjects map[string]*subject
}

// subject is what one credential has.
type subject struct {
	opening  int
	sessions map[string]*session
}

type session struct {
	busy int // requests and streams that are running
	used time.Time
}

func newSessionTable(perSubject, maximum int, idle time.Duration) *sessionTable {
	return &sessionTable{perSubject: perSubject, max: maximum, idle: idle, now: time.Now, subjects: map[string]*subject{}}
}

// reserve makes room for one more session of name, which add or cancel must
// follow. The SDK's id of a session that has to end for it is returned:
// clients that forget to end theirs are more common than ones with many.
// RateLimited if all are busy, Unavailable if the others have taken the rest.
func (t *sessionTable) reserve(name string) (evict string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subjects[name]
	if s == nil {
		s = &subject{sessions: map[string]*session{}}
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
	full := len(s.sessions)+s.opening >= t.perSubject
	if full || t.total >= t.max {
		if evict = s.oldest(); evict == "" {
			t.drop(name, s)
			if full {
				return "", loci.Errorf(loci.RateLimited, "this credential has too many sessions in use; end some with DELETE, or use protocol version "+statelessVersion+", which has no sessions")
			}
			return "", loci.Errorf(loci.Unavailable, "the server has too many sessions open; try again later, or use protocol version "+statelessVersion+", which has no sessions")
		}
		t.remove(s, evict)
	}
	s.opening++
	t.total++
	return evict, nil
}

// oldest returns the session that has been idle for longest, or "".
func (s *subject) oldest() string {
	var found string
	for id, one := range s.sessions {
		if one.busy == 0 && (found == "" || one.used.Before(s.sessions[found].used)) {
			found = id
		}
	}
	return found
}

// forget drops what the SDK has ended by now.
func (t *sessionTable) forget(s *subject) {
	before := t.now().Add(-t.idle)
	for id, one := range s.sessions {
		if one.busy == 0 && one.used.Before(before) {
			t.remove(s, id)
		}
	}
}

func (t *sessionTable) remove(s *subject, id string) {
	if _, ok := s.sessions[id]; ok {
		delete(s.sessions, id)
		t.total--
	}
}

func (t *sessionTable) drop(name string, s *subject) {
	if s.opening == 0 && len(s.sessions) == 0 {
		delete(t.subjects, name)
	}
}

// add turns a reservation into a session.
func (t *sessionTable) add(name, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subjects[name]
	s.opening--
	s.sessions[id] = &session{used: t.now()}
}

// cancel gives a reservation up.
func (t *sessionTable) cancel(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.subjects[name]
	s.opening--
	t.total--
	t.drop(name, s)
}

// begin notes that a request uses a session, until done.
func (t *sessionTable) begin(name, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.find(name, id); one != nil {
		one.busy++
	}
}

// done ends begin. gone says that the session is no more.
func (t *sessionTable) done(name, id string, gone bool) {
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

func (t *sessionTable) find(name, id string) *session {
	if s := t.subjects[name]; s != nil {
		return s.sessions[id]
	}
	return nil
}
