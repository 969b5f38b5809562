package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/loci-memory/loci"
)

// client is a program that Loci can connect.
type client struct {
	id     string // on the command line
	name   string // for people
	vendor loci.Vendor
	config *loci.ClientConfig
	format configFormat
	hint   string // what the person does after a change
}

// serverName is what Loci is called in the clients' configurations.
const serverName = "loci"

var clients = knownClients()

func knownClients() (out []*client) {
	for _, v := range loci.Vendors {
		if v.Client != nil {
			out = append(out, newClient(v))
		}
	}
	return out
}

func newClient(v loci.KnownVendor) *client {
	c := &client{id: v.Client.Name, name: v.Client.Label, vendor: v.Name, config: v.Client, format: jsonConfig{},
		hint: "start a new session, then type /mcp to see it"}
	switch {
	case path.Ext(c.config.File) == ".toml":
		c.format = tomlConfig{}
	case v.Name == "claude":
		c.format = jsonConfig{withType: true}
	default:
		c.hint = "restart " + c.name + ", then look under MCP in its settings"
	}
	return c
}

// clientNames lists the clients that connect knows, for help and errors.
func clientNames(separator string) string {
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.id
	}
	return strings.Join(names, separator)
}

// clientLabels lists the clients for people: A, B and C.
func clientLabels() string {
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// file is the person's own configuration file of the client.
func (c *client) file(s *settings) string {
	if dir := s.ClientDirs[c.id]; dir != "" {
		return filepath.Join(dir, path.Base(c.config.File))
	}
	return filepath.Join(s.Home, filepath.FromSlash(c.config.File))
}

func findClient(id string) (*client, error) {
	for _, c := range clients {
		if c.id == id {
			return c, nil
		}
	}
	return nil, loci.Errorf(loci.Invalid, "cannot connect %q: it must be one of %s. For any other client, run: "+
		"loci agent-key create --vendor VENDOR --name NAME", cut(id, 60), clientNames(", "))
}

// endpoint is how a client reaches Loci: over HTTP with a key, or by starting a process.
type endpoint struct {
	URL     string
	Key     loci.Secret
	Command string
	Args    []string
}

func mcpURL(address string) string { return strings.TrimRight(address, "/") + "/mcp" }

// offer sets the client's toolsets and the project of its graph tools.
func (e *endpoint) offer(toolsets []string, project string) {
	var query []string
	if len(toolsets) > 0 {
		query = append(query, "toolsets="+strings.Join(toolsets, ",")) // these names need no escaping
		e.Args = append(e.Args, "--toolsets", strings.Join(toolsets, ","))
	}
	if project != "" {
		query = append(query, "project="+url.QueryEscape(project))
		e.Args = append(e.Args, "--project", project)
	}
	if e.Command == "" {
		e.Args = nil
		if len(query) > 0 {
			e.URL += "?" + strings.Join(query, "&")
		}
	}
}

// host is where the server is.
func (e *endpoint) host() string {
	u, err := url.Parse(e.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

func (e *endpoint) authorization() string { return "Bearer " + e.Key.Reveal() }

// instructions tell a person how to connect the client by hand.
func (c *client) instructions(e *endpoint) string {
	if c.id == "claude-code" {
		return fmt.Sprintf("%s:\n\n    claude mcp add --scope user --transport http %s %s --header \"Authorization: %s\"",
			c.name, serverName, quoted(e.URL), e.authorization())
	}
	do := "put this into"
	switch _, toml := c.format.(tomlConfig); {
	case toml:
		do = "add these lines to"
	case c.id == "cursor":
		do = "open this link:\n\n    " + cursorLink(e) + "\n\nor " + do
	}
	entry, err := c.format.put(nil, c.format.render(e))
	if err != nil {
		panic(err) // an empty file can always take an entry
	}
	return fmt.Sprintf("%s, %s ~/%s:\n\n%s", c.name, do, c.config.File, indent(strings.TrimRight(string(entry), "\n")))
}

// cursorLink opens Cursor's dialogue to add the server.
func cursorLink(e *endpoint) string {
	config, err := json.Marshal(jsonConfig{}.entry(e))
	if err != nil {
		panic(err) // strings only
	}
	name, encoded := url.QueryEscape(serverName), url.QueryEscape(base64.StdEncoding.EncodeToString(config))
	return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + name + "&config=" + encoded
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(s, "\n", "\n    ")
}
