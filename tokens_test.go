package loci_test

import (
	"encoding/json"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
)

// TestTokenBound compares the bound with what real tokenizers count: testdata/tokens.mjs wrote the counts.
func TestTokenBound(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts []struct {
		Name, Text string
		Tokens     map[string]int
	}
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	for _, tt := range texts {
		bound := loci.TokenBound(tt.Text)
		for name, n := range tt.Tokens {
			if n > bound || n*5 < bound && name == "claude" {
				t.Errorf("%s: %s counts %d tokens, the bound is %d", tt.Name, name, n, bound)
			}
		}
	}
	if len(texts) < 20 {
		t.Errorf("there are %d texts", len(texts))
	}
}

// TestCutTokens cuts texts of any characters to any size.
func TestCutTokens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, room := rapid.String().Draw(t, "text"), rapid.IntRange(0, 200).Draw(t, "room")
		cut := loci.CutTokens(text, room)
		if n := loci.BoundQuarters(cut); n > room {
			t.Errorf("%q takes %d quarters, at most %d are allowed", cut, n, room)
		}
		if loci.BoundQuarters(text) <= room && cut != text {
			t.Errorf("%q fits, and was cut to %q", text, cut)
		}
	})
}
