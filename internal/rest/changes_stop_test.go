package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"
)

// blocked is a connection whose client takes nothing: what is written waits for
// the deadline, of which far ones never come.
type blocked struct {
	*httptest.ResponseRecorder
	began, over chan struct{}
	first, last sync.Once
}

func (w *blocked) Write([]byte) (int, error) {
	w.first.Do(func() { close(w.began) })
	<-w.over
	return 0, os.ErrDeadlineExceeded
}

// SetWriteDeadline is what http.ResponseController looks for.
func (w *blocked) SetWriteDeadline(at time.Time) error {
	if time.Until(at) < 5*time.Second {
		w.last.Do(func() { close(w.over) })
	}
	return nil
}

// TestAStuckReaderHoldsNoStop ends a stream while it waits for a client that takes nothing.
func TestAStuckReaderHoldsNoStop(t *testing.T) {
	t.Parallel()
	s, _, _ := newLiveServer(t)
	ctx, stop := context.WithCancel(t.Context())
	w := &blocked{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{}), over: make(chan struct{})}
	r := httptest.NewRequest(http.MethodGet, "/changes", nil).WithContext(ctx)
	r.Host = "127.0.0.1:5624"
	r.Header.Set("Authorization", "Bearer "+claude)
	done := make(chan struct{})
	go func() { defer close(done); s.ServeHTTP(w, r) }()
	<-w.began
	stop()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Error("the stream goes on")
		w.last.Do(func() { close(w.over) })
		<-done
	}
}
