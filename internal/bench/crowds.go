package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

// crowd is what one credential sends from many clients, and what another one does meanwhile.
type crowd struct {
	name    string
	clients int
	send    func(c *conn, client int) error
	other   string
	bars    []Bar // of the other's p99 in ms
	do      func(*conn) error
	room    Bar // of the resident memory above that of the idle server, in MB
}

// crowds measures what the requests of one credential that are large or many do to another's.
func (b *bencher) crowds(ctx context.Context) error {
	words := newCorpus(6, loci.NewUserID())
	notes := map[string]any{"content": strings.Repeat("We decided to use the second queue because the first one is slow. ",
		1_000_000/67), "limit": 25}
	bulks := make([][]byte, 8)
	for i := range bulks {
		bulks[i] = bulkOf(newCorpus(uint64(i)+20, loci.NewUserID()), 1000)
	}
	for _, c := range []crowd{
		{"bulks of 1,000 rows", len(bulks), func(c *conn, client int) error {
			return c.send("POST", "/memories/bulk", personKey, bulks[client])
		}, "save", []Bar{{"must", 150, true}}, func(c *conn) error { return c.save(agentKey, words) }, Bar{}},
		{"notes of 1 MB", 48, func(c *conn, _ int) error {
			return c.send("POST", "/context/reflect", personKey, notes)
		}, "whoami", []Bar{{"must", 100, true}}, func(c *conn) error { return c.send("GET", "/whoami", agentKey, nil) },
			Bar{"must", 300, true}},
	} {
		if err := b.crowd(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// save saves the next memory of a corpus.
func (c *conn) save(key string, from *corpus) error {
	m := from.next()
	return c.send("POST", "/agent/memories", key, map[string]any{"title": m.Title, "content": m.Content})
}

// bulkOf returns the body of a bulk, encoded once so that the clients leave the processors to the server.
func bulkOf(from *corpus, n int) []byte {
	list := make([]map[string]any, n)
	for i := range list {
		m := from.next()
		list[i] = map[string]any{"op": "create", "memory": map[string]any{"title": m.Title, "content": m.Content,
			"dedupe": "create"}}
	}
	body, _ := json.Marshal(map[string]any{"operations": list}) // strings always marshal
	return body
}

func (b *bencher) crowd(ctx context.Context, c crowd) error {
	b.Progress(fmt.Sprintf("fairness: %s beside %s", c.other, c.name))
	return b.serve(ctx, "crowd-"+c.other, func(s *server) error { return b.besideCrowd(ctx, s, c) })
}

func (b *bencher) besideCrowd(ctx context.Context, s *server, c crowd) error {
	idle := s.resident()
	peak := idle
	var sent, sample Sample
	err := beside(ctx, func(ctx context.Context) (err error) {
		sent, err = s.load(ctx, c.clients, time.Hour, func(h *conn, client int) (time.Duration, error) {
			err := c.send(h, client)
			if h.status == 429 { // rejected for now, which is an answer
				err = nil
			}
			return 0, err
		})
		return err
	}, func() (err error) {
		sample, err = s.load(ctx, 1, 2*b.Step, func(h *conn, _ int) (time.Duration, error) {
			begin := time.Now()
			err := c.do(h)
			took := time.Since(begin)
			peak = max(peak, s.resident())
			return took, err
		})
		return err
	})
	b.add(fmt.Sprintf("fairness: %s, %d clients", c.name, c.clients), sent, ms(sent.P50), "ms p50")
	b.add(fmt.Sprintf("fairness: %s beside %s", c.other, c.name), sample, ms(sample.P99), "ms p99", c.bars...)
	if c.room.Name != "" {
		b.add("fairness: memory for "+c.name, Sample{}, float64(peak-idle)/(1<<20), "MB above idle", c.room)
	}
	return err
}

// beside runs do while load runs, and stops load after that.
func beside(ctx context.Context, load func(context.Context) error, do func() error) error {
	during, stop := context.WithCancel(ctx)
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() { failed = load(during) })
	err := do()
	stop()
	wg.Wait()
	if errors.Is(failed, context.Canceled) {
		failed = nil
	}
	return errors.Join(err, failed)
}
