package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// anyCommand finds what looks like a command line of Loci, to where its arguments end at the latest.
var anyCommand = regexp.MustCompile("(\\w+ )?\\bloci ([a-z-]+)[^`\n;]*")

// mentions are the words before a command that a sentence only mentions.
var mentions = []string{"that ", "which "}

// incomplete returns the commands in an output that lack a flag.
func incomplete(p *program, output, flag string) (list []string) {
	for _, found := range anyCommand.FindAllStringSubmatch(output, -1) {
		cmd, _, err := p.commands.Find([]string{found[2]})
		known := err == nil && cmd != p.commands
		for part := range strings.SplitSeq(strings.TrimPrefix(found[0], found[1]), "loci ") {
			if known && part != "" && !slices.Contains(mentions, found[1]) && !strings.Contains(part, " "+flag+" ") {
				list = append(list, found[0])
			}
		}
	}
	return list
}

// TestProposedCommands runs commands on a data directory and with a configuration file that are not the default ones.
// Each command that they propose names both.
func TestProposedCommands(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	dir, file := filepath.Join(home, "another one"), filepath.Join(home, "other.toml")
	missing := filepath.Join(home, "missing")
	if err := os.WriteFile(file, []byte("listen = \"127.0.0.1:1\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	proposed := 0
	run := func(data string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		p := &program{in: &bytes.Buffer{}, out: &out, err: &out, environ: []string{"XDG_CONFIG_HOME=" + home}}
		p.execute(t.Context(), append(args, "--data-dir", data, "--config", file))
		if !p.started {
			t.Errorf("loci %s is not a command line: %s", strings.Join(args, " "), &out)
		}
		proposed += strings.Count(out.String(), "--config")
		for _, flag := range []string{"--data-dir", "--config"} {
			for _, command := range incomplete(p, out.String(), flag) {
				t.Errorf("loci %s proposes %q, without %s", strings.Join(args, " "), command, flag)
			}
		}
	}
	for _, args := range []string{"list", "status", "doctor", "backup list", "backup verify", "disconnect cursor"} {
		run(missing, strings.Fields(args)...)
	}
	for _, args := range []string{
		"add x --key deploys", "key list", "agent-key list", "session list", "team list", "workspace list", "node list",
		"source list nosuch", "project list", "graph open x", "graph search x", "mcp --project nosuch", "backup list",
		"backup verify", "backup restore nosuch", "backup restore", "key create --name one",
		"agent-key create --vendor cursor --name two", "agent-key rotate two", "agent-key revoke nosuch",
		"connect cursor --print", "connect cursor --yes", "connect codex --yes --stdio",
		"connect --replace-memory cursor --yes", "connect --replace-memory --all --yes", "connect --all",
		"agent-key revoke Cursor", "status", "doctor", "status --json", "doctor --json", "show deadbeef", "show abc",
		"show deploys", "history deadbeef", "restore deadbeef", "trash deadbeef", "edit deadbeef --title x",
		"user list --org nosuch", "user set nosuch --name x", "user link nosuch",
		"user sign-ins list", "user sign-ins end nosuch", "org set nosuch deletion=api_key",
		"org create Acme --owner-email ada@acme.example", "team show nosuch", "project show nosuch", "graph restore 00000000",
		"agent list", "agent show nosuch", "audit --user nosuch", "oauth client list", "oauth client delete nosuch",
		"oauth grant revoke nosuch", "suggestion accept nosuch", "session show nosuch", "node show nosuch",
		"list --agent nosuch", "undo --origin user --since 1h", "undo --origin nosuch --since 1h",
		"import nosuch.jsonl", "serve --listen 192.0.2.1:0", "open", "user link", "disconnect cursor codex --yes",
		"disconnect cursor", "list --json --session 00000000-0000-4000-8000-000000000000",
	} {
		run(dir, strings.Fields(args)...)
	}
	if proposed < 30 {
		t.Errorf("the commands propose only %d others", proposed)
	}
}

// TestOnSameData leaves alone what is not a proposal, and what names its data.
func TestOnSameData(t *testing.T) {
	p := &program{settings: &settings{DataDir: "/a b", DirAsked: true}}
	for _, tt := range []struct{ text, want string }{
		{"loci serve", "loci serve --data-dir '/a b'"},
		{"run: loci agent-key rotate ID --overlap 0", "run: loci agent-key rotate --data-dir '/a b' ID --overlap 0"},
		{"see `loci list`; then loci trash ID", "see `loci list --data-dir '/a b'`; then loci trash --data-dir '/a b' ID"},
		{"run: loci backup restore --to x --data-dir DIR", "run: loci backup restore --to x --data-dir DIR"},
		{"run: loci list --data-dir x; see `loci show`", "run: loci list --data-dir x; see `loci show --data-dir '/a b'`"},
		{"the key that loci connect created", "the key that loci connect created"},
		{"see loci list --help", "see loci list --help"},
		{"must be loci or reference; run loci nosuch", "must be loci or reference; run loci nosuch"},
	} {
		p.root()
		got := p.onSameData(tt.text)
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
		if again := p.onSameData(got); again != got {
			t.Errorf("completed twice: %s", again)
		}
	}
	p.settings.DirAsked = false
	if got := p.onSameData("loci serve"); got != "loci serve" {
		t.Errorf("on the default data directory: %s", got)
	}
}

// TestResultsCompleteCommands requires that what a command prints as its result passes the commands in it through
// onSameData, as notes and errors do by themselves.
func TestResultsCompleteCommands(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "demo.go" { // the demo ends with the default data directory
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !slices.Contains([]string{"printf", "printFields", "Fprintf", "Fprintln", "Warn", "WarnContext", "Info",
				"InfoContext"}, calledName(call)) {
				return true
			}
			for _, literal := range literalsOutside(call, "onSameData") {
				if regexp.MustCompile(`\bloci [a-z]`).MatchString(literal) {
					t.Errorf("%s prints %s: pass the command through onSameData", set.Position(call.Pos()), literal)
				}
			}
			return false
		})
	}
}

func calledName(call *ast.CallExpr) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// literalsOutside returns the texts of a call that are not in a call of the function with this name.
func literalsOutside(call *ast.CallExpr, name string) (list []string) {
	ast.Inspect(call, func(n ast.Node) bool {
		if inner, ok := n.(*ast.CallExpr); ok && calledName(inner) == name {
			return false
		}
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			list = append(list, text.Value)
		}
		return true
	})
	return list
}

// TestStartedByGoRun proposes commands that work without an installed program.
func TestStartedByGoRun(t *testing.T) {
	t.Chdir("../..")
	const built, called = "/tmp/go-build123/b001/exe/loci", "go run ./cmd/loci"
	for binary, want := range map[string]string{built: called, `C:\Temp\go-build1\b001\exe\loci.exe`: called,
		"/usr/local/bin/loci": "", "": ""} {
		if got := calledAs(binary); got != want {
			t.Errorf("%s is called as %q, want %q", binary, got, want)
		}
	}
	var out bytes.Buffer
	dir := t.TempDir()
	p := &program{in: &bytes.Buffer{}, out: &out, err: &out, called: called, environ: []string{"LOCI_DATA_DIR=" + dir}}
	p.execute(t.Context(), []string{"status"})
	p.execute(t.Context(), []string{"open"})
	for _, want := range []string{"start it with: " + called + " serve", "with: " + called + " connect",
		"with `" + called + " serve` or `" + called + " add`"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not propose %q:\n%s", want, &out)
		}
	}
	t.Chdir(dir)
	if got := calledAs(built); got != "" {
		t.Errorf("outside of the sources it is called as %q", got)
	}
}
