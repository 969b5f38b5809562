package sqlite

import (
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// BenchmarkMatchConditions finds the candidates of a recall of four words among 100,000 memories of all
// scopes, some with a lifetime and with times between which they are true, and then again
// by the full text alone: without a scope, expiry or time condition. It reports how many
// times the one costs the other. Every row is visible, so both find the same.
func BenchmarkMatchConditions(b *testing.B) {
	const n = 100_000
	s, user := newStore(b, Options{})
	p, err := s.Projects().Create(bg, loci.Project{ID: loci.NewProjectID(), OrgID: loci.DefaultOrg, Name: "p"}, user)
	if err != nil {
		b.Fatal(err)
	}
	agent := loci.NewAgentID()
	words := newVocabulary()
	var last time.Time
	for made := 0; made < n; {
		var list []*loci.Memory
		for range 1000 {
			list = append(list, scoped(words.memory(user, made), made, p.ID, agent))
			last = list[len(list)-1].CreatedAt
			made++
		}
		insert(b, s, loci.DefaultOrg, list...)
	}
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, Vendor: "claude", AgentID: agent,
		ProjectIDs: []loci.ProjectID{p.ID}}
	for name, when := range map[string]loci.When{"Now": {}, "AsOf": {AsOf: last.Add(time.Hour)},
		"KnownAt": {KnownAt: last.Add(time.Hour)}} {
		b.Run(name, func(b *testing.B) {
			var with, without time.Duration
			var found [2]int
			order := false
			for b.Loop() {
				q := store.MatchQuery{Limit: 10_000, Filter: store.Filter{When: when}}
				for range 4 {
					q.Terms = append(q.Terms, loci.Term{Words: []string{words.word()}})
				}
				order = !order // whoever comes second finds pages in memory
				err := s.View(bg, loci.DefaultOrg, func(t store.Tx) error {
					for n, bare := 0, order; n < 2; n, bare = n+1, !bare {
						start := time.Now()
						if bare {
							found[0] = len(matchBare(b, t, &q))
							without += time.Since(start)
							continue
						}
						hits, err := t.Lists().Match(bg, v, q)
						if err != nil {
							return err
						}
						found[1] = len(hits.Hits)
						with += time.Since(start)
					}
					return nil
				})
				if found[0] != found[1] {
					b.Fatalf("%d hits, %d without conditions", found[1], found[0])
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(with)/float64(without), "×")
			b.ReportMetric(float64(without.Microseconds())/float64(b.N), "µs/bare")
		})
	}
}

// scoped puts every third memory into a project and every sixth into the hands of an
// agent, and gives others a lifetime and times.
func scoped(m *loci.Memory, i int, project loci.ProjectID, agent loci.AgentID) *loci.Memory {
	switch {
	case i%3 == 0:
		m.Scope, m.ProjectID = loci.ScopeProject, project
	case i%6 == 1:
		m.Scope, m.AgentID = loci.ScopeAgent, agent
	}
	if i%2 == 0 {
		m.ExpiresAt = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if i%4 == 1 {
		m.ValidFrom, m.ValidTo = m.CreatedAt.Add(-time.Hour), m.ExpiresAt
	}
	return m
}

// matchBare is Match without its conditions.
func matchBare(b *testing.B, t store.Tx, mq *store.MatchQuery) (hits []loci.Match) {
	text := expression(mq.Terms, mq.All)
	var q sqlstore.Query
	q.Add(`SELECT m.id, m.created_at, m.updated_at, m.pinned, m.importance, features(memory_text), m.seq
		FROM memory_text CROSS JOIN memories m ON m.seq = memory_text.rowid WHERE memory_text MATCH ?
		ORDER BY memory_text.rowid DESC LIMIT ?`, text, int64(mq.Limit))
	err := indexOf(t).c.Query(q.String(), q.Args, func(r *sqlitedb.Row) error {
		m := loci.Match{ID: r.ID(0), CreatedAt: timeAt(r, 1), UpdatedAt: timeAt(r, 2), Pinned: r.Bool(3),
			Importance: r.Int(4)}
		err := unpack(r.Raw(5), len(mq.Terms), &m)
		hits = append(hits, m)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return hits
}
