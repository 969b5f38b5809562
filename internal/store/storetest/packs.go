package storetest

import (
	"context"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (e *env) sent(session loci.SessionID, subject string) (list []store.Sent) {
	e.Helper()
	err := e.st.View(e.Context(), e.org, func(tx store.Tx) (err error) {
		list, err = tx.Packs().Sent(e.Context(), session, subject)
		return err
	})
	if err != nil {
		e.Error(explain(err))
	}
	return list
}

func (e *env) wantSent(what string, session loci.SessionID, subject string, want ...store.Sent) {
	e.Helper()
	if diff := cmp.Diff(want, e.sent(session, subject)); diff != "" {
		e.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// addSent adds things with the next revision.
func (e *env) addSent(session loci.SessionID, subject string, list ...store.Sent) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		n, err := tx.Packs().Revision(ctx, session, subject)
		if err != nil {
			return err
		}
		return tx.Packs().Add(ctx, session, subject, n+1, list, e.clock.now())
	})
}

// testPacks keeps what two readers of a session have received, changes it, and forgets it.
func testPacks(e *env) {
	s := e.addSession()
	one, two := store.Sent{ID: [16]byte{1}, Version: 1, Place: 1, Cut: 30}, store.Sent{ID: [16]byte{2}, Version: 3}
	e.wantSent("at first", s.ID, "ada")
	if err := e.addSent(s.ID, "ada", two, one); err != nil {
		e.Fatal(explain(err))
	}
	e.wantSent("after it was added", s.ID, "ada", revision(1), two, one)
	e.wantSent("for another reader", s.ID, "ben")
	newer := store.Sent{ID: two.ID, Version: 4}
	if err := e.addSent(s.ID, "ada", newer); err != nil {
		e.Fatal(explain(err))
	}
	e.wantSent("after a newer version", s.ID, "ada", revision(2), newer, one)
	e.update(func(ctx context.Context, tx store.Tx) error {
		if n, err := tx.Packs().Revision(ctx, s.ID, "ada"); n != 2 || err != nil {
			e.Errorf("revision: got %d, %v, want 2", n, err)
		}
		if n, err := tx.Packs().Revision(ctx, s.ID, "ben"); n != 0 || err != nil {
			e.Errorf("revision of another reader: got %d, %v, want 0", n, err)
		}
		return nil
	})
	forget := func(all bool) {
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Packs().Forget(ctx, s.ID, "ada", all) })
	}
	if forget(false); true {
		e.wantSent("without the prefix", s.ID, "ada", newer)
	}
	if err := e.addSent(s.ID, "ben", one); err != nil {
		e.Fatal(explain(err))
	}
	if forget(true); true {
		e.wantSent("after everything was forgotten", s.ID, "ada")
	}
	e.wantSent("of the other reader", s.ID, "ben", revision(1), one)
	e.update(func(ctx context.Context, tx store.Tx) error {
		return tx.Packs().TakeBack(ctx, s.ID, "ben", [][16]byte{one.ID, {9}})
	})
	e.wantSent("after it was taken back", s.ID, "ben", revision(1))
	e.wantCode("a session that is not there", e.addSent(loci.NewSessionID(), "ada", one), loci.NotFound)
}

// revision is the thing that has the revision.
func revision(n int) store.Sent { return store.Sent{Version: n, Place: -1} }

// testPacksAreBounded adds more than Loci keeps, in several steps.
func testPacksAreBounded(e *env) {
	s := e.addSession()
	pinned := store.Sent{ID: [16]byte{0xff}, Version: 1, Place: 1}
	if err := e.addSent(s.ID, "ada", pinned); err != nil {
		e.Fatal(explain(err))
	}
	thing := func(i int) store.Sent { return store.Sent{ID: [16]byte{1, byte(i >> 8), byte(i)}} }
	const step = 300
	for from := 0; from < 5*step; from += step {
		var list []store.Sent
		for i := range step {
			list = append(list, thing(from+i))
		}
		if err := e.addSent(s.ID, "ada", list...); err != nil {
			e.Fatal(explain(err))
		}
		e.clock.move(time.Minute)
	}
	got := map[[16]byte]bool{}
	for _, one := range e.sent(s.ID, "ada") {
		got[one.ID] = true
	}
	if len(got) != store.MaxSent || !got[pinned.ID] || got[thing(0).ID] || !got[thing(5*step-1).ID] {
		e.Errorf("Loci keeps %d things, want %d: the prefix %t, the oldest %t, the newest %t", len(got), store.MaxSent,
			got[pinned.ID], got[thing(0).ID], got[thing(5*step-1).ID])
	}
}

// testPacksGo removes what readers have received with their keys, with themselves and with time.
func testPacksGo(e *env) {
	s, two := e.addSession(), e.addSession()
	key, grant, other := loci.NewCredentialID(), loci.NewGrantID(), loci.NewUserID()
	byKey := loci.Principal{Kind: loci.KindAdmin, OrgID: e.org, UserID: e.user, CredentialID: key}.Subject()
	byGrant := loci.Principal{Kind: loci.KindAgent, OrgID: e.org, UserID: e.user, Vendor: "claude",
		GrantID: grant}.Subject()
	ofOther := loci.Principal{Kind: loci.KindUser, OrgID: e.org, UserID: other, CredentialID: key}.Subject()
	one := store.Sent{ID: [16]byte{1}, Version: 1}
	for _, subject := range []string{byKey, byGrant, ofOther} {
		for _, id := range []loci.SessionID{s.ID, two.ID} {
			if err := e.addSent(id, subject, one); err != nil {
				e.Fatal(explain(err))
			}
		}
	}
	leave := func(holder [16]byte) {
		e.update(func(ctx context.Context, tx store.Tx) error { return tx.Packs().Leave(ctx, e.user, holder) })
	}
	if leave(key); true {
		e.wantSent("of a revoked key", s.ID, byKey)
		e.wantSent("of a revoked key in another session", two.ID, byKey)
		e.wantSent("of the grant", s.ID, byGrant, revision(1), one)
	}
	if leave(grant); true {
		e.wantSent("of a revoked grant", s.ID, byGrant)
	}
	if err := e.addSent(s.ID, byGrant, one); err != nil {
		e.Fatal(explain(err))
	}
	if leave([16]byte{}); true {
		e.wantSent("of a person who left", s.ID, byGrant)
		e.wantSent("of another person", s.ID, ofOther, revision(1), one)
	}
	// Who has received something lately keeps what came before: it may be a prefix.
	three := e.addSession()
	if err := e.addSent(three.ID, byKey, one); err != nil {
		e.Fatal(explain(err))
	}
	e.clock.move(time.Minute)
	second := store.Sent{ID: [16]byte{2}, Version: 1}
	late := e.clock.now()
	if err := e.addSent(three.ID, byKey, second); err != nil {
		e.Fatal(explain(err))
	}
	purge := func(limit, want int) {
		e.Helper()
		e.update(func(ctx context.Context, tx store.Tx) error {
			n, err := tx.Packs().Purge(ctx, late, limit)
			if n != want {
				e.Errorf("purged %d things, want %d", n, want)
			}
			return err
		})
	}
	purge(1, 2) // one caller in one session: a thing, and that the session has begun
	purge(1, 2)
	purge(1, 0)
	e.wantSent("after a purge", s.ID, ofOther)
	e.wantSent("of somebody who goes on", three.ID, byKey, revision(2), one, second)
}
