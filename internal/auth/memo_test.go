package auth_test

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// elsewhere are changes that another process makes.
var elsewhere = map[string]func(context.Context, store.Store, loci.Org, loci.UserID, loci.CredentialID) error{
	"revoke": func(ctx context.Context, st store.Store, org loci.Org, user loci.UserID, id loci.CredentialID) error {
		return st.Credentials().Revoke(ctx, org.ID, user, id, org.CreatedAt)
	},
	"suspend": func(ctx context.Context, st store.Store, org loci.Org, _ loci.UserID, _ loci.CredentialID) error {
		_, err := st.Orgs().Update(ctx, org.ID, func(o *loci.Org) error { o.State = loci.OrgSuspended; return nil })
		return err
	},
	"disable": func(ctx context.Context, st store.Store, org loci.Org, user loci.UserID, _ loci.CredentialID) error {
		return st.Update(ctx, org.ID, func(tx store.Tx) error {
			u, err := tx.Users().Get(ctx, user)
			if err != nil {
				return err
			}
			u.Disabled = true
			return tx.Users().Update(ctx, u)
		})
	},
	"use workspaces": func(ctx context.Context, st store.Store, org loci.Org, _ loci.UserID, _ loci.CredentialID) error {
		_, err := st.Orgs().Update(ctx, org.ID, func(o *loci.Org) error { o.Workspaces = true; return nil })
		return err
	},
}

// TestRevocationElsewhere requires that a change by another process takes effect with the very next
// request, however often the credential was used before.
func TestRevocationElsewhere(t *testing.T) {
	t.Parallel()
	const mark = "AUTH_TEST_ELSEWHERE"
	if job := os.Getenv(mark); job != "" {
		if err := changeElsewhere(t.Context(), job, os.Getenv(mark+"_DIR"), os.Getenv(mark+"_CREDENTIAL")); err != nil {
			t.Fatal(err)
		}
		return
	}
	for job, code := range map[string]loci.Code{"revoke": loci.Unauthenticated, "suspend": loci.Forbidden,
		"disable": loci.Unauthenticated, "use workspaces": loci.Forbidden} {
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			a := w.auth(t, auth.Options{})
			c, key := w.key(t, auth.KeyRequest{Name: "k"})
			for range 3 {
				if _, err := a.Authenticate(t.Context(), bearer(key)); err != nil {
					t.Fatal(err)
				}
			}
			other := exec.Command(os.Args[0], "-test.run=^TestRevocationElsewhere$")
			other.Env = append(os.Environ(), mark+"="+job, mark+"_DIR="+w.dir, mark+"_CREDENTIAL="+c.ID.String())
			if out, err := other.CombinedOutput(); err != nil {
				t.Fatalf("%v:\n%s", err, out)
			}
			if p, err := a.Authenticate(t.Context(), bearer(key)); loci.CodeOf(err) != code {
				t.Errorf("got %+v, %v; want %s", p, err, code)
			}
		})
	}
}

func changeElsewhere(ctx context.Context, job, dir, credential string) error {
	st, err := sqlite.Open(ctx, sqlite.Options{Dir: dir})
	if err != nil {
		return err
	}
	org, err := st.Orgs().Get(ctx, loci.DefaultOrg)
	if err != nil {
		return err
	}
	id, err := loci.ParseMemoryID(credential)
	if err == nil {
		err = elsewhere[job](ctx, st, org, org.OwnerID, loci.CredentialID(id))
	}
	if err != nil {
		return err
	}
	return st.Close()
}

// counting counts what is read from a store.
type counting struct {
	store.Store
	reads int
	blind bool // can't tell whether anything was committed
}

func (c *counting) View(ctx context.Context, org loci.OrgID, fn func(store.Tx) error) error {
	c.reads++
	return c.Store.View(ctx, org, fn)
}

func (c *counting) Credentials() store.Credentials {
	c.reads++
	return c.Store.Credentials()
}

func (c *counting) Stamp(ctx context.Context, org loci.OrgID) (store.Stamp, bool) {
	s, ok := c.Store.Stamp(ctx, org)
	return s, ok && !c.blind
}

func (c *counting) PeopleStamp(ctx context.Context, org loci.OrgID) (store.Stamp, bool) {
	s, ok := c.Store.PeopleStamp(ctx, org)
	return s, ok && !c.blind
}

// TestRowsAreReadOnce requires that a request reads nothing again unless something was committed.
func TestRowsAreReadOnce(t *testing.T) {
	w := newWorld(t)
	if _, ok := w.store.Stamp(t.Context(), ""); !ok && runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("the engine can't tell whether anything was committed")
	}
	_, key := w.key(t, auth.KeyRequest{Name: "k"})
	counted := &counting{Store: w.store}
	w.store = counted
	a := w.auth(t, auth.Options{})
	for i, step := range []struct {
		before func() error
		reads  int
	}{
		{nil, 3}, // the credential, its use, and the person
		{nil, 1}, // the credential again, because its use was committed
		{nil, 0},
		{func() error {
			return w.store.Update(t.Context(), w.org.ID, func(tx store.Tx) error {
				u, err := tx.Users().Get(t.Context(), w.org.OwnerID)
				if err == nil {
					u.Name = "new"
					err = tx.Users().Update(t.Context(), u)
				}
				return err
			})
		}, 1}, // the person
		{nil, 0},
		{func() error {
			return w.store.Update(t.Context(), w.org.ID, func(tx store.Tx) error {
				return tx.Memories().Insert(t.Context(), &loci.Memory{ID: loci.NewMemoryID(), Title: "t", Content: "c",
					Type: loci.Semantic, Category: "fact", Importance: 5, CreatedAt: w.now, UpdatedAt: w.now,
					Access: loci.Access{OrgID: w.org.ID, UserID: w.org.OwnerID, Origin: "a", Scope: loci.ScopeGlobal,
						AllowedVendors: []loci.Vendor{loci.AnyVendor}},
					State: loci.State{Version: 1, Change: loci.Created, Editor: "a"}})
			})
		}, 0}, // a memory says nothing of the person
		{func() error { counted.blind = true; return nil }, 2},
	} {
		if step.before != nil {
			if err := step.before(); err != nil {
				t.Fatal(err)
			}
		}
		counted.reads = 0
		if _, err := a.Authenticate(t.Context(), bearer(key)); err != nil || counted.reads != step.reads {
			t.Errorf("request %d: %d reads, %v; want %d", i+1, counted.reads, err, step.reads)
		}
	}
}
