// Package authtest is a passkey authenticator in software, with the browser around it, for tests.
package authtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"

	"github.com/loci-memory/loci/internal/auth"
)

// Site is where a new authenticator's passkey belongs.
var Site = auth.RP{ID: "loci.example", Origin: "https://loci.example"}

// The flags of an answer: the holder was there, and the authenticator checked who it is.
const (
	Present  = 1
	Verified = 4
	attested = 0x40 // the answer has a new public key
)

// Authenticator is a security key with one passkey. Tests change its fields to make it answer wrongly.
type Authenticator struct {
	t       testing.TB
	Key     *ecdsa.PrivateKey
	ID      []byte
	Handle  []byte // of the person, from the options of Create
	Counter uint32
	Site    auth.RP
	Flags   byte
}

// New returns an authenticator for Site.
func New(t testing.TB) *Authenticator {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &Authenticator{t: t, Key: key, ID: make([]byte, 32), Site: Site, Flags: Present | Verified, Counter: 1}
	_, _ = rand.Read(a.ID)
	return a
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (a *Authenticator) marshal(v any) []byte {
	a.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

func (a *Authenticator) authData(flags byte) []byte {
	rp := sha256.Sum256([]byte(a.Site.ID))
	return binary.BigEndian.AppendUint32(append(rp[:], flags), a.Counter)
}

// PublicKey are the options that both ceremonies share.
type PublicKey struct {
	PublicKey struct {
		Challenge string `json:"challenge"`
		UV        string `json:"userVerification"`
		User      struct {
			ID string `json:"id"`
		} `json:"user"`
	} `json:"publicKey"`
}

// Parse reads the options of a ceremony.
func (a *Authenticator) Parse(options []byte) PublicKey {
	a.t.Helper()
	var o PublicKey
	if err := json.Unmarshal(options, &o); err != nil || o.PublicKey.Challenge == "" {
		a.t.Fatalf("options %s: %v", options, err)
	}
	return o
}

// client is what the browser adds to an answer.
func (a *Authenticator) client(ceremony string, o PublicKey) []byte {
	a.t.Helper()
	return a.marshal(map[string]any{"type": ceremony, "challenge": o.PublicKey.Challenge, "origin": a.Site.Origin})
}

// Create answers navigator.credentials.create with those options.
func (a *Authenticator) Create(options []byte) []byte {
	a.t.Helper()
	o := a.Parse(options)
	a.Handle, _ = base64.RawURLEncoding.DecodeString(o.PublicKey.User.ID)
	raw, err := a.Key.PublicKey.Bytes()
	if err != nil {
		a.t.Fatal(err)
	}
	cose, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: raw[1:33], -3: raw[33:]})
	if err != nil {
		a.t.Fatal(err)
	}
	data := append(a.authData(a.Flags|attested), make([]byte, 16)...)
	data = append(binary.BigEndian.AppendUint16(data, uint16(len(a.ID))), a.ID...)
	object, err := webauthncbor.Marshal(
		map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": append(data, cose...)})
	if err != nil {
		a.t.Fatal(err)
	}
	client := a.client("webauthn.create", o)
	return a.marshal(map[string]any{"id": b64(a.ID), "rawId": b64(a.ID), "type": "public-key",
		"response": map[string]any{"clientDataJSON": b64(client), "attestationObject": b64(object)}})
}

// Get answers navigator.credentials.get with those options.
func (a *Authenticator) Get(options []byte) []byte {
	a.t.Helper()
	o := a.Parse(options)
	a.Counter++
	data := a.authData(a.Flags)
	client := a.client("webauthn.get", o)
	sum := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), sum[:]...))
	sig, err := ecdsa.SignASN1(rand.Reader, a.Key, digest[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return a.marshal(map[string]any{"id": b64(a.ID), "rawId": b64(a.ID), "type": "public-key", "response": map[string]any{
		"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(sig), "userHandle": b64(a.Handle)}})
}
