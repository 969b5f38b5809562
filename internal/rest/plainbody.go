package rest

import (
	"bytes"
	"io"
	"net/http"
	"sync"
)

// maxKnownBody is the size up to which Loci remembers that a body is valid. Those of lists are shorter.
const maxKnownBody = 512

// maxKnownBodies limits the memory that they take.
const maxKnownBodies = 1024

// knownBodies are bodies that huma has checked. Programs ask for the same lists again and again, and to check a body
// takes as long as to find the list. Whether a body is valid depends only on its route. But each caller has bodies of
// its own, so that no answer comes sooner because somebody else has asked. It is safe for concurrent use.
type knownBodies struct {
	mu sync.RWMutex
	of map[string]bool // by caller, route and body
}

func (k *knownBodies) has(key []byte) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.of[string(key)] // compares without a copy
}

func (k *knownBodies) add(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.of == nil || len(k.of) >= maxKnownBodies {
		k.of = map[string]bool{}
	}
	k.of[key] = true
}

// fill reads a body that huma has checked before. Another one goes to huma, and counts as checked once
// its handler runs.
func (b *body[T]) fill(x *exchange, r *http.Request) bool {
	if !x.route.Reads || r.ContentLength <= 0 || r.ContentLength > maxKnownBody {
		return false
	}
	who := x.bodyKey()
	key := append(make([]byte, 0, len(who)+int(r.ContentLength)), who...)[:len(who)+int(r.ContentLength)]
	n, err := io.ReadFull(r.Body, key[len(who):])
	text := key[len(who):][:n]
	if err == nil && x.bodies.has(key) && jsonFormat.Unmarshal(text, &b.Body) == nil {
		return true
	}
	if err == nil {
		x.checked = func() { x.bodies.add(string(key)) }
	}
	r.Body = &readAgain{bytes.NewReader(text), r.Body, err}
	return false
}

// bodyKey is the part of the key of a body that comes before it.
func (x *exchange) bodyKey() string {
	p := &x.principal
	return string(p.OrgID) + " " + string(p.UserID[:]) + string(p.Vendor) + " " + x.route.ID + " "
}

// readAgain is a body of which a part has been read, perhaps with an error at its end.
type readAgain struct {
	part *bytes.Reader
	io.ReadCloser
	err error
}

// Read reads the part again, and then what follows it.
func (a *readAgain) Read(p []byte) (int, error) {
	switch {
	case a.part.Len() > 0:
		return a.part.Read(p)
	case a.err != nil:
		return 0, a.err
	}
	return a.ReadCloser.Read(p)
}
