package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/gate"
)

// TestEveryCommandSaysItsActions walks the whole tree: a command that carries
// out a use case names its action, as routes and tools do, and any other says
// why it has none.
func TestEveryCommandSaysItsActions(t *testing.T) {
	p := &program{in: &bytes.Buffer{}, out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	seen := 0
	named := map[string]string{} // the actions of each command, by the command with its arguments
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		seen++
		named[strings.Join(append([]string{c.CommandPath()}, argumentNames(c.Use)...), " ")] = c.Annotations[actionNote]
		names, reason := strings.Fields(c.Annotations[actionNote]), c.Annotations[localNote]
		if (len(names) == 0) == (reason == "") {
			t.Errorf("%q must name its actions or say why it has none: %q, %q", c.CommandPath(), names, reason)
		}
		for _, name := range names {
			if _, ok := app.Rules()[gate.Action(name)]; !ok {
				t.Errorf("%q names the action %q, which has no rule", c.CommandPath(), name)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if strings.Contains(f.Usage, "`") {
				t.Errorf("%q --%s: help takes the quoted words for the name of the value: %s", c.CommandPath(), f.Name, f.Usage)
			}
		})
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(p.root())
	for act, rule := range app.Rules() {
		if rule.Command != "" && !slices.Contains(strings.Fields(named[rule.Command]), string(act)) {
			t.Errorf("a refusal of %s names %q, which does not do it", act, rule.Command)
		}
	}
	if seen < 60 {
		t.Errorf("only %d commands were looked at", seen)
	}
}
