package loci

// EventContext is a text about events for a model to read.
type EventContext struct {
	SessionID SessionID      `json:"session_id,omitzero" format:"uuid" doc:"The session that it is about"`
	AgentID   AgentID        `json:"agent_id,omitzero" format:"uuid" doc:"The agent that it is about"`
	Context   string         `json:"context" doc:"Markdown. Stored words are quoted, between <memories> and </memories>"`
	Tokens    int            `json:"tokens" doc:"How many tokens the text has, by Loci's estimate" example:"310"`
	MaxTokens int            `json:"max_tokens" doc:"The most that it may have" example:"4000"`
	Events    int            `json:"events" doc:"How many events it is about" example:"12"`
	Shown     []EventID      `json:"shown" nullable:"false" doc:"The ids of the events that it has, in its order"`
	Groups    []ContextGroup `json:"groups" nullable:"false" doc:"What it has of each group, in its order"`
	Partial   bool           `json:"partial,omitempty" doc:"There may be older events, which Loci did not read"`
}

// ContextGroup is a part of an EventContext.
type ContextGroup struct {
	Name  string `json:"name" doc:"Decisions, Errors, Open questions, State of the work, Facts, or an event type" example:"Decisions"`
	Total int    `json:"total" doc:"How many events belong to it" example:"3"`
	Shown int    `json:"shown" doc:"How many of them the text has; the others were left out" example:"3"`
}
