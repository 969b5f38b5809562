package embedded

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/test/random"
)

// jobs are what the test binary does when a test runs it as another process.
var jobs = map[string]func(dir, name string) error{"append": appendEvents, "upkeep": keepUp}

func TestMain(m *testing.M) {
	if job := os.Getenv("EMBEDDED_TEST_JOB"); job != "" {
		if err := jobs[job](os.Args[len(os.Args)-2], os.Args[len(os.Args)-1]); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	random.FewerUnderRace()
	os.Exit(m.Run())
}

// processDay is the time of events of other processes. Those that keep up live two months later.
var processDay = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// appendEvents appends batches until their number, and prints the ids after they were acknowledged. The
// contents are the same in every process, so that all but the first are duplicates.
func appendEvents(dir, name string) error {
	count, err := strconv.Atoi(name)
	if err != nil {
		return err
	}
	l := Open(Options{Dir: dir})
	for batch := range count {
		var events []*loci.Event
		for i := range 7 {
			n := 7*batch + i
			e := &loci.Event{Content: fmt.Sprint(n), RecordedAt: processDay.Add(time.Duration(n) * time.Second),
				EventAccess: loci.EventAccess{OrgID: acme, UserID: person.UserID}}
			e.SetDefaults(e.RecordedAt)
			e.ID = loci.NewEventID(e.Time)
			events = append(events, e)
		}
		outcomes, err := l.Append(context.Background(), person, events, eventlog.Dedup{Window: 7 * 24 * time.Hour})
		if err != nil {
			return err
		}
		for i, o := range outcomes {
			fmt.Println(hex.EncodeToString(o.ID[:]), o.Duplicate, events[i].Content)
		}
	}
	return l.Close()
}

// keepUp does the upkeep of all events again and again, as if they were of the past.
func keepUp(dir, _ string) error {
	later := processDay
	l := Open(Options{Dir: dir, Now: func() time.Time { later = later.Add(sealAgain); return later.Add(twoMonths) }})
	for range 1 << 20 {
		more, err := l.Upkeep(context.Background(), acme)
		if err != nil {
			return err
		}
		fmt.Println(more)
	}
	return l.Close()
}

type child struct {
	cmd *exec.Cmd
	out io.ReadCloser
	err strings.Builder
}

func start(t *testing.T, job, dir, name string) *child {
	t.Helper()
	c := &child{cmd: exec.Command(os.Args[0], dir, name)}
	c.cmd.Env = append(os.Environ(), "EMBEDDED_TEST_JOB="+job)
	c.cmd.Stderr = &c.err
	var err error
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// lines reads what the child prints, until it ends, or is killed because stop says so.
func (c *child) lines(stop func(n int) bool) (all []string) {
	for in := bufio.NewScanner(c.out); in.Scan(); {
		all = append(all, in.Text())
		if stop != nil && stop(len(all)) {
			stop = nil
			_ = c.cmd.Process.Kill()
		}
	}
	return all
}

// acknowledged is what children were told: where each content is stored.
type acknowledged map[string]loci.EventID

func (a acknowledged) add(t *testing.T, lines []string) {
	t.Helper()
	for _, line := range lines {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue // killed while it printed
		}
		raw, err := hex.DecodeString(f[0])
		if err != nil || len(raw) != 16 {
			t.Fatalf("bad line %q: %v", line, err)
		}
		id := loci.EventID(raw)
		if old, known := a[f[2]]; known && old != id {
			t.Errorf("event %s is stored as %s and as %s", f[2], old, id)
		}
		a[f[2]] = id
	}
}

// check compares the log with what was acknowledged.
func (a acknowledged) check(t *testing.T, l *Log) {
	t.Helper()
	page, err := l.Find(t.Context(), person, eventlog.Query{Limit: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string]loci.EventID{}
	for _, e := range page.Events {
		if _, twice := stored[e.Content]; twice {
			t.Errorf("event %s is there twice", e.Content)
		}
		stored[e.Content] = e.ID
	}
	for content, id := range a {
		if stored[content] != id {
			t.Errorf("event %s was acknowledged as %s, but is %s", content, id, stored[content])
		}
	}
	sound(t, l)
}

// Processes that append the same events store each once.
func TestProcessesAppend(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "events")
	var children []*child
	for range 3 {
		children = append(children, start(t, "append", dir, "60"))
	}
	told := acknowledged{}
	for _, c := range children {
		lines := c.lines(nil)
		told.add(t, lines)
		if err := c.cmd.Wait(); err != nil || len(lines) != 7*60 {
			t.Errorf("child: %v after %d events: %s", err, len(lines), c.err.String())
		}
	}
	if len(told) != 7*60 {
		t.Errorf("%d different events, want %d", len(told), 7*60)
	}
	told.check(t, open(t, dir, time.Now))
}

// Processes that are killed while they append lose and double nothing.
func TestKilledAppends(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "events")
	told := acknowledged{}
	for round := range 4 {
		other := start(t, "append", dir, "50")
		victim := start(t, "append", dir, "100000")
		told.add(t, victim.lines(func(n int) bool { return n == 60+101*round }))
		_ = victim.cmd.Wait()
		told.add(t, other.lines(nil))
		if err := other.cmd.Wait(); err != nil {
			t.Fatalf("survivor: %v: %s", err, other.err.String())
		}
	}
	told.check(t, open(t, dir, time.Now))
}

// Processes that are killed while they index and compress lose and double nothing.
func TestKilledUpkeep(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "events")
	told := acknowledged{}
	writer := start(t, "append", dir, "1500")
	lines := make(chan []string)
	go func() { lines <- writer.lines(nil) }()
	for round := range 40 {
		victim := start(t, "upkeep", dir, "")
		victim.lines(func(n int) bool { return n == 1+round%8 })
		_ = victim.cmd.Wait()
	}
	told.add(t, <-lines)
	if err := writer.cmd.Wait(); err != nil || len(told) != 7*1500 {
		t.Fatalf("writer: %v after %d events: %s", err, len(told), writer.err.String())
	}
	l := open(t, dir, func() time.Time { return processDay.Add(twoMonths) })
	told.check(t, l)
	upkeep(t, l, acme)
	told.check(t, l)
}
