package sqlitedb

import (
	"testing"
)

// TestScansLeaveViewAlone holds every connection of Scan and asks for a few rows and a write meanwhile.
func TestScansLeaveViewAlone(t *testing.T) {
	t.Parallel()
	const readers = 2
	db := openTemp(t, func(o *Options) { o.Readers = readers })
	release, held := make(chan struct{}), make(chan struct{})
	done := make(chan error, 2*readers)
	for range 2 * readers { // half of them wait
		go func() {
			done <- db.Scan(t.Context(), func(*Conn) error { held <- struct{}{}; <-release; return nil })
		}()
	}
	for range readers {
		<-held
	}
	mustUpdate(t, db, addItem("a"))
	if got := names(t, db); len(got) != 1 { // with one pool this would wait for ever
		t.Errorf("View sees %q", got)
	}
	close(release)
	for range readers {
		<-held
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
