package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/chat"
)

// EndpointOptions configure an endpoint with the embeddings API of OpenAI, as Ollama, llama.cpp, vLLM and TEI have it.
type EndpointOptions struct {
	BaseURL string // required, such as http://127.0.0.1:11434/v1
	APIKey  loci.Secret
	Model   string // required
	// Dims is how many dimensions the vectors have; 0: as many as the model likes.
	Dims int
	// QueryPrefix and DocumentPrefix come before each text, for models that want that, such as "query: ".
	QueryPrefix, DocumentPrefix string
	MaxChars                    int           // of a text that are sent; default DefaultMaxChars
	Timeout                     time.Duration // of a call; default DefaultTimeout
}

// These are the limits of calls.
const (
	DefaultTimeout = 30 * time.Second
	// DefaultMaxChars is how many characters of a text are sent. Most models read fewer tokens.
	DefaultMaxChars = 8_000
	// maxTexts and maxBytes bound the texts of one call.
	maxTexts = 64
	maxBytes = 200 << 10
	// maxAnswer bounds an answer: numbers of 20 characters.
	maxAnswer = maxTexts*MaxDims*20 + 1<<20
)

// Endpoint is a model behind an endpoint.
type Endpoint struct {
	o      EndpointOptions
	client *chat.Client
	name   string
}

// NewEndpoint returns an Endpoint. It sends nothing yet. Invalid if the address is not http(s) or no model is named.
func NewEndpoint(o EndpointOptions) (*Endpoint, error) {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxChars <= 0 {
		o.MaxChars = DefaultMaxChars
	}
	c, err := chat.New(chat.Options{Section: "embed", BaseURL: o.BaseURL, APIKey: o.APIKey, Model: o.Model,
		Timeout: o.Timeout, MaxAnswer: maxAnswer})
	if err != nil {
		return nil, err
	}
	e := &Endpoint{o: o, client: c, name: "endpoint:" + loci.Shorten(c.Host, 60) + "/" + loci.Shorten(o.Model, 100)}
	isCut := len(e.name) < len("endpoint:/"+c.Host+o.Model)
	if isCut || o.Dims > 0 || o.QueryPrefix+o.DocumentPrefix != "" {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%q\n%q\n%q", o.Dims, o.QueryPrefix, o.DocumentPrefix, c.Host+o.Model))
		e.name += "@" + hex.EncodeToString(sum[:4])
	}
	return e, nil
}

// Name implements Model: the host, the model, and a hash of what else changes the vectors.
func (e *Endpoint) Name() string { return e.name }

// Embed implements Model. It sends at most 64 texts and about 200 KB in a call.
func (e *Endpoint) Embed(ctx context.Context, kind Kind, texts []string) ([][]float32, error) {
	prefix := e.o.DocumentPrefix
	if kind == Query {
		prefix = e.o.QueryPrefix
	}
	var out [][]float32
	for len(texts) > 0 {
		n, size := 0, 0
		var some []string
		for n < min(len(texts), maxTexts) {
			text := prefix + loci.FirstRunes(texts[n], e.o.MaxChars)
			if size += len(text); n > 0 && size > maxBytes {
				break
			}
			some, n = append(some, text), n+1
		}
		list, err := e.ask(ctx, some)
		if err != nil {
			return out, err
		}
		if len(out) > 0 && len(out[0]) != len(list[0]) {
			return nil, e.fault("returned vectors of different dimensions", nil)
		}
		out, texts = append(out, list...), texts[n:]
	}
	return out, nil
}

// ask makes one call, and checks what the endpoint answers.
func (e *Endpoint) ask(ctx context.Context, texts []string) ([][]float32, error) {
	list, err := e.client.Embed(ctx, texts, e.o.Dims)
	if err != nil {
		return nil, e.faultOf(err)
	}
	if len(list) != len(texts) {
		return nil, e.fault(fmt.Sprintf("returned %d vectors for %d texts", len(list), len(texts)), nil)
	}
	out := make([][]float32, len(texts))
	for _, v := range list {
		switch {
		case v.Index < 0 || v.Index >= len(out) || out[v.Index] != nil:
			return nil, e.fault("returned vectors that do not belong to the texts", nil)
		case len(v.Values) == 0 || len(v.Values) > MaxDims:
			return nil, e.fault(fmt.Sprintf("returned a vector of %d dimensions; Loci can use 1 to %d", len(v.Values),
				MaxDims), nil)
		case len(v.Values) != len(list[0].Values):
			return nil, e.fault("returned vectors of different dimensions", nil)
		case e.o.Dims > 0 && len(v.Values) != e.o.Dims:
			return nil, e.fault(fmt.Sprintf("returned %d dimensions, not the %d of embed.dimensions; leave that out if the "+
				"model has only one size", len(v.Values), e.o.Dims), nil)
		}
		for _, x := range v.Values {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, e.fault("returned a vector with something that is no number", nil)
			}
		}
		if !slices.ContainsFunc(v.Values, func(x float32) bool { return x != 0 }) {
			f := e.fault("returned zeros instead of a vector", nil)
			f.Refused = true // models that fail at one text have vectors for others
			return nil, f
		}
		out[v.Index] = toUnit(v.Values)
	}
	return out, nil
}

func (e *Endpoint) fault(text string, cause error) *Fault {
	return &Fault{Text: fmt.Sprintf("the embedding endpoint %s %s", e.client.Host, text), cause: cause}
}

// faultOf says what a person can do about a failed call.
func (e *Endpoint) faultOf(err error) *Fault {
	var f *chat.Fault
	if !errors.As(err, &f) {
		return e.fault("could not be asked", err)
	}
	switch f.Status {
	case 0:
		if f.Unreachable {
			return e.fault(fmt.Sprintf("does not answer; check embed.base_url and that it runs (%s)", f.Unwrap()), err)
		}
		return e.fault("returned something that is no embedding; check embed.base_url", err)
	case http.StatusUnauthorized, http.StatusForbidden:
		return e.fault("rejects the key; check embed.api_key", err)
	case http.StatusNotFound:
		return e.fault("does not know the path or the model; check embed.base_url and embed.model", err)
	case http.StatusTooManyRequests:
		return e.pause("asks for a pause", f)
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		out := e.fault(fmt.Sprintf("rejects the texts (HTTP status %d)", f.Status), err)
		out.Refused = true
		return out
	}
	return e.pause("failed", f)
}

// pause is a fault of which the endpoint may say when to ask again.
func (e *Endpoint) pause(text string, f *chat.Fault) *Fault {
	text = fmt.Sprintf("%s (HTTP status %d)", text, f.Status)
	if f.RetryAfter > 0 {
		text += ", to be asked again in " + f.RetryAfter.String()
	}
	out := e.fault(text, f)
	out.RetryAfter = max(f.RetryAfter, 0)
	return out
}
