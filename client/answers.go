package client

import (
	"time"

	"github.com/loci-memory/loci"
)

// Health is the state of the server process.
type Health struct {
	Service     string `json:"service" example:"loci"`
	Status      string `json:"status" example:"ok"`
	Version     string `json:"version" example:"0.1.0"`
	Uptime      int64  `json:"uptime_seconds" example:"12"`
	ModelEgress string `json:"model_egress" enum:"enabled,disabled" doc:"Whether /query, reflect or recall may call a model on the network"`
	Instance    string `json:"instance,omitempty" doc:"Random, new with each start: by it, loci knows its own server"`
}

// Ready is the answer of a server that can read and write.
type Ready struct {
	Status string `json:"status" example:"ready"`
}

// Identity describes the credential of a request.
type Identity struct {
	Role         string             `json:"role" enum:"user,agent,admin"`
	Vendor       *loci.Vendor       `json:"vendor" doc:"Vendor of an agent; null for a person" example:"claude"`
	Origin       string             `json:"origin" doc:"Origin of the memories that it writes" example:"claude"`
	OrgID        loci.OrgID         `json:"org_id" example:"default"`
	UserID       loci.UserID        `json:"user_id" format:"uuid" doc:"The person, or the person for whom the agent acts"`
	Email        string             `json:"email,omitempty"`
	Name         string             `json:"name,omitempty" doc:"Name of the person"`
	OrgName      string             `json:"org_name" example:"Acme"`
	OrgRole      loci.MemberRole    `json:"org_role" enum:"owner,admin,member"`
	TeamID       loci.TeamID        `json:"team_id,omitzero" format:"uuid"`
	TeamName     string             `json:"team_name,omitempty"`
	TeamRole     loci.MemberRole    `json:"team_role,omitempty" enum:"owner,admin,member"`
	WorkspaceID  loci.WorkspaceID   `json:"workspace_id,omitzero" format:"uuid" doc:"The active workspace, if the org uses workspaces"`
	SessionID    loci.SessionID     `json:"session_id,omitzero" format:"uuid" doc:"The session of the request"`
	AgentID      loci.AgentID       `json:"agent_id,omitzero" format:"uuid" doc:"The agent as which the request acts: that of the session, if the credential may. The request reaches this agent's memories"`
	Scopes       []loci.Right       `json:"scopes" nullable:"false" doc:"Rights of the credential" example:"[\"memories:read\",\"memories:write\"]"`
	CredentialID *loci.CredentialID `json:"credential_id" nullable:"true" format:"uuid" doc:"null for keys that the operator configured"`
	Method       loci.Method        `json:"method" enum:"key,environment,session,oauth,dashboard" doc:"How the caller authenticated"`
	ProvedAt     time.Time          `json:"proved_at,omitzero" doc:"When the person last proved in a browser who they are"`
	Fresh        bool               `json:"fresh" doc:"True if that proof is at most 5 minutes old, so actions that require step-up are allowed"`
}

// QueryRequest asks a question that the memories may answer.
type QueryRequest struct {
	Query  string `json:"query" minLength:"1" maxLength:"10000" doc:"The question" example:"When do we deploy?"`
	Filter Filter `json:"memory_filter,omitzero" doc:"Which memories Loci may use, never trashed ones. Default: all"`
	Limit  int    `json:"limit,omitzero" minimum:"1" maximum:"50" doc:"Maximum number of memories. Default: 20"`
	// MinConfidence is that of RecallRequest.
	MinConfidence *float64 `json:"min_confidence,omitempty" minimum:"0" maximum:"1" doc:"Only matches that have this confidence, as of a recall; if there are none, the newest memories. 0: all matches. Pinned memories stay. Cannot be used if memory_filter has ids or term"`
}

// QueryAnswer is an answer with a receipt of the memories behind it.
type QueryAnswer struct {
	Response         string         `json:"response" doc:"The model's answer; empty if no model is configured" example:""`
	MemoriesUsed     []*loci.Memory `json:"memories_used" nullable:"false" doc:"The memories in the prompt, in the same order"`
	UsedCount        int            `json:"memories_used_count" example:"1"`
	Included         int            `json:"memories_included" doc:"Same as memories_used_count" example:"1"`
	IncludedInPrompt int            `json:"memories_included_in_prompt" doc:"Same as memories_used_count" example:"1"`
	MemoriesTotal    int            `json:"memories_total" doc:"Number of memories that match the question" example:"1"`
	StoppedBy        string         `json:"stopped_by,omitempty" enum:"time,rows" doc:"Set if the search stopped early: it used up its time, or there are too many memories to read. Older memories may be missing; search again, or use a filter or rarer words"`
	PromptSent       string         `json:"prompt_sent" doc:"The prompt with the memories, to send to your own model"`
	ModelConfig      *Model         `json:"model_config" doc:"The model that answered; null if none is configured"`
	VendorFilter     *loci.Vendor   `json:"vendor_filter" doc:"Loci used only memories that this vendor may read; null: a person asked" example:"claude"`
	Truncated        bool           `json:"truncated" doc:"True if some memories were left out to stay within the budget"`
	EstimatedTokens  int            `json:"estimated_tokens" doc:"Size of the prompt in tokens" example:"180"`
	Receipt          Receipt        `json:"receipt"`
}

// Model describes a configured model.
type Model struct {
	Provider   string          `json:"provider" example:"127.0.0.1:11434"`
	Name       string          `json:"model" example:"llama3"`
	Parameters ModelParameters `json:"parameters"`
}

// ModelParameters are the settings of a model call.
type ModelParameters struct {
	Temperature float64 `json:"temperature"`
	MaxTokens   int     `json:"max_tokens"`
}

// Receipt lists which memories were used and why, and which were left out.
type Receipt struct {
	Used []Use  `json:"used" nullable:"false"`
	Cut  []Left `json:"cut" nullable:"false" doc:"Memories that were ranked or pinned, but didn't fit the budget"`
}

// Use is a memory in a prompt.
type Use struct {
	ID     loci.MemoryID `json:"id" format:"uuid"`
	Title  string        `json:"title" example:"Deploys"`
	Reason string        `json:"reason" enum:"match,recent,pinned" doc:"match: it matches the question. recent: nothing matches, and it is among the newest. pinned: always included"`
}

// Left is a memory that was left out of a prompt.
type Left struct {
	ID    loci.MemoryID `json:"id" format:"uuid"`
	Title string        `json:"title" example:"Deploys"`
}
