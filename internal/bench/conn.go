package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"sync"
	"time"
)

// conn is one client's connection. It implements HTTP/1.1 itself, because the load shares the
// processors with the measured server and so must be cheap.
type conn struct {
	tcp     net.Conn
	in      *bufio.Reader
	out     []byte
	headers string // additional headers of each request, lines that end in CRLF
	head    []byte // status and headers of the last answer
	body    []byte // of the last answer
	status  int    // of the last answer
}

func (s *server) dial() (*conn, error) {
	tcp, err := net.Dial("tcp", s.address)
	if err != nil {
		return nil, err
	}
	return &conn{tcp: tcp, in: bufio.NewReaderSize(tcp, 1<<16)}, nil
}

func (c *conn) close() error { return c.tcp.Close() }

// call makes one request and returns the server's own time for it, or 0 if the server reported
// none. body is sent as JSON, unless it is []byte. c.body keeps the body until the next call.
func (c *conn) call(method, path, key string, body any) (time.Duration, error) {
	content, encoded := body.([]byte)
	if body != nil && !encoded {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return 0, err
		}
	}
	c.out = append(c.out[:0], method+" "+path+" HTTP/1.1\r\nHost: "+c.tcp.RemoteAddr().String()+
		"\r\nAuthorization: Bearer "+key+"\r\n"+c.headers+"Content-Type: application/json\r\nContent-Length: "...)
	c.out = strconv.AppendInt(c.out, int64(len(content)), 10)
	c.out = append(append(c.out, "\r\n\r\n"...), content...)
	if _, err := c.tcp.Write(c.out); err != nil {
		return 0, err
	}
	if err := c.read(); err != nil {
		return 0, err
	}
	if c.status >= 300 {
		return 0, fmt.Errorf("%s %s: %d: %s", method, path, c.status, c.body)
	}
	return serverTime(c.value("Server-Timing")), nil
}

// send is call without the server's time: the caller times it, because durability includes the way there.
func (c *conn) send(method, path, key string, body any) error {
	_, err := c.call(method, path, key, body)
	return err
}

// read reads an answer. Package http would take as much of the processors for a small one as the server does.
func (c *conn) read() error {
	c.head = c.head[:0]
	for !bytes.HasSuffix(c.head, []byte("\r\n\r\n")) {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		c.head = append(c.head, line...)
	}
	length, err := strconv.Atoi(c.value("Content-Length"))
	if err != nil {
		return c.readAnyLength()
	}
	_, status, _ := bytes.Cut(c.head, []byte(" "))
	if c.status, err = strconv.Atoi(string(status[:min(len(status), 3)])); err != nil {
		return fmt.Errorf("the server answered %q", c.head)
	}
	c.body = slices.Grow(c.body[:0], length)[:length]
	_, err = io.ReadFull(c.in, c.body)
	return err
}

// readAnyLength reads the body of an answer that does not tell its length.
func (c *conn) readAnyLength() error {
	r, err := http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(c.head), c.in)), nil)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	c.status = r.StatusCode
	c.body, err = io.ReadAll(r.Body)
	return err
}

// value returns a header of the last answer, whose name is written as package http writes it, or "".
func (c *conn) value(name string) string {
	_, after, _ := bytes.Cut(c.head, []byte("\r\n"+name+": "))
	value, _, _ := bytes.Cut(after, []byte("\r\n"))
	return string(value)
}

func (c *conn) header() (http.Header, error) {
	_, fields, _ := bytes.Cut(c.head, []byte("\r\n"))
	h, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(fields))).ReadMIMEHeader()
	return http.Header(h), err
}

// Sample is the result of one step.
type Sample struct {
	Count       int           `json:"count"`        // operations that succeeded
	PerSecond   float64       `json:"per_second"`   // all clients together
	P50         time.Duration `json:"p50_ns"`       // as the client measured it, or as the server reported it
	P95         time.Duration `json:"p95_ns"`       // like P50
	P99         time.Duration `json:"p99_ns"`       // like P50
	ServerTimed bool          `json:"server_timed"` // the percentiles are the server's own time
}

// load runs op over HTTP, each client with a connection of its own.
func (s *server) load(ctx context.Context, clients int, length time.Duration,
	op func(c *conn, client int) (time.Duration, error)) (Sample, error) {
	conns := make([]*conn, clients)
	for i := range conns {
		c, err := s.dial()
		if err != nil {
			return Sample{}, err
		}
		defer func() { _ = c.close() }() // the answers were read
		conns[i] = c
	}
	return run(ctx, clients, length,
		func(_ context.Context, client int) (time.Duration, error) { return op(conns[client], client) })
}

// run calls op from several goroutines at once for the given time. op returns the server's time, or
// 0 to be timed from outside. The first error ends the run.
func run(ctx context.Context, clients int, length time.Duration, op func(context.Context, int) (time.Duration, error)) (
	Sample, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	times := make([][]time.Duration, clients)
	errs := make([]error, clients)
	timed := make([]bool, clients)
	begin := time.Now()
	for c := range clients {
		wg.Go(func() {
			for ctx.Err() == nil && time.Since(begin) < length {
				start := time.Now()
				server, err := op(ctx, c)
				if err != nil {
					errs[c] = err
					cancel()
					return
				}
				if server > 0 {
					timed[c] = true
					times[c] = append(times[c], server)
				} else {
					times[c] = append(times[c], time.Since(start))
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	for _, err := range errs {
		if err != nil {
			return Sample{}, err
		}
	}
	return summarize(slices.Concat(times...), took, timed[0]), nil
}

func summarize(times []time.Duration, took time.Duration, serverTimed bool) Sample {
	if len(times) == 0 {
		return Sample{}
	}
	slices.Sort(times)
	at := func(q float64) time.Duration { return times[min(len(times)-1, int(q*float64(len(times))))] }
	return Sample{Count: len(times), PerSecond: float64(len(times)) / took.Seconds(),
		P50: at(0.50), P95: at(0.95), P99: at(0.99), ServerTimed: serverTimed}
}
