// Package auth turns credentials into principals. Only this package creates a loci.Principal.
// Package gate decides what a principal may do, and loci.Viewer what it may see.
//
// Every request tries the credentials in a fixed order: dashboard service key with a signed token,
// owner key, agent keys from the environment, then the credentials in the store: keys and OAuth
// tokens, or the cookie of a browser sign-in. Every path needs one look-up by the SHA-256 of the
// token and one of its person, so the cost doesn't grow with the number of credentials. Tokens have
// 256 random bits, so a fast hash is enough. Only passwords need a slow one.
package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memo"
	"github.com/loci-memory/loci/internal/store"
)

// CheckVendor rejects an invalid vendor name. It also rejects the origins of people and of the
// server, because an agent with such a name would appear to be one of them.
func CheckVendor(v loci.Vendor) error {
	if loci.IsPersonal(string(v)) || v == loci.ServerOrigin {
		return loci.Errorf(loci.Invalid,
			"the name %s is reserved for people and the server; use another vendor name", v)
	}
	return cmp.Or(loci.CheckNewName("vendor", v), v.Validate())
}

// Options configure an Authenticator. An empty key is disabled.
type Options struct {
	Store     store.Store // required
	OwnerKey  loci.Secret
	AgentKeys map[loci.Vendor]loci.Secret
	Dashboard Dashboard
	Site      Site             // if it is https, the plain sign-in cookie is never valid
	Now       func() time.Time // default: time.Now
	Log       *slog.Logger     // default: discard
}

// Authenticator finds the principal behind a request's credentials. It is safe for concurrent use.
type Authenticator struct {
	o        Options
	owner    [32]byte
	hasOwner bool
	agents   map[[32]byte]loci.Vendor
	https    bool
	projects *memo.Memo[projectsKey, int64, []loci.ProjectID] // as of Org.ProjectsVersion
	used     sync.Map                                         // when Used has written last

	orgs        *kept[loci.OrgID, loci.Org]
	credentials *kept[[32]byte, store.Found]
	members     *kept[memberKey, memberRows]
}

// New returns an Authenticator. It fails with Invalid if two keys are the same or the dashboard is
// only partly configured. It panics without a store.
func New(o Options) (*Authenticator, error) {
	if o.Store == nil {
		panic("auth: no store")
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &Authenticator{o: o, agents: map[[32]byte]loci.Vendor{},
		https:       strings.HasPrefix(o.Site.PublicURL, "https://"),
		projects:    memo.New[projectsKey, int64, []loci.ProjectID](maxProjects),
		orgs:        memo.New[loci.OrgID, store.Stamp, loci.Org](maxMemo),
		members:     memo.New[memberKey, store.Stamp, memberRows](maxMemo),
		credentials: memo.New[[32]byte, store.Stamp, store.Found](maxMemo)}
	if err := o.Dashboard.validate(); err != nil {
		return nil, err
	}
	if o.OwnerKey != "" {
		a.owner, a.hasOwner = Hash(o.OwnerKey), true
	}
	for vendor, key := range o.AgentKeys {
		if err := CheckVendor(vendor); err != nil {
			return nil, loci.Errorf(loci.Invalid, "cannot use the agent key of %q: %s", vendor, err)
		}
		h := Hash(key)
		if other, taken := a.agents[h]; taken || a.hasOwner && h == a.owner {
			return nil, loci.Errorf(loci.Invalid, "the agent key of %s is also the key of %s; use a different key for each",
				vendor, orOwner(other))
		}
		a.agents[h] = vendor
	}
	a.o.OwnerKey, a.o.AgentKeys = "", nil // their hashes are enough
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
	Bearer         loci.Secret // from Authorization: Bearer, or from x-api-key
	DashboardToken loci.Secret // from X-Dashboard-Token
	Session        loci.Secret // from the sign-in cookie; ignored if there is a Bearer
	plain          bool        // Session came in the cookie without TLS
}

// RequestOf returns the credentials in the headers of an HTTP request. It fails with Invalid if
// there are several of a kind, because proxies and servers disagree on which one counts.
func RequestOf(r *http.Request) (Request, error) {
	var values [3]string // of the headers below, which are spelled as package http stores them
	for i, name := range [...]string{"Authorization", "X-Api-Key", "X-Dashboard-Token"} {
		switch sent := r.Header[name]; len(sent) {
		case 0:
		case 1:
			values[i] = sent[0]
		default:
			return Request{}, loci.FieldErrorf(name, "appears twice in the request; send it once")
		}
	}
	authorization, key := values[0], strings.TrimSpace(values[1])
	if key != "" && authorization != "" {
		return Request{}, loci.FieldErrorf("X-Api-Key", "and Authorization are both in the request; send only one")
	}
	out := Request{Bearer: ParseBearer(authorization), DashboardToken: loci.Secret(values[2])}
	if key != "" {
		out.Bearer = loci.Secret(key)
	}
	if authorization == "" && key == "" {
		out.Session, out.plain = sessionOf(r)
	}
	return out, nil
}

// ParseBearer returns the token of an Authorization header, or "" if the header has another form.
func ParseBearer(header string) loci.Secret {
	scheme, token, ok := strings.Cut(header, " ")
	if !ok || !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return loci.Secret(strings.TrimSpace(token))
}

// maxToken is longer than any token that Loci creates or accepts.
const maxToken = 8192

// Authenticate returns the principal behind the request's credentials. It fails with the same
// Unauthenticated error for unknown, revoked and expired credentials. It fails with Forbidden if
// the org is suspended, or if the org uses workspaces and the person is in none.
func (a *Authenticator) Authenticate(ctx context.Context, r Request) (loci.Principal, error) {
	if r.Bearer == "" && r.Session != "" && !(r.plain && a.https) {
		return a.stored(ctx, r.Session, true)
	}
	if r.Bearer == "" {
		return loci.Principal{}, loci.Errorf(loci.Unauthenticated, "no credential: send Authorization: Bearer <key>")
	}
	if len(r.Bearer) > maxToken {
		return loci.Principal{}, errBadKey()
	}
	hash := Hash(r.Bearer)
	if a.o.Dashboard.is(hash) {
		return a.dashboardUser(ctx, r.DashboardToken)
	}
	if a.hasOwner && subtle.ConstantTimeCompare(hash[:], a.owner[:]) == 1 {
		return a.ownerOf(ctx, loci.DefaultOrg,
			loci.Principal{Kind: loci.KindUser, Origin: loci.OriginAPI, Method: loci.ByEnvironment})
	}
	if vendor, ok := a.agents[hash]; ok {
		p, err := a.ownerOf(ctx, loci.DefaultOrg,
			loci.Principal{Kind: loci.KindAgent, Vendor: vendor, Origin: string(vendor), Method: loci.ByEnvironment})
		if err == nil {
			a.Used(ctx, p)
		}
		return p, err
	}
	return a.stored(ctx, r.Bearer, false)
}

func errBadKey() error {
	return loci.Errorf(loci.Unauthenticated, "invalid API key: unknown, revoked or expired")
}

// errDisabled is the error about a disabled person. A credential does not reveal it.
var errDisabled = errors.New("the person is disabled")

// errBadSecret is errBadKey with the way out for what the secret claims to be. It does not depend on what is stored.
func errBadSecret(secret loci.Secret) error {
	if !strings.HasPrefix(secret.Reveal(), AccessPrefix) {
		return errBadKey()
	}
	return loci.Errorf(loci.Unauthenticated, "invalid access token: it is unknown or expired, or its connection has "+
		"ended; to connect again, sign in to Loci from the client")
}

// ownerOf completes a principal that is the owner of an org or acts for the owner.
func (a *Authenticator) ownerOf(ctx context.Context, id loci.OrgID, p loci.Principal) (loci.Principal, error) {
	org, err := a.org(ctx, id)
	if err != nil {
		return loci.Principal{}, err
	}
	p.UserID = org.OwnerID
	return a.member(ctx, org, p)
}

// member completes a principal with the present data of the person in the org. So when someone
// leaves a team or a project or loses a role, that takes effect at once.
func (a *Authenticator) member(ctx context.Context, org loci.Org, p loci.Principal) (loci.Principal, error) {
	if org.State == loci.OrgSuspended && p.Kind != loci.KindLocal {
		return loci.Principal{}, loci.Errorf(loci.Forbidden, "this org is suspended; ask the operator of the server")
	}
	p.OrgID, p.Deletion = org.ID, org.Deletion
	wanted := p.WorkspaceID
	p.WorkspaceID = loci.WorkspaceID{}
	rows, err := a.memberOf(ctx, &org, p.UserID)
	if err == nil {
		err = join(&p, &org, &rows, wanted)
	}
	if err == nil {
		p.ProjectIDs, err = a.projectsOf(ctx, &org, &p)
	}
	switch {
	case errors.Is(err, errDisabled):
		return loci.Principal{}, loci.WrapError(loci.Unauthenticated, err, "%s", errBadKey())
	case loci.CodeOf(err) == loci.NotFound: // the person, or the whole org, is gone
		return loci.Principal{}, errBadKey()
	case err != nil:
		return loci.Principal{}, err
	}
	return p, nil
}

// join adds to p what the org knows about the person. It rejects those who may not act at present.
func join(p *loci.Principal, org *loci.Org, rows *memberRows, wanted loci.WorkspaceID) (err error) {
	u := &rows.user
	if u.Disabled && p.Kind != loci.KindLocal {
		return errDisabled
	}
	p.OrgRole, p.TeamID, p.TeamRole = u.OrgRole, u.TeamID, u.TeamRole
	if p.Kind == loci.KindUser && u.Role == loci.RoleAdmin {
		p.Kind = loci.KindAdmin
	}
	if org.Workspaces {
		p.WorkspaceID, err = activeWorkspace(rows.workspaces, wanted)
	}
	return err
}

// activeWorkspace returns the workspace that the credential names, if the person is still a member
// of it. Otherwise it returns the person's first one.
func activeWorkspace(list []loci.Workspace, wanted loci.WorkspaceID) (loci.WorkspaceID, error) {
	for _, w := range list {
		if wanted.IsZero() || w.ID == wanted {
			return w.ID, nil
		}
	}
	return loci.WorkspaceID{},
		loci.Errorf(loci.Forbidden, "this org uses workspaces, and you are not a member of the one that this "+
			"credential is in; ask an admin of the org")
}

// stored looks up a secret among the credentials in the store. A sign-in is valid only as a cookie, and no other
// credential is valid as one. A foreign page can make a browser send cookies, but not headers that it can't read.
func (a *Authenticator) stored(ctx context.Context, secret loci.Secret, cookie bool) (loci.Principal, error) {
	if len(secret) > maxToken {
		return loci.Principal{}, errBadSecret(secret)
	}
	hash := Hash(secret)
	c, err := a.credential(ctx, hash)
	if loci.CodeOf(err) == loci.NotFound {
		return loci.Principal{}, errBadSecret(secret)
	}
	if err != nil {
		return loci.Principal{}, err
	}
	now := loci.CutTime(a.o.Now())
	if subtle.ConstantTimeCompare(c.Hash[:], hash[:]) != 1 || !c.Usable(now) ||
		!slices.Contains([]loci.Method{loci.ByKey, loci.ByOAuth, loci.BySignIn}, c.Method) ||
		cookie != (c.Method == loci.BySignIn) {
		return loci.Principal{}, errBadSecret(secret)
	}
	p, err := a.member(ctx, c.Org, principalFor(&c.Credential))
	if err == nil {
		a.touch(ctx, &c.Credential, now)
	}
	return p, err
}

func principalFor(c *loci.Credential) loci.Principal {
	p := loci.Principal{Kind: c.Kind, UserID: c.UserID, Vendor: c.Vendor, Origin: loci.OriginAPI, CredentialID: c.ID,
		GrantID: c.GrantID,
		Method:  c.Method, ProvedAt: c.ProvedAt, Rights: c.Rights, ProjectIDs: c.ProjectIDs,
		OnlyProjects: len(c.ProjectIDs) > 0,
		WorkspaceID:  c.WorkspaceID}
	switch {
	case c.Vendor != "":
		p.Origin = string(c.Vendor)
	case c.Method == loci.BySignIn:
		p.Origin = loci.OriginDashboard
	}
	return p
}

// touch records the use of a credential, at most once a minute. A failure is only logged, because a
// full disk must not lock people out of reading.
func (a *Authenticator) touch(ctx context.Context, c *loci.Credential, now time.Time) {
	if now.Sub(c.LastUsedAt) < time.Minute {
		return
	}
	if err := a.o.Store.Credentials().Touch(ctx, c.ID, now); err != nil {
		a.o.Log.WarnContext(ctx, "cannot record the use of a key", "credential", c.ID.String(), "error", err)
	}
}

// Local returns the operator at the data directory, acting as the owner of the default org. A
// vendor limits the operator to what that vendor sees, as over MCP.
func (a *Authenticator) Local(ctx context.Context, vendor loci.Vendor) (loci.Principal, error) {
	if vendor == "" {
		return a.LocalAs(ctx, loci.DefaultOrg, loci.UserID{})
	}
	if err := CheckVendor(vendor); err != nil {
		return loci.Principal{}, err
	}
	return a.ownerOf(ctx, loci.DefaultOrg,
		loci.Principal{Kind: loci.KindAgent, Vendor: vendor, Origin: string(vendor), Method: loci.ByDisk})
}

// LocalAs returns the operator at the data directory, acting for a person of an org and seeing what
// that person sees. The zero user means the org's owner; the operator is then in every project. It
// fails with NotFound if the org or user doesn't exist, and with Conflict if the person is disabled.
func (a *Authenticator) LocalAs(ctx context.Context, org loci.OrgID, user loci.UserID) (loci.Principal, error) {
	p, err := a.LocalReading(ctx, org, user)
	if err != nil {
		return loci.Principal{}, err
	}
	rows, err := a.memberOf(ctx, &loci.Org{ID: org}, p.UserID)
	if err == nil && rows.user.Disabled {
		name := cmp.Or(rows.user.Email, p.UserID.String())
		err = loci.Errorf(loci.Conflict, "%s is disabled; to enable them, run: loci user enable %s", name, name)
	}
	if err != nil {
		return loci.Principal{}, err
	}
	return p, nil
}

// LocalReading works like LocalAs, also for a disabled person: the operator still reads what they have.
func (a *Authenticator) LocalReading(ctx context.Context, org loci.OrgID, user loci.UserID) (loci.Principal, error) {
	o, err := a.o.Store.Orgs().Get(ctx, org)
	if err != nil {
		return loci.Principal{}, err
	}
	p := loci.Principal{Kind: loci.KindLocal, UserID: user, Origin: loci.OriginCLI, Method: loci.ByDisk}
	if user.IsZero() {
		p.UserID, p.AllProjects = o.OwnerID, true
	}
	p, err = a.member(ctx, o, p)
	if loci.CodeOf(err) == loci.Unauthenticated {
		err = loci.Errorf(loci.NotFound, "no such user in org %s", org)
	}
	return p, err
}

// AgentsExist reports whether any agent key is configured or stored. The first one turns on /mcp.
func (a *Authenticator) AgentsExist(ctx context.Context) (bool, error) {
	if len(a.agents) > 0 {
		return true, nil
	}
	return a.o.Store.Credentials().AnyAgent(ctx, loci.CutTime(a.o.Now()))
}

// Hash returns the stored form of a key.
func Hash(key loci.Secret) [32]byte { return sha256.Sum256([]byte(key.Reveal())) }

// ViewAsHeader is the HTTP header in which a person asks to see what a vendor sees.
const ViewAsHeader = "Loci-View-As"

// ViewAs returns p as an agent of the vendor that ViewAsHeader names, without a session: what it reads is what a
// credential of the person for this vendor reads. So it sees no more than p. Without the header, it returns p
// unchanged. reads says whether the request changes nothing.
//
// It fails with Invalid if the header appears twice, names no vendor, comes with a session, or the request is no read,
// and with Forbidden if p belongs to a vendor already, or has no right that agents have.
func ViewAs(r *http.Request, p loci.Principal, reads bool) (loci.Principal, error) {
	sent := r.Header.Values(ViewAsHeader)
	if len(sent) == 0 {
		return p, nil
	}
	vendor := loci.Vendor(strings.TrimSpace(sent[0]))
	switch {
	case len(sent) > 1:
		return p, loci.FieldErrorf(ViewAsHeader, "appears twice in the request; send it once")
	case !reads:
		return p, loci.FieldErrorf(ViewAsHeader, "works only for requests that change nothing; leave it out")
	case len(r.Header.Values(SessionHeader)) > 0:
		return p, loci.FieldErrorf(ViewAsHeader, "cannot be combined with %s", SessionHeader)
	case p.Vendor != "":
		return p, loci.Errorf(loci.Forbidden, "only people can view as a vendor; this credential belongs to %s", p.Vendor)
	}
	if err := CheckVendor(vendor); err != nil {
		return p, loci.WrapError(loci.Invalid, err, "%s: %s", ViewAsHeader, err)
	}
	rights := slices.DeleteFunc(loci.AgentRights(), func(right loci.Right) bool { return !p.Has(right) })
	if len(rights) == 0 { // which would stand for all rights of agents
		return p, loci.Errorf(loci.Forbidden,
			"this credential has no right that agents have, so it cannot view as %s", vendor)
	}
	p.Kind, p.Vendor, p.Origin, p.Rights, p.Views = loci.KindAgent, vendor, string(vendor), rights, true
	return p, nil
}

// OnBehalf returns the principal for the server's own work on a row: the person who owns it or, if its origin is a
// vendor, that vendor acting for the person. It has the present team, projects and workspaces of the person, and no
// right that an agent lacks. So it may do nothing that the writer of the row may not do.
//
// It fails with NotFound if the person or the workspace is gone, with Forbidden if the person is disabled, the org is
// suspended or the origin is none, and with Unauthenticated as Authenticate does.
func (a *Authenticator) OnBehalf(ctx context.Context, org loci.OrgID, row *loci.EventAccess) (loci.Principal, error) {
	p := loci.Principal{Kind: loci.KindUser, UserID: row.UserID, Origin: row.Origin, Method: loci.ByServer,
		Rights: loci.AgentRights(), WorkspaceID: row.WorkspaceID}
	if !loci.IsPersonal(row.Origin) {
		if err := CheckVendor(loci.Vendor(row.Origin)); err != nil {
			return loci.Principal{}, loci.WrapError(loci.Forbidden, err, "nobody can act for the origin %q", row.Origin)
		}
		p.Kind, p.Vendor = loci.KindAgent, loci.Vendor(row.Origin)
	}
	o, err := a.org(ctx, org)
	if err != nil {
		return loci.Principal{}, err
	}
	p, err = a.member(ctx, o, p)
	if err != nil {
		return loci.Principal{}, err
	}
	if p.Kind == loci.KindAdmin { // the work is the person's own
		p.Kind = loci.KindUser
	}
	if p.WorkspaceID != row.WorkspaceID {
		return loci.Principal{}, loci.Errorf(loci.NotFound, "the person is not in the workspace of the row any more")
	}
	return p, nil
}
