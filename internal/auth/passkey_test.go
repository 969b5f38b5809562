package auth_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

var site = auth.RP{ID: "loci.example", Origin: "https://loci.example"}

// authenticator is a security key in software, with the browser around it.
type authenticator struct {
	t       testing.TB
	key     *ecdsa.PrivateKey
	id      []byte
	handle  []byte
	counter uint32
	origin  string
	flags   byte // user present 1, user verified 4
}

func newAuthenticator(t testing.TB) *authenticator {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authenticator{t: t, key: key, id: make([]byte, 32), origin: site.Origin, flags: 1 | 4, counter: 1}
	_, _ = rand.Read(a.id)
	return a
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (a *authenticator) marshal(v any) []byte {
	a.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

func (a *authenticator) authData(flags byte) []byte {
	rp := sha256.Sum256([]byte(site.ID))
	return binary.BigEndian.AppendUint32(append(rp[:], flags), a.counter)
}

// publicKey are the options that both ceremonies share.
type publicKey struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
		UV        string `json:"userVerification"`
		User      struct {
			ID string `json:"id"`
		} `json:"user"`
	} `json:"publicKey"`
}

func (a *authenticator) parse(options []byte) publicKey {
	a.t.Helper()
	var o publicKey
	if err := json.Unmarshal(options, &o); err != nil || o.PublicKey.Challenge == "" {
		a.t.Fatalf("options %s: %v", options, err)
	}
	return o
}

func (a *authenticator) create(options []byte) []byte {
	a.t.Helper()
	o := a.parse(options)
	a.handle, _ = base64.RawURLEncoding.DecodeString(o.PublicKey.User.ID)
	raw, err := a.key.PublicKey.Bytes()
	if err != nil {
		a.t.Fatal(err)
	}
	cose, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: raw[1:33], -3: raw[33:]})
	if err != nil {
		a.t.Fatal(err)
	}
	data := append(a.authData(a.flags|0x40), make([]byte, 16)...)
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(a.id))), a.id...)
	object, err := webauthncbor.Marshal(
		map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": append(data, cose...)})
	if err != nil {
		a.t.Fatal(err)
	}
	client := a.marshal(map[string]any{"type": "webauthn.create", "challenge": o.PublicKey.Challenge, "origin": a.origin})
	return a.marshal(map[string]any{"id": b64(a.id), "rawId": b64(a.id), "type": "public-key",
		"response": map[string]any{"clientDataJSON": b64(client), "attestationObject": b64(object)}})
}

func (a *authenticator) get(options []byte) []byte {
	a.t.Helper()
	o := a.parse(options)
	a.counter++
	data := a.authData(a.flags)
	client := a.marshal(map[string]any{"type": "webauthn.get", "challenge": o.PublicKey.Challenge, "origin": a.origin})
	sum := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), sum[:]...))
	sig, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return a.marshal(map[string]any{"id": b64(a.id), "rawId": b64(a.id), "type": "public-key", "response": map[string]any{
		"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(sig), "userHandle": b64(a.handle)}})
}

// register gives the owner of w a passkey.
func (a *authenticator) register(w *world, s *auth.SignIn, p loci.Principal) loci.Passkey {
	a.t.Helper()
	options, state, err := s.BeginRegister(a.t.Context(), p, site)
	if err != nil {
		a.t.Fatal(err)
	}
	k, err := s.FinishRegister(a.t.Context(), p, state, a.create(options), "laptop")
	if err != nil {
		a.t.Fatal(err)
	}
	if err := w.store.Update(a.t.Context(), p.OrgID, func(tx store.Tx) error {
		return tx.SignIn().PutPasskey(a.t.Context(), p.UserID, k)
	}); err != nil {
		a.t.Fatal(err)
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
	a := newAuthenticator(t)
	k := a.register(w, s, me)
	if k.Name != "laptop" || string(k.ID) != string(a.id) || string(a.handle) != string(me.UserID[:]) {
		t.Fatalf("got %+v, handle %x", k, a.handle)
	}
	enter := func(change func(a *authenticator)) (loci.Person, error) {
		t.Helper()
		options, state, err := s.BeginPasskey(t.Context(), site)
		if err != nil {
			t.Fatal(err)
		}
		other := *a
		change(&other)
		response := other.get(options)
		a.counter = max(a.counter, other.counter)
		return s.FinishPasskey(t.Context(), state, response, from("192.0.2.1"))
	}
	w.now = w.now.Add(time.Hour)
	if who, err := enter(func(*authenticator) {}); err != nil || who.UserID != me.UserID || who.OrgID != me.OrgID {
		t.Fatalf("got %+v, %v", who, err)
	}
	var keys []loci.Passkey
	if err := w.store.View(t.Context(), me.OrgID, func(tx store.Tx) (err error) {
		keys, err = tx.SignIn().Passkeys(t.Context(), me.UserID)
		return err
	}); err != nil || len(keys) != 1 || !keys[0].LastUsedAt.Equal(w.now) {
		t.Errorf("got %+v, %v", keys, err)
	}
	stranger, last := newAuthenticator(t), a.counter
	for name, change := range map[string]func(a *authenticator){
		"another site":       func(a *authenticator) { a.origin = "https://loci.example.evil.example" },
		"another port":       func(a *authenticator) { a.origin = "https://loci.example:8443" },
		"another key":        func(a *authenticator) { a.key = stranger.key },
		"unknown passkey":    func(a *authenticator) { a.id = stranger.id },
		"unknown person":     func(a *authenticator) { a.handle = make([]byte, 16) },
		"another handle":     func(a *authenticator) { a.handle = []byte("mara") },
		"no handle":          func(a *authenticator) { a.handle = nil },
		"nobody present":     func(a *authenticator) { a.flags = 0 },
		"not checked by it":  func(a *authenticator) { a.flags = 1 }, // a sign-in counts as a fresh proof
		"copied, old count":  func(a *authenticator) { a.counter = 0 },
		"copied, same count": func(a *authenticator) { a.counter = last - 1 },
	} {
		if who, err := enter(change); loci.CodeOf(err) != loci.Unauthenticated || who != (loci.Person{}) {
			t.Errorf("%s: got %+v, %v", name, who, err)
		}
	}
	if _, err := enter(func(*authenticator) {}); err != nil {
		t.Errorf("after all of that: %v", err)
	}
}

func TestPasskeyStateIsUsedOnce(t *testing.T) {
	t.Parallel()
	w, s, me := passkeyWorld(t)
	a := newAuthenticator(t)
	a.register(w, s, me)
	options, state, err := s.BeginPasskey(t.Context(), site)
	if err != nil {
		t.Fatal(err)
	}
	response := a.get(options)
	if _, err := s.FinishPasskey(t.Context(), state, response, from("192.0.2.1")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.FinishPasskey(t.Context(), state, response, from("192.0.2.1")); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("replayed: %v", err)
	}
	options, state, err = s.BeginPasskey(t.Context(), site)
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(5 * time.Minute)
	if _, err := s.FinishPasskey(t.Context(), state, a.get(options), from("192.0.2.1")); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("late: %v", err)
	}
	options, state, err = s.BeginPasskey(t.Context(), site)
	if err != nil {
		t.Fatal(err)
	}
	again := w.signIn(t, auth.SignInOptions{})
	if _, err := again.FinishPasskey(t.Context(), state, a.get(options), from("192.0.2.1")); loci.CodeOf(
		err) != loci.Invalid {
		t.Errorf("sealed by another process: %v", err)
	}
}

func TestPasskeyStepUp(t *testing.T) {
	t.Parallel()
	w, s, me := passkeyWorld(t)
	a := newAuthenticator(t)
	if _, _, err := s.BeginPasskeyStepUp(t.Context(), me, site); loci.CodeOf(err) != loci.Unavailable {
		t.Errorf("without a passkey: %v", err)
	}
	a.register(w, s, me)
	begin := func() ([]byte, loci.Secret) {
		t.Helper()
		options, state, err := s.BeginPasskeyStepUp(t.Context(), me, site)
		if err != nil {
			t.Fatal(err)
		}
		if o := a.parse(options); o.PublicKey.UV != "required" {
			t.Errorf("user verification is %q", o.PublicKey.UV)
		}
		return options, state
	}
	options, state := begin()
	if err := s.CheckPasskey(t.Context(), me, state, a.get(options), from("192.0.2.1")); err != nil {
		t.Fatal(err)
	}
	options, state = begin()
	a.flags = 1
	if err := s.CheckPasskey(t.Context(), me, state, a.get(options), from("192.0.2.1")); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("without the authenticator's own check: %v", err)
	}
	a.flags = 1 | 4
	options, state, err := s.BeginPasskey(t.Context(), site)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckPasskey(t.Context(), me, state, a.get(options), from("192.0.2.1")); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("a sign-in as step-up: %v", err)
	}
	other := w.newOrg(t, "other", "tom@example.org")
	them := loci.Principal{Kind: loci.KindUser, OrgID: other.ID, UserID: other.OwnerID, Method: loci.BySignIn}
	options, state = begin()
	if err := s.CheckPasskey(t.Context(), them, state, a.get(options), from("192.0.2.1")); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("the step-up of somebody else: %v", err)
	}
	options, state, err = s.BeginRegister(t.Context(), me, site)
	if err != nil {
		t.Fatal(err)
	}
	unchecked := newAuthenticator(t)
	unchecked.flags = 1
	if _, err := s.FinishRegister(t.Context(), me, state, unchecked.create(options), "x"); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("a passkey that nobody could sign in with: %v", err)
	}
	options, state, err = s.BeginRegister(t.Context(), me, site)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.FinishRegister(t.Context(), them, state, newAuthenticator(t).create(options), "x"); loci.CodeOf(
		err) != loci.Unauthenticated {
		t.Errorf("the registration of somebody else: %v", err)
	}
}
