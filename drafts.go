package loci

import (
	"encoding/json"
	"time"
)

// The structs in this file are requests to create something. REST and Go callers use the same ones.

// NewNode is a memory node to create. The server sets its origin from the credential. Zero fields get the defaults of
// MemoryNode.SetDefaults. If AllowedVendors is nil, every vendor may read the node; an empty list is an error.
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

// NewAgent is an agent to register. With an agent's key, Vendor must be empty or the key's own vendor.
type NewAgent struct {
	Name        string          `json:"name" minLength:"1" maxLength:"100" doc:"One line, unique in the org" example:"reviewer"`
	Vendor      Vendor          `json:"vendor,omitzero" maxLength:"50" doc:"The agent's vendor. If you leave it out, it is the vendor of your key, or else api. An agent's key can send only its own" example:"claude"`
	Description string          `json:"description,omitzero" maxLength:"2000" doc:"What it does" example:"Reviews changes of the login page"`
	Config      json.RawMessage `json:"config,omitzero" doc:"A JSON object of at most 16,000 bytes, stored unchanged" example:"{\"model\":\"large\"}"`
}

// AgentChange changes an agent. Fields that are nil stay.
type AgentChange struct {
	Name        *string         `json:"name,omitzero" minLength:"1" maxLength:"100" nullable:"false" doc:"One line, unique in the org" example:"reviewer"`
	Description *string         `json:"description,omitzero" maxLength:"2000" nullable:"false"`
	Config      json.RawMessage `json:"config,omitzero" doc:"A JSON object of at most 16,000 bytes. It replaces the present one; null removes it" example:"{\"model\":\"small\"}"`
}

// NewSession is a session to create.
type NewSession struct {
	Agent          string          `json:"agent_id,omitzero" maxLength:"100" doc:"The main agent, by id or name. With an agent's key, Loci registers an unknown name. Default: no agent" example:"reviewer"`
	ProjectID      ProjectID       `json:"project_id,omitzero" format:"uuid" doc:"The project that it is about. Besides you, only its members see the session"`
	Title          string          `json:"title,omitzero" maxLength:"500" example:"Review of the login page"`
	Metadata       json.RawMessage `json:"metadata,omitzero" doc:"A JSON object of at most 16,000 bytes" example:"{\"ticket\":\"L-7\"}"`
	Reach          Reach           `json:"reach,omitzero" enum:"org,team,private" doc:"Who sees it besides you. Default: org"`
	AllowedVendors []Vendor        `json:"allowed_vendors,omitzero" nullable:"false" maxItems:"50" maxLength:"50" doc:"Vendors whose agents see it. Default: [\"*\"], all vendors. An empty list: only people" example:"[\"*\"]"`
	Key            string          `json:"key,omitzero" maxLength:"200" doc:"Your own name for it, such as the id of a conversation. If you have created a session with this key, you get that one, active or closed, and nothing changes"`
}

// SessionChange changes a session. Fields that are nil stay.
type SessionChange struct {
	Title          *string         `json:"title,omitzero" maxLength:"500" nullable:"false"`
	Metadata       json.RawMessage `json:"metadata,omitzero" doc:"Changes of the metadata as a merge patch (RFC 7396): null in place of a member removes it, and null alone removes all" example:"{\"ticket\":null}"`
	Reach          *Reach          `json:"reach,omitzero" enum:"org,team,private" nullable:"false" doc:"Who sees it besides the person who created it. Only that person may widen it"`
	AllowedVendors []Vendor        `json:"allowed_vendors,omitzero" nullable:"false" maxItems:"50" maxLength:"50" doc:"Vendors whose agents see it. An empty list: only people. Only the person may add some" example:"[\"claude\"]"`
}

// NewTask is a task to create.
type NewTask struct {
	Project        string    `json:"project" minLength:"1" maxLength:"100" doc:"The project that it belongs to, by id or name. Besides you, only its members see the task" example:"website"`
	Title          string    `json:"title" minLength:"1" maxLength:"500" doc:"One line" example:"Move the login page to passkeys"`
	Notes          string    `json:"notes,omitzero" maxLength:"10000" example:"Keep the passwords of people without a device."`
	State          TaskState `json:"state,omitzero" enum:"todo,doing,done" doc:"Default: todo"`
	AllowedVendors []Vendor  `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors whose agents see it. Default: [\"*\"], all vendors" example:"[\"*\"]"`
}

// TaskChange changes a task. Fields that are nil stay.
type TaskChange struct {
	Title          *string    `json:"title,omitzero" minLength:"1" maxLength:"500" nullable:"false" doc:"One line"`
	Notes          *string    `json:"notes,omitzero" maxLength:"10000" nullable:"false" doc:"An empty text removes them"`
	State          *TaskState `json:"state,omitzero" enum:"todo,doing,done" nullable:"false"`
	AllowedVendors []Vendor   `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors whose agents see it. Only the person who created the task may add some" example:"[\"claude\"]"`
}

// NewEvent is an event to log. Zero fields get the defaults of Event.SetDefaults. Reach and ProjectID
// are of an event without a session only: the others have those of their session.
type NewEvent struct {
	Time           time.Time       `json:"time,omitzero" doc:"When it happened. Default: now. At most 10 minutes in the future and 10 years ago"`
	Session        string          `json:"session_id,omitzero" maxLength:"500" doc:"An active session, by id or title. Default: the one in Loci-Session, or none" example:"Review of the login page"`
	Agent          string          `json:"agent_id,omitzero" maxLength:"100" doc:"The agent that did it, by id or name. Default: the session's, if the credential may act as it" example:"reviewer"`
	Actor          string          `json:"actor,omitzero" maxLength:"100" doc:"Who spoke or acted, one line" example:"user"`
	Class          EventClass      `json:"memory_type,omitzero" enum:"episodic,session,decision,entity" doc:"Default: episodic"`
	Type           string          `json:"event_type,omitzero" maxLength:"64" doc:"A word: a letter, then letters, digits, _, - and dots. Default: general" example:"error"`
	Content        string          `json:"content" minLength:"1" maxLength:"100000" doc:"The text of the event" example:"The login test fails with 401."`
	Metadata       json.RawMessage `json:"metadata,omitzero" doc:"A JSON object of at most 16,000 bytes" example:"{\"test\":\"login\"}"`
	Tags           []string        `json:"tags,omitzero" nullable:"false" maxItems:"50" minLength:"1" maxLength:"100" example:"[\"ci\"]"`
	Importance     int             `json:"importance,omitzero" minimum:"1" maximum:"10" doc:"Default: 5"`
	ParentID       EventID         `json:"parent_id,omitzero" format:"uuid" doc:"The event that this one answers or belongs to"`
	DedupKey       string          `json:"dedup_key,omitzero" maxLength:"200" doc:"Your own key: two events with the same key are duplicates, whatever they say"`
	Reach          Reach           `json:"reach,omitzero" enum:"org,team,private" doc:"Who sees it besides you. Default: org. Only without a session"`
	ProjectID      ProjectID       `json:"project_id,omitzero" format:"uuid" doc:"Only members of this project see it. Only without a session"`
	AllowedVendors []Vendor        `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors whose agents see it, if the session lets them. Default: [\"*\"], all vendors" example:"[\"*\"]"`
}

// NewProject is a project to create. If Everyone is nil, every user of the org belongs to it.
type NewProject struct {
	Name        string `json:"name" minLength:"1" maxLength:"100" doc:"One line, unique in the org" example:"website"`
	Description string `json:"description,omitzero" maxLength:"2000" doc:"What the project is about" example:"The public site and its deployment"`
	Everyone    *bool  `json:"everyone,omitzero" nullable:"false" doc:"Whether every user of the org belongs to the project. Only a person may set true. Default: false"`
}

// ProjectEdit changes a project. Fields that are nil stay.
type ProjectEdit struct {
	Name        *string `json:"name,omitzero" nullable:"false" minLength:"1" maxLength:"100" example:"website"`
	Description *string `json:"description,omitzero" nullable:"false" maxLength:"2000"`
	Everyone    *bool   `json:"everyone,omitzero" nullable:"false" doc:"True if every user of the org belongs to the project; false if only its members do"`
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
