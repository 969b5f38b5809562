package rest

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/deployment"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
)

// forAdmins begins the text of each route about the deployment.
const forAdmins = "For people with the instance role admin. "

var adminRoutes = table{"admin", []served{
	serve("GET /admin/users", route{ID: "adminUsers", Who: forPeople, Action: identity.AdminRead, Limit: watching,
		Summary: "List all people of the deployment",
		Text:    forAdmins + "Shows nothing about memories.",
		Out:     client.UserList{Users: []loci.User{exampleUserRow}}}, (*server).adminUsers),
	serve("GET /admin/metrics", route{ID: "adminMetrics", Who: forPeople, Action: identity.AdminRead,
		Limit:   watching,
		Summary: "Get counts of the deployment",
		Text:    forAdmins + "Shows nothing about memories.",
		Out:     client.Metrics{Orgs: 3, Users: 12, Teams: 2, Keys: 15, SignIns: 6, Grants: 9}}, (*server).adminMetrics),
	serve("GET /admin/orgs", route{ID: "adminListOrgs", Who: forPeople, Action: org.List, Limit: counting,
		Summary: "List all orgs of the deployment",
		Text:    forAdmins + "By id, with the number of their people.",
		Out:     client.AdminOrgList{Orgs: []client.AdminOrg{exampleAdminOrg}}}, (*server).adminOrgs),
	serve("POST /admin/orgs", route{ID: "adminCreateOrg", Who: forPeople, Action: org.Create, Limit: expensive,
		Status:  http.StatusCreated,
		Summary: "Create an org with its first owner",
		Text: forAdmins + "Needs step-up. The owner signs in by single sign-on, or with a link of the operator. 409 if " +
			"the id or the address is taken.",
		In:  client.NewOrg{Name: "Acme", OwnerEmail: "mara@example.org"},
		Out: client.MadeOrg{Org: exampleAdminOrg, Owner: exampleUserRow}}, (*server).adminCreateOrg),
	serve("PATCH /admin/orgs/{id}", route{ID: "adminEditOrg", Who: forPeople, Action: org.Suspend, Limit: expensive,
		Summary: "Suspend an org, or let it in again",
		Text: forAdmins + "Needs step-up. Loci rejects the requests of a suspended org and keeps its data. 409 for your " +
			"own org.",
		In: client.OrgState{Suspended: true}, Out: exampleAdminOrg}, (*server).adminEditOrg),
	serve("GET /admin/clients", route{ID: "adminListClients", Who: forPeople, Action: identity.ClientList,
		Summary: "List the OAuth clients of the deployment",
		Text:    forAdmins + "The newest 1,000. Their names are self-reported and unverified.",
		Out:     client.OAuthClientList{Clients: []loci.OAuthClient{exampleClient}}}, (*server).adminClients),
	serve("PATCH /admin/clients", route{ID: "adminEditClient", Who: forPeople, Action: identity.ClientSet,
		Missing: noClient, Limit: expensive,
		Summary: "Bind an OAuth client to a vendor",
		Text:    forAdmins + "Needs step-up. People can then consent only to this vendor. An empty one lets them choose.",
		In:      client.OAuthClientEdit{Vendor: "claude"}, Out: exampleClient}, (*server).adminEditClient),
	serve("DELETE /admin/clients", route{ID: "adminDeleteClient", Who: forPeople, Action: identity.ClientDrop,
		Missing: noClient, Limit: expensive,
		Summary: "Delete an OAuth client",
		Text:    forAdmins + "Needs step-up. Also revokes all access that people granted to it."},
		(*server).adminDeleteClient),
	serve("GET /admin/jobs", route{ID: "adminListJobs", Who: forPeople, Action: deployment.JobList,
		Summary: "List what the jobs of the server did last",
		Text:    forAdmins + "By name. A job that has not run yet is not in the list.",
		Out:     client.JobList{Jobs: []client.Job{exampleJob}}}, (*server).adminJobs),
	serve("GET /admin/backups", route{ID: "adminListBackups", Who: forPeople, Action: deployment.BackupList,
		Summary: "List the backups",
		Text:    forAdmins + "Newest first.",
		Out:     client.BackupList{Backups: []client.Backup{exampleBackup}}}, (*server).adminBackups),
	serve("POST /admin/backups", route{ID: "adminCreateBackup", Who: forPeople, Action: deployment.BackupCreate,
		Limit: heavy, Status: http.StatusCreated,
		Summary: "Create a backup",
		Text: forAdmins + "Needs step-up. Others keep working meanwhile. 409 while a backup is being made or verified. " +
			"To restore one, stop the server.",
		Out: exampleBackup}, (*server).adminCreateBackup),
	serve("POST /admin/backups/{name}/verify", route{ID: "adminVerifyBackup", Who: forPeople,
		Action: deployment.BackupVerify, Limit: heavy, Reads: true,
		Summary: "Verify a backup",
		Text: forAdmins + "Compares it with its manifest, and opens each file. 409 while a backup is being made or " +
			"verified.",
		Out: client.Verified{Name: exampleBackup.Name, OK: true, Problems: []string{}}}, (*server).adminVerifyBackup),
}}

const (
	noClient missing = "OAuth client"
	noBackup missing = "backup"
)

func (s *server) adminUsers(ctx context.Context, p loci.Principal,
	in *Page100) (*answer[client.UserList], error) {
	list, next, err := s.app.Identity.AdminUsers(ctx, p, identity.AdminUsersQuery{After: in.Cursor,
		Limit: cmp.Or(in.Limit, defaultMembers)})
	return say(client.UserList{Users: loci.OrEmpty(list), More: client.More{HasMore: next != "", NextCursor: next}}, err)
}

func (s *server) adminMetrics(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.Metrics], error) {
	m, err := s.app.Identity.AdminMetrics(ctx, p)
	return say(client.Metrics{Orgs: m.Orgs, Users: m.Users, Teams: m.Teams, Keys: m.Keys, SignIns: m.SignIns,
		Grants: m.Grants}, err)
}

type adminOrgsInput struct {
	Limit  int        `query:"limit" minimum:"1" maximum:"500" doc:"Default: 100"`
	Cursor loci.OrgID `query:"cursor" maxLength:"64" doc:"next_cursor of the page before"`
}

func (s *server) adminOrgs(ctx context.Context, p loci.Principal,
	in *adminOrgsInput) (*answer[client.AdminOrgList], error) {
	list, more, err := s.app.Org.Page(ctx, p, in.Cursor, cmp.Or(in.Limit, defaultMembers))
	out := client.AdminOrgList{Orgs: loci.Mapped(list, func(o org.Counted) client.AdminOrg {
		return adminOrg(o.Org, o.People)
	})}
	if more {
		out.HasMore, out.NextCursor = true, string(list[len(list)-1].ID)
	}
	return say(out, err)
}

func adminOrg(o loci.Org, users int) client.AdminOrg {
	return client.AdminOrg{ID: o.ID, Name: o.Name, State: o.State, CreatedAt: o.CreatedAt, Users: users}
}

func (s *server) adminCreateOrg(ctx context.Context, p loci.Principal,
	in *body[client.NewOrg]) (*answer[client.MadeOrg], error) {
	n := &in.Body
	o, owner, err := s.app.Org.Create(ctx, p, org.Draft{ID: n.ID, Name: n.Name, OwnerEmail: n.OwnerEmail,
		OwnerName: n.OwnerName})
	return say(client.MadeOrg{Org: adminOrg(o, 1), Owner: owner}, err)
}

type adminOrgInput struct {
	ID   loci.OrgID `path:"id" doc:"Of the org" example:"acme"`
	Body client.OrgState
}

func (s *server) adminEditOrg(ctx context.Context, p loci.Principal, in *adminOrgInput) (*answer[client.AdminOrg],
	error) {
	o, err := s.app.Org.Suspend(ctx, p, in.ID, in.Body.Suspended)
	return say(adminOrg(o.Org, o.People), err)
}

func (s *server) adminClients(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.OAuthClientList],
	error) {
	list, err := s.app.Identity.OAuthClients(ctx, p)
	return say(client.OAuthClientList{Clients: loci.OrEmpty(list)}, err)
}

// ClientQuery names an OAuth client, exported as WorkspacePath is. Ids that are URLs would not survive in a path: the
// mux cleans it.
type ClientQuery struct {
	ID string `query:"client_id" required:"true" minLength:"1" maxLength:"2048" doc:"Of the client" example:"6f1d2c1e8a52"`
}

type clientEditInput struct {
	ClientQuery
	Body client.OAuthClientEdit
}

func (s *server) adminEditClient(ctx context.Context, p loci.Principal,
	in *clientEditInput) (*answer[loci.OAuthClient], error) {
	return say(s.app.Identity.SetClientVendor(ctx, p, in.ID, in.Body.Vendor))
}

func (s *server) adminDeleteClient(ctx context.Context, p loci.Principal, in *ClientQuery) (*nothing, error) {
	return done(s.app.Identity.DeleteClient(ctx, p, in.ID))
}

func (s *server) adminJobs(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.JobList], error) {
	list, err := s.app.Deployment.Jobs(ctx, p)
	return say(client.JobList{Jobs: loci.Mapped(list, func(j deployment.Job) client.Job {
		return client.Job{Name: j.Name, BegunAt: j.BegunAt, EndedAt: j.EndedAt, Rows: j.Rows, Error: j.Error,
			NextAt: j.NextAt}
	})}, err)
}

func (s *server) adminBackups(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.BackupList], error) {
	list, err := s.app.Deployment.Backups(ctx, p)
	return say(client.BackupList{Backups: loci.Mapped(list, func(b deployment.Backup) client.Backup {
		return client.Backup(b)
	})}, err)
}

func (s *server) adminCreateBackup(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.Backup], error) {
	made, err := s.app.Deployment.CreateBackup(ctx, p)
	return say(client.Backup(made), err)
}

type backupPath struct {
	Name string `path:"name" maxLength:"100" doc:"Of the backup" example:"2026-11-20T160000Z"`
}

func (s *server) adminVerifyBackup(ctx context.Context, p loci.Principal,
	in *backupPath) (*answer[client.Verified], error) {
	problems, err := s.app.Deployment.VerifyBackup(ctx, p, in.Name)
	return say(client.Verified{Name: in.Name, OK: len(problems) == 0, Problems: loci.OrEmpty(problems)}, err)
}

var (
	exampleAdminOrg = client.AdminOrg{ID: "acme", Name: "Acme", State: loci.OrgActive, CreatedAt: exampleTime, Users: 4}
	exampleClient   = loci.OAuthClient{ID: "6f1d2c1e8a52", Name: "Claude",
		RedirectURIs: []string{"https://claude.ai/api/mcp/auth_callback"}, Vendor: "claude", CreatedAt: exampleTime}
	exampleJob = client.Job{Name: "trash.purge", BegunAt: exampleTime, EndedAt: exampleTime.Add(time.Second), Rows: 12,
		NextAt: exampleTime.Add(24 * time.Hour)}
	exampleBackup = client.Backup{Name: "2026-11-20T160000Z", CreatedAt: exampleTime, Files: 4, Bytes: 1 << 20,
		Program: "0.1.0"}
)
