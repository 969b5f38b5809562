// Package arctest is a fake of Arc for tests, in memory. It runs the statements that it gets, and has
// the habits of Arc that were observed and that a client must cope with:
//
//   - a write is answered before its rows are on the disk, and a crash loses them;
//   - rows become visible some seconds later, and after a replay of Arc's log they are there twice;
//   - a measurement that doesn't exist has no columns and no rows, with status 200;
//   - all errors of SQL have status 500, and so have rows with mixed types in a column;
//   - the unit of times is guessed from the first one;
//   - statements have at most 10,000 bytes and must not have some words, and are changed by patterns
//     before they run;
//   - for up to 90 seconds, hours that had no rows keep to have none.
//
// It is no complete Arc: the suite also runs against a real one (test/arc).
package arctest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Fault is what a fake does instead of an answer.
type Fault int

// The faults.
const (
	None  Fault = iota
	Down        // the connection fails
	Slow        // there is no answer until the caller gives up
	Half        // the answer ends in its middle
	Error       // status 500
	Busy        // status 503
	Lost        // the request is executed, but the connection fails before the answer
)

// Arc is a fake instance. Make one with New. Set Delay and Cache before its first use.
type Arc struct {
	// Delay is how long rows stay in memory. Default 5 s.
	Delay time.Duration
	// Cache is how long hours that had no rows keep to have none. Default 90 s.
	Cache time.Duration

	token    string
	fault    func(r *http.Request, body []byte) Fault
	refuse   func(row map[string]any) bool
	noDelete bool
	now      func() time.Time

	mu         sync.Mutex
	databases  map[string]*database
	memory     []buffered
	statements []string
	writes     int
	unzip      *zstd.Decoder
}

// buffered are rows that are in memory only.
type buffered struct {
	database, measurement string
	rows                  []map[string]any
	due                   time.Time
}

// New returns an empty instance that knows one token.
func New(token string) *Arc {
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return &Arc{token: token, Delay: 5 * time.Second, Cache: 90 * time.Second, now: time.Now,
		databases: map[string]*database{}, unzip: unzip}
}

// Close releases what the fake holds.
func (a *Arc) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range a.databases {
		d.close()
	}
	a.unzip.Close()
}

// SetFault decides what happens to a request; nil: it is answered.
func (a *Arc) SetFault(f func(r *http.Request, body []byte) Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fault = f
}

// SetRefuse decides whether a write fails because of a row, whose columns it gets; nil: none does.
func (a *Arc) SetRefuse(f func(row map[string]any) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refuse = f
}

// SetNoDelete makes the instance delete nothing, as is the default of Arc.
func (a *Arc) SetNoDelete(is bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.noDelete = is
}

// SetNow sets the clock. Default: time.Now.
func (a *Arc) SetNow(now func() time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.now = now
}

// Flush puts everything in memory on the disk.
func (a *Arc) Flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flush(a.now().Add(time.Hour))
}

// Crash loses everything in memory.
func (a *Arc) Crash() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flush(a.now())
	a.memory = nil
}

// Replay stores everything on the disk once more, as a restart with Arc's own log does.
func (a *Arc) Replay() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, d := range a.databases {
		d.double()
	}
}

// Insert puts a row of another program on the disk.
func (a *Arc) Insert(database, measurement string, row map[string]any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, ok := row["time"].(time.Time); ok {
		row["time"] = at.UTC().Format(timeLayout)
	}
	a.database(database).insert(measurement, []map[string]any{row})
}

// Rows returns how many rows are on the disk, copies included.
func (a *Arc) Rows() (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flush(a.now())
	for _, d := range a.databases {
		n += d.count()
	}
	return n
}

// Statements returns all statements and conditions of deletions since the last call.
func (a *Arc) Statements() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := a.statements
	a.statements = nil
	return list
}

// Writes returns how many writes were answered with success since the last call.
func (a *Arc) Writes() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.writes
	a.writes = 0
	return n
}

// flush moves what is due to the disk.
func (a *Arc) flush(now time.Time) {
	rest := a.memory[:0]
	for _, b := range a.memory {
		if b.due.After(now) {
			rest = append(rest, b)
			continue
		}
		a.database(b.database).insert(b.measurement, b.rows)
	}
	a.memory = rest
}

func (a *Arc) database(name string) *database {
	d := a.databases[name]
	if d == nil {
		d = newDatabase()
		a.databases[name] = d
	}
	return d
}

// answered is an answer of the fake.
type answered struct {
	status int
	body   any // nil: none
}

func failed(status int, format string, args ...any) answered {
	return answered{status, map[string]any{"success": false, "error": fmt.Sprintf(format, args...), "columns": nil,
		"data": nil}}
}

// handle executes a request.
func (a *Arc) handle(r *http.Request, body []byte) answered {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flush(a.now())
	switch r.URL.Path {
	case "/health":
		return answered{200, map[string]any{"status": "ok"}}
	case "/ready":
		return answered{200, map[string]any{"status": "ready"}}
	}
	if r.Header.Get("x-api-key") != a.token {
		return failed(401, "Invalid or expired token")
	}
	if r.Method != http.MethodPost {
		return failed(405, "Method Not Allowed")
	}
	name := r.Header.Get("x-arc-database")
	switch r.URL.Path {
	case "/api/v1/query":
		return a.query(name, body)
	case "/api/v1/write/msgpack":
		return a.write(name, body)
	case "/api/v1/delete/":
		return a.erase(body)
	}
	return failed(404, "Cannot %s %s", r.Method, r.URL.Path)
}

// ServeHTTP answers over a network, for tests with several processes. It knows no faults.
func (a *Arc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the caller went away
	}
	got := a.handle(r, body)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(got.status)
	if got.body != nil {
		_ = json.NewEncoder(w).Encode(got.body) // the caller went away
	}
}

// errDown is what a caller sees of a connection that fails.
var errDown = fmt.Errorf("connect: connection refused")

// RoundTrip answers without a network, so that tests can stop the time (testing/synctest).
func (a *Arc) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		_ = r.Body.Close()
	}
	a.mu.Lock()
	decide := a.fault
	a.mu.Unlock()
	fault := None
	if decide != nil {
		fault = decide(r, body)
	}
	switch fault {
	case Down:
		return nil, errDown
	case Slow:
		<-r.Context().Done()
		return nil, r.Context().Err()
	case Error:
		return response(r, failed(500, "IO Error: no space left on device"), 0)
	case Busy:
		return response(r, failed(503, "busy"), 0)
	}
	got := a.handle(r, body)
	switch fault {
	case Lost:
		return nil, errDown
	case Half:
		return response(r, got, 20)
	}
	return response(r, got, 0)
}

// response is an answer of which the last bytes are missing.
func response(r *http.Request, got answered, missing int) (*http.Response, error) {
	var text []byte
	if got.body != nil {
		var err error
		if text, err = json.Marshal(got.body); err != nil {
			return nil, err
		}
	}
	var body io.Reader = strings.NewReader(string(text[:max(len(text)-missing, 0)]))
	if missing > 0 {
		body = io.MultiReader(body, broken{})
	}
	return &http.Response{StatusCode: got.status, Status: http.StatusText(got.status), Proto: "HTTP/1.1", ProtoMajor: 1,
		ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(body), Request: r,
		ContentLength: -1}, nil
}

// broken is the end of a body whose connection failed.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
