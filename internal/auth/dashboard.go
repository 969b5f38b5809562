package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/loci-memory/loci"
)

// Dashboard lets a dashboard on another server act for the people who signed in to it. The dashboard sends its
// service key as bearer and a token that it signed in X-Dashboard-Token. It is disabled until both are configured.
type Dashboard struct {
	ServiceKey loci.Secret
	JWTSecret  loci.Secret // HS256, at least 32 bytes
	Open       bool        // give unknown addresses an account without an invitation
}

// The claims that a dashboard's token must have in addition to "email", "email_verified" and "exp".
const (
	dashboardIssuer   = "loci-dashboard"
	dashboardAudience = "loci"
)

// MaxDashboardToken is the maximum time until a dashboard's token expires.
const MaxDashboardToken = 24 * time.Hour

// clockSkew is the maximum difference between the dashboard's clock and ours.
const clockSkew = 30 * time.Second

func (d *Dashboard) validate() error {
	if (d.ServiceKey == "") != (d.JWTSecret == "") {
		return loci.Errorf(loci.Invalid,
			"the dashboard needs both LOCI_DASHBOARD_SERVICE_KEY and LOCI_DASHBOARD_JWT_SECRET, or neither")
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

// dashboardClaims checks a dashboard's token and returns its claims. It reads them as untyped JSON,
// so that it can reject a time that is not a number.
func (a *Authenticator) dashboardClaims(token loci.Secret) (jwt.MapClaims, error) {
	claims := jwt.MapClaims{}
	key := func(t *jwt.Token) (any, error) {
		if _, there := t.Header["crit"]; there { // RFC 7515, 4.1.11: Loci supports no extension
			return nil, errors.New("the token has a crit header")
		}
		return []byte(a.o.Dashboard.JWTSecret.Reveal()), nil
	}
	_, err := jwt.ParseWithClaims(token.Reveal(), claims, key, jwt.WithValidMethods([]string{"HS256"}),
		jwt.WithIssuer(dashboardIssuer), jwt.WithAudience(dashboardAudience), jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(),
		jwt.WithTimeFunc(a.o.Now), jwt.WithLeeway(clockSkew))
	if err != nil {
		return nil, err
	}
	if exp, err := claims.GetExpirationTime(); err != nil || exp.Sub(a.o.Now()) > MaxDashboardToken+clockSkew {
		return nil, fmt.Errorf("the token expires more than %v from now", MaxDashboardToken)
	}
	return claims, nil
}

// proofOf returns when the dashboard last saw a proof, from OpenID Connect's claim; zero means never.
func (a *Authenticator) proofOf(claims jwt.MapClaims) (time.Time, error) {
	value, there := claims["auth_time"]
	if !there {
		return time.Time{}, nil
	}
	seconds, ok := value.(float64)
	if !ok {
		return time.Time{}, errors.New("auth_time is not a number")
	}
	at, now := time.Unix(int64(seconds), 0), a.o.Now()
	if at.After(now) && at.Sub(now) <= clockSkew {
		at = now // the dashboard's clock is ahead of ours
	}
	return at, nil
}

// dashboardUser returns the person whom the dashboard's token names. A new address with an invitation joins that org.
// A new address without one gets its own org if Dashboard.Open is set, and Forbidden otherwise.
func (a *Authenticator) dashboardUser(ctx context.Context, token loci.Secret) (loci.Principal, error) {
	claims, err := a.dashboardClaims(token)
	var proof time.Time
	if err == nil {
		proof, err = a.proofOf(claims)
	}
	if err != nil {
		return loci.Principal{},
			loci.WrapError(loci.Unauthenticated, err,
				"the X-Dashboard-Token header is missing, expired or not signed by the dashboard")
	}
	if verified, _ := claims["email_verified"].(bool); !verified {
		return loci.Principal{},
			loci.Errorf(loci.Forbidden, "the e-mail address in the dashboard's token is not verified: "+
				"email_verified must be true")
	}
	email, _ := claims["email"].(string)
	who, err := a.FindOrCreate(ctx, email, a.o.Dashboard.Open)
	if loci.CodeOf(err) == loci.Invalid {
		return loci.Principal{}, loci.Errorf(loci.Forbidden, "the dashboard's token has no e-mail address")
	}
	if err != nil {
		return loci.Principal{}, err
	}
	org, err := a.o.Store.Orgs().Get(ctx, who.OrgID)
	if err != nil {
		return loci.Principal{}, err
	}
	return a.member(ctx, org,
		loci.Principal{Kind: loci.KindUser, UserID: who.UserID, Origin: loci.OriginDashboard, Method: loci.ByDashboard,
			ProvedAt: proof})
}
