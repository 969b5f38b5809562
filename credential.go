package loci

import "time"

// Credential is the stored form of a key, a browser sign-in, an access token or a one-time link.
// Loci shows the secret once, when it creates it, and stores only Hash, its SHA-256. A fast hash is
// enough: secrets have 256 random bits, so nobody can guess them.
type Credential struct {
	ID          CredentialID
	OrgID       OrgID
	UserID      UserID // the person, or the person that the agent acts for
	Kind        Kind   // KindUser or KindAgent
	Method      Method // ByKey, BySignIn, ByOAuth or ByLink; without a secret: ByEnvironment or ByDisk
	Vendor      Vendor // of an agent; "" for a person
	Name        string // of a key: chosen by the person; of a session: the browser
	Hash        [32]byte
	Prefix      string        // the first characters, to distinguish keys in a list
	Rights      []Right       // if empty: all rights of the kind
	ProjectIDs  []ProjectID   // if not empty: it reaches only these projects
	WorkspaceID WorkspaceID   // the active one; if zero: the person's first
	GrantID     GrantID       // of an access token
	Replaces    CredentialID  // of a rotated key: the previous key
	ProvedAt    time.Time     // of a session: when the person last proved who they are
	IdleAfter   time.Duration // of a session: it expires when unused for that long; 0: never
	CreatedAt   time.Time
	ExpiresAt   time.Time // zero: never
	RevokedAt   time.Time // zero: valid
	LastUsedAt  time.Time // zero: never; exact to a minute
}

// MaxKeyName is the longest name of a credential, in characters.
const MaxKeyName = 100

// Usable reports whether the credential is not revoked, not expired and was not unused for too long.
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
	ID         []byte // chosen by the authenticator, 1 to 1023 bytes
	Name       string
	Data       []byte // go-webauthn's record as JSON; contains no secret
	CreatedAt  time.Time
	LastUsedAt time.Time
}

// OAuthClient is a program that asks people for access. All OAuth clients are public, so they have no secret.
type OAuthClient struct {
	ID           string    `json:"client_id"` // random, or the URL of its metadata document
	Name         string    `json:"client_name" doc:"The name the client gives itself; unverified"`
	RedirectURIs []string  `json:"redirect_uris"`
	URI          string    `json:"client_uri,omitempty"`
	Vendor       Vendor    `json:"vendor,omitempty" doc:"Vendor that the operator assigned to the client. If absent, the person chooses at consent"`
	CreatedAt    time.Time `json:"created_at"`
	LastUsedAt   time.Time `json:"last_used_at,omitzero"`
}

// Grant is a person's permission for an OAuth client to act as one vendor.
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

// Usable reports whether the grant is not revoked and not expired.
func (g *Grant) Usable(now time.Time) bool {
	return g.RevokedAt.IsZero() && g.ExpiresAt.After(now)
}

// AuthCode is an OAuth authorization code that a client can exchange once.
type AuthCode struct {
	Hash        [32]byte
	GrantID     GrantID
	ClientID    string
	RedirectURI string
	Challenge   string // PKCE, S256
	Resource    string
	ExpiresAt   time.Time
	UsedAt      time.Time // the first exchange; zero: none
}

// RefreshToken is one token in a grant's chain of refresh tokens.
type RefreshToken struct {
	Hash      [32]byte
	GrantID   GrantID
	ExpiresAt time.Time
	UsedAt    time.Time // the first exchange; zero: none
}

// ReplayGrace is how long after its first exchange a code or refresh token can be exchanged again, for other tokens
// of the same grant. Several processes of one client share their tokens and refresh at the same time, and a client
// that did not receive an answer can only repeat its request. A later replay means theft and revokes the grant.
const ReplayGrace = time.Minute

// AuditEntry records one action or attempt. It contains only ids and counts.
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
