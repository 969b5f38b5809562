package loci

import (
	"strings"
	"time"
)

// Saved is the result of a save: the memory as it is stored now, and what else happened.
// Suggestions and Similar contain nothing that the writer may not see.
type Saved struct {
	Memory
	SaveNotes
}

// SaveNotes are what the writer should know of a save. Most saves have none.
type SaveNotes struct {
	// ReplacedVersion is 0 if the save created a new memory.
	ReplacedVersion int `json:"replaced_version,omitempty" doc:"The version with the same key that this save replaced; absent for a new memory"`
	// ReplacedEditor exists so that no correction of a person is lost in silence.
	ReplacedEditor string `json:"replaced_editor,omitempty" doc:"Who wrote the replaced version, if it was not you. The history keeps it"`
	// ReplacedTitle exists so that no key that fits two facts hides one of them in silence.
	ReplacedTitle string `json:"replaced_title,omitempty" doc:"The title of the replaced version, if the save changed both the title and the content"`
	// NoValueUntil exists so that nobody loses the present value of a fact by saving the coming one.
	NoValueUntil time.Time    `json:"no_value_until,omitzero" doc:"When the new text becomes true, if a replaced memory was true until then: before, searches find neither"`
	Unchanged    bool         `json:"unchanged,omitempty" doc:"True if the memory already had these values; Loci stored nothing"`
	Identical    bool         `json:"identical,omitempty" doc:"True if you sent no key and this memory already says the same; unchanged is true too"`
	Superseded   []MemoryID   `json:"superseded,omitempty" doc:"Your memories that this one replaces; recall no longer shows them"`
	Suggestions  []Suggestion `json:"suggestions,omitempty" doc:"Replacements of memories that someone else wrote. Their owner decides"`
	// Narrowed and NotNarrowed exist so that nobody believes a text is hidden that is not.
	Narrowed    []MemoryID  `json:"narrowed,omitempty" doc:"Superseded memories that fewer vendors can read now, because fewer can read this one"`
	NotNarrowed []StillOpen `json:"not_narrowed,omitempty" doc:"Memories that this one replaces, or would replace, and that vendors can still read who cannot read this one"`
	// NoLongerShared exists so that nobody takes a fact from others in silence.
	NoLongerShared []NoLongerShared `json:"no_longer_shared,omitempty" doc:"Memories that other people can read and that this one, which they cannot read, replaces or would replace; hint tells how to share it"`
	// Hint exists so that nobody believes that a project sees what it does not.
	Hint    string   `json:"hint,omitempty" doc:"How to share the memory, if others could read what it replaces, or if you sent a project_id without a scope; what happens to secrets in it; and a key or tag that differs from a new one only in case or blanks"`
	Twin    string   `json:"-"` // names a key or tag that differs from a new one only in case or blanks
	Sources []Source `json:"sources,omitempty" doc:"Sources sent with the save"`
	// Secrets exists so that nobody keeps a password here without knowing it.
	Secrets []string `json:"secrets,omitempty" doc:"Which types of secrets the text has; hint explains what happens to them" example:"[\"password\"]"`
	// SimilarSkipped distinguishes "did not look at everything" from "found none".
	SimilarSkipped bool      `json:"similar_skipped,omitempty" doc:"True if Loci did not look at all memories that could be similar: the request turned it off, or it took too long"`
	Similar        []Similar `json:"similar,omitempty" doc:"Memories with nearly the same or the opposite content, best match first. Loci did not change them"`
}

// Created reports whether the save made a new memory.
func (s *Saved) Created() bool { return s.ReplacedVersion == 0 && !s.Unchanged }

// StillOpen is a memory that more vendors can read than the one that replaces it.
type StillOpen struct {
	ID             MemoryID `json:"id" format:"uuid"`
	Origin         string   `json:"origin" doc:"Who wrote it"`
	AllowedVendors []Vendor `json:"allowed_vendors" nullable:"false" doc:"The vendors that can read it"`
}

// NoLongerShared is a memory that other people can read who cannot read the one that replaces it.
type NoLongerShared struct {
	ID         MemoryID `json:"id" format:"uuid"`
	SharedWith string   `json:"shared_with" doc:"Who these people are: the team, the project, or both" example:"the team"`
}

// SecretHint explains what happens to secrets of these types in a text that was saved. It returns "" without types.
func SecretHint(types []string) string {
	if len(types) == 0 {
		return ""
	}
	return "The text has a secret (" + strings.Join(types, ", ") + "). It is stored as sent: search and graphs show " +
		"it; lists, briefings and context packs show [secret]. The person keeps or removes it in the inbox, or with " +
		"`loci suggestion list`."
}

// ShareHint tells how to share the memory with id, which replaces some that others could read. It
// returns "" if there are none.
func ShareHint(id MemoryID, lost ...NoLongerShared) string {
	team, project := "", ""
	for _, l := range lost {
		if strings.Contains(l.SharedWith, theTeam) {
			team = "The team can read what this memory replaces, but not this memory. If it should, share it with the team."
		}
		if strings.Contains(l.SharedWith, theProject) {
			project = "The project can read what this memory replaces, but not this memory. If it should, save it again with " +
				"scope \"project\" in that project and supersedes [\"" + id.String() + "\"]."
		}
	}
	return strings.TrimSpace(team + " " + project)
}

// MaxSimilar is the maximum number of similar memories that a save returns.
const MaxSimilar = 5

// Similar is a memory with nearly the same content as another.
type Similar struct {
	ID       MemoryID `json:"id" format:"uuid"`
	Title    string   `json:"title"`
	Score    float64  `json:"score" doc:"Share of the text that is the same, 0 to 1"`
	Relation Likeness `json:"relation" enum:"duplicate,near_duplicate,contradiction,same_subject"`
}

// Likeness is how two memories seem to relate to each other.
type Likeness string

// The kinds of likeness.
const (
	Duplicate     Likeness = "duplicate"      // the same text, ignoring case, spaces and punctuation
	NearDuplicate Likeness = "near_duplicate" // nearly the same words, and all numbers and negations are equal
	Contradiction Likeness = "contradiction"  // nearly the same words, but a number, date or negation differs
	SameSubject   Likeness = "same_subject"   // the same key or title, and another text; it may agree or not
)
