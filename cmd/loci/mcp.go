package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/mcpserver"
)

func (p *program) mcpCommand() *cobra.Command {
	var vendor, transport string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one assistant over standard input and output",
		Long: `Serve one assistant over standard input and output. The client starts this
itself; any number of them and a server work on one data directory at once.`,
		Example:     `  loci mcp --vendor claude`,
		Args:        cobra.NoArgs,
		Annotations: needsNoAction("starts a surface, whose tools name their actions"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if transport != "stdio" {
				return usagef("--transport can only be stdio; for HTTP run: loci serve")
			}
			v, err := loci.ParseVendor(vendor)
			if err != nil {
				return loci.FieldErrorf("--vendor", "%q is not usable: %s", cut(vendor, 60), err)
			}
			return p.with(cmd.Context(), create, func(in *instance) error { return p.serveStdio(cmd.Context(), in, v) })
		},
	}
	cmd.Flags().StringVar(&vendor, "vendor", string(loci.LocalVendor), "whose assistant it is: claude, cursor, codex, …")
	cmd.Flags().StringVar(&transport, "transport", "stdio", "only stdio")
	return cmd
}

func (p *program) serveStdio(ctx context.Context, in *instance, vendor loci.Vendor) error {
	who := func(ctx context.Context) (loci.Principal, error) { return in.auth.Local(ctx, vendor) }
	server := mcpserver.New(mcpserver.Options{App: in.app, Auth: in.auth, Log: p.log, Version: readBuildInfo().Version})
	err := server.ServeStdio(ctx, who, p.in, p.out)
	if errors.Is(err, context.Canceled) {
		return nil // asked to stop, which is how clients end it
	}
	return err
}
