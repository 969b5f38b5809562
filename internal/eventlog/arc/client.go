package arc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loci-memory/loci"
)

const (
	maxAnswer    = 64 << 20 // bytes of an answer
	maxErrorText = 4 << 10
	writeTimeout = 30 * time.Second
	probeTimeout = 5 * time.Second
	// maxCalls is how many calls of one org run at the same time.
	maxCalls = 8
)

type client struct {
	binding loci.ArcBinding
	table   table
	http    *http.Client
	timeout time.Duration // of a query
	zstd    *zstd.Encoder
	places  chan struct{} // so that one org leaves connections for the others
}

// String hides the key, also from those who print a whole client.
func (c *client) String() string { return "the Arc of org " + string(c.table.org) }

// samePlace reports whether two clients reach the same events.
func (c *client) samePlace(other *client) bool {
	return c.binding.URL == other.binding.URL && c.binding.Database == other.binding.Database &&
		c.binding.Measurement == other.binding.Measurement
}

type answer struct {
	Success bool     `json:"success"`
	Columns []string `json:"columns"`
	Data    [][]any  `json:"data"`
	Error   string   `json:"error"`
}

// query runs a statement. A measurement that doesn't exist yet has no rows.
func (c *client) query(ctx context.Context, s statement) ([][]any, error) {
	body, err := json.Marshal(map[string]string{"sql": s.text})
	if err != nil {
		return nil, err
	}
	var a answer
	err = c.call(ctx, http.MethodPost, "/api/v1/query", "application/json", body, c.timeout, &a)
	if isForeign(err) {
		return nil, nil
	}
	if err == nil && len(a.Columns) > 0 && !slices.Equal(a.Columns, texts(s.columns)) {
		err = &fault{kind: unanswered, text: fmt.Sprintf("columns %q, want %q", a.Columns, s.columns)}
	}
	if err == nil && !a.Success {
		err = &fault{kind: unanswered, text: "success is false: " + a.Error}
	}
	if err != nil {
		return nil, err
	}
	return a.Data, nil
}

// selects runs a statement of table.selects.
func (c *client) selects(ctx context.Context, what string, columns []column, w window, where condition, tail string) (
	[][]any, error) {
	st, err := c.table.selects(what, columns, w, where, tail)
	if err != nil {
		return nil, err
	}
	return c.query(ctx, st)
}

// write sends rows. Arc answers before they are on its disk.
func (c *client) write(ctx context.Context, body []byte) error {
	return c.call(ctx, http.MethodPost, "/api/v1/write/msgpack", "application/msgpack", c.zstd.EncodeAll(body, nil),
		writeTimeout, nil)
}

// erase deletes the rows that a condition selects.
func (c *client) erase(ctx context.Context, w window, where condition) error {
	s, err := c.table.erases(w, where)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"database": c.binding.Database, "measurement": c.binding.Measurement,
		"where": s.text, "confirm": true})
	if err != nil {
		return err
	}
	var done struct {
		Success bool   `json:"success"`
		Error   string `json:"error"`
	}
	err = c.call(ctx, http.MethodPost, "/api/v1/delete/", "application/json", body, c.timeout, &done)
	if err == nil && !done.Success {
		err = &fault{kind: unanswered, text: "deleting failed: " + done.Error}
	}
	return err
}

// ready asks whether Arc serves.
func (c *client) ready(ctx context.Context) error {
	return c.call(ctx, http.MethodGet, "/ready", "", nil, probeTimeout, nil)
}

// call sends a request and decodes the answer into out, unless that is nil.
func (c *client) call(ctx context.Context, method, path, kind string, body []byte, timeout time.Duration,
	out any) (err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	select {
	case c.places <- struct{}{}:
		defer func() { <-c.places }()
	case <-ctx.Done():
		return &fault{kind: unreachable, cause: ctx.Err()}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.binding.URL+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("x-api-key", c.binding.Key.Reveal())
	req.Header.Set("x-arc-database", c.binding.Database)
	req.Header.Set("User-Agent", "loci")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return &fault{kind: unreachable, cause: err}
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorText)) // the status says enough
		return faultOf(resp.StatusCode, text)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return &fault{kind: unreachable, cause: err}
	}
	if len(text) > maxAnswer {
		return &fault{kind: unanswered, text: fmt.Sprintf("the answer has more than %d bytes", maxAnswer)}
	}
	if out == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // numbers of the queue are larger than a float64 holds exactly
	if err := d.Decode(out); err != nil {
		return &fault{kind: unanswered, cause: err}
	}
	return nil
}

// NewHTTP returns the client through which all calls to Arc go. Without egress, it makes none. It
// never follows a redirect, which would carry the key elsewhere.
func NewHTTP(egress bool) *http.Client {
	h := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if !egress {
		h.Transport = closed{}
		return h
	}
	t := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // the standard library's own
	t.MaxIdleConnsPerHost, t.MaxIdleConns = maxCalls, 0
	t.Proxy = nil // an address of the operator's own network; a proxy would see the key
	t.ResponseHeaderTimeout = time.Minute
	h.Transport = t
	return h
}

type closed struct{}

func (closed) RoundTrip(*http.Request) (*http.Response, error) { return nil, errEgress }

var errEgress = loci.Errorf(loci.Unavailable, "calls to other servers are off (egress), so Arc cannot be asked")
