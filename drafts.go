package loci

import (
	"encoding/json"
	"time"
)

// The structs of this file are what callers send of new things, over REST and in Go alike.

// NewNode is a memory node to create. The server takes its origin from the credential. Zero fields take the defaults of
// MemoryNode.SetDefaults. AllowedVendors nil means everybody; an empty list is an error.
type NewNode struct {
	Name           string    `json:"name" minLength:"1" maxLength:"500" example:"Onboarding"`
	Description    string    `json:"description,omitzero" maxLength:"2000"`
	Tags           []string  `json:"tags,omitzero" nullable:"false" maxItems:"50" minLength:"1" maxLength:"100" doc:"Words to find it by" example:"[\"team\"]"`
	AllowedVendors []Vendor  `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Which vendors may read it; left out or [\"*\"]: all. You always may" example:"[\"*\"]"`
	Scope          Scope     `json:"scope,omitzero" enum:"global,project,agent" doc:"Who it is for, besides its owner; left out: global"`
	ProjectID      ProjectID `json:"project_id,omitzero" format:"uuid" doc:"Needed for scope project"`
	AgentID        AgentID   `json:"agent_id,omitzero" format:"uuid" doc:"Needed for scope agent"`
	Shared         bool      `json:"shared,omitzero" doc:"Share it with your team"`
}

// NewNodeItem is an item to add to a memory node. AllowedVendors nil means everybody who sees what is above it.
type NewNodeItem struct {
	Kind           ItemKind   `json:"kind" enum:"memory,entity,text"`
	MemoryID       MemoryID   `json:"memory_id,omitzero" format:"uuid" doc:"Of kind memory"`
	ProjectID      ProjectID  `json:"project_id,omitzero" format:"uuid" doc:"Of kind entity"`
	EntityID       EntityID   `json:"entity_id,omitzero" format:"uuid" doc:"Of kind entity"`
	Text           string     `json:"text,omitzero" maxLength:"10000" doc:"Of kind text"`
	ParentID       NodeItemID `json:"parent_id,omitzero" format:"uuid" doc:"The item above it; left out: the node itself"`
	Before         NodeItemID `json:"before,omitzero" format:"uuid" doc:"The item to stand before; left out: last"`
	AllowedVendors []Vendor   `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Which vendors may read it; left out: those that see what it shows and what is above it" example:"[\"*\"]"`
}

// NewAgent is an agent to register. An agent's key leaves the vendor out or names its own.
type NewAgent struct {
	Name   string          `json:"name" minLength:"1" maxLength:"100" doc:"One line, unique for the person and vendor" example:"reviewer"`
	Vendor Vendor          `json:"vendor,omitzero" maxLength:"50" doc:"Whose product it is; an agent's key leaves it out or names its own" example:"claude"`
	Config json.RawMessage `json:"config,omitzero" doc:"A JSON object of at most 16,000 bytes, kept as it is" example:"{\"model\":\"large\"}"`
}

// NewAgentSession is a session of agents to open.
type NewAgentSession struct {
	AgentID   AgentID   `json:"agent_id,omitzero" format:"uuid" doc:"Whose session it is, and so whose memories it reaches; left out: no registered agent's"`
	ProjectID ProjectID `json:"project_id,omitzero" format:"uuid" doc:"What it is about; it gives nobody a right"`
	Vendor    Vendor    `json:"vendor,omitzero" maxLength:"50" doc:"Whose keys may name it; left out: the agent's vendor, else that of the key"`
	Title     string    `json:"title,omitzero" maxLength:"500" example:"Review of the login page"`
}

// NewProject is a project to create. Everyone nil means that every user of the org belongs to it.
type NewProject struct {
	Name        string `json:"name" minLength:"1" maxLength:"100" doc:"One line, unique in the org" example:"website"`
	Description string `json:"description,omitzero" maxLength:"2000" doc:"What it is about" example:"The public site and its deployment"`
	Everyone    *bool  `json:"everyone,omitzero" nullable:"false" doc:"Whether every user of the org belongs to it; left out: they do"`
}

// OrgReceipt counts what Loci deleted with an org.
type OrgReceipt struct {
	OrgID       OrgID     `json:"org_id" example:"acme"`
	DeletedAt   time.Time `json:"deleted_at"`
	Users       int       `json:"users"`
	Memories    int       `json:"memories"`
	Credentials int       `json:"credentials"`
	Projects    int       `json:"projects"`
	Files       int       `json:"files"`
}
