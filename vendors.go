package loci

import "slices"

// KnownVendor is a vendor that Loci knows more about than its name. People may use any other name.
type KnownVendor struct {
	Name   Vendor
	Label  string        // what people call the product
	Hosts  []string      // only this vendor receives OAuth codes at these hosts
	Client *ClientConfig // the program that `loci connect` configures; nil: none
}

// ClientConfig is where a vendor's program on the person's machine lists its MCP servers.
type ClientConfig struct {
	Name   string // on the command line
	Label  string
	File   string // relative to the home directory
	DirEnv string // variable that names the file's directory instead; "": none
}

// Vendors is the one table of known vendors, in the order in which pages offer them.
var Vendors = []KnownVendor{
	{"claude", "Claude", []string{"claude.ai", "claude.com", "www.claude.ai"},
		&ClientConfig{"claude-code", "Claude Code", ".claude.json", "CLAUDE_CONFIG_DIR"}},
	{"chatgpt", "ChatGPT", []string{"chatgpt.com", "chat.openai.com", "openai.com"}, nil},
	{"cursor", "Cursor", []string{"cursor.com", "www.cursor.com"},
		&ClientConfig{"cursor", "Cursor", ".cursor/mcp.json", ""}},
	{"vscode", "VS Code", []string{"vscode.dev", "insiders.vscode.dev", "code.visualstudio.com"}, nil},
	{"codex", "Codex", nil, &ClientConfig{"codex", "Codex", ".codex/config.toml", "CODEX_HOME"}},
	{"gemini", "Gemini", []string{"gemini.google.com"}, nil},
	{"mistral", "Mistral", []string{"chat.mistral.ai"}, nil},
	{"perplexity", "Perplexity", []string{"www.perplexity.ai"}, nil},
	{"zed", "Zed", []string{"zed.dev"}, nil},
}

// VendorOfHost returns the vendor that alone receives what is sent to a host, or "".
func VendorOfHost(host string) Vendor {
	for _, v := range Vendors {
		if slices.Contains(v.Hosts, host) {
			return v.Name
		}
	}
	return ""
}

// Label is what people call the vendor: the name itself if it is not a known one.
func (v Vendor) Label() string {
	for _, k := range Vendors {
		if k.Name == v {
			return k.Label
		}
	}
	return string(v)
}
