package client

import (
	"time"

	"github.com/loci-memory/loci"
)

// More is the part of a list answer that leads to the next page.
type More struct {
	HasMore    bool   `json:"has_more"`
	NextCursor string `json:"next_cursor" doc:"Send it as cursor to get the next page; empty on the last page"`
}

// Name is a new name.
type Name struct {
	Name string `json:"name" minLength:"1" maxLength:"100" doc:"Displayed name" example:"Platform"`
}

// Confirmation repeats the name of what is about to be permanently deleted.
type Confirmation struct {
	Confirm string `json:"confirm" minLength:"1" maxLength:"254" doc:"For an account: its e-mail address, or its id if it has none. For an org: its id" example:"mara@example.org"`
}

// SignInMethods are the ways in which a person can sign in.
type SignInMethods struct {
	Password bool      `json:"password" doc:"True if a password is set"`
	Email    bool      `json:"email" doc:"True if there is an e-mail address, for single sign-on and invitations"`
	Passkeys []Passkey `json:"passkeys" nullable:"false"`
	Fresh    bool      `json:"fresh" doc:"True if you may change them now: this sign-in proved who you are in the last five minutes"`
	// NoPasskeys tells why browsers add no passkeys at the address of the request; "": they do.
	NoPasskeys string `json:"no_passkeys,omitempty" doc:"Why browsers cannot add a passkey at this address; absent if they can"`
}

// NewPassword is a password to be set.
type NewPassword struct {
	Password string `json:"password" minLength:"12" maxLength:"256" doc:"12 to 256 characters, not your e-mail address" example:"correct horse battery staple"`
}

// PasskeyCeremony is what a browser needs to create a passkey.
type PasskeyCeremony struct {
	Options any    `json:"options" doc:"For navigator.credentials.create, with its field publicKey in the form of PublicKeyCredential.parseCreationOptionsFromJSON"`
	State   string `json:"state" doc:"Send it back with the response, once, within five minutes"`
}

// NewPasskey is a passkey that a browser created.
type NewPasskey struct {
	Name     string         `json:"name" minLength:"1" maxLength:"100" doc:"To tell it from others" example:"Laptop"`
	State    string         `json:"state" maxLength:"65536" doc:"From the options"`
	Response map[string]any `json:"response" doc:"PublicKeyCredential.toJSON() of what navigator.credentials.create returned"`
}

// Passkey is one passkey of a person.
type Passkey struct {
	ID         string    `json:"id" doc:"Id chosen by the authenticator, base64url" example:"AQIDBA"`
	Name       string    `json:"name" example:"Laptop"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"`
}

// SignIn is a sign-in of a person in a browser.
type SignIn struct {
	ID         loci.CredentialID `json:"id" format:"uuid"`
	Browser    string            `json:"browser" doc:"Browser and system, as reported by the browser" example:"Firefox on Linux"`
	Current    bool              `json:"current" doc:"True for the sign-in that sent this request"`
	ProvedAt   time.Time         `json:"proved_at,omitzero" doc:"When the person last proved who they are"`
	CreatedAt  time.Time         `json:"created_at"`
	ExpiresAt  time.Time         `json:"expires_at,omitzero"`
	LastUsedAt time.Time         `json:"last_used_at,omitzero" doc:"Accurate to a minute"`
}

// SignInList is a person's sign-ins.
type SignInList struct {
	SignIns []SignIn `json:"sign_ins" nullable:"false"`
	More
}

// Ended is the number of sign-ins that were ended.
type Ended struct {
	Ended int `json:"ended" example:"2"`
}

// GrantList is a person's grants to OAuth clients.
type GrantList struct {
	Grants []loci.Grant `json:"grants" nullable:"false"`
	More
}

// Assistant is an assistant that has no key in the store and no grant: it uses an agent key of the
// server's configuration, or starts Loci itself.
type Assistant struct {
	Name       string      `json:"name" example:"LOCI_AGENT_KEY_CLAUDE" doc:"The variable with its key, or its vendor with (stdio)"`
	Vendor     loci.Vendor `json:"vendor" example:"claude"`
	LastUsedAt time.Time   `json:"last_used_at,omitzero" doc:"Accurate to a minute; absent if it was not used"`
}

// AssistantList is a person's assistants without a stored credential.
type AssistantList struct {
	Assistants []Assistant `json:"assistants" nullable:"false"`
	More
}

// WorkspaceChoice names the workspace to activate.
type WorkspaceChoice struct {
	WorkspaceID loci.WorkspaceID `json:"workspace_id" format:"uuid" doc:"A workspace that you are a member of"`
}

// Key is an API key, without its secret.
type Key struct {
	ID          loci.CredentialID `json:"id" format:"uuid"`
	Name        string            `json:"name" example:"backup script"`
	Vendor      loci.Vendor       `json:"vendor,omitempty" doc:"Vendor of an agent's key" example:"claude"`
	Prefix      string            `json:"prefix" doc:"The first characters of the key" example:"loci_live_4f2A"`
	Scopes      []loci.Right      `json:"scopes" nullable:"false" doc:"Rights of the key. If empty, the key has all rights of its kind"`
	ProjectIDs  []loci.ProjectID  `json:"project_ids,omitempty" nullable:"false" doc:"If not empty, the key reaches only these projects"`
	WorkspaceID loci.WorkspaceID  `json:"workspace_id,omitzero" format:"uuid" doc:"The active workspace. If absent: your first workspace"`
	Replaces    loci.CredentialID `json:"replaces,omitzero" format:"uuid" doc:"The key that this one replaced in a rotation"`
	CreatedAt   time.Time         `json:"created_at"`
	ExpiresAt   time.Time         `json:"expires_at,omitzero" doc:"Absent if the key never expires"`
	RevokedAt   time.Time         `json:"revoked_at,omitzero" doc:"Absent if the key is valid"`
	LastUsedAt  time.Time         `json:"last_used_at,omitzero" doc:"Accurate to a minute"`
}

// KeyList is a person's keys, newest first.
type KeyList struct {
	Keys []Key `json:"keys" nullable:"false"`
	More
}

// NewKey is a request for a key.
type NewKey struct {
	Name        string           `json:"name" minLength:"1" maxLength:"100" doc:"A name to distinguish it from other keys" example:"backup script"`
	Vendor      loci.Vendor      `json:"vendor,omitzero" minLength:"1" maxLength:"50" doc:"Create an agent's key, which sees what this vendor may see. If left out: a key of your own"`
	Scopes      []loci.Right     `json:"scopes,omitzero" nullable:"false" maxItems:"20" doc:"Rights of the key. Default: all rights of its kind" example:"[\"memories:read\"]"`
	ProjectIDs  []loci.ProjectID `json:"project_ids,omitzero" nullable:"false" maxItems:"100" format:"uuid" doc:"Limit the key to these projects. Default: everything that you can reach"`
	WorkspaceID loci.WorkspaceID `json:"workspace_id,omitzero" format:"uuid" doc:"The active workspace. Default: your first workspace"`
	ExpiresAt   time.Time        `json:"expires_at,omitzero" pattern:"^(0{0,2}[^0]|000[^01]|$)" patternDescription:"a time after the year 1" doc:"Default: never"`
}

// MadeKey is a new key with its secret.
type MadeKey struct {
	Key    Key    `json:"key"`
	Secret string `json:"secret" doc:"The key. Loci shows it only in this answer" example:"loci_live_4f2A…"`
}

// Rotation sets how long a rotated key stays valid next to the new one.
type Rotation struct {
	OverlapHours *int `json:"overlap_hours,omitzero" nullable:"false" minimum:"0" maximum:"720" doc:"Hours for which the old key stays valid. Default: 24" example:"24"`
}

// BulkTrash names the memories to move to the trash.
type BulkTrash struct {
	IDs []loci.MemoryID `json:"ids" nullable:"false" minItems:"1" maxItems:"1000" format:"uuid" doc:"Moves all of them or none"`
}

// BulkTrashed lists the memories that moved to the trash.
type BulkTrashed struct {
	Trashed []Trashed `json:"trashed" nullable:"false" doc:"In the order of ids"`
	Count   int       `json:"count" example:"1"`
}

// Trashed is one memory that moved to the trash.
type Trashed struct {
	ID              loci.MemoryID          `json:"id" format:"uuid"`
	Version         int                    `json:"version" example:"2"`
	DeletedAt       time.Time              `json:"deleted_at"`
	StillSuperseded []loci.StillSuperseded `json:"still_superseded,omitempty" doc:"Memories that stay replaced by this one. To bring one back, revert it"`
}
