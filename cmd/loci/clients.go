package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/loci-memory/loci"
)

// client is an assistant that Loci knows how to connect: whose it is, where it
// keeps its configuration and in which form.
type client struct {
	id     string // on the command line
	name   string // for people
	vendor loci.Vendor
	file   func(*settings) string // the person's own configuration file
	format configFormat
	hint   string // what the person does after a change
}

// serverName is what Loci is called in the clients' configurations.
const serverName = "loci"

var clients = []*client{
	{id: "claude-code", name: "Claude Code", vendor: "claude", format: jsonConfig{withType: true}, hint: "start a new session, then type /mcp to see it",
		file: func(s *settings) string {
			if s.Claude != "" {
				return filepath.Join(s.Claude, ".claude.json")
			}
			return filepath.Join(s.Home, ".claude.json")
		}},
	{id: "cursor", name: "Cursor", vendor: "cursor", format: jsonConfig{}, hint: "restart Cursor, then look under MCP in its settings",
		file: func(s *settings) string { return filepath.Join(s.Home, ".cursor", "mcp.json") }},
	{id: "codex", name: "Codex", vendor: "codex", format: tomlConfig{}, hint: "start a new session, then type /mcp to see it",
		file: func(s *settings) string {
			if s.Codex != "" {
				return filepath.Join(s.Codex, "config.toml")
			}
			return filepath.Join(s.Home, ".codex", "config.toml")
		}},
}

func findClient(id string) (*client, error) {
	var known []string
	for _, c := range clients {
		if c.id == id {
			return c, nil
		}
		known = append(known, c.id)
	}
	return nil, loci.Errorf(loci.Invalid, "no client %q is known; known are %s. For others: loci agent-key create --vendor VENDOR --name NAME", cut(id, 60), strings.Join(known, ", "))
}

// endpoint is how a client reaches Loci: over HTTP with a key, or by starting
// a process.
type endpoint struct {
	URL     string
	Key     loci.Secret
	Command string
	Args    []string
}

func mcpURL(address string) string { return strings.TrimRight(address, "/") + "/mcp" }

// offer chooses which tools the client gets, and the project of its graph tools.
func (e *endpoint) offer(toolsets []string, project string) {
	var query []string
	if len(toolsets) > 0 {
		query = append(query, "toolsets="+strings.Join(toolsets, ",")) // names that need no escape
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

// instructions are what a person copies to connect the client by hand.
func (c *client) instructions(e *endpoint) string {
	switch c.id {
	case "claude-code":
		return fmt.Sprintf("%s:\n\n    claude mcp add --scope user --transport http %s %s --header \"Authorization: %s\"", c.name, serverName, quoted(e.URL), e.authorization())
	case "cursor":
		return fmt.Sprintf("%s, open this link:\n\n    %s\n\nor put this into ~/.cursor/mcp.json:\n\n%s", c.name, cursorLink(e), indent(jsonSnippet(e)))
	default:
		return fmt.Sprintf("%s, add these lines to ~/.codex/config.toml:\n\n%s", c.name, indent(strings.TrimRight(string(tomlSection(e)), "\n")))
	}
}

// cursorLink opens Cursor's own dialogue to add the server.
func cursorLink(e *endpoint) string {
	config, err := json.Marshal(jsonConfig{}.entry(e))
	if err != nil {
		panic(err) // strings only
	}
	name, encoded := url.QueryEscape(serverName), url.QueryEscape(base64.StdEncoding.EncodeToString(config))
	return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + name + "&config=" + encoded
}

func jsonSnippet(e *endpoint) string {
	return string(marshalIndent(map[string]any{"mcpServers": map[string]any{serverName: jsonConfig{}.entry(e)}}, "", "  "))
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(s, "\n", "\n    ")
}
