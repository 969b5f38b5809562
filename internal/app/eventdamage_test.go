package app_test

import (
	"context"
	"errors"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/store"
)

// TestADamagedFileIsNotTheFaultOfAnEvent logs an event in a session whose table cannot be read.
func TestADamagedFileIsNotTheFaultOfAnEvent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	at := d.open(d.mara, agent.SessionDraft{Title: "S"})
	a := app.New(app.Options{Store: damagedSessions{d.st}, Now: d.clock, Events: eventsIn(d.events)})
	drafts := []event.Draft{{Content: "x", Session: at.ID.String()}}
	_, err := a.Event.Record(t.Context(), d.mara, drafts[0])
	wantCode(t, err, loci.Unavailable)
	_, err = a.Event.Append(t.Context(), d.mara, drafts)
	wantCode(t, err, loci.Unavailable)
}

// damagedSessions fails as an engine does: the error gets its code after the transaction.
type damagedSessions struct{ store.Store }

func (s damagedSessions) View(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	err := s.Store.View(ctx, org, func(tx store.Tx) error { return fn(damagedTx{tx}) })
	if err != nil && loci.CodeOf(err) == "" {
		err = loci.WrapError(loci.Unavailable, err, "a file is damaged")
	}
	return err
}

type damagedTx struct{ store.Tx }

func (tx damagedTx) Sessions() store.Sessions { return damagedTable{tx.Tx.Sessions()} }

type damagedTable struct{ store.Sessions }

func (damagedTable) List(context.Context, loci.Viewer, store.SessionQuery) ([]loci.Session, store.Position, error) {
	return nil, "", errors.New("malformed")
}

func (damagedTable) Get(context.Context, loci.Viewer, loci.SessionID) (loci.Session, error) {
	return loci.Session{}, errors.New("malformed")
}
