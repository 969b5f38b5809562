//go:build arc

package arc

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/eventlog/arc"
)

// TestFigures measures with LOCI_ARC_EVENTS events, which have times of the last day: how fast they are acknowledged
// and delivered, how long queries take, and the size on Arc's disk.
func TestFigures(t *testing.T) {
	total, err := strconv.Atoi(os.Getenv("LOCI_ARC_EVENTS"))
	if err != nil {
		total = 20_000
	}
	database := newDatabase()
	log := open(t, database, arc.Options{Orgs: orgs, Confirm: time.Second, Settle: 1})
	run(t, log)
	l := newLoad(total)
	began := time.Now()
	bytes := l.append(t, log, total)
	acknowledged := time.Since(began)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n, quiet := 0, 0; quiet < 2; <-tick.C {
		more, err := log.Waiting(t.Context(), person.OrgID)
		if err != nil {
			t.Fatal(err)
		}
		if quiet++; more {
			quiet = 0
		}
		if n++; n > 20*600 {
			t.Fatal("the events are not delivered after 10 minutes")
		}
	}
	delivered := time.Since(began)
	t.Logf("%d events of %d bytes of JSON: acknowledged %.0f/s, acknowledged and confirmed %.0f/s", total, bytes/total,
		float64(total)/acknowledged.Seconds(), float64(total)/delivered.Seconds())
	size := sizeOf(t, filepath.Join(dataDir, database))
	t.Logf("on Arc's disk: %d bytes, %.1f times smaller than JSON", size, float64(bytes)/float64(size))
	now := time.Now()
	for _, m := range []struct {
		name   string
		filter func() eventlog.Filter
	}{
		{"an hour of the day", func() eventlog.Filter {
			end := now.Add(-time.Duration(rand.IntN(22)) * time.Hour)
			return eventlog.Filter{Since: end.Add(-time.Hour), Until: end}
		}},
		{"the last hour, one type", func() eventlog.Filter {
			return eventlog.Filter{Since: now.Add(-time.Hour), Types: []string{"error"}}
		}},
		{"the last day", func() eventlog.Filter { return eventlog.Filter{Since: now.Add(-24 * time.Hour)} }},
		{"one session of the day", func() eventlog.Filter {
			return eventlog.Filter{Since: now.Add(-24 * time.Hour), SessionID: l.sessions[rand.IntN(len(l.sessions))]}
		}},
		{"a tag of the day", func() eventlog.Filter {
			return eventlog.Filter{Since: now.Add(-24 * time.Hour), Tags: []string{"tag7"}}
		}},
		{"words of the day", func() eventlog.Filter {
			return eventlog.Filter{Since: now.Add(-24 * time.Hour), Text: "invoice timeout"}
		}},
		{"no time at all", func() eventlog.Filter { return eventlog.Filter{} }},
	} {
		var took []time.Duration
		found := 0
		for range 30 {
			f := m.filter()
			f.Since = f.Since.Add(time.Duration(rand.IntN(1e6)) * time.Microsecond) // no statement twice
			if f.Since.Year() < 2000 {
				f.Since = time.Time{}
			}
			start := time.Now()
			page, err := log.Find(t.Context(), person, eventlog.Query{Filter: f, Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			took, found = append(took, time.Since(start)), len(page.Events)
		}
		slices.Sort(took)
		t.Logf("%-24s p50 %6s p95 %6s (%d events)", m.name, took[15].Round(100*time.Microsecond),
			took[28].Round(100*time.Microsecond), found)
	}
}

// load makes events like those of agents.
type load struct {
	mu       sync.Mutex
	at       time.Time
	step     time.Duration
	sessions []loci.SessionID
	agents   []loci.AgentID
}

func newLoad(total int) *load {
	l := &load{at: time.Now().Add(-24 * time.Hour), step: 24 * time.Hour / time.Duration(total+1)}
	for range 500 {
		l.sessions = append(l.sessions, loci.NewSessionID())
	}
	for range 20 {
		l.agents = append(l.agents, loci.NewAgentID())
	}
	return l
}

var words = strings.Fields(`the agent reads a file and writes tests for deploy error timeout retry customer asked about
	invoice shipping address order refund ticket build failed because of missing key database index query slow fix merged
	release notes`)

func (l *load) batch(n int) []*loci.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := make([]*loci.Event, n)
	for i := range events {
		l.at = l.at.Add(l.step)
		var text strings.Builder
		for text.Len() < 200 {
			text.WriteString(words[rand.IntN(len(words))] + " ")
		}
		fmt.Fprint(&text, rand.Uint64())
		events[i] = newEvent(l.at, text.String(), func(e *loci.Event) {
			e.SessionID, e.AgentID = l.sessions[rand.IntN(len(l.sessions))], l.agents[rand.IntN(len(l.agents))]
			e.Type = []string{"general", "error", "tool_call", "message"}[rand.IntN(4)]
			e.Tags, e.Importance = []string{fmt.Sprint("tag", rand.IntN(50))}, 1+rand.IntN(10)
		})
	}
	return events
}

// append stores events in batches of 100 with 4 writers. It returns their size as JSON.
func (l *load) append(t *testing.T, log *arc.Log, total int) (bytes int) {
	batches := make(chan []*loci.Event, 100)
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for batch := range batches {
				if _, err := log.Append(t.Context(), person, batch, eventlog.Dedup{Window: 24 * time.Hour}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range total / 100 {
		batch := l.batch(100)
		for _, e := range batch {
			text, err := loci.EncodeJSON(e)
			if err != nil {
				t.Fatal(err)
			}
			bytes += len(text) + 1
		}
		batches <- batch
	}
	close(batches)
	writers.Wait()
	return bytes
}

func sizeOf(t *testing.T, dir string) (size int64) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return size
}
