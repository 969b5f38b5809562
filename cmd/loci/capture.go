package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/capture"
	"github.com/loci-memory/loci/internal/clientfile"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
)

// capturing is the id of the client that has a hook.
const capturing = "claude-code"

// hookSettings is the file in which Claude Code looks for hooks.
func (p *program) hookSettings() string {
	dir := p.settings.ClientDirs[capturing]
	if dir == "" {
		dir = filepath.Join(p.settings.Home, ".claude")
	}
	return filepath.Join(dir, "settings.json")
}

// connectCapturing connects a client, and adds or removes its hooks if a flag says so. Before it changes anything, it
// checks whether it can add them, and shows both changes.
func (p *program) connectCapturing(ctx context.Context, in *instance, c *client, e *clientfile.Endpoint,
	o *connecting) (done *connected, err error) {
	var hooks *hooking
	if o.capture {
		if hooks, err = p.planCapture(c); err != nil {
			return nil, err
		}
	}
	if done, err = p.connect(ctx, in, c, e, o.offered, nil); err != nil {
		return nil, err
	}
	switch {
	case hooks != nil:
		var file string
		if file, err = p.capture(ctx, c, hooks); done != nil {
			done.Capture = file
		}
	case o.given("capture"):
		err = p.endCapture(ctx, c)
	}
	return done, stayingConnected(err, c, done == nil)
}

// hooking is a change of the settings of Claude Code that adds the hooks.
type hooking struct {
	file  *clientfile.File
	after []byte // nil: the hooks are there already
}

// planCapture returns the change, and changes nothing. It fails if Loci cannot add the hooks.
func (p *program) planCapture(c *client) (*hooking, error) {
	binary, err := installed(c, "run")
	if err != nil {
		return nil, err
	}
	file, err := clientfile.ReadSettings(p.hookSettings())
	if err != nil {
		return nil, err
	}
	command := clientfile.HookCommand(binary)
	other := func(hooked string) bool { return hooked != command }
	if found := file.Hooked(); len(found) == len(clientfile.HookEvents) && !slices.ContainsFunc(found, other) {
		p.note("Loci already logs what %s does, by the hooks in %s", c.name, file.Name)
		return &hooking{file: file}, nil
	}
	after, err := file.WithHooks(command)
	if err != nil {
		return nil, err
	}
	p.note("This lets %s log your prompts, its tool calls with their results, and its answers, in private sessions. It "+
		"changes %s:\n%s", c.name, file.Name, clientfile.Difference(file.Text, after))
	return &hooking{file, after}, nil
}

// capture adds the hooks that planCapture has shown, and returns the name of the file with them.
func (p *program) capture(ctx context.Context, c *client, h *hooking) (string, error) {
	if h.after == nil {
		return h.file.Name, nil
	}
	if err := p.agreed(ctx, "Log what "+c.name+" does?", "log what "+c.name+" does", "--yes"); err != nil {
		return "", err
	}
	if err := p.writeSettings(h.file, h.after); err != nil {
		return "", err
	}
	if !p.json {
		p.printf("%s logs what it does, from its next session on\n", c.name)
	}
	return h.file.Name, nil
}

// stayingConnected adds to the error of a change of the hooks that the connection is made. before reports whether it
// was there before.
func stayingConnected(err error, c *client, before bool) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	now := "is connected now"
	if before {
		now = "stays connected"
	}
	return fmt.Errorf("%w; %s %s, and its hooks are unchanged", err, c.name, now)
}

// endCapture is connect --capture=false.
func (p *program) endCapture(ctx context.Context, c *client) error {
	captured, err := p.stopCapture(ctx, c)
	switch {
	case err != nil:
		return err
	case !captured:
		p.note("%s has no hooks of Loci in %s, and logs nothing", c.name, p.hookSettings())
	case !p.json:
		p.printf("%s no longer logs what it does\n", c.name)
	}
	return nil
}

// writeSettings keeps who may read the file. It has no key.
func (p *program) writeSettings(file *clientfile.File, after []byte) error {
	mode := os.FileMode(0o600)
	if info, err := os.Stat(file.Name); err == nil {
		mode = info.Mode().Perm()
	}
	return file.ReplaceWith(after, mode)
}

// stopCapture removes the hook, if there is one, and reports whether there was. If nothing else is in the file, it
// removes the file.
func (p *program) stopCapture(ctx context.Context, c *client) (bool, error) {
	if c.id != capturing || p.settings.Home == "" {
		return false, nil
	}
	file, err := clientfile.ReadSettings(p.hookSettings())
	if err != nil {
		return false, err
	}
	if len(file.Hooked()) == 0 {
		return false, nil
	}
	after, err := file.WithoutHooks()
	if err != nil {
		return false, err
	}
	p.note("This removes the hooks of Loci from %s:\n%s", file.Name, clientfile.Difference(file.Text, after))
	if err := p.agreed(ctx, "Stop logging what "+c.name+" does?", "remove the hooks of "+c.name, "--yes"); err != nil {
		return true, err
	}
	if string(bytes.TrimSpace(after)) == "{}" {
		return true, file.Remove()
	}
	return true, p.writeSettings(file, after)
}

// These tell what is wrong with a hook that has no key, and how to repair it.
const (
	brokenCapture = "Claude Code runs the hook of Loci, but its file has no key of Loci, so Loci logs nothing"
	fixCapture    = "loci connect " + capturing + " --capture --stdio=false"
)

// captures returns the settings with the hook of Loci, or "". broken tells why nobody can say whether they have it.
func (p *program) captures() (name, broken string) {
	file, err := clientfile.ReadSettings(p.hookSettings())
	switch {
	case err == nil && len(file.Hooked()) > 0:
		return file.Name, ""
	case err == nil:
		return "", ""
	}
	text, unreadable := os.ReadFile(p.hookSettings())
	if unreadable == nil && !clientfile.MayBeHooked(text) {
		return "", ""
	}
	return "", "cannot read the hooks in " + p.hookSettings() + ", so Claude Code may log nothing: " +
		clientfile.Fault(err)
}

// captureFault tells what is wrong with the hooks, and how to repair it. It has no text if nothing is.
func (p *program) captureFault() outdated {
	name, broken := p.captures()
	switch {
	case broken != "":
		return outdated{text: broken, fix: "fix the file"}
	case name != "" && p.hookServer() == nil:
		return outdated{text: brokenCapture, how: "run: ", fix: fixCapture}
	}
	return outdated{}
}

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
