package rest

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/loci-memory/loci"
)

func TestStatusCoversEveryCode(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	tests := []struct {
		name   string
		err    error
		status int
		code   string
		text   string
	}{
		{"with a code", loci.FieldErrorf("limit", "is odd"), 400, "invalid", "limit is odd"},
		{"with a hidden cause", loci.WrapError(loci.Full, errors.New("disk sda1"), "the disk is full"), 507,
			"storage_full", "the disk is full"},
		{"wrapped", errors.Join(loci.Errorf(loci.RateLimited, "wait")), 429, "rate_limited", "wait"},
		{"without a code", errors.New("SELECT secret FROM t"), 500, "internal", "internal error"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProblem(tt.err)
			if p.Status != tt.status || p.Code != tt.code || p.Detail != tt.text || p.Problem.Error != tt.text ||
				p.Title != http.StatusText(tt.status) {
				t.Errorf("got %+v, want %d %s %q", p.Problem, tt.status, tt.code, tt.text)
			}
		})
	}
}

// TestNotFoundReadsTheSame is what keeps texts of lower layers from telling
// why something was not found.
func TestNotFoundReadsTheSame(t *testing.T) {
	t.Parallel()
	s := &server{}
	ctx := context.WithValue(context.Background(), exchangeKey{}, &exchange{})
	for absent, want := range map[missing]string{
		"":     "there is no such memory, or this credential may not see it",
		noTeam: "there is no such team, or this credential may not see it",
	} {
		for _, err := range []error{errAbsent, loci.NoSuchMemory(), loci.Errorf(loci.NotFound, "memory 5 is claude's")} {
			if got := s.fail(ctx, absent, err); got.Detail != want || got.Problem.Error != want || got.Status != 404 {
				t.Errorf("%v of a %q: got %+v, want %q", err, absent, got, want)
			}
		}
	}
}

func TestEntityTags(t *testing.T) {
	t.Parallel()
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
	for header, want := range map[string]bool{`"3"`: true, `W/"3"`: true, "*": true, `"1", "3"`: true, `"4"`: false,
		`"33"`: false, "": false} {
		if got := noneMatch(header, m); got != want {
			t.Errorf("If-None-Match %q: got %v, want %v", header, got, want)
		}
	}
}

// TestRoutesSayWhoMayCall demands that a route that forgets to does not start.
func TestRoutesSayWhoMayCall(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a route without access was registered")
		}
	}()
	route{ID: "forgetful"}.operation(&server{})
}

func TestHumaErrorsDoNotLeak(t *testing.T) {
	t.Parallel()
	for code := 400; code < 600; code++ {
		err := huma.NewError(code, "cannot", &huma.ErrorDetail{Message: "must be odd", Location: "body.a", Value: "s3cret"})
		p, ok := err.(*problem)
		if !ok || p.Status == http.StatusUnprocessableEntity || p.Type == "" {
			t.Errorf("%d: got %#v", code, err)
		}
	}
}
