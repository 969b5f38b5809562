package loci

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
