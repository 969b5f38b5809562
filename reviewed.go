package loci

import "slices"

// FlagInstruction is the sensitivity flag of text that reads like an order to a model.
const FlagInstruction = "instruction"

// NewNotes are raw notes to reflect. Their fields and defaults are those of seed S4, and AllowedVendors.
type NewNotes struct {
	Content       string   `json:"content" minLength:"1" maxLength:"1000000" doc:"The raw notes" example:"Decided to deploy on Tuesdays, because Fridays went wrong twice."`
	SourceTitle   string   `json:"source_title,omitzero" maxLength:"500" doc:"What they are. Default: Session reflection" example:"Planning of the releases"`
	Intent        Intent   `json:"intent,omitzero" enum:"build,plan,ideate,research,debug,decide,learn,general" doc:"What the work was for. It changes which candidates come first. Default: general"`
	Domain        string   `json:"domain,omitzero" maxLength:"100" doc:"The category of the memories" example:"releases"`
	Project       string   `json:"project,omitzero" maxLength:"100" doc:"The project that they are about, by id or name. Its members see what comes of them" example:"website"`
	RelatedTo     []string `json:"related_to,omitzero" nullable:"false" maxItems:"50" maxLength:"36" doc:"Ids of memories, and of entities in the graphs of your projects"`
	TaskIDs       []string `json:"task_ids,omitzero" nullable:"false" maxItems:"50" maxLength:"36" doc:"Ids of the tasks that they belong to"`
	ActiveTask    *bool    `json:"active_task,omitzero" nullable:"false" doc:"Without task_ids: link the task of the project that is doing, if there is exactly one. Default: true"`
	Persist       bool     `json:"persist,omitzero" doc:"Write what was found. Default: false, which writes nothing"`
	PersistSource *bool    `json:"persist_source,omitzero" nullable:"false" doc:"With persist: store the notes, without their secrets. Default: true"`
	PersistReview bool     `json:"persist_review,omitzero" doc:"With persist: let all candidates wait for a decision, of a person or of the dream-cycle. Default: false, which makes memories of them"`
	Limit         int      `json:"limit,omitzero" minimum:"1" maximum:"25" doc:"The most candidates. Default: 12"`
	// AllowedVendors nil means every vendor.
	AllowedVendors []Vendor `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors whose assistants see what comes of the notes. Default: [\"*\"], all vendors" example:"[\"*\"]"`
}

// CandidateChange changes a candidate that waits. Fields that are nil stay.
type CandidateChange struct {
	Kind           *CandidateKind `json:"kind,omitzero" enum:"decision,plan,idea,claim,artifact,procedure,session" nullable:"false"`
	Title          *string        `json:"title,omitzero" minLength:"1" maxLength:"500" nullable:"false"`
	Content        *string        `json:"content,omitzero" minLength:"1" maxLength:"100000" nullable:"false"`
	Domain         *string        `json:"domain,omitzero" maxLength:"100" nullable:"false" doc:"The category of the memory"`
	Tags           *[]string      `json:"tags,omitzero" nullable:"false" maxItems:"50" minLength:"1" maxLength:"100"`
	AllowedVendors *[]Vendor      `json:"allowed_vendors,omitzero" nullable:"false" minItems:"1" maxItems:"50" maxLength:"50" doc:"Vendors whose assistants see it. Only a person may add some"`
}

// ShownCandidate is a candidate with what a person needs to decide about it.
type ShownCandidate struct {
	Candidate
	Passages []Passage     `json:"passages" nullable:"false" doc:"The evidence in the stored notes, with what stands around it"`
	Changes  []WouldChange `json:"would_change" nullable:"false" doc:"The memories that it may replace, contradict or repeat: first those that it may replace, and of these the pinned and important ones. Accepting replaces only those that it names"`
	History  []Review      `json:"history" nullable:"false" doc:"What was decided before, the last first"`
}

// Passage is a piece of the stored notes.
type Passage struct {
	Before string `json:"before"`
	Text   string `json:"text"`
	After  string `json:"after"`
	Role   string `json:"role"`
}

// WouldChange is a memory that a candidate relates to.
type WouldChange struct {
	Kind       FindingKind `json:"kind"`
	ID         MemoryID    `json:"id" format:"uuid"`
	Title      string      `json:"title"`
	Content    string      `json:"content"`
	Reason     string      `json:"reason" doc:"Why Loci guesses that"`
	Effect     string      `json:"effect" enum:"superseded,suggested" doc:"What accepting does if it names the memory: supersede it, or suggest that to its owner"`
	Origin     string      `json:"origin" doc:"Who wrote it"`
	Pinned     bool        `json:"pinned"`
	Importance int         `json:"importance"`
	SharedWith string      `json:"shared_with,omitempty" doc:"The other people who read it: the team, the project, or both"`
	Diff       []Hunk      `json:"diff" nullable:"false" doc:"From the memory to the candidate"`
}

// Reviewed is what one decision of several did.
type Reviewed struct {
	Index     int            `json:"index" doc:"Index of the id, from 0"`
	ID        CandidateID    `json:"id" format:"uuid"`
	State     ReviewState    `json:"review_state,omitempty" enum:"pending,promoted,rejected,deferred,archived" doc:"The state now"`
	Version   int            `json:"version,omitempty" doc:"The version of the candidate now" example:"2"`
	MemoryID  MemoryID       `json:"memory_id,omitzero" format:"uuid" doc:"The memory that it became"`
	Replaced  []TitledMemory `json:"replaced,omitempty" doc:"The memories that it replaced"`
	Suggested []TitledMemory `json:"suggested,omitempty" doc:"The memories of other people for which Loci only suggests that"`
	Error     *ItemError     `json:"error,omitempty" doc:"Why the decision failed; absent if it succeeded"`
}

// Instructs reports whether c has text that reads like an order to a model, which no model should see.
func (c *Candidate) Instructs() bool {
	return slices.Contains(c.SensitivityFlags, FlagInstruction)
}

// Reflected is the answer to notes. Its fields are those of seed S4, and a few more.
type Reflected struct {
	SourceTitle    string               `json:"source_title"`
	SourceID       *string              `json:"source_id" doc:"The id of the stored notes; null: they were not stored"`
	Intent         Intent               `json:"intent"`
	Domain         *string              `json:"domain"`
	Project        *string              `json:"project" doc:"The id of the project"`
	Candidates     []ReflectedCandidate `json:"candidates" nullable:"false"`
	Total          int                  `json:"total_candidates" doc:"How many candidates there are in this answer"`
	PersistedCount int                  `json:"persisted_count" doc:"How many candidates were written; 0 unless persist is true"`
	UsageHint      string               `json:"usage_hint"`
	Markdown       string               `json:"markdown" doc:"The candidates for a prompt. Stored text cannot end its fence"`
	NotExtracted   []NotExtracted       `json:"not_extracted" nullable:"false" doc:"What looked relevant and was left out, with the reason"`
	Sensitive      []SensitiveSpan      `json:"sensitive" nullable:"false" doc:"Sensitive passages of the notes. Loci stores no secrets and card numbers"`
	Extractor      string               `json:"extractor" enum:"rules,model" doc:"What read the notes"`
	Dropped        int                  `json:"dropped,omitempty" doc:"How many candidates of a model Loci refused, such as those that are not in the notes"`
	NoModel        string               `json:"no_model,omitempty" enum:"too_long,busy,budget,failing,timeout,unreachable,refused,unusable" doc:"Why the rules answered alone although a model is configured"`
}

// ReflectedCandidate is a candidate in the answer to notes.
type ReflectedCandidate struct {
	Candidate
	PersistedID *string `json:"persisted_id" doc:"The memory, if the candidate was promoted, or the stored candidate; null: nothing was written"`
}

// NotExtracted is a passage of notes that looked relevant and became no candidate.
type NotExtracted struct {
	Text      string `json:"text"`
	Reason    string `json:"reason" example:"a question"`
	Start     int    `json:"start" doc:"In bytes"`
	End       int    `json:"end"`
	CharStart int    `json:"char_start" doc:"In characters"`
	CharEnd   int    `json:"char_end"`
}

// SensitiveSpan is a sensitive passage of notes, without its text.
type SensitiveSpan struct {
	Type      string `json:"type" example:"api_key"`
	Redacted  bool   `json:"redacted" doc:"Loci never stores it"`
	Start     int    `json:"start" doc:"In bytes"`
	End       int    `json:"end"`
	CharStart int    `json:"char_start" doc:"In characters"`
	CharEnd   int    `json:"char_end"`
}
