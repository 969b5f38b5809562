package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/bench"
)

func (p *program) benchCommand() *cobra.Command {
	var o bench.Options
	var dir string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Benchmark a real server on this machine against SQLite",
		Long: `Benchmark a real server on this machine against SQLite. The command starts a server on an
empty directory, measures writes and reads through it, and does the same work on SQLite
alone. It prints both figures and their ratio. On Linux it also prints the processor time of
each operation, beside a bare HTTP handler and SQLite alone. It does not touch your data.
The exit code is 1 if a bar marked "must" is missed. The load uses the server's processors,
so compare only ratios within one run.`,
		Example: `  loci bench
  loci bench --memories 10000 --step 2s --json`,
		Annotations: needsNoAction("measures a server that it starts"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Memories < 1 || o.Clients < 1 || o.Step <= 0 {
				return usagef("--memories, --clients and --step must be positive")
			}
			if o.Memories < benchMemories {
				return usagef("--memories must be at least %s; of fewer, a recall finds too little to compare",
					loci.Thousands(benchMemories))
			}
			return p.measure(dir, &o.Common, func() ([]bench.Result, error) { return bench.Run(cmd.Context(), o) })
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Memories, "memories", 100_000,
		"memories to store before measuring reads, at least "+loci.Thousands(benchMemories))
	benchFlags(flags, &o.Common, &dir, "number of concurrent clients")
	flags.BoolVar(&o.Processor, "processor", false, "measure only the processor time of each operation")
	flags.BoolVar(&o.Fairness, "fairness", false, "measure only how long one credential waits while another sends much")
	cmd.MarkFlagsMutuallyExclusive("processor", "fairness")
	cmd.AddCommand(p.benchGraphCommand(), p.benchEventsCommand(), &cobra.Command{Use: "floor ADDRESS",
		Short:  "Serve the bare handler of bench",
		Hidden: true, Args: cobra.ExactArgs(1), Annotations: needsNoAction("serves what bench sends it"),
		RunE: func(c *cobra.Command, a []string) error { return bench.ServeFloor(c.Context(), a[0], os.Stdin) }})
	return cmd
}

// benchFlags adds the flags of all benchmarks.
func benchFlags(flags *pflag.FlagSet, o *bench.Common, dir *string, clients string) {
	flags.IntVar(&o.Clients, "clients", 16, clients)
	flags.DurationVar(&o.Step, "step", 5*time.Second, "duration of one step")
	flags.StringVar(dir, "dir", "", "directory whose disk to measure (default: the temporary directory)")
}

// benchMemories is with how many memories each recall of the benchmark fills a page.
const benchMemories = 1000

// measure runs a benchmark in a temporary directory and prints the results.
func (p *program) measure(dir string, o *bench.Common, run func() ([]bench.Result, error)) (err error) {
	o.Progress = func(what string) { p.note("%s …", what) }
	if o.Binary, err = os.Executable(); err != nil {
		return err
	}
	if o.Dir, err = os.MkdirTemp(dir, "loci-bench-"); err != nil {
		return err
	}
	results, failed := run() // prints results even if a later step failed
	err = os.RemoveAll(o.Dir)
	switch {
	case p.json:
		err = errors.Join(err, p.printJSON(map[string]any{"results": results}))
	case len(results) > 0:
		p.printResults(results)
	}
	if failed != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(missedTargets(results), err)
}

// missedTargets names the steps that miss a bar marked "must".
func missedTargets(results []bench.Result) error {
	var missed []string
	for _, r := range results {
		if slices.ContainsFunc(r.Bars, func(bar bench.Bar) bool { return bar.Name == "must" && !bar.Met(r.Value) }) {
			missed = append(missed, r.Step)
		}
	}
	if len(missed) == 0 {
		return nil
	}
	return fmt.Errorf("%s missed (%s)", loci.Plural(len(missed), "target", "targets"), strings.Join(missed, ", "))
}

func (p *program) printResults(results []bench.Result) {
	var rows [][]string
	for _, r := range results {
		rate, times := "", ""
		if r.Sample.Count > 0 {
			rate = fmt.Sprintf("%.0f", r.Sample.PerSecond)
			times = fmt.Sprintf("%s / %s / %s", showMillis(r.Sample.P50), showMillis(r.Sample.P95), showMillis(r.Sample.P99))
		}
		rows = append(rows, []string{r.Step, rate, times, fmt.Sprintf("%.3g %s", r.Value, r.Unit), showBars(r)})
	}
	p.printTable([]string{"STEP", "PER SECOND", "P50 / P95 / P99 MS", "FIGURE", "BARS"}, rows)
}

func showMillis(d time.Duration) string {
	return fmt.Sprintf("%.3f", float64(d)/float64(time.Millisecond))
}

func showBars(r bench.Result) string {
	var out []string
	for _, bar := range r.Bars {
		sign, verdict := "≥", "missed"
		if bar.Most {
			sign = "≤"
		}
		if bar.Met(r.Value) {
			verdict = "met"
		}
		out = append(out, fmt.Sprintf("%s %s %g: %s", bar.Name, sign, bar.Limit, verdict))
	}
	return strings.Join(out, ", ")
}

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
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Events < 10_000 || o.Clients < 1 || o.Step <= 0 {
				return usagef("--events must be at least 10000, and --clients and --step must be positive")
			}
			return p.measure(dir, &o.Common, func() ([]bench.Result, error) { return bench.RunEvents(cmd.Context(), o) })
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Events, "events", 1_000_000, "events to log before measuring reads, at least 10,000")
	benchFlags(flags, &o.Common, &dir, "number of concurrent clients")
	return cmd
}

func (p *program) benchGraphCommand() *cobra.Command {
	var o bench.GraphOptions
	var dir, reference string
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Benchmark knowledge graphs over MCP against SQLite and the reference server",
		Long: `Benchmark knowledge graphs over MCP. A scripted client calls the real binary, and the
same work runs on SQLite alone. With --reference the script also calls the reference
memory server and compares --clients concurrent clients: sessions over HTTP for Loci,
concurrent calls on one connection for the reference server. With --observations the
command searches a graph of that many observations, ten per entity, and reports the
server's own time. It does not touch your data. The exit code is 1 if a bar marked
"must" is missed.`,
		Example: `  loci bench graph
  npm install --prefix ref @modelcontextprotocol/server-memory
  loci bench graph --reference "node ref/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
  loci bench graph --observations 1000000`,
		Annotations: needsNoAction("measures processes that it starts"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Reference = strings.Fields(reference)
			if o.Entities < 500 || o.Clients < 1 || o.Step <= 0 {
				return usagef("--entities must be at least 500, and --clients and --step must be positive")
			}
			if o.Observations != 0 && o.Observations < 10_000 {
				return usagef("--observations must be 0 or at least 10000")
			}
			return p.measure(dir, &o.Common, func() ([]bench.Result, error) { return bench.RunGraph(cmd.Context(), o) })
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Entities, "entities", 10_000, "entities to store before measuring writes, with two observations each")
	flags.IntVar(&o.Observations, "observations", 0, "observations of a large graph to search; 0: skip this")
	benchFlags(flags, &o.Common, &dir, "number of concurrent sessions of one server, then of processes")
	flags.StringVar(&reference, "reference", "", "command that starts the reference memory server")
	return cmd
}
