package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

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
