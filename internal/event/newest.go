package event

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// Newest returns the newest events of a session or of a project, the newest first, at most limit. Call it after Begin
// of what needs it. It returns none if the caller may not read events.
func (s *Service) Newest(ctx context.Context, p loci.Principal, session loci.SessionID, project loci.ProjectID,
	limit int) ([]*loci.Event, error) {
	if s.May(p, Read) != nil {
		return nil, nil
	}
	log, err := s.of(ctx, p.OrgID)
	if err != nil {
		return nil, err
	}
	page, err := log.Find(ctx, p.Viewer(), eventlog.Query{Filter: eventlog.Filter{SessionID: session, ProjectID: project},
		Order: eventlog.Newest, Limit: limit})
	return page.Events, err
}
