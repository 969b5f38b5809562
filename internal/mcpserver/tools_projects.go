package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// addGraphTools registers the sixteen tools of projects and their graphs.
func (s *Server) addGraphTools(srv *mcp.Server) {
	s.addProjectTools(srv)
	s.addProjectChanges(srv)
	s.addGraphWriting(srv)
	s.addGraphReading(srv)
	s.addGraphDeleting(srv)
}

func (s *Server) addProjectTools(srv *mcp.Server) {
	addCall(s, srv, &mcp.Tool{
		Name: "list_projects", Title: "List projects", Annotations: reads(),
		Description: "The projects there are, by name. Use it to find the one to work on; get_current_project says which is active.",
		InputSchema: input(property{name: "status", schema: `{"type":"string","enum":["active","archived","all"],"default":"active"}`}, cursor()), OutputSchema: lists("projects", `"id","name","status"`),
	}, s.listProjects)
	addCall(s, srv, &mcp.Tool{
		Name: "create_project", Title: "Create a project", Annotations: adds(false),
		Description: "Makes a project with an empty graph, makes it the active one, and returns it. Use it for a new body of work; not before list_projects.",
		InputSchema: input(projectName(), property{name: "description", schema: text(0, loci.MaxDescription)}), OutputSchema: json.RawMessage(projectSchema),
	}, s.createProject)
	addCall(s, srv, &mcp.Tool{
		Name: "switch_project", Title: "Switch project", Annotations: sets(),
		Description: "Makes a project the active one of this session, and returns it. Use it before graph tools; where it says that there is no session, pass project to each of them instead.",
		InputSchema: input(projectName()), OutputSchema: json.RawMessage(projectSchema),
	}, s.switchProject)
	addCall(s, srv, &mcp.Tool{
		Name: "get_current_project", Title: "Current project", Annotations: reads(),
		Description: "The active project, or a message that there is none. Use it when unsure where graph tools will write.",
		InputSchema: input(), OutputSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"},"message":{"type":"string"}}}`),
	}, s.getCurrentProject)
}

func (s *Server) addProjectChanges(srv *mcp.Server) {
	addCall(s, srv, &mcp.Tool{
		Name: "archive_project", Title: "Archive a project", Annotations: sets(),
		Description: "Closes a project, keeps its data, and returns it. Use it only when asked; restore_project opens it again.",
		InputSchema: input(projectName()), OutputSchema: json.RawMessage(projectSchema),
	}, s.archiveProject)
	addCall(s, srv, &mcp.Tool{
		Name: "delete_project", Title: "Delete a project", Annotations: removes(),
		Description: "Deletes a project and all its data for good. Use it only when the person asked for that and confirmed it; otherwise archive_project.",
		InputSchema: input(projectName()), OutputSchema: json.RawMessage(projectSchema),
	}, s.deleteProject)
	addCall(s, srv, &mcp.Tool{
		Name: "restore_project", Title: "Restore a project", Annotations: sets(),
		Description: "Opens an archived project again and returns it. Use it to go on with one; it does not switch to it.",
		InputSchema: input(projectName()), OutputSchema: json.RawMessage(projectSchema),
	}, s.restoreProject)
}

// choose returns the project that a call means.
func (s *Server) choose(ctx context.Context, c caller, act app.Action, name string) (loci.ProjectID, error) {
	p, err := s.app.ChooseProject(ctx, c.principal, act, app.ProjectChoice{Name: name, Session: c.session, Default: c.project})
	return p.ID, err
}

type listProjectsArgs struct {
	Status string `json:"status"`
	Cursor string `json:"cursor"`
}

type projectList struct {
	Projects   []projectShape `json:"projects"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

func (s *Server) listProjects(ctx context.Context, c caller, in listProjectsArgs) (any, error) {
	r := app.ProjectList{Limit: app.MaxPage, Cursor: in.Cursor}
	switch in.Status {
	case "":
		r.Status = loci.ProjectActive
	case "active", "archived":
		r.Status = loci.ProjectStatus(in.Status)
	case "all":
	default:
		return nil, loci.FieldErrorf("status", "must be active, archived or all")
	}
	page, err := s.app.Projects(ctx, c.principal, r)
	if err != nil {
		return nil, err
	}
	out := projectList{Projects: make([]projectShape, len(page.Projects)), NextCursor: page.NextCursor}
	for i, p := range page.Projects {
		out.Projects[i] = shapeOfProject(p, "")
	}
	return out, nil
}

type createProjectArgs struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// createProject also switches to the new project, where there is a session.
func (s *Server) createProject(ctx context.Context, c caller, in createProjectArgs) (any, error) {
	made, err := s.app.CreateProject(ctx, c.principal, app.ProjectDraft{Name: in.Name, Description: in.Description})
	if err != nil {
		return nil, err
	}
	message := "Created. It is the active project now."
	if c.session == (app.SessionKey{}) {
		message = "Created. This client has no session, so pass project with each call."
	} else if _, err := s.app.SwitchProject(ctx, c.principal, c.session, made.Name); err != nil {
		message = "Created, but not made the active project: " + s.safe(ctx, "create_project", err)
	}
	return shapeOfProject(made, message), nil
}

type projectArgs struct {
	Name string `json:"name"`
}

func (a projectArgs) check() error { return loci.CheckText("name", a.Name, 1, loci.MaxName) }

func (s *Server) switchProject(ctx context.Context, c caller, in projectArgs) (any, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	p, err := s.app.SwitchProject(ctx, c.principal, c.session, in.Name)
	if err != nil {
		return nil, err
	}
	return shapeOfProject(p, "This is the active project now."), nil
}

// getCurrentProject answers that there is none with a message, as seed S3 has
// it, not with an error.
func (s *Server) getCurrentProject(ctx context.Context, c caller, _ struct{}) (any, error) {
	p, err := s.app.CurrentProject(ctx, c.principal, c.session)
	if loci.CodeOf(err) == loci.NotFound && c.project != "" {
		p, err = s.app.FindProject(ctx, c.principal, c.project)
		switch {
		case loci.CodeOf(err) == loci.NotFound:
			err = loci.Errorf(loci.NotFound, "No active project: %s, and this server was told to work on it. create_project makes one.", notThere(err))
		case err == nil && p.Status != loci.ProjectActive:
			err = loci.Errorf(loci.NotFound, "No active project: %s, which this server was told to work on, is archived.", loci.OneLine(p.Name))
		}
	}
	if loci.CodeOf(err) == loci.NotFound {
		return struct {
			Message string `json:"message"`
		}{loci.SafeText(err)}, nil
	}
	if err != nil {
		return nil, err
	}
	return shapeOfProject(p, ""), nil
}

// notThere is what FindProject says of a name, without the names that are near.
func notThere(err error) string {
	text, _, _ := strings.Cut(loci.SafeText(err), "; did you mean")
	return text
}

// named returns the project of that name, for an action on it.
func (s *Server) named(ctx context.Context, c caller, act app.Action, in projectArgs) (loci.Project, error) {
	if err := in.check(); err != nil {
		return loci.Project{}, err
	}
	return s.app.ChooseProject(ctx, c.principal, act, app.ProjectChoice{Name: in.Name})
}

func (s *Server) archiveProject(ctx context.Context, c caller, in projectArgs) (any, error) {
	p, err := s.named(ctx, c, app.ProjectArchive, in)
	if err != nil {
		return nil, err
	}
	if p, err = s.app.ArchiveProject(ctx, c.principal, p.ID); err != nil {
		return nil, err
	}
	return shapeOfProject(p, "Archived. restore_project opens it again."), nil
}

func (s *Server) restoreProject(ctx context.Context, c caller, in projectArgs) (any, error) {
	p, err := s.named(ctx, c, app.ProjectRestore, in)
	if err != nil {
		return nil, err
	}
	if p, err = s.app.RestoreProject(ctx, c.principal, p.ID); err != nil {
		return nil, err
	}
	return shapeOfProject(p, ""), nil
}

func (s *Server) deleteProject(ctx context.Context, c caller, in projectArgs) (any, error) {
	p, err := s.named(ctx, c, app.ProjectDelete, in)
	if err != nil {
		return nil, err
	}
	if err := s.app.DeleteProject(ctx, c.principal, p.ID); err != nil {
		return nil, err
	}
	return struct {
		ID      loci.ProjectID `json:"id"`
		Name    string         `json:"name"`
		Message string         `json:"message"`
	}{p.ID, p.Name, fmt.Sprintf("Deleted project %q for good.", p.Name)}, nil
}
