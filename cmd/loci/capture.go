package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
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

// capture adds the hook to the settings of Claude Code, and returns the name of that file.
func (p *program) capture(ctx context.Context, c *client) (string, error) {
	binary, err := os.Executable()
	if err != nil {
		return "", err
	}
	if isTransient(binary) {
		return "", usagef("cannot let %s run a program that `go run` started: it is temporary; run "+
			"`go install ./cmd/loci` and use the installed one", c.name)
	}
	file, err := clientfile.ReadSettings(p.hookSettings())
	if err != nil {
		return "", err
	}
	command := clientfile.HookCommand(binary)
	if found := file.Hooked(); len(found) == len(clientfile.HookEvents) && all(found, command) {
		p.note("Loci already logs what %s does, by the hooks in %s", c.name, file.Name)
		return file.Name, nil
	}
	after, err := file.WithHooks(command)
	if err != nil {
		return "", err
	}
	p.note("This lets %s log your prompts, its tool calls with their results, and its answers, in private sessions. It "+
		"changes %s:\n%s", c.name, file.Name, clientfile.Difference(file.Text, after))
	if err := p.agreed(ctx, "Log what "+c.name+" does?", "log what "+c.name+" does", "--yes"); err != nil {
		return "", err
	}
	if err := p.writeSettings(file, after); err != nil {
		return "", err
	}
	if !p.json {
		p.printf("%s logs what it does, from its next session on\n", c.name)
	}
	return file.Name, nil
}

// all reports whether every text is the same.
func all(list []string, text string) bool {
	for _, x := range list {
		if x != text {
			return false
		}
	}
	return true
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

// isCaptureBroken reports whether the hook finds no key.
func (p *program) isCaptureBroken() bool { return p.hookServer() == nil }

// captures returns the settings with the hook of Loci, or "".
func (p *program) captures() string {
	file, err := clientfile.ReadSettings(p.hookSettings())
	if err != nil || len(file.Hooked()) == 0 {
		return ""
	}
	return file.Name
}

// refuseStdioCapture refuses --capture for an entry that starts Loci itself: it has no key that the hook could use.
func refuseStdioCapture(c *client) error {
	return loci.Errorf(loci.Invalid, "cannot log what %s does: its entry starts Loci, but the hook needs a server and a "+
		"key; pass --stdio=false", c.name)
}
