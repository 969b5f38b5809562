// Package auth turns credentials into principals. It is the only maker of
// loci.Principal. What a principal may do is decided in package app, what it
// may see by loci.Viewer.
//
// Paths are tried in a fixed order on every request: dashboard service key
// with a signed token, owner key, agent keys of the environment, keys in the
// store. The cost does not grow with the number of keys: every path is one
// look-up by the SHA-256 of the token. Keys carry 256 random bits, so a fast
// hash is right; a slow one is for passwords.
package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// The origins of people's writes. An agent's origin is its vendor.
const (
	OriginAPI       = "api"
	OriginCLI       = "cli"
	OriginDashboard = "dashboard"
)

// checkVendor refuses what is no vendor's name, and the origins of people's
// writes: an agent of such a name would write as if it were a person.
func checkVendor(v loci.Vendor) error {
	switch string(v) {
	case OriginAPI, OriginCLI, OriginDashboard:
		return loci.Errorf(loci.Invalid, "%s is the origin of what a person writes; a vendor needs another name", v)
	}
	return v.Validate()
}

// Options configure an Authenticator. Keys that are empty are switched off.
type Options struct {
	Store     store.Store // required
	OwnerKey  loci.Secret
	AgentKeys map[loci.Vendor]loci.Secret
	Dashboard Dashboard
	Now       func() time.Time // default: time.Now
	Log       *slog.Logger     // default: discard
}

// Authenticator finds the principal behind a request's credentials. It is safe
// for concurrent use.
type Authenticator struct {
	store     store.Store
	owner     [32]byte
	hasOwner  bool
	agents    map[[32]byte]loci.Vendor
	dashboard Dashboard
	now       func() time.Time
	log       *slog.Logger
}

// New returns an Authenticator. Invalid if two keys are the same or the
// dashboard is configured by half; it panics without a store.
func New(o Options) (*Authenticator, error) {
	if o.Store == nil {
		panic("auth: no store")
	}
	a := &Authenticator{store: o.Store, agents: map[[32]byte]loci.Vendor{}, dashboard: o.Dashboard, now: o.Now, log: o.Log}
	if a.now == nil {
		a.now = time.Now
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	if err := o.Dashboard.validate(); err != nil {
		return nil, err
	}
	if o.OwnerKey != "" {
		a.owner, a.hasOwner = Hash(o.OwnerKey), true
	}
	for vendor, key := range o.AgentKeys {
		if err := checkVendor(vendor); err != nil {
			return nil, loci.Errorf(loci.Invalid, "the agent key of %q is not usable: %s", vendor, err)
		}
		h := Hash(key)
		if other, taken := a.agents[h]; taken || a.hasOwner && h == a.owner {
			return nil, loci.Errorf(loci.Invalid, "the agent key of %s is also the key of %s; every credential needs its own", vendor, orOwner(other))
		}
		a.agents[h] = vendor
	}
	return a, nil
}

func orOwner(v loci.Vendor) string {
	if v == "" {
		return "the owner"
	}
	return string(v)
}

// Request carries the credentials of one request.
type Request struct {
	Bearer         loci.Secret // of Authorization: Bearer
	DashboardToken loci.Secret // of X-Dashboard-Token
}

// RequestOf returns the credentials in the headers of an HTTP request. Invalid
// if there are several of a kind: proxies and servers disagree on which counts.
func RequestOf(r *http.Request) (Request, error) {
	for _, name := range []string{"Authorization", "X-Dashboard-Token"} {
		if len(r.Header.Values(name)) > 1 {
			return Request{}, loci.FieldErrorf(name, "stands twice in the request; send it once")
		}
	}
	return Request{Bearer: ParseBearer(r.Header.Get("Authorization")), DashboardToken: loci.Secret(r.Header.Get("X-Dashboard-Token"))}, nil
}

// ParseBearer returns the token of an Authorization header, or "" if the
// header is of another form.
func ParseBearer(header string) loci.Secret {
	scheme, token, ok := strings.Cut(header, " ")
	if !ok || !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return loci.Secret(strings.TrimSpace(token))
}

// maxToken is longer than any token that we make or accept.
const maxToken = 8192

// Authenticate returns the principal behind the request's credentials, or
// Unauthenticated. It gives the same answer for unknown, revoked and expired.
func (a *Authenticator) Authenticate(ctx context.Context, r Request) (loci.Principal, error) {
	if r.Bearer == "" {
		return loci.Principal{}, loci.Errorf(loci.Unauthenticated, "no credential: send Authorization: Bearer <key>")
	}
	if len(r.Bearer) > maxToken {
		return loci.Principal{}, errBadKey()
	}
	hash := Hash(r.Bearer)
	if a.dashboard.is(hash) {
		return a.dashboardUser(ctx, r.DashboardToken)
	}
	if a.hasOwner && subtle.ConstantTimeCompare(hash[:], a.owner[:]) == 1 {
		return a.ownerOf(ctx, loci.DefaultOrg, loci.KindUser, "", OriginAPI)
	}
	if vendor, ok := a.agents[hash]; ok {
		return a.ownerOf(ctx, loci.DefaultOrg, loci.KindAgent, vendor, string(vendor))
	}
	return a.storedKey(ctx, hash)
}

func errBadKey() error {
	return loci.Errorf(loci.Unauthenticated, "invalid API key: unknown, revoked or expired")
}

// ownerOf returns a principal that is, or acts for, the owner of an org.
func (a *Authenticator) ownerOf(ctx context.Context, id loci.OrgID, kind loci.Kind, vendor loci.Vendor, origin string) (loci.Principal, error) {
	org, err := a.store.Orgs().Get(ctx, id)
	if err != nil {
		return loci.Principal{}, err
	}
	return loci.Principal{Kind: kind, OrgID: id, UserID: org.OwnerID, Vendor: vendor, Origin: origin}, nil
}

func (a *Authenticator) storedKey(ctx context.Context, hash [32]byte) (loci.Principal, error) {
	c, err := a.store.Credentials().ByHash(ctx, hash)
	if loci.CodeOf(err) == loci.NotFound {
		return loci.Principal{}, errBadKey()
	}
	if err != nil {
		return loci.Principal{}, err
	}
	now := loci.CutTime(a.now())
	if subtle.ConstantTimeCompare(c.Hash[:], hash[:]) != 1 || !c.Usable(now) {
		return loci.Principal{}, errBadKey()
	}
	a.touch(ctx, &c, now)
	p := loci.Principal{Kind: c.Kind, OrgID: c.OrgID, UserID: c.UserID, Vendor: c.Vendor, Origin: OriginAPI,
		CredentialID: c.ID, Rights: c.Rights}
	if c.Vendor != "" {
		p.Origin = string(c.Vendor)
	}
	return p, nil
}

// touch records the use of a key, at most once a minute. A full disk must not
// lock people out of reading, so a failure is only logged.
func (a *Authenticator) touch(ctx context.Context, c *loci.Credential, now time.Time) {
	if now.Sub(c.LastUsedAt) < time.Minute {
		return
	}
	if err := a.store.Credentials().Touch(ctx, c.ID, now); err != nil {
		a.log.WarnContext(ctx, "recording the use of a key failed", "credential", c.ID.String(), "error", err)
	}
}

// Local returns the operator at the data directory, acting as the owner of the
// default org. A vendor limits it to what that vendor sees, as over MCP.
func (a *Authenticator) Local(ctx context.Context, vendor loci.Vendor) (loci.Principal, error) {
	if vendor == "" {
		return a.ownerOf(ctx, loci.DefaultOrg, loci.KindLocal, "", OriginCLI)
	}
	if err := checkVendor(vendor); err != nil {
		return loci.Principal{}, err
	}
	return a.ownerOf(ctx, loci.DefaultOrg, loci.KindAgent, vendor, string(vendor))
}

// AgentsExist reports whether any agent key is configured or stored. /mcp is
// switched on by the first one.
func (a *Authenticator) AgentsExist(ctx context.Context) (bool, error) {
	if len(a.agents) > 0 {
		return true, nil
	}
	return a.store.Credentials().AnyAgent(ctx, loci.CutTime(a.now()))
}

// Hash returns what is kept of a key.
func Hash(key loci.Secret) [32]byte { return sha256.Sum256([]byte(key.Reveal())) }
