package loci

// Disagreement tells that other memories say something else than this one. It contains nothing that
// the reader may not see.
type Disagreement struct {
	DisputedBy []Dispute `json:"disputed_by,omitempty" doc:"Memories of the same key that say something else, newest first: by other origins, or in a project and outside of it"`
	// PendingSupersede is the newest one if several are suggested.
	PendingSupersede MemoryID `json:"pending_supersede,omitzero" format:"uuid" doc:"The memory that would replace this one if the owner accepts an open suggestion"`
}

// Disputed reports whether a memory disagrees or is suggested as a replacement.
func (d *Disagreement) Disputed() bool { return len(d.DisputedBy) > 0 || !d.PendingSupersede.IsZero() }

// Dispute is a memory that says something else under the same key.
type Dispute struct {
	ID     MemoryID `json:"id" format:"uuid"`
	Origin string   `json:"origin" doc:"Who wrote it"`
}

// MaxDisputes is how many memories a Disagreement names.
const MaxDisputes = 5

// With reports whether the memory with that id is one of those that disagree.
func (d *Disagreement) With(id MemoryID) bool {
	if d.PendingSupersede == id && !id.IsZero() {
		return true
	}
	for _, one := range d.DisputedBy {
		if one.ID == id {
			return true
		}
	}
	return false
}
