// Package chat asks models through OpenAI-compatible endpoints that the operator configures, for answers and for
// embeddings. It knows nothing of what is asked. One invariant: nothing that an endpoint answers besides the model's
// text leaves this package, because some endpoints repeat the key and the question in their errors.
package chat

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/loci-memory/loci"
)

// Options configure an endpoint.
type Options struct {
	Section     string // of the settings, for errors; default chat
	BaseURL     string // required, such as http://127.0.0.1:11434/v1
	APIKey      loci.Secret
	Model       string // required
	Temperature float64
	MaxTokens   int           // of an answer; default 1024
	Timeout     time.Duration // of a call; default 60 s
	MaxAnswer   int64         // bytes of an answer; default 4 MiB
}

// Client asks one model. It is safe for concurrent use.
type Client struct {
	Options
	Host   string // of the endpoint
	client *openai.Client
}

// New returns a Client. Invalid if the address is not http(s) or no model is named.
func New(o Options) (*Client, error) {
	o.Section = cmp.Or(o.Section, "chat")
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, loci.Errorf(loci.Invalid,
			"%s.base_url must be an http or https address, like http://127.0.0.1:11434/v1", o.Section)
	}
	if o.Model == "" {
		return nil, loci.Errorf(loci.Invalid, "%s.model must name a model", o.Section)
	}
	o.MaxTokens, o.Timeout = cmp.Or(max(o.MaxTokens, 0), 1024), cmp.Or(max(o.Timeout, 0), time.Minute)
	o.MaxAnswer = cmp.Or(max(o.MaxAnswer, 0), 4<<20)
	c := &Client{Options: o, Host: u.Host}
	config := openai.DefaultConfig(o.APIKey.Reveal())
	config.BaseURL = o.BaseURL
	config.HTTPClient = &http.Client{Timeout: o.Timeout, Transport: bounded(o.MaxAnswer), CheckRedirect: c.refuseRedirect}
	c.client = openai.NewClientWithConfig(config)
	return c, nil
}

// bounded is a transport that fails if an answer has more bytes.
type bounded int64

func (most bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Close = true // net/http logs what an endpoint sends on a connection that waits for the next question
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, int64(most))
	}
	return res, err
}

// refuseRedirect makes sure that memories go only to the host in the settings.
func (c *Client) refuseRedirect(*http.Request, []*http.Request) error { return redirected(c.Section) }

// redirected is the error of an endpoint that redirects. Its text is the section of the settings.
type redirected string

func (section redirected) Error() string {
	return fmt.Sprintf("it redirects; set %s.base_url to its final address", string(section))
}

// Question is what to ask.
type Question struct {
	System string // "": none
	Prompt string
	Schema json.RawMessage // of the answer, a JSON schema with the name Name; nil: the answer is text
	Name   string
}

// Answer is what the model says.
type Answer struct {
	Text   string
	Tokens int // of the question and the answer, as the endpoint counts them; 0: unknown
}

// Ask asks once. It fails with a *Fault, which may be shown to the operator.
func (c *Client) Ask(ctx context.Context, q Question) (Answer, error) {
	// The library omits a zero, and then the endpoint would use its own default.
	temperature := max(float32(c.Temperature), math.SmallestNonzeroFloat32)
	request := openai.ChatCompletionRequest{Model: c.Model, Temperature: temperature,
		MaxTokens: c.MaxTokens} //nolint:staticcheck // compatible servers know max_tokens but not its successor
	if q.System != "" {
		request.Messages = append(request.Messages,
			openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: q.System})
	}
	request.Messages = append(request.Messages,
		openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: q.Prompt})
	if q.Schema != nil {
		request.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: q.Name, Schema: q.Schema, Strict: true}}
	}
	answer, err := c.client.CreateChatCompletion(ctx, request)
	if err != nil {
		return Answer{}, faultOf(err, answer.Header())
	}
	if len(answer.Choices) == 0 || answer.Choices[0].Message.Content == "" {
		return Answer{}, &Fault{cause: errors.New("the model returned no text")}
	}
	return Answer{answer.Choices[0].Message.Content, answer.Usage.TotalTokens}, nil
}

// Embed asks for a vector of each text. dims is how many dimensions they are to have; 0: as many as the model likes.
// The list may be anything that the endpoint answered: it need not fit the texts. It fails with a *Fault, which may
// be shown to the operator.
func (c *Client) Embed(ctx context.Context, texts []string, dims int) ([]Vector, error) {
	answer, err := c.client.CreateEmbeddings(ctx, openai.EmbeddingRequest{Input: texts,
		Model: openai.EmbeddingModel(c.Model), EncodingFormat: openai.EmbeddingEncodingFormatFloat, Dimensions: dims})
	if err != nil {
		return nil, faultOf(err, answer.Header())
	}
	return loci.Mapped(answer.Data, func(d openai.Embedding) Vector { return Vector{d.Index, d.Embedding} }), nil
}

// Vector is the vector of the text at Index.
type Vector struct {
	Index  int
	Values []float32
}

// Fault is why an endpoint gave no answer. It has nothing of what the endpoint wrote.
type Fault struct {
	Status      int           // of HTTP, if the endpoint refused; 0: it did not
	Unreachable bool          // the endpoint did not answer at all, or not in time
	RetryAfter  time.Duration // which the endpoint asks for; negative: it asks for none
	cause       error
}

// Error implements error.
func (f *Fault) Error() string {
	if f.Status != 0 {
		return fmt.Sprintf("chat endpoint: HTTP status %d", f.Status)
	}
	return fmt.Sprintf("chat endpoint: %s", f.cause)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.cause }

func faultOf(err error, header http.Header) *Fault {
	f := &Fault{RetryAfter: -1}
	var api *openai.APIError
	var request *openai.RequestError
	var transport *url.Error
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		f.cause = errors.New("the answer is too long")
	case errors.As(err, &api):
		f.Status = api.HTTPStatusCode
	case errors.As(err, &request):
		f.Status = request.HTTPStatusCode
	case errors.As(err, &transport):
		f.Unreachable, f.cause = true, causeOf(transport.Err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		f.Unreachable, f.cause = true, causeOf(err) // while the answer arrived
	default:
		f.cause = fmt.Errorf("unreadable answer (%T)", err)
	}
	if s, err := strconv.Atoi(header.Get("Retry-After")); err == nil && s >= 0 {
		f.RetryAfter = time.Duration(min(s, maxRetryAfter)) * time.Second
	}
	return f
}

// causeOf returns the part of an error of HTTP that has nothing of an answer. An error about a line of the answer
// repeats that line, and a timeout repeats what went wrong before it.
func causeOf(err error) error {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var redirect redirected
	var slow interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &network):
		return network
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return context.DeadlineExceeded
	case errors.As(err, &certificate):
		return certificate
	case errors.As(err, &record):
		return record
	case errors.Is(err, http.ErrSchemeMismatch):
		return http.ErrSchemeMismatch
	case errors.As(err, &redirect):
		return redirect
	}
	return errBroken
}

var errBroken = errors.New("broken HTTP answer")

// maxRetryAfter is the longest pause in seconds that an endpoint may ask for; a longer one is the same.
const maxRetryAfter = 24 * 60 * 60
