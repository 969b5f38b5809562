package app

import (
	"context"

	"github.com/loci-memory/loci"
)

// ProjectChoice says which project a call over MCP means: the first of these that there is.
type ProjectChoice struct {
	Name    string     // given with the call; "": none
	Session SessionKey // whose active project counts; zero: there is no session
	Default string     // name of the project where the session has none; "": none
}

// ChooseProject returns the project that a call of act means, which is begun after it and does the metering.
// Its errors are those of FindProject for a name, and of CurrentProject if nothing names a project.
func (a *App) ChooseProject(ctx context.Context, p loci.Principal, act Action, c ProjectChoice) (loci.Project, error) {
	if p.IsZero() {
		return loci.Project{}, a.begin(ctx, p, act)
	}
	if err := a.also(ctx, p, act); err != nil {
		return loci.Project{}, err
	}
	if c.Name != "" {
		return a.findProject(ctx, p, c.Name, true)
	}
	current, err := a.currentProject(ctx, p, c.Session)
	if loci.CodeOf(err) == loci.NotFound && c.Default != "" {
		return a.findProject(ctx, p, c.Default, true)
	}
	return current, err
}
