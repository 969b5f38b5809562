package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/capture"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
)

// hookTime is how long a hook may take. The assistant waits for it.
var hookTime = 100 * time.Millisecond

func (p *program) hookCommand() *cobra.Command {
	return group("hook", "Log what an assistant does, as its hook",
		`Log what an assistant does. The assistant runs these commands itself, after
"loci connect --capture" has added them to its settings.`,
		p.hookClaudeCodeCommand())
}

func (p *program) hookClaudeCodeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "claude-code",
		Short: "Log an event of Claude Code, from standard input",
		Long: `Log an event of Claude Code, which passes it as JSON on standard input. At the start of a
session, the command prints what Claude should know: the context for the directory, and what
happened in the last session there. For a prompt, it prints what memory has for it and the
session has not received.

The command uses the key that "loci connect claude-code" has written. It takes at most
100 ms, always succeeds, and prints nothing if anything fails.`,
		Annotations: does(agent.SessionRead, agent.SessionCreate, agent.SessionReopen, agent.SessionClose, event.Log,
			memory.Briefing, pack.Read),
		// A mistake in Loci's settings must not stop the assistant, so this replaces the check of root.
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			p.started = true
			if s, err := loadSettings(p.environ, cmd.Flags()); err == nil {
				p.settings = s
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := context.WithTimeout(cmd.Context(), hookTime)
			defer stop()
			p.runHook(ctx)
			return nil
		},
	}
}

// runHook reports no error: some exit codes of a hook stop the assistant, and its person cannot do anything.
func (p *program) runHook(ctx context.Context) {
	defer func() { _ = recover() }() // a panic would end the process with the code that rejects the person's prompt
	if p.settings == nil {
		return
	}
	call, ok := capture.Read(untilDone(ctx, p.in))
	server := p.hookServer()
	if !ok || server == nil {
		return
	}
	text := server.Handle(ctx, call)
	if text == "" {
		return
	}
	out := hookAnswer{}
	out.Specific.Event, out.Specific.Context = call.Event, text
	_ = json.NewEncoder(p.out).Encode(out)
}

// hookAnswer is what Claude Code reads from a hook.
type hookAnswer struct {
	Specific struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// hookServer returns the server in Claude Code's file, or nil if that has no key of Loci.
func (p *program) hookServer() *capture.Server {
	c, err := findClient(capturing, canConnect)
	if err != nil {
		return nil
	}
	text, err := os.ReadFile(c.file(p.settings))
	if err != nil {
		return nil
	}
	return capture.ServerIn(text)
}
