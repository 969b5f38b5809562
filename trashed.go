package loci

// TrashedMemory is a memory in the trash, and the memories that nobody recalls because of it.
type TrashedMemory struct {
	Memory
	// Hint is for agents, which cannot restore.
	Hint            string            `json:"hint,omitempty" doc:"For an agent: how the person restores the memory"`
	StillSuperseded []StillSuperseded `json:"still_superseded,omitempty" doc:"Memories that stay replaced by this one although it is in the trash. To bring one back, revert it"`
}

// StillSuperseded is a memory that another one replaced that is now in the trash.
type StillSuperseded struct {
	ID           MemoryID `json:"id" format:"uuid"`
	Title        string   `json:"title"`
	SupersededBy MemoryID `json:"superseded_by" format:"uuid" doc:"The memory in the trash"`
	// RevertTo is 0 if the reader sees no such version.
	RevertTo int `json:"revert_to,omitempty" doc:"The version to revert to: the last one before it was replaced. Absent if you cannot see one"`
}
