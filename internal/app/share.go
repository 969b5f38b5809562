package app

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// errNoTeam refuses to share without a team to share with.
func errNoTeam() error {
	return loci.Errorf(loci.Conflict, "you are not in a team, so there is no shared pool to read from or write to")
}

// pool refuses whoever has no pool, before any memory is looked at.
func (a *App) pool(ctx context.Context, p loci.Principal, act Action) error {
	if p.OnlyProjects {
		a.Refused(ctx, p, act)
		return loci.Errorf(loci.Forbidden, "this key is limited to projects and does not reach the pool of a team")
	}
	if p.TeamID.IsZero() {
		return errNoTeam()
	}
	return nil
}

// ShareMemory puts a memory of the person into the pool of their team; it still
// is theirs, and allowed_vendors holds in the pool too. Conflict if the person is
// in no team, whether or not the memory exists; NotFound if it is not visible,
// Forbidden if it is another person's, the key is limited to projects, or, for an
// agent, another origin wrote it. One that is shared already stays as it is.
func (a *App) ShareMemory(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	if err := a.begin(ctx, p, MemoryShare); err != nil {
		return nil, err
	}
	if err := a.pool(ctx, p, MemoryShare); err != nil {
		return nil, err
	}
	var shared *loci.Memory
	how := edit{act: MemoryShare, what: loci.Updated, fn: func(m *loci.Memory) error {
		if m.Scope == loci.ScopeAgent {
			return loci.Errorf(loci.Conflict, "a memory of agent scope is for the sessions of one agent and cannot be shared")
		}
		m.TeamID = p.TeamID
		return nil
	}}
	err := a.write(ctx, p, MemoryShare, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		me, err := tx.Users().Get(ctx, p.UserID)
		if err != nil {
			return err
		}
		if me.TeamID != p.TeamID { // left since the request was authenticated
			return errNoTeam()
		}
		old, err := owned(ctx, tx, p, id, how)
		if err != nil {
			return err
		}
		if shared, err = a.put(ctx, tx, p, old, how); err == nil && shared == old {
			e.Action = ""
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return shared, nil
}

// UnshareMemory takes a memory of the person out of the pool. One that is not
// shared stays as it is. NotFound and Forbidden as for ShareMemory.
func (a *App) UnshareMemory(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	if err := a.begin(ctx, p, MemoryShare); err != nil {
		return nil, err
	}
	if err := a.pool(ctx, p, MemoryShare); err != nil && loci.CodeOf(err) != loci.Conflict {
		return nil, err
	}
	return a.change(ctx, p, id, edit{act: MemoryShare, what: loci.Updated, fn: unshare})
}

func unshare(m *loci.Memory) error {
	m.TeamID = loci.TeamID{}
	return nil
}

// TeamMemories returns the memories in the team's pool that the principal may
// see, newest first. Conflict if the person is in no team; Forbidden for a key
// that is limited to projects; Invalid as for List.
func (a *App) TeamMemories(ctx context.Context, p loci.Principal, r ListRequest) (*ListPage, error) {
	if err := a.begin(ctx, p, PoolRead); err != nil {
		return nil, err
	}
	if err := a.pool(ctx, p, PoolRead); err != nil {
		return nil, err
	}
	r.TeamID = p.TeamID
	r.Lifecycle = loci.LiveOnly
	return a.list(ctx, p, r, "pool")
}

// releaseBatch is how many memories are read at a time when somebody leaves.
const releaseBatch = 200

// release takes everything that a person shared with their team out of its
// pool: it goes back to being only theirs.
func (a *App) release(ctx context.Context, tx store.Tx, p loci.Principal, u loci.User) error {
	v := loci.Viewer{OrgID: u.OrgID, UserID: u.ID, TeamID: u.TeamID}
	how := edit{what: loci.Updated, fn: unshare}
	for {
		ids, err := tx.Memories().SharedBy(ctx, u.ID, u.TeamID, releaseBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		memories, err := tx.Memories().GetMany(ctx, v, ids, loci.AnyState)
		if err != nil {
			return err
		}
		if len(memories) < len(ids) { // would never end
			return errors.New("a shared memory is out of its owner's reach")
		}
		for _, m := range memories {
			if _, err := a.put(ctx, tx, p, m, how); err != nil {
				return err
			}
		}
	}
}
