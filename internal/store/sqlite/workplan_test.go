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
	t.Parallel()
	s, user := newStore(t, Options{})
	person := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}}
	claude := person
	claude.Vendor, claude.WorkspaceID = "claude", loci.WorkspaceID{4}
	const both = "SEARCH m EXISTS USING INTEGER PRIMARY KEY (rowid=?)"
	plans(t, s, func(p *planner) {
		for _, v := range []loci.Viewer{person, claude} {
			p.check("agents", 0, func() error { _, err := p.Agents().List(bg, v, store.AgentQuery{Limit: 10}); return err },
				"SEARCH a USING INDEX sqlite_autoindex_agents_2 (name>?)")
			for state, from := range map[loci.SuggestionState]string{"": "SEARCH s USING INTEGER PRIMARY KEY (rowid<?)",
				loci.SuggestionDeclined: "SEARCH s USING INTEGER PRIMARY KEY (rowid<?)",
				loci.SuggestionPending:  "SEARCH s USING INDEX suggestions_open (seq<?)"} {
				want := []string{from, "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)",
					"SEARCH b USING INTEGER PRIMARY KEY (rowid=?)", both, both}
				if v.Vendor == "" { // also secrets, of one memory each
					const m = "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"
					want = []string{from, "SEARCH a USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN", m, m, m,
						"SEARCH b USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN"}
				}
				p.check("suggestions "+string(state), 0,
					func() error { _, _, err := p.Suggestions().List(bg, v, state, "", 10); return err }, want...)
			}
		}
		for nth, want := range [][]string{
			{"SEARCH a USING INDEX sqlite_autoindex_memories_1 (id=?)",
				"SEARCH m USING INDEX memories_by_key (user_id=? AND key=?)"},
			{"SEARCH a USING COVERING INDEX sqlite_autoindex_memories_1 (id=?)",
				"SEARCH s USING COVERING INDEX suggestions_pending (memory_seq=?)", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"},
		} {
			p.check("disagreements", nth, func() error {
				_, err := p.Suggestions().Disagreements(bg, claude, []*loci.Memory{{ID: loci.MemoryID{1}, Key: "k"},
					{ID: loci.MemoryID{2}, Key: "k"}})
				return err
			}, want...)
		}
		for name, tt := range map[string]struct {
			v    loci.Viewer
			q    store.SessionQuery
			want string
		}{
			"person": {person, store.SessionQuery{}, "SEARCH s USING INTEGER PRIMARY KEY (rowid<?)"},
			"vendor": {claude, store.SessionQuery{}, "SEARCH s USING INTEGER PRIMARY KEY (rowid<?)"},
			"active": {person, store.SessionQuery{State: loci.SessionActive},
				"SEARCH s USING INDEX sessions_active (seq<?)"},
			"title": {person, store.SessionQuery{State: loci.SessionActive, Title: "a"},
				"SEARCH s USING INDEX sessions_by_title (title=? AND seq<?)"},
			"project": {person, store.SessionQuery{ProjectID: loci.ProjectID{1}},
				"SEARCH s USING INDEX sessions_of_project (project_id=? AND seq<?)"},
			"of agent": {person, store.SessionQuery{AgentID: loci.AgentID{1}},
				"SEARCH s USING INDEX sessions_of_agent (agent_id=? AND seq<?)"},
		} {
			tt.q.Limit = 10
			p.check("sessions of "+name, 0, func() error { _, _, err := p.Sessions().List(bg, tt.v, tt.q); return err }, tt.want)
		}
		for name, tt := range map[string]struct {
			q    store.TaskQuery
			want string
		}{
			"latest": {store.TaskQuery{}, "SEARCH t USING INTEGER PRIMARY KEY (rowid<?)"},
			"title":  {store.TaskQuery{Title: "a", Open: true}, "SEARCH t USING INDEX tasks_by_title (title=? AND seq<?)"},
			"project": {store.TaskQuery{ProjectID: loci.ProjectID{1}},
				"SEARCH t USING INDEX tasks_of_project (project_id=? AND seq<?)"},
			"doing": {store.TaskQuery{ProjectID: loci.ProjectID{1}, State: loci.TaskDoing},
				"SEARCH t USING INDEX tasks_in_progress (project_id=? AND seq<?)"},
		} {
			tt.q.Limit = 10
			p.check("tasks by "+name, 0, func() error { _, _, err := p.Tasks().List(bg, claude, tt.q); return err }, tt.want)
		}
		at, err := p.Feed().Now(bg, person)
		if err != nil {
			t.Fatal(err)
		}
		p.check("feed", 0, func() error {
			_, err := p.Feed().After(bg, person, store.FeedQuery{After: at, Limit: 1})
			return err
		}, "SEARCH feed USING INTEGER PRIMARY KEY (rowid>?)")
		p.check("old requests", 0, func() error { _, err := p.Idempotency().Purge(bg, oldTime, 1); return err },
			"SEARCH idempotency USING PRIMARY KEY (key=?)",
			"SEARCH idempotency USING COVERING INDEX idempotency_at (at<?)")
		for table, want := range map[string]string{"memory_seq": "suggestions_of_memory (memory_seq=?)",
			"by_seq": "suggestions_by (by_seq=?)"} {
			checkPlan(t, p.index.c, "suggestions of an erased memory", "SELECT 1 FROM suggestions WHERE "+table+" = ?",
				sqlitedb.Args{1}, "SEARCH suggestions USING COVERING INDEX "+want)
		}
	})
}
