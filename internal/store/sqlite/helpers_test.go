package sqlite

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// bg is for what outlives a test's own context, such as benchmarks' set-up.
var bg = context.Background()

// openStore opens a store that is closed when the test ends, if not before.
func openStore(t testing.TB, opts Options) *Store {
	t.Helper()
	s, err := Open(bg, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// newStore opens a store with the default org and returns its owner.
func newStore(t testing.TB, opts Options) (*Store, loci.UserID) {
	t.Helper()
	if opts.Dir == "" {
		opts.Dir = t.TempDir()
	}
	s, user := openStore(t, opts), loci.NewUserID()
	if _, _, err := s.Orgs().Ensure(bg, loci.Org{ID: loci.DefaultOrg, Name: "Default", OwnerID: user},
		loci.User{}); err != nil {
		t.Fatal(err)
	}
	return s, user
}

func newMemory(user loci.UserID, title string, tags ...string) *loci.Memory {
	m := &loci.Memory{ID: loci.NewMemoryID(), Title: title, Content: "some content", Tags: tags}
	m.UserID, m.Origin = user, "claude"
	m.SetDefaults()
	m.State = loci.State{Version: 1, Change: loci.Created, Editor: "claude"}
	m.CreatedAt = loci.CutTime(time.Now())
	m.UpdatedAt = m.CreatedAt
	return m
}

func insert(t testing.TB, s *Store, org loci.OrgID, list ...*loci.Memory) {
	t.Helper()
	err := s.Update(bg, org, func(tx store.Tx) error {
		for _, m := range list {
			if err := tx.Memories().Insert(bg, m); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(explain(err))
	}
}

func latest(t testing.TB, s *Store, org loci.OrgID, user loci.UserID) []string {
	t.Helper()
	var titles []string
	err := s.View(bg, org, func(tx store.Tx) error {
		page, err := tx.Lists().List(bg, loci.Viewer{OrgID: org, UserID: user}, store.ListQuery{Limit: 100})
		for _, m := range page.Memories {
			titles = append(titles, m.Title)
		}
		return err
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	return titles
}

// explain shows a hidden cause.
func explain(err error) string { return fmt.Sprintf("%v (%+v)", err, errorsOf(err)) }

func errorsOf(err error) (out []string) {
	for err != nil {
		out = append(out, err.Error())
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return out
		}
		err = u.Unwrap()
	}
	return out
}
