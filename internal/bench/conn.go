package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// conn is one client's connection. It implements HTTP/1.1 itself, because the load shares the
// processors with the measured server and so must be cheap.
type conn struct {
	tcp     net.Conn
	in      *bufio.Reader
	out     []byte
	headers string      // additional headers of each request, lines that end in CRLF
	header  http.Header // of the last answer
	body    []byte      // of the last answer
	status  int         // of the last answer
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
	r, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	if c.body, err = io.ReadAll(r.Body); err != nil {
		return 0, err
	}
	if c.status = r.StatusCode; c.status >= 300 {
		return 0, fmt.Errorf("%s %s: %s: %s", method, path, r.Status, c.body)
	}
	c.header = r.Header
	return serverTime(r.Header.Get("Server-Timing")), nil
}
