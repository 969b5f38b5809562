package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/spf13/pflag"
)

// TestSampleConfiguration loads the configuration file that docs/cli.md shows.
func TestSampleConfiguration(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.md")
	if err != nil {
		t.Fatal(err)
	}
	sample := regexp.MustCompile("(?s)```toml\n(.*?)```").FindSubmatch(text)
	if sample == nil {
		t.Fatal("docs/cli.md shows no configuration file")
	}
	name := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(name, sample[1], 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := loadSettings([]string{"LOCI_CONFIG=" + name}, pflag.NewFlagSet("", pflag.ContinueOnError))
	if err != nil {
		t.Fatal(err)
	}
	if warnings := s.warnings(); len(warnings) > 0 || len(s.OIDC) == 0 {
		t.Errorf("warnings %q, %d providers", warnings, len(s.OIDC))
	}
}
