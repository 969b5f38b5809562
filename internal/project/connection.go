package project

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// maxOpenConnections is how many MCP connections of one credential Loci keeps. Clients that connect
// for each task and never end a connection would otherwise fill the database.
const maxOpenConnections = 1_000

// OpenConnection keeps a connection of p, so that every process can continue it: state is what its
// client told. If p has too many, those unused for longest end.
func (s *Service) OpenConnection(ctx context.Context, p loci.Principal, key ConnectionKey, state []byte) error {
	return s.Store.Connections().Open(ctx, store.OpenConnection{Key: key, OrgID: p.OrgID, UserID: p.UserID,
		Subject: subjectHash(p), State: state, UsedAt: s.Time()}, maxOpenConnections)
}

// ContinueConnection returns the state of a connection that p opened and that has not ended, and
// notes that it is in use. NotFound also for another principal's connection.
func (s *Service) ContinueConnection(ctx context.Context, p loci.Principal, key ConnectionKey) ([]byte, error) {
	c, err := s.Store.Connections().Opened(ctx, key)
	if err != nil {
		return nil, err
	}
	mine := subjectHash(p)
	if subtle.ConstantTimeCompare(c.Subject[:], mine[:]) != 1 {
		return nil, loci.Errorf(loci.NotFound, "no such connection")
	}
	if now := s.Time(); now.Sub(c.UsedAt) >= connectionTouch {
		s.kept(ctx, s.Store.Connections().Touch(ctx, key, now))
	}
	return c.State, nil
}

// EndConnection forgets a connection and its active project.
func (s *Service) EndConnection(ctx context.Context, key ConnectionKey) error {
	if key == (ConnectionKey{}) {
		return nil
	}
	return s.Store.Connections().Remove(ctx, key)
}

func subjectHash(p loci.Principal) [32]byte { return sha256.Sum256([]byte(p.Subject())) }
