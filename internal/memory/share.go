package memory

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// ErrNoTeam is the error if the person has no team to share with.
func ErrNoTeam() error {
	return loci.Errorf(loci.Conflict, "you are not in a team, so there is no shared pool to read from or write to; "+
		"create or join a team first")
}

func errNoPool() error {
	return loci.Errorf(loci.Forbidden, "this key is limited to projects and does not reach the pool of a team")
}

// Pool rejects a principal without a pool, before it reads any memory.
func (s *Service) Pool(ctx context.Context, p loci.Principal, act gate.Action) error {
	if p.OnlyProjects {
		s.Refused(ctx, p, act)
		return errNoPool()
	}
	if p.TeamID.IsZero() {
		return ErrNoTeam()
	}
	return nil
}

// Share shares a memory of the person with their team. The person remains its owner, and allowed_vendors still
// applies. Conflict if the person has no team, whether or not the memory exists. NotFound if it is not visible.
// Forbidden if it belongs to another person, if the key is limited to projects or, for an agent, if another origin
// wrote it. Sharing a shared memory changes nothing.
func (s *Service) Share(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	if err := s.Begin(ctx, p, Share); err != nil {
		return nil, err
	}
	if err := s.Pool(ctx, p, Share); err != nil {
		return nil, err
	}
	var shared *loci.Memory
	how := edit{act: Share, what: loci.Updated, fn: func(m *loci.Memory) error { return shareWith(m, p.TeamID) }}
	err := s.Write(ctx, p, Share, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		if err := MustBeIn(ctx, tx, p); err != nil {
			return err
		}
		old, err := owned(ctx, tx, p, id, how)
		if err != nil {
			return err
		}
		if shared, err = s.put(ctx, tx, p, old, how); err == nil && shared == old {
			e.Action = ""
		}
		return err
	})
	return shared, err
}

func shareWith(m *loci.Memory, team loci.TeamID) error {
	if m.Scope == loci.ScopeAgent {
		return loci.Errorf(loci.Conflict, "a memory with scope agent belongs to one agent and cannot be shared")
	}
	m.TeamID = team
	return nil
}

// MustBeIn returns ErrNoTeam if the person left their team since the request was authenticated.
func MustBeIn(ctx context.Context, tx store.Tx, p loci.Principal) error {
	me, err := tx.Users().Get(ctx, p.UserID)
	if err == nil && me.TeamID != p.TeamID {
		err = ErrNoTeam()
	}
	return err
}

// Unshare stops sharing a memory of the person. It changes nothing if the memory is not shared.
// NotFound and Forbidden as for Share.
func (s *Service) Unshare(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	if err := s.Begin(ctx, p, Share); err != nil {
		return nil, err
	}
	if err := s.Pool(ctx, p, Share); err != nil && loci.CodeOf(err) != loci.Conflict {
		return nil, err
	}
	return s.change(ctx, p, id, edit{act: Share, what: loci.Updated, fn: unshare})
}

func unshare(m *loci.Memory) error {
	m.TeamID = loci.TeamID{}
	return nil
}

// TeamMemories returns the memories in the team's pool that the principal may see, newest first. Conflict if the
// person is in no team; Forbidden for a key that is limited to projects; Invalid as for List.
func (s *Service) TeamMemories(ctx context.Context, p loci.Principal, r ListRequest) (ListPage, error) {
	if err := s.Begin(ctx, p, PoolRead); err != nil {
		return ListPage{}, err
	}
	if err := s.Pool(ctx, p, PoolRead); err != nil {
		return ListPage{}, err
	}
	r.TeamID = p.TeamID
	r.Lifecycle = loci.LiveOnly
	return s.list(ctx, p, r, "pool")
}

// ReleaseBatch is how many memories are read at a time when a person leaves a team.
const ReleaseBatch = 200

// Release stops sharing everything that a person shared with their team.
func (s *Service) Release(ctx context.Context, tx store.Tx, p loci.Principal, u loci.User) error {
	v := loci.Viewer{OrgID: u.OrgID, UserID: u.ID, TeamID: u.TeamID}
	how := edit{what: loci.Updated, fn: unshare}
	for {
		ids, err := tx.Memories().SharedBy(ctx, u.ID, u.TeamID, ReleaseBatch)
		if err != nil || len(ids) == 0 {
			return err
		}
		memories, err := tx.Memories().GetMany(ctx, v, ids, loci.AnyState)
		if err != nil {
			return err
		}
		if len(memories) < len(ids) { // otherwise this would never end
			return errors.New("the owner of a shared memory cannot reach it")
		}
		for _, m := range memories {
			if _, err := s.put(ctx, tx, p, m, how); err != nil {
				return err
			}
		}
	}
}
