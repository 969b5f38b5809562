package sqlitedb

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
	db := openTemp(t)
	nothing := func(*Conn) error { return nil }
	wait := func(d time.Duration) { // only the writer's goroutine reads it
		if err := db.Update(t.Context(), func(*Conn) error {
			db.companyTime, db.companyTurns = d,
				math.MaxInt
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	wait(time.Hour)
	for range 3 {
		if err := db.Update(t.Context(), nothing); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range together(t, db, nothing, nothing) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var answered atomic.Bool
	begun, done := make(chan struct{}), make(chan error)
	go func() {
		err := db.Update(t.Context(), func(*Conn) error { close(begun); return nil })
		answered.Store(true)
		done <- err
	}()
	<-begun
	err := db.Update(t.Context(), func(*Conn) error {
		if answered.Load() {
			t.Error("the first function was committed alone")
		}
		db.companyTime = 0
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
