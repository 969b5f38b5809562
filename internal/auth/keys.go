package auth

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

// The prefixes of keys, so that a leaked one is recognised by what it opens.
const (
	UserKeyPrefix  = "loci_live_"
	AgentKeyPrefix = "loci_agent_"
)

// KeyRequest asks for a new key.
type KeyRequest struct {
	Name      string       // 1 to loci.MaxKeyName characters
	Vendor    loci.Vendor  // set for an agent's key, "" for a person's
	Rights    []loci.Right // empty: everything the kind allows
	ExpiresAt time.Time    // zero: never
}

// NewCredential makes a key for the person of p, or for an agent that acts for
// them. The Secret is the only copy: only its SHA-256 is in the credential,
// which the caller stores.
func NewCredential(p loci.Principal, r KeyRequest, now time.Time) (loci.Credential, loci.Secret, error) {
	if err := r.validate(now); err != nil {
		return loci.Credential{}, "", err
	}
	kind, prefix := loci.KindUser, UserKeyPrefix
	if r.Vendor != "" {
		kind, prefix = loci.KindAgent, AgentKeyPrefix
	}
	var random [32]byte
	if _, err := rand.Read(random[:]); err != nil {
		return loci.Credential{}, "", err
	}
	key := loci.Secret(prefix + base64.RawURLEncoding.EncodeToString(random[:]))
	return loci.Credential{
		ID: loci.NewCredentialID(), OrgID: p.OrgID, UserID: p.UserID, Kind: kind, Vendor: r.Vendor, Name: r.Name,
		Hash: Hash(key), Prefix: key.Reveal()[:len(prefix)+4], Rights: r.Rights,
		CreatedAt: loci.CutTime(now), ExpiresAt: loci.CutTime(r.ExpiresAt),
	}, key, nil
}

func (r *KeyRequest) validate(now time.Time) error {
	if err := loci.CheckText("name", r.Name, 1, loci.MaxKeyName); err != nil {
		return err
	}
	if r.Vendor != "" {
		if err := checkVendor(r.Vendor); err != nil {
			return loci.FieldErrorf("vendor", "is not usable: %s", err)
		}
	}
	for _, right := range r.Rights {
		if !slices.Contains(loci.Rights(), right) {
			return loci.FieldErrorf("scopes", "has an unknown entry; known are %v", loci.Rights())
		}
	}
	if !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now) {
		return loci.FieldErrorf("expires_at", "is in the past")
	}
	return nil
}
