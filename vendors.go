package loci

import "slices"

// KnownVendor is a vendor with details beyond its name. People may use any other vendor name.
type KnownVendor struct {
	Name    Vendor
	Label   string        // the common name of the product
	Hosts   []string      // only this vendor receives OAuth codes at these hosts
	Schemes []string      // of its apps' redirects, without the dot required by RFC 8252
	Client  *ClientConfig // the program that `loci connect` configures; nil: none
}

// ClientConfig is the place where a vendor's program on the person's machine lists its MCP servers.
type ClientConfig struct {
	Name   string // on the command line
	Label  string
	File   string // relative to the home directory
	DirEnv string // variable that names the file's directory instead; "": none
}

// Vendors is the table of known vendors, in the order in which pages list them.
var Vendors = []KnownVendor{
	{"claude", "Claude", []string{"claude.ai", "claude.com", "www.claude.ai"}, nil,
		&ClientConfig{"claude-code", "Claude Code", ".claude.json", "CLAUDE_CONFIG_DIR"}},
	{"chatgpt", "ChatGPT", []string{"chatgpt.com", "chat.openai.com", "openai.com"}, nil, nil},
	{"cursor", "Cursor", []string{"cursor.com", "www.cursor.com"}, []string{"cursor"},
		&ClientConfig{"cursor", "Cursor", ".cursor/mcp.json", ""}},
	{"vscode", "VS Code", []string{"vscode.dev", "insiders.vscode.dev", "code.visualstudio.com"},
		[]string{"vscode", "vscode-insiders"}, nil},
	{"codex", "Codex", nil, nil, &ClientConfig{"codex", "Codex", ".codex/config.toml", "CODEX_HOME"}},
	{"gemini", "Gemini", []string{"gemini.google.com"}, nil, nil},
	{"mistral", "Mistral", []string{"chat.mistral.ai"}, nil, nil},
	{"perplexity", "Perplexity", []string{"www.perplexity.ai"}, nil, nil},
	{"zed", "Zed", []string{"zed.dev"}, []string{"zed"}, nil},
}

// otherSchemes are like KnownVendor.Schemes, but of programs whose vendors are not in Vendors.
var otherSchemes = []string{"windsurf"}

// VendorOfHost returns the only vendor that may receive OAuth codes at the host, or "" if there is
// none.
func VendorOfHost(host string) Vendor {
	for _, v := range Vendors {
		if slices.Contains(v.Hosts, host) {
			return v.Name
		}
	}
	return ""
}

// IsAppScheme reports whether a widely used program receives OAuth codes at this private-use scheme.
// Like every such scheme, it proves nothing.
func IsAppScheme(scheme string) bool {
	for _, v := range Vendors {
		if slices.Contains(v.Schemes, scheme) {
			return true
		}
	}
	return slices.Contains(otherSchemes, scheme)
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
