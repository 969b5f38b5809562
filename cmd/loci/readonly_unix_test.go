//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user without rights, for tests that run as one who may do
// anything.
const nobody = 65534

// TestReadOnlyDirectory runs the program as somebody who may not write.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runLoci(t, dir, "add", "x")
	data, binary := filepath.Join(dir, "data"), filepath.Join(dir, "loci")
	copyProgram(t, binary)
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{data, filepath.Join(data, "orgs")} {
		if err := os.Chmod(name, 0o555); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(data, 0o755) })
	writable := "make it writable for this user, or choose another with --data-dir"
	for _, args := range [][]string{{"list"}, {"add", "y"}, {"serve", "--listen", "127.0.0.1:0"},
		{"mcp", "--data-dir", filepath.Join(data, "new", "er")}} {
		refusedToNobody(t, binary, dir, writable, args...)
	}
	if err := os.Chmod(data, 0o600); err != nil { // there, and nobody can look into it
		t.Fatal(err)
	}
	unreachable := filepath.Join(data, "inner")
	refusedToNobody(t, binary, dir, "cannot open data directory "+unreachable+": this user may not", "list", "--data-dir",
		unreachable)
}

// TestReadOnlyDirectoryIsRead reads a directory as somebody who may read but not write it.
func TestReadOnlyDirectoryIsRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, binary := filepath.Join(dir, "data"), filepath.Join(dir, "loci")
	for _, args := range [][]string{{"project", "create", "home"}, {"add", "The boiler hums.", "--scope", "project",
		"--project", "home"}, {"graph", "add", "boiler", "hums", "--type", "thing"}, {"task", "add", "Sweep",
		"--project", "home"},
		{"events", "log", "it stopped"}} {
		runLoci(t, dir, args...)
	}
	copyProgram(t, binary)
	locks, _ := filepath.Glob(filepath.Join(data, "projects", "*.lock"))
	if len(locks) == 0 {
		t.Fatal("no locks")
	}
	for _, name := range locks { // a restored backup has none
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o555)
		}
		return errors.Join(err, os.Chmod(path, 0o444))
	})
	if err := errors.Join(err, os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = filepath.WalkDir(data, func(path string, _ fs.DirEntry, _ error) error { return os.Chmod(path, 0o755) })
	})
	for want, args := range map[string][]string{"The boiler hums.": {"list"}, "cli": {"search", "boiler"},
		"hums": {"graph", "read"}, "Sweep": {"task", "list"}, `"rows":{"entity":1,"event":1,"memory":1,`: {"export"},
		"1 current": {"status"}, "every file is intact": {"doctor"}, "you alone": {"project", "list"},
		"it stopped": {"events", "search", "stopped"}} {
		out, notes, code := asNobody(t, binary, dir, args...)
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("loci %v: exit code %d, want %q in:\n%s%s", args, code, want, out, notes)
		}
	}
	refusedToNobody(t, binary, dir, "cannot be written", "project", "rename", "home", "house")
}

// TestDirectoryOfAnother runs the program on directories that it may not enter, or has nothing in and may not write to.
func TestDirectoryOfAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	locked, empty, binary := filepath.Join(dir, "locked"), filepath.Join(dir, "empty"), filepath.Join(dir, "loci")
	runLoci(t, dir, "add", "x", "--data-dir", locked)
	copyProgram(t, binary)
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Mkdir(empty, 0o700), os.Chmod(empty, 0o555),
		os.Chmod(locked, 0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(locked, 0o755) })
	for _, args := range [][]string{{"list"}, {"status"}, {"add", "y"}, {"serve", "--listen", "127.0.0.1:0"},
		{"backup", "list"}, {"backup", "verify"}, {"backup", "restore"}, {"disconnect", "--all"}} {
		refusedToNobody(t, binary, dir, "cannot open data directory "+locked+": this user may not; choose another with "+
			"--data-dir", append(args, "--data-dir", locked)...)
	}
	for _, command := range []string{"list", "status"} {
		refusedToNobody(t, binary, dir, "no memories in "+empty+" yet, and this user may not write there", command,
			"--data-dir", empty)
	}
	for _, name := range []string{locked, empty} {
		stdout, _, code := asNobody(t, binary, dir, "doctor", "--data-dir", name)
		if code != exitFailed || !strings.Contains(stdout, "fail  directory") || !strings.Contains(stdout,
			"fix: make the directory and its files writable for this user") {
			t.Errorf("loci doctor --data-dir %s: exit code %d, %s", name, code, stdout)
		}
	}
}

// TestClientFilesOfAnother connects clients whose file cannot be read, or whose directory cannot be written.
func TestClientFilesOfAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, binary, home := filepath.Join(dir, "data"), filepath.Join(dir, "loci"), filepath.Join(dir, "home")
	copyProgram(t, binary)
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	cursor, windsurf := filepath.Join(home, ".cursor"), filepath.Join(home, ".codeium", "windsurf")
	for _, made := range []string{cursor, windsurf} {
		if err := os.MkdirAll(made, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(cursor, "mcp.json")
	if err := errors.Join(os.WriteFile(file, []byte("{}"), 0), os.Chmod(windsurf, 0o555)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(windsurf, 0o755) })
	at := []string{"--data-dir", data}
	if out, notes, code := asNobody(t, binary, dir, append(at, "add", "x")...); code != exitOK {
		t.Fatalf("add: exit code %d, %s%s", code, out, notes)
	}
	for client, want := range map[string]string{"cursor": "cannot read " + file, "windsurf": "cannot write " + windsurf} {
		out, notes, code := asNobody(t, binary, dir, append(at, "connect", client, "--yes")...)
		if code != exitConflict || !strings.Contains(notes, want) || !strings.Contains(notes,
			": this user may not; let this user read and write the file and its directory, and run the command again") {
			t.Errorf("connect %s: exit code %d, want %q in:\n%s%s", client, code, want, out, notes)
		}
	}
	keys, _, _ := asNobody(t, binary, dir, append(at, "agent-key", "list", "--all", "--json")...)
	if strings.Contains(keys, `"status": "valid"`) {
		t.Errorf("a key without an entry stays valid: %s", keys)
	}
}

// refusedToNobody runs the program as somebody who may nothing.
func refusedToNobody(t *testing.T, binary, dir, says string, args ...string) {
	t.Helper()
	stdout, stderr, code := asNobody(t, binary, dir, args...)
	if code != exitStorage {
		t.Errorf("loci %v: got exit code %d, want %d", args, code, exitStorage)
	}
	if !strings.Contains(stderr, says) || stdout != "" {
		t.Errorf("loci %v does not say what to do: %s%s", args, stdout, stderr)
	}
}

// asNobody returns the outputs and the exit code of a program that somebody runs who may nothing.
func asNobody(t *testing.T, binary, dir string, args ...string) (out, notes string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env, cmd.Dir = environmentOf(dir), "/"
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// copyProgram puts the program where anybody can run it.
func copyProgram(t *testing.T, name string) {
	t.Helper()
	from, err := exec.LookPath("loci")
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
}
