package client

import (
	"time"

	"github.com/loci-memory/loci"
)

// More says whether a list goes on.
type More struct {
	HasMore    bool   `json:"has_more"`
	NextCursor string `json:"next_cursor" doc:"Send it as cursor for the next page; empty on the last one"`
}

// Name is a new name.
type Name struct {
	Name string `json:"name" minLength:"1" maxLength:"100" doc:"What people see" example:"Platform"`
}

// Confirmation repeats what is about to be deleted for good.
type Confirmation struct {
	Confirm string `json:"confirm" minLength:"1" maxLength:"254" doc:"Of an account: its e-mail address, or its id if it has none; of an org: its id" example:"mara@example.org"`
}

// SignInMethods are what a person can sign in with.
type SignInMethods struct {
	Password bool      `json:"password" doc:"There is a password"`
	Email    bool      `json:"email" doc:"There is an e-mail address, for single sign-on and invitations"`
	Passkeys []Passkey `json:"passkeys" nullable:"false"`
}

// Passkey is one passkey of a person.
type Passkey struct {
	ID         string    `json:"id" doc:"Of the authenticator, base64url" example:"AQIDBA"`
	Name       string    `json:"name" example:"Laptop"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// BrowserSession is one browser session of a person.
type BrowserSession struct {
	ID         loci.CredentialID `json:"id" format:"uuid"`
	Browser    string            `json:"browser" doc:"What the browser called itself" example:"Firefox on Linux"`
	Current    bool              `json:"current" doc:"The one that asks"`
	ProvedAt   time.Time         `json:"proved_at,omitzero" doc:"The last proof of who the person is"`
	CreatedAt  time.Time         `json:"created_at"`
	ExpiresAt  time.Time         `json:"expires_at,omitzero"`
	LastUsedAt time.Time         `json:"last_used_at,omitzero" doc:"Exact to a minute"`
}

// SessionList is a person's browser sessions.
type SessionList struct {
	Sessions []BrowserSession `json:"sessions" nullable:"false"`
	More
}

// Ended says how many sessions were ended.
type Ended struct {
	Ended int `json:"ended" example:"2"`
}

// GrantList is what a person allowed OAuth clients.
type GrantList struct {
	Grants []loci.Grant `json:"grants" nullable:"false"`
	More
}

// WorkspaceChoice names the workspace to be active.
type WorkspaceChoice struct {
	WorkspaceID loci.WorkspaceID `json:"workspace_id" format:"uuid" doc:"One that you are a member of"`
}

// Key is an API key, without its secret.
type Key struct {
	ID          loci.CredentialID `json:"id" format:"uuid"`
	Name        string            `json:"name" example:"backup script"`
	Vendor      loci.Vendor       `json:"vendor,omitempty" doc:"Of an agent's key" example:"claude"`
	Prefix      string            `json:"prefix" doc:"How the key begins" example:"loci_live_4f2A"`
	Scopes      []loci.Right      `json:"scopes" nullable:"false" doc:"What it is limited to; empty: everything that the kind of key may"`
	ProjectIDs  []loci.ProjectID  `json:"project_ids,omitempty" nullable:"false" doc:"If there are any, all that the key reaches"`
	WorkspaceID loci.WorkspaceID  `json:"workspace_id,omitzero" format:"uuid" doc:"The active one; absent: your first"`
	Replaces    loci.CredentialID `json:"replaces,omitzero" format:"uuid" doc:"The key that it was rotated from"`
	CreatedAt   time.Time         `json:"created_at"`
	ExpiresAt   time.Time         `json:"expires_at,omitzero" doc:"Absent: never"`
	RevokedAt   time.Time         `json:"revoked_at,omitzero" doc:"Absent: it is valid"`
	LastUsedAt  time.Time         `json:"last_used_at,omitzero" doc:"Exact to a minute"`
}

// KeyList is a person's keys, newest first.
type KeyList struct {
	Keys []Key `json:"keys" nullable:"false"`
	More
}

// NewKey asks for a key.
type NewKey struct {
	Name        string           `json:"name" minLength:"1" maxLength:"100" doc:"To tell it from the others" example:"backup script"`
	Vendor      loci.Vendor      `json:"vendor,omitzero" minLength:"1" maxLength:"50" doc:"Makes it an agent's key, which sees what this vendor may see; left out: your own"`
	Scopes      []loci.Right     `json:"scopes,omitzero" nullable:"false" maxItems:"20" doc:"What it may do; left out: everything that the kind of key may" example:"[\"memories:read\"]"`
	ProjectIDs  []loci.ProjectID `json:"project_ids,omitzero" nullable:"false" maxItems:"100" format:"uuid" doc:"All that it reaches; left out: everything that you reach"`
	WorkspaceID loci.WorkspaceID `json:"workspace_id,omitzero" format:"uuid" doc:"The active one; left out: your first"`
	ExpiresAt   time.Time        `json:"expires_at,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Left out: never"`
}

// MadeKey is a new key with its secret.
type MadeKey struct {
	Key    Key    `json:"key"`
	Secret string `json:"secret" doc:"The key itself. It is shown here and never again" example:"loci_live_4f2A…"`
}

// Rotation says how long a rotated key stays valid beside the new one.
type Rotation struct {
	OverlapHours *int `json:"overlap_hours,omitzero" nullable:"false" minimum:"0" maximum:"720" doc:"Left out: 24" example:"24"`
}

// BulkTrash names the memories to move to the trash.
type BulkTrash struct {
	IDs []loci.MemoryID `json:"ids" nullable:"false" minItems:"1" maxItems:"1000" format:"uuid" doc:"All of them are moved, or none"`
}

// BulkTrashed says what was moved to the trash.
type BulkTrashed struct {
	Trashed []Trashed `json:"trashed" nullable:"false" doc:"In the order of ids"`
	Count   int       `json:"count" example:"1"`
}

// Trashed is one memory that was moved to the trash.
type Trashed struct {
	ID        loci.MemoryID `json:"id" format:"uuid"`
	Version   int           `json:"version" example:"2"`
	DeletedAt time.Time     `json:"deleted_at"`
}
