package loci

import "slices"

// KnownVendor is a vendor with details beyond its name. People may use any other vendor name.
type KnownVendor struct {
	Name    Vendor
	Label   string         // the common name of the product
	Hosts   []string       // only this vendor receives OAuth codes at these hosts
	Clients []ClientConfig // its programs that `loci connect` configures
}

// ClientConfig is the place where a program on the person's machine lists its MCP servers. A path
// begins with ~ (the home directory), $CONFIG (XDG_CONFIG_HOME, else ~/.config) or $APPDATA (of
// Windows), and has slashes on every system.
type ClientConfig struct {
	Name    string // on the command line
	Label   string
	Program string // its command, if it has one: on the PATH it shows that the client is installed
	File    string
	Else    string // a file that the client prefers to File if both exist; "": none
	Project string // the client also reads this one below the directory that it works in; "": none
	Mac     string // File on macOS; "": the same
	Windows string // File on Windows; "": the same
	DirEnv  string // variable that names the file's directory instead; "": none
}

// Path returns the client's file on an operating system, as runtime.GOOS names it.
func (c *ClientConfig) Path(goos string) string {
	switch {
	case goos == "darwin" && c.Mac != "":
		return c.Mac
	case goos == "windows" && c.Windows != "":
		return c.Windows
	}
	return c.File
}

// Vendors is the table of known vendors, in the order in which pages list them.
var Vendors = []KnownVendor{
	{"claude", "Claude", []string{"claude.ai", "claude.com", "www.claude.ai"}, []ClientConfig{
		{Name: "claude-code", Label: "Claude Code", Program: "claude", Project: ".mcp.json",
			File: "~/.claude.json", DirEnv: "CLAUDE_CONFIG_DIR"},
		{Name: "claude-desktop", Label: "Claude Desktop", File: "$CONFIG/Claude/claude_desktop_config.json",
			Mac:     "~/Library/Application Support/Claude/claude_desktop_config.json",
			Windows: "$APPDATA/Claude/claude_desktop_config.json"}}},
	{"chatgpt", "ChatGPT", []string{"chatgpt.com", "chat.openai.com", "openai.com"}, nil},
	{"cursor", "Cursor", []string{"cursor.com", "www.cursor.com"}, []ClientConfig{
		{Name: "cursor", Label: "Cursor", Program: "cursor", Project: ".cursor/mcp.json",
			File: "~/.cursor/mcp.json"}}},
	{"vscode", "VS Code", []string{"vscode.dev", "insiders.vscode.dev", "code.visualstudio.com"}, []ClientConfig{
		{Name: "vscode", Label: "VS Code", Program: "code", Project: ".vscode/mcp.json",
			File: "$CONFIG/Code/User/mcp.json",
			Mac:  "~/Library/Application Support/Code/User/mcp.json", Windows: "$APPDATA/Code/User/mcp.json"}}},
	{"codex", "Codex", nil, []ClientConfig{
		{Name: "codex", Label: "Codex", Program: "codex", Project: ".codex/config.toml",
			File: "~/.codex/config.toml", DirEnv: "CODEX_HOME"}}},
	{"gemini", "Gemini", []string{"gemini.google.com"}, []ClientConfig{
		{Name: "gemini-cli", Label: "Gemini CLI", Program: "gemini", Project: ".gemini/settings.json",
			File: "~/.gemini/settings.json"}}},
	{"mistral", "Mistral", []string{"chat.mistral.ai"}, nil},
	{"perplexity", "Perplexity", []string{"www.perplexity.ai"}, nil},
	{"windsurf", "Windsurf", nil, []ClientConfig{
		{Name: "windsurf", Label: "Windsurf", Program: "windsurf", File: "~/.codeium/windsurf/mcp_config.json"},
		{Name: "devin-desktop", Label: "Devin Desktop", File: "~/.config/devin/mcp_config.json",
			Windows: "$APPDATA/devin/mcp_config.json"}}},
	{"zed", "Zed", []string{"zed.dev"}, []ClientConfig{
		{Name: "zed", Label: "Zed", Program: "zed", Project: ".zed/settings.json",
			File: "$CONFIG/zed/settings.json",
			Mac:  "~/.config/zed/settings.json", Windows: "$APPDATA/Zed/settings.json"}}},
	{"opencode", "OpenCode", nil, []ClientConfig{
		{Name: "opencode", Label: "OpenCode", Program: "opencode", Project: "opencode.json",
			File: "$CONFIG/opencode/opencode.json",
			Else: "$CONFIG/opencode/opencode.jsonc"}}},
}

// VendorOfHost returns the only vendor that may receive OAuth codes at the host, or "" if there is none.
func VendorOfHost(host string) Vendor {
	for _, v := range Vendors {
		if slices.Contains(v.Hosts, host) {
			return v.Name
		}
	}
	return ""
}

// Label returns the common name of the vendor, or its id if the vendor is not in Vendors.
func (v Vendor) Label() string {
	for _, k := range Vendors {
		if k.Name == v {
			return k.Label
		}
	}
	return string(v)
}
