package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/loci-memory/loci"
)

// stateLife is the maximum duration of one ceremony, from its first page to the answer.
const stateLife = 5 * time.Minute

// newSealer returns a cipher with a key of this process. After a restart, everything it sealed is
// invalid, and the person must start again.
func newSealer() cipher.AEAD {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err) // only for a key of a wrong length
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return aead
}

// ceremony is the state that a browser keeps between two steps. The browser can't read or change it.
type ceremony struct {
	Until time.Time       `json:"until"`
	Body  json.RawMessage `json:"body"`
}

// seal returns v encrypted for the browser. It binds the kind to it, so that the state of one
// ceremony isn't valid in another.
func (s *SignIn) seal(kind string, v any) (loci.Secret, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(ceremony{Until: s.now().Add(stateLife).UTC(), Body: body})
	if err != nil {
		return "", err
	}
	return loci.Secret(base64.RawURLEncoding.EncodeToString(s.sealer.Seal(nil, nil, text, []byte(kind)))), nil
}

// unseal decrypts the result of seal once. Every process on the store rejects a state that was used.
func (s *SignIn) unseal(ctx context.Context, kind string, state loci.Secret, v any) error {
	box, err := base64.RawURLEncoding.DecodeString(state.Reveal())
	if err != nil || len(box) > maxState {
		return errBadState()
	}
	text, err := s.sealer.Open(nil, nil, box, []byte(kind))
	if err != nil {
		return errBadState()
	}
	var c ceremony
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	if !s.now().Before(c.Until) {
		return errBadState()
	}
	spent := sha256.Sum256(box)
	used, err := s.store.Limits().Take(ctx, "state:"+hex.EncodeToString(spent[:]), loci.CutTime(c.Until), 1)
	if err != nil {
		return err
	}
	if used != 1 {
		return errBadState()
	}
	return json.Unmarshal(c.Body, v)
}

// maxState is longer than any state that seal returns.
const maxState = 64 << 10

func errBadState() error {
	return loci.Errorf(loci.Invalid, "this sign-in expired, was used before or began in another browser; start again")
}
