package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

const (
	writers  = 16
	perWrite = 12
)

// acknowledged are the writes that were answered with success, by id.
type acknowledged struct {
	mu      sync.Mutex
	content map[string]string
}

func (a *acknowledged) add(id, content string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.content == nil {
		a.content = map[string]string{}
	}
	a.content[id] = content
	return len(a.content)
}

// TestConcurrentWriters writes from 16 goroutines over one stdio connection
// and from 16 clients over HTTP, all at once on one data directory.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server := startServer(t, dir)
	key := server.key("claude")
	stdio := stdioAssistant(t, "cursor", dir)
	var acks acknowledged
	var running sync.WaitGroup
	for i := range writers {
		overHTTP := server.assistant(fmt.Sprint("claude-", i), key)
		for _, a := range []*assistant{stdio, overHTTP} {
			running.Go(func() {
				for n := range perWrite {
					content := fmt.Sprintf("%s, writer %d, write %d", a.name, i, n)
					id, err := a.write("concurrent", content, nil)
					if err != nil {
						t.Errorf("%s: %v", content, err)
						return
					}
					acks.add(id, content)
				}
			})
		}
	}
	running.Wait()
	if want := 2 * writers * perWrite; len(acks.content) != want {
		t.Errorf("%d writes with ids of their own, want %d", len(acks.content), want)
	}
	checkAcknowledged(t, dir, acks.content)
	server.stop()
}

// checkAcknowledged opens the data directory itself and demands that every
// acknowledged write is there as it was sent, that no row is torn, and that
// every file and index is sound.
func checkAcknowledged(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	ctx := t.Context()
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: filepath.Join(dir, "data")})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if problems, err := st.Check(ctx); err != nil || len(problems) > 0 {
		t.Errorf("check: %v, %v", problems, err)
	}
	got := map[string]string{}
	for _, m := range allMemories(t, st) {
		got[m.ID.String()] = m.Content
		if m.Title == "durable" && !strings.HasSuffix(m.Content, endMark) {
			t.Errorf("memory %s is torn: %d bytes", m.ID, len(m.Content))
		}
	}
	missing := 0
	for id, content := range want {
		if got[id] != content {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d acknowledged writes are missing or changed", missing, len(want))
	}
}

func allMemories(t *testing.T, st store.Store) (all []*loci.Memory) {
	t.Helper()
	org, err := st.Orgs().Get(t.Context(), loci.DefaultOrg)
	if err != nil {
		t.Fatal(err)
	}
	viewer := loci.Viewer{OrgID: org.ID, UserID: org.OwnerID}
	err = st.View(t.Context(), org.ID, func(tx store.Tx) error {
		q := store.ListQuery{Limit: 500}
		for {
			page, err := tx.Lists().List(t.Context(), viewer, q)
			if err != nil {
				return err
			}
			all = append(all, page.Memories...)
			if q.After = page.Next; q.After == "" {
				return nil
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

const endMark = "and this is the end of it."

// TestKillDuringWrites kills the server in the middle of writes, again and
// again on the same directory.
func TestKillDuringWrites(t *testing.T) {
	t.Parallel()
	rounds := 5
	if os.Getenv("LOCI_NIGHTLY") != "" {
		rounds = 50
	}
	dir := t.TempDir()
	const key = "the-owner-key-of-this-test"
	var acks acknowledged
	for round := range rounds {
		server := startServer(t, dir, "LOCI_API_KEY="+key, "LOCI_RATE_LIMIT=0")
		already, die := len(acks.content), make(chan struct{})
		var once sync.Once
		var running sync.WaitGroup
		for w := range writers {
			running.Go(func() {
				for n := 0; ; n++ {
					content := fmt.Sprintf("round %d, writer %d, write %d: %s%s", round, w, n,
						strings.Repeat("so it goes on, ", 1+(w*37+n*11)%200), endMark)
					id, err := postMemory(t.Context(), server.url, key, content)
					if err != nil {
						once.Do(func() { close(die) }) // also if nothing was ever acknowledged
						return
					}
					if acks.add(id, content)-already >= 40+17*round%60 {
						once.Do(func() { close(die) })
					}
				}
			})
		}
		<-die
		server.kill()
		running.Wait()
		if len(acks.content) == already {
			t.Fatalf("round %d: nothing was acknowledged: %s", round, server.errors)
		}
		checkAcknowledged(t, dir, acks.content)
	}
	t.Logf("%d acknowledged writes in %d rounds", len(acks.content), rounds)
}

func postMemory(ctx context.Context, url, key, content string) (string, error) {
	body, err := json.Marshal(map[string]string{"title": "durable", "content": content})
	if err != nil {
		return "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/memories", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := (&http.Client{Transport: bearer(key)}).Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", err
	}
	if answer.StatusCode != http.StatusCreated {
		return "", fmt.Errorf("%s: %s", answer.Status, text)
	}
	var m struct{ ID string }
	err = json.Unmarshal(text, &m)
	return m.ID, err
}

// TestInterruptedImportGoesOn presses Ctrl-C in the middle of an import and
// runs it again.
func TestInterruptedImportGoesOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted from outside")
	}
	t.Parallel()
	dir := t.TempDir()
	const lines = 900
	var export strings.Builder
	export.WriteString(`{"loci":"export","format":1}` + "\n")
	for i := range lines {
		fmt.Fprintf(&export,
			`{"memory":{"id":"00000000-0000-4000-8000-%012d","title":"t%d","content":"c","tags":[],"memory_type":"semantic",`+
				`"category":"fact","importance":5,"source":"manual","scope":"global","origin":"claude","allowed_vendors":["*"],`+
				`"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","version":1,"change":"created",`+
				`"editor":"claude"}}`+"\n", i, i)
	}
	cmd := lociCommand(t, dir, "import", "-")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(stdin, export.String()); err != nil { // and no end: it waits for more
		t.Fatal(err)
	}
	before := waitForSome(t, dir)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("got %v, want exit code %d: %s", err, exitInterrupted, &stderr)
	}
	if !strings.Contains(stderr.String(), "loci: interrupted; ") {
		t.Errorf("it does not say what happened: %s", &stderr)
	}
	again := lociCommand(t, dir, "import", "-", "--json")
	again.Stdin = strings.NewReader(export.String())
	out, err := again.Output()
	if err != nil {
		t.Fatal(err)
	}
	var report struct{ Added, Present, Refused int }
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	if report.Present < before || report.Added+report.Present != lines || report.Refused != 0 {
		t.Errorf("the second run says %+v; want %d in all, at least %d of them there before", report, lines, before)
	}
}

// waitForSome waits until another process has stored something in dir, and
// returns how much.
func waitForSome(t *testing.T, dir string) int {
	t.Helper()
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: filepath.Join(dir, "data")})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, _, err := app.New(app.Options{Store: st}).Identity.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	for {
		if n := len(allMemories(t, st)); n > 0 {
			return n
		}
		if err := t.Context().Err(); err != nil {
			t.Fatal(err)
		}
		runtime.Gosched()
	}
}

// TestDoctorSeesExpiredKeys makes a key with a clock of last year.
func TestDoctorSeesExpiredKeys(t *testing.T) {
	dir := t.TempDir()
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: filepath.Join(dir, "data")})
	if err != nil {
		t.Fatal(err)
	}
	past := time.Now().AddDate(-1, 0, 0)
	a := app.New(app.Options{Store: st, Now: func() time.Time { return past }})
	if _, _, err := a.Identity.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	authenticator, err := auth.New(auth.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	operator, err := authenticator.Local(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.Identity.CreateKey(t.Context(), operator,
		auth.KeyRequest{Name: "old", Vendor: "claude", ExpiresAt: past.AddDate(0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	out := string(runLoci(t, dir, "doctor"))
	for _, want := range []string{"no agent key works", "1 key has expired"} {
		if !strings.Contains(out, want) {
			t.Errorf("doctor does not say %q:\n%s", want, out)
		}
	}
}
