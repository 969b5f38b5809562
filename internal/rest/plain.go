package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
)

// plainly answers a plain request in place of huma, and reports whether it was one. A plain request
// has no query and none of the headers that its route takes, and it accepts JSON. huma reads the parts
// of a request and writes those of an answer by reflection, which takes as long as to read a memory.
type plainly func(x *exchange, r *http.Request) bool

// plainInput is an input that plain requests fill without reflection. fill reports whether it could;
// if not, the request is as before.
type plainInput interface {
	fill(x *exchange, r *http.Request) bool
}

// plainOutput is an output that sets its own headers. It returns its status, or 0 for that of the
// route, and its body.
type plainOutput interface {
	head(h http.Header) (status int, body any)
}

// answersPlainly returns how a registered route answers plain requests; nil: it leaves all to huma.
func answersPlainly(op *huma.Operation, types typed, do func(ctx context.Context, in any) (any, error)) plainly {
	_, reads := types.in().(plainInput)
	_, writes := types.out().(plainOutput)
	if !reads || !writes {
		return nil
	}
	headers := []string{}
	for _, p := range op.Parameters {
		if p.In != "path" && (p.Required || p.Schema != nil && p.Schema.Default != nil) {
			return nil
		}
		if p.In == "header" {
			headers = append(headers, http.CanonicalHeaderKey(p.Name))
		}
	}
	return func(x *exchange, r *http.Request) bool {
		if r.Method != op.Method || r.URL.RawQuery != "" || !acceptsJSON(r) || hasAny(r, headers) {
			return false
		}
		in := types.in()
		if input, ok := in.(plainInput); !ok || !input.fill(x, r) {
			return false
		}
		out, err := do(r.Context(), in)
		if output, ok := out.(plainOutput); ok && err == nil {
			x.answer(output, op.DefaultStatus)
			return true
		}
		failed := (*problem)(nil)
		if !errors.As(err, &failed) {
			failed = newProblem(err)
		}
		writeProblem(x, failed)
		return true
	}
}

// acceptsJSON reports whether a request accepts JSON and doesn't say how much it likes it.
func acceptsJSON(r *http.Request) bool {
	switch accept := r.Header["Accept"]; len(accept) {
	case 0:
		return true
	case 1:
		return accept[0] == "*/*" || accept[0] == jsonType
	}
	return false
}

func hasAny(r *http.Request, headers []string) bool {
	return slices.ContainsFunc(headers, func(name string) bool { return len(r.Header[name]) > 0 })
}

func (x *exchange) answer(out plainOutput, status int) {
	h := x.Header()
	own, body := out.head(h)
	if own != 0 {
		status = own
	}
	h["Content-Type"] = []string{jsonType}
	x.WriteHeader(status)
	if err := loci.WriteJSON(x, body); err != nil && x.request.Context().Err() == nil {
		panic(fmt.Errorf("cannot write the answer: %w", err))
	}
}

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
