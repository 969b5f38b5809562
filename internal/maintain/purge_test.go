package maintain_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/maintain"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// wantPurged demands that a job takes nothing up to the very moment at which
// what was made at start is old enough, and n things just after it.
func wantPurged(t *testing.T, st store.Store, run func(context.Context, store.Store, time.Time) (int, error),
	life time.Duration, n int) {
	t.Helper()
	for _, step := range []struct {
		now  time.Time
		want int
	}{{start.Add(life), 0}, {start.Add(life + time.Microsecond), n}, {start.Add(life + time.Hour), 0}} {
		if got, err := run(t.Context(), st, step.now); err != nil || got != step.want {
			t.Errorf("%v after start: %d, %v, want %d", step.now.Sub(start), got, err, step.want)
		}
	}
}

const day = 24 * time.Hour

func TestPurgeNodes(t *testing.T) {
	st := openStore(t, t.TempDir())
	org := seed(t, st, 3, start)
	err := st.Update(t.Context(), org.ID, func(tx store.Tx) error {
		for i := range 251 { // more than one batch, and one that stays
			n := &loci.MemoryNode{ID: loci.NewNodeID(), Name: "n", CreatedAt: start, UpdatedAt: start}
			n.OrgID, n.UserID, n.DeletedAt = org.ID, org.OwnerID, start.Add(time.Duration(i/250)*day)
			n.SetDefaults()
			if err := tx.MemoryNodes().Insert(t.Context(), n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPurged(t, st, maintain.Purge, loci.TrashDays*day, 253)
}

func TestSweepBlobs(t *testing.T) {
	now := start
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	org := seed(t, st, 1, time.Time{})
	for i := range 250 { // more than one batch
		if _, _, err := st.Blobs().Put(t.Context(), org.ID, strings.NewReader(strconv.Itoa(i)), 10); err != nil {
			t.Fatal(err)
		}
	}
	now = start.Add(time.Hour * 2)
	if _, _, err := st.Blobs().Put(t.Context(), org.ID, strings.NewReader("0"), 10); err != nil { // once more
		t.Fatal(err)
	}
	wantPurged(t, st, maintain.SweepBlobs, day, 249)
}

func TestPurgeAudit(t *testing.T) {
	st := openStore(t, t.TempDir())
	org := seed(t, st, 1, time.Time{})
	err := st.Update(t.Context(), org.ID, func(tx store.Tx) error {
		for range 250 { // more than one batch
			if err := tx.Audit().Add(t.Context(), loci.AuditEntry{At: start, Action: "memory.trash"}); err != nil {
				return err
			}
		}
		return tx.Audit().Add(t.Context(), loci.AuditEntry{At: start.Add(10 * day), Action: "memory.trash"})
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPurged(t, st, maintain.PurgeAudit, maintain.AuditDays*day, 250)
}

func TestPurgeFeed(t *testing.T) {
	now := start
	st, err := sqlite.Open(t.Context(), sqlite.Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	seed(t, st, 250, time.Time{}) // more than one batch
	now = start.Add(day)
	seed(t, st, 1, time.Time{})
	wantPurged(t, st, maintain.PurgeFeed, maintain.FeedDays*day, 250)
}

func TestPurgeRequests(t *testing.T) {
	st := openStore(t, t.TempDir())
	org := seed(t, st, 1, time.Time{})
	err := st.Update(t.Context(), org.ID, func(tx store.Tx) error {
		for i := range 251 { // more than one batch, and one that stays
			r := store.IdempotentRequest{Key: [32]byte{byte(i), byte(i >> 8)}, At: start.Add(time.Duration(i/250) * day)}
			if _, began, err := tx.Idempotency().Begin(t.Context(), r, start); err != nil || !began {
				t.Errorf("request %d: %v, %v", i, began, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPurged(t, st, maintain.PurgeRequests, maintain.RequestHours*time.Hour, 250)
}

func TestPurgePacks(t *testing.T) {
	st := openStore(t, t.TempDir())
	org := seed(t, st, 1, time.Time{})
	err := st.Update(t.Context(), org.ID, func(tx store.Tx) error {
		s := loci.Session{ID: loci.NewSessionID(), EventAccess: loci.EventAccess{OrgID: org.ID, UserID: org.OwnerID,
			Reach: loci.ReachOrg, Origin: "api", AllowedVendors: []loci.Vendor{loci.AnyVendor}}, State: loci.SessionActive,
			CreatedAt: start, UpdatedAt: start, LastActiveAt: start}
		if err := tx.Sessions().Insert(t.Context(), s); err != nil {
			return err
		}
		// One has received things long ago and lately, so the old ones stay, too: they are its prefix.
		kept := []store.Sent{{ID: [16]byte{2}, Version: 1, Place: 1}, {ID: [16]byte{3}, Version: 1}}
		for i, one := range kept {
			err := tx.Packs().Add(t.Context(), s.ID, "tom", i+1, []store.Sent{one}, start.Add(time.Duration(i)*10*day))
			if err != nil {
				return err
			}
		}
		for i := range 250 { // more than one batch
			err := tx.Packs().Add(t.Context(), s.ID, fmt.Sprint("ada", i), 1, []store.Sent{{ID: [16]byte{1}, Version: 1}}, start)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantPurged(t, st, maintain.PurgePacks, maintain.PackDays*day, 500)
}

func TestPurgeCredentials(t *testing.T) {
	st := openStore(t, t.TempDir())
	org := seed(t, st, 1, time.Time{})
	insert := func(n byte, change func(*loci.Credential)) loci.Credential {
		c := loci.Credential{ID: loci.NewCredentialID(), OrgID: org.ID, UserID: org.OwnerID, Kind: loci.KindUser,
			Method: loci.BySignIn, Hash: [32]byte{n},
			CreatedAt: start.Add(-day)}
		change(&c)
		if err := st.Credentials().Insert(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		return c
	}
	insert(1, func(c *loci.Credential) { c.ExpiresAt = start })
	insert(2, func(c *loci.Credential) { c.RevokedAt = start })
	insert(3, func(c *loci.Credential) { c.Method, c.ExpiresAt = loci.ByLink, start })
	kept := []loci.Credential{
		insert(4, func(c *loci.Credential) { c.Method, c.ExpiresAt = loci.ByKey, start }),
		insert(5, func(c *loci.Credential) { c.ExpiresAt = start.Add(5 * day) }),
	}
	wantPurged(t, st, maintain.PurgeCredentials, maintain.CredentialDays*day, 3)
	for _, c := range kept {
		if _, err := st.Credentials().ByHash(t.Context(), c.Hash); err != nil {
			t.Errorf("credential %d: %v", c.Hash[0], err)
		}
	}
}

func TestPurgeExchangesAndLimits(t *testing.T) {
	st := openStore(t, t.TempDir())
	org := seed(t, st, 1, time.Time{})
	client := loci.OAuthClient{ID: "c", RedirectURIs: []string{"https://c.example"}, CreatedAt: start}
	g := loci.Grant{ID: loci.NewGrantID(), OrgID: org.ID, UserID: org.OwnerID, ClientID: "c", Vendor: "claude",
		CreatedAt: start, ExpiresAt: start.Add(90 * day)}
	if err := st.OAuth().PutClient(t.Context(), client); err != nil {
		t.Fatal(err)
	}
	if err := st.OAuth().Allow(t.Context(), g,
		loci.AuthCode{Hash: [32]byte{1}, GrantID: g.ID, ClientID: "c", ExpiresAt: start}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Limits().Take(t.Context(), "key", start, 1); err != nil {
		t.Fatal(err)
	}
	used := func(want int) {
		t.Helper()
		if got, err := st.Limits().Take(t.Context(), "key", start, 0); err != nil || got != want {
			t.Errorf("%d uses, %v, want %d", got, err, want)
		}
	}
	if _, err := maintain.PurgeCredentials(t.Context(), st, start.Add(time.Hour)); err != nil {
		t.Error(err)
	}
	used(1)
	wantPurged(t, st, maintain.PurgeCredentials, day, 1)
	used(0)
}

func TestPurgeMCPSessions(t *testing.T) {
	st := openStore(t, t.TempDir())
	org := seed(t, st, 1, time.Time{})
	p, err := st.Projects().Create(t.Context(), loci.Project{OrgID: org.ID, Name: "p"}, org.OwnerID)
	if err != nil {
		t.Fatal(err)
	}
	put := func(n byte, used time.Time) {
		t.Helper()
		err := st.Connections().Put(t.Context(),
			store.Connection{Key: [32]byte{n}, OrgID: org.ID, UserID: org.OwnerID, ProjectID: p.ID, UsedAt: used})
		if err != nil {
			t.Fatal(err)
		}
	}
	for n := range byte(250) { // more than one batch
		put(n, start)
	}
	put(255, start.Add(day))
	err = st.Connections().Open(t.Context(),
		store.OpenConnection{Key: [32]byte{1}, OrgID: org.ID, UserID: org.OwnerID, State: []byte("{}"), UsedAt: start}, 2)
	if err != nil {
		t.Fatal(err)
	}
	wantPurged(t, st, maintain.PurgeConnections, maintain.SessionDays*day, 251)
	if _, err := st.Connections().Get(t.Context(), [32]byte{255}); err != nil {
		t.Error(err)
	}
}

// TestJobsAreWrittenDown runs the jobs of a process, and reads what another process would see of them.
func TestJobsAreWrittenDown(t *testing.T) {
	t.Parallel()
	st := openStore(t, t.TempDir())
	now := start.AddDate(0, 2, 0)
	seed(t, st, 3, start)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		maintain.New(maintain.Options{Store: st, Now: func() time.Time { return now },
			Idle: func(context.Context) time.Duration { return time.Hour }}).Run(ctx)
	}()
	var jobs []store.Job
	for len(jobs) < 9 {
		var err error
		if jobs, err = st.Jobs().List(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	<-ended
	for _, j := range jobs {
		want, rows := now.Add(24*time.Hour), 0
		switch j.Name {
		case "trash.purge":
			rows = 3
		case "sessions.expire":
			want = now.Add(time.Hour)
		}
		if !j.NextAt.Equal(want) || !j.BegunAt.Equal(now) || j.Error != "" || j.Rows != rows {
			t.Errorf("%+v, want %d rows and the next turn at %s", j, rows, want)
		}
	}
}
