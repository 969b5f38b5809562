package loci_test

import (
	"testing"

	"github.com/loci-memory/loci"
)

func TestPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 memories", 1: "1 memory", 2: "2 memories", 999: "999 memories",
		1000: "1,000 memories", 100000: "100,000 memories", 1002003: "1,002,003 memories", -1001: "-1,001 memories"} {
		if got := loci.Plural(n, "memory", "memories"); got != want {
			t.Errorf("Plural(%d) = %q, want %q", n, got, want)
		}
	}
}
