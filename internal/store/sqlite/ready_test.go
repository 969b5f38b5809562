package sqlite

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// Whoever asks whether the store is ready, and how often, makes it write no
// more than once in two seconds; a disk that takes no writes is noticed then.
func TestReadyWritesSeldom(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := openStore(t, Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	wantProbed := func(at time.Time) {
		t.Helper()
		var got time.Time
		err := s.meta.View(bg, func(c *sqlitedb.Conn) error {
			_, err := c.One("SELECT at FROM heartbeat", nil,
				func(r *sqlitedb.Row) error { got = sqlstore.TimeAt(r, 0); return nil })
			return err
		})
		if err != nil || !got.Equal(at) {
			t.Errorf("the last write was at %v, %v; want %v", got, err, at)
		}
	}
	ready := func(want loci.Code) {
		t.Helper()
		if err := s.Ready(bg); loci.CodeOf(err) != want || (err == nil) != (want == "") {
			t.Errorf("Ready: %v, want %q", err, want)
		}
	}
	first := now
	ready("")
	for range 50 {
		now = now.Add(probeLife / 60)
		ready("")
	}
	wantProbed(first)
	now = first.Add(probeLife)
	ready("")
	wantProbed(now)

	breakDisk := func(sql string) {
		t.Helper()
		if err := s.meta.Update(bg, func(c *sqlitedb.Conn) error { return c.Exec(sql) }); err != nil {
			t.Fatal(err)
		}
	}
	breakDisk("CREATE TRIGGER full BEFORE UPDATE ON heartbeat BEGIN SELECT RAISE(FAIL, 'no room'); END")
	ready("") // not noticed yet
	now = now.Add(probeLife)
	if err := s.Ready(bg); err == nil {
		t.Error("Ready after the probe's life: no error from a disk that takes no writes")
	}
	breakDisk("DROP TRIGGER full")
	if err := s.Ready(bg); err == nil {
		t.Error("a failure is probed again at once")
	}
	now = now.Add(probeLife)
	ready("")
	now = now.Add(-time.Hour) // a clock that was set back
	ready("")
	wantProbed(now)
}

// A caller who leaves says nothing about the disk.
func TestReadyForgetsWhoLeft(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := openStore(t, Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	busy, release := make(chan struct{}), make(chan struct{})
	held, left := make(chan error, 1), make(chan error, 1)
	go func() {
		held <- s.meta.Update(bg, func(*sqlitedb.Conn) error { close(busy); <-release; return nil })
	}()
	<-busy
	ctx, cancel := context.WithCancel(bg)
	go func() { left <- s.Ready(ctx) }()
	for len(s.probe.turn) == 0 { // until it probes
		runtime.Gosched()
	}
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("Ready of one who left: %v", err)
	}
	close(release)
	if err := errors.Join(<-held, s.Ready(bg)); err != nil {
		t.Errorf("the next one: %v", err)
	}
}
