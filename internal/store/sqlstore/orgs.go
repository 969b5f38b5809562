package sqlstore

import (
	"context"
	"encoding/json"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Orgs is the part of store.Orgs that creates and removes no files.
type Orgs struct{ *Registry }

// Orgs returns the store of orgs.
func (r *Registry) Orgs() Orgs { return Orgs{r} }

// OpenStates are the states in which an org exists. An operator can also open a suspended org.
const OpenStates = "('active', 'suspended')"

// Get returns an org, or NotFound if it is still being created or is being deleted.
func (o Orgs) Get(ctx context.Context, id loci.OrgID) (loci.Org, error) { return o.Exists(ctx, id) }

// List returns the orgs, by id.
func (o Orgs) List(ctx context.Context) ([]loci.Org, error) {
	return every(ctx, o.Registry, "SELECT "+orgColumns+" FROM orgs o WHERE {global o} o.state IN "+OpenStates+
		" ORDER BY o.id", nil, func(r Row) (loci.Org, error) { return scanOrg(r, 0), nil })
}

// Update reads the row in the transaction that writes it, so that two concurrent changes of
// different fields both survive.
func (o Orgs) Update(ctx context.Context, id loci.OrgID, change func(*loci.Org) error) (org loci.Org, err error) {
	err = o.db.Update(ctx, func(c Conn) error {
		found, err := c.One("SELECT "+orgColumns+" FROM orgs o WHERE {global o} o.id = ? AND o.state IN "+OpenStates,
			Args{string(id)},
			func(row Row) error { org = scanOrg(row, 0); return nil })
		if err = orMissing(found, err, NoOrg); err != nil {
			return err
		}
		was := org
		if err := change(&org); err != nil {
			return err
		}
		if org.State != loci.OrgActive && org.State != loci.OrgSuspended {
			return loci.FieldErrorf("state", "must be one of: active, suspended")
		}
		if org.OwnerID != was.OwnerID {
			if err := belongs(c, id, org.OwnerID); err != nil {
				return err
			}
		}
		return c.Exec("UPDATE orgs SET name = ?, owner_id = ?, state = ?, deletion = ?, workspaces = ?, asset_bytes = ?, "+
			"asset_total = ?, asset_types = ?, events = ?, events_retention = ?, legal_hold = ? WHERE {global orgs} id = ?",
			org.Name, [16]byte(org.OwnerID), string(org.State), string(org.Deletion), org.Workspaces,
			org.Assets.MaxBytes, org.Assets.TotalBytes, ToJSON(org.Assets.MediaTypes), string(org.Events),
			retentionText(&org), org.Hold, string(id))
	})
	if err != nil {
		return loci.Org{}, err
	}
	o.hints(ctx, nil, store.FeedHint{Org: id, Kind: loci.FeedOrg, Change: loci.Updated})
	return org, nil
}

// belongs rejects an owner who does not exist or is about to be removed: a user who is being
// removed is marked as not settled.
func belongs(c Conn, org loci.OrgID, user loci.UserID) error {
	found, err := c.One("SELECT 1 FROM people WHERE {global people} user_id = ? AND org_id = ? AND settled = TRUE",
		Args{[16]byte(user), string(org)},
		func(Row) error { return nil })
	return orCode(found, err, loci.Invalid, "owner must be a user of the org")
}

// orgColumns are the columns that scanOrg reads, starting at column i.
const orgColumns = "o.id, o.name, o.owner_id, o.state, o.deletion, o.workspaces, o.created_at, o.projects_version, " +
	"o.asset_bytes, o.asset_total, o.asset_types, o.events, o.events_retention, o.legal_hold"

func scanOrg(r Row, i int) loci.Org {
	org := loci.Org{ID: loci.OrgID(r.Text(i)), Name: r.Text(i + 1), OwnerID: r.ID(i + 2),
		State:    loci.OrgState(r.Text(i + 3)),
		Deletion: loci.Deletion(r.Text(i + 4)), Workspaces: r.Bool(i + 5), CreatedAt: TimeAt(r, i+6),
		ProjectsVersion: r.Int64(i + 7),
		Assets: loci.AssetRules{MaxBytes: r.Int64(i + 8), TotalBytes: r.Int64(i + 9),
			MediaTypes: typesOf(r.Text(i + 10))}, Events: loci.EventStore(r.Text(i + 11)),
		Hold: r.Bool(i + 13)}
	org.Retention, org.RetentionFrom = retentionOf(r.Text(i + 12))
	return org
}

// retention is how an org's rules for events are stored.
type retention struct {
	loci.EventRetention
	From time.Time `json:"from,omitzero"`
}

func retentionText(org *loci.Org) string {
	text, err := json.Marshal(retention{org.Retention, org.RetentionFrom})
	if err != nil {
		panic(err) // numbers and texts only
	}
	return string(text)
}

// retentionOf decodes what Update stored.
func retentionOf(text string) (loci.EventRetention, time.Time) {
	var r retention
	_ = json.Unmarshal([]byte(text), &r) // a CHECK makes sure that it is an object
	return r.EventRetention, r.From
}

// typesOf decodes what Update stored. An empty text means all types.
func typesOf(text string) (types []string) {
	if text == "[]" {
		return nil
	}
	_ = json.Unmarshal([]byte(text), &types) // a CHECK makes sure that it is a list
	return types
}

// LookUp returns the registry's row, whatever its state, or NotFound.
func (r *Registry) LookUp(ctx context.Context, id loci.OrgID) (org loci.Org, state string, err error) {
	found, err := r.first(ctx, "SELECT "+orgColumns+" FROM orgs o WHERE {global o} o.id = ?", Args{string(id)},
		func(row Row) error { org = scanOrg(row, 0); return nil })
	return org, string(org.State), orMissing(found, err, NoOrg)
}

// Exists returns an org, or NotFound if it is still being created or is being deleted.
func (r *Registry) Exists(ctx context.Context, id loci.OrgID) (loci.Org, error) {
	org, _, err := r.LookUp(ctx, id)
	if err == nil && org.State != loci.OrgActive && org.State != loci.OrgSuspended {
		err = NoOrg()
	}
	if err != nil {
		return loci.Org{}, err
	}
	return org, nil
}

// NoOrg returns the NotFound for a missing org.
func NoOrg() error { return loci.Errorf(loci.NotFound, "no such org") }
