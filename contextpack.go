package loci

import "time"

// ContextPack is what an assistant should know for a goal: a text within a budget of tokens, what it is made of, and
// what it leaves out.
type ContextPack struct {
	Goal      string    `json:"goal" doc:"The goal that was given"`
	SessionID SessionID `json:"session_id,omitzero" format:"uuid" doc:"The session that was given. It does not get the same things twice"`
	ProjectID ProjectID `json:"project_id,omitzero" format:"uuid" doc:"The project that was used, if one was given"`
	Project   string    `json:"project,omitempty" doc:"Its name"`
	// Context begins with PrefixBytes bytes that stay the same in a session, so that models can reuse them.
	Context     string `json:"context" doc:"Markdown. Stored words are quoted, between <memories> and </memories>"`
	PrefixBytes int    `json:"prefix_bytes" doc:"How many bytes at the beginning stay the same in the session: the preface and what is pinned. What is new comes after them"`
	// PrefixNew is set if the caller has not received this prefix in the session.
	PrefixNew bool `json:"prefix_new,omitempty" doc:"The session receives this prefix with this answer: with its first pack, after fresh, or because it has changed"`
	// PrefixChanged is set if what was pinned in the prefix has changed or is gone.
	PrefixChanged bool             `json:"prefix_changed,omitempty" doc:"The session had another prefix: something in it has changed or is gone"`
	Tokens        int              `json:"tokens" doc:"How many tokens the text has at most" example:"310"`
	MaxTokens     int              `json:"max_tokens" doc:"The most that it may have" example:"1000"`
	Sections      []ContextSection `json:"sections" nullable:"false" doc:"What the text has, in its order"`
	Receipt       ContextReceipt   `json:"receipt" doc:"What went in, what was left out, and why"`
	Partial       bool             `json:"partial,omitempty" doc:"Something may be missing, because the time was over or a log could not be read"`
}

// ContextSectionName is a part of a ContextPack.
type ContextSectionName string

// These are the sections, in their order in the text.
const (
	SectionPinned     ContextSectionName = "pinned"
	SectionDecisions  ContextSectionName = "decisions"
	SectionFacts      ContextSectionName = "facts"
	SectionProcedures ContextSectionName = "procedures"
	SectionEvents     ContextSectionName = "events"
	SectionEntities   ContextSectionName = "entities"
)

// ContextSection is one section with its lines.
type ContextSection struct {
	Name  ContextSectionName `json:"name" enum:"pinned,decisions,facts,procedures,events,entities"`
	Items []ContextItem      `json:"items" nullable:"false"`
}

// ContextItem is one cited line.
type ContextItem struct {
	Kind   string    `json:"kind" enum:"memory,event,entity"`
	ID     string    `json:"id" doc:"The whole id. The text cites it, or of a memory its first 8 characters" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
	Text   string    `json:"text" doc:"What the line says, perhaps cut"`
	Origin string    `json:"origin,omitempty" doc:"Who wrote it" example:"claude"`
	Time   time.Time `json:"time" doc:"When it was last changed, or when it happened"`
	Score  float64   `json:"score,omitempty" doc:"How well it fits the goal; comparable within this pack only"`
	Reason string    `json:"reason" enum:"pinned,match,recent,graph,updated" doc:"Why it is there. updated: the session had an older version"`
}

// ContextReceipt accounts for a ContextPack.
type ContextReceipt struct {
	Included []ContextReceiptLine `json:"included" nullable:"false"`
	LeftOut  []ContextReceiptLine `json:"left_out" nullable:"false" doc:"At most 100"`
	// More is how many others were left out.
	More int `json:"more,omitempty" doc:"How many more were left out"`
}

// ContextReceiptLine is one thing that went in or was left out.
type ContextReceiptLine struct {
	Kind   string `json:"kind" enum:"memory,event,entity"`
	ID     string `json:"id"`
	Tokens int    `json:"tokens,omitempty" doc:"What its line costs"`
	Reason string `json:"reason" enum:"pinned,match,recent,graph,updated,budget,already_sent,instructs,cut" doc:"Included: why. Left out: budget (no room), already_sent (the session has it), instructs (it reads like an order to a model), cut (only a part went in)"`
}
