package sqlite_test

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlite"
	"github.com/loci-memory/loci/internal/store/storetest"
)

// TestSavesByKey saves through two stores on one directory, as two processes do.
func TestSavesByKey(t *testing.T) {
	t.Parallel()
	dir, user := t.TempDir(), loci.NewUserID()
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	first, second := open(t, sqlite.Options{Dir: dir, Now: now}), open(t, sqlite.Options{Dir: dir, Now: now})
	if _, _, err := first.Orgs().Ensure(t.Context(), loci.Org{ID: loci.DefaultOrg, Name: "Default", OwnerID: user},
		loci.User{}); err != nil {
		t.Fatal(err)
	}
	storetest.SavesByKey(t, now, loci.DefaultOrg, user, first, second)
}
