package sqlstore

import (
	"time"

	"github.com/loci-memory/loci/internal/store"
)

// Registry has the tables that Loci reads before it knows the org: orgs, the directory of people, credentials, OAuth
// and projects. They are not confined to an org, so each of their statements says {global} and names org_id itself. In
// PostgreSQL they are not distributed: a key by its hash, and an e-mail address, must be unique over all orgs.
type Registry struct {
	db  DB
	d   *Dialect
	now func() time.Time
}

// NewRegistry returns the registry in db.
func NewRegistry(db DB, d *Dialect, now func() time.Time) *Registry { return &Registry{db, d, now} }

// Credentials keeps keys, browser sessions and tokens.
func (r *Registry) Credentials() store.Credentials { return credentials{r} }

// OAuth keeps OAuth clients and what people granted them.
func (r *Registry) OAuth() store.OAuth { return oauth{r} }

// Limits counts what is limited.
func (r *Registry) Limits() store.Limits { return limits{r} }

// Connections remembers on which projects MCP sessions work.
func (r *Registry) Connections() store.Connections { return connections{r} }

// ProjectMembers says who belongs to which project.
func (r *Registry) ProjectMembers() store.ProjectMembers { return projectMembers{r} }
