package store

import (
	"context"
	"io"
	"time"

	"github.com/loci-memory/loci"
)

// Users stores the people of the org. People.Add and People.Remove add and remove them, because an
// e-mail address must be unique on the whole server.
type Users interface {
	// Get returns a user, or NotFound.
	Get(ctx context.Context, id loci.UserID) (loci.User, error)
	// List returns at most limit users with ids above after, by id. The zero id starts at the beginning.
	List(ctx context.Context, after loci.UserID, limit int) ([]loci.User, error)
	// Team returns the members of a team, by id.
	Team(ctx context.Context, team loci.TeamID) ([]loci.User, error)
	// Update stores the name, roles, team and Disabled of a user. It never changes id, org, email and
	// creation time. It fails with NotFound if the user or team doesn't exist.
	Update(ctx context.Context, u loci.User) error
	// Owners counts the users with the org role owner who are not disabled.
	Owners(ctx context.Context) (int, error)
}

// Teams stores the teams and invitations of the org.
type Teams interface {
	// Insert stores a team. It fails with Conflict if the name is taken in the org.
	Insert(ctx context.Context, t loci.Team) error
	// Get returns a team, or NotFound.
	Get(ctx context.Context, id loci.TeamID) (loci.Team, error)
	// List returns all teams, by name.
	List(ctx context.Context) ([]loci.Team, error)
	// Rename renames a team. It fails with NotFound, or with Conflict if the name is taken.
	Rename(ctx context.Context, id loci.TeamID, name string) error
	// Delete removes a team with its invitations. It fails with NotFound, or with Conflict while the
	// team has members or memories.
	Delete(ctx context.Context, id loci.TeamID) error

	// Invite stores an invitation and revokes a pending one for the same e-mail address and team. It
	// fails with NotFound if its team doesn't exist.
	Invite(ctx context.Context, i loci.Invite) error
	// Invitation returns an invitation, or NotFound.
	Invitation(ctx context.Context, id loci.InviteID) (loci.Invite, error)
	// Invitations returns the invitations to a team, newest first. The zero team means all of the org.
	Invitations(ctx context.Context, team loci.TeamID) ([]loci.Invite, error)
	// Settle marks a pending invitation as accepted or revoked. It fails with NotFound, or with
	// Conflict if the invitation isn't pending.
	Settle(ctx context.Context, id loci.InviteID, state loci.InviteState) error
}

// Workspaces stores the workspaces of the org.
type Workspaces interface {
	// Insert stores a workspace. It fails with Conflict if the name is taken.
	Insert(ctx context.Context, w loci.Workspace) error
	// List returns all workspaces, oldest first.
	List(ctx context.Context) ([]loci.Workspace, error)
	// Of returns the workspaces that a person is a member of, oldest first.
	Of(ctx context.Context, user loci.UserID) ([]loci.Workspace, error)
	// Members returns the members of a workspace, by id. It fails with NotFound if the workspace doesn't exist.
	Members(ctx context.Context, id loci.WorkspaceID) ([]loci.UserID, error)
	// Rename renames a workspace. It fails with NotFound, or with Conflict if the name is taken.
	Rename(ctx context.Context, id loci.WorkspaceID, name string) error
	// Delete removes a workspace. It fails with NotFound, or with Conflict while the workspace has memories.
	Delete(ctx context.Context, id loci.WorkspaceID) error
	// Join adds a member; Leave removes one. Both may be repeated. They fail with NotFound if the
	// workspace or user doesn't exist.
	Join(ctx context.Context, id loci.WorkspaceID, user loci.UserID) error
	Leave(ctx context.Context, id loci.WorkspaceID, user loci.UserID) error
	// Adopt moves every memory, memory node and session without a workspace into this one and returns the number of
	// memories. Readers of the feed must start again. It fails with NotFound if the workspace doesn't exist.
	Adopt(ctx context.Context, id loci.WorkspaceID) (int, error)
}

// SignIn stores the passwords and passkeys with which people prove in a browser who they are.
type SignIn interface {
	// Password returns a person's encoded argon2id hash, or NotFound.
	Password(ctx context.Context, user loci.UserID) (string, error)
	// SetPassword stores a hash; "" removes it. It fails with NotFound if the user doesn't exist.
	SetPassword(ctx context.Context, user loci.UserID, encoded string) error
	// Passkeys returns a person's passkeys, oldest first.
	Passkeys(ctx context.Context, user loci.UserID) ([]loci.Passkey, error)
	// PutPasskey stores or replaces a passkey. It fails with Conflict if the passkey is another
	// person's, and with NotFound if the user doesn't exist.
	PutPasskey(ctx context.Context, user loci.UserID, k loci.Passkey) error
	// RemovePasskey removes a passkey, or returns NotFound.
	RemovePasskey(ctx context.Context, user loci.UserID, id []byte) error
}

// AuditQuery selects entries of the audit trail. Zero fields match everything.
type AuditQuery struct {
	UserID loci.UserID
	Action string
	Denied bool // only denied actions
	From   time.Time
	To     time.Time
	Before int64 // continue after the entry with this number
	Limit  int   // at least 1
}

// AuditReach is what a person may see of the audit trail.
type AuditReach struct {
	UserID  loci.UserID // everything that they did, themselves or through their assistants
	Actions []string    // and who performed these actions
}

// AuditSeen is an entry as a person sees it. ID identifies it without its number, which would show
// how many entries they don't see.
type AuditSeen struct {
	ID Position `json:"id"`
	loci.AuditEntry
}

// AuditRow is an entry with its number in the trail.
type AuditRow struct {
	Number int64 `json:"number"`
	loci.AuditEntry
}

// Audit stores the audit trail. Entries never change.
type Audit interface {
	// Add appends an entry.
	Add(ctx context.Context, e loci.AuditEntry) error
	// List returns entries, the last added first. Entries of graphs are added later than they happened.
	List(ctx context.Context, q AuditQuery) ([]AuditRow, error)
	// Page returns the entries of q that are within reach, the newest first, and the position of the next page, or "" at
	// the end. It ignores q.Before. It fails with Invalid if after is not a Position of such a list.
	Page(ctx context.Context, r AuditReach, q AuditQuery, after Position) ([]AuditSeen, Position, error)
	// Purge deletes at most limit entries from before then and returns their number.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// Orgs is the registry of tenants.
type Orgs interface {
	// Ensure creates the org with its owner if no org has that id. It returns the stored org, and
	// created reports whether it is new. Ensure is atomic between processes. If it is interrupted, the
	// next call finishes it with its own owner. The owner gets the role user and the org role owner.
	//
	// It fails with Invalid if the id is invalid or a new org has no owner, and with Conflict if an
	// org with that id was deleted or the owner's e-mail address is taken.
	Ensure(ctx context.Context, org loci.Org, owner loci.User) (got loci.Org, created bool, err error)
	// Get returns an org, even a suspended one, or NotFound.
	Get(ctx context.Context, id loci.OrgID) (loci.Org, error)
	// List returns all orgs, by id.
	List(ctx context.Context) ([]loci.Org, error)
	// Update lets change alter the name, owner, state and settings of an org in one transaction. It returns the result,
	// which every process sees from its next request on. If change fails, nothing is stored. Update fails with NotFound,
	// and with Invalid if the owner isn't a complete user of the org.
	Update(ctx context.Context, id loci.OrgID, change func(*loci.Org) error) (loci.Org, error)
	// Export writes a consistent copy of all data of the org as files to dir, which must be empty or not exist. events
	// writes those of the org to one of the files.
	Export(ctx context.Context, id loci.OrgID, dir string, events func(io.Writer) error) error
	// Delete removes an org with everything that belongs to it: rows, people, credentials, grants,
	// files. It may be repeated after an interruption; otherwise the next start finishes it. The id is
	// never used again. It fails with NotFound if the org doesn't exist.
	Delete(ctx context.Context, id loci.OrgID) (Receipt, error)
}

// Receipt is loci.OrgReceipt.
type Receipt = loci.OrgReceipt

// Withheld is what a restore does not bring back as it was, because it was taken away after the backup.
type Withheld struct {
	Revoked int          // keys, sessions and grants that stay revoked
	People  int          // deleted people, who come back disabled
	Orgs    []loci.OrgID // deleted orgs
}

// People is the directory of everyone on the server. It spans tenants, because an e-mail address
// determines which tenant a person belongs to.
type People interface {
	// ByEmail and ByID return the org and user of a person, or NotFound.
	ByEmail(ctx context.Context, email string) (loci.Person, error)
	ByID(ctx context.Context, id loci.UserID) (loci.Person, error)
	// Add adds a user to u.OrgID and runs then in the same transaction. It fails with Conflict if the
	// e-mail address is taken, and with NotFound if the org doesn't exist.
	Add(ctx context.Context, u loci.User, then func(Tx) error) error
	// SetEmail changes an e-mail address. It fails with Conflict if the address is taken.
	SetEmail(ctx context.Context, org loci.OrgID, user loci.UserID, email string) error
	// Remove permanently deletes a person: memories, sign-in, credentials, grants, memberships and directory entry. then
	// runs in the transaction that removes the user's row. If Remove is interrupted, nobody can sign in as this person
	// any more, and the call may be repeated. It fails with NotFound, and with Conflict for the org's OwnerID.
	Remove(ctx context.Context, org loci.OrgID, user loci.UserID, then func(Tx) error) error

	// Invited returns the org and the invitation with this hash, in any state, or NotFound.
	Invited(ctx context.Context, hash [32]byte) (loci.OrgID, loci.Invite, error)
	// InvitedEmail returns the newest invitation for an address that can still be accepted, or NotFound.
	InvitedEmail(ctx context.Context, email string, now time.Time) (loci.OrgID, loci.Invite, error)
	// Announce lets Invited find an invitation that is stored in the org.
	Announce(ctx context.Context, org loci.OrgID, i loci.Invite) error
}

// Found is a credential with the data needed to decide whether it is valid.
type Found struct {
	loci.Credential
	Org loci.Org
}

// Credentials is the registry of keys, browser sign-ins, access tokens and one-time links. It spans
// tenants, because a credential determines which tenant a request belongs to.
type Credentials interface {
	// Insert stores c. It fails with Conflict if its id or hash is taken, and with NotFound if its org doesn't exist.
	Insert(ctx context.Context, c loci.Credential) error
	// ByHash returns the credential with that hash and its org, whether it is usable or not, or
	// NotFound. Its cost doesn't grow with the number of credentials.
	ByHash(ctx context.Context, hash [32]byte) (Found, error)
	// Use revokes a usable credential as of now and returns it to exactly one caller. All others get
	// NotFound. It redeems one-time links.
	Use(ctx context.Context, hash [32]byte, now time.Time) (loci.Credential, error)
	// List returns the credentials of a person by kind and method, newest first, including revoked
	// ones. The zero user means everyone in the org.
	List(ctx context.Context, q CredentialQuery) ([]loci.Credential, error)
	// Revoke revokes a credential of that person, or returns NotFound. The zero user means anyone in
	// the org. Revoking again keeps the first time.
	Revoke(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.CredentialID, at time.Time) error
	// RevokeAll revokes every usable credential of a person with that method, except one, and returns
	// their number. An empty method means any.
	RevokeAll(ctx context.Context, org loci.OrgID, user loci.UserID, method loci.Method, except loci.CredentialID,
		at time.Time) (int, error)
	// Rotate stores next, which replaces the credential next.Replaces of the same person. In the same
	// transaction, it makes the old credential expire at overlap at the latest. It fails with NotFound
	// unless the old one is usable, and with Conflict if it was already rotated.
	Rotate(ctx context.Context, next loci.Credential, now, overlap time.Time) error
	// Prove records a fresh proof for a browser sign-in. Enter sets the active workspace of a
	// credential. Both fail with NotFound.
	Prove(ctx context.Context, id loci.CredentialID, at time.Time) error
	Enter(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.CredentialID, w loci.WorkspaceID) error
	// Touch records a use, or returns NotFound. It never moves LastUsedAt back.
	Touch(ctx context.Context, id loci.CredentialID, at time.Time) error
	// AnyAgent reports whether a usable agent key exists. Any reports whether any usable key does.
	// Their cost doesn't grow with the number of keys.
	AnyAgent(ctx context.Context, now time.Time) (bool, error)
	Any(ctx context.Context, now time.Time) (bool, error)
	// Purge deletes at most limit sessions, tokens and links that became unusable before then, and
	// returns their number. It keeps keys.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// CredentialQuery selects credentials. OrgID is required. Other zero fields match everything.
type CredentialQuery struct {
	OrgID  loci.OrgID
	UserID loci.UserID
	ID     loci.CredentialID // only this one; the cost doesn't grow with the number of others
	Kind   loci.Kind
	Method loci.Method
	Usable time.Time // only those usable at that time
}

// OAuth stores OAuth clients and the grants that people gave them. Access tokens are credentials.
type OAuth interface {
	// PutClient stores or changes a client. It never changes the vendor of a stored client; SetVendor does.
	PutClient(ctx context.Context, c loci.OAuthClient) error
	// Client returns a client, or NotFound.
	Client(ctx context.Context, id string) (loci.OAuthClient, error)
	// Clients returns all clients, newest first, at most limit.
	Clients(ctx context.Context, limit int) ([]loci.OAuthClient, error)
	// SetVendor binds a client to a vendor; "" removes the binding. It fails with NotFound.
	SetVendor(ctx context.Context, id string, v loci.Vendor) error
	// DeleteClient removes a client and revokes all its grants. It fails with NotFound.
	DeleteClient(ctx context.Context, id string, at time.Time) error

	// Allow stores a grant with its first code. It fails with NotFound if the org or client doesn't exist.
	Allow(ctx context.Context, g loci.Grant, code loci.AuthCode) error
	// Code returns the code with that hash and its grant, whether the code was used or not, or NotFound.
	Code(ctx context.Context, hash [32]byte) (loci.AuthCode, loci.Grant, error)
	// Redeem consumes a code and stores the first tokens of its grant, in one transaction. Within
	// loci.ReplayGrace it may be repeated and stores other tokens. It fails with NotFound if the code
	// doesn't exist. If the code was used earlier or has expired, or its grant isn't usable at now,
	// Redeem revokes the grant with all its tokens and fails with Conflict.
	Redeem(ctx context.Context, hash [32]byte, now time.Time, access loci.Credential, refresh loci.RefreshToken) (
		loci.Grant, error)
	// Refreshable returns the refresh token with that hash and its grant, whether the token was used
	// or not, or NotFound.
	Refreshable(ctx context.Context, hash [32]byte) (loci.RefreshToken, loci.Grant, error)
	// Refresh consumes a refresh token, stores its successor and an access token, and extends the
	// grant until the successor expires, in one transaction. Earlier access tokens stay usable until
	// they expire. Within loci.ReplayGrace it may be repeated and stores another successor. It fails
	// with NotFound if the token doesn't exist. If the token was used earlier or has expired, or its
	// grant isn't usable at now, Refresh revokes the grant with all its tokens and fails with Conflict.
	Refresh(ctx context.Context, hash [32]byte, now time.Time, access loci.Credential, next loci.RefreshToken) (loci.Grant,
		error)
	// Grants returns the grants of a person, newest first, including revoked ones. The zero user means
	// everyone in the org.
	Grants(ctx context.Context, org loci.OrgID, user loci.UserID) ([]loci.Grant, error)
	// Revoke revokes a grant with all its tokens. It fails with NotFound if that person has no such
	// grant. The zero user means anyone in the org.
	Revoke(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.GrantID, at time.Time) error
	// Purge deletes at most limit codes, refresh tokens and clients without grants that became
	// unusable before then, and returns their number.
	Purge(ctx context.Context, then time.Time, limit int) (int, error)
}

// Limits counts uses and failures for rate limits, for all processes on the store together.
type Limits interface {
	// Take counts n uses of key in the window that begins at that time. It returns the number of uses
	// so far in all processes.
	Take(ctx context.Context, key string, window time.Time, n int) (used int, err error)
	// Failures returns the number of consecutive failures of key, and the time of the last one.
	Failures(ctx context.Context, key string) (n int, last time.Time, err error)
	// Fail adds one failure; Clear resets them.
	Fail(ctx context.Context, key string, at time.Time) (n int, err error)
	Clear(ctx context.Context, key string) error
	// Purge deletes windows and failures from before then.
	Purge(ctx context.Context, then time.Time) error
}

// ArcBinding says in which Arc the events of an org are. Its API key is sealed; the store never sees it.
type ArcBinding struct {
	OrgID       loci.OrgID
	URL         string
	Database    string
	Measurement string
	Key         SealedKey
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// SealedKey is an API key as package seal encrypts it.
type SealedKey struct {
	MasterID string // names the master key
	Nonce    []byte
	Sealed   []byte
}

// ArcBindings stores the bindings of orgs, at most one for each.
type ArcBindings interface {
	// Insert stores b. It fails with Conflict if its org has a binding, and with NotFound if the org doesn't exist.
	Insert(ctx context.Context, b ArcBinding) error
	// Get returns the binding of an org, or NotFound.
	Get(ctx context.Context, org loci.OrgID) (ArcBinding, error)
	// List returns all bindings, by org.
	List(ctx context.Context) ([]ArcBinding, error)
	// Update lets change alter a binding in one transaction. If change fails, nothing is stored. It fails with NotFound.
	Update(ctx context.Context, org loci.OrgID, change func(*ArcBinding) error) (ArcBinding, error)
	// UpdateAll is Update for all bindings, in one transaction. It returns their number.
	UpdateAll(ctx context.Context, change func(*ArcBinding) error) (int, error)
	// Delete removes the binding of an org, or returns NotFound.
	Delete(ctx context.Context, org loci.OrgID) error
}

// Job is what became of the last turn of a job of the server.
type Job struct {
	Name    string // such as trash.purge
	BegunAt time.Time
	EndedAt time.Time
	Rows    int       // that it changed
	Error   string    // why it failed, safe to show; "": it did not
	NextAt  time.Time // its next turn; zero: when somebody asks for it
}

// Jobs stores the last turn of each job, for all processes together.
type Jobs interface {
	// Put stores a turn, unless a later one of the same job is stored.
	Put(ctx context.Context, j Job) error
	// List returns the jobs, by name.
	List(ctx context.Context) ([]Job, error)
}

// Settings stores the settings of the deployment that people changed while Loci runs.
type Settings interface {
	// List returns all of them, by key.
	List(ctx context.Context) ([]loci.StoredSetting, error)
	// Put stores a setting in place of the one with its key.
	Put(ctx context.Context, s loci.StoredSetting) error
	// Delete deletes a setting. It succeeds if there is none.
	Delete(ctx context.Context, key string) error
}
