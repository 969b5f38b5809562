package embedded

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// Benchmarks of writes print events/s. Those named Raw do the same with the driver alone: the same
// columns and pragmas, prepared statements, one connection, and no index. The ratio is what counts.
//
// go test -run '^$' -bench . ./internal/eventlog/embedded -args -events 10000000
var benchEvents = flag.Int("events", 1_000_000, "how many events a log has in benchmarks of reads and duplicates")

// load makes events of many sessions and agents.
type load struct {
	viewer   loci.Viewer
	sessions []loci.SessionID
	agents   []loci.AgentID
	rng      *rand.Rand
	at       time.Time
	step     time.Duration
	n        int
}

func newLoad(sessions int) *load {
	l := &load{viewer: loci.Viewer{OrgID: "acme", UserID: loci.NewUserID()}, rng: rand.New(rand.NewPCG(1, 2)),
		at: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC), step: 100 * time.Microsecond}
	for range sessions {
		l.sessions = append(l.sessions, loci.SessionID(loci.NewUserID()))
		l.agents = append(l.agents, loci.NewAgentID())
	}
	return l
}

var vocabulary = strings.Fields(strings.Repeat("the agent opened file error line found then wrote test again ", 3) +
	"deploy server database index query slow fast memory session context token budget review merge commit branch")

func (l *load) event() *loci.Event {
	l.n++
	l.at = l.at.Add(l.step)
	var b strings.Builder
	fmt.Fprintf(&b, "%d", l.n) // no duplicates
	for range 45 {
		b.WriteByte(' ')
		b.WriteString(vocabulary[l.rng.IntN(len(vocabulary))])
	}
	session := l.rng.IntN(len(l.sessions))
	e := &loci.Event{Time: l.at, RecordedAt: l.at, SessionID: l.sessions[session], AgentID: l.agents[session],
		Actor: "assistant", Type: "tool_call", Content: b.String(), Metadata: json.RawMessage(`{"tool":"grep","ms":17}`),
		Tags: []string{"build", fmt.Sprint("t", l.rng.IntN(1000))}}
	e.EventAccess = loci.EventAccess{OrgID: l.viewer.OrgID, UserID: l.viewer.UserID, Origin: "claude"}
	e.SetDefaults(l.at)
	e.ID = loci.NewEventID(l.at)
	return e
}

func (l *load) batch(n int) []*loci.Event {
	list := make([]*loci.Event, n)
	for i := range list {
		list[i] = l.event()
	}
	return list
}

func (l *load) now() time.Time { return l.at }

// fill appends n events.
func (l *load) fill(b *testing.B, log *Log, n int) {
	b.Helper()
	for done := 0; done < n; done += 1000 {
		if _, err := log.Append(b.Context(), l.viewer, l.batch(1000), eventlog.Dedup{}); err != nil {
			b.Fatal(err)
		}
	}
}

func upkeep(tb testing.TB, log *Log, org loci.OrgID) {
	tb.Helper()
	for more := true; more; {
		var err error
		if more, err = log.Upkeep(tb.Context(), org); err != nil {
			tb.Fatal(err)
		}
	}
}

func benchLog(b *testing.B, l *load) *Log {
	return open(b, filepath.Join(b.TempDir(), "events"), l.now)
}

func rate(b *testing.B, events int) {
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(0, "ns/op")
}

// pool makes the events before the clock runs, so that making them costs nothing.
func pool(b *testing.B, l *load, n int) (next func() []*loci.Event) {
	const ahead = 200
	var ready [][]*loci.Event
	return func() []*loci.Event {
		if len(ready) == 0 {
			b.StopTimer()
			for range ahead {
				ready = append(ready, l.batch(n))
			}
			b.StartTimer()
		}
		events := ready[0]
		ready = ready[1:]
		return events
	}
}

func BenchmarkRaw100(b *testing.B) { benchRaw(b, 100) }
func BenchmarkRaw1(b *testing.B)   { benchRaw(b, 1) }

func benchRaw(b *testing.B, n int) {
	raw, err := OpenPlain(filepath.Join(b.TempDir(), "a.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = raw.Close() })
	next := pool(b, newLoad(10), n)
	events := 0
	for b.Loop() {
		if err := raw.Insert(next()); err != nil {
			b.Fatal(err)
		}
		events += n
	}
	rate(b, events)
}

func benchAppend(b *testing.B, log *Log, l *load, n int, d eventlog.Dedup) {
	next := pool(b, l, n)
	events := 0
	for b.Loop() {
		if _, err := log.Append(b.Context(), l.viewer, next(), d); err != nil {
			b.Fatal(err)
		}
		events += n
	}
	rate(b, events)
}

func BenchmarkAppend100(b *testing.B) {
	l := newLoad(1)
	benchAppend(b, benchLog(b, l), l, 100, eventlog.Dedup{})
}

// BenchmarkAppend100Sessions has events of many sessions in each call.
func BenchmarkAppend100Sessions(b *testing.B) {
	l := newLoad(1000)
	benchAppend(b, benchLog(b, l), l, 100, eventlog.Dedup{})
}

// BenchmarkDedup compares appends with and without a window that has -events hashes.
func BenchmarkDedup(b *testing.B) {
	for name, window := range map[string]time.Duration{"without": 0, "window": 24 * time.Hour} {
		b.Run(name, func(b *testing.B) {
			l := newLoad(10)
			l.step = time.Hour / time.Duration(*benchEvents) // so that the window has all of them
			log := benchLog(b, l)
			l.fill(b, log, *benchEvents)
			benchAppend(b, log, l, 100, eventlog.Dedup{Window: window})
		})
	}
}

func BenchmarkAppend1(b *testing.B) {
	l := newLoad(1)
	benchAppend(b, benchLog(b, l), l, 1, eventlog.Dedup{Window: 24 * time.Hour})
}

// BenchmarkAppend16 has 16 clients, each with single events.
func BenchmarkAppend16(b *testing.B) {
	l := newLoad(16)
	log := benchLog(b, l)
	const ahead = 100_000
	events := l.batch(ahead)
	ctx := context.WithoutCancel(b.Context())
	var n atomic.Int64
	b.SetParallelism(8) // times GOMAXPROCS
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1) - 1
			e := *events[i%ahead]
			e.ID = loci.NewEventID(e.Time)
			e.DedupKey = fmt.Sprint(i)
			_, err := log.Append(ctx, l.viewer, []*loci.Event{&e}, eventlog.Dedup{Window: 24 * time.Hour})
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	rate(b, int(n.Load()))
}

// BenchmarkFind reads pages of 50 from a log with -events events of 30 days, half of them indexed.
func BenchmarkFind(b *testing.B) {
	l := newLoad(10_000)
	l.step = 30 * 24 * time.Hour / time.Duration(*benchEvents)
	log := benchLog(b, l)
	l.fill(b, log, *benchEvents-1000)
	upkeep(b, log, "acme")
	l.fill(b, log, 1000)
	day := eventlog.Filter{Since: l.at.Add(-24 * time.Hour)}
	filter := func(set func(*eventlog.Filter)) eventlog.Filter {
		f := eventlog.Filter{}
		set(&f)
		return f
	}
	for name, f := range map[string]eventlog.Filter{
		"last day": day,
		"session":  filter(func(f *eventlog.Filter) { f.SessionID = l.sessions[0] }),
		"tag":      filter(func(f *eventlog.Filter) { f.Tags = []string{"t7"} }),
		"day, tag": filter(func(f *eventlog.Filter) { *f = day; f.Tags = []string{"t7"} }),
		"nothing":  filter(func(f *eventlog.Filter) { f.Tags = []string{"unknown"} }),
	} {
		for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest} {
			b.Run(name+" "+string(order), func(b *testing.B) {
				for b.Loop() {
					_, err := log.Find(b.Context(), l.viewer, eventlog.Query{Filter: f, Order: order, Limit: 50})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkSession reads a session of 10,000 events among ten times as many.
func BenchmarkSession(b *testing.B) {
	l := newLoad(10)
	log := benchLog(b, l)
	l.fill(b, log, 100_000)
	upkeep(b, log, "acme")
	b.Run("Stats", func(b *testing.B) {
		for b.Loop() {
			if _, err := log.Stats(b.Context(), l.viewer, eventlog.Filter{SessionID: l.sessions[0]}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSeal is the upkeep of a past month.
func BenchmarkSeal(b *testing.B) {
	const each = 20_000
	events := 0
	for b.Loop() {
		b.StopTimer()
		l := newLoad(100)
		log := benchLog(b, l)
		l.fill(b, log, each)
		l.at = l.at.Add(62 * 24 * time.Hour)
		b.StartTimer()
		upkeep(b, log, "acme")
		events += each
	}
	rate(b, events)
}
