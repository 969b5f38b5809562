package loci

import (
	"maps"
	"slices"
	"time"
)

// DreamState is the state of a run of the dream-cycle.
type DreamState string

// The states of a run.
const (
	DreamRunning     DreamState = "running"
	DreamDone        DreamState = "done"
	DreamFailed      DreamState = "failed"      // an error stopped it; the next run goes on
	DreamInterrupted DreamState = "interrupted" // the server stopped; the next run goes on
)

// MaxDreamIDs is how many ids of candidates a receipt has for each outcome.
const MaxDreamIDs = 1_000

// DreamScheduled is who requested a nightly run.
const DreamScheduled = "schedule"

// Dream is the receipt of one run of the dream-cycle. It has ids and numbers, and no text of anybody.
type Dream struct {
	ID          DreamID        `json:"id" format:"uuid"`
	State       DreamState     `json:"state" enum:"running,done,failed,interrupted"`
	DryRun      bool           `json:"dry_run" doc:"Nothing was written, not even this receipt"`
	RequestedBy string         `json:"requested_by" doc:"schedule, operator, or the id of the person" example:"schedule"`
	StartedAt   time.Time      `json:"started_at"`
	FinishedAt  time.Time      `json:"finished_at,omitzero"`
	LatencyMS   int64          `json:"latency_ms" doc:"From the start to the end, in milliseconds"`
	Resumed     int            `json:"resumed" doc:"How often a run continued it after its server was killed"`
	Events      int            `json:"events_read"`
	Notes       int            `json:"notes_read" doc:"Stored notes that had no candidates"`
	Proposed    int            `json:"candidates_proposed"`
	Scanned     int            `json:"candidates_scanned"`
	Promoted    int            `json:"promoted"`
	Archived    int            `json:"archived"`
	Left        int            `json:"left" doc:"Candidates that wait for a person"`
	LeftBy      map[string]int `json:"left_by_reason" nullable:"false" doc:"A candidate may have several reasons"`
	Failed      int            `json:"failed" doc:"Candidates and events that Loci could not process"`
	// A dry run promotes and archives nothing, so it counts here.
	WouldPromote int           `json:"would_promote" doc:"What a dry run would promote"`
	WouldArchive int           `json:"would_archive" doc:"What a dry run would archive"`
	PromotedIDs  []CandidateID `json:"promoted_ids" nullable:"false" doc:"At most 1,000"`
	ArchivedIDs  []CandidateID `json:"archived_ids" nullable:"false" doc:"At most 1,000"`
	LeftIDs      []CandidateID `json:"left_ids" nullable:"false" doc:"At most 1,000"`
	FailedIDs    []CandidateID `json:"failed_ids" nullable:"false" doc:"At most 1,000"`
	More         bool          `json:"more" doc:"The run reached a limit; the next run goes on"`
	Error        string        `json:"error,omitempty" doc:"Why the run failed"`
}

// Ended reports whether the run did what it could: it was not interrupted.
func (d *Dream) Ended() bool { return d.State == DreamDone || d.State == DreamFailed }

// SetDefaults makes lists of what is missing.
func (d *Dream) SetDefaults() {
	for _, list := range d.lists() {
		*list = OrEmpty(*list)
	}
	if d.LeftBy == nil {
		d.LeftBy = map[string]int{}
	}
}

func (d *Dream) lists() []*[]CandidateID {
	return []*[]CandidateID{&d.PromotedIDs, &d.ArchivedIDs, &d.LeftIDs, &d.FailedIDs}
}

// Clone returns a copy that shares nothing with d.
func (d *Dream) Clone() *Dream {
	c := *d
	for _, list := range c.lists() {
		*list = slices.Clone(*list)
	}
	c.LeftBy = make(map[string]int, len(d.LeftBy))
	maps.Copy(c.LeftBy, d.LeftBy)
	return &c
}

// AddID adds an id to one of the lists of a receipt, unless that is full.
func AddID(list *[]CandidateID, id CandidateID) {
	if len(*list) < MaxDreamIDs {
		*list = append(*list, id)
	}
}
