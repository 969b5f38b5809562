package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

// Client calls one server with one credential. It is safe for concurrent use.
type Client struct {
	base    string
	key     loci.Secret
	http    *http.Client
	session loci.SessionID // see InSession
}

// Option configures a new Client.
type Option func(*Client)

// WithHTTP makes a Client send its requests through h.
func WithHTTP(h *http.Client) Option { return func(c *Client) { c.http = h } }

// New returns a Client for the server at baseURL, such as http://127.0.0.1:5624. key is a person's
// or an agent's key. Without a key, only Health and Ready work.
func New(baseURL, key string, options ...Option) *Client {
	c := &Client{base: strings.TrimRight(baseURL, "/"), key: loci.Secret(key),
		http: &http.Client{Timeout: 2 * time.Minute}}
	for _, o := range options {
		o(c)
	}
	return c
}

// Error is an error answer of the server.
type Error struct {
	Status int       // the HTTP status
	Code   loci.Code // stable; "" if the answer did not come from Loci
	Field  string    // the wrong input; may be empty
	// Items has the reasons why items of a call were rejected. The server then applied none of the items.
	Items     []loci.ItemError
	Text      string
	RequestID string // search for it in the server's log
	// StepUpURL is where the person can prove who they are, if Code is StepUp.
	StepUpURL string
	// DuplicateOf is the earlier event, if Loci did not store an event because it has it.
	DuplicateOf loci.EventID
	// Stream is where a stream of events stopped, if it did.
	Stream *StreamStopped
	// RetryAfter is how long to wait, if Code is RateLimited.
	RetryAfter time.Duration
}

// Error returns the server's text.
func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
	}
	return e.Text
}

// CodeOf returns the code of an Error in err's chain, or "".
func CodeOf(err error) loci.Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

// prefix is the path of all routes.
const prefix = "/api/v1"

// maxAnswer is the maximum size of an answer in bytes: a page of 500 memories of 100,000
// characters, with room for escapes.
const maxAnswer = 512 << 20

// version returns an If-Match header for a version. 0 means any version.
func version(n int) http.Header {
	if n == 0 {
		return nil
	}
	return http.Header{"If-Match": {`"` + strconv.Itoa(n) + `"`}}
}

// send sends one request. The body is JSON, or lines of JSON from an io.Reader. The caller closes
// the body of the answer.
func (c *Client) send(ctx context.Context, method, path string, header http.Header, body any) (*http.Response, error) {
	reader, lines := body.(io.Reader)
	if body != nil && !lines {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
		reader = bytes.NewReader(b)
	}
	r, err := c.request(ctx, method, path, header, reader)
	if err != nil {
		return nil, err
	}
	if lines {
		r.Header.Set("Content-Type", "application/x-ndjson")
	} else if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return res, nil
}

// request returns a request with the credential.
func (c *Client) request(ctx context.Context, method, path string, header http.Header,
	body io.Reader) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+prefix+path, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	maps.Copy(r.Header, header)
	r.Header.Set("Accept", "application/json")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key.Reveal())
	}
	if !c.session.IsZero() {
		r.Header.Set(sessionHeader, c.session.String())
	}
	return r, nil
}

// do sends one request and decodes the answer into out. If out is nil, it ignores the answer.
func (c *Client) do(ctx context.Context, method, path string, header http.Header, body, out any) error {
	res, err := c.send(ctx, method, path, header, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("%s %s: read the answer: %w", method, path, err)
	}
	if res.StatusCode/100 != 2 {
		return errorOf(res, b)
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = b
		return nil
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%s %s: the answer is not Loci's: %w", method, path, err)
	}
	return nil
}

func errorOf(res *http.Response, body []byte) error {
	e := &Error{Status: res.StatusCode, RequestID: res.Header.Get("X-Request-Id")}
	var p Problem
	if json.Unmarshal(body, &p) == nil {
		e.Code, e.Field, e.Text, e.StepUpURL, e.Items = loci.Code(p.Code), p.Field, p.Error, p.StepUpURL, p.Items
		e.DuplicateOf, e.Stream = p.DuplicateOf, p.Stream
	}
	if n, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(n) * time.Second
	}
	return e
}

// download writes the answer to a GET request to w.
func (c *Client) download(ctx context.Context, path string, w io.Writer) error {
	res, err := c.send(ctx, http.MethodGet, path, nil, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20)) // if this fails, only text is missing
		return errorOf(res, b)
	}
	if _, err := io.Copy(w, res.Body); err != nil {
		return fmt.Errorf("GET %s: read the answer: %w", path, err)
	}
	return nil
}

func query(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}
