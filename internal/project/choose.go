package project

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

// Choice says which project a call over MCP means: the first of these that there is.
type Choice struct {
	Name    string        // given with the call; "": none
	Session ConnectionKey // whose active project counts; zero: there is no session
	Default string        // name of the project where the session has none; "": none
}

// Choose returns the project that a call of act means, which is begun after it and does the metering.
// Its errors are those of Find for a name, and of Current if nothing names a project.
func (s *Service) Choose(ctx context.Context, p loci.Principal, act gate.Action, c Choice) (loci.Project, error) {
	if p.IsZero() {
		return loci.Project{}, s.Begin(ctx, p, act)
	}
	if err := s.Also(ctx, p, act); err != nil {
		return loci.Project{}, err
	}
	if c.Name != "" {
		return s.find(ctx, p, c.Name, true)
	}
	current, err := s.current(ctx, p, c.Session)
	if loci.CodeOf(err) == loci.NotFound && c.Default != "" {
		return s.find(ctx, p, c.Default, true)
	}
	return current, err
}
