package memory

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// ErrNoTeam refuses to share without a team to share with.
func ErrNoTeam() error {
	return loci.Errorf(loci.Conflict, "you are not in a team, so there is no shared pool to read from or write to")
}

// Pool refuses whoever has no pool, before any memory is looked at.
func (s *Service) Pool(ctx context.Context, p loci.Principal, act gate.Action) error {
	if p.OnlyProjects {
		s.Refused(ctx, p, act)
		return loci.Errorf(loci.Forbidden, "this key is limited to projects and does not reach the pool of a team")
	}
	if p.TeamID.IsZero() {
		return ErrNoTeam()
	}
	return nil
}

// Share puts a memory of the person into the pool of their team; it still
// is theirs, and allowed_vendors holds in the pool too. Conflict if the person is
// in no team, whether or not the memory exists; NotFound if it is not visible,
// Forbidden if it is another person's, the key is limited to projects, or, for an
// agent, another origin wrote it. One that is shared already stays as it is.
func (s *Service) Share(ctx context.Context, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	if err := s.Begin(ctx, p, Share); err != nil {
		return nil, err
	}
	if err := s.Pool(ctx, p, Share); err != nil {
		return nil, err
	}
	var shared *loci.Memory
	how := edit{act: Share, what: loci.Updated, fn: func(m *loci.Memory) error {
		if m.Scope == loci.ScopeAgent {
			return loci.Errorf(loci.Conflict, "a memory of agent scope is for the sessions of one agent and cannot be shared")
		}
		m.TeamID = p.TeamID
		return nil
	}}
	err := s.Write(ctx, p, Share, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = id.String()
		me, err := tx.Users().Get(ctx, p.UserID)
		if err != nil {
			return err
		}
		if me.TeamID != p.TeamID { // left since the request was authenticated
			return ErrNoTeam()
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
	if err != nil {
		return nil, err
	}
	return shared, nil
}

// Unshare takes a memory of the person out of the pool. One that is not
// shared stays as it is. NotFound and Forbidden as for Share.
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

// TeamMemories returns the memories in the team's pool that the principal may
// see, newest first. Conflict if the person is in no team; Forbidden for a key
// that is limited to projects; Invalid as for List.
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

// ReleaseBatch is how many memories are read at a time when somebody leaves.
const ReleaseBatch = 200

// Release takes everything that a person shared with their team out of its
// pool: it goes back to being only theirs.
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
		if len(memories) < len(ids) { // would never end
			return errors.New("a shared memory is out of its owner's reach")
		}
		for _, m := range memories {
			if _, err := s.put(ctx, tx, p, m, how); err != nil {
				return err
			}
		}
	}
}
