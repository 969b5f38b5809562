package client

import (
	"time"

	"github.com/loci-memory/loci"
)

// Health says that the process answers.
type Health struct {
	Service     string  `json:"service" example:"loci"`
	Status      string  `json:"status" example:"ok"`
	Version     string  `json:"version" example:"0.1.0"`
	Uptime      float64 `json:"uptime_seconds" example:"12.5"`
	ModelEgress string  `json:"model_egress" enum:"enabled,disabled" doc:"Whether /query may call a model"`
}

// Ready says that the process can read and write.
type Ready struct {
	Status string `json:"status" example:"ready"`
}

// Identity says who a credential is.
type Identity struct {
	Role         string             `json:"role" enum:"user,agent,admin"`
	Vendor       *loci.Vendor       `json:"vendor" doc:"Of an agent; null for a person" example:"claude"`
	Origin       string             `json:"origin" doc:"What its writes carry as origin" example:"claude"`
	OrgID        loci.OrgID         `json:"org_id" example:"default"`
	UserID       loci.UserID        `json:"user_id" format:"uuid" doc:"The person, or the person acted for"`
	Email        string             `json:"email,omitempty"`
	Name         string             `json:"name,omitempty" doc:"Of the person"`
	OrgName      string             `json:"org_name" example:"Acme"`
	OrgRole      loci.MemberRole    `json:"org_role" enum:"owner,admin,member"`
	TeamID       loci.TeamID        `json:"team_id,omitzero" format:"uuid"`
	TeamName     string             `json:"team_name,omitempty"`
	TeamRole     loci.MemberRole    `json:"team_role,omitempty" enum:"owner,admin,member"`
	WorkspaceID  loci.WorkspaceID   `json:"workspace_id,omitzero" format:"uuid" doc:"The active one, where the org works in workspaces"`
	SessionID    loci.SessionID     `json:"session_id,omitzero" format:"uuid" doc:"The session of an agent that the request is a part of"`
	AgentID      loci.AgentID       `json:"agent_id,omitzero" format:"uuid" doc:"The agent of that session, whose memories it reaches"`
	Scopes       []loci.Right       `json:"scopes" nullable:"false" doc:"What the credential may do" example:"[\"memories:read\",\"memories:write\"]"`
	CredentialID *loci.CredentialID `json:"credential_id" nullable:"true" format:"uuid" doc:"null for keys that the operator configured"`
	Method       loci.Method        `json:"method" enum:"key,environment,session,oauth,dashboard" doc:"How it proved who it is"`
	ProvedAt     time.Time          `json:"proved_at,omitzero" doc:"When the person last proved in a browser who they are"`
	Fresh        bool               `json:"fresh" doc:"That proof is at most 5 minutes old: what needs step-up is open"`
}

// QueryRequest asks a question of the memories.
type QueryRequest struct {
	Query  string `json:"query" minLength:"1" maxLength:"10000" doc:"The question" example:"When do we deploy?"`
	Filter Filter `json:"memory_filter,omitzero" doc:"Which memories may be used; left out: all. Not trashed"`
	Limit  int    `json:"limit,omitzero" minimum:"1" maximum:"50" doc:"How many memories at most; left out: 20"`
}

// QueryAnswer is the answer with the receipt of what went into it.
type QueryAnswer struct {
	Response         string         `json:"response" doc:"The model's answer; empty if no model is configured" example:""`
	MemoriesUsed     []*loci.Memory `json:"memories_used" nullable:"false" doc:"In the prompt, in this order"`
	UsedCount        int            `json:"memories_used_count" example:"1"`
	Included         int            `json:"memories_included" doc:"The same as memories_used_count" example:"1"`
	IncludedInPrompt int            `json:"memories_included_in_prompt" doc:"The same as memories_used_count" example:"1"`
	MemoriesTotal    int            `json:"memories_total" doc:"How many fit the question" example:"1"`
	StoppedBy        string         `json:"stopped_by,omitempty" enum:"time,rows" doc:"Set if Loci stopped searching before it had looked at everything: its time was over, or too many memories match. Older memories may be missing; use rarer words"`
	PromptSent       string         `json:"prompt_sent" doc:"The prompt with the memories, to send to a model of your own"`
	ModelConfig      *Model         `json:"model_config" doc:"What answered; null if no model is configured"`
	VendorFilter     *loci.Vendor   `json:"vendor_filter" doc:"Only what this vendor may read was looked at; null: a person asked" example:"claude"`
	Truncated        bool           `json:"truncated" doc:"Some memories were left out to stay within the budget"`
	EstimatedTokens  int            `json:"estimated_tokens" doc:"Size of the prompt" example:"180"`
	Receipt          Receipt        `json:"receipt"`
}

// Model describes a configured model.
type Model struct {
	Provider   string          `json:"provider" example:"127.0.0.1:11434"`
	Name       string          `json:"model" example:"llama3"`
	Parameters ModelParameters `json:"parameters"`
}

// ModelParameters are how a model is called.
type ModelParameters struct {
	Temperature float64 `json:"temperature"`
	MaxTokens   int     `json:"max_tokens"`
}

// Receipt says which memories were used, why, and which were not.
type Receipt struct {
	Used []Use  `json:"used" nullable:"false"`
	Cut  []Left `json:"cut" nullable:"false" doc:"Ranked or pinned, but over the budget"`
}

// Use is a memory in a prompt.
type Use struct {
	ID     loci.MemoryID `json:"id" format:"uuid"`
	Title  string        `json:"title" example:"Deploys"`
	Reason string        `json:"reason" enum:"match,recent,pinned" doc:"It fits the question; or nothing does and it is among the newest; or it is pinned, and there whatever the question is"`
}

// Left is a memory that was left out of a prompt.
type Left struct {
	ID    loci.MemoryID `json:"id" format:"uuid"`
	Title string        `json:"title" example:"Deploys"`
}
