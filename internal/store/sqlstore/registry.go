package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Registry has the tables that Loci reads before it knows the org: orgs, the directory of people,
// credentials, OAuth and projects. They are not limited to an org, so each of their statements
// has the marker {global} and names org_id itself. In PostgreSQL they are not distributed: the
// hash of a key and an e-mail address must be unique over all orgs.
type Registry struct {
	db  DB
	d   *Dialect
	now func() time.Time
	// hint learns of each change that the feed of its org must tell of; nil: nobody wants to know.
	hint func(context.Context, store.FeedHint)
}

// NewRegistry returns the registry in db.
func NewRegistry(db DB, d *Dialect, now func() time.Time) *Registry {
	return &Registry{db: db, d: d, now: now}
}

// OnHint calls fn after each change that the feed of its org must tell of. Set it before the first change.
func (r *Registry) OnHint(fn func(context.Context, store.FeedHint)) { r.hint = fn }

// hints passes hints on if the change succeeded.
func (r *Registry) hints(ctx context.Context, err error, list ...store.FeedHint) {
	for _, h := range list {
		if err == nil && r.hint != nil {
			r.hint(ctx, h)
		}
	}
}

// account is the hint about a key, a grant or a sign-in of a person.
func account(kind loci.FeedKind, org loci.OrgID, user loci.UserID, id [16]byte, change loci.Change) store.FeedHint {
	return store.FeedHint{Org: org, Kind: kind, ID: id, Change: change, Access: []loci.Access{own(user)}}
}

// credentialHints returns the hint about a credential, if it is a key or a sign-in. Others are in no list.
func credentialHints(c *loci.Credential, change loci.Change) []store.FeedHint {
	switch c.Method {
	case loci.ByKey, loci.ByEnvironment, loci.ByDisk, "":
		return []store.FeedHint{account(loci.FeedKey, c.OrgID, c.UserID, c.ID, change)}
	case loci.BySignIn:
		return []store.FeedHint{account(loci.FeedSignIn, c.OrgID, c.UserID, c.ID, change)}
	}
	return nil
}

// Credentials returns the store of keys, browser sign-ins and tokens.
func (r *Registry) Credentials() store.Credentials { return credentials{r} }

// OAuth returns the store of OAuth clients and grants.
func (r *Registry) OAuth() store.OAuth { return oauth{r} }

// Limits returns the counters of rate limits.
func (r *Registry) Limits() store.Limits { return limits{r} }

// Settings returns the store of changed settings.
func (r *Registry) Settings() store.Settings { return settings{r} }

// Connections returns the store of the active project of each MCP session.
func (r *Registry) Connections() store.Connections { return connections{r} }

// ArcBindings returns the store of the Arc instances of orgs.
func (r *Registry) ArcBindings() store.ArcBindings { return arcBindings{r} }

// Jobs returns the store of the last turns of jobs.
func (r *Registry) Jobs() store.Jobs { return jobs{r} }

// ProjectMembers returns the store of project members.
func (r *Registry) ProjectMembers() store.ProjectMembers { return projectMembers{r} }
