package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

// TrashMemories moves those rows among seqs that are memories of the project to their owners' trash.
func (tx *Tx) TrashMemories(id loci.ProjectID, seqs []int64, now time.Time) error {
	t := memories{tx}
	return t.eachSeq(seqs, " WHERE m.scope = 'project' AND m.project_id = ? AND m.deleted_at IS NULL", Args{[16]byte(id)},
		func(old *Stored) error {
			return t.put(old, trashed(&old.Memory, now)) // the owner may be leaving
		})
}

// trashed returns the version of m with which the server trashes it. Its history stays in order
// even if the clock was set back.
func trashed(m *loci.Memory, now time.Time) *loci.Memory {
	next := m.Clone()
	// through no credential
	next.State = loci.State{Version: m.Version + 1, Change: loci.Trashed, Editor: loci.ServerOrigin}
	next.DeletedAt, next.UpdatedAt = now, now
	if !now.After(m.UpdatedAt) {
		next.UpdatedAt = m.UpdatedAt.Add(time.Microsecond)
	}
	return next
}

// TrashNodes trashes memory nodes of the project, at most limit, and returns the number.
func (tx *Tx) TrashNodes(ctx context.Context, id loci.ProjectID, now time.Time, limit int) (int, error) {
	t := memoryNodes{tx}
	list, err := all(t.c, "SELECT "+nodeColumns+" FROM memory_nodes m WHERE {m} m.scope = 'project' AND "+
		"m.project_id = ? AND m.deleted_at IS NULL LIMIT ?", Args{[16]byte(id), limit}, t.scanNode)
	for _, old := range list {
		next := old.MemoryNode
		next.DeletedAt, next.UpdatedAt = now, now
		if !now.After(old.UpdatedAt) {
			next.UpdatedAt = old.UpdatedAt.Add(time.Microsecond)
		}
		if err == nil {
			err = t.Update(ctx, &next)
		}
	}
	return len(list), err
}
