package loci_test

import (
	"path"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
)

func TestVendors(t *testing.T) {
	names := map[loci.Vendor]bool{}
	hosts, clients := map[string]bool{}, map[string]bool{}
	for _, v := range loci.Vendors {
		if err := v.Name.Validate(); err != nil || names[v.Name] || v.Label == "" {
			t.Errorf("vendor %q, labelled %q, is invalid or listed twice: %v", v.Name, v.Label, err)
		}
		names[v.Name] = true
		for _, h := range v.Hosts {
			if hosts[h] || loci.VendorOfHost(h) != v.Name {
				t.Errorf("host %q belongs to %q, want %q alone", h, loci.VendorOfHost(h), v.Name)
			}
			hosts[h] = true
		}
		for _, c := range v.Clients {
			if c.Name == "" || c.Label == "" || clients[c.Name] {
				t.Errorf("client of %q is incomplete or listed twice: %+v", v.Name, c)
			}
			clients[c.Name] = true
			for _, goos := range []string{"linux", "darwin", "windows"} {
				start, rest, _ := strings.Cut(c.Path(goos), "/")
				ext := path.Ext(rest)
				if start != "~" && start != "$CONFIG" && (start != "$APPDATA" || goos != "windows") || ext != ".json" &&
					ext != ".toml" {
					t.Errorf("file of %s on %s is %q", c.Name, goos, c.Path(goos))
				}
			}
		}
	}
	if got := loci.VendorOfHost("claude.ai.example.org"); got != "" {
		t.Errorf("VendorOfHost of an unknown host = %q, want none", got)
	}
	if got := loci.Vendor("raycast").Label(); got != "raycast" {
		t.Errorf("Label of an unknown vendor = %q, want its name", got)
	}
}
