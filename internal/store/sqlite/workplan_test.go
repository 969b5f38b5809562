package sqlite

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// TestWorkPlans looks at what is asked of agents, sessions, suggestions, the
// feed and repeated requests.
func TestWorkPlans(t *testing.T) {
	s, user := newStore(t, Options{})
	person := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}}
	claude := person
	claude.Vendor, claude.WorkspaceID = "claude", loci.WorkspaceID{4}
	const both = "SEARCH m EXISTS USING INTEGER PRIMARY KEY (rowid=?)"
	err := s.with(t.Context(), loci.DefaultOrg, func(f *orgFile) error {
		return f.db.View(t.Context(), func(c *sqlitedb.Conn) error {
			tx := s.tx(f, c)
			for _, v := range []loci.Viewer{person, claude} {
				var q query
				agents{tx}.listQuery(&q, v, loci.Agent{Name: "a", Vendor: "b"}, 10)
				checkPlan(t, c, "agents", q.String(), q.args, "SEARCH a USING INDEX sqlite_autoindex_agents_2 (user_id=? AND (name,vendor)>(?,?))")
				for state, from := range map[loci.SuggestionState]string{"": "SEARCH s USING INTEGER PRIMARY KEY (rowid<?)",
					loci.SuggestionDeclined: "SEARCH s USING INTEGER PRIMARY KEY (rowid<?)", loci.SuggestionPending: "SEARCH s USING INDEX suggestions_open (seq<?)"} {
					q = query{}
					suggestions{tx}.listQuery(&q, v, state, 9, 10)
					checkPlan(t, c, "suggestions "+string(state), q.String(), q.args, from,
						"SEARCH a USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)", both, both)
				}
			}
			for name, tt := range map[string]struct {
				v    loci.Viewer
				q    store.SessionQuery
				want string
			}{
				"person":   {person, store.SessionQuery{}, "SEARCH s USING INDEX sessions_of_user (user_id=? AND seq<?)"},
				"vendor":   {claude, store.SessionQuery{}, "SEARCH s USING INDEX sessions_of_vendor (user_id=? AND vendor=? AND seq<?)"},
				"active":   {person, store.SessionQuery{State: loci.SessionActive}, "SEARCH s USING INDEX sessions_active (user_id=? AND seq<?)"},
				"of agent": {person, store.SessionQuery{AgentID: loci.AgentID{1}}, "SEARCH s USING INDEX sessions_of_agent (agent_id=? AND seq<?)"},
			} {
				var q query
				tt.q.Limit = 10
				sessions{tx}.listQuery(&q, tt.v, &tt.q, 9)
				checkPlan(t, c, "sessions of "+name, q.String(), q.args, tt.want)
			}
			checkPlan(t, c, "feed", feedBehind, sqlitedb.Args{0, 1}, "SEARCH feed USING INTEGER PRIMARY KEY (rowid>?)")
			checkPlan(t, c, "old requests", purgeRequests, sqlitedb.Args{0, 1}, "SEARCH idempotency USING PRIMARY KEY (key=?)",
				"SEARCH idempotency USING COVERING INDEX idempotency_at (at<?)")
			for table, want := range map[string]string{"memory_seq": "suggestions_of_memory (memory_seq=?)", "by_seq": "suggestions_by (by_seq=?)"} {
				checkPlan(t, c, "suggestions of an erased memory", "SELECT 1 FROM suggestions WHERE "+table+" = ?", sqlitedb.Args{1}, "SEARCH suggestions USING COVERING INDEX "+want)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
