package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
)

// TestEventsAcrossProcesses: a server and commands at the data directory log to one log, and each knows at once what
// the other did with a session.
func TestEventsAcrossProcesses(t *testing.T) {
	interruptible(t)
	dir, env := t.TempDir(), "LOCI_API_KEY="+shutdownKey
	server := startServer(t, dir, env)
	c := wire.New(server.url, shutdownKey)
	session, err := c.CreateSession(t.Context(), wire.NewSession{Title: "work", Reach: loci.ReachPrivate})
	if err != nil {
		t.Fatal(err)
	}
	cmd := lociCommand(t, dir, "events", "tail", "--follow", "--json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	tail := json.NewDecoder(bufio.NewReader(out))
	for i := range 3 {
		if i%2 == 0 {
			if _, err := c.LogEvent(t.Context(), wire.NewEvent{Content: fmt.Sprint(i), Session: "work"}); err != nil {
				t.Fatal(err)
			}
		} else {
			runLoci(t, dir, "events", "log", fmt.Sprint(i), "--session", "work")
		}
		var got loci.Event
		if err := tail.Decode(&got); err != nil || got.Content != fmt.Sprint(i) || got.SessionID != session.ID {
			t.Fatalf("event %d: got %+v, %v", i, got, err)
		}
	}
	_, err = c.LogEvent(t.Context(), wire.NewEvent{Content: "1"})
	if wire.CodeOf(err) != loci.Conflict {
		t.Errorf("a duplicate of another process: %v", err)
	}
	runLoci(t, dir, "session", "close", "work")
	_, err = c.LogEvent(t.Context(), wire.NewEvent{Content: "late", Session: session.ID.String()})
	if wire.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), "is closed") {
		t.Errorf("in a session that another process has closed: %v", err)
	}
	server.kill()
	if said := string(runLoci(t, dir, "events", "list", "--session", session.ID.String(), "--json")); strings.Count(said,
		`"content"`) != 3 {
		t.Errorf("after the server was killed: %s", said)
	}
	server = startServer(t, dir, env)
	stats, err := wire.New(server.url, shutdownKey).EventStats(t.Context(), wire.EventConditions{})
	if err != nil || stats.Total != 3 {
		t.Errorf("after the next start: %+v, %v", stats, err)
	}
	server.stop()
}
