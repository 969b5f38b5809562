package auth

import (
	"context"
	"crypto/subtle"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/loci-memory/loci"
)

// Dashboard lets a dashboard that runs elsewhere act for the people who signed
// in to it: it sends its service key as bearer, and a token that it signed in
// X-Dashboard-Token. It is off until both are configured.
type Dashboard struct {
	ServiceKey loci.Secret
	JWTSecret  loci.Secret // HS256, at least 32 bytes
}

// The claims that a dashboard's token must carry besides "email" and "exp".
const (
	dashboardIssuer   = "loci-dashboard"
	dashboardAudience = "loci"
)

// clockSkew is how far the dashboard's clock may be from ours.
const clockSkew = 30 * time.Second

func (d *Dashboard) validate() error {
	if (d.ServiceKey == "") != (d.JWTSecret == "") {
		return loci.Errorf(loci.Invalid, "the dashboard needs both LOCI_DASHBOARD_SERVICE_KEY and LOCI_DASHBOARD_JWT_SECRET, or neither")
	}
	if d.JWTSecret != "" && len(d.JWTSecret) < 32 {
		return loci.Errorf(loci.Invalid, "LOCI_DASHBOARD_JWT_SECRET must have at least 32 bytes")
	}
	return nil
}

func (d *Dashboard) is(hash [32]byte) bool {
	if d.ServiceKey == "" {
		return false
	}
	want := Hash(d.ServiceKey)
	return subtle.ConstantTimeCompare(hash[:], want[:]) == 1
}

type dashboardClaims struct {
	Email    string           `json:"email"`
	AuthTime *jwt.NumericDate `json:"auth_time"` // when the dashboard last saw a proof; OpenID Connect's name
	jwt.RegisteredClaims
}

// dashboardUser returns the person whom the dashboard's token names. Somebody
// whom nobody knows yet is made a user: of the org that invited the address,
// or of an org of their own.
func (a *Authenticator) dashboardUser(ctx context.Context, token loci.Secret) (loci.Principal, error) {
	var claims dashboardClaims
	_, err := jwt.ParseWithClaims(token.Reveal(), &claims,
		func(*jwt.Token) (any, error) { return []byte(a.dashboard.JWTSecret.Reveal()), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithIssuer(dashboardIssuer), jwt.WithAudience(dashboardAudience),
		jwt.WithExpirationRequired(), jwt.WithTimeFunc(a.now), jwt.WithLeeway(clockSkew))
	if err != nil {
		return loci.Principal{}, loci.WrapError(loci.Unauthenticated, err, "the X-Dashboard-Token header is missing, expired or not signed by the dashboard")
	}
	who, err := a.FindOrCreate(ctx, claims.Email, true)
	if loci.CodeOf(err) == loci.Invalid {
		return loci.Principal{}, loci.Errorf(loci.Forbidden, "the dashboard's token names no e-mail address")
	}
	if err != nil {
		return loci.Principal{}, err
	}
	org, err := a.store.Orgs().Get(ctx, who.OrgID)
	if err != nil {
		return loci.Principal{}, err
	}
	p := loci.Principal{Kind: loci.KindUser, UserID: who.UserID, Origin: OriginDashboard, Method: loci.ByDashboard}
	if claims.AuthTime != nil {
		p.ProvedAt = claims.AuthTime.Time
		if now := a.now(); p.ProvedAt.After(now) && p.ProvedAt.Sub(now) <= clockSkew {
			p.ProvedAt = now // its clock is ahead of ours
		}
	}
	return a.member(ctx, org, p)
}
