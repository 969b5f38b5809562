package arc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
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
	if err == nil && len(a.Columns) > 0 && !slices.Equal(a.Columns, loci.Texts(s.columns)) {
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

// trouble is what kind of thing went wrong in a call.
type trouble int

const (
	unreachable trouble = iota // no answer; the same call may succeed later
	unanswered                 // Arc is there, but can't do it now; the same call may succeed later
	refused                    // Arc does not take this call; the rows may be the reason
	denied                     // Arc knows neither the key nor the database; an operator must act
)

// fault is a failed call. Its text is for the log, not for callers.
type fault struct {
	kind   trouble
	status int
	text   string
	cause  error
}

func (f *fault) Error() string {
	switch {
	case f.cause != nil && f.text == "":
		return "arc: " + f.cause.Error()
	case f.status == 0:
		return "arc: " + f.text
	}
	return fmt.Sprintf("arc: status %d: %s", f.status, f.text)
}

func (f *fault) Unwrap() error { return f.cause }

// faultOf classifies an answer that is no success. Arc answers 500 to rows of a wrong type, too.
func faultOf(status int, body []byte) *fault {
	f := &fault{kind: unanswered, status: status, text: strings.TrimSpace(strings.ToValidUTF8(string(body), "?"))}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound,
		status >= 300 && status <= 399:
		f.kind = denied
	case status != http.StatusTooManyRequests && status != http.StatusRequestTimeout && status <= 500:
		f.kind = refused
	}
	return f
}

func kindOf(err error) trouble {
	if f, ok := errors.AsType[*fault](err); ok {
		return f.kind
	}
	return unreachable
}

// isForeign reports whether Arc found that none of the rows asked for has a column that all of ours
// have. Arc has no codes for its errors, and says so with status 500.
func isForeign(err error) bool {
	var f *fault
	return errors.As(err, &f) && f.status == http.StatusInternalServerError && strings.Contains(f.text, "Binder Error") &&
		slices.ContainsFunc(columns, func(c field) bool {
			return strings.Contains(f.text, `column \"`+string(c.name)+`\" not found`)
		})
}

// unavailable turns an error of a call into what a caller may see. It keeps an error that has a code.
func unavailable(err error) error {
	if err == nil || loci.CodeOf(err) != "" {
		return err
	}
	if errors.Is(err, errEgress) {
		return errEgress
	}
	switch kindOf(err) {
	case denied:
		if strings.Contains(err.Error(), "delete.enabled") { // Arc has no code for it, and status 403 also for keys
			return loci.WrapError(loci.Unavailable, err,
				"the Arc of this org deletes nothing; its operator can allow it (delete.enabled = true)")
		}
		return loci.WrapError(loci.Unavailable, err,
			"Arc refuses the key or the database of this org; an operator can look at them with loci org show-arc")
	case unreachable:
		return loci.WrapError(loci.Unavailable, err, "cannot reach the Arc of this org; try again later")
	}
	return loci.WrapError(loci.Unavailable, err, "the Arc of this org cannot answer; try again later")
}
