package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

// stateLife is the maximum duration of one ceremony, from its first page to the answer.
const stateLife = 5 * time.Minute

// statePeriod is how long a key seals new states. It is longer than stateLife, so each state has the key of the present
// period or the one before.
const statePeriod = time.Hour

// sealers are ciphers with the keys of the store, by period. All processes on the store have the same ones.
type sealers struct {
	mu    sync.Mutex
	known map[int64]cipher.AEAD
}

// sealer returns the cipher of a period, which is near the present one.
func (s *SignIn) sealer(ctx context.Context, period int64) (cipher.AEAD, error) {
	s.sealers.mu.Lock()
	defer s.sealers.mu.Unlock()
	if known := s.sealers.known[period]; known != nil {
		return known, nil
	}
	secret, err := s.o.Store.StateKey(ctx, period, NewSecret(""))
	if err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte(secret.Reveal()))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err == nil {
		maps.DeleteFunc(s.sealers.known, func(old int64, _ cipher.AEAD) bool { return old < period-2 })
		s.sealers.known[period] = aead
	}
	return aead, err
}

func (s *SignIn) period() int64 { return s.o.Now().Unix() / int64(statePeriod/time.Second) }

// ceremony is the state that a browser keeps between two steps. The browser can't read or change it.
type ceremony struct {
	Until time.Time       `json:"until"`
	Body  json.RawMessage `json:"body"`
}

// seal returns v encrypted for the browser. It binds the kind to it, so that the state of one
// ceremony isn't valid in another.
func (s *SignIn) seal(ctx context.Context, kind string, v any) (loci.Secret, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(ceremony{Until: s.o.Now().Add(stateLife).UTC(), Body: body})
	if err != nil {
		return "", err
	}
	period := s.period()
	sealer, err := s.sealer(ctx, period)
	if err != nil {
		return "", err
	}
	box := sealer.Seal(binary.BigEndian.AppendUint64(nil, uint64(period)), nil, text, []byte(kind))
	return loci.Secret(base64.RawURLEncoding.EncodeToString(box)), nil
}

// unseal decrypts the result of seal once. Every process on the store rejects a state that was used.
func (s *SignIn) unseal(ctx context.Context, kind string, state loci.Secret, v any) error {
	box, err := base64.RawURLEncoding.DecodeString(state.Reveal())
	if err != nil || len(box) < 8 || len(box) > maxState {
		return errBadState()
	}
	period := int64(binary.BigEndian.Uint64(box))
	if late := s.period() - period; late < -1 || late > 1 { // the clocks of hosts may differ
		return errBadState()
	}
	sealer, err := s.sealer(ctx, period)
	if err != nil {
		return err
	}
	text, err := sealer.Open(nil, nil, box[8:], []byte(kind))
	if err != nil {
		return errBadState()
	}
	var c ceremony
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	if !s.o.Now().Before(c.Until) {
		return errBadState()
	}
	spent := sha256.Sum256(box)
	used, err := s.o.Store.Limits().Take(ctx, "state:"+hex.EncodeToString(spent[:]), loci.CutTime(c.Until), 1)
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
