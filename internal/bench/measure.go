package bench

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Sample is the result of one step.
type Sample struct {
	Count       int           `json:"count"`        // operations that succeeded
	PerSecond   float64       `json:"per_second"`   // all clients together
	P50         time.Duration `json:"p50_ns"`       // as the client measured it, or as the server reported it
	P95         time.Duration `json:"p95_ns"`       // like P50
	P99         time.Duration `json:"p99_ns"`       // like P50
	ServerTimed bool          `json:"server_timed"` // the percentiles are the server's own time
}

// load runs op over HTTP, each client with a connection of its own.
func (s *server) load(ctx context.Context, clients int, length time.Duration,
	op func(c *conn, client int) (time.Duration, error)) (Sample, error) {
	conns := make([]*conn, clients)
	for i := range conns {
		c, err := s.dial()
		if err != nil {
			return Sample{}, err
		}
		defer func() { _ = c.close() }() // the answers were read
		conns[i] = c
	}
	return run(ctx, clients, length,
		func(_ context.Context, client int) (time.Duration, error) { return op(conns[client], client) })
}

// run calls op from several goroutines at once for the given time. op returns the server's time, or
// 0 to be timed from outside. The first error ends the run.
func run(ctx context.Context, clients int, length time.Duration, op func(context.Context, int) (time.Duration, error)) (
	Sample, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	times := make([][]time.Duration, clients)
	errs := make([]error, clients)
	timed := make([]bool, clients)
	begin := time.Now()
	for c := range clients {
		wg.Go(func() {
			for ctx.Err() == nil && time.Since(begin) < length {
				start := time.Now()
				server, err := op(ctx, c)
				if err != nil {
					errs[c] = err
					cancel()
					return
				}
				if server > 0 {
					timed[c] = true
					times[c] = append(times[c], server)
				} else {
					times[c] = append(times[c], time.Since(start))
				}
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	for _, err := range errs {
		if err != nil {
			return Sample{}, err
		}
	}
	return summarize(slices.Concat(times...), took, timed[0]), nil
}

func summarize(times []time.Duration, took time.Duration, serverTimed bool) Sample {
	if len(times) == 0 {
		return Sample{}
	}
	slices.Sort(times)
	at := func(q float64) time.Duration { return times[min(len(times)-1, int(q*float64(len(times))))] }
	return Sample{Count: len(times), PerSecond: float64(len(times)) / took.Seconds(),
		P50: at(0.50), P95: at(0.95), P99: at(0.99), ServerTimed: serverTimed}
}
