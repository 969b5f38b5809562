package app

import (
	"context"
	"errors"

	"github.com/loci-memory/loci"
)

var errSoon = errors.New("not written yet")

type OrgSettings struct {
	Deletion   *loci.Deletion
	Workspaces *bool
}

func (a *App) Org(ctx context.Context, p loci.Principal) (loci.Org, error) {
	return loci.Org{}, errSoon
}
func (a *App) RenameOrg(ctx context.Context, p loci.Principal, name string) (loci.Org, error) {
	return loci.Org{}, errSoon
}
func (a *App) SetOrg(ctx context.Context, p loci.Principal, s OrgSettings) (loci.Org, error) {
	return loci.Org{}, errSoon
}
func (a *App) DeleteOrg(ctx context.Context, p loci.Principal, confirm string) (Receipt, error) {
	return Receipt{}, errSoon
}
func (a *App) Workspaces(ctx context.Context, p loci.Principal) ([]loci.Workspace, error) {
	return nil, errSoon
}
func (a *App) CreateWorkspace(ctx context.Context, p loci.Principal, name string) (loci.Workspace, error) {
	return loci.Workspace{}, errSoon
}
func (a *App) RenameWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, name string) (loci.Workspace, error) {
	return loci.Workspace{}, errSoon
}
func (a *App) DeleteWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID) error {
	return errSoon
}
func (a *App) WorkspaceMembers(ctx context.Context, p loci.Principal, id loci.WorkspaceID) ([]loci.User, error) {
	return nil, errSoon
}
func (a *App) JoinWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, user loci.UserID) error {
	return errSoon
}
func (a *App) LeaveWorkspace(ctx context.Context, p loci.Principal, id loci.WorkspaceID, user loci.UserID) error {
	return errSoon
}

type NewOrg struct {
	ID         loci.OrgID
	Name       string
	OwnerEmail string
	OwnerName  string
}
type NewUser struct {
	Email, Name string
	Role        loci.MemberRole
}

func (a *App) CreateOrg(ctx context.Context, p loci.Principal, o NewOrg) (loci.Org, loci.User, error) {
	return loci.Org{}, loci.User{}, errSoon
}
func (a *App) Orgs(ctx context.Context, p loci.Principal) ([]loci.Org, error) { return nil, errSoon }
func (a *App) ShowOrg(ctx context.Context, p loci.Principal, id loci.OrgID) (loci.Org, error) {
	return loci.Org{}, errSoon
}
func (a *App) SuspendOrg(ctx context.Context, p loci.Principal, id loci.OrgID, suspended bool) (loci.Org, error) {
	return loci.Org{}, errSoon
}
func (a *App) ExportOrg(ctx context.Context, p loci.Principal, dir string) error { return errSoon }
func (a *App) AddUser(ctx context.Context, p loci.Principal, n NewUser) (loci.User, error) {
	return loci.User{}, errSoon
}
func (a *App) SetUserRole(ctx context.Context, p loci.Principal, user loci.UserID, role loci.Role) (loci.User, error) {
	return loci.User{}, errSoon
}
func (a *App) ResetUser(ctx context.Context, p loci.Principal, user loci.UserID) error {
	return errSoon
}
func (a *App) DeleteUser(ctx context.Context, p loci.Principal, user loci.UserID) error {
	return errSoon
}
func (a *App) NewLink(ctx context.Context, p loci.Principal, user loci.UserID) (loci.Secret, error) {
	return "", errSoon
}
func (a *App) AuditTrail(ctx context.Context, p loci.Principal, q AuditQuery) ([]AuditRow, error) {
	return nil, errSoon
}
func (a *App) OAuthClients(ctx context.Context, p loci.Principal) ([]loci.OAuthClient, error) {
	return nil, errSoon
}
func (a *App) SetClientVendor(ctx context.Context, p loci.Principal, id string, v loci.Vendor) error {
	return errSoon
}
func (a *App) DeleteClient(ctx context.Context, p loci.Principal, id string) error { return errSoon }

type AdminUsersQuery struct {
	After string
	Limit int
}
type Metrics struct {
	Orgs     int `json:"orgs"`
	Users    int `json:"users"`
	Teams    int `json:"teams"`
	Keys     int `json:"keys"`
	Sessions int `json:"sessions"`
	Grants   int `json:"grants"`
}

func (a *App) AdminUsers(ctx context.Context, p loci.Principal, q AdminUsersQuery) (users []loci.User, next string, err error) {
	return nil, "", errSoon
}
func (a *App) AdminMetrics(ctx context.Context, p loci.Principal) (Metrics, error) {
	return Metrics{}, errSoon
}
