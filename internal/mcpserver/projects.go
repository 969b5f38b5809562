package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

const statusAll loci.ProjectStatus = "all"

func projectsFields(c *call, in *project.ListRequest) []field {
	in.Status = loci.ProjectActive
	return []field{
		oneOf("status", &in.Status, loci.ProjectActive, loci.ProjectArchived, statusAll).otherwise(`"active"`),
		limit(c, &in.Limit, gate.MaxPage, gate.MaxPage).hide(), cursor(c, &in.Cursor),
	}
}

func (s *Server) listProjects(ctx context.Context, c *call, in *project.ListRequest) (any, error) {
	if in.Status == statusAll {
		in.Status = ""
	}
	found, err := s.app.Project.List(ctx, c.principal, *in)
	out := struct {
		Projects   []projectShape `json:"projects"`
		NextCursor string         `json:"next_cursor,omitempty"`
	}{make([]projectShape, len(found.Items)), found.NextCursor}
	for i, p := range found.Items {
		out.Projects[i] = shapeOfProject(c, p, "")
	}
	return out, err
}

func newProjectFields(_ *call, in *project.Draft) []field {
	return []field{projectName(&in.Name), text("description", &in.Description, 0, loci.MaxDescription)}
}

// toShare follows the message about a new project.
const toShare = " Only your user and their assistants see it. To share it, they add people in the dashboard, or run " +
	"`loci project add PROJECT USER`."

func projectName(into *string) field { return text("name", into, 1, loci.MaxName).must() }

// createProject also switches to the new project, if there is a connection.
func (s *Server) createProject(ctx context.Context, c *call, in *project.Draft) (any, error) {
	made, err := s.app.Project.Create(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	message := "Created. It is now the active project."
	if c.connection == (project.ConnectionKey{}) {
		message = "Created. Your client has no connection to remember it, so pass project with each call."
	} else if _, err := s.app.Project.Switch(ctx, c.principal, c.connection, made.Name); err != nil {
		message = "Created, but it is not the active project: " + s.safe(ctx, "create_project", err)
	}
	return shapeOfProject(c, made, strings.TrimSpace(message+toShare+" "+made.Hint)), nil
}

// projectFields accept the name as project, as the tools for graphs do.
func projectFields(_ *call, in *string) []field { return []field{projectName(in).or("project")} }

func (s *Server) switchProject(ctx context.Context, c *call, name *string) (any, error) {
	p, err := s.app.Project.Switch(ctx, c.principal, c.connection, *name)
	return shapeOr(c, p, "This is now the active project.", err)
}

// getCurrentProject returns a message if no project is active, not an error: no model should retry.
func (s *Server) getCurrentProject(ctx context.Context, c *call, _ *struct{}) (any, error) {
	p, err := s.app.Project.Current(ctx, c.principal, c.connection)
	if loci.CodeOf(err) == loci.NotFound && c.usualProject != "" {
		p, err = s.app.Project.Find(ctx, c.principal, c.usualProject)
		switch {
		case loci.CodeOf(err) == loci.NotFound:
			err = loci.Errorf(loci.NotFound, "No active project: %s, although this server is configured to use it. "+
				"Create it with create_project.", notThere(err))
		case err == nil && p.Status != loci.ProjectActive:
			err = loci.Errorf(loci.NotFound,
				"No active project: %s, which this server is configured to use, is archived.", loci.OneLine(p.Name))
		}
	}
	if loci.CodeOf(err) == loci.NotFound {
		return struct {
			Message string `json:"message"`
		}{loci.SafeText(err)}, nil
	}
	return shapeOr(c, p, "", err)
}

// notThere returns the error of FindProject about a name, without its suggestions.
func notThere(err error) string {
	text, _, _ := strings.Cut(loci.SafeText(err), "; did you mean")
	return text
}

func (s *Server) named(ctx context.Context, c *call, act gate.Action, name string) (loci.Project, error) {
	return s.app.Project.Choose(ctx, c.principal, act, project.Choice{Name: name})
}

func (s *Server) archiveProject(ctx context.Context, c *call, name *string) (any, error) {
	p, err := s.named(ctx, c, project.Archive, *name)
	if err == nil {
		p, err = s.app.Project.Archive(ctx, c.principal, p.ID)
	}
	return shapeOr(c, p, "Archived. To reopen it, use restore_project.", err)
}

func (s *Server) restoreProject(ctx context.Context, c *call, name *string) (any, error) {
	p, err := s.named(ctx, c, project.Restore, *name)
	if err == nil {
		p, err = s.app.Project.Restore(ctx, c.principal, p.ID)
	}
	return shapeOr(c, p, "", err)
}

func (s *Server) deleteProject(ctx context.Context, c *call, name *string) (any, error) {
	p, err := s.named(ctx, c, project.Delete, *name)
	if err == nil {
		err = s.app.Project.Delete(ctx, c.principal, p.ID)
	}
	return struct {
		ID      loci.ProjectID `json:"id"`
		Name    string         `json:"name"`
		Message string         `json:"message"`
	}{p.ID, p.Name, fmt.Sprintf("Deleted project %q permanently.", p.Name)}, err
}
