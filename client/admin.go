package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/loci-memory/loci"
)

// AdminOrg is an org as admins of the deployment see it.
type AdminOrg struct {
	ID        loci.OrgID    `json:"id" example:"acme"`
	Name      string        `json:"name" example:"Acme"`
	State     loci.OrgState `json:"state" enum:"active,suspended"`
	CreatedAt time.Time     `json:"created_at"`
	Users     int           `json:"users" doc:"How many people it has" example:"4"`
}

// AdminOrgList is a page of the orgs of the deployment, by id.
type AdminOrgList struct {
	Orgs []AdminOrg `json:"orgs" nullable:"false"`
	More
}

// NewOrg is an org to create, with its first owner.
type NewOrg struct {
	ID         loci.OrgID `json:"id,omitzero" maxLength:"64" doc:"Never changes: a-z, 0-9 and -. Default: derived from the name" example:"acme"`
	Name       string     `json:"name" minLength:"1" maxLength:"100" example:"Acme"`
	OwnerEmail string     `json:"owner_email" minLength:"3" maxLength:"254" example:"mara@example.org"`
	OwnerName  string     `json:"owner_name,omitzero" maxLength:"100" example:"Mara"`
}

// MadeOrg is a new org and its first owner.
type MadeOrg struct {
	Org   AdminOrg  `json:"org"`
	Owner loci.User `json:"owner"`
}

// OrgState suspends an org, or lets it in again.
type OrgState struct {
	Suspended bool `json:"suspended" doc:"True: Loci rejects its requests and keeps its data"`
}

// OAuthClientList is the OAuth clients of the deployment, newest first.
type OAuthClientList struct {
	Clients []loci.OAuthClient `json:"clients" nullable:"false"`
	More
}

// OAuthClientEdit binds an OAuth client to a vendor.
type OAuthClientEdit struct {
	Vendor loci.Vendor `json:"vendor" maxLength:"50" doc:"People can consent only to this vendor. Empty: they choose" example:"claude"`
}

// Job is what became of the last turn of a job of the server.
type Job struct {
	Name    string    `json:"name" example:"trash.purge"`
	BegunAt time.Time `json:"begun_at"`
	EndedAt time.Time `json:"ended_at"`
	Rows    int       `json:"rows" doc:"How many it changed" example:"12"`
	Error   string    `json:"error,omitempty" doc:"Why it failed; absent if it did not"`
	NextAt  time.Time `json:"next_at,omitzero" doc:"Its next turn; absent if it waits for somebody"`
}

// JobList is the jobs of the server, by name.
type JobList struct {
	Jobs []Job `json:"jobs" nullable:"false"`
	More
}

// Backup is one complete backup.
type Backup struct {
	Name      string    `json:"name" example:"2026-11-20T160000Z"`
	CreatedAt time.Time `json:"created_at"`
	Files     int       `json:"files" example:"4"`
	Bytes     int64     `json:"bytes" example:"1048576"`
	Program   string    `json:"program" doc:"The version of Loci that created it" example:"0.1.0"`
}

// BackupList is the complete backups, newest first.
type BackupList struct {
	Backups []Backup `json:"backups" nullable:"false"`
	More
}

// Verified is the result of verifying a backup.
type Verified struct {
	Name     string   `json:"name" example:"2026-11-20T160000Z"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems" nullable:"false" doc:"One sentence each; empty if it is sound"`
}

// The calls below require the instance role admin. Those that change something also need a browser sign-in with a
// fresh proof.

// AdminUsers returns one page of all people on the server. If limit is 0, it is 100.
func (c *Client) AdminUsers(ctx context.Context, limit int, cursor string) (*UserList, error) {
	return get[UserList](ctx, c, query("/admin/users", paging(limit, cursor)))
}

// AdminMetrics returns counts for the whole server.
func (c *Client) AdminMetrics(ctx context.Context) (*Metrics, error) {
	return get[Metrics](ctx, c, "/admin/metrics")
}

// AdminOrgs returns one page of all orgs. If limit is 0, it is 100.
func (c *Client) AdminOrgs(ctx context.Context, limit int, cursor string) (*AdminOrgList, error) {
	return get[AdminOrgList](ctx, c, query("/admin/orgs", paging(limit, cursor)))
}

// CreateOrg creates an org with its first owner.
func (c *Client) CreateOrg(ctx context.Context, n NewOrg) (*MadeOrg, error) {
	return send[MadeOrg](ctx, c, "/admin/orgs", n)
}

// SuspendOrg suspends an org, or lets it in again.
func (c *Client) SuspendOrg(ctx context.Context, id loci.OrgID, suspended bool) (*AdminOrg, error) {
	return call[AdminOrg](ctx, c, http.MethodPatch, "/admin/orgs/"+url.PathEscape(string(id)), OrgState{suspended})
}

// OAuthClients returns the OAuth clients of the server, newest first.
func (c *Client) OAuthClients(ctx context.Context) (*OAuthClientList, error) {
	return get[OAuthClientList](ctx, c, "/admin/clients")
}

// SetClientVendor binds an OAuth client to a vendor; "" lets people choose.
func (c *Client) SetClientVendor(ctx context.Context, id string, v loci.Vendor) (*loci.OAuthClient, error) {
	return call[loci.OAuthClient](ctx, c, http.MethodPatch, clientPath(id), OAuthClientEdit{v})
}

// DeleteClient deletes an OAuth client and revokes all access that people granted to it.
func (c *Client) DeleteClient(ctx context.Context, id string) error {
	return c.do(ctx, http.MethodDelete, clientPath(id), nil, nil, nil)
}

func clientPath(id string) string { return query("/admin/clients", url.Values{"client_id": {id}}) }

// Jobs returns what the jobs of the server did last.
func (c *Client) Jobs(ctx context.Context) (*JobList, error) {
	return get[JobList](ctx, c, "/admin/jobs")
}

// Backups returns the backups of the server, newest first.
func (c *Client) Backups(ctx context.Context) (*BackupList, error) {
	return get[BackupList](ctx, c, "/admin/backups")
}

// CreateBackup makes a backup. It fails with Conflict while another one is made or verified.
func (c *Client) CreateBackup(ctx context.Context) (*Backup, error) {
	return call[Backup](ctx, c, http.MethodPost, "/admin/backups", nil)
}

// VerifyBackup reads a whole backup and reports what is wrong with it.
func (c *Client) VerifyBackup(ctx context.Context, name string) (*Verified, error) {
	return call[Verified](ctx, c, http.MethodPost, "/admin/backups/"+url.PathEscape(name)+"/verify", nil)
}

// SettingList is the settings of a deployment.
type SettingList struct {
	Settings []loci.Setting `json:"settings" nullable:"false"`
}

// SettingValue is a new value of a setting.
type SettingValue struct {
	Value string `json:"value" maxLength:"200" doc:"As the configuration would write it" example:"03:30"`
}

// Settings returns the settings of the deployment with their present values.
func (c *Client) Settings(ctx context.Context) ([]loci.Setting, error) {
	list, err := get[SettingList](ctx, c, "/settings")
	if err != nil {
		return nil, err
	}
	return list.Settings, nil
}

// SetSetting changes a setting and returns it. It requires the instance role admin and a fresh proof.
func (c *Client) SetSetting(ctx context.Context, key, value string) (*loci.Setting, error) {
	var out loci.Setting
	err := c.do(ctx, http.MethodPut, "/settings/"+url.PathEscape(key), nil, SettingValue{value}, &out)
	return &out, err
}

// ResetSetting brings the default of a setting back. It requires what SetSetting requires.
func (c *Client) ResetSetting(ctx context.Context, key string) (*loci.Setting, error) {
	var out loci.Setting
	err := c.do(ctx, http.MethodDelete, "/settings/"+url.PathEscape(key), nil, nil, &out)
	return &out, err
}
