package rest

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
)

func TestStatusCoversEveryCode(t *testing.T) {
	for _, c := range loci.Codes() {
		if status[c] == 0 {
			t.Errorf("code %q has no HTTP status", c)
		}
	}
	if len(status) != len(loci.Codes()) {
		t.Errorf("the table has %d lines for %d codes", len(status), len(loci.Codes()))
	}
}

func TestProblems(t *testing.T) {
	tests := []struct {
		name   string
		err    error
		status int
		code   string
		text   string
	}{
		{"with a code", loci.FieldErrorf("limit", "is odd"), 400, "invalid", "limit is odd"},
		{"with a hidden cause", loci.WrapError(loci.Full, errors.New("disk sda1"), "the disk is full"), 507, "storage_full", "the disk is full"},
		{"wrapped", errors.Join(loci.Errorf(loci.RateLimited, "wait")), 429, "rate_limited", "wait"},
		{"without a code", errors.New("SELECT secret FROM t"), 500, "internal", "internal error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProblem(tt.err)
			if p.Status != tt.status || p.Code != tt.code || p.Detail != tt.text || p.Problem.Error != tt.text || p.Title != http.StatusText(tt.status) {
				t.Errorf("got %+v, want %d %s %q", p.Problem, tt.status, tt.code, tt.text)
			}
		})
	}
}

// TestNotFoundReadsTheSame is what keeps texts of lower layers from telling
// why something was not found.
func TestNotFoundReadsTheSame(t *testing.T) {
	s := &server{}
	ctx := context.WithValue(context.Background(), exchangeKey{}, &exchange{})
	got := s.fail(ctx, loci.Errorf(loci.NotFound, "memory 5 is claude's"))
	if want := newProblem(errNoMemory); got.Detail != want.Detail || got.Status != 404 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestHosts(t *testing.T) {
	loopback := newHostRule([]string{"localhost", "127.0.0.1", "[::1]"}, "")
	public := newHostRule([]string{"localhost"}, "https://loci.example")
	anyHost := newHostRule(nil, "")
	tests := []struct {
		name         string
		rule         hostRule
		host, origin string
		want         bool
	}{
		{"loopback", loopback, "127.0.0.1:5624", "", true},
		{"IPv6", loopback, "[::1]:5624", "", true},
		{"name in capitals", loopback, "LOCALHOST:5624", "", true},
		{"a rebound name", loopback, "evil.example:5624", "", false},
		{"a rebound name that begins well", loopback, "localhost.evil.example:5624", "", false},
		{"no host", loopback, "", "", false},
		{"own page", loopback, "127.0.0.1:5624", "http://127.0.0.1:5624", true},
		{"page of another port", loopback, "127.0.0.1:5624", "http://127.0.0.1:3000", false},
		{"strange page", loopback, "127.0.0.1:5624", "https://evil.example", false},
		{"file or sandbox", loopback, "127.0.0.1:5624", "null", false},
		{"empty origin", loopback, "127.0.0.1:5624", " ", false},
		{"public name", public, "loci.example", "https://loci.example", true},
		{"public page behind a gateway", public, "localhost:5624", "https://loci.example", true},
		{"public name without TLS", public, "localhost:5624", "http://loci.example", false},
		{"any host", anyHost, "whatever.example", "", true},
		{"any host, strange page", anyHost, "whatever.example", "https://evil.example", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/health", nil)
			r.Host = tt.host
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			if err := tt.rule.check(r); (err == nil) != tt.want {
				t.Errorf("got %v, want allowed = %v", err, tt.want)
			}
		})
	}
}

func TestEntityTags(t *testing.T) {
	for header, want := range map[string]int{"": 0, "*": 0, `"3"`: 3, "3": 3, `W/"3"`: 3, "\t3\t": 3} {
		if got, err := ifVersion(header); err != nil || got != want {
			t.Errorf("If-Match %q: got %d, %v, want %d", header, got, err, want)
		}
	}
	for _, header := range []string{"0", "-1", "+1", `"`, `""`, `"3`, "3.0", `"3","4"`, "three", "99999999999999999999"} {
		if got, err := ifVersion(header); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("If-Match %q: got %d, %v, want an Invalid error", header, got, err)
		}
	}
	m := &loci.Memory{State: loci.State{Version: 3}}
	for header, want := range map[string]bool{`"3"`: true, `W/"3"`: true, "*": true, `"1", "3"`: true, `"4"`: false, `"33"`: false, "": false} {
		if got := noneMatch(header, m); got != want {
			t.Errorf("If-None-Match %q: got %v, want %v", header, got, want)
		}
	}
}

// TestRoutesSayWhoMayCall demands that a route that forgets to does not start.
func TestRoutesSayWhoMayCall(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a route without access was registered")
		}
	}()
	route{ID: "forgetful"}.operation(&server{})
}

func TestScan(t *testing.T) {
	good := []string{`{}`, `"\ud83e\udde0 \\u \" \\\\"`, `{"a":[{"b":"]}"}]}`, `"\u00e9\/"`, `"\\ud800"`}
	for _, body := range good {
		if err := scan([]byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
	bad := []string{"\xff", `"\ud800"`, `"\udc00"`, `"\ud800\u0041"`, `"\ud800x\udc00"`, `"\ud800\\udc00"`, `"\uD83E`, `{"\udfff":1}`}
	for _, body := range bad {
		if scan([]byte(body)) == nil {
			t.Errorf("%s was taken", body)
		}
	}
}

func TestHumaErrorsDoNotLeak(t *testing.T) {
	for code := 400; code < 600; code++ {
		err := huma.NewError(code, "cannot", &huma.ErrorDetail{Message: "must be odd", Location: "body.a", Value: "s3cret"})
		p, ok := err.(*problem)
		if !ok || p.Status == http.StatusUnprocessableEntity || p.Type == "" {
			t.Errorf("%d: got %#v", code, err)
		}
	}
}
