package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// The cost of a password hash: 19 MiB and two passes, about 25 ms.
const (
	argonMemory = 19 << 10 // KiB
	argonTime   = 2
	argonLanes  = 1
	argonSalt   = 16
	argonKey    = 32
)

// Minimum and maximum length of a password, in characters.
const (
	MinPassword = 12
	MaxPassword = 256
)

// Password returns the person with that e-mail address and password. Every failure is the same Unauthenticated error
// after the same work: one argon2id run, whether or not the account exists or has a password. After too many failures
// of the address or the client, it fails with RateLimited, with RetryAfter.
func (s *SignIn) Password(ctx context.Context, email string, password loci.Secret, from From) (loci.Person, error) {
	if _, err := s.check(ctx, byAddress(from.Address)); err != nil {
		return loci.Person{}, err
	}
	account := byAccount(email)
	n, err := s.attempt(ctx, account)
	if err != nil {
		return loci.Person{}, err
	}
	who, ok, err := s.look(ctx, email, password, from)
	if err != nil {
		return loci.Person{}, err
	}
	if !ok {
		s.logFailed(ctx, "a sign-in failed", who.UserID, from, n == account.free)
		return loci.Person{}, loci.Errorf(loci.Unauthenticated, "the e-mail address or the password is wrong")
	}
	if err := s.o.Store.Limits().Clear(ctx, account.key); err != nil {
		return loci.Person{}, err
	}
	return who, nil
}

// look waits for its turn and compares. It checks and counts the client's failures within the turn.
// So simultaneous guesses at many accounts neither get past the limit nor keep others waiting. If the
// password is wrong, the person is the holder of the account, for the log.
func (s *SignIn) look(ctx context.Context, email string, password loci.Secret, from From) (
	loci.Person, bool, error) {
	client := byAddress(from.Address)
	done, err := s.turn(ctx)
	if err != nil {
		return loci.Person{}, false, err
	}
	defer done()
	if _, err := s.check(ctx, client); err != nil {
		return loci.Person{}, false, err
	}
	who, encoded, err := s.passwordOf(ctx, email)
	if err != nil {
		return loci.Person{}, false, err
	}
	ok, err := matches(encoded, password)
	if err != nil || ok {
		return who, ok, err
	}
	n, err := s.o.Store.Limits().Fail(ctx, client.key, loci.CutTime(s.o.Now()))
	if n == client.free {
		s.o.Log.InfoContext(ctx, "too many failed sign-ins: the next ones from this address must wait", "address",
			from.Address.String())
	}
	return who, false, err
}

// logFailed logs a wrong password, and whether further attempts at the account must wait from now on. It leaves out
// what was typed as the e-mail address, because people type passwords there by mistake.
func (s *SignIn) logFailed(ctx context.Context, what string, user loci.UserID, from From, waits bool) {
	attrs := []any{"address", from.Address.String()}
	if !user.IsZero() {
		attrs = append(attrs, "user", user.String())
	}
	s.o.Log.InfoContext(ctx, what, attrs...)
	if waits {
		s.o.Log.InfoContext(ctx, "too many failed attempts: the next ones at this account must wait", attrs...)
	}
}

// turn waits for one of the places for hashing. Each run takes 19 MiB, and many at once must not
// use up the memory. done gives the place back.
func (s *SignIn) turn(ctx context.Context) (done func(), err error) {
	select {
	case s.hashing <- struct{}{}:
		return func() { <-s.hashing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// passwordOf returns "" if the account doesn't exist or has no password, and the person if there is
// one. It reads the same tables in either case.
func (s *SignIn) passwordOf(ctx context.Context, email string) (loci.Person, string, error) {
	who := loci.Person{OrgID: loci.DefaultOrg}
	parsed, err := loci.ParseEmail(email)
	if err == nil {
		var found loci.Person
		if found, err = s.o.Store.People().ByEmail(ctx, parsed); err == nil {
			who = found
		}
	}
	if code := loci.CodeOf(err); err != nil && code != loci.NotFound && code != loci.Invalid {
		return loci.Person{}, "", err
	}
	encoded, err := s.storedPassword(ctx, who.OrgID, who.UserID)
	if err != nil {
		return loci.Person{}, "", err
	}
	if who.UserID.IsZero() {
		encoded = ""
	}
	return who, encoded, nil
}

// storedPassword returns the stored form of a person's password, or "".
func (s *SignIn) storedPassword(ctx context.Context, org loci.OrgID, user loci.UserID) (encoded string, err error) {
	err = s.o.Store.View(ctx, org, func(tx store.Tx) (err error) {
		encoded, err = tx.SignIn().Password(ctx, user)
		return err
	})
	if loci.CodeOf(err) == loci.NotFound {
		return "", nil
	}
	return encoded, err
}

// CheckPassword checks the password of p's person; StepUp then records it. It fails with Unauthenticated if the
// password is wrong or none is set, and with RateLimited after too many failures.
func (s *SignIn) CheckPassword(ctx context.Context, p loci.Principal, password loci.Secret, from From) error {
	person := byPerson(p.UserID)
	n, err := s.attempt(ctx, person)
	if err != nil {
		return err
	}
	encoded, err := s.storedPassword(ctx, p.OrgID, p.UserID)
	if err != nil {
		return err
	}
	done, err := s.turn(ctx)
	if err != nil {
		return err
	}
	ok, err := matches(encoded, password)
	done()
	if err != nil {
		return err
	}
	if !ok {
		s.logFailed(ctx, "a step-up failed", p.UserID, from, n == person.free)
		return loci.Errorf(loci.Unauthenticated, "the password is wrong")
	}
	return s.o.Store.Limits().Clear(ctx, person.key)
}

// HashPassword returns the stored form of a new password for the person with that e-mail address.
// It fails with Invalid if the password is too short, too long or the address itself.
func (s *SignIn) HashPassword(ctx context.Context, password loci.Secret, email string) (string, error) {
	text := password.Reveal()
	if n := utf8.RuneCountInString(text); n < MinPassword || n > MaxPassword || !utf8.ValidString(text) {
		return "", loci.FieldErrorf("password", "must have %d to %d characters; use a few random words", MinPassword,
			MaxPassword)
	}
	if email != "" && strings.EqualFold(strings.TrimSpace(text), strings.TrimSpace(email)) {
		return "", loci.FieldErrorf("password", "must not be the e-mail address")
	}
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails
	done, err := s.turn(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	key := argon(password, salt, argonTime, argonMemory, argonLanes, argonKey)
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemory, argonTime, argonLanes,
		b64(salt), b64(key)), nil
}

// argon runs argon2id. The caller must have the turn.
func argon(password loci.Secret, salt []byte, passes, memory uint32, lanes uint8, length uint32) []byte {
	// The same characters can be typed in several encodings. Hash one normal form.
	return argon2.IDKey(norm.NFC.Bytes([]byte(password.Reveal())), salt, passes, memory, lanes, length)
}

// matches compares a password with its stored form. "" matches nothing, after the same work.
func matches(encoded string, password loci.Secret) (bool, error) {
	h, err := parseArgon(encoded)
	if err != nil {
		return false, err
	}
	if len(password) > 4*MaxPassword {
		password = "" // too long for any password; the work stays the same
		h.none = true
	}
	got := argon(password, h.salt, h.passes, h.memory, h.lanes, uint32(len(h.key)))
	return subtle.ConstantTimeCompare(got, h.key) == 1 && !h.none, nil
}

type argonHash struct {
	memory, passes uint32
	lanes          uint8
	salt, key      []byte
	none           bool // no password is set
}

func parseArgon(encoded string) (argonHash, error) {
	h := argonHash{memory: argonMemory, passes: argonTime, lanes: argonLanes, salt: make([]byte, argonSalt),
		key: make([]byte, argonKey), none: true}
	if encoded == "" {
		return h, nil
	}
	var version int
	parts := strings.Split(encoded, "$") // "", argon2id, version, parameters, salt, key
	if len(parts) != 6 || parts[1] != "argon2id" {
		return h, fmt.Errorf("a stored password has an unknown form")
	}
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return h, fmt.Errorf("a stored password is of another version of argon2")
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); err != nil ||
		h.memory > 1<<20 || h.passes < 1 || h.passes > 100 || h.lanes < 1 {
		return h, fmt.Errorf("a stored password has unusable parameters")
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return h, fmt.Errorf("a stored password has no salt")
	}
	key, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(key) < 16 || len(key) > 64 {
		return h, fmt.Errorf("a stored password has no key")
	}
	h.salt, h.key, h.none = salt, key, false
	return h, nil
}
