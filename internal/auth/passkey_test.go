package auth_test

import (
	"encoding/base64"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/authtest"
	"github.com/loci-memory/loci/internal/store"
)

// register gives the owner of w a passkey.
func register(t *testing.T, a *authtest.Authenticator, w *world, s *auth.SignIn, p loci.Principal) loci.Passkey {
	t.Helper()
	options, state, err := s.BeginRegister(t.Context(), p, authtest.Site)
	if err != nil {
		t.Fatal(err)
	}
	k, err := s.FinishRegister(t.Context(), p, state, a.Create(options), "laptop")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Update(t.Context(), p.OrgID, func(tx store.Tx) error {
		return tx.SignIn().PutPasskey(t.Context(), p.UserID, k)
	}); err != nil {
		t.Fatal(err)
	}
	return k
}

func passkeyWorld(t *testing.T) (*world, *auth.SignIn, loci.Principal) {
	w := newWorld(t)
	return w, w.signIn(t, auth.SignInOptions{}),
		loci.Principal{Kind: loci.KindUser, OrgID: w.org.ID, UserID: w.org.OwnerID, Method: loci.BySignIn}
}

func TestPasskeySignIn(t *testing.T) {
	t.Parallel()
	w, s, me := passkeyWorld(t)
	a := authtest.New(t)
	k := register(t, a, w, s, me)
	if k.Name != "laptop" || string(k.ID) != string(a.ID) || string(a.Handle) != string(me.UserID[:]) {
		t.Fatalf("got %+v, handle %x", k, a.Handle)
	}
	enter := func(change func(a *authtest.Authenticator)) (loci.Person, error) {
		t.Helper()
		options, state, err := s.BeginPasskey(t.Context(), authtest.Site)
		if err != nil {
			t.Fatal(err)
		}
		other := *a
		change(&other)
		response := other.Get(options)
		a.Counter = max(a.Counter, other.Counter)
		return s.FinishPasskey(t.Context(), state, response, from("192.0.2.1"))
	}
	w.now = w.now.Add(time.Hour)
	if who, err := enter(func(*authtest.Authenticator) {}); err != nil || who.UserID != me.UserID ||
		who.OrgID != me.OrgID {
		t.Fatalf("got %+v, %v", who, err)
	}
	var keys []loci.Passkey
	if err := w.store.View(t.Context(), me.OrgID, func(tx store.Tx) (err error) {
		keys, err = tx.SignIn().Passkeys(t.Context(), me.UserID)
		return err
	}); err != nil || len(keys) != 1 || !keys[0].LastUsedAt.Equal(w.now) {
		t.Errorf("got %+v, %v", keys, err)
	}
	stranger, last := authtest.New(t), a.Counter
	for name, change := range map[string]func(a *authtest.Authenticator){
		"another site":       func(a *authtest.Authenticator) { a.Site.Origin = "https://loci.example.evil.example" },
		"another port":       func(a *authtest.Authenticator) { a.Site.Origin = "https://loci.example:8443" },
		"another key":        func(a *authtest.Authenticator) { a.Key = stranger.Key },
		"unknown passkey":    func(a *authtest.Authenticator) { a.ID = stranger.ID },
		"unknown person":     func(a *authtest.Authenticator) { a.Handle = make([]byte, 16) },
		"another handle":     func(a *authtest.Authenticator) { a.Handle = []byte("mara") },
		"no handle":          func(a *authtest.Authenticator) { a.Handle = nil },
		"nobody present":     func(a *authtest.Authenticator) { a.Flags = 0 },
		"not checked by it":  func(a *authtest.Authenticator) { a.Flags = authtest.Present },
		"copied, old count":  func(a *authtest.Authenticator) { a.Counter = 0 },
		"copied, same count": func(a *authtest.Authenticator) { a.Counter = last - 1 },
	} {
		if who, err := enter(change); loci.CodeOf(err) != loci.Unauthenticated || who != (loci.Person{}) {
			t.Errorf("%s: got %+v, %v", name, who, err)
		}
	}
	if _, err := enter(func(*authtest.Authenticator) {}); err != nil {
		t.Errorf("after all of that: %v", err)
	}
}

func TestPasskeyStateIsUsedOnce(t *testing.T) {
	t.Parallel()
	w, s, me := passkeyWorld(t)
	a := authtest.New(t)
	register(t, a, w, s, me)
	options, state, err := s.BeginPasskey(t.Context(), authtest.Site)
	if err != nil {
		t.Fatal(err)
	}
	response := a.Get(options)
	if _, err := s.FinishPasskey(t.Context(), state, response, from("192.0.2.1")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.FinishPasskey(t.Context(), state, response, from("192.0.2.1")); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("replayed: %v", err)
	}
	options, state, err = s.BeginPasskey(t.Context(), authtest.Site)
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(5 * time.Minute)
	if _, err := s.FinishPasskey(t.Context(), state, a.Get(options), from("192.0.2.1")); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("late: %v", err)
	}
	if _, err := s.FinishPasskey(t.Context(), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", a.Get(options),
		from("192.0.2.1")); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("made up: %v", err)
	}
}

// keyOf returns which key sealed a state.
func keyOf(t *testing.T, state loci.Secret) [8]byte {
	t.Helper()
	box, err := base64.RawURLEncoding.DecodeString(state.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	return [8]byte(box)
}

// TestPasskeyStateOutlivesItsKey ends a ceremony in another process, which seals with the key of the next hour.
func TestPasskeyStateOutlivesItsKey(t *testing.T) {
	t.Parallel()
	w, s, me := passkeyWorld(t)
	a := authtest.New(t)
	register(t, a, w, s, me)
	w.now = w.now.Truncate(time.Hour).Add(time.Hour - time.Minute)
	options, state, err := s.BeginPasskey(t.Context(), authtest.Site)
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(2 * time.Minute)
	other := w.signIn(t, auth.SignInOptions{})
	_, next, err := other.BeginPasskey(t.Context(), authtest.Site)
	if err != nil || keyOf(t, next) == keyOf(t, state) {
		t.Errorf("the next hour has the same key, %v", err)
	}
	if _, err := other.FinishPasskey(t.Context(), state, a.Get(options), from("192.0.2.1")); err != nil {
		t.Errorf("in another process: %v", err)
	}
	if _, err := s.FinishPasskey(t.Context(), state, a.Get(options), from("192.0.2.1")); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("replayed in the first one: %v", err)
	}
}

func TestPasskeyStepUp(t *testing.T) {
	t.Parallel()
	w, s, me := passkeyWorld(t)
	a := authtest.New(t)
	if _, _, err := s.BeginPasskeyStepUp(t.Context(), me, authtest.Site); loci.CodeOf(err) != loci.Unavailable {
		t.Errorf("without a passkey: %v", err)
	}
	register(t, a, w, s, me)
	begin := func() ([]byte, loci.Secret) {
		t.Helper()
		options, state, err := s.BeginPasskeyStepUp(t.Context(), me, authtest.Site)
		if err != nil {
			t.Fatal(err)
		}
		if o := a.Parse(options); o.PublicKey.UV != "required" {
			t.Errorf("user verification is %q", o.PublicKey.UV)
		}
		return options, state
	}
	options, state := begin()
	if err := s.CheckPasskey(t.Context(), me, state, a.Get(options), from("192.0.2.1")); err != nil {
		t.Fatal(err)
	}
	options, state = begin()
	a.Flags = authtest.Present
	if err := s.CheckPasskey(t.Context(), me, state, a.Get(options), from("192.0.2.1")); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("without the authenticator's own check: %v", err)
	}
	a.Flags = authtest.Present | authtest.Verified
	options, state, err := s.BeginPasskey(t.Context(), authtest.Site)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckPasskey(t.Context(), me, state, a.Get(options), from("192.0.2.1")); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("a sign-in as step-up: %v", err)
	}
	other := w.newOrg(t, "other", "tom@example.org")
	them := loci.Principal{Kind: loci.KindUser, OrgID: other.ID, UserID: other.OwnerID, Method: loci.BySignIn}
	options, state = begin()
	if err := s.CheckPasskey(t.Context(), them, state, a.Get(options), from("192.0.2.1")); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("the step-up of somebody else: %v", err)
	}
	options, state, err = s.BeginRegister(t.Context(), me, authtest.Site)
	if err != nil {
		t.Fatal(err)
	}
	unchecked := authtest.New(t)
	unchecked.Flags = authtest.Present
	if _, err := s.FinishRegister(t.Context(), me, state, unchecked.Create(options), "x"); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("a passkey that nobody could sign in with: %v", err)
	}
	options, state, err = s.BeginRegister(t.Context(), me, authtest.Site)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.FinishRegister(t.Context(), them, state, authtest.New(t).Create(options), "x"); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("the registration of somebody else: %v", err)
	}
}
