package storetest

import (
	"context"

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

func (e *env) addSent(session loci.SessionID, subject string, list ...store.Sent) error {
	return e.tryUpdate(func(ctx context.Context, tx store.Tx) error {
		return tx.Packs().Add(ctx, session, subject, list, e.clock.now())
	})
}

// testPacks keeps what two readers of a session have received, changes it, and forgets it.
func testPacks(e *env) {
	s := e.addSession()
	one, two, begun := store.Sent{ID: [16]byte{1}, Version: 1, Place: 1, Cut: 30}, store.Sent{ID: [16]byte{2}, Version: 3},
		store.Sent{Place: -1}
	e.wantSent("at first", s.ID, "ada")
	if err := e.addSent(s.ID, "ada", two, one, begun); err != nil {
		e.Fatal(explain(err))
	}
	e.wantSent("after it was added", s.ID, "ada", begun, two, one)
	e.wantSent("for another reader", s.ID, "ben")
	newer := store.Sent{ID: two.ID, Version: 4}
	if err := e.addSent(s.ID, "ada", newer); err != nil {
		e.Fatal(explain(err))
	}
	e.wantSent("after a newer version", s.ID, "ada", begun, newer, one)
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
	e.wantSent("of the other reader", s.ID, "ben", one)
	e.wantCode("a session that is not there", e.addSent(loci.NewSessionID(), "ada", one), loci.NotFound)
}
