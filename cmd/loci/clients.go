package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
)

// client is a program that Loci can connect.
type client struct {
	id     string // on the command line
	name   string // for people
	vendor loci.Vendor
	config loci.ClientConfig
	form
	record string // the name of the files about the connection, in connections/
}

// form is how a client lists MCP servers in its file, and how a person sees the result.
type form struct {
	format clientfile.Format
	stdio  bool   // its file can only name programs to start
	hint   string // what the person does after a change
}

const newSession = "start a new session, then type /mcp to see it"

// forms are the clients whose files differ from Cursor's. docs/clients.md names the sources.
var forms = map[string]form{
	"claude-code": {format: clientfile.JSON{OverHTTP: "http", OverStdio: "stdio"}, hint: newSession},
	"claude-desktop": {stdio: true,
		hint: "quit and restart Claude Desktop, then look under Settings, Developer"},
	"vscode": {format: clientfile.JSON{Servers: "servers", OverHTTP: "http", OverStdio: "stdio"},
		hint: "start it with the command MCP: List Servers"},
	"codex":      {hint: newSession},
	"gemini-cli": {format: clientfile.JSON{URL: "httpUrl"}, hint: "in a folder that it trusts, " + newSession},
	"windsurf":   {format: clientfile.JSON{URL: "serverUrl"}},
	"zed": {format: clientfile.JSON{Servers: "context_servers"},
		hint: "look under AI, MCP Servers in its settings"},
	"opencode": {format: clientfile.JSON{Servers: "mcp", OverHTTP: "remote", OverStdio: "local", OneList: true},
		hint: "restart it, then run opencode mcp list"},
}

var clients = knownClients()

func knownClients() (out []*client) {
	for _, v := range loci.Vendors {
		for _, c := range v.Clients {
			out = append(out, newClient(v.Name, c))
		}
	}
	return out
}

func newClient(vendor loci.Vendor, config loci.ClientConfig) *client {
	c := &client{id: config.Name, name: config.Label, vendor: vendor, config: config, form: forms[config.Name],
		record: config.Name}
	switch {
	case c.format != nil:
	case path.Ext(config.File) == ".toml":
		c.format = clientfile.TOML{}
	default:
		c.format = clientfile.JSON{}
	}
	c.hint = cmp.Or(c.hint, "restart "+c.name+", then look under MCP in its settings")
	return c
}

// clientNames lists the clients that connect knows, for help and errors.
func clientNames(separator string) string {
	return strings.Join(loci.Mapped(clients, func(c *client) string { return c.id }), separator)
}

// files returns the person's own configuration files of the client, the one that wins there first.
func (c *client) files(s *settings) []string {
	if dir := s.ClientDirs[c.id]; dir != "" {
		return []string{filepath.Join(dir, path.Base(c.config.File))}
	}
	file := s.place(c.config.Path(runtime.GOOS))
	if c.config.Else == "" {
		return []string{file}
	}
	return []string{s.place(c.config.Else), file}
}

// read returns the files that the client reads if it works in this directory.
func (c *client) read(s *settings) []string {
	list := c.files(s)
	if c.config.Project == "" {
		return list
	}
	name, err := filepath.Abs(c.config.Project)
	if err != nil || slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// file is the one of these that Loci uses: the first with an entry of Loci, else the first that exists.
func (c *client) file(s *settings) string {
	list := c.files(s)
	if len(list) == 1 {
		return list[0]
	}
	for _, has := range []func(string) bool{c.hasLoci, isFile} {
		if i := slices.IndexFunc(list, has); i >= 0 {
			return list[i]
		}
	}
	return list[len(list)-1]
}

func (c *client) hasLoci(name string) bool {
	file, err := c.readFile(name)
	return err == nil && clientfile.LeadsToLoci(clientfile.Entry(c.format, file.Parsed))
}

// readFile reads a file of the client, which may be missing.
func (c *client) readFile(name string) (*clientfile.File, error) {
	return clientfile.Read(c.format, c.id, name)
}

// place returns the path on this machine of one in loci.Vendors.
func (s *settings) place(file string) string {
	start, rest, _ := strings.Cut(file, "/")
	return filepath.Join(map[string]string{"~": s.Home, "$CONFIG": s.ConfigDir, "$APPDATA": s.AppData}[start],
		filepath.FromSlash(rest))
}

// installed reports whether the client seems to be on this machine: its file or its own directory exists, or its
// command is on the PATH.
func (c *client) installed(s *settings) bool {
	file := c.file(s)
	if isFile(file) {
		return true
	}
	if dir := filepath.Dir(file); dir != s.Home {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return true
		}
	}
	if c.config.Program == "" {
		return false
	}
	_, err := exec.LookPath(c.config.Program)
	return err == nil
}

// findClient returns the client of that name, in any capitals. otherwise tells which names there are.
func findClient(id string, otherwise func() string) (*client, error) {
	var meant []string
	for _, c := range clients {
		if c.id == strings.ToLower(id) {
			return c, nil
		}
		if string(c.vendor) == id {
			meant = append(meant, c.id)
		}
	}
	if len(meant) == 0 {
		meant = loci.Nearest(id, strings.Split(clientNames(" "), " "), 2)
	}
	if len(meant) > 0 {
		return nil, loci.Errorf(loci.Invalid, "cannot find the client %q: did you mean %s?", cut(id, 60),
			strings.Join(meant, " or "))
	}
	return nil, loci.Errorf(loci.Invalid, "cannot find the client %q: %s", cut(id, 60), otherwise())
}

// canConnect tells what loci connect takes.
func canConnect() string {
	return "it must be one of " + clientNames(", ") + ". For any other client, run: " +
		"loci agent-key create --vendor VENDOR --name NAME"
}

func mcpURL(address string) string { return strings.TrimRight(address, "/") + "/mcp" }

// instructions tell a person how to connect the client by hand, in its file.
func (c *client) instructions(e *clientfile.Endpoint, file string) string {
	if c.id == "claude-code" && e.Command == "" {
		return fmt.Sprintf("%s:\n\n    claude mcp add --scope user --transport http %s %s --header \"Authorization: %s\"",
			c.name, clientfile.ServerName, quoted(e.URL), e.Authorization())
	}
	do := "put this into"
	switch _, toml := c.format.(clientfile.TOML); {
	case toml:
		do = "add these lines to"
	case c.id == "cursor" && e.Command == "":
		do = "open this link:\n\n    " + clientfile.CursorLink(e) + "\n\nor " + do
	}
	entry, err := clientfile.Alone(c.format, e)
	if err != nil {
		panic(err) // an empty file can always take an entry
	}
	return fmt.Sprintf("%s, %s %s:\n\n%s", c.name, do, file, indent(strings.TrimRight(string(entry), "\n")))
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(s, "\n", "\n    ")
}

// labels lists clients for people: A, B and C.
func labels(list []*client) string {
	names := loci.Mapped(list, func(c *client) string { return c.name })
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
