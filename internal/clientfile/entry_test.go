package clientfile_test

import (
	"testing"

	"github.com/loci-memory/loci/internal/clientfile"
)

// TestBaseOf finds the server of an address as people and programs write it.
func TestBaseOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://localhost:5624/mcp":                   "http://localhost:5624",
		"http://localhost:5624/mcp/":                  "http://localhost:5624",
		"http://localhost:5624/mcp/?toolsets=memory":  "http://localhost:5624",
		"https://loci.example/base/mcp?project=a%20b": "https://loci.example/base",
		"https://loci.example/base/mcp/":              "https://loci.example/base",
		"http://localhost:5624":                       "http://localhost:5624",
		"http://localhost:5624/":                      "http://localhost:5624",
		"":                                            "", "mcp": "", "/mcp": "", "http://[::1": "",
	} {
		if got := clientfile.BaseOf(address); got != want {
			t.Errorf("BaseOf(%q) is %q, want %q", address, got, want)
		}
	}
}
