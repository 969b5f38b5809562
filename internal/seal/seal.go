// Package seal encrypts secrets that Loci must be able to read again, such as the API keys of Arc, with
// a master key that is not stored. It uses AES-256-GCM with a random nonce.
//
// A sealed secret belongs to one org: it can't be opened for another one, so nobody who can write to
// the database can move it there.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"github.com/loci-memory/loci"
)

// KeySize is the size of a master key in bytes.
const KeySize = 32

// Key is a master key.
type Key struct {
	id   string
	aead cipher.AEAD
}

// Generate returns a new master key as ParseKey reads it. It panics only if the system has no randomness.
func Generate() loci.Secret {
	var b [KeySize]byte
	_, _ = rand.Read(b[:]) // never fails
	return loci.Secret(base64.StdEncoding.EncodeToString(b[:]))
}

// ParseKey reads a master key: 32 bytes in standard base64. Its Invalid error doesn't repeat the input.
func ParseKey(text loci.Secret) (*Key, error) {
	b, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(text.Reveal()))
	if err != nil || len(b) != KeySize {
		return nil, loci.Errorf(loci.Invalid, "a master key must be 32 bytes in base64, as `loci keygen master` prints it")
	}
	block, err := aes.NewCipher(b)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte("loci master key id\x00"), b...))
	return &Key{hex.EncodeToString(sum[:4]), aead}, nil
}

// ID names the key. It tells nothing about the key.
func (k *Key) ID() string { return k.id }

// Usable returns an Unavailable error if there is no key.
func (r Ring) Usable() error {
	if len(r) > 0 {
		return nil
	}
	return loci.Errorf(loci.Unavailable,
		"there is no master key; create one with `loci keygen master`, and set LOCI_MASTER_KEY to it")
}

// Seal encrypts a secret of an org.
func (k *Key) Seal(org loci.OrgID, secret loci.Secret) (nonce, sealed []byte) {
	nonce = make([]byte, k.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return nonce, k.aead.Seal(nil, nonce, []byte(secret.Reveal()), []byte(org))
}

// Open decrypts what Seal returned. id is that of the key that sealed it. Its Unavailable error tells
// another key from a secret that was changed.
func (k *Key) Open(org loci.OrgID, id string, nonce, sealed []byte) (loci.Secret, error) {
	if id != k.id {
		return "", errOther(org, id, "holds "+k.id)
	}
	if len(nonce) != k.aead.NonceSize() {
		return "", errChanged(org)
	}
	secret, err := k.aead.Open(nil, nonce, sealed, []byte(org))
	if err != nil {
		return "", errChanged(org)
	}
	return loci.Secret(secret), nil
}

// Ring is the master keys that are known: the first one seals, and all of them open.
type Ring []*Key

// Seal encrypts a secret of an org. It fails with Unavailable if there is no key.
func (r Ring) Seal(org loci.OrgID, secret loci.Secret) (id string, nonce, sealed []byte, err error) {
	if err := r.Usable(); err != nil {
		return "", nil, nil, err
	}
	nonce, sealed = r[0].Seal(org, secret)
	return r[0].id, nonce, sealed, nil
}

// Open decrypts what the key with that id sealed.
func (r Ring) Open(org loci.OrgID, id string, nonce, sealed []byte) (loci.Secret, error) {
	for _, k := range r {
		if k.id == id {
			return k.Open(org, id, nonce, sealed)
		}
	}
	if len(r) == 0 {
		return "", errOther(org, id, "is not set")
	}
	return r[0].Open(org, id, nonce, sealed) // says which key it is
}

func errOther(org loci.OrgID, id, present string) error {
	return loci.Errorf(loci.Unavailable, "it was sealed with the master key %s, and LOCI_MASTER_KEY %s; set it to "+
		"the former, or if that is lost, replace the secret with `loci org update-arc %s --api-key -`", id, present, org)
}

func errChanged(org loci.OrgID) error {
	return loci.Errorf(loci.Unavailable, "it was changed after it was sealed, or belongs to another org; replace it "+
		"with `loci org update-arc %s --api-key -`", org)
}
