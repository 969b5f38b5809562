package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal returns a terminal at which nobody types anything.
func terminal(t *testing.T) *os.File {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { keyboard.Close() })
	number, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0) // unlock it
	}
	if err != nil {
		t.Fatal(err)
	}
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { screen.Close() })
	return screen
}

// TestQuestionEndsWithASignal interrupts connect while it waits for an answer.
func TestQuestionEndsWithASignal(t *testing.T) {
	interruptible(t)
	dir := t.TempDir()
	cmd := lociCommand(t, dir, "connect", "cursor", "codex")
	cmd.Env = append(cmd.Env, "LOCI_LISTEN="+freeAddress(t)) // another Loci may run on this machine
	cmd.Stdin = terminal(t)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	notes := bufio.NewReader(stderr)
	for line := ""; line != "Connect Cursor? [y/N]\n"; {
		if line, err = notes.ReadString('\n'); err != nil {
			t.Fatalf("it does not ask: %q, %v", line, err)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(notes)
	if got := string(rest); err != nil || !strings.HasPrefix(got, "loci: interrupted; ") || strings.Count(got, "\n") != 1 {
		t.Errorf("got %q, %v, want one line about the interruption", got, err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("got %v, want exit code %d", err, exitInterrupted)
	}
}
