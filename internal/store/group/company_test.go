package group

import (
	"math"
	"sync/atomic"
	"testing"
	"time"
)

// TestWritersWaitForCompany requires a batch to wait for as many functions as the last one had, but a single writer for
// nobody.
func TestWritersWaitForCompany(t *testing.T) {
	t.Parallel()
	w := start(t, &memory{})
	nothing := func(*list) error { return nil }
	hold(t.Context(), t, w, func(w *Writer[*list]) { w.companyTime, w.companyTurns = time.Hour, math.MaxInt })()
	for range 3 {
		if err := w.Update(t.Context(), nothing); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range together(t, w, nothing, nothing) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var answered atomic.Bool
	begun, done := make(chan struct{}), make(chan error)
	go func() {
		err := w.Update(t.Context(), func(*list) error { close(begun); return nil })
		answered.Store(true)
		done <- err
	}()
	<-begun
	err := w.Update(t.Context(), func(*list) error {
		if answered.Load() {
			t.Error("the first function was committed alone")
		}
		w.companyTime = 0
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
