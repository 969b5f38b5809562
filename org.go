package loci

import "time"

// Org is a tenant. A laptop has one, DefaultOrg.
type Org struct {
	ID        OrgID
	Name      string
	OwnerID   UserID
	CreatedAt time.Time
}

// User is a person. A user belongs to exactly one org.
type User struct {
	ID        UserID
	OrgID     OrgID
	Email     string // lower case; "" for the owner of a laptop
	Role      Role   // on the instance
	CreatedAt time.Time
}

// Credential is a key as it is kept: a person's or an agent's. The key itself
// is shown once when it is made and never stored; Hash is its SHA-256. Keys
// carry 256 random bits, so a fast hash is right: there is nothing to guess.
type Credential struct {
	ID         CredentialID
	OrgID      OrgID
	UserID     UserID // the person, or the person that the agent acts for
	Kind       Kind   // KindUser or KindAgent
	Vendor     Vendor // of an agent; "" for a person
	Name       string // chosen by the person, 1 to MaxKeyName characters
	Hash       [32]byte
	Prefix     string  // the first characters, to tell keys apart in a list
	Rights     []Right // empty: everything the kind allows
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	RevokedAt  time.Time // zero: valid
	LastUsedAt time.Time // zero: never; exact to a minute
}

// MaxKeyName is the longest name of a credential, in characters.
const MaxKeyName = 100

// Usable reports whether the credential is neither revoked nor expired.
func (c *Credential) Usable(now time.Time) bool {
	return c.RevokedAt.IsZero() && (c.ExpiresAt.IsZero() || c.ExpiresAt.After(now))
}
