package arc_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc"
	"github.com/loci-memory/loci/internal/eventlog/arc/arctest"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
	"github.com/loci-memory/loci/test/random"
)

const jobVariable = "ARC_TEST_JOB"

// TestMain runs the test binary as another process, which stores and delivers events until it is killed.
func TestMain(m *testing.M) {
	if os.Getenv(jobVariable) == "" {
		random.FewerUnderRace()
		os.Exit(m.Run())
	}
	if err := storeForever(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process is a log that uses a directory and an Arc.
type process struct {
	local *embedded.Log
	log   *arc.Log
	stop  func()
}

// begin starts a log that delivers quickly. To it, the claim of a process that was killed is over.
func begin(ctx context.Context, dir, url string) *process {
	local := embedded.Open(embedded.Options{Dir: dir, Now: func() time.Time { return time.Now().Add(2 * time.Minute) }})
	log := arc.New(arc.Options{Local: local, BatchSize: 20, FlushInterval: time.Millisecond, Confirm: time.Millisecond,
		Settle: time.Millisecond, Resend: 100 * time.Millisecond,
		Binding: func(context.Context, loci.OrgID) (loci.ArcBinding, error) {
			return loci.ArcBinding{URL: url, Database: "acme", Measurement: "events", Key: token}, nil
		},
		Orgs: func(context.Context) ([]loci.OrgID, error) { return []loci.OrgID{acme}, nil }})
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		log.Run(ctx)
	}()
	return &process{local, log, func() { cancel(); <-done }}
}

// storeForever prints the ids of events after they were acknowledged.
func storeForever(dir, url string) error {
	ctx := context.Background()
	p := begin(ctx, dir, url)
	for n := 0; ; n++ {
		events := []*loci.Event{event(acme, fmt.Sprint("event ", n)), event(acme, fmt.Sprint("another ", n))}
		if _, err := p.log.Append(ctx, person, events, eventlog.Dedup{}); err != nil {
			return err
		}
		for _, e := range events {
			fmt.Println(e.ID)
		}
	}
}

// Processes that are killed while they store and deliver lose and double nothing, also if Arc loses what
// it has not written to its disk.
func TestKilled(t *testing.T) {
	fake := arctest.New(token)
	fake.Delay, fake.Cache = 10*time.Millisecond, 0
	t.Cleanup(fake.Close)
	server := httptest.NewServer(fake)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "events")
	told := map[string]bool{}
	for round := range 12 {
		cmd := exec.Command(os.Args[0], dir, server.URL)
		cmd.Env = append(os.Environ(), jobVariable+"=1")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for in := bufio.NewScanner(out); in.Scan(); {
			if id := in.Text(); len(id) == 36 { // not cut by the kill
				told[id] = true
			}
			if lines++; lines == 20+37*round {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
		if lines < 20+37*round {
			t.Fatalf("the process ended itself: %s", stderr.String())
		}
		if round%3 == 2 {
			fake.Crash()
		}
	}
	p := begin(t.Context(), dir, server.URL)
	wantAll(t, p, told, "on the way")
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for waiting, deadline := true, time.Now().Add(time.Minute); waiting; <-look.C {
		var err error
		if waiting, err = p.log.Waiting(t.Context(), acme); err != nil || time.Now().After(deadline) {
			t.Fatalf("not everything was delivered: %v", err)
		}
	}
	wantAll(t, p, told, "delivered")
	p.stop()
	if dead, err := p.local.Dead(t.Context(), acme, 0, 10); err != nil || len(dead) > 0 {
		t.Errorf("dead letters: %+v, %v", dead, err)
	}
	if err := p.log.Close(); err != nil {
		t.Error(err)
	}
	if err := p.local.Close(); err != nil {
		t.Error(err)
	}
}

// wantAll fails unless every event that was acknowledged is found, and none twice.
func wantAll(t *testing.T, p *process, told map[string]bool, what string) {
	t.Helper()
	found := map[string]bool{}
	q := eventlog.Query{Limit: 500}
	for {
		page, err := p.log.Find(t.Context(), person, q)
		if err != nil {
			t.Fatalf("%s: %v", what, explain(err))
		}
		for _, e := range page.Events {
			if found[e.ID.String()] {
				t.Errorf("%s: event %s is there twice", what, e.ID)
			}
			found[e.ID.String()] = true
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	for id := range told {
		if !found[id] {
			t.Errorf("%s: event %s was acknowledged, and is lost", what, id)
		}
	}
	if len(found) < len(told) || len(told) == 0 {
		t.Errorf("%s: found %d of %d events", what, len(found), len(told))
	}
}
