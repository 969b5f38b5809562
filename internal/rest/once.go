package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// A POST under an Idempotency-Key is carried out once in a day, however often it is sent
// (draft-ietf-httpapi-idempotency-key-header-07). What is kept of it are ids and numbers: the answer to a
// repetition is made anew of what its sender may see then, so that nothing comes back that was deleted meanwhile.
const (
	onceHeader     = "Idempotency-Key"
	replayedHeader = "Idempotency-Replayed"
	maxOnceKey     = 255
)

// repetition says how a POST route answers a request that was carried out before.
type repetition int

const (
	byItsOwn   repetition = iota // addOnce says how
	byReading                    // it changes nothing: as a new one
	byNumbers                    // with the same answer, of which no part is text
	byRefusing                   // with a conflict: its answer held a secret, which is not kept
)

// errShownOnce is the answer to a repetition of what answered with a secret.
var errShownOnce = loci.Errorf(loci.Conflict, "this request was carried out; its answer held a secret, which is shown once. Revoke or rotate what it made and send a new request")

// onceKey is the key under which a request came, and a hash that grows as its body is read.
type onceKey struct {
	key  string
	body hash.Hash
}

// readOnce looks for an Idempotency-Key. It is nil without one.
func readOnce(r *http.Request) (*onceKey, error) {
	sent := r.Header.Values(onceHeader)
	if r.Method != http.MethodPost || len(sent) == 0 {
		return nil, nil
	}
	bad := func(c rune) bool { return c < ' ' || c > '~' }
	if key := sent[0]; len(sent) > 1 || len(key) == 0 || len(key) > maxOnceKey || strings.ContainsFunc(key, bad) {
		return nil, loci.FieldErrorf(onceHeader, "must be one header of 1 to %d printable ASCII characters; a new UUID for every request is a good one", maxOnceKey)
	}
	once := &onceKey{key: sent[0], body: sha256.New()}
	once.restart(r)
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, once.body), r.Body}
	return once, nil
}

// restart begins the hash anew, with parts that stand for the body.
func (o *onceKey) restart(r *http.Request, parts ...string) {
	o.body.Reset()
	for _, part := range append([]string{r.URL.Path, r.URL.RawQuery, r.Header.Get("If-Match")}, parts...) {
		o.add(part)
	}
}

// add takes a part of the request besides the body into the hash.
func (o *onceKey) add(part string) {
	_, _ = io.WriteString(o.body, part+"\x00") // a hash takes everything
}

// request is what app keeps of the key. It is bound to who sends it, and to the route wherever that stands.
func (o *onceKey) request(p loci.Principal, r *route) app.OnceRequest {
	out := app.OnceRequest{Key: sha256.Sum256([]byte(p.Subject() + "\x00" + r.ID + "\x00" + o.key)), Atomic: r.Atomic}
	o.body.Sum(out.Body[:0])
	return out
}

// again answers a request that was carried out before.
type again[I, O any] func(ctx context.Context, p loci.Principal, in *I, known *app.Repeated) (*O, error)

// repeatable is a route that may be sent under a key.
type repeatable[I, O any] struct {
	do    call[I, O]
	again again[I, O]
	keep  func(*O) any // what is kept of the answer, unless the use case says; nil: nothing
}

// call carries the request out once, if it came under a key.
func (c repeatable[I, O]) call(s *server, r *route) call[I, O] {
	return func(ctx context.Context, p loci.Principal, in *I) (*O, error) {
		x := exchangeOf(ctx)
		if x.once == nil {
			return c.do(ctx, p, in)
		}
		if c.again == nil {
			return nil, loci.FieldErrorf(onceHeader, "is not taken by this route")
		}
		asked := x.once.request(p, r)
		if parts, ok := any(in).(inParts); ok && parts.inParts() {
			asked.Atomic = false
		}
		once, known, err := s.app.BeginOnce(ctx, p, asked)
		if err != nil {
			return nil, err
		}
		if known != nil {
			if err := s.stillMay(ctx, p, r, in); err != nil {
				return nil, err
			}
			x.Header().Set(replayedHeader, "true")
			return c.again(ctx, p, in, known)
		}
		return c.first(ctx, s, r, p, in, once)
	}
}

// inParts is a request of an atomic route that may ask for more than one transaction.
type inParts interface{ inParts() bool }

// stillMay refuses a repetition to whoever may not do the same any more, or does not see the project any more.
func (s *server) stillMay(ctx context.Context, p loci.Principal, r *route, in any) error {
	if err := s.app.Allowed(ctx, p, r.Action); err != nil {
		return err
	}
	if of, ok := in.(interface{ project() loci.ProjectID }); ok && r.ofProject() {
		_, err := s.app.Project(ctx, p, of.project())
		return err
	}
	return nil
}

func (c repeatable[I, O]) first(ctx context.Context, s *server, r *route, p loci.Principal, in *I, once *app.Once) (*O, error) {
	out, err := c.do(once.Carry(ctx, max(r.Status, http.StatusOK)), p, in)
	settled := context.WithoutCancel(ctx) // whoever hung up sends it again
	if err != nil {
		if e := s.app.ForgetOnce(settled, p, once); e != nil {
			s.log.WarnContext(ctx, "a request under a key failed and is taken for one that goes on", "request_id", exchangeOf(ctx).id, "error", e)
		}
		return nil, err
	}
	var kept any
	if c.keep != nil {
		kept = c.keep(out)
	}
	if e := s.app.FinishOnce(settled, p, once, statusOf(out, r), kept); e != nil {
		s.log.WarnContext(ctx, "a request under a key was carried out, but is not known as such", "request_id", exchangeOf(ctx).id, "error", e)
	}
	return out, nil
}

// statusOf is the status of an answer: its own, or that of the route.
func statusOf(out any, r *route) int {
	if f := reflect.ValueOf(out).Elem().FieldByName("Status"); f.IsValid() && f.CanInt() && f.Int() != 0 {
		return int(f.Int())
	}
	return max(r.Status, http.StatusOK)
}

// repeating returns how the route answers again, of those ways that look alike for all routes.
func repeating[I, O any](r *route, do call[I, O]) repeatable[I, O] {
	c := repeatable[I, O]{do: do}
	switch r.Repeat {
	case byReading:
		c.again = func(ctx context.Context, p loci.Principal, in *I, _ *app.Repeated) (*O, error) { return do(ctx, p, in) }
	case byNumbers:
		c.keep = func(out *O) any { return out }
		c.again = func(_ context.Context, _ loci.Principal, _ *I, known *app.Repeated) (*O, error) {
			var out O
			return &out, json.Unmarshal(known.Kept, &out)
		}
	case byRefusing:
		c.again = func(context.Context, loci.Principal, *I, *app.Repeated) (*O, error) { return nil, errShownOnce }
	case byItsOwn:
	}
	return c
}

// addOnce registers a POST route that says itself how it answers again, and what is kept for that.
func addOnce[I, O any](s *server, r route, do call[I, O], again again[I, O], keep func(*O) any) {
	register(s, r, repeatable[I, O]{do, again, keep})
}

// onceParameter documents the header.
var onceParameter = &huma.Param{Name: onceHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(maxOnceKey)},
	Description: "Carry this out once, however often it is sent in a day; another request under the same key is refused with 409. The answer to a repetition has the header " +
		replayedHeader + " and is made anew of what you may see then."}
