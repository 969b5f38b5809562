package loci_test

import (
	"testing"

	"github.com/loci-memory/loci"
)

func TestNamesThatLookTheSameAreTheSame(t *testing.T) {
	for in, want := range map[string]string{
		" API Gateway\u00a0": "API Gateway",
		"Cafe\u0301":         "Caf\u00e9",
		"de\u200bploy\ufeff": "deploy",
		"a\u200db":           "a\u200db",
		"\xff ":              "\xff",
		" \u200b ":           "",
	} {
		if got := loci.Label(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
