package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/loci-memory/loci"
)

// renamedAgents returns a sentence for each agent that an update of Loci renamed, until somebody changes its
// description.
func (in *instance) renamedAgents(ctx context.Context) (list []string, err error) {
	err = in.inOrgs(ctx, "", func(who loci.Principal) error {
		agents, err := in.agents(ctx, who)
		for _, a := range agents {
			if before, renamed := strings.CutPrefix(a.Description, loci.RenamedText); renamed {
				list = append(list, fmt.Sprintf("an update of Loci renamed the agent %s to %s, because names occur once in an org",
					quoted(before), quoted(a.Name)))
			}
		}
		return err
	})
	return list, err
}

// fixRenamed is what to do about an agent that an update renamed.
const fixRenamed = "if its programs use the old name, change them; then loci agent update AGENT --description TEXT"

func (d *doctor) examineAgents(ctx context.Context, in *instance) {
	list, err := in.renamedAgents(ctx)
	if err != nil {
		d.fail("agents", "read the message", "%s", loci.OneLine(err.Error()))
	}
	for _, text := range list {
		d.warn("agents", fixRenamed, "%s", text)
	}
}
