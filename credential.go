package loci

import "time"

// Credential is a key, a browser session, an access token or a one-time link as
// it is kept. The secret itself is shown once when it is made and never stored;
// Hash is its SHA-256. Secrets carry 256 random bits, so a fast hash is right:
// there is nothing to guess.
type Credential struct {
	ID          CredentialID
	OrgID       OrgID
	UserID      UserID // the person, or the person that the agent acts for
	Kind        Kind   // KindUser or KindAgent
	Method      Method // ByKey, BySignIn, ByOAuth or ByLink
	Vendor      Vendor // of an agent; "" for a person
	Name        string // of a key: chosen by the person; of a session: the browser
	Hash        [32]byte
	Prefix      string        // the first characters, to tell keys apart in a list
	Rights      []Right       // empty: everything the kind allows
	ProjectIDs  []ProjectID   // not empty: it reaches only these projects
	WorkspaceID WorkspaceID   // the active one; zero: the person's first
	GrantID     GrantID       // of an access token
	Replaces    CredentialID  // of a rotated key: the one before
	ProvedAt    time.Time     // of a session: the last proof of who it is
	IdleAfter   time.Duration // of a session: useless when unused for that long; 0: never
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero: never
	RevokedAt   time.Time // zero: valid
	LastUsedAt  time.Time // zero: never; exact to a minute
}

// MaxKeyName is the longest name of a credential, in characters.
const MaxKeyName = 100

// Usable reports whether the credential is neither revoked nor expired nor
// left unused for too long.
func (c *Credential) Usable(now time.Time) bool {
	return c.RevokedAt.IsZero() && (c.ExpiresAt.IsZero() || c.ExpiresAt.After(now)) &&
		(c.IdleAfter == 0 || latest(c.CreatedAt, c.LastUsedAt).Add(c.IdleAfter).After(now))
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Passkey is a WebAuthn credential of a person.
type Passkey struct {
	ID         []byte // the authenticator's, 1 to 1023 bytes
	Name       string
	Data       []byte // what go-webauthn keeps of it, as JSON; no secret is in it
	CreatedAt  time.Time
	LastUsedAt time.Time
}

// OAuthClient is a program that asks people for access. All are public: they
// have no secret.
type OAuthClient struct {
	ID           string    `json:"client_id"` // random, or the URL of its metadata document
	Name         string    `json:"client_name" doc:"What it calls itself; proves nothing"`
	RedirectURIs []string  `json:"redirect_uris"`
	URI          string    `json:"client_uri,omitempty"`
	Vendor       Vendor    `json:"vendor,omitempty" doc:"What the operator says it is; absent: the person chooses at consent"`
	CreatedAt    time.Time `json:"created_at"`
	LastUsedAt   time.Time `json:"last_used_at,omitzero"`
}

// Grant is what a person allowed an OAuth client: to act as one vendor.
type Grant struct {
	ID          GrantID     `json:"id" format:"uuid"`
	OrgID       OrgID       `json:"-"`
	UserID      UserID      `json:"user_id" format:"uuid"`
	ClientID    string      `json:"client_id"`
	ClientName  string      `json:"client_name"`
	Vendor      Vendor      `json:"vendor"`
	Rights      []Right     `json:"scopes"`
	Resource    string      `json:"resource,omitempty"`
	WorkspaceID WorkspaceID `json:"workspace_id,omitzero" format:"uuid"`
	CreatedAt   time.Time   `json:"created_at"`
	ExpiresAt   time.Time   `json:"expires_at"`
	RevokedAt   time.Time   `json:"revoked_at,omitzero"`
	LastUsedAt  time.Time   `json:"last_used_at,omitzero"`
}

// Usable reports whether the grant is neither revoked nor expired.
func (g *Grant) Usable(now time.Time) bool {
	return g.RevokedAt.IsZero() && g.ExpiresAt.After(now)
}

// AuthCode is an OAuth authorization code that waits to be exchanged, once.
type AuthCode struct {
	Hash        [32]byte
	GrantID     GrantID
	ClientID    string
	RedirectURI string
	Challenge   string // PKCE, S256
	Resource    string
	ExpiresAt   time.Time
}

// RefreshToken is one of the chain of refresh tokens of a grant. Using one
// that was used before revokes the grant.
type RefreshToken struct {
	Hash      [32]byte
	GrantID   GrantID
	ExpiresAt time.Time
}

// AuditEntry is one thing that somebody did, or tried to. It holds ids and
// counts only.
type AuditEntry struct {
	At           time.Time    `json:"at"`
	Action       string       `json:"action"`
	Allowed      bool         `json:"allowed"`
	Kind         Kind         `json:"kind"`
	Method       Method       `json:"method"`
	UserID       UserID       `json:"user_id,omitzero"`
	Vendor       Vendor       `json:"vendor,omitempty"`
	CredentialID CredentialID `json:"credential_id,omitzero"`
	Target       string       `json:"target,omitempty"` // an id
	Count        int          `json:"count,omitempty"`
}
