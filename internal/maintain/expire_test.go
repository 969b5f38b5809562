package maintain_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/store"
)

// addSessions stores n sessions that were last active at a time.
func addSessions(t *testing.T, st store.Store, org loci.Org, n int, active time.Time) {
	t.Helper()
	err := st.Update(t.Context(), org.ID, func(tx store.Tx) error {
		for range n {
			s := loci.Session{ID: loci.NewSessionID(), CreatedAt: start, UpdatedAt: start, LastActiveAt: active, Revision: 1,
				EventAccess: loci.EventAccess{OrgID: org.ID, UserID: org.OwnerID, Origin: "claude"}}
			s.SetDefaults()
			if err := tx.Sessions().Insert(t.Context(), s); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestExpireSessions(t *testing.T) {
	st := openStore(t, t.TempDir())
	org := seed(t, st, 1, time.Time{})
	addSessions(t, st, org, 250, start) // more than one batch
	addSessions(t, st, org, 1, start.Add(2*day))
	wantPurged(t, st, func(ctx context.Context, st store.Store, now time.Time) (int, error) {
		return maintain.ExpireSessions(ctx, st, now, day)
	}, day, 250)
}

// TestIdleSessionsCloseEveryHour runs the jobs for some hours, with and without a limit.
func TestIdleSessionsCloseEveryHour(t *testing.T) {
	for name, tt := range map[string]struct {
		idle   time.Duration
		active int
	}{"a day": {day, 1}, "never": {0, 3}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := openStore(t, t.TempDir())
				org := seed(t, st, 1, time.Time{})
				begin := time.Now()
				addSessions(t, st, org, 1, begin.Add(-23*time.Hour))
				addSessions(t, st, org, 1, begin.Add(-25*time.Hour))
				addSessions(t, st, org, 1, begin)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour)
				defer cancel()
				maintain.New(maintain.Options{Store: st, Idle: func(context.Context) time.Duration { return tt.idle }}).Run(ctx)
				err := st.View(t.Context(), org.ID, func(tx store.Tx) error {
					v := loci.Viewer{OrgID: org.ID, UserID: org.OwnerID}
					_, active, err := tx.Sessions().Count(t.Context(), v, store.SessionQuery{})
					if active != tt.active {
						t.Errorf("%d sessions are active, want %d", active, tt.active)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		})
	}
}
