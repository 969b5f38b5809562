package rest

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/loci-memory/loci"
)

// The slowest that a file may come or go, in bytes a second, after a start that any network has time for. The bounds of
// other requests would end a large file over a slow line.
const (
	transferGrace = 2 * time.Minute
	slowest       = 16 << 10
)

// pace gives a transfer as much time as it has made way.
type pace struct {
	start time.Time
	moved int64
}

func (p *pace) deadline() time.Time {
	return p.start.Add(transferGrace + time.Duration(p.moved/slowest)*time.Second)
}

// errSlow is the answer to a body that comes too slowly.
var errSlow error = problemOf(http.StatusRequestTimeout, string(loci.Invalid), "", "the body did not arrive in time; send it again")

// incoming is the body of a request that is read as it comes.
type incoming struct {
	x    *exchange
	body io.Reader
	pace pace
	end  error // what the body ended with; nil: it has not been read to its end
}

func receive(x *exchange) *incoming {
	return &incoming{x: x, body: x.request.Body, pace: pace{start: time.Now()}}
}

// Read gives errors of the connection the text that the sender needs.
func (in *incoming) Read(b []byte) (int, error) {
	if in.end != nil {
		return 0, in.end
	}
	c := http.NewResponseController(in.x.ResponseWriter)
	_ = c.SetReadDeadline(in.pace.deadline()) // only a connection that cannot have deadlines refuses them
	_ = c.SetWriteDeadline(in.pace.deadline().Add(transferGrace))
	n, err := in.body.Read(b)
	in.pace.moved += int64(n)
	switch {
	case err == nil || errors.Is(err, io.EOF):
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = errSlow
	default:
		err = loci.WrapError(loci.Invalid, err, "the body could not be read to its end; send it again")
	}
	in.end = err
	return n, err
}

// finish lets the connection be used again if the whole body was read, and otherwise ends it: what is still to come is not
// waited for.
func (in *incoming) finish() {
	c := http.NewResponseController(in.x.ResponseWriter)
	if errors.Is(in.end, io.EOF) {
		_ = c.SetReadDeadline(time.Time{})
		return
	}
	in.x.Header().Set("Connection", "close")
	_ = c.SetReadDeadline(time.Now().Add(lingering))
}

// lingering is how long what is left of a refused body is thrown away, so that its sender gets to read the refusal.
const lingering = 2 * time.Second

// outgoing is the answer that a file goes into. It keeps what http.ServeContent says of a request that it refuses.
type outgoing struct {
	*exchange
	pace    pace
	refused int
}

// WriteHeader notes a refusal instead of sending it.
func (o *outgoing) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		o.refused = status
		return
	}
	o.exchange.WriteHeader(status)
}

// Write sends a part of the file, or drops the text of a refusal.
func (o *outgoing) Write(b []byte) (int, error) {
	if o.refused != 0 {
		return len(b), nil
	}
	_ = http.NewResponseController(o.exchange.ResponseWriter).SetWriteDeadline(o.pace.deadline())
	n, err := o.exchange.Write(b)
	o.pace.moved += int64(n)
	return n, err
}
