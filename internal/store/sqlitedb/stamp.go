package sqlitedb

import (
	"bytes"
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// Stamp identifies what an open file contains. If two stamps are equal, no process has committed between them.
type Stamp [8 + headerBytes]byte

// headerBytes is the size of the header of SQLite's log index, which begins with two copies of it
// (https://sqlite.org/walformat.html). Every commit writes both, after its frames are in the log and before it
// returns. SQLite compares the same bytes to decide whether a connection's page cache is still valid.
const headerBytes = 48

// initialized is the place of the byte that is 1 once the header is complete.
const initialized = 12

// opened counts the files that this process has opened. It is part of each stamp, because a new
// log may begin like the one before.
var opened atomic.Uint64

// logIndex is the shared memory in which the processes that use a file tell each other of commits.
type logIndex struct {
	mu     sync.RWMutex
	memory []byte // nil: this platform has none, or the file is closed
	number uint64
}

// open maps the log index of the file at path. The caller has a connection that uses the log, and
// keeps it until close: while there is one, nobody truncates the index.
func (x *logIndex) open(path string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.number, x.memory = opened.Add(1), mapShared(path+"-shm", 2*headerBytes)
}

func (x *logIndex) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	unmapShared(x.memory)
	x.memory = nil
}

// Stamp returns the present stamp without a transaction or a call of the system. ok is false if it
// can't tell, for example while a process commits. If the file may move, a process may have moved it
// and committed to it at its new place: compare stamps only if the file is where it was opened.
func (db *DB) Stamp() (s Stamp, ok bool) {
	if db.refuse() != nil {
		return s, false
	}
	x := &db.index
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.memory == nil {
		return s, false
	}
	var both [2 * headerBytes]byte
	copy(both[:], x.memory)
	header := both[:headerBytes]
	if header[initialized] != 1 || !bytes.Equal(header, both[headerBytes:]) {
		return s, false
	}
	binary.LittleEndian.PutUint64(s[:], x.number)
	copy(s[8:], header)
	return s, true
}

// steady is the last known stamp, and the one from which on only common tables have changed.
type steady struct {
	mu         sync.Mutex
	now, since Stamp
}

// Steady is Stamp for all tables but those of [Options.Common]. If two are equal, no process has committed a change of
// another table between them. They may differ all the same, for example after a commit of another process.
func (db *DB) Steady() (Stamp, bool) {
	s, ok := db.Stamp()
	return db.steady.at(s), ok
}

func (y *steady) at(s Stamp) Stamp {
	y.mu.Lock()
	defer y.mu.Unlock()
	if s != y.now {
		y.now, y.since = s, s
	}
	return y.since
}

// committed records a commit of only common tables between two stamps.
func (y *steady) committed(before, after Stamp) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if before == y.now {
		y.now = after
	}
}

// commits is the place of the number of commits in a stamp. It is as wide as SQLite's, and in the order of the machine.
const commits = 8 + 8

// follows reports whether s is of the file after one commit since before.
func (s Stamp) follows(before Stamp) bool {
	return bytes.Equal(s[:8], before[:8]) &&
		binary.NativeEndian.Uint32(s[commits:]) == binary.NativeEndian.Uint32(before[commits:])+1
}
