package auth_test

import (
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

const goodPassword = "correct horse battery"

func (w *world) signIn(t testing.TB, o auth.SignInOptions) *auth.SignIn {
	t.Helper()
	o.Authenticator, o.Store, o.Now = w.auth(t, auth.Options{}), w.store, w.clock
	s, err := auth.NewSignIn(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (w *world) setPassword(t testing.TB, s *auth.SignIn, password loci.Secret) {
	t.Helper()
	encoded, err := s.HashPassword(t.Context(), password, "mara@example.org")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Update(t.Context(), w.org.ID, func(tx store.Tx) error {
		return tx.SignIn().SetPassword(t.Context(), w.org.OwnerID, encoded)
	}); err != nil {
		t.Fatal(err)
	}
}

func from(address string) auth.From { return auth.From{Address: netip.MustParseAddr(address)} }

func TestPasswordFailuresLookAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.signIn(t, auth.SignInOptions{})
	w.newOrg(t, "other", "nopassword@example.org")
	w.setPassword(t, s, goodPassword)
	who, err := s.Password(t.Context(), " Mara@Example.org", goodPassword, from("192.0.2.1"))
	if err != nil || who.UserID != w.org.OwnerID {
		t.Fatalf("got %+v, %v", who, err)
	}
	var texts []string
	for _, tt := range []struct {
		email    string
		password loci.Secret
	}{
		{"mara@example.org", "wrong"},
		{"mara@example.org", ""},
		{"mara@example.org", loci.Secret(strings.Repeat("x", 1<<20))},
		{"stranger@example.org", goodPassword},
		{"nopassword@example.org", goodPassword},
		{"nopassword@example.org", ""},
		{"not an address", goodPassword},
		{"", ""},
	} {
		who, err := s.Password(t.Context(), tt.email, tt.password, from("192.0.2.1"))
		if loci.CodeOf(err) != loci.Unauthenticated || who != (loci.Person{}) {
			t.Errorf("%q: got %+v, %v", tt.email, who, err)
			continue
		}
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		if text != texts[0] {
			t.Errorf("%q and %q differ", text, texts[0])
		}
	}
}

// TestPasswordThrottle walks both an account that exists and one that does not:
// the waits must be the same.
func TestPasswordThrottle(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.signIn(t, auth.SignInOptions{})
	w.setPassword(t, s, goodPassword)
	address := 0
	attempt := func(email string, password loci.Secret) error {
		address++
		_, err := s.Password(t.Context(), email, password,
			from(netip.AddrFrom4([4]byte{198, 51, byte(address >> 8), byte(address)}).String()))
		return err
	}
	for _, email := range []string{"mara@example.org", "stranger@example.org"} {
		for i := range 5 {
			if err := attempt(email, "wrong"); loci.CodeOf(err) != loci.Unauthenticated {
				t.Fatalf("%s, failure %d: %v", email, i+1, err)
			}
		}
		for i, seconds := range []int{2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900} {
			want := time.Duration(seconds) * time.Second
			err := attempt(strings.ToUpper(email), goodPassword)
			if loci.CodeOf(err) != loci.RateLimited || auth.RetryAfter(err) != want {
				t.Fatalf("%s, wait %d: %v, retry after %v, want %v", email, i+1, err, auth.RetryAfter(err), want)
			}
			w.now = w.now.Add(want - time.Second)
			if err := attempt(email, goodPassword); auth.RetryAfter(err) != time.Second {
				t.Fatalf("%s: a second too early: %v", email, err)
			}
			w.now = w.now.Add(time.Second)
			if err := attempt(email, "wrong"); loci.CodeOf(err) != loci.Unauthenticated {
				t.Fatalf("%s, after wait %d: %v", email, i+1, err)
			}
		}
	}
	w.now = w.now.Add(15 * time.Minute)
	for range 7 { // success forgets the failures
		if err := attempt("mara@example.org", goodPassword); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPasswordThrottlePerAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.signIn(t, auth.SignInOptions{})
	w.setPassword(t, s, goodPassword)
	for i := range 20 {
		email := strings.Repeat("x", i+1) + "@example.org"
		if _, err := s.Password(t.Context(), email, "wrong", from("2001:db8::1")); loci.CodeOf(err) != loci.Unauthenticated {
			t.Fatal(err)
		}
	}
	if _, err := s.Password(t.Context(), "mara@example.org", goodPassword, from("2001:db8::2")); loci.CodeOf(
		err) != loci.RateLimited {
		t.Errorf("another address of the same customer: %v", err)
	}
	if _, err := s.Password(t.Context(), "mara@example.org", goodPassword, from("2001:db8:0:1::1")); err != nil {
		t.Errorf("another customer: %v", err)
	}
}

// TestGuessesAtOnce sends many wrong passwords together: beyond the free ones
// they must not get through for having come at the same time.
func TestGuessesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.signIn(t, auth.SignInOptions{})
	w.setPassword(t, s, goodPassword)
	var wg sync.WaitGroup
	var mu sync.Mutex
	hashed := 0
	for range 24 {
		wg.Go(func() {
			_, err := s.Password(t.Context(), "mara@example.org", "wrong", from("192.0.2.1"))
			mu.Lock()
			defer mu.Unlock()
			if loci.CodeOf(err) == loci.Unauthenticated {
				hashed++
			}
		})
	}
	wg.Wait()
	if hashed > 6 {
		t.Errorf("%d of 24 guesses at once were looked at, want at most 6", hashed)
	}
	w.now = w.now.Add(4 * time.Second) // those that were refused must not make the wait longer
	if _, err := s.Password(t.Context(), "mara@example.org", goodPassword, from("192.0.2.2")); err != nil {
		t.Errorf("after a crowd of guesses: %v", err)
	}
}

// TestGuessesAtManyAccountsAtOnce sends guesses at many accounts together, from
// one address: hashing them all would keep everybody else out for long.
func TestGuessesAtManyAccountsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.signIn(t, auth.SignInOptions{})
	var wg sync.WaitGroup
	var hashed atomic.Int32
	for i := range 80 {
		wg.Go(func() {
			_, err := s.Password(t.Context(), strings.Repeat("x", i+1)+"@example.org", "wrong", from("192.0.2.1"))
			if loci.CodeOf(err) == loci.Unauthenticated {
				hashed.Add(1)
			} else if loci.CodeOf(err) != loci.RateLimited {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := hashed.Load(); n < 20 || n > 22 {
		t.Errorf("%d of 80 guesses at once were looked at, want 20 and at most one more for each place", n)
	}
}

func TestStepUpByPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.signIn(t, auth.SignInOptions{})
	a := w.auth(t, auth.Options{})
	w.setPassword(t, s, goodPassword)
	p, token, err := a.StartSignIn(t.Context(), loci.Person{UserID: w.org.OwnerID, OrgID: w.org.ID}, "Firefox on Linux")
	if err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(loci.StepUpAge + time.Second)
	if err := s.CheckPassword(t.Context(), p, "wrong", from("192.0.2.1")); loci.CodeOf(err) != loci.Unauthenticated {
		t.Fatal(err)
	}
	session := func() loci.Principal {
		p, err := a.Authenticate(t.Context(), auth.Request{Session: token})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if session().Fresh(w.now) {
		t.Error("fresh without a proof")
	}
	if err := s.CheckPassword(t.Context(), p, goodPassword, from("192.0.2.1")); err != nil {
		t.Fatal(err)
	}
	if err := s.StepUp(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if !session().Fresh(w.now) {
		t.Error("not fresh after a proof")
	}
	_, key := w.key(t, auth.KeyRequest{Name: "k"})
	byKey, err := a.Authenticate(t.Context(), bearer(key))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.StepUp(t.Context(), byKey); loci.CodeOf(err) != loci.Forbidden {
		t.Errorf("a key was proved: %v", err)
	}
	for range 4 {
		_ = s.CheckPassword(t.Context(), p, "wrong", from("192.0.2.1"))
	}
	if err := s.CheckPassword(t.Context(), p, "wrong", from("192.0.2.1")); loci.CodeOf(err) != loci.Unauthenticated {
		t.Error(err)
	}
	if err := s.CheckPassword(t.Context(), p, goodPassword, from("192.0.2.1")); loci.CodeOf(err) != loci.RateLimited {
		t.Errorf("step-up is not throttled: %v", err)
	}
}

func TestHashPasswordRules(t *testing.T) {
	t.Parallel()
	s := newWorld(t).signIn(t, auth.SignInOptions{})
	for name, password := range map[string]loci.Secret{"short": "elevenchars",
		"long": loci.Secret(strings.Repeat("x", 257)), "e-mail": "Mara@example.org", "not text": "\xff\xfe aaaaaaaaaaaaaa"} {
		if _, err := s.HashPassword(t.Context(), password, "mara@example.org"); loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, password := range []loci.Secret{"twelve chars", "zwölf Zeichë", loci.Secret(strings.Repeat("ö", 256))} {
		one, err := s.HashPassword(t.Context(), password, "")
		two, err2 := s.HashPassword(t.Context(), password, "")
		if err != nil || err2 != nil || one == two || !strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("got %q, %q, %v, %v", one, two, err, err2)
		}
	}
}
