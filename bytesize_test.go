package loci_test

import (
	"testing"

	"github.com/loci-memory/loci"
)

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{"1048576": 1 << 20, "50MiB": 50 << 20, "2G": 2 << 30, "1 kb": 1 << 10} {
		if got, err := loci.ParseBytes("max", text); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "1.5GiB", "2X", "9999999999999TiB"} {
		if got, err := loci.ParseBytes("max", text); loci.FieldOf(err) != "max" {
			t.Errorf("%q: got %d, %v", text, got, err)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 1 << 52: "4096.0 TiB"} {
		if got := loci.ShowBytes(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestChangedLines(t *testing.T) {
	got := loci.ChangedLines([]byte("same\nold\nend\n"), []byte("same\nnew\r\nmore\nend\n"))
	if want := "@@ line 2 @@\n-old\n+new\n+more\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
