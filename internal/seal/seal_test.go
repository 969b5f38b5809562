package seal_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/seal"
)

func newKey(t *testing.T) *seal.Key {
	t.Helper()
	k, err := seal.ParseKey(seal.Generate())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestOpenReturnsWhatWasSealed(t *testing.T) {
	k := newKey(t)
	nonce, sealed := k.Seal("acme", "secret key")
	if bytes.Contains(sealed, []byte("secret")) {
		t.Error("the secret is legible")
	}
	got, err := k.Open("acme", k.ID(), nonce, sealed)
	if err != nil || got.Reveal() != "secret key" {
		t.Errorf("got %q, %v", got.Reveal(), err)
	}
	again, other := k.Seal("acme", "secret key")
	if bytes.Equal(nonce, again) || bytes.Equal(sealed, other) {
		t.Error("the same secret looks the same twice")
	}
}

func TestOpenRefuses(t *testing.T) {
	k, other := newKey(t), newKey(t)
	nonce, sealed := k.Seal("acme", "secret key")
	flip := func(b []byte, i int) []byte {
		b = bytes.Clone(b)
		b[i] ^= 1
		return b
	}
	tests := []struct {
		name   string
		key    *seal.Key
		org    loci.OrgID
		id     string
		nonce  []byte
		sealed []byte
		want   string
	}{
		{"another org", k, "other", k.ID(), nonce, sealed, "another org"},
		{"another key", other, "acme", k.ID(), nonce, sealed, "master key " + k.ID()},
		{"another key with a forged id", other, "acme", other.ID(), nonce, sealed, "changed"},
		{"a changed secret", k, "acme", k.ID(), nonce, flip(sealed, 0), "changed"},
		{"a changed tag", k, "acme", k.ID(), nonce, flip(sealed, len(sealed)-1), "changed"},
		{"a cut secret", k, "acme", k.ID(), nonce, sealed[:5], "changed"},
		{"a changed nonce", k, "acme", k.ID(), flip(nonce, 0), sealed, "changed"},
		{"a short nonce", k, "acme", k.ID(), nonce[1:], sealed, "changed"},
	}
	for _, tt := range tests {
		got, err := tt.key.Open(tt.org, tt.id, tt.nonce, tt.sealed)
		if got != "" || loci.CodeOf(err) != loci.Unavailable || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %q, %v; want an error about %q", tt.name, got.Reveal(), err, tt.want)
		}
	}
}

func TestParseKey(t *testing.T) {
	for _, bad := range []loci.Secret{"", "short", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==", seal.Generate()[1:],
		"!" + seal.Generate()[1:], seal.Generate() + seal.Generate()} {
		k, err := seal.ParseKey(bad)
		if k != nil || loci.CodeOf(err) != loci.Invalid {
			t.Errorf("ParseKey(%q): %v, %v", bad.Reveal(), k, err)
		}
		if len(bad) > 10 && err != nil && strings.Contains(err.Error(), bad.Reveal()) {
			t.Errorf("the error repeats the key: %v", err)
		}
	}
	text := seal.Generate()
	a, err := seal.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := seal.ParseKey("  " + text + "\n")
	if err != nil || a.ID() != b.ID() {
		t.Errorf("white space around a key counts: %v", err)
	}
	if newKey(t).ID() == a.ID() {
		t.Error("two keys have the same id")
	}
}

func TestRing(t *testing.T) {
	old, next, stranger := newKey(t), newKey(t), newKey(t)
	id, nonce, sealed, err := seal.Ring{old}.Seal("acme", "secret")
	if err != nil || id != old.ID() {
		t.Fatalf("Seal: %q, %v", id, err)
	}
	if got, err := (seal.Ring{next, old}).Open("acme", id, nonce, sealed); err != nil || got.Reveal() != "secret" {
		t.Errorf("with both keys: %q, %v", got.Reveal(), err)
	}
	if id, _, _, err := (seal.Ring{next, old}).Seal("acme", "secret"); err != nil || id != next.ID() {
		t.Errorf("both keys: sealed with %s, %v; want the first, %s", id, err, next.ID())
	}
	for name, r := range map[string]seal.Ring{"another key": {stranger}, "no key": nil} {
		if _, err := r.Open("acme", id, nonce, sealed); loci.CodeOf(err) != loci.Unavailable ||
			!strings.Contains(err.Error(), old.ID()) {
			t.Errorf("%s: %v, want an error that names the key %s", name, err, old.ID())
		}
	}
	if _, _, _, err := (seal.Ring(nil)).Seal("acme", "x"); loci.CodeOf(err) != loci.Unavailable {
		t.Errorf("Seal without a key: %v", err)
	}
}
