package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

// pathNouns are the nouns of ids in paths, by the part of the path before the id. fieldNouns are those of parameters
// and fields.
var pathNouns = map[string]missing{"memories": noMemory, "projects": noProject, "memory-nodes": noNode,
	"candidates": noCandidate, "assets": noAsset, "sources": noSource,
	"suggestions": noSuggestion, "golden": noGolden}
var fieldNouns = map[string]missing{"project_id": noProject, "project_ids": noProject, "agent_id": noAgent,
	"session_id": noSession, "written_in": noSession, "memory_id": noMemory, "supersedes": noMemory,
	"corrects": noMemory, "expected": noMemory, "id": noMemory, "ids": noMemory, "others": noCandidate}

// speller replaces names, short ids and times in a request before validation, so that handlers know only whole ids and
// times in RFC 3339. known has the ids that it has found.
type speller struct {
	*server
	op    *huma.Operation
	x     *exchange
	known map[string]string
}

// head replaces what is in the path and the query. It leaves a path that names nothing, so that the answer equals
// that of an unknown id.
func (w *speller) head(r *http.Request) error {
	before, _, _ := strings.Cut(w.op.Path, "/{id}")
	if noun := pathNouns[before[strings.LastIndex(before, "/")+1:]]; noun != "" {
		if err := w.path(r, noun, "id"); err != nil {
			return err
		}
	}
	if r.PathValue("item") != "" {
		if err := w.path(r, noItem, "item"); err != nil {
			return err
		}
	}
	query := r.URL.Query()
	for _, at := range w.op.Parameters {
		text := query.Get(at.Name)
		if at.In != "query" || text == "" {
			continue
		}
		spelt, err := w.text(at.Name, at.Schema.Format, text)
		if err != nil {
			return about(at.Name, err)
		}
		if spelt != text {
			query.Set(at.Name, spelt)
			r.URL.RawQuery = query.Encode()
		}
	}
	return nil
}

// path replaces an id in the path.
func (w *speller) path(r *http.Request, noun missing, name string) error {
	id, err := w.id(noun, r.PathValue(name))
	if err != nil && loci.CodeOf(err) != loci.NotFound && loci.FieldOf(err) == "" {
		return err
	}
	r.SetPathValue(name, cmp.Or(id, r.PathValue(name)))
	return nil
}

// readAhead is how many bytes are reserved for a body that says how long it is.
const readAhead = 64 << 10

// body replaces what is in the body, up to where that is no JSON.
func (w *speller) body(r *http.Request) error {
	if w.x.route.Raw || w.op.RequestBody == nil || w.op.RequestBody.Content[jsonType] == nil {
		return nil
	}
	var sent bytes.Buffer
	sent.Grow(int(min(max(r.ContentLength, 0), readAhead)) + bytes.MinRead)
	_, failed := sent.ReadFrom(io.LimitReader(r.Body, w.op.MaxBodyBytes))
	data := sent.Bytes()
	dec, out, done := jsontext.NewDecoder(bytes.NewReader(data)), []byte(nil), int64(0)
	for err := failed; err == nil && int64(len(data)) < w.op.MaxBodyBytes && dec.PeekKind() > 0; {
		within, n := dec.StackIndex(dec.StackDepth())
		if isName := within == '{' && n%2 == 0; isName || dec.PeekKind() != '"' {
			_, err = dec.ReadToken()
			continue
		}
		var raw jsontext.Value
		if raw, err = dec.ReadValue(); err != nil {
			break
		}
		spelt, refused := w.value(dec.StackPointer(), raw)
		if refused != nil {
			refused = about(loci.FieldAt(dec.StackPointer(), 0), refused)
			if !w.apart(data, dec.StackPointer(), refused) {
				return refused
			}
			spelt = loci.NewMemoryID().String() // for the validation; the operation fails before it is used
		}
		if spelt != "" {
			end := dec.InputOffset()
			out, done = strconv.AppendQuote(append(out, data[done:end-int64(len(raw))]...), spelt), end
		}
	}
	if done > 0 {
		data = append(out, data[done:]...)
	}
	r.Body = &readAgain{bytes.NewReader(data), r.Body, failed}
	return nil
}

// apart reports whether an error rejects only one operation of a bulk call in parts. It keeps the error for that.
func (w *speller) apart(data []byte, at jsontext.Pointer, err error) bool {
	var call struct{ Atomic *bool }
	code, path := loci.CodeOf(err), strings.Split(string(at), "/")
	if w.x.route.ID != bulkMemories || code != loci.NotFound && code != loci.Invalid || w.x.unnamed == nil &&
		(json.Unmarshal(data, &call) != nil || call.Atomic == nil || *call.Atomic) {
		return false
	}
	if w.x.unnamed == nil {
		w.x.unnamed = map[int]error{}
	}
	i, _ := strconv.Atoi(path[2]) // only operations have ids
	w.x.unnamed[i] = cmp.Or(w.x.unnamed[i], err)
	w.known[string(at)] = "" // it counts
	return true
}

// value returns a string of the body as handlers read it, or "" if that is the same.
func (w *speller) value(at jsontext.Pointer, raw jsontext.Value) (string, error) {
	name, schema := "", w.op.RequestBody.Content[jsonType].Schema
	for token := range at.Tokens() {
		if schema.Ref != "" {
			schema = w.api.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
		}
		if schema.Items != nil {
			schema = schema.Items
		} else if name, schema = token, schema.Properties[token]; schema == nil {
			return "", nil
		}
	}
	if schema.Format == "" {
		return "", nil
	}
	text, _ := jsontext.AppendUnquote(nil, raw) // the decoder has checked it
	spelt, err := w.text(name, schema.Format, string(text))
	if spelt == string(text) {
		spelt = ""
	}
	return spelt, err
}

// text returns the value of a field as handlers read it. It leaves a time that it cannot read: validation rejects it.
func (w *speller) text(name, format, text string) (string, error) {
	noun, reviews := fieldNouns[name], strings.Contains(w.op.Path, "/review/")
	switch {
	case format == "date-time":
		_, notExact := time.Parse(time.RFC3339, text)
		ahead := name == "expires_at" || name == "expiresAt" || name == "until" && reviews
		if t, err := loci.ParseTimeNear(text, w.options.Now().UTC(), ahead); notExact != nil && err == nil {
			return t.Format(time.RFC3339Nano), nil
		}
	case format == "uuid" && reviews && name == "ids":
		return w.id(noCandidate, text)
	case format == "uuid" && (name == "parent_id" || name == "before") && strings.Contains(w.op.Path, "/items"):
		return w.id(noItem, text)
	case format == "uuid" && noun != "":
		return w.id(noun, text)
	}
	return text, nil
}

// id returns the whole id of the thing that text names.
func (w *speller) id(noun missing, text string) (string, error) {
	if _, err := loci.ParseMemoryID(text); err == nil || text == "" {
		return text, nil
	}
	key := string(noun) + " " + text
	if w.known[key] != "" {
		return w.known[key], nil
	}
	if len(w.known) == loci.MaxIDs {
		return "", loci.Errorf(loci.TooLarge, "the request has more than %d names and short ids; send whole ids", loci.MaxIDs)
	}
	ctx, p := w.x.request.Context(), w.x.principal
	if err := w.app.Allowed(ctx, p, w.x.route.Action); err != nil { // before any other error
		return "", err
	}
	id, err := w.named(ctx, p, noun, text)
	if err != nil {
		return "", err
	}
	w.known[key] = id.String()
	return w.known[key], nil
}

func (w *speller) named(ctx context.Context, p loci.Principal, noun missing, text string) (fmt.Stringer, error) {
	switch noun {
	case noMemory:
		return w.app.Memory.Resolve(ctx, p, text)
	case noProject:
		x, err := w.app.Project.Named(ctx, p, text)
		return x.ID, err
	case noAgent:
		x, err := w.app.Agent.Get(ctx, p, text)
		return x.ID, err
	case noSession:
		x, err := w.app.Agent.Session(ctx, p, text)
		return x.ID, err
	case noNode:
		return w.app.Node.Find(ctx, p, text)
	case noAsset:
		return w.app.Memory.ResolveAsset(ctx, p, text)
	case noSuggestion:
		all, err := gate.AllPages(func(cursor string) (gate.Page[loci.Suggestion], error) {
			return w.app.Memory.Suggestions(ctx, p, memory.SuggestionsRequest{Limit: gate.MaxPage, Cursor: cursor})
		})
		return gate.FindID(p, text, string(noun), all, err, func(g loci.Suggestion) loci.SuggestionID { return g.ID })
	case noItem:
		all, err := w.app.Node.Items(ctx, p, idOf[loci.NodeID](w.x.request.PathValue("id")))
		return gate.FindID(p, text, string(noun), all, err, func(i loci.NodeItem) loci.NodeItemID { return i.ID })
	case noGolden:
		all, err := w.app.Golden.List(ctx, p)
		return gate.FindID(p, text, string(noun), all, err, func(q loci.GoldenQuestion) loci.GoldenID { return q.ID })
	case noSource:
		return w.app.Memory.ResolveSource(ctx, p, text)
	}
	return w.app.Review.Find(ctx, p, text)
}

// about returns an error of id as one about a field.
func about(field string, err error) error {
	if code := loci.CodeOf(err); loci.FieldOf(err) == "" && (code == loci.NotFound || code == loci.Invalid) {
		return loci.WrapFieldError(field, err, "cannot be resolved: %s", loci.SafeText(err))
	}
	return loci.AtField(err, field)
}
