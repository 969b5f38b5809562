package sqlite

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// BenchmarkTeamPool lists the newest of a team's small pool for somebody who
// has a hundred times as many of their own.
func BenchmarkTeamPool(b *testing.B) {
	s, user := newStore(b, Options{})
	team, v := loci.TeamID{1}, newVocabulary()
	const n = 10_000
	for i := 0; i < n; {
		var list []*loci.Memory
		for range 1000 {
			m := v.memory(user, i)
			if i < n/100 { // the oldest
				m.TeamID = team
			}
			list = append(list, m)
			i++
		}
		insert(b, s, loci.DefaultOrg, list...)
	}
	viewer := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: team, Vendor: "claude"}
	for b.Loop() {
		err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) error {
			page, err := tx.Lists().List(bg, viewer, store.ListQuery{Limit: 20, Total: true, Filter: store.Filter{TeamID: team}})
			if page.Total != n/100 {
				b.Fatalf("%d in the pool", page.Total)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
