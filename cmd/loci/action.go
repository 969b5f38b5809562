package main

import (
	"strings"

	"github.com/loci-memory/loci/internal/gate"
)

// These are the annotations of a command: the actions that it uses, or the reason why it uses
// none.
const (
	actionNote = "action"
	localNote  = "local"
)

// does annotates a command with its actions. Listing keys for a hint about --as and --allow is not among them.
func does(actions ...gate.Action) map[string]string {
	names := make([]string, len(actions))
	for i, a := range actions {
		names[i] = string(a)
	}
	return map[string]string{actionNote: strings.Join(names, " ")}
}

// needsNoAction annotates a command that uses no action.
func needsNoAction(reason string) map[string]string { return map[string]string{localNote: reason} }

// onlyHelps annotates a command that only lists its subcommands.
func onlyHelps() map[string]string { return needsNoAction("prints its help") }
