package auth_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// crowd fills the store with keys. Writers that wait together share a commit.
func (w *world) crowd(b *testing.B, n int) {
	b.Helper()
	owner := loci.Principal{Kind: loci.KindLocal, OrgID: w.org.ID, UserID: w.org.OwnerID}
	var wg sync.WaitGroup
	const writers = 64
	for i := range writers {
		wg.Go(func() {
			for j := i; j < n; j += writers {
				c, _, err := auth.NewCredential(owner, auth.KeyRequest{Name: fmt.Sprint(j)}, w.now)
				if err == nil {
					err = w.store.Credentials().Insert(context.Background(), c)
				}
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkAuthenticateStoredKey is the cost of a request among 100,000 keys and
// 10 projects.
func BenchmarkAuthenticateStoredKey(b *testing.B) {
	w := newWorld(b)
	w.crowd(b, 100_000)
	for i := range 10 {
		w.project(b, fmt.Sprint(i), true)
	}
	a := w.auth(b, auth.Options{})
	_, key := w.key(b, auth.KeyRequest{Name: "k"})
	_, session, err := a.StartSignIn(b.Context(), loci.Person{UserID: w.org.OwnerID, OrgID: w.org.ID}, "b")
	if err != nil {
		b.Fatal(err)
	}
	access := auth.NewSecret(auth.AccessPrefix)
	err = w.store.Credentials().Insert(b.Context(),
		loci.Credential{ID: loci.NewCredentialID(), OrgID: w.org.ID, UserID: w.org.OwnerID, Kind: loci.KindAgent,
			Method: loci.ByOAuth, Vendor: "claude", Hash: auth.Hash(access), GrantID: loci.NewGrantID(), CreatedAt: w.now,
			ExpiresAt: w.now.Add(auth.SessionLife)})
	if err != nil {
		b.Fatal(err)
	}
	for name, r := range map[string]auth.Request{"Key": bearer(key), "Session": {Session: session},
		"Token": bearer(access)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := a.Authenticate(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAuthenticateEnvironmentKey(b *testing.B) {
	w := newWorld(b)
	a := w.auth(b, auth.Options{AgentKeys: map[loci.Vendor]loci.Secret{"claude": "k"}})
	for b.Loop() {
		if _, err := a.Authenticate(b.Context(), bearer("k")); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPassword must cost the same for each kind of account: a difference
// would tell strangers which there are.
func BenchmarkPassword(b *testing.B) {
	w := newWorld(b)
	s := w.signIn(b, auth.SignInOptions{})
	w.newOrg(b, "other", "nopassword@example.org")
	w.setPassword(b, s, goodPassword)
	for name, email := range map[string]string{"Known": "mara@example.org", "WithoutPassword": "nopassword@example.org",
		"Unknown": "stranger@example.org"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w.now = w.now.Add(time.Hour) // no waiting
				if _, err := s.Password(b.Context(), email, "wrong", from("192.0.2.1")); loci.CodeOf(err) != loci.Unauthenticated {
					b.Fatal(err)
				}
			}
		})
	}
}
