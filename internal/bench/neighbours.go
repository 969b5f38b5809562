package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

// neighbourTurns is how many times recall is measured with and without writes. The order alternates.
const neighbourTurns = 5

// neighbours measures how much longer recall takes in one org while a client saves in another one without
// pause. It compares the highest of 19 in 20 times.
func (b *bencher) neighbours(ctx context.Context) error {
	dir := filepath.Join(b.Dir, "reads")
	key, err := b.neighbour(ctx, dir)
	if err != nil {
		return err
	}
	s, err := startServer(ctx, b.Binary, dir)
	if err != nil {
		return err
	}
	b.Progress("recall while another org saves")
	var alone, beside []Sample
	for turn := range 2 * neighbourTurns {
		load, list := func(context.Context) error { return nil }, &alone
		if turn%4 == 1 || turn%4 == 2 {
			load, list = func(ctx context.Context) error { return b.save(ctx, s, key) }, &beside
		}
		sample, err := b.recallBeside(ctx, s, load)
		if err != nil {
			return errors.Join(err, s.stop())
		}
		*list = append(*list, sample)
	}
	without, with := middle(alone), middle(beside)
	b.add("recall, 5 words, without other work", without, ms(without.P95), "ms server time p95")
	b.add("recall, 5 words, while another org saves", with, with.P95.Seconds()/without.P95.Seconds(), "× p95 without",
		Bar{"must", 1.3, true})
	return s.stop()
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
