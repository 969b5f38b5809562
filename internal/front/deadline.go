package front

import (
	"context"
	"io"
	"net/http"
	"time"
)

// Minimum speed of a request body in bytes a second, after a start that every network can meet. A
// slower client could hold its connection, and what it has sent so far, forever.
const (
	bodyGrace = 30 * time.Second
	bodySpeed = 16 << 10
)

const (
	// answerTime is the maximum time for an answer once the request has arrived. It is long because models are slow.
	answerTime = 4 * time.Minute
	// lingering is how long Loci reads and drops the rest of an unread body, so that its sender can read the error.
	lingering = 2 * time.Second
)

// body is the body of a request. It gives each read as much time as the sender has earned by what it sent.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	end     time.Time // until when the body must have arrived, as far as it is known
	moved   int64
	waited  time.Duration
	ended   bool
}

// endStep is how much later the end must be to set deadlines again. Most bodies arrive with their
// request, and to set a deadline costs as much as to read them.
const endStep = time.Second

// bound sets deadlines for the body of a request and for its answer. Streams have none, because
// they stay open until either side ends them.
func bound(x *exchange, r *http.Request) *http.Request {
	if isStream(r) {
		return r
	}
	if r.Body == nil || r.Body == http.NoBody {
		// Only a connection without deadlines returns an error.
		_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(x.start.Add(answerTime))
		return r
	}
	control := http.NewResponseController(x.ResponseWriter)
	x.body = &body{ReadCloser: r.Body, control: control, end: x.start.Add(bodyGrace)}
	_ = control.SetWriteDeadline(x.body.end.Add(answerTime))
	bounded := *r
	bounded.Body = x.body
	return &bounded
}

// Read returns os.ErrDeadlineExceeded if the sender is too slow.
func (b *body) Read(p []byte) (int, error) {
	begin := time.Now()
	end := begin.Add(bodyGrace + time.Duration(b.moved/bodySpeed)*time.Second - b.waited)
	if later := end.Sub(b.end) >= endStep; later || b.waited == 0 {
		_ = b.control.SetReadDeadline(end)
		if later {
			b.end = end
			_ = b.control.SetWriteDeadline(end.Add(answerTime))
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.moved += int64(n)
	b.waited += time.Since(begin)
	if err == io.EOF {
		b.ended = true
		_ = b.control.SetReadDeadline(time.Time{}) // otherwise the server would mistake a long answer for a lost client
	}
	return n, err
}

// linger waits only a moment for the rest of an unread body. The HTTP server reads and drops some of it before it
// sends the answer. all does so with any size: the sender of a large body must learn to send it again later.
func (b *body) linger(all bool) {
	if b != nil && !b.ended {
		_ = b.control.SetReadDeadline(time.Now().Add(lingering))
		if all {
			_, _ = io.Copy(io.Discard, b.ReadCloser)
		}
	}
}

// isStream reports whether the answer to r may stay open.
func isStream(r *http.Request) bool {
	switch r.URL.Path {
	case "/changes", "/api/v1/changes":
		return r.Method == http.MethodGet
	}
	return isMCPPath(r.URL.Path) && r.Method == http.MethodGet
}

// Until returns next with streams that end when ctx does.
func Until(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isStream(r) {
			stream, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			r = r.WithContext(stream)
		}
		next.ServeHTTP(w, r)
	})
}
