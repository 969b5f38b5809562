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
		Short: "Measure knowledge graphs: over MCP, against SQLite itself and the reference server",
		Long: `Bench graph drives the real binary over MCP by a scripted client, and does the
same work on SQLite alone in the same run. With --reference the same script also
drives the reference memory server, and --clients at once are compared: sessions
over HTTP here, calls in flight on its one connection there. With --observations it searches a graph of
that many, ten to an entity, and reads the server's own time. It touches
none of your data and ends with exit code 1 if a bar marked "must" is missed.`,
		Example: `  loci bench graph
  npm install --prefix ref @modelcontextprotocol/server-memory
  loci bench graph --reference "node ref/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
  loci bench graph --observations 1000000`,
		Args:        cobra.NoArgs,
		Annotations: needsNoAction("measures processes of its own"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Reference = strings.Fields(reference)
			return p.benchGraph(cmd.Context(), o, dir)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&o.Entities, "entities", 10_000, "entities that are there when writes are measured, with two observations each")
	flags.IntVar(&o.Observations, "observations", 0, "observations of a large graph to search; 0 leaves it out")
	flags.IntVar(&o.Clients, "clients", 16, "of the concurrent steps: sessions of one server, then processes")
	flags.DurationVar(&o.Step, "step", 5*time.Second, "length of one step")
	flags.StringVar(&reference, "reference", "", "command that starts the reference memory server, to compare with")
	flags.StringVar(&dir, "dir", "", "measure the disk of this directory (default: that of temporary files)")
	return cmd
}

func (p *program) benchGraph(ctx context.Context, o bench.GraphOptions, dir string) error {
	if o.Entities < 500 || o.Clients < 1 || o.Step <= 0 {
		return usagef("--entities must be at least 500, --clients and --step more than nothing")
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
