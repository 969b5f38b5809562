package main

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci/internal/bench"
)

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
			return p.benchGraph(cmd.Context(), o, dir)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Entities, "entities", 10_000, "entities to store before measuring writes, with two observations each")
	flags.IntVar(&o.Observations, "observations", 0, "observations of a large graph to search; 0: skip this")
	flags.IntVar(&o.Clients, "clients", 16, "number of concurrent sessions of one server, then of processes")
	flags.DurationVar(&o.Step, "step", 5*time.Second, "duration of one step")
	flags.StringVar(&reference, "reference", "", "command that starts the reference memory server")
	flags.StringVar(&dir, "dir", "", "directory whose disk to measure (default: the temporary directory)")
	return cmd
}

func (p *program) benchGraph(ctx context.Context, o bench.GraphOptions, dir string) error {
	if o.Entities < 500 || o.Clients < 1 || o.Step <= 0 {
		return usagef("--entities must be at least 500, and --clients and --step must be positive")
	}
	if o.Observations != 0 && o.Observations < 10_000 {
		return usagef("--observations must be 0 or at least 10000")
	}
	o.Progress = p.benchProgress
	return p.measure(dir, func(binary, scratch string) ([]bench.Result, error) {
		o.Binary, o.Dir = binary, scratch
		return bench.RunGraph(ctx, o)
	})
}
