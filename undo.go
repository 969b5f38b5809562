package loci

import "time"

// MaxUndo is the most memories that one undo looks at.
const MaxUndo = 10_000

// UndoSelection says which changes of a person's memories are meant: those that were made
// through all that it names, at or after Since and before Until. Zero fields do not count.
type UndoSelection struct {
	Origin       string       `json:"origin,omitempty" doc:"Who made the changes: a vendor, or api, cli, dashboard" example:"cursor"`
	CredentialID CredentialID `json:"credential_id,omitzero" format:"uuid" doc:"The key that made them"`
	SessionID    SessionID    `json:"session_id,omitzero" format:"uuid" doc:"The session in which they were made"`
	Since        time.Time    `json:"since,omitzero" doc:"From then on; may be left out for a session"`
	Until        time.Time    `json:"until,omitzero" doc:"Before then; left out: until now"`
}

// Validate returns an Invalid error about a selection that means everything, or nothing.
func (s *UndoSelection) Validate() error {
	if err := CheckText("origin", s.Origin, 0, MaxVendorLength); err != nil {
		return err
	}
	if s.Origin == "" && s.CredentialID.IsZero() && s.SessionID.IsZero() {
		return FieldErrorf("origin", "or credential_id or session_id is needed, to say whose changes are meant")
	}
	if s.Since.IsZero() && s.SessionID.IsZero() {
		return FieldErrorf("since", "is needed, unless the changes of a session are meant")
	}
	if !s.Until.IsZero() && !s.Until.After(s.Since) {
		return FieldErrorf("until", "must be after since")
	}
	return nil
}

// Means reports whether m is a version that s selects.
func (s *UndoSelection) Means(m *Memory) bool {
	return (s.Origin == "" || s.Origin == m.Editor) &&
		(s.CredentialID.IsZero() || s.CredentialID == m.EditorCredentialID) &&
		(s.SessionID.IsZero() || s.SessionID == m.EditorSessionID) &&
		!m.UpdatedAt.Before(s.Since) && (s.Until.IsZero() || m.UpdatedAt.Before(s.Until))
}

// UndoReport says what an undo did, or would do.
type UndoReport struct {
	Selection UndoSelection `json:"selection"`
	DryRun    bool          `json:"dry_run,omitempty" doc:"Nothing was changed"`
	Undone    []Undone      `json:"undone" nullable:"false"`
	LeftAlone []LeftAlone   `json:"left_alone" nullable:"false"`
	Unchanged int           `json:"unchanged,omitempty" doc:"How many more were changed in the range and are as they were before it already"`
	// Redo is nil if nothing was changed.
	Redo *UndoSelection `json:"redo,omitempty" doc:"The selection that undoes this undo"`
}

// Undone is a memory that an undo put back.
type Undone struct {
	ID      MemoryID `json:"id" format:"uuid"`
	Title   string   `json:"title" doc:"As it is afterwards"`
	Change  Change   `json:"change" enum:"updated,trashed,restored" doc:"What the undo did to it"`
	From    int      `json:"from" doc:"The version that was undone"`
	BackTo  int      `json:"back_to,omitempty" doc:"The version that it says the same as again; absent: it was made in the range, so it is in the trash now"`
	Version int      `json:"version,omitempty" doc:"Its version now; absent in a dry run"`
	Note    string   `json:"note,omitempty" doc:"What is not quite as it was before"`
}

// LeftAlone is a memory that an undo could not put back.
type LeftAlone struct {
	ID      MemoryID `json:"id" format:"uuid"`
	Title   string   `json:"title"`
	Version int      `json:"version"`
	Reason  string   `json:"reason"`
}
