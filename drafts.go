package loci

import (
	"encoding/json"
	"time"
)

// The structs in this file are requests to create something. REST and Go callers use the same ones.

// NewNode is a memory node to create. The server sets its origin from the credential. Zero fields
// get the defaults of MemoryNode.SetDefaults. If AllowedVendors is nil, every vendor may read the
// node; an empty list is an error.
type NewNode struct {
	Name           string    `json:"name" minLength:"1" maxLength:"500" example:"Onboarding"`
	Description    string    `json:"description,omitzero" maxLength:"2000"`
	Tags           []string  `json:"tags,omitzero" nullable:"false" maxItems:"50" minLength:"1" maxLength:"100" doc:"Tags to find it by" example:"[\"team\"]"`
	AllowedVendors []Vendor  `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors that may read it. Default: [\"*\"], all vendors. You may always read it" example:"[\"*\"]"`
	Scope          Scope     `json:"scope,omitzero" enum:"global,project,agent" doc:"Audience in addition to the owner. Default: global"`
	ProjectID      ProjectID `json:"project_id,omitzero" format:"uuid" doc:"Required for scope project"`
	AgentID        AgentID   `json:"agent_id,omitzero" format:"uuid" doc:"Required for scope agent"`
	Shared         bool      `json:"shared,omitzero" doc:"True shares it with your team"`
}

// NewNodeItem is an item to add to a memory node. If AllowedVendors is nil, everyone who sees the
// item above also sees this item.
type NewNodeItem struct {
	Kind           ItemKind   `json:"kind" enum:"memory,entity,text"`
	MemoryID       MemoryID   `json:"memory_id,omitzero" format:"uuid" doc:"Required for kind memory"`
	ProjectID      ProjectID  `json:"project_id,omitzero" format:"uuid" doc:"Required for kind entity"`
	EntityID       EntityID   `json:"entity_id,omitzero" format:"uuid" doc:"Required for kind entity"`
	Text           string     `json:"text,omitzero" maxLength:"10000" doc:"Required for kind text"`
	ParentID       NodeItemID `json:"parent_id,omitzero" format:"uuid" doc:"The item above it. If left out, the item is at the top level"`
	Before         NodeItemID `json:"before,omitzero" format:"uuid" doc:"Insert it before this item. Default: last"`
	AllowedVendors []Vendor   `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors that may read it. Default: every vendor that can read the item above it and what it shows" example:"[\"*\"]"`
}

// NewAgent is an agent to register. With an agent's key, Vendor must be empty or the key's own
// vendor.
type NewAgent struct {
	Name   string          `json:"name" minLength:"1" maxLength:"100" doc:"One line, unique per person and vendor" example:"reviewer"`
	Vendor Vendor          `json:"vendor,omitzero" maxLength:"50" doc:"The agent's vendor. With an agent's key, leave it out or send the key's vendor" example:"claude"`
	Config json.RawMessage `json:"config,omitzero" doc:"A JSON object of at most 16,000 bytes, stored unchanged" example:"{\"model\":\"large\"}"`
}

// NewAgentSession is an agent session to open.
type NewAgentSession struct {
	AgentID   AgentID   `json:"agent_id,omitzero" format:"uuid" doc:"The agent of the session. The session can read this agent's memories. Default: no registered agent"`
	ProjectID ProjectID `json:"project_id,omitzero" format:"uuid" doc:"The project that the session is about; it grants no rights"`
	Vendor    Vendor    `json:"vendor,omitzero" maxLength:"50" doc:"Only keys of this vendor may name the session. Default: the agent's vendor, or the vendor of the key"`
	Title     string    `json:"title,omitzero" maxLength:"500" example:"Review of the login page"`
}

// NewProject is a project to create. If Everyone is nil, every user of the org belongs to it.
type NewProject struct {
	Name        string `json:"name" minLength:"1" maxLength:"100" doc:"One line, unique in the org" example:"website"`
	Description string `json:"description,omitzero" maxLength:"2000" doc:"What the project is about" example:"The public site and its deployment"`
	Everyone    *bool  `json:"everyone,omitzero" nullable:"false" doc:"Whether every user of the org belongs to the project. Default: true"`
}

// OrgReceipt counts what Loci deleted with an org.
type OrgReceipt struct {
	OrgID       OrgID     `json:"org_id" example:"acme"`
	DeletedAt   time.Time `json:"deleted_at"`
	Users       int       `json:"users"`
	Memories    int       `json:"memories"`
	Credentials int       `json:"credentials" doc:"Keys, sign-ins, sign-in links and OAuth tokens, also ended ones"`
	Projects    int       `json:"projects"`
	Files       int       `json:"files" doc:"Files on the disk of the org's database and of attachments"`
	Attachments int       `json:"attachments" doc:"How many of the files are attachments; equal ones are one file"`
}
