package loci

// MaxBulk is the most memories that one call changes.
const MaxBulk = 1000

// BulkOp is what is done with one memory of a bulk call.
type BulkOp string

// The operations.
const (
	BulkCreate BulkOp = "create"
	BulkUpdate BulkOp = "update"
	BulkTrash  BulkOp = "trash"
)

// BulkResult says what became of one operation of a bulk call. Of memories it holds no text but the titles of similar
// ones.
type BulkResult struct {
	Index           int            `json:"index" doc:"Which operation it was, from 0"`
	Op              BulkOp         `json:"op" enum:"create,update,trash"`
	ID              MemoryID       `json:"id,omitzero" format:"uuid"`
	Version         int            `json:"version,omitempty" doc:"At which the memory is now" example:"1"`
	Created         bool           `json:"created,omitempty"`
	ReplacedVersion int            `json:"replaced_version,omitempty" doc:"Of a create whose key was there: the version that it took the place of"`
	Unchanged       bool           `json:"unchanged,omitempty" doc:"It said all of it already; no version was made"`
	Superseded      []MemoryID     `json:"superseded,omitempty" doc:"What this one takes the place of"`
	Suggestions     []SuggestionID `json:"suggestions,omitempty" doc:"What was only suggested to its owner"`
	SimilarSkipped  bool           `json:"similar_skipped,omitempty" doc:"Of a create: Loci did not look at all memories that could be similar"`
	Similar         []Similar      `json:"similar,omitempty" doc:"Of a create: memories that say nearly the same or the opposite, best first"`
	Error           *ItemError     `json:"error,omitempty" doc:"Why it was not done; absent if it was"`
}
