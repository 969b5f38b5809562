package project

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

// Choice names the project of a call over MCP. The first one that is set counts.
type Choice struct {
	Name    string        // from the call, or an id; "" if none
	Session ConnectionKey // the session whose active project counts; zero if there is no session
	Default string        // project for sessions without an active one; "" if none
}

// Choose returns the project for a call of act. The call begins after Choose and counts against
// the limit itself. Its errors are those of Find for a name or an id, and of Current if nothing
// names a project.
func (s *Service) Choose(ctx context.Context, p loci.Principal, act gate.Action, c Choice) (loci.Project, error) {
	if p.IsZero() {
		return loci.Project{}, s.Begin(ctx, p, act)
	}
	if err := s.Also(ctx, p, act); err != nil {
		return loci.Project{}, err
	}
	if c.Name != "" {
		return s.named(ctx, p, c.Name, true)
	}
	current, err := s.current(ctx, p, c.Session)
	if loci.CodeOf(err) == loci.NotFound && c.Default != "" {
		return s.find(ctx, p, c.Default, true)
	}
	return current, err
}
