package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci/internal/bench"
)

func (p *program) benchEventsCommand() *cobra.Command {
	var o bench.EventOptions
	var dir string
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Benchmark the event log over HTTP against SQLite",
		Long: `Benchmark the event log. The command starts a server on an empty directory, logs events in
batches and one by one, and does the same work on SQLite alone. Then it fills a log with
--events events of 30 days, watches the server's memory meanwhile, and measures queries,
the context of a session, and what looking for duplicates costs. It does not touch your
data. The exit code is 1 if a bar marked "must" is missed. The load uses the server's
processors, so compare only ratios within one run.`,
		Example: `  loci bench events
  loci bench events --events 10000000`,
		Annotations: needsNoAction("measures a server that it starts"),
		RunE:        func(cmd *cobra.Command, _ []string) error { return p.benchEvents(cmd.Context(), o, dir) },
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Events, "events", 1_000_000, "events to log before measuring reads, at least 10,000")
	flags.IntVar(&o.Clients, "clients", 16, "number of concurrent clients")
	flags.DurationVar(&o.Step, "step", 5*time.Second, "duration of one step")
	flags.StringVar(&dir, "dir", "", "directory whose disk to measure (default: the temporary directory)")
	return cmd
}

func (p *program) benchEvents(ctx context.Context, o bench.EventOptions, dir string) error {
	if o.Events < 10_000 || o.Clients < 1 || o.Step <= 0 {
		return usagef("--events must be at least 10000, and --clients and --step must be positive")
	}
	o.Progress = p.benchProgress
	return p.measure(dir, func(binary, scratch string) ([]bench.Result, error) {
		o.Binary, o.Dir = binary, scratch
		return bench.RunEvents(ctx, o)
	})
}
