package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/loci-memory/loci"
)

// NewProject is loci.NewProject.
type NewProject = loci.NewProject

// ProjectEdit is loci.ProjectEdit.
type ProjectEdit = loci.ProjectEdit

// ProjectStatuses selects the projects in a list.
type ProjectStatuses string

// The values of ProjectStatuses.
const (
	ActiveProjects   ProjectStatuses = "active" // the default
	ArchivedProjects ProjectStatuses = "archived"
	AllProjects      ProjectStatuses = "all"
)

// ProjectList is a list of projects, by name.
type ProjectList struct {
	Projects []loci.Project `json:"projects" nullable:"false"`
	More
}

// ProjectMemberList is the members of a project, by id.
type ProjectMemberList struct {
	Members []loci.ProjectMember `json:"members" nullable:"false"`
	More
}

// CreateProject creates a project with an empty graph. The person becomes its owner. It fails with
// Conflict if the org already has a project with that name.
func (c *Client) CreateProject(ctx context.Context, p NewProject) (*loci.Project, error) {
	return send[loci.Project](ctx, c, "/projects", p)
}

// Projects returns one page of the person's projects, by name. An empty status means active. If
// limit is 0, it is 50. cursor is "" or the NextCursor of the previous page.
func (c *Client) Projects(ctx context.Context, status ProjectStatuses, limit int, cursor string) (*ProjectList, error) {
	v := paging(limit, cursor)
	if status != "" {
		v.Set("status", string(status))
	}
	return get[ProjectList](ctx, c, query("/projects", v))
}

// Project returns a project, even an archived one.
func (c *Client) Project(ctx context.Context, id loci.ProjectID) (*loci.Project, error) {
	return get[loci.Project](ctx, c, project(id, ""))
}

// EditProject changes a project that the person manages.
func (c *Client) EditProject(ctx context.Context, id loci.ProjectID, e ProjectEdit) (*loci.Project, error) {
	return call[loci.Project](ctx, c, http.MethodPatch, project(id, ""), e)
}

// ArchiveProject archives a project. It fails with Conflict if the project is already archived.
func (c *Client) ArchiveProject(ctx context.Context, id loci.ProjectID) (*loci.Project, error) {
	return call[loci.Project](ctx, c, http.MethodPost, project(id, "/archive"), nil)
}

// RestoreProject restores an archived project. It fails with Conflict if the project is not archived.
func (c *Client) RestoreProject(ctx context.Context, id loci.ProjectID) (*loci.Project, error) {
	return call[loci.Project](ctx, c, http.MethodPost, project(id, "/restore"), nil)
}

// DeleteProject permanently deletes a project with its graph. Its memories move to their owners' trash.
func (c *Client) DeleteProject(ctx context.Context, id loci.ProjectID) error {
	return c.do(ctx, http.MethodDelete, project(id, ""), nil, nil, nil)
}

// ProjectMembers returns the members of a project.
func (c *Client) ProjectMembers(ctx context.Context, id loci.ProjectID) (*ProjectMemberList, error) {
	return get[ProjectMemberList](ctx, c, project(id, "/members"))
}

// PutProjectMember adds a user of the org as a member, or changes a member's role.
func (c *Client) PutProjectMember(ctx context.Context, id loci.ProjectID, user loci.UserID,
	role loci.MemberRole) error {
	return c.do(ctx, http.MethodPut, project(id, "/members/"+user.String()), nil, RoleChange{role}, nil)
}

// RemoveProjectMember removes a member. It can safely be repeated.
func (c *Client) RemoveProjectMember(ctx context.Context, id loci.ProjectID, user loci.UserID) error {
	return c.do(ctx, http.MethodDelete, project(id, "/members/"+user.String()), nil, nil, nil)
}

func project(id loci.ProjectID, rest string) string {
	return "/projects/" + url.PathEscape(id.String()) + rest
}
