package auth

import (
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

// The prefixes of keys, so that a leaked one is recognised by what it opens.
const (
	UserKeyPrefix  = "loci_live_"
	AgentKeyPrefix = "loci_agent_"
	sessionPrefix  = "loci_session_"
	AccessPrefix   = "loci_access_"
	RefreshPrefix  = "loci_refresh_"
	CodePrefix     = "loci_code_"
	linkPrefix     = "loci_link_"
	InvitePrefix   = "loci_invite_"
)

// KeyRequest asks for a new key.
type KeyRequest struct {
	Name   string       // 1 to loci.MaxKeyName characters
	Vendor loci.Vendor  // set for an agent's key, "" for a person's
	Rights []loci.Right // if empty: all rights of the kind
	// If ProjectIDs is not empty, the key reaches only these projects.
	ProjectIDs  []loci.ProjectID
	WorkspaceID loci.WorkspaceID // the active one; zero: the person's first
	ExpiresAt   time.Time        // zero: never
}

// NewCredential creates a key for p's person, or for an agent that acts for them. The returned
// secret is the only copy. The credential, which the caller stores, has only its SHA-256.
func NewCredential(p loci.Principal, r KeyRequest, now time.Time) (loci.Credential, loci.Secret, error) {
	if err := r.validate(now); err != nil {
		return loci.Credential{}, "", err
	}
	kind, prefix := loci.KindUser, UserKeyPrefix
	if r.Vendor != "" {
		kind, prefix = loci.KindAgent, AgentKeyPrefix
	}
	key := NewSecret(prefix)
	return loci.Credential{
		ID: loci.NewCredentialID(), OrgID: p.OrgID, UserID: p.UserID, Kind: kind, Method: loci.ByKey, Vendor: r.Vendor,
		Name: r.Name,
		Hash: Hash(key), Prefix: key.Reveal()[:len(prefix)+4], Rights: r.Rights, ProjectIDs: r.ProjectIDs,
		WorkspaceID: r.WorkspaceID,
		CreatedAt:   loci.CutTime(now), ExpiresAt: loci.CutTime(r.ExpiresAt),
	}, key, nil
}

// NewSecret returns prefix followed by 256 random bits. It panics only if the system has no randomness.
func NewSecret(prefix string) loci.Secret {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return loci.Secret(prefix + base64.RawURLEncoding.EncodeToString(random[:]))
}

// maxKeyProjects is the maximum number of projects that a key can be limited to.
const maxKeyProjects = 100

func (r *KeyRequest) validate(now time.Time) error {
	if err := loci.CheckText("name", r.Name, 1, loci.MaxKeyName); err != nil {
		return err
	}
	if r.Vendor != "" {
		if err := CheckVendor(r.Vendor); err != nil {
			return loci.FieldErrorf("vendor", "is not usable: %s", err)
		}
	}
	known := loci.Rights()
	if r.Vendor != "" {
		known = loci.AgentRights()
	}
	for _, right := range r.Rights {
		if !slices.Contains(known, right) {
			return loci.FieldErrorf("scopes", "has %q, which such a key cannot have; it can have %s",
				loci.Shorten(string(right), 60), strings.Join(loci.Texts(known), ", "))
		}
	}
	if len(r.ProjectIDs) > maxKeyProjects {
		return loci.FieldErrorf("project_ids", "has more than %d entries", maxKeyProjects)
	}
	if !r.ExpiresAt.IsZero() && !r.ExpiresAt.After(now) {
		return loci.FieldErrorf("expires_at", "is in the past")
	}
	return nil
}
