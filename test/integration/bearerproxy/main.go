// Command bearerproxy forwards HTTP on a loopback port to a Loci server and
// adds the bearer token from BEARER_TOKEN to each request, for test tools that
// cannot send one. Host and Origin stay as sent, so that the checks against
// DNS rebinding reach the server behind it. It is for tests: whoever reaches
// the port has the token's rights.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"time"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "loopback address to listen on")
	target := flag.String("target", "", "base URL of the server, such as http://127.0.0.1:5624")
	flag.Parse()
	if err := run(*listen, *target, os.Getenv("BEARER_TOKEN")); err != nil {
		log.Fatal("bearerproxy: ", err)
	}
}

func run(listen, target, token string) error {
	if token == "" {
		return errors.New("BEARER_TOKEN is empty")
	}
	upstream, err := url.Parse(target)
	if err != nil || upstream.Host == "" {
		return fmt.Errorf("--target %q is not a URL with a host", target)
	}
	addr, err := netip.ParseAddrPort(listen)
	if err != nil || !addr.Addr().IsLoopback() {
		return fmt.Errorf("--listen %q is not a loopback address with a port", listen)
	}
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	srv := &http.Server{Handler: newProxy(upstream, token), ReadHeaderTimeout: 10 * time.Second}
	return srv.Serve(ln)
}

// newProxy returns the handler that forwards to upstream with token. It
// flushes at once, because MCP streams events. A message is read whole before it
// is sent on, and goes over a connection of its own: a client that writes on a
// bare socket may close its side at once and still wait for the answer, and what
// package http makes of that must not cut the answer off.
func newProxy(upstream *url.URL, token string) http.Handler {
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     &http.Transport{DisableKeepAlives: true},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(upstream)
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+token)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return // the client has gone away
			}
			r = r.WithContext(context.WithoutCancel(r.Context()))
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		proxy.ServeHTTP(w, r)
	})
}
