package loci

import (
	"slices"
	"time"
)

// MaxUndo is the maximum number of memories that one undo examines.
const MaxUndo = 10_000

// UndoSelection selects changes of a person's memories. A change must match every field that is
// set, and be made at or after Since and before Until. Zero fields select everything.
type UndoSelection struct {
	Origin       string       `json:"origin,omitempty" doc:"Who made the changes: a vendor, or api, cli, dashboard" example:"cursor"`
	CredentialID CredentialID `json:"credential_id,omitzero" format:"uuid" doc:"The key that made them"`
	SessionID    SessionID    `json:"session_id,omitzero" format:"uuid" doc:"The session in which they were made"`
	Since        time.Time    `json:"since,omitzero" doc:"Select changes from this time on. Optional with session_id"`
	Until        time.Time    `json:"until,omitzero" doc:"Select changes before this time. Default: now"`
}

// Validate returns an Invalid error if the selection is too broad or empty: it must name a writer,
// a beginning (unless it names a session) and an end after the beginning.
func (s *UndoSelection) Validate() error {
	if err := CheckText("origin", s.Origin, 0, MaxVendorLength); err != nil {
		return err
	}
	if s.Origin == "" && s.CredentialID.IsZero() && s.SessionID.IsZero() {
		return FieldErrorf("origin", "or credential_id or session_id is required")
	}
	if s.Since.IsZero() && s.SessionID.IsZero() {
		return FieldErrorf("since", "is required unless session_id is set")
	}
	if !s.Until.IsZero() && !s.Until.After(s.Since) {
		return FieldErrorf("until", "must be after since")
	}
	return nil
}

// Means reports whether s selects the version m.
func (s *UndoSelection) Means(m *Memory) bool {
	return (s.Origin == "" || s.Origin == m.Editor) &&
		(s.CredentialID.IsZero() || s.CredentialID == m.EditorCredentialID) &&
		(s.SessionID.IsZero() || s.SessionID == m.EditorSessionID) &&
		!m.UpdatedAt.Before(s.Since) && (s.Until.IsZero() || m.UpdatedAt.Before(s.Until))
}

// UndoReport is what an undo did, or would do.
type UndoReport struct {
	Selection UndoSelection `json:"selection"`
	DryRun    bool          `json:"dry_run,omitempty" doc:"True if nothing was changed"`
	Undone    []Undone      `json:"undone" nullable:"false"`
	LeftAlone []LeftAlone   `json:"left_alone" nullable:"false"`
	Unchanged int           `json:"unchanged,omitempty" doc:"Number of other memories that changed in the range but already have their earlier content"`
	// StillSuperseded exists so that nobody believes that what an undone memory had replaced is back.
	StillSuperseded []StillSuperseded `json:"still_superseded,omitempty" doc:"Memories that stay replaced by one that the undo moves to the trash. To bring one back, revert it"`
	// Redo is nil if nothing changed.
	Redo *UndoSelection `json:"redo,omitempty" doc:"The selection that undoes this undo"`
}

// Kept returns what Loci keeps of r for a repetition of the request: no title of a memory.
func (r UndoReport) Kept() UndoReport {
	r.Undone, r.LeftAlone, r.StillSuperseded = slices.Clone(r.Undone), slices.Clone(r.LeftAlone), nil
	for i := range r.Undone {
		r.Undone[i].Title = ""
	}
	for i := range r.LeftAlone {
		r.LeftAlone[i].Title = ""
	}
	return r
}

// Undone is a memory that an undo restored to an earlier state.
type Undone struct {
	ID      MemoryID `json:"id" format:"uuid"`
	Title   string   `json:"title" doc:"The title afterwards"`
	Change  Change   `json:"change" enum:"updated,trashed,restored" doc:"What the undo did to the memory"`
	From    int      `json:"from" doc:"The version that was undone"`
	BackTo  int      `json:"back_to,omitempty" doc:"The old version whose content it has again. If absent, the memory was created in the range and is now in the trash"`
	Version int      `json:"version,omitempty" doc:"The version now; absent in a dry run"`
	Note    string   `json:"note,omitempty" doc:"What still differs from before, or who can read the memory again"`
}

// LeftAlone is a memory that an undo could not restore.
type LeftAlone struct {
	ID      MemoryID `json:"id" format:"uuid"`
	Title   string   `json:"title"`
	Version int      `json:"version"`
	Reason  string   `json:"reason"`
}
