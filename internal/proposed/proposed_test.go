package proposed_test

import (
	"slices"
	"testing"

	"github.com/loci-memory/loci/internal/proposed"
)

// TestComplete adds each flag that a command lacks, after the command's name.
func TestComplete(t *testing.T) {
	known := func(words []string) bool {
		return slices.Contains([]string{"list", "key"}, words[0]) && len(words) == 1
	}
	flags := []proposed.Flag{{Name: "--data-dir", Value: "a b"}, {Name: "--config", Value: "c"}}
	for _, tt := range []struct{ text, want string }{
		{"loci list word", "loci list --data-dir 'a b' --config c word"},
		{"see `loci list --config d`, or run loci key", "see `loci list --data-dir 'a b' --config d`, or run " +
			"loci key --data-dir 'a b' --config c"},
		{"see loci list --help", "see loci list --help"},
		{"run loci nosuch", "run loci nosuch"},
		{"which loci list wrote", "which loci list wrote"},
	} {
		if got := proposed.Complete(tt.text, "", known, flags); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
	if got := proposed.Complete("loci list", "", known, nil); got != "loci list" {
		t.Errorf("without flags: %s", got)
	}
	const text, want = "run loci list; see `loci key x`, which loci list wrote, or loci nosuch",
		"run go run ./cmd/loci list; see `go run ./cmd/loci key x`, which loci list wrote, or loci nosuch"
	if got := proposed.Complete(text, "go run ./cmd/loci", known, nil); got != want {
		t.Errorf("by go run: got %s, want %s", got, want)
	}
}
