package loci_test

import (
	"strings"
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

func TestTwinHint(t *testing.T) {
	for _, tt := range [][3]string{
		{"harbor  app", "Harbor App", `"Harbor App"`},
		{"Harbor App", "Harbor App", ""},
		{"Caf\u00c9", "Cafe\u0301", "\"Cafe\u0301\""},
		{"a\u200cb", "a\u200dB", `"a\u200dB"`},
		{"harbor-app", "harbor app", ""},
		{"", "", ""},
	} {
		if got := loci.TwinHint("key", tt[0], "other", tt[1]); !strings.Contains(got, tt[2]) || (got == "") != (tt[2] == "") {
			t.Errorf("%q beside %q: got %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}
