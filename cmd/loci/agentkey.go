package main

import (
	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
)

func (p *program) agentKeyCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "agent-key", Short: "Make, list and revoke keys of assistants", Args: cobra.NoArgs,
		Long: `Make, list and revoke keys of assistants. Each is bound to a vendor: what is
written with it carries that origin, and it reads only what that vendor may see.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(p.keyCreateCommand(loci.KindAgent), p.keyListCommand(loci.KindAgent), p.keyRevokeCommand(loci.KindAgent))
	return cmd
}
