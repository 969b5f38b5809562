package sqlstore

import (
	"context"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

type oauth struct{ *Registry }

const clientColumns = "id, name, redirect_uris, uri, vendor, created_at, last_used_at"

func scanClient(r Row) (c loci.OAuthClient, err error) {
	c = loci.OAuthClient{ID: r.Text(0), Name: r.Text(1), URI: r.Text(3), Vendor: loci.Vendor(r.Text(4)),
		CreatedAt: TimeAt(r, 5), LastUsedAt: TimeAt(r, 6)}
	c.RedirectURIs, err = fromJSON[string](r.Raw(2))
	return c, err
}

func noClient() error { return loci.Errorf(loci.NotFound, "no such OAuth client") }

func (o oauth) PutClient(ctx context.Context, c loci.OAuthClient) error {
	_, err := o.exec(ctx, "INSERT INTO oauth_clients ({global} "+clientColumns+
		`) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT ({global} id) DO UPDATE SET
		name = excluded.name, redirect_uris = excluded.redirect_uris, uri = excluded.uri,
		last_used_at = coalesce(excluded.last_used_at, oauth_clients.last_used_at)`,
		c.ID, c.Name, ToJSON(c.RedirectURIs), c.URI, string(c.Vendor), c.CreatedAt.UnixMicro(), micros(c.LastUsedAt))
	return err
}

func (o oauth) Client(ctx context.Context, id string) (c loci.OAuthClient, err error) {
	found, err := o.first(ctx, "SELECT "+clientColumns+" FROM oauth_clients WHERE {global oauth_clients} id = ?",
		Args{id}, func(r Row) (err error) { c, err = scanClient(r); return err })
	return c, orMissing(found, err, noClient)
}

func (o oauth) Clients(ctx context.Context, limit int) ([]loci.OAuthClient, error) {
	return every(ctx, o.Registry, "SELECT "+clientColumns+" FROM oauth_clients WHERE {global oauth_clients} TRUE "+
		"ORDER BY created_at DESC, id LIMIT ?", Args{limit}, scanClient)
}

func (o oauth) SetVendor(ctx context.Context, id string, v loci.Vendor) error {
	return o.db.Update(ctx, func(c Conn) error {
		return changeClient(c, "UPDATE oauth_clients SET vendor = ? WHERE {global oauth_clients} id = ?", string(v), id)
	})
}

func changeClient(c Conn, sql string, args ...any) error {
	err := c.Exec(sql, args...)
	return orMissing(c.Changes() > 0, err, noClient)
}

func (o oauth) DeleteClient(ctx context.Context, id string, at time.Time) error {
	var revoked []store.FeedHint
	err := o.db.Update(ctx, func(c Conn) error {
		revoked = nil
		if err := changeClient(c, "DELETE FROM oauth_clients WHERE {global oauth_clients} id = ?", id); err != nil {
			return err
		}
		err := c.Query("SELECT id, org_id, user_id FROM oauth_grants WHERE {global oauth_grants} client_id = ?", Args{id},
			func(r Row) error {
				revoked = append(revoked, account(loci.FeedGrant, loci.OrgID(r.Text(1)), r.ID(2), r.ID(0), loci.Updated))
				return nil
			})
		for _, g := range revoked {
			if err == nil {
				err = revokeGrant(c, g.ID, at)
			}
		}
		return err
	})
	o.hints(ctx, err, revoked...)
	return err
}

var grantNames = []string{"id", "org_id", "user_id", "client_id", "client_name", "vendor", "rights", "resource",
	"workspace_id",
	"created_at", "expires_at", "revoked_at", "last_used_at"}

// grantColumns are the first columns of what scanGrant reads.
var grantColumns = "g." + strings.Join(grantNames, ", g.")

func scanGrant(r Row) (g loci.Grant, err error) {
	g = loci.Grant{ID: r.ID(0), OrgID: loci.OrgID(r.Text(1)), UserID: r.ID(2), ClientID: r.Text(3),
		ClientName: r.Text(4),
		Vendor:     loci.Vendor(r.Text(5)), Resource: r.Text(7), WorkspaceID: r.ID(8),
		CreatedAt: TimeAt(r, 9), ExpiresAt: TimeAt(r, 10), RevokedAt: TimeAt(r, 11), LastUsedAt: TimeAt(r, 12)}
	if g.Rights, err = fromJSON[loci.Right](r.Raw(6)); len(g.Rights) == 0 {
		g.Rights = nil
	}
	return g, err
}

func noGrant() error { return loci.Errorf(loci.NotFound, "no such grant") }

func (o oauth) Allow(ctx context.Context, g loci.Grant, code loci.AuthCode) error {
	err := o.db.Update(ctx, func(c Conn) error {
		if known, err := c.One("SELECT 1 FROM oauth_clients WHERE {global oauth_clients} id = ?", Args{g.ClientID},
			func(Row) error { return nil }); err != nil || !known {
			if err == nil {
				err = noClient()
			}
			return err
		}
		err := c.Exec("INSERT INTO oauth_grants ({global} "+strings.Join(grantNames, ", ")+`)
			SELECT ?, id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM orgs WHERE {global orgs} id = ? AND state IN `+OpenStates,
			[16]byte(g.ID), [16]byte(g.UserID), g.ClientID, g.ClientName, string(g.Vendor), ToJSON(g.Rights), g.Resource,
			OrNull(g.WorkspaceID),
			g.CreatedAt.UnixMicro(), g.ExpiresAt.UnixMicro(), micros(g.RevokedAt), micros(g.LastUsedAt), string(g.OrgID))
		if err != nil {
			return err
		}
		if c.Changes() == 0 {
			return NoOrg()
		}
		return c.Exec("INSERT INTO oauth_codes ({global} hash, grant_id, client_id, redirect_uri, challenge, resource, "+
			"expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
			code.Hash[:], [16]byte(g.ID), code.ClientID, code.RedirectURI, code.Challenge, code.Resource,
			code.ExpiresAt.UnixMicro())
	})
	o.hints(ctx, err, account(loci.FeedGrant, g.OrgID, g.UserID, g.ID, loci.Created))
	return err
}

func (o oauth) Grants(ctx context.Context, org loci.OrgID, user loci.UserID) ([]loci.Grant, error) {
	var q Query
	q.Add("SELECT "+grantColumns+" FROM oauth_grants g WHERE {global g} g.org_id = ?", string(org))
	if !user.IsZero() {
		q.Add(" AND g.user_id = ?", [16]byte(user))
	}
	q.Add(" ORDER BY g.created_at DESC, g.{seq} DESC")
	return every(ctx, o.Registry, q.String(), q.Args, scanGrant)
}

func (o oauth) Revoke(ctx context.Context, org loci.OrgID, user loci.UserID, id loci.GrantID, at time.Time) error {
	var owner loci.UserID
	err := o.db.Update(ctx, func(c Conn) error {
		found, err := c.One("SELECT user_id FROM oauth_grants WHERE {global oauth_grants} id = ?1 AND org_id = ?2 AND "+
			"user_id = coalesce(?3, user_id)",
			Args{[16]byte(id), string(org), OrNull(user)}, func(r Row) error { owner = r.ID(0); return nil })
		if err = orMissing(found, err, noGrant); err != nil {
			return err
		}
		return revokeGrant(c, id, at)
	})
	o.hints(ctx, err, account(loci.FeedGrant, org, owner, id, loci.Updated))
	return err
}

// revokeGrant revokes a grant and its access tokens. Its code and refresh tokens stop working with it.
func revokeGrant(c Conn, id loci.GrantID, at time.Time) error {
	err := c.Exec("UPDATE oauth_grants SET revoked_at = coalesce(revoked_at, ?) WHERE {global oauth_grants} id = ?",
		at.UnixMicro(), [16]byte(id))
	if err != nil {
		return err
	}
	return c.Exec("UPDATE credentials SET revoked_at = coalesce(revoked_at, ?) WHERE {global credentials} grant_id = ?",
		at.UnixMicro(), [16]byte(id))
}

// Purge keeps a used refresh token until it would have expired. Only then can Loci detect that someone uses it again.
func (o oauth) Purge(ctx context.Context, then time.Time, limit int) (n int, err error) {
	before := CeilMicro(then)
	err = o.db.Update(ctx, func(c Conn) error {
		n = 0
		for _, sql := range []string{
			"DELETE FROM oauth_codes WHERE {global oauth_codes} hash IN (SELECT hash FROM oauth_codes WHERE {global " +
				"oauth_codes} expires_at < ? LIMIT ?)",
			`DELETE FROM oauth_refresh_tokens WHERE {global oauth_refresh_tokens} hash IN (SELECT t.hash
				FROM oauth_refresh_tokens t JOIN oauth_grants g ON {global g} g.id = t.grant_id
				WHERE {global t} {least}(t.expires_at, g.expires_at, coalesce(g.revoked_at, t.expires_at)) < ? LIMIT ?)`,
			`DELETE FROM oauth_clients WHERE {global oauth_clients} id IN (SELECT k.id FROM oauth_clients k
				WHERE {global k} k.vendor = '' AND {greatest}(k.created_at, coalesce(k.last_used_at, 0)) < ?
				AND NOT EXISTS (SELECT 1 FROM oauth_grants g WHERE {global g} g.client_id = k.id) LIMIT ?)`,
		} {
			if err := c.Exec(sql, before, limit-n); err != nil {
				return err
			}
			n += int(c.Changes())
		}
		return nil
	})
	return n, err
}
