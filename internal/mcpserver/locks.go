package mcpserver

import "sync"

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
