package loci_test

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

func TestFresh(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]bool{
		0: true, time.Second: true, loci.StepUpAge: true, loci.StepUpAge + 1: false, 24 * time.Hour: false,
		-1: false, -time.Second: false, -24 * time.Hour: false, // who can say so, could make a proof that never ages
	} {
		if got := (loci.Principal{ProvedAt: now.Add(-age)}).Fresh(now); got != want {
			t.Errorf("proved %v ago: %v, want %v", age, got, want)
		}
	}
	if (loci.Principal{}).Fresh(time.Time{}) {
		t.Error("never proved is fresh")
	}
}

// TestUsableGrant requires that a permission ends when it was said to, or earlier.
func TestUsableGrant(t *testing.T) {
	now := time.UnixMicro(1_000_000)
	for name, tt := range map[string]struct {
		g    loci.Grant
		want bool
	}{
		"before its end":         {loci.Grant{ExpiresAt: now.Add(1)}, true},
		"at its end":             {loci.Grant{ExpiresAt: now}, false},
		"revoked before its end": {loci.Grant{ExpiresAt: now.Add(1), RevokedAt: now}, false},
	} {
		if got := tt.g.Usable(now); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}
