package event

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// DeadLetters returns the events of the org that its Arc refused, with numbers above after, at most limit.
func (s *Service) DeadLetters(ctx context.Context, p loci.Principal, after int64, limit int) (
	[]eventlog.DeadLetter, error) {
	if err := s.Begin(ctx, p, Dead); err != nil || s.letters == nil {
		return nil, err
	}
	return s.letters.Dead(ctx, p.OrgID, after, limit)
}

// ReplayDead sends events that the org's Arc refused to it again, all of them if ids is nil, and returns their number.
func (s *Service) ReplayDead(ctx context.Context, p loci.Principal, ids []loci.EventID) (int, error) {
	if err := s.Begin(ctx, p, Replay); err != nil {
		return 0, err
	}
	if err := s.Gate.Record(ctx, p, Replay, string(p.OrgID)); err != nil || s.letters == nil {
		return 0, err
	}
	return s.letters.Replay(ctx, p.OrgID, ids)
}
