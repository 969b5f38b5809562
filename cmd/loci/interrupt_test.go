package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// countedContext is a context that is cancelled, as by Ctrl-C, when it is looked at for the nth time.
type countedContext struct {
	context.Context //nolint:containedctx // it is one
	cancel          context.CancelFunc
	looks           atomic.Int64
	nth             int64
}

func (c *countedContext) Err() error {
	if c.looks.Add(1) == c.nth {
		c.cancel()
	}
	return c.Context.Err()
}

// runUntil runs a command that is interrupted when it looks at its context for the nth time. It returns how often the
// command looked.
func runUntil(t *testing.T, nth int64, args ...string) (looks int64, code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	counted := &countedContext{Context: ctx, cancel: cancel, nth: nth}
	var out, errs bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &out, err: &errs, environ: []string{"LOCI_LISTEN=" + freeAddress(t)}}
	code = p.execute(counted, args)
	return counted.looks.Load(), code, out.String(), errs.String()
}

// TestInterruptedCommandsSayOnlyThat interrupts commands at many points. Each either completes or says in one line that
// it was interrupted: what it could not read then is not damaged.
func TestInterruptedCommandsSayOnlyThat(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	data := filepath.Join(dir, "data")
	run := func(args ...string) {
		t.Helper()
		if _, code, _, stderr := runUntil(t, 0, append(args, "--data-dir", data)...); code != exitOK {
			t.Fatalf("loci %s: exit code %d: %s", strings.Join(args, " "), code, stderr)
		}
	}
	run("add", "We deploy on Tuesdays")
	run("project", "create", "home")
	run("graph", "add", "Kiel", "--type", "city", "--project", "home")
	run("backup", "create")
	exported := filepath.Join(dir, "export.jsonl")
	run("export", exported)
	t.Chdir(dir)
	for _, command := range []string{"doctor", "doctor --json", "doctor --fix", "status", "export", "backup create",
		"backup verify", "index verify", "index rebuild", "graph check --project home", "graph export --project home",
		"import export.jsonl", "list", "search Tuesdays", "add Thursdays", "undo --origin cli --since 1h --dry-run", "audit",
		"project list"} {
		t.Run(command, func(t *testing.T) {
			args := append(strings.Fields(command), "--data-dir", data)
			looks, code, _, stderr := runUntil(t, 0, args...)
			if code != exitOK {
				t.Fatalf("exit code %d without an interrupt: %s", code, stderr)
			}
			interrupted := 0
			for nth := int64(1); nth <= looks; nth += 1 + looks/15 {
				_, code, stdout, stderr := runUntil(t, nth, args...)
				if code == exitOK {
					continue // it had done its work
				}
				interrupted++
				if code != exitInterrupted || strings.Count(stderr, "\n") != 1 || strings.Contains(stdout, "fail") ||
					!strings.Contains(stderr, "interrupted; acknowledged changes are kept") {
					t.Errorf("interrupted at %d of %d: exit code %d, stdout %q, stderr %q", nth, looks, code, stdout, stderr)
				}
			}
			if interrupted == 0 {
				t.Errorf("it was never interrupted, though it looked at its context %d times", looks)
			}
		})
	}
}
