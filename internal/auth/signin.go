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
	Open          bool         // whether everyone whom an OIDC provider knows gets their own org
	Egress        bool         // whether the server may call other servers; if not, OIDC is off
	Fetch         *http.Client // for OIDC; default: a client with a timeout of 10 s
}

// SignIn lets people prove in a browser who they are. It is safe for concurrent use.
type SignIn struct {
	o       SignInOptions
	hashing chan struct{} // limits the number of simultaneous argon2id runs
	// counting is held while a failure is counted; see attempt. Accounts that share a lock only wait for each other.
	counting [64]sync.Mutex
	sealers  sealers
	oidc     *oidcClients
}

// NewSignIn returns a SignIn. It fails with Invalid if a provider is only partly configured. It
// panics without an Authenticator or a store.
func NewSignIn(o SignInOptions) (*SignIn, error) {
	if o.Authenticator == nil || o.Store == nil {
		panic("auth: sign-in needs an authenticator and a store")
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &SignIn{o: o, hashing: make(chan struct{}, 2), sealers: sealers{known: map[int64]cipher.AEAD{}}}
	var err error
	s.oidc, err = newOIDCClients(o)
	return s, err
}

// From is the origin of a sign-in.
type From struct {
	Address   netip.Addr
	UserAgent string
}

// StepUp records that the person behind a browser sign-in has just proved again who they are, by CheckPassword,
// CheckPasskey, or FinishOIDC or UseLink for the same person. It fails with Forbidden unless p is a browser sign-in.
func (s *SignIn) StepUp(ctx context.Context, p loci.Principal) error {
	if p.Method != loci.BySignIn || p.CredentialID.IsZero() {
		return loci.Errorf(loci.Forbidden, "cannot step up without a browser sign-in; sign in with a browser")
	}
	now := loci.CutTime(s.o.Now())
	if err := record(ctx, s.o.Store, p, SessionProved, now); err != nil {
		return err
	}
	return s.o.Store.Credentials().Prove(ctx, p.CredentialID, now)
}
