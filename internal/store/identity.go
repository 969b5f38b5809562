package store

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// Users keeps the people of the org. People.Add and People.Remove make and
// remove them, because their e-mail is unique on the whole deployment.
type Users interface {
	// Get returns a user, or NotFound.
	Get(ctx context.Context, id loci.UserID) (loci.User, error)
	// List returns the users after that id, by id, at most limit. The zero id
	// begins.
	List(ctx context.Context, after loci.UserID, limit int) ([]loci.User, error)
	// Team returns the members of a team, by id.
	Team(ctx context.Context, team loci.TeamID) ([]loci.User, error)
	// Update stores name, roles, team and Disabled of a user; id, org, e-mail and time of
	// creation stay as they are. NotFound if there is no such user or team.
	Update(ctx context.Context, u loci.User) error
	// Owners counts the users with the org role owner who are not disabled.
	Owners(ctx context.Context) (int, error)
}

// Teams keeps the teams and the invitations of the org.
type Teams interface {
	// Insert stores a team. Conflict if its name is taken in the org.
	Insert(ctx context.Context, t loci.Team) error
	// Get returns a team, or NotFound.
	Get(ctx context.Context, id loci.TeamID) (loci.Team, error)
	// List returns all teams, by name.
	List(ctx context.Context) ([]loci.Team, error)
	// Rename gives a team another name. NotFound, or Conflict if it is taken.
	Rename(ctx context.Context, id loci.TeamID, name string) error
	// Delete removes a team with its invitations. NotFound if there is none;
	// Conflict while it has members or memories.
	Delete(ctx context.Context, id loci.TeamID) error

	// Invite stores an invitation. NotFound if its team does not exist. A
	// pending one for the same e-mail and team is revoked by it.
	Invite(ctx context.Context, i loci.Invite) error
	// Invitation returns an invitation, or NotFound.
	Invitation(ctx context.Context, id loci.InviteID) (loci.Invite, error)
	// Invitations returns the invitations into a team, newest first; the zero
	// team: all of the org.
	Invitations(ctx context.Context, team loci.TeamID) ([]loci.Invite, error)
	// Settle turns a pending invitation into one that was accepted or revoked.
	// NotFound, or Conflict if it is not pending.
	Settle(ctx context.Context, id loci.InviteID, state loci.InviteState) error
}

// Workspaces keeps the divisions of the org.
type Workspaces interface {
	// Insert stores a workspace. Conflict if its name is taken.
	Insert(ctx context.Context, w loci.Workspace) error
	// List returns all workspaces, oldest first.
	List(ctx context.Context) ([]loci.Workspace, error)
	// Of returns the workspaces that a person is a member of, oldest first.
	Of(ctx context.Context, user loci.UserID) ([]loci.Workspace, error)
	// Members returns the members of a workspace, by id. NotFound if there is
	// no such workspace.
	Members(ctx context.Context, id loci.WorkspaceID) ([]loci.UserID, error)
	// Rename gives a workspace another name. NotFound, or Conflict if it is taken.
	Rename(ctx context.Context, id loci.WorkspaceID, name string) error
	// Delete removes a workspace. NotFound; Conflict while it has memories.
	Delete(ctx context.Context, id loci.WorkspaceID) error
	// Join makes a person a member; Leave ends that. Both may be repeated.
	// NotFound if there is no such workspace or user.
	Join(ctx context.Context, id loci.WorkspaceID, user loci.UserID) error
	Leave(ctx context.Context, id loci.WorkspaceID, user loci.UserID) error
	// Adopt moves every memory, memory node and session that is in no workspace
	// into this one, and returns how many memories. Readers of the feed begin
	// anew. NotFound if there is no such workspace.
	Adopt(ctx context.Context, id loci.WorkspaceID) (int, error)
}

// SignIn keeps what people prove in a browser who they are with.
type SignIn interface {
	// Password returns the encoded argon2id hash of a person, or NotFound.
	Password(ctx context.Context, user loci.UserID) (string, error)
	// SetPassword stores one; "" removes it. NotFound if there is no such user.
	SetPassword(ctx context.Context, user loci.UserID, encoded string) error
	// Passkeys returns a person's passkeys, oldest first.
	Passkeys(ctx context.Context, user loci.UserID) ([]loci.Passkey, error)
	// PutPasskey stores or replaces a passkey. Conflict if it is another
	// person's, NotFound if there is no such user.
	PutPasskey(ctx context.Context, user loci.UserID, k loci.Passkey) error
	// RemovePasskey removes a passkey, or returns NotFound.
	RemovePasskey(ctx context.Context, user loci.UserID, id []byte) error
}

// AuditQuery asks for entries of the audit trail. Zero fields do not filter.
type AuditQuery struct {
	UserID loci.UserID
	Action string
	Denied bool // only what was not allowed
	From   time.Time
	To     time.Time
	Before int64 // continue after the entry of this number
	Limit  int   // at least 1
}

// AuditRow is an entry with its number in the trail.
type AuditRow struct {
	Number int64 `json:"number"`
	loci.AuditEntry
}

// Audit keeps what was done. Entries are never changed.
type Audit interface {
	// Add appends an entry.
	Add(ctx context.Context, e loci.AuditEntry) error
	// List returns entries, newest first.
	List(ctx context.Context, q AuditQuery) ([]AuditRow, error)
	// Purge deletes at most limit entries from before then and returns how many.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// Orgs is the registry of tenants.
type Orgs interface {
	// Ensure creates the org with its owner if there is none of that id, and
	// returns what is there then; created says which. It is atomic between
	// processes, and an interrupted one is finished by the next, with its own
	// owner. The owner is made with the role user and the org role owner.
	// Invalid if the id is not valid or a new org has no owner; Conflict if an
	// org of that id was deleted, or its owner's e-mail is taken.
	Ensure(ctx context.Context, org loci.Org, owner loci.User) (got loci.Org, created bool, err error)
	// Get returns an org, suspended ones too, or NotFound.
	Get(ctx context.Context, id loci.OrgID) (loci.Org, error)
	// List returns all orgs, by id.
	List(ctx context.Context) ([]loci.Org, error)
	// Update lets change alter name, owner, state and settings of an org as it
	// is, in one transaction, and returns what every process sees from its next
	// request on. An error of change stores nothing. NotFound if there is none;
	// Invalid for an owner who is no complete user of the org.
	Update(ctx context.Context, id loci.OrgID, change func(*loci.Org) error) (loci.Org, error)
	// Export writes a copy of everything that the org has, of one moment, as
	// files into dir, which must be empty or not there.
	Export(ctx context.Context, id loci.OrgID, dir string) error
	// Delete removes an org with everything that belongs to it: rows, people,
	// credentials, grants, files. It may be repeated after an interruption; an
	// interrupted one is finished at the next start. Its id is not used again.
	// NotFound if there is none.
	Delete(ctx context.Context, id loci.OrgID) (Receipt, error)
}

// Receipt is loci.OrgReceipt.
type Receipt = loci.OrgReceipt

// People is the directory of the deployment. It crosses tenants because an
// e-mail address is what says which tenant a person belongs to.
type People interface {
	// ByEmail and ByID return where a person belongs, or NotFound.
	ByEmail(ctx context.Context, email string) (loci.Person, error)
	ByID(ctx context.Context, id loci.UserID) (loci.Person, error)
	// Add makes a user of u.OrgID, and runs then in the transaction that does.
	// Conflict if the e-mail is taken, NotFound if the org does not exist.
	Add(ctx context.Context, u loci.User, then func(Tx) error) error
	// SetEmail changes an e-mail address. Conflict if it is taken.
	SetEmail(ctx context.Context, org loci.OrgID, user loci.UserID, email string) error
	// Remove deletes a person for good: memories, sign-in, credentials, grants,
	// memberships, directory. NotFound; Conflict for the org's OwnerID. It may
	// be repeated after an interruption, from which on nobody can sign in as
	// them; then runs in the transaction that removes the user's row.
	Remove(ctx context.Context, org loci.OrgID, user loci.UserID, then func(Tx) error) error

	// Invited returns the org and the invitation with this hash, whatever its
	// state, or NotFound.
	Invited(ctx context.Context, hash [32]byte) (loci.OrgID, loci.Invite, error)
	// InvitedEmail returns the newest invitation of an address that can be
	// accepted, or NotFound.
	InvitedEmail(ctx context.Context, email string, now time.Time) (loci.OrgID, loci.Invite, error)
	// Announce lets Invited find an invitation that is stored in the org.
	Announce(ctx context.Context, org loci.OrgID, i loci.Invite) error
}

// Found is a credential with what else is needed to know whether it is good.
type Found struct {
	loci.Credential
	Org loci.Org
}

// Credentials is the registry of keys, browser sessions, access tokens and
// one-time links. It crosses tenants because a credential is what says which
// tenant a request belongs to.
type Credentials interface {
	// Insert stores c. Conflict if its id or hash is taken, NotFound if its org
	// does not exist.
	Insert(ctx context.Context, c loci.Credential) error
	// ByHash returns the credential with that hash, usable or not, with its org,
	// or NotFound. Its cost does not grow with the number of credentials.
	ByHash(ctx context.Context, hash [32]byte) (Found, error)
	// Use revokes a usable credential as of now and returns it, to exactly one
	// caller; the others get NotFound. It is how a one-time link is used up.
	Use(ctx context.Context, hash [32]byte, now time.Time) (loci.Credential, error)
	// List returns the credentials of a person by kind and method, newest
	// first, revoked ones too. The zero user: everybody in the org.
	List(ctx context.Context, q CredentialQuery) ([]loci.Credential, error)
	// Revoke marks a credential of that person (the zero user: of anybody in
	// the org), or returns NotFound. Revoking twice keeps the first time.
	Revoke(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.CredentialID, at time.Time) error
	// RevokeAll marks every usable credential of a person made by method (""
	// any), except one, and returns how many.
	RevokeAll(ctx context.Context, org loci.OrgID, user loci.UserID, method loci.Method, except loci.CredentialID,
		at time.Time) (int, error)
	// Rotate stores next, which replaces the credential next.Replaces of the
	// same person, and lets that one expire at overlap at the latest, in one
	// transaction. NotFound unless that one is usable; Conflict if it was
	// rotated before.
	Rotate(ctx context.Context, next loci.Credential, now, overlap time.Time) error
	// Prove records a fresh proof for a browser session, and Enter the
	// workspace that is active in a credential. NotFound.
	Prove(ctx context.Context, id loci.CredentialID, at time.Time) error
	Enter(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.CredentialID, w loci.WorkspaceID) error
	// Touch records a use, or returns NotFound. It never moves LastUsedAt back.
	Touch(ctx context.Context, id loci.CredentialID, at time.Time) error
	// AnyAgent reports whether a usable agent key exists, Any whether any usable
	// key does. Their cost does not grow with their number.
	AnyAgent(ctx context.Context, now time.Time) (bool, error)
	Any(ctx context.Context, now time.Time) (bool, error)
	// Purge deletes at most limit sessions, tokens and links that have been
	// useless since before then, and returns how many. Keys are kept.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// CredentialQuery asks for credentials. Zero fields do not filter, but for
// OrgID, which is required.
type CredentialQuery struct {
	OrgID  loci.OrgID
	UserID loci.UserID
	ID     loci.CredentialID // only this one; its cost does not grow with the others
	Kind   loci.Kind
	Method loci.Method
	Usable time.Time // only those usable at that time
}

// OAuth keeps OAuth clients and what people granted them. Access tokens are
// credentials.
type OAuth interface {
	// PutClient stores or changes a client. The vendor of one that is stored
	// stays; SetVendor changes it.
	PutClient(ctx context.Context, c loci.OAuthClient) error
	// Client returns a client, or NotFound.
	Client(ctx context.Context, id string) (loci.OAuthClient, error)
	// Clients returns all clients, newest first, at most limit.
	Clients(ctx context.Context, limit int) ([]loci.OAuthClient, error)
	// SetVendor binds a client to a vendor; "" frees it. NotFound.
	SetVendor(ctx context.Context, id string, v loci.Vendor) error
	// DeleteClient removes a client and revokes all its grants. NotFound.
	DeleteClient(ctx context.Context, id string, at time.Time) error

	// Allow stores a grant with its first code. NotFound if the org or client
	// does not exist.
	Allow(ctx context.Context, g loci.Grant, code loci.AuthCode) error
	// Code returns the code with that hash, used or not, with its grant, or
	// NotFound.
	Code(ctx context.Context, hash [32]byte) (loci.AuthCode, loci.Grant, error)
	// Redeem uses a code up and stores the first tokens of its grant, in one
	// transaction. NotFound if there is no such code. If it was used before, or
	// its grant is not usable at now, the grant is revoked with all its tokens
	// and the error is Conflict.
	Redeem(ctx context.Context, hash [32]byte, now time.Time, access loci.Credential, refresh loci.RefreshToken) (
		loci.Grant, error)
	// Refreshable returns the refresh token with that hash, used or not, with
	// its grant, or NotFound.
	Refreshable(ctx context.Context, hash [32]byte) (loci.RefreshToken, loci.Grant, error)
	// Refresh uses a refresh token up, stores its successor with an access token
	// and lets the grant live until the successor expires, in one transaction.
	// The access tokens before stay usable until they expire. NotFound if there
	// is no such token; Conflict, with the grant and all its tokens revoked, if
	// it was used before, has expired or its grant is not usable at now.
	Refresh(ctx context.Context, hash [32]byte, now time.Time, access loci.Credential, next loci.RefreshToken) (loci.Grant,
		error)
	// Grants returns the grants of a person, newest first, revoked ones too. The
	// zero user: everybody in the org.
	Grants(ctx context.Context, org loci.OrgID, user loci.UserID) ([]loci.Grant, error)
	// Revoke ends a grant with all its tokens. NotFound if that person (the zero
	// user: anybody in the org) has no such grant.
	Revoke(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.GrantID, at time.Time) error
	// Purge deletes at most limit codes, refresh tokens and clients without
	// grants that have been useless since before then, and returns how many.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// Limits counts what is limited, for all processes on the store together.
type Limits interface {
	// Take counts n uses of key in the window that begins at that time and
	// returns how many uses there are then in all processes.
	Take(ctx context.Context, key string, window time.Time, n int) (used int, err error)
	// Failures returns how often key failed in a row, and when last.
	Failures(ctx context.Context, key string) (n int, last time.Time, err error)
	// Fail counts one more failure; Clear forgets them.
	Fail(ctx context.Context, key string, at time.Time) (n int, err error)
	Clear(ctx context.Context, key string) error
	// Purge deletes windows and failures from before then.
	Purge(ctx context.Context, then time.Time) error
}
