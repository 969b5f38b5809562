package rest

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
)

// Loci carries out a POST under an Idempotency-Key once a day, however often it is sent
// (draft-ietf-httpapi-idempotency-key-header-07). A repetition gets the status, and the rows that the request made or
// changed as they are now, or ids and counts. If Loci keeps nothing of such an answer, or no row is visible any more,
// it gets only an id: nothing comes back that was deleted meanwhile.
const (
	onceHeader     = "Idempotency-Key"
	replayedHeader = "Idempotency-Replayed"
	replayedType   = "application/vnd.loci.replayed+json"
	maxOnceKey     = 255
)

// onceKey is the key of a request, and a hash that grows while its body is read.
type onceKey struct {
	key  string
	body hash.Hash
}

// repeatable reports whether the route takes an Idempotency-Key.
func (r route) repeatable() bool { return r.Method == http.MethodPost && !r.Reads }

// readOnce looks for an Idempotency-Key. It is nil without one.
func readOnce(r *http.Request) (*onceKey, error) {
	sent := r.Header.Values(onceHeader)
	if len(sent) == 0 {
		return nil, nil
	}
	bad := func(c rune) bool { return c < ' ' || c > '~' }
	if key := sent[0]; len(sent) > 1 || len(key) == 0 || len(key) > maxOnceKey || strings.ContainsFunc(key, bad) {
		return nil, loci.FieldErrorf(onceHeader,
			"must be one header of 1 to %d printable ASCII characters; use a new UUID for every request", maxOnceKey)
	}
	once := &onceKey{key: sent[0], body: sha256.New()}
	once.restart(r)
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, once.body), r.Body}
	return once, nil
}

// restart starts the hash again, over parts instead of the body.
func (o *onceKey) restart(r *http.Request, parts ...string) {
	o.body.Reset()
	for _, part := range append([]string{r.URL.Path, r.URL.RawQuery, r.Header.Get("If-Match")}, parts...) {
		_, _ = io.WriteString(o.body, part+"\x00") // a hash takes everything
	}
}

// request returns what Loci stores of the key: a hash of the sender, the route under either of
// its paths, and the key.
func (o *onceKey) request(p loci.Principal, r *route, in any) gate.OnceRequest {
	out := gate.OnceRequest{Key: sha256.Sum256([]byte(p.Subject() + "\x00" + r.ID + "\x00" + o.key)), Atomic: r.Atomic}
	if parts, ok := in.(interface{ inParts() bool }); ok && parts.inParts() {
		out.Atomic = false // each operation has its own transaction
	}
	o.body.Sum(out.Body[:0])
	return out
}

// once wraps do so that a request under a key runs once.
func once[I, O any](s *server, r *route, do call[I, O]) call[I, O] {
	run := s.once(r, typesOf[I, O](), erase(do))
	return func(ctx context.Context, p loci.Principal, in *I) (*O, error) {
		out, err := run(ctx, p, in)
		answer, _ := out.(*O)
		return answer, err
	}
}

func (s *server) once(r *route, types typed, do erased) erased {
	return func(ctx context.Context, p loci.Principal, in any) (any, error) {
		x := exchangeOf(ctx)
		if dry, ok := in.(interface{ reads() bool }); x.once == nil || ok && dry.reads() {
			return do(ctx, p, in)
		}
		begun, known, err := s.app.BeginOnce(ctx, p, x.once.request(p, r, in))
		if err != nil {
			return nil, err
		}
		if known == nil {
			return s.first(ctx, r, p, in, begun, do)
		}
		if err := s.stillMay(ctx, p, r, in); err != nil {
			return nil, err
		}
		x.Header().Set(replayedHeader, "true")
		if out := types.out(); known.Status == http.StatusNoContent ||
			s.repeated(ctx, p, in, out, known) {
			return out, nil
		}
		return nil, &replay{client.Replayed{Replayed: true, Target: known.Target}, known.Status}
	}
}

// replay is the answer to a repetition, in the form in which huma accepts answers of another
// type: an error with a status.
type replay struct {
	client.Replayed
	status int
}

// Error returns the text.
func (r *replay) Error() string { return "carried out before" }

// GetStatus returns the HTTP status of the first answer.
func (r *replay) GetStatus() int { return r.status }

// ContentType distinguishes the answer from the first one.
func (r *replay) ContentType(string) string { return replayedType }

// stillMay rejects a repetition if the caller may no longer do the same, or no longer sees the project.
func (s *server) stillMay(ctx context.Context, p loci.Principal, r *route, in any) error {
	if err := s.app.Allowed(ctx, p, r.Action); err != nil {
		return err
	}
	if of, ok := in.(interface{ project() loci.ProjectID }); ok && r.ofProject() {
		_, err := s.app.Project.Get(ctx, p, of.project())
		return err
	}
	return nil
}

// first runs a request and stores its answer.
func (s *server) first(ctx context.Context, r *route, p loci.Principal, in any, begun *gate.Once, do erased) (any,
	error) {
	out, err := do(begun.Carry(ctx, max(r.Status, http.StatusOK)), p, in)
	settled := context.WithoutCancel(ctx) // a client that hung up sends the request again
	if err != nil {
		if e := s.app.ForgetOnce(settled, p, begun); e != nil {
			s.warn(ctx, "a request under an Idempotency-Key failed, and Loci still takes it for running", e)
		}
		return nil, err
	}
	if e := s.app.FinishOnce(settled, p, begun, answered(out, r)); e != nil {
		s.warn(ctx, "a request under an Idempotency-Key was carried out, and Loci could not record that", e)
	}
	return out, nil
}

// answered returns what Loci stores of an answer: its status, the id of its body if it has one, and what kept returns.
func answered(out any, r *route) gate.Repeated {
	known := gate.Repeated{Status: max(r.Status, http.StatusOK)}
	v := reflect.ValueOf(out).Elem()
	if f := v.FieldByName("Status"); f.IsValid() && f.CanInt() && f.Int() != 0 {
		known.Status = int(f.Int())
	} else if v.NumField() == 0 {
		known.Status = http.StatusNoContent
	}
	if body := reflect.Indirect(v.FieldByName("Body")); body.Kind() == reflect.Struct {
		if id := body.FieldByName("ID"); id.IsValid() {
			known.Target = fmt.Sprint(id)
		}
		if rows := kept(body.Interface()); rows != nil {
			known.Rows, _ = json.Marshal(rows)
		}
	}
	return known
}

func (s *server) warn(ctx context.Context, text string, err error) {
	s.options.Log.WarnContext(ctx, text, "request_id", exchangeOf(ctx).id, "error", err)
}

// onceParameter documents the header.
var onceParameter = &huma.Param{Name: onceHeader, In: "header",
	Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(maxOnceKey)},
	Description: "Carry this request out once a day, however often you send it. A repetition gets the same status, " +
		"the header " + replayedHeader + ", and the rows that the request made or changed as they are now, or ids and " +
		"counts. Secrets do not come again: then, or if you see none of the rows any more, the body is of type " +
		replayedType + " and has the id. Another request under the same key is refused with 409."}
