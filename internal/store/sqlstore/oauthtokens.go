package sqlstore

import (
	"context"
	"time"

	"github.com/loci-memory/loci"
)

var codeByHash = "SELECT " + grantColumns +
	", k.used_at, k.expires_at, k.client_id, k.redirect_uri, k.challenge, k.resource " +
	"FROM oauth_codes k JOIN oauth_grants g ON {global g} g.id = k.grant_id WHERE {global k} k.hash = ?"

var refreshByHash = "SELECT " + grantColumns + ", k.used_at, k.expires_at " +
	"FROM oauth_refresh_tokens k JOIN oauth_grants g ON {global g} g.id = k.grant_id WHERE {global k} k.hash = ?"

func (o oauth) Code(ctx context.Context, hash [32]byte) (code loci.AuthCode, g loci.Grant, err error) {
	found, err := o.first(ctx, codeByHash, Args{hash[:]}, func(r Row) (err error) {
		i := len(grantNames)
		code = loci.AuthCode{Hash: hash, ExpiresAt: TimeAt(r, i+1), ClientID: r.Text(i + 2), RedirectURI: r.Text(i + 3),
			Challenge: r.Text(i + 4), Resource: r.Text(i + 5), UsedAt: TimeAt(r, i)}
		g, err = scanGrant(r)
		code.GrantID = g.ID
		return err
	})
	return code, g, orMissing(found, err, func() error { return noToken("authorization code") })
}

func (o oauth) Refreshable(ctx context.Context, hash [32]byte) (t loci.RefreshToken, g loci.Grant, err error) {
	found, err := o.first(ctx, refreshByHash, Args{hash[:]}, func(r Row) (err error) {
		g, err = scanGrant(r)
		i := len(grantNames)
		t = loci.RefreshToken{Hash: hash, GrantID: g.ID, ExpiresAt: TimeAt(r, i+1), UsedAt: TimeAt(r, i)}
		return err
	})
	return t, g, orMissing(found, err, func() error { return noToken("refresh token") })
}

func noToken(what string) error { return loci.Errorf(loci.NotFound, "no such %s", what) }

func (o oauth) Redeem(ctx context.Context, hash [32]byte, now time.Time, access loci.Credential,
	refresh loci.RefreshToken) (loci.Grant, error) {
	x := exchange{"authorization code", codeByHash,
		"UPDATE oauth_codes SET used_at = coalesce(used_at, ?) WHERE {global oauth_codes} hash = ?"}
	return o.exchange(ctx, x, hash, now, access, refresh)
}

func (o oauth) Refresh(ctx context.Context, hash [32]byte, now time.Time, access loci.Credential,
	next loci.RefreshToken) (loci.Grant, error) {
	x := exchange{"refresh token", refreshByHash,
		"UPDATE oauth_refresh_tokens SET used_at = coalesce(used_at, ?) WHERE {global oauth_refresh_tokens} hash = ?"}
	return o.exchange(ctx, x, hash, now, access, next)
}

// exchange describes what codes and refresh tokens have in common: each can be exchanged for an
// access token and a refresh token, once and within loci.ReplayGrace again.
type exchange struct {
	what string
	find string // selects the grant, then the times when it was used and when it expires
	use  string
}

// exchange commits the revocation of a grant if its code or token is used too late. An error inside
// the transaction would roll the revocation back.
func (o oauth) exchange(ctx context.Context, x exchange, hash [32]byte, now time.Time, access loci.Credential,
	next loci.RefreshToken) (g loci.Grant, err error) {
	var refused error
	err = o.db.Update(ctx, func(c Conn) (err error) {
		refused = nil
		var until time.Time // when it can be exchanged for the last time
		found, err := c.One(x.find, Args{hash[:]}, func(r Row) (err error) {
			i := len(grantNames)
			until = TimeAt(r, i+1)
			if !r.Null(i) {
				until = TimeAt(r, i).Add(loci.ReplayGrace)
			}
			g, err = scanGrant(r)
			return err
		})
		switch {
		case err != nil:
			return err
		case !found:
			return noToken(x.what)
		case !until.After(now) || !g.Usable(now):
			refused = loci.Errorf(loci.Conflict, "the %s has been used or has expired", x.what)
			return revokeGrant(c, g.ID, now)
		}
		if err := c.Exec(x.use, now.UnixMicro(), hash[:]); err != nil {
			return err
		}
		return o.issue(c, &g, now, access, next)
	})
	if refused != nil {
		o.hints(ctx, err, account(loci.FeedGrant, g.OrgID, g.UserID, g.ID, loci.Updated))
	}
	if err == nil {
		err = refused
	}
	if err != nil {
		return loci.Grant{}, err
	}
	return g, nil
}

// issue stores the tokens of a grant and extends the grant's life to theirs.
func (o oauth) issue(c Conn, g *loci.Grant, now time.Time, access loci.Credential, next loci.RefreshToken) error {
	if access.OrgID != g.OrgID || access.UserID != g.UserID || access.Vendor != g.Vendor || access.Method != loci.ByOAuth {
		return loci.Errorf(loci.Invalid, "the access token belongs to another grant")
	}
	access.GrantID = g.ID
	if err := o.insertCredential(c, access); err != nil {
		return err
	}
	err := c.Exec("INSERT INTO oauth_refresh_tokens ({global} hash, grant_id, expires_at) VALUES (?, ?, ?)", next.Hash[:],
		[16]byte(g.ID), next.ExpiresAt.UnixMicro())
	if err = o.d.orTaken(err, "that refresh token exists already"); err != nil {
		return err
	}
	if next.ExpiresAt.After(g.ExpiresAt) {
		g.ExpiresAt = loci.CutTime(next.ExpiresAt)
	}
	g.LastUsedAt = loci.CutTime(now)
	if err := c.Exec("UPDATE oauth_grants SET expires_at = ?, last_used_at = ? WHERE {global oauth_grants} id = ?",
		g.ExpiresAt.UnixMicro(), g.LastUsedAt.UnixMicro(), [16]byte(g.ID)); err != nil {
		return err
	}
	return c.Exec("UPDATE oauth_clients SET last_used_at = ? WHERE {global oauth_clients} id = ?",
		g.LastUsedAt.UnixMicro(), g.ClientID)
}
