package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/fts5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loci-memory/loci"
)

// TestMain lets the test binary be the program: as "loci" on the PATH of the
// scripts, and as the real process of the other tests.
func TestMain(m *testing.M) {
	completionTime = 5 * time.Minute // what a script sees must not depend on how busy the machine is
	hookTime = 5 * time.Minute       // the same; TestHookIsBounded tests the limit
	testscript.Main(m, map[string]func(){"loci": main})
}

// LOCI_TEST_COMMANDS names a folder with this program of tests as "loci", built without the race detector. The scripts
// then run their commands with it, which takes less than half of the time. Servers, in which much happens at a time,
// stay watched.

// noExitSleep keeps the race detector from waiting a second whenever a program ends. The scripts run
// more than a thousand of them.
const noExitSleep = "atexit_sleep_ms=10"

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, "home")
			e.Setenv("HOME", home)
			e.Setenv("GORACE", noExitSleep)
			e.Setenv("LOCI_SEARCH_SECONDS", "300") // no answer may depend on how busy the machine is
			e.Setenv("USERPROFILE", home)
			e.Setenv("DATA", filepath.Join(home, ".local", "share", "loci"))
			address := freeAddress(t)
			e.Setenv("LOCI_LISTEN", address)
			e.Setenv("PORT", address[strings.LastIndex(address, ":")+1:])
			bin, rest, _ := strings.Cut(e.Getenv("PATH"), string(os.PathListSeparator))
			if dir := os.Getenv("LOCI_TEST_COMMANDS"); dir != "" {
				bin = dir
				e.Setenv("PATH", bin+string(os.PathListSeparator)+rest)
			}
			e.Setenv("BIN", bin) // nothing but loci is there
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":      exits,
			"take":       take,
			"nosecrets":  noSecrets,
			"nowhere":    nowhere,
			"serve":      serveInScript,
			"shutdown":   stopServer,
			"occupy":     occupy,
			"wait-for":   waitFor,
			"get":        get,
			"killserver": killServer,
			"damage":     damage,
			"mode":       hasMode,
			"mark":       mark,
			"newer":      newer,
			"unindex":    unindex,
			"movekey":    moveKey,
			"fakearc":    fakeArc,
			"propose":    propose,
			"get-until":  getUntil,

			"modelfolder": modelFolder,
			"modelhub":    modelHub,

			"brokenvectors": brokenVectors,

			"crowd":        crowd,
			"unindexgraph": unindexGraph,
			"unsettle":     unsettle,
		},
	})
}

// freeAddress returns an address on which nobody listens.
func freeAddress(tb testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// exits CODE PROGRAM ARGS… runs a program that must end with this code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s ended with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// crowd FILE N writes an export of many memories.
func crowd(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	lines := []any{map[string]any{"loci": "export", "format": 4}}
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for i := range n {
		m := loci.Memory{
			ID:         loci.NewMemoryID(),
			Title:      fmt.Sprint("Note ", i),
			Content:    fmt.Sprint("The server has port ", i),
			Tags:       []string{},
			Type:       loci.Semantic,
			Category:   "fact",
			Importance: 5,
			Source:     "manual",
			CreatedAt:  at,
			UpdatedAt:  at,
			Access:     loci.Access{Scope: loci.ScopeGlobal, Origin: "cli", AllowedVendors: []loci.Vendor{"*"}},
			State:      loci.State{Version: 1, Change: loci.Created, Editor: "cli"},
		}
		lines = append(lines, map[string]any{"memory": m})
	}
	var out bytes.Buffer
	for _, line := range append(lines, map[string]any{"end": map[string]any{"lines": n}}) {
		ts.Check(json.NewEncoder(&out).Encode(line))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o600))
}

// take NAME PATTERN puts what the pattern's group matches in the last standard
// output into a variable.
func take(ts *testscript.TestScript, _ bool, args []string) {
	m := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if m == nil {
		ts.Fatalf("%q is not in the output", args[1])
	}
	ts.Setenv(args[0], m[len(m)-1])
}

var wholeKey = regexp.MustCompile(`loci_(live|agent|link|invite|session|access|refresh|code)_[A-Za-z0-9_-]{20,}`)

// nosecrets [FILE…] fails if there is a whole key in the last standard error,
// or in one of the files.
func noSecrets(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range append([]string{"stderr"}, args...) {
		if key := wholeKey.FindString(ts.ReadFile(name)); key != "" {
			ts.Fatalf("%s holds a key: %.16s…", name, key)
		}
	}
}

// nowhere TEXT fails if a file of the data directory has the text; ! nowhere, if none has it.
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	found := ""
	ts.Check(filepath.WalkDir(ts.Getenv("DATA"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.Contains(strings.ToLower(ts.ReadFile(path)), strings.ToLower(args[0])) {
			found = path
		}
		return nil
	}))
	if neg != (found != "") {
		ts.Fatalf("the text is in %q", found)
	}
}

type scriptServer struct {
	process *exec.Cmd
	out     *bufio.Reader
}

// serveInScript starts `loci serve ARGS…` and waits for its address, which goes
// to $URL.
func serveInScript(ts *testscript.TestScript, _ bool, args []string) {
	cmd := exec.Command("loci", append([]string{"serve"}, args...)...)
	cmd.Dir, cmd.Env = ts.MkAbs("."), scriptEnv(ts)
	errFile, err := os.Create(ts.MkAbs("serve.err"))
	ts.Check(err)
	defer errFile.Close()
	cmd.Stderr = errFile
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	s := &scriptServer{cmd, bufio.NewReader(out)}
	ts.Defer(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	line, err := s.out.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "Loci listens on ")
	if err != nil || !ok {
		ts.Fatalf("no address: %q, %v: %s", line, err, ts.ReadFile("serve.err"))
	}
	ts.Setenv("URL", url)
	ts.Setenv("SERVER", fmt.Sprint(cmd.Process.Pid))
	servers.Store(cmd.Process.Pid, s)
}

// scriptEnv hands the variables on that scripts set.
func scriptEnv(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"HOME", "PATH", "USERPROFILE", "TMPDIR", "LOCI_LISTEN", "LOCI_DATA_DIR", "LOCI_API_KEY",
		"LOCI_AGENT_KEY_CLAUDE",
		"LOCI_PUBLIC_URL", "LOCI_EGRESS", "LOCI_CHAT_BASE_URL", "LOCI_CHAT_MODEL",
		"LOCI_REFLECT_BASE_URL", "LOCI_REFLECT_MODEL", "LOCI_REFLECT_API_KEY", "LOCI_LOG_LEVEL", "LOCI_DELETION",
		"LOCI_RATE_LIMIT", "LOCI_TRUSTED_PROXIES", "LOCI_ALLOWED_HOSTS", "LOCI_ALLOWED_ORIGINS", "LOCI_SIGN_UP", "LOCI_LISTN",
		"LOCI_MASTER_KEY", "LOCI_NEW_MASTER_KEY"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// stopServer (shutdown) interrupts the server and checks that it ends well. Its outputs
// are in serve.out and serve.err then.
func stopServer(ts *testscript.TestScript, _ bool, _ []string) {
	s := takeServer(ts)
	ts.Check(s.process.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(s.out)
	ts.Check(err)
	if err := s.process.Wait(); err != nil {
		ts.Fatalf("the server ended with %v: %s", err, ts.ReadFile("serve.err"))
	}
	ts.Check(os.WriteFile(ts.MkAbs("serve.out"), rest, 0o600))
}

// takeServer returns the running server, which the caller ends.
func takeServer(ts *testscript.TestScript) *scriptServer {
	pid, err := strconv.Atoi(ts.Getenv("SERVER"))
	ts.Check(err)
	found, ok := servers.LoadAndDelete(pid)
	if !ok {
		ts.Fatalf("no server")
	}
	return found.(*scriptServer)
}

// get URL [STATUS] sends a request, whatever the answer is without STATUS.
func get(ts *testscript.TestScript, _ bool, args []string) {
	answer, err := http.Get(args[0])
	ts.Check(err)
	ts.Check(answer.Body.Close())
	if len(args) > 1 && strconv.Itoa(answer.StatusCode) != args[1] {
		ts.Fatalf("%s answers %d, want %s", args[0], answer.StatusCode, args[1])
	}
}

// waitFor (wait-for) FILE waits until a file exists.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	deadline := time.After(10 * time.Second)
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("%s does not exist", args[0])
		}
	}
}

// killServer (killserver) ends the server as kill -9 does.
func killServer(ts *testscript.TestScript, _ bool, _ []string) {
	s := takeServer(ts)
	ts.Check(s.process.Process.Kill())
	_ = s.process.Wait() // it reports the signal
}

// occupy listens on $LOCI_LISTEN until the script ends.
func occupy(ts *testscript.TestScript, _ bool, _ []string) {
	l, err := net.Listen("tcp", ts.Getenv("LOCI_LISTEN"))
	ts.Check(err)
	ts.Defer(func() { l.Close() })
}

// damage FILE [OFFSET] changes one byte of a file, in the middle unless said.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	text, err := os.ReadFile(name)
	ts.Check(err)
	at := len(text) / 2
	if len(args) > 1 {
		at, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	text[at] ^= 0xff
	ts.Check(os.WriteFile(name, text, 0o600))
}

// hasMode (mode) MODE FILE fails unless the file has that mode.
func hasMode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}

// servers are the running ones, by process id.
var servers sync.Map

// unindex FILE empties the index behind lists.
func unindex(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sqlite3.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(db.Exec("DELETE FROM memory_postings"))
	ts.Check(db.Close())
}

// unindexgraph FILE empties the full-text index of a project.
func unindexGraph(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sqlite3.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(fts5.Register(db))
	ts.Check(db.Exec("INSERT INTO observations_fts(observations_fts) VALUES ('delete-all')"))
	ts.Check(db.Close())
}

// unsettle DIR PROJECT leaves a project half archived, with something in the way
// of the rest.
func unsettle(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.MkdirAll(ts.MkAbs(filepath.Join(args[0], "archive", args[1]+".db", "in the way")), 0o700))
	db, err := sqlite3.Open(ts.MkAbs(filepath.Join(args[0], "_meta.db")))
	ts.Check(err)
	ts.Check(db.Exec("UPDATE projects SET intent = 'archiving' WHERE id = '" + args[1] + "'"))
	ts.Check(db.Close())
}

// newer DIR makes a data directory that a later version has migrated.
func newer(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(ts.Exec("loci", "add", "x", "--data-dir", args[0]))
	db, err := sqlite3.Open(filepath.Join(args[0], "_meta.db"))
	ts.Check(err)
	ts.Check(db.Exec("INSERT INTO _migrations SELECT max(number) + 1, 'of the future', applied_at FROM _migrations"))
	ts.Check(db.Close())
}

// mark puts a byte order mark before a text.
func mark(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: mark FILE")
	}
	text, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append([]byte("\ufeff"), text...), 0o600))
}
