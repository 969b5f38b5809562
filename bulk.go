package loci

import (
	"slices"
	"time"
)

// MaxBulk is the maximum number of memories that one call changes.
const MaxBulk = 1000

// BulkOp is the operation on one memory of a bulk call.
type BulkOp string

// The operations of a bulk call.
const (
	BulkCreate BulkOp = "create"
	BulkUpdate BulkOp = "update"
	BulkTrash  BulkOp = "trash"
)

// KeptResults returns what Loci keeps of results for a repetition of the request: no text of a memory.
func KeptResults(list []BulkResult) []BulkResult {
	kept := slices.Clone(list)
	for i := range kept {
		kept[i].ReplacedTitle, kept[i].Similar, kept[i].StillSuperseded = "", nil, nil
	}
	return kept
}

// BulkResult is the result of one operation of a bulk call. The only texts of memories in it are titles.
type BulkResult struct {
	Index           int              `json:"index" doc:"Index of the operation, from 0"`
	Op              BulkOp           `json:"op" enum:"create,update,trash"`
	ID              MemoryID         `json:"id,omitzero" format:"uuid"`
	Version         int              `json:"version,omitempty" doc:"The version of the memory now" example:"1"`
	Created         bool             `json:"created,omitempty"`
	ReplacedVersion int              `json:"replaced_version,omitempty" doc:"For a create whose key already existed: the version that it replaced"`
	ReplacedEditor  string           `json:"replaced_editor,omitempty" doc:"Who wrote the replaced version, if it was not you"`
	ReplacedTitle   string           `json:"replaced_title,omitempty" doc:"The title of the replaced version, if the create changed both the title and the content"`
	NoValueUntil    time.Time        `json:"no_value_until,omitzero" doc:"When the new text becomes true, if a replaced memory was true until then: before, searches find neither"`
	Unchanged       bool             `json:"unchanged,omitempty" doc:"True if nothing differed, so Loci made no new version"`
	Identical       bool             `json:"identical,omitempty" doc:"Of a create without key: the memory with that id already says the same"`
	Superseded      []MemoryID       `json:"superseded,omitempty" doc:"Memories that this one replaces"`
	Suggestions     []SuggestionID   `json:"suggestions,omitempty" doc:"Replacements that Loci only suggested to the owner"`
	Narrowed        []MemoryID       `json:"narrowed,omitempty" doc:"Superseded memories that fewer vendors can read now"`
	NotNarrowed     []StillOpen      `json:"not_narrowed,omitempty" doc:"Memories that vendors can still read who cannot read their replacement"`
	NoLongerShared  []NoLongerShared `json:"no_longer_shared,omitempty" doc:"Memories that other people can read who cannot read their replacement"`
	Hint            string           `json:"hint,omitempty" doc:"How to share the memory, if others could read what it replaces, or if you sent a project_id without a scope; and what happens to secrets in it"`
	Secrets         []string         `json:"secrets,omitempty" doc:"Which types of secrets the text has; hint explains what happens to them"`
	SimilarSkipped  bool             `json:"similar_skipped,omitempty" doc:"Of a create: Loci did not look at all memories that could be similar"`
	Similar         []Similar        `json:"similar,omitempty" doc:"Of a create: memories that say nearly the same or the opposite, best first"`
	// StillSuperseded is as in TrashedMemory.
	StillSuperseded []StillSuperseded `json:"still_superseded,omitempty" doc:"Of a trash: memories that stay replaced by this one. To bring one back, revert it"`
	Error           *ItemError        `json:"error,omitempty" doc:"Why the operation failed; absent if it succeeded"`
}
