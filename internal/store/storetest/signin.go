package storetest

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

const encodedPassword = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNo"

func (e *env) trySignIn(fn func(context.Context, store.SignIn) error) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error { return fn(ctx, tx.SignIn()) })
}

func testPasswords(e *env) {
	u := e.addUser()
	set := func(id loci.UserID, encoded string) error {
		return e.trySignIn(func(ctx context.Context, s store.SignIn) error { return s.SetPassword(ctx, id, encoded) })
	}
	get := func(id loci.UserID) (encoded string, err error) {
		err = e.trySignIn(func(ctx context.Context, s store.SignIn) error { encoded, err = s.Password(ctx, id); return err })
		return encoded, err
	}
	_, err := get(u.ID)
	e.wantCode("one without a password", err, loci.NotFound)
	for _, want := range []string{encodedPassword, encodedPassword + "Z"} {
		if err := set(u.ID, want); err != nil {
			e.Fatal(explain(err))
		}
		if got, err := get(u.ID); got != want || err != nil {
			e.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	_, err = get(e.user)
	e.wantCode("another person's", err, loci.NotFound)
	for range 2 {
		if err := set(u.ID, ""); err != nil {
			e.Errorf("removing: %v", err)
		}
		_, err = get(u.ID)
		e.wantCode("a removed one", err, loci.NotFound)
	}
	e.wantCode("of nobody", set(loci.NewUserID(), encodedPassword), loci.NotFound)
	e.wantCode("removing nobody's", set(loci.NewUserID(), ""), loci.NotFound)
}

func (e *env) passkey(seed byte) loci.Passkey {
	return loci.Passkey{ID: []byte{seed, 0, 255}, Name: fmt.Sprint("key ", seed), Data: []byte(`{"publicKey":"AA=="}`),
		CreatedAt: e.clock.now()}
}

func testPasskeys(e *env) {
	u := e.addUser()
	put := func(id loci.UserID, k loci.Passkey) error {
		return e.trySignIn(func(ctx context.Context, s store.SignIn) error { return s.PutPasskey(ctx, id, k) })
	}
	remove := func(id loci.UserID, key []byte) error {
		return e.trySignIn(func(ctx context.Context, s store.SignIn) error { return s.RemovePasskey(ctx, id, key) })
	}
	check := func(id loci.UserID, want ...loci.Passkey) {
		e.Helper()
		e.view(func(ctx context.Context, tx store.Tx) error {
			got, err := tx.SignIn().Passkeys(ctx, id)
			if diff := cmp.Diff(want, got); diff != "" {
				e.Errorf("(-want +got):\n%s", diff)
			}
			return err
		})
	}
	check(u.ID)
	b := e.passkey(2)
	e.clock.move(time.Second)
	a, long := e.passkey(1), e.passkey(3)
	long.ID, long.CreatedAt = bytes.Repeat([]byte{7}, 1023), a.CreatedAt.Add(time.Second)
	for _, k := range []loci.Passkey{long, a, b} {
		if err := put(u.ID, k); err != nil {
			e.Fatal(explain(err))
		}
	}
	check(u.ID, b, a, long)
	check(e.user)
	a.Name, a.Data, a.LastUsedAt = "renamed", []byte(`{"signCount":2}`), e.clock.now()
	if err := put(u.ID, a); err != nil {
		e.Fatal(explain(err))
	}
	e.wantCode("another person's", put(e.user, a), loci.Conflict)
	e.wantCode("for nobody", put(loci.NewUserID(), e.passkey(9)), loci.NotFound)
	e.wantCode("removing another person's", remove(e.user, a.ID), loci.NotFound)
	e.wantCode("removing nothing", remove(u.ID, []byte{9}), loci.NotFound)
	check(u.ID, b, a, long)
	if err := remove(u.ID, b.ID); err != nil {
		e.Fatal(explain(err))
	}
	e.wantCode("removing twice", remove(u.ID, b.ID), loci.NotFound)
	check(u.ID, a, long)
}
