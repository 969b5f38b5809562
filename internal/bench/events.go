package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog/embedded"
)

// EventOptions configure a run about events. All are required.
type EventOptions struct {
	Common
	Events int // how many the log has before reads are measured
}

// These are the sizes that the bars name.
const (
	eventBatch    = 100
	contextEvents = 10_000
	fillEvents    = 1000
	fillers       = 4
	mostUpkeep    = 20 * time.Minute    // until the index of 10 million events is up to date
	fillSpan      = 30 * 24 * time.Hour // over which the times of the events are spread
)

type eventBencher struct {
	EventOptions
	report
}

// RunEvents measures the event log and returns one result per line, in order.
func RunEvents(ctx context.Context, o EventOptions) ([]Result, error) {
	b := &eventBencher{EventOptions: o}
	return b.run(ctx, b.writes, b.fill, b.reads, b.duplicates)
}

// eventSource makes requests that log events. It is not safe for concurrent use.
type eventSource struct {
	*corpus
	client, made int
	session      string
	at           func(n int) time.Time // of the nth event; nil: the server's time
}

func newEventSource(client int) *eventSource {
	return &eventSource{corpus: newCorpus(uint64(client)+100, loci.NewUserID()), client: client}
}

// body returns a request with n events, each with about 280 bytes of text. No two are duplicates.
func (s *eventSource) body(n int) []byte {
	out := []byte(`{"events":[`)
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = s.append(out)
	}
	return append(out, `]}`...)
}

func (s *eventSource) one() []byte { return s.append(nil) }

func (s *eventSource) append(out []byte) []byte {
	s.made++
	out = fmt.Appendf(out, `{"content":"%d.%d %s","event_type":"tool_call","actor":"assistant","tags":["build",%q],`+
		`"metadata":{"tool":"grep","ms":%d}`, s.client, s.made, s.text(42), s.tag(), s.made%1000)
	if s.session != "" {
		out = fmt.Appendf(out, `,"session_id":%q`, s.session)
	}
	if s.at != nil {
		out = fmt.Appendf(out, `,"time":%q`, s.at(s.made).UTC().Format(time.RFC3339Nano))
	}
	return append(out, '}')
}

// pooled makes requests before they are sent, so that making them takes no processor from the server.
func (s *eventSource) pooled(requests int, next func() []byte) func() []byte {
	ready := make([][]byte, 0, requests)
	for range requests {
		ready = append(ready, next())
	}
	return func() []byte {
		if len(ready) == 0 {
			return next()
		}
		body := ready[0]
		ready = ready[1:]
		return body
	}
}

// writes compares events over HTTP with SQLite alone.
func (b *eventBencher) writes(ctx context.Context) error {
	b.Progress("SQLite alone: transactions of 100 events, and of one")
	hundred, one, err := b.yardsticks(ctx, "before")
	if err != nil {
		return err
	}
	var batches, singles Sample
	if err := b.serve(ctx, "writes", func(s *server) (err error) {
		batches, singles, err = b.writeSteps(ctx, s)
		return err
	}); err != nil {
		return err
	}
	hundredAfter, oneAfter, err := b.yardsticks(ctx, "after")
	if err != nil {
		return err
	}
	own100, own1 := (hundred.PerSecond+hundredAfter.PerSecond)/2, (one.PerSecond+oneAfter.PerSecond)/2
	b.add("SQLite alone, transactions of 100", hundred, eventBatch*own100, "events/s")
	b.add("SQLite alone, single events", one, own1, "events/s")
	b.add("batches of 100, 1 client", batches, eventBatch*batches.PerSecond, "events/s", Bar{"goal", 100_000, false})
	b.add("batches of 100, 1 client, against SQLite", Sample{}, batches.PerSecond/own100, "× SQLite",
		Bar{"must", 0.3, false}, Bar{"goal", 0.5, false})
	b.add(fmt.Sprintf("single events, %d clients", b.Clients), singles, singles.PerSecond/own1, "× SQLite",
		Bar{"must", 1.5, false})
	return nil
}

func (b *eventBencher) writeSteps(ctx context.Context, s *server) (batches, singles Sample, err error) {
	b.Progress("batches of 100 over HTTP")
	source := newEventSource(0)
	next := source.pooled(int(500*b.Step.Seconds()), func() []byte { return source.body(eventBatch) })
	post := func(c *conn, body []byte) (time.Duration, error) {
		return 0, c.send("POST", "/api/v1/events", agentKey, body)
	}
	batches, err = s.load(ctx, 1, b.Step, func(c *conn, _ int) (time.Duration, error) { return post(c, next()) })
	if err == nil {
		err = s.idleWithin(ctx, mostUpkeep) // so that the next step does not pay for the index of these events
	}
	if err != nil {
		return batches, singles, err
	}
	b.Progress(fmt.Sprintf("single events over HTTP, %d clients", b.Clients))
	nexts := make([]func() []byte, b.Clients)
	for i := range nexts {
		source := newEventSource(i + 1)
		nexts[i] = source.pooled(int(10_000*b.Step.Seconds())/b.Clients, source.one)
	}
	singles, err = s.load(ctx, b.Clients, b.Step,
		func(c *conn, client int) (time.Duration, error) { return post(c, nexts[client]()) })
	return batches, singles, err
}

// yardsticks measures SQLite's own transactions of 100 events and of one.
func (b *eventBencher) yardsticks(ctx context.Context, name string) (hundred, one Sample, err error) {
	for _, step := range []struct {
		n      int
		sample *Sample
	}{{eventBatch, &hundred}, {1, &one}} {
		p, err := embedded.OpenPlain(filepath.Join(b.Dir, fmt.Sprintf("plain-%s-%d.db", name, step.n)))
		if err != nil {
			return hundred, one, err
		}
		c := newCorpus(1, loci.NewUserID())
		ready := make([][]*loci.Event, 500)
		for i := range ready {
			for range step.n {
				ready[i] = append(ready[i], c.event())
			}
		}
		i := 0
		*step.sample, err = run(ctx, 1, b.Step, func(context.Context, int) (time.Duration, error) {
			i++
			return 0, p.Insert(ready[i%len(ready)])
		})
		if err = errors.Join(err, p.Close()); err != nil {
			return hundred, one, err
		}
	}
	return hundred, one, nil
}

func (c *corpus) event() *loci.Event {
	now := time.Now()
	e := &loci.Event{ID: loci.NewEventID(now), Time: now, RecordedAt: now, Actor: "assistant", Type: "tool_call",
		Content: c.text(42), Metadata: json.RawMessage(`{"tool":"grep","ms":17}`), Tags: []string{"build", c.tag()},
		EventAccess: loci.EventAccess{OrgID: loci.DefaultOrg, UserID: c.user, Origin: "claude"}}
	e.SetDefaults(now)
	return e
}

// fill logs events of 30 days, and one session of 10,000, and measures how the server's memory grows meanwhile.
func (b *eventBencher) fill(ctx context.Context) error {
	b.Progress(fmt.Sprintf("logging %d events", b.Events))
	s, err := startServer(ctx, b.Binary, filepath.Join(b.Dir, "reads"))
	if err != nil {
		return err
	}
	var logged atomic.Int64
	begin := time.Now()
	half := make(chan int64, 1)
	err = b.each(ctx, fillers, func(c *conn, client int) error {
		share := b.Events / fillers
		source := newEventSource(1000 + client)
		source.at = func(n int) time.Time {
			return begin.Add(-fillSpan + time.Duration(float64(n)/float64(share)*float64(fillSpan)))
		}
		for done := 0; done < share; done += fillEvents {
			if _, err := c.call("POST", "/api/v1/events", agentKey, source.body(min(fillEvents, share-done))); err != nil {
				return err
			}
			if n := logged.Add(fillEvents); n >= int64(b.Events/2) && n < int64(b.Events/2)+fillEvents {
				half <- s.resident()
			}
		}
		return nil
	}, s)
	took := time.Since(begin)
	if err == nil {
		b.add(fmt.Sprintf("filling, batches of %d, %d clients", fillEvents, fillers), Sample{},
			float64(b.Events)/took.Seconds(), "events/s")
		b.add("memory after all events, against after half of them", Sample{}, float64(s.resident())/float64(<-half), "×",
			Bar{"must", 1.25, true})
		b.add("resident memory after filling", Sample{}, float64(s.resident())/(1<<20), "MB")
		err = b.fillSession(s)
	}
	if err == nil {
		b.Progress("waiting until the index is up to date")
		begin = time.Now()
		err = s.idleWithin(ctx, mostUpkeep)
		b.add("index up to date after", Sample{}, time.Since(begin).Seconds(), "s")
	}
	return errors.Join(err, s.stop())
}

// each runs fn for each of some clients at once, with a connection of its own.
func (b *eventBencher) each(ctx context.Context, clients int, fn func(c *conn, client int) error, s *server) error {
	var wg sync.WaitGroup
	errs := make([]error, clients)
	for i := range clients {
		c, err := s.dial()
		if err != nil {
			return err
		}
		wg.Go(func() { errs[i] = errors.Join(fn(c, i), c.close(), ctx.Err()) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// benchSession is the title of the session of which the context is measured.
const benchSession = "bench"

func (b *eventBencher) fillSession(s *server) error {
	c, err := s.dial()
	if err != nil {
		return err
	}
	defer func() { _ = c.close() }() // the answers were read
	if _, err := c.call("POST", "/api/v1/sessions", agentKey, map[string]any{"title": benchSession}); err != nil {
		return err
	}
	source := newEventSource(2000)
	source.session = benchSession
	for done := 0; done < contextEvents; done += fillEvents {
		if _, err := c.call("POST", "/api/v1/events", agentKey, source.body(fillEvents)); err != nil {
			return err
		}
	}
	return nil
}

// reads measures queries and the context of a session, in the log that fill has made.
func (b *eventBencher) reads(ctx context.Context) error {
	return b.serve(ctx, "reads", func(s *server) error {
		if err := s.idleWithin(ctx, mostUpkeep); err != nil {
			return err
		}
		return b.readSteps(ctx, s)
	})
}

func (b *eventBencher) readSteps(ctx context.Context, s *server) error {
	word := newCorpus(1, loci.NewUserID()).word()
	for _, step := range []struct {
		name, method, path string
		body               any
		bars               []Bar
	}{
		{"events of the last day, 50", "GET", "/api/v1/events?since=24h&limit=50", nil, []Bar{{"must", 3, true}}},
		{"events of a day 20 days ago, 50", "GET", "/api/v1/events?since=21d&until=20d&limit=50", nil,
			[]Bar{{"must", 3, true}}},
		{"events of the last day with a tag, 50", "GET", "/api/v1/events?since=24h&tags=tag-07&limit=50", nil, nil},
		{"events with a word, 50", "GET", "/api/v1/events?q=" + word + "&limit=50", nil, nil},
		{fmt.Sprintf("context of a session of %d events", contextEvents), "POST",
			"/api/v1/sessions/" + benchSession + "/context", map[string]any{}, []Bar{{"must", 20, true}}},
	} {
		b.Progress(step.name)
		sample, err := s.load(ctx, 1, b.Step, func(c *conn, _ int) (time.Duration, error) {
			return c.call(step.method, step.path, agentKey, step.body)
		})
		if err != nil {
			return err
		}
		b.add(fmt.Sprintf("%s, %d events", step.name, b.Events), sample, ms(sample.P50), "ms server time p50", step.bars...)
	}
	return nil
}

// duplicates measures what looking for duplicates among all events costs batches. Both servers have the same log, and
// take turns.
func (b *eventBencher) duplicates(ctx context.Context) error {
	b.Progress("batches of 100, with and without a look for duplicates")
	var with, without []float64
	for round := range 3 {
		for _, dedup := range []string{"on", "off"} {
			var sample Sample
			if err := b.serve(ctx, "reads", func(s *server) (err error) {
				source := newEventSource(3000 + 2*round + len(dedup))
				next := source.pooled(int(500*b.Step.Seconds()), func() []byte { return source.body(eventBatch) })
				sample, err = s.load(ctx, 1, b.Step, func(c *conn, _ int) (time.Duration, error) {
					return 0, c.send("POST", "/api/v1/events", agentKey, next())
				})
				return err
			}, "LOCI_DEDUP_ENABLED="+dedup); err != nil {
				return err
			}
			if dedup == "on" {
				with = append(with, sample.PerSecond)
			} else {
				without = append(without, sample.PerSecond)
			}
		}
	}
	b.add(fmt.Sprintf("duplicates, %d events in the window", b.Events), Sample{}, 100*(1-mean(with)/mean(without)),
		"% slower", Bar{"must", 25, true})
	return nil
}

func mean(list []float64) (sum float64) {
	for _, v := range list {
		sum += v / float64(len(list))
	}
	return sum
}
