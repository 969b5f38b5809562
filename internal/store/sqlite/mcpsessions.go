package sqlite

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type mcpSessions struct{ s *Store }

// MCPSessions remembers on which projects MCP sessions work.
func (s *Store) MCPSessions() store.MCPSessions { return mcpSessions{s} }

func (m mcpSessions) Get(ctx context.Context, key [32]byte) (store.MCPSession, error) {
	return store.MCPSession{}, errUnbuilt
}

func (m mcpSessions) Put(ctx context.Context, s store.MCPSession) error { return errUnbuilt }

func (m mcpSessions) Remove(ctx context.Context, key [32]byte) error { return errUnbuilt }

func (m mcpSessions) Purge(ctx context.Context, then time.Time, limit int) (int, error) {
	return 0, errUnbuilt
}

func (ps projectRegistry) InWorkspace(ctx context.Context, org loci.OrgID, workspace loci.WorkspaceID) (bool, error) {
	return false, errUnbuilt
}
