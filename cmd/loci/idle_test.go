package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// A server gives memory back once after each time without requests, and after its start.
func TestIdleServersGiveMemoryBack(t *testing.T) {
	t.Parallel()
	var requests atomic.Uint64
	h := counted(&requests, http.NotFoundHandler())
	var i idleness
	for n, step := range []struct{ asked, want bool }{
		{false, true}, {false, false}, {true, false}, {false, true}, {false, false}, {true, false}, {true, false},
		{false, true},
	} {
		if step.asked {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		}
		if got := i.begins(requests.Load()); got != step.want {
			t.Errorf("step %d: %v, want %v", n, got, step.want)
		}
	}
}
