package main

import (
	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
)

func (p *program) agentKeyCommand() *cobra.Command {
	return group("agent-key", "Make, list, rotate and revoke keys of assistants", `Make, list, rotate and revoke keys of assistants. Each is bound to a vendor: what is
written with it carries that origin, and it reads only what that vendor may see.`, p.keyCommands(loci.KindAgent)...)
}
