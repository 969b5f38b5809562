package sqlite

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// TestTotalsAreOfNow asks for the same totals again and again, while this process and another one
// write, time passes, and readers differ in what they may see.
func TestTotalsAreOfNow(t *testing.T) {
	t.Parallel()
	now := oldTime
	opts := Options{Dir: t.TempDir(), Now: func() time.Time { return now }}
	s, user := newStore(t, opts)
	other := openStore(t, opts)
	person := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user}
	agent := person
	agent.Vendor, agent.AgentID = "claude", loci.AgentID{1}
	stranger := agent
	stranger.AgentID = loci.AgentID{2}
	tagged := store.Filter{Tags: []string{"t"}}
	early := store.Filter{Tags: []string{"t"}, To: oldTime}
	check := func(what string, v loci.Viewer, f store.Filter, want int) {
		t.Helper()
		for range 3 { // the first may count, the others find what it has counted
			var page store.Page
			err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) (err error) {
				page, err = tx.Lists().List(bg, v, store.ListQuery{Filter: f, Limit: 1, Total: true})
				return err
			})
			if page.Total != want || err != nil {
				t.Errorf("%s: got %d, %v; want %d", what, page.Total, err, want)
			}
		}
	}
	first := newMemory(user, "a", "t")
	insert(t, s, loci.DefaultOrg, first)
	check("one", person, tagged, 1)
	insert(t, s, loci.DefaultOrg, newMemory(user, "b", "t"))
	check("after a write", person, tagged, 2)
	insert(t, other, loci.DefaultOrg, newMemory(user, "c", "t"))
	check("after a write of another process", person, tagged, 3)
	check("at no time", person, early, 0)
	check("of another tag", person, store.Filter{Tags: []string{"u"}}, 0)
	check("of an agent", agent, tagged, 3)
	own := newMemory(user, "d", "t")
	own.Scope, own.AgentID = loci.ScopeAgent, agent.AgentID
	ending := newMemory(user, "e", "t")
	ending.ExpiresAt = now.Add(time.Hour)
	insert(t, s, loci.DefaultOrg, own, ending)
	check("with an agent's", person, tagged, 5)
	check("with its own", agent, tagged, 5)
	check("without another's", stranger, tagged, 4)
	now = now.Add(time.Hour)
	check("after one has expired", person, tagged, 4)
	check("after one has expired, for an agent", stranger, tagged, 3)
	written := errors.New("enough")
	err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
		if err := tx.Memories().Insert(bg, newMemory(user, "f", "t")); err != nil {
			return err
		}
		page, err := tx.Lists().List(bg, person, store.ListQuery{Filter: tagged, Limit: 1, Total: true})
		if err == nil && page.Total != 5 {
			err = fmt.Errorf("got %d", page.Total)
		}
		return errors.Join(err, written)
	})
	if !errors.Is(err, written) || len(err.Error()) != len(written.Error()) {
		t.Errorf("within a change: %v", err)
	}
	check("after it was rolled back", person, tagged, 4)
}
