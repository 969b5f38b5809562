// Package memo keeps what is read again and again, for as long as it holds.
package memo

import "sync"

// Memo keeps values, each with a stamp of the state in which it was read: it holds as long as the stamp of now is
// equal. Take the stamp before you read, so that a value can only be newer than its stamp. The zero value keeps
// nothing. It is safe for concurrent use. Nobody may change the values, because they are shared.
type Memo[K, S comparable, V any] struct {
	mu         sync.RWMutex
	most, size int // size is that of young
	young, old map[K]kept[S, V]
}

type kept[S comparable, V any] struct {
	stamp S
	value V
	size  int
}

// New returns a Memo that keeps the values used last: about as many as have a size of most together, and at most twice
// as many.
func New[K, S comparable, V any](most int) *Memo[K, S, V] { return &Memo[K, S, V]{most: most} }

// Get returns the value of a key, if it has one with this stamp.
func (m *Memo[K, S, V]) Get(key K, stamp S) (value V, ok bool) {
	m.mu.RLock()
	k, ok := m.young[key]
	old := false
	if !ok {
		k, old = m.old[key]
	}
	m.mu.RUnlock()
	if !ok && !old || k.stamp != stamp {
		return value, false
	}
	if old {
		m.put(key, k) // it is in use
	}
	return k.value, true
}

// Put keeps a value of some size instead of the one that the key had.
func (m *Memo[K, S, V]) Put(key K, stamp S, value V, size int) {
	m.put(key, kept[S, V]{stamp, value, size})
}

func (m *Memo[K, S, V]) put(key K, k kept[S, V]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if k.size > m.most {
		return
	}
	if m.young == nil || m.size+k.size > m.most {
		m.young, m.old, m.size = map[K]kept[S, V]{}, m.young, 0
	}
	m.size += k.size - m.young[key].size
	m.young[key] = k
}

// Delete removes the value of a key.
func (m *Memo[K, S, V]) Delete(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.size -= m.young[key].size
	delete(m.young, key)
	delete(m.old, key)
}
