package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
)

// following is a client that follows a server, and what it was told.
type following struct {
	tb     testing.TB
	events chan wire.StreamEvent
	ended  chan error
	cancel context.CancelFunc
}

// followChanges follows the changes on a server from a position on, one attempt only.
func (s *liveServer) followChanges(key, after string) *following {
	ctx, cancel := context.WithCancel(s.tb.Context())
	f := &following{tb: s.tb, events: make(chan wire.StreamEvent), ended: make(chan error, 1), cancel: cancel}
	s.tb.Cleanup(cancel)
	go func() {
		o := wire.FollowOptions{After: after, Wait: func(context.Context, time.Duration) error { return errBroken }}
		f.ended <- wire.New(s.url, key).Follow(ctx, o, func(e wire.StreamEvent) error {
			select {
			case f.events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return f
}

var errBroken = errors.New("the stream broke off")

func (f *following) next() wire.StreamEvent {
	f.tb.Helper()
	select {
	case e := <-f.events:
		return e
	case err := <-f.ended:
		f.tb.Fatalf("the stream ended: %v", err)
	case <-time.After(time.Minute):
		f.tb.Fatal("nothing came")
	}
	return wire.StreamEvent{}
}

// TestChangesAcrossProcesses: one process writes, another one tells of it, is killed, and a third one goes on
// where it was.
func TestChangesAcrossProcesses(t *testing.T) {
	interruptible(t)
	dir, env := t.TempDir(), "LOCI_API_KEY="+shutdownKey
	writer := startServer(t, dir, env)
	teller := startServer(t, dir, env)
	c := wire.New(writer.url, shutdownKey)
	write := func(title string) string {
		m, err := c.Create(t.Context(), wire.NewMemory{Title: title, Content: "c"})
		if err != nil {
			t.Fatal(err)
		}
		return m.ID.String()
	}
	in := teller.followChanges(shutdownKey, "")
	if e := in.next(); e.Kind != wire.StreamReady {
		t.Fatalf("got %+v", e)
	}
	var last wire.StreamEvent
	for _, title := range []string{"one", "two", "three"} {
		id := write(title)
		if last = in.next(); last.Change.ID != id || last.Change.Change != loci.Created {
			t.Fatalf("got %+v, want that %s was created", last, id)
		}
	}
	teller.kill()
	if err := <-in.ended; !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
	want := []string{write("four"), write("five")}
	third := startServer(t, dir, env)
	again := third.followChanges(shutdownKey, last.Position)
	if e := again.next(); e.Kind != wire.StreamReady || e.Position != last.Position {
		t.Errorf("got %+v", e)
	}
	for _, id := range append(want, write("six")) {
		if e := again.next(); e.Change.ID != id {
			t.Errorf("got %+v, want %s", e, id)
		}
	}
	began := time.Now()
	third.stop()
	if took := time.Since(began); took > shutdownPatience/2 {
		t.Errorf("it took %v to stop", took)
	}
	if err := <-again.ended; !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
	writer.stop()
}

// TestChangesOfTheCommandLine follows on the data directory itself, without a server, while another command writes.
func TestChangesOfTheCommandLine(t *testing.T) {
	interruptible(t)
	dir := t.TempDir()
	runLoci(t, dir, "add", "first", "--title", "First")
	at := strings.TrimPrefix(strings.TrimSpace(string(runLoci(t, dir, "changes"))), "position ")
	cmd := lociCommand(t, dir, "changes", "--follow", "--since", at, "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	runLoci(t, dir, "add", "second", "--title", "Second")
	var got shownChange
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&got); err != nil || got.Event != "change" ||
		got.Change.Change != loci.Created {
		t.Fatalf("got %+v, %v", got, err)
	}
	if said := string(runLoci(t, dir, "changes", "--since", at)); !strings.Contains(said,
		got.Change.ID+"  created by cli\nposition ") {
		t.Errorf("got %q", said)
	}
	if said := string(runLoci(t, dir, "changes", "--since", got.Position)); strings.Contains(said, "created") {
		t.Errorf("got %q, want nothing twice", said)
	}
}
