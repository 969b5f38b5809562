package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
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
	s, err := startServer(ctx, b.Binary, filepath.Join(b.Dir, "reads"))
	if err != nil {
		return err
	}
	var searches Sample
	err = beside(ctx, func(ctx context.Context) (err error) { searches, err = b.flood(ctx, s); return err },
		func() error { return b.meanwhile(ctx, s) })
	b.add(fmt.Sprintf("fairness: the worst searches, %d clients", b.Clients), searches, ms(searches.P50), "ms p50")
	return errors.Join(err, s.stop())
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
