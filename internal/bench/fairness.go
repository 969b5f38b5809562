package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

// worst are the most expensive searches that the server allows, and one that it rejects.
func worst() []map[string]any {
	var letters, beginnings, words []string
	for c := 'a'; c <= 'z'; c++ {
		letters = append(letters, string(c))
	}
	for _, c := range "bdfgklmn" {
		beginnings = append(beginnings, string(c)+"ab*")
	}
	frequent := newCorpus(1, loci.NewUserID()).words // most frequent first
	for i := 0; len(words) < loci.MaxTerms; i++ {
		words = append(words, frequent[i])
	}
	var list []map[string]any
	for _, term := range []string{"a* b* c* d* e* f* g* h* w*", "w qqq", strings.Join(letters, " "),
		strings.Join(beginnings, " "), strings.Join(words, " ")} {
		list = append(list, map[string]any{"term": term[:min(len(term), loci.MaxTerm)], "limit": 1})
	}
	return list
}

// fairness measures how long one credential waits while another sends as many of the worst searches as it can.
func (b *bencher) fairness(ctx context.Context) error {
	return b.serve(ctx, "reads", func(s *server) error {
		var searches Sample
		err := beside(ctx, func(ctx context.Context) (err error) { searches, err = b.flood(ctx, s); return err },
			func() error { return b.meanwhile(ctx, s) })
		b.add(fmt.Sprintf("fairness: the worst searches, %d clients", b.Clients), searches, ms(searches.P50), "ms p50")
		return err
	})
}

// flood sends the worst searches with the person's key until ctx ends.
func (b *bencher) flood(ctx context.Context, s *server) (Sample, error) {
	asks := worst()
	next := make([]int, b.Clients)
	return s.load(ctx, b.Clients, time.Hour, func(c *conn, client int) (time.Duration, error) {
		next[client]++
		_, err := c.call("POST", "/agent/memories/search", personKey, asks[(client+next[client])%len(asks)])
		if c.status == 400 {
			return 0, nil // rejected, which is cheap
		}
		return 0, err
	})
}

func (b *bencher) meanwhile(ctx context.Context, s *server) error {
	words := newCorpus(3, loci.NewUserID())
	for _, step := range []struct {
		name string
		bars []Bar
		op   func(*conn) error
	}{
		{"whoami", []Bar{{"must", 50, true}}, func(c *conn) error { return c.send("GET", "/whoami", agentKey, nil) }},
		{"latest", nil, func(c *conn) error {
			return c.send("POST", "/agent/memories/list", agentKey, map[string]any{"limit": 1})
		}},
		{"save", nil, func(c *conn) error { return c.save(agentKey, words) }},
		{"search, 2 words", nil, func(c *conn) error {
			return c.send("POST", "/agent/memories/search", agentKey, map[string]any{"term": words.text(2), "limit": 5})
		}},
	} {
		b.Progress("fairness: " + step.name)
		sample, err := s.load(ctx, 1, b.Step, func(c *conn, _ int) (time.Duration, error) { return 0, step.op(c) })
		if err != nil {
			return err
		}
		b.add(fmt.Sprintf("fairness: %s while another credential searches", step.name), sample, ms(sample.P99), "ms p99",
			step.bars...)
	}
	return nil
}

// neighbourTurns is how many times recall is measured with and without writes. The order alternates.
const neighbourTurns = 5

// neighbours measures how much longer recall takes in one org while a client saves in another one without
// pause. It compares the highest of 19 in 20 times.
func (b *bencher) neighbours(ctx context.Context) error {
	key, err := b.neighbour(ctx, filepath.Join(b.Dir, "reads"))
	if err != nil {
		return err
	}
	b.Progress("recall while another org saves")
	return b.serve(ctx, "reads", func(s *server) error { return b.besideNeighbour(ctx, s, key) })
}

func (b *bencher) besideNeighbour(ctx context.Context, s *server, key string) error {
	var alone, beside []Sample
	for turn := range 2 * neighbourTurns {
		load, list := func(context.Context) error { return nil }, &alone
		if turn%4 == 1 || turn%4 == 2 {
			load, list = func(ctx context.Context) error { return b.save(ctx, s, key) }, &beside
		}
		sample, err := b.recallBeside(ctx, s, load)
		if err != nil {
			return err
		}
		*list = append(*list, sample)
	}
	without, with := middle(alone), middle(beside)
	b.add("recall, 5 words, without other work", without, ms(without.P95), "ms server time p95")
	b.add("recall, 5 words, while another org saves", with, with.P95.Seconds()/without.P95.Seconds(), "× p95 without",
		Bar{"must", 1.3, true})
	return nil
}

// middle returns the sample with the median of p95.
func middle(list []Sample) Sample {
	slices.SortFunc(list, func(x, y Sample) int { return int(x.P95 - y.P95) })
	return list[len(list)/2]
}

// neighbour creates another org, and returns a key of its owner.
func (b *bencher) neighbour(ctx context.Context, dir string) (string, error) {
	for _, command := range [][]string{
		{"org", "create", "neighbour", "--owner-email", "owner@neighbour.example"},
		{"key", "create", "--name", "bench", "--org", "neighbour", "--json"},
	} {
		out, err := exec.CommandContext(ctx, b.Binary, append(command, "--data-dir", dir)...).Output()
		if err != nil {
			return "", fmt.Errorf("loci %s: %w", command[0], err)
		}
		var made struct{ Key string }
		if err := json.Unmarshal(out, &made); err == nil && made.Key != "" {
			return made.Key, nil
		}
	}
	return "", errors.New("loci key create printed no key")
}

// recallBeside recalls with one client while load runs.
func (b *bencher) recallBeside(ctx context.Context, s *server, load func(context.Context) error) (
	sample Sample, err error) {
	words := newCorpus(4, loci.NewUserID())
	err = beside(ctx, load, func() (err error) {
		sample, err = s.load(ctx, 1, b.Step, func(c *conn, _ int) (time.Duration, error) {
			return c.call("POST", "/memories/recall", personKey, map[string]any{"query": words.text(5)})
		})
		return err
	})
	return sample, err
}

// save saves memories with one client until ctx ends.
func (b *bencher) save(ctx context.Context, s *server, key string) error {
	words := newCorpus(5, loci.NewUserID())
	_, err := s.load(ctx, 1, time.Hour, func(c *conn, _ int) (time.Duration, error) {
		return 0, c.save(key, words)
	})
	return err
}

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
