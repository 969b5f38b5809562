package auth

import (
	"cmp"
	"context"
	"crypto/cipher"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// SignInOptions configure a SignIn.
type SignInOptions struct {
	Authenticator *Authenticator   // required
	Store         store.Store      // required
	Now           func() time.Time // default: time.Now
	Log           *slog.Logger     // default: discard
	Site          Site
	OIDC          []OIDCProvider
	Open          bool         // whether anybody whom an OIDC provider knows gets an org of their own
	Egress        bool         // whether the server may call others; without it OIDC is off
	Fetch         *http.Client // for OIDC; default: one that waits at most 10 s
}

// SignIn is how people prove in a browser who they are. It is safe for
// concurrent use.
type SignIn struct {
	people  *Authenticator
	store   store.Store
	now     func() time.Time
	log     *slog.Logger
	site    Site
	hashing chan struct{} // one place for each argon2id run at a time
	// counting is held while a failure is counted; see attempt. Accounts that
	// share one only wait for each other.
	counting [64]sync.Mutex
	sealer   cipher.AEAD
	oidc     *oidcClients
}

// NewSignIn returns a SignIn. Invalid if a provider is configured by half; it
// panics without an Authenticator or a store.
func NewSignIn(o SignInOptions) (*SignIn, error) {
	if o.Authenticator == nil || o.Store == nil {
		panic("auth: sign-in needs an authenticator and a store")
	}
	s := &SignIn{people: o.Authenticator, store: o.Store, now: o.Now, log: cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		site:    o.Site,
		hashing: make(chan struct{}, 2), sealer: newSealer()}
	if s.now == nil {
		s.now = time.Now
	}
	var err error
	s.oidc, err = newOIDCClients(o)
	return s, err
}

// From says where a sign-in comes from.
type From struct {
	Address   netip.Addr
	UserAgent string
}

// StepUp records that the person behind a browser session proved again who
// they are. The caller has just seen the proof: CheckPassword, CheckPasskey, or
// FinishOIDC or UseLink for the same person. Forbidden for anything but a
// browser session.
func (s *SignIn) StepUp(ctx context.Context, p loci.Principal) error {
	if p.Method != loci.BySignIn || p.CredentialID.IsZero() {
		return loci.Errorf(loci.Forbidden, "only a browser session can be proved again; sign in with a browser")
	}
	now := loci.CutTime(s.now())
	if err := record(ctx, s.store, p, SessionProved, now); err != nil {
		return err
	}
	return s.store.Credentials().Prove(ctx, p.CredentialID, now)
}
