package sqlite

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// TestPlans looks at how SQLite runs what is asked most: by index ranges, and
// sorting nothing but what one page holds.
func TestPlans(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	viewers := map[string]loci.Viewer{
		"person": {OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}},
		"agent": {OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}, ProjectIDs: []loci.ProjectID{{2}, {3}},
			WorkspaceID: loci.WorkspaceID{4}, AgentID: loci.AgentID{5}, Vendor: "claude"},
	}
	const byRange = "SEARCH p USING PRIMARY KEY (pool=? AND vendor=? AND token=? AND "
	kinds := map[string]struct {
		filter store.Filter
		want   []string
	}{
		"latest": {store.Filter{}, []string{byRange}},
		"by tag": {store.Filter{Tags: []string{"t"}}, []string{byRange}},
		"origin": {store.Filter{Origin: "claude"}, []string{byRange}},
		"trash":  {store.Filter{Lifecycle: loci.TrashOnly}, []string{byRange}},
		"team":   {store.Filter{TeamID: loci.TeamID{1}}, []string{byRange}},
		"pinned": {store.Filter{Pinned: true}, []string{byRange}},
		"key":    {store.Filter{Key: "k"}, []string{byRange}},
		"work":   {store.Filter{SessionID: loci.SessionID{1}}, []string{byRange}},
		"about":  {store.Filter{ProjectID: loci.ProjectID{2}}, []string{byRange}},
		"scope":  {store.Filter{Scope: loci.ScopeProject}, []string{byRange}},
		"robot":  {store.Filter{AgentID: loci.AgentID{5}}, []string{byRange}},
		"other": {store.Filter{Category: "fact", Tags: []string{"t"}},
			[]string{byRange, byRowID}},
	}
	plans(t, s, func(p *planner) {
		for who, v := range viewers {
			pool, err := p.index.walk(listingOf(v, store.Filter{TeamID: v.TeamID, Tags: []string{"a", "b"}, Origin: "o"}))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range pool.ranges {
				if r.pool != newPool(teamPool, v.TeamID) {
					t.Errorf("%s: the list of a team walks through pool %x", who, r.pool)
				}
			}
			project, err := p.index.walk(listingOf(v, store.Filter{ProjectID: loci.ProjectID{2}, Scope: loci.ScopeProject}))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range project.ranges {
				if alone := r.pool == newPool(projectPool, loci.ProjectID{2}) &&
					(r.vendor == vendorListed || !project.joined(r)); !alone && len(v.ProjectIDs) > 0 {
					t.Errorf("%s: the list of a project walks through pool %x, joined %v", who, r.pool, project.joined(r))
				}
			}
			for name, tt := range kinds {
				want := tt.want
				if name == "team" && v.Vendor == "" { // of the rows of agents, a person sees their own
					want = append(slices.Clone(want), "SEARCH a USING INTEGER PRIMARY KEY (rowid=?)")
				}
				p.lists(who+" "+name, v, tt.filter, want)
			}
			p.check(who+" get", 0, func() error {
				_,
					err := p.Memories().Get(bg, v, loci.MemoryID{}, loci.LiveOnly)
				return err
			},
				"SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)")
			p.check(who+" get many", 0, func() error {
				_, err := p.Memories().GetMany(bg, v, []loci.MemoryID{{1}, {2}}, loci.LiveOnly)
				return err
			}, "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)")
			versions := func() error {
				_, err := p.Memories().Versions(bg, v, loci.MemoryID{}, loci.LiveOnly, 0, 10)
				return err
			}
			p.check(who+" versions", 1, p.pretending(1, versions),
				"SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)",
				"SEARCH o USING INDEX sqlite_autoindex_memory_versions_1 (seq=? AND version<?)")
		}
		only := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1},
			ProjectIDs: []loci.ProjectID{{2}, {3}}, OnlyProjects: true}
		p.lists("only projects", only, store.Filter{}, []string{byRange})
		p.check("purge", 0, func() error { _, err := p.Memories().Purge(bg, oldTime, 1); return err },
			"SEARCH m USING COVERING INDEX memories_trash (deleted_at<?)")
	})
}

// TestTimelessPlans looks at what is asked of keys, of editors and of other times.
func TestTimelessPlans(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}, ProjectIDs: []loci.ProjectID{{2}, {3}},
		WorkspaceID: loci.WorkspaceID{4}, AgentID: loci.AgentID{5}, Vendor: "claude"}
	const (
		byID     = "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)"
		byNumber = "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"
		version  = "SEARCH o USING INDEX sqlite_autoindex_memory_versions_1 (seq=? AND version=?)"
		highest  = "SEARCH h USING INDEX sqlite_autoindex_memory_versions_1 (seq=?)"
		numbers  = "SCAN j VIRTUAL TABLE INDEX 1:"
	)
	plans(t, s, func(p *planner) {
		for _, origin := range []string{"", "claude"} {
			p.check("by key", 0, func() error {
				_, err := p.Memories().OfKey(bg, v, store.KeyQuery{Key: "k", Place: store.Place{Origin: origin}}, 1)
				return err
			},
				"SEARCH m USING INDEX memories_by_key (user_id=? AND key=? AND scope=?)")
		}
		p.check("by look", 0, func() error {
			_, err := p.Memories().OfKey(bg, v, store.KeyQuery{Key: "k", Alike: true}, 2)
			return err
		}, "SEARCH m USING INDEX memories_by_look (user_id=? AND <expr>=? AND scope=?)")
		p.check("by text", 0, func() error {
			_, err := p.Memories().ByText(bg, v, store.TextQuery{Place: store.Place{Origin: "claude"}, Title: "t", Limit: 2})
			return err
		}, "SEARCH m USING INDEX memories_by_text (digest=?)")
		p.check("replaced by", 0, func() error { _, err := p.Memories().ReplacedBy(bg, v, loci.MemoryID{1}, 2); return err },
			"SEARCH m USING INDEX memories_by_superseder (superseded_by=?)")
		p.check("between", 0, func() error {
			_, err := p.Memories().Between(bg, v,
				store.IDQuery{IDRange: store.IDRange[loci.MemoryID]{Limit: 2}, Superseded: true})
			return err
		}, "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id>? AND id<?)")
		edited := func() error {
			_, err := p.Memories().EditedBy(bg, v,
				store.EditQuery{Editor: "a", Credential: loci.CredentialID{1}, Session: loci.SessionID{1}, Limit: 1})
			return err
		}
		p.check("edited", 0, edited, "SEARCH m USING INDEX memories_edited (user_id=? AND updated_at>? AND updated_at<?)")
		p.check("edited before", 1, edited,
			"SEARCH o USING INDEX memory_versions_edited (user_id=? AND updated_at>? AND updated_at<?)", byNumber)
		known := store.Filter{When: loci.When{KnownAt: oldTime, AsOf: oldTime}, Tags: []string{"t"}, From: oldTime}
		at := func() error { _, err := p.Memories().GetAt(bg, v, loci.MemoryID{}, known.When); return err }
		p.check("get at", 0, at, byID)
		p.check("get at, old", 1, at, byID, version, highest)
		list := func() error { _, err := p.Lists().List(bg, v, store.ListQuery{Filter: known, Limit: 2}); return err }
		p.check("rows", 0, list, "SCAN 2-ROW VALUES", "SCAN j", byNumber)
		p.check("old rows", 1, list, numbers, byNumber, version, highest)
		w, err := p.index.walk(listingOf(v, known))
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range w.ranges {
			want := []string{"SEARCH p USING PRIMARY KEY (pool=? AND vendor=? AND token=? AND ", byNumber}
			if r.old {
				want = append(want, version, highest)
			}
			one := *w
			one.ranges = w.ranges[i : i+1]
			for _, form := range []form{formPage, formCount} {
				p.plan("list at", &one, form, want)
			}
		}
	})
}

// TestSearchPlans looks at searches at other times, and at what a search with a filter asks.
func TestSearchPlans(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}, ProjectIDs: []loci.ProjectID{{2}, {3}},
		WorkspaceID: loci.WorkspaceID{4}, AgentID: loci.AgentID{5}, Vendor: "claude"}
	const (
		byID     = "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)"
		byNumber = "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"
		version  = "SEARCH o USING INDEX sqlite_autoindex_memory_versions_1 (seq=? AND version=?)"
		highest  = "SEARCH h USING INDEX sqlite_autoindex_memory_versions_1 (seq=?)"
		numbers  = "SCAN j VIRTUAL TABLE INDEX 1:"
	)
	tags := store.Filter{Tags: []string{"t"}, Category: "fact"}
	known := store.Filter{When: loci.When{KnownAt: oldTime, AsOf: oldTime}, Tags: tags.Tags, From: oldTime}
	plans(t, s, func(p *planner) {
		for name, f := range map[string]store.Filter{"now": {}, "tag": tags, "then": known} {
			for form, do := range map[string]func() error{
				"ids ": func() error { _, _, err := p.Lists().IDs(bg, v, f, 1); return err },
			} {
				p.check(form+name, 0, do, "SCAN 2-ROW VALUES", "SCAN j", byNumber)
				if !f.When.KnownAt.IsZero() {
					p.check(form+name+", old", 1, do, numbers, byNumber, version, highest)
				}
			}
			passing := func() error { _, err := p.Lists().Passing(bg, v, f, []loci.MemoryID{{1}}); return err }
			p.check("passing "+name, 0, passing, byID)
			if !f.When.KnownAt.IsZero() {
				p.check("passing "+name+", old", 1, passing, byID, version, highest)
			}
		}
	})
}

// TestSourcePlans looks at the sources of a page of memories: however many they are, it reads only theirs.
func TestSourcePlans(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	viewers := []loci.Viewer{
		{OrgID: loci.DefaultOrg, UserID: user},
		{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}, ProjectIDs: []loci.ProjectID{{2}}, Vendor: "claude"},
	}
	plans(t, s, func(p *planner) {
		for _, v := range viewers {
			for _, n := range []int{1, 10, 200} {
				list := func() error {
					_, err := p.Sources().List(bg, v, make([]loci.MemoryID, n), loci.LiveOnly)
					return err
				}
				p.checkRows("sources of a page", 0, list, "SEARCH a USING COVERING INDEX sqlite_autoindex_memories_1 (id=?)",
					"SEARCH m USING INTEGER PRIMARY KEY (rowid=?)", "SEARCH s USING INDEX sources_of_memory (memory_seq=?)")
			}
		}
	})
}

// TestRowPlans looks at what the index of searches asks.
func TestRowPlans(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	var start store.Position
	err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) (err error) { start, err = tx.Rows().End(bg); return err })
	if err != nil {
		t.Fatal(err)
	}
	insert(t, s, loci.DefaultOrg, newMemory(user, "a"))
	plans(t, s, func(p *planner) {
		changed := func() error { _, err := p.Rows().Changed(bg, start); return err }
		p.check("the end", 0, func() error { _, err := p.Rows().End(bg); return err }, "SCAN feed") // backwards, one row
		p.check("changed", 0, changed, "SEARCH feed USING INTEGER PRIMARY KEY (rowid>?)")
		p.check("read", 0, func() error { _, err := p.Rows().Read(bg, []loci.MemoryID{{1}}); return err },
			"SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)")
		p.check("before", 0, func() error { _, _, err := p.Rows().Before(bg, 4, 10); return err },
			"SEARCH m USING INTEGER PRIMARY KEY (rowid<?)")
	})
}

// TestOrgPlans looks at what else is asked of an org's file.
func TestOrgPlans(t *testing.T) {
	t.Parallel()
	s, user := newStore(t, Options{})
	team := loci.TeamID{1}
	plans(t, s, func(p *planner) {
		p.check("audit", 0, func() error {
			_, err := p.Audit().List(bg, store.AuditQuery{UserID: user, Action: "query", Denied: true, Limit: 10})
			return err
		}, "SEARCH audit USING INTEGER PRIMARY KEY (rowid<?)")
		p.check("of a user", 0, func() error { _, err := p.Memories().EraseOf(bg, user, 1); return err },
			"SEARCH m USING COVERING INDEX memories_edited (user_id=?)")
		p.check("shared by", 0, func() error { _, err := p.Memories().SharedBy(bg, user, team, 1); return err },
			"SEARCH m USING INDEX memories_shared (team_id=? AND user_id=?)")
		remove := func() error { return p.Teams().Delete(bg, team) }
		p.check("in a team", 2, p.pretending(1, remove), "SEARCH memories USING COVERING INDEX memories_shared (team_id=?)")
		p.check("nodes of team", 3, p.pretending(1, remove),
			"SEARCH memory_nodes USING COVERING INDEX memory_nodes_of_team (team_id=?)")
		p.check("team members", 0, func() error { _, err := p.Users().Team(bg, team); return err },
			"SEARCH u USING INDEX users_of_team (team_id=?)")
		p.check("team invites", 0, func() error { _, err := p.Teams().Invitations(bg, team); return err },
			"SEARCH team_invites USING INDEX team_invites_of_team (team_id=?)")
		p.check("revoke invite", 0, func() error { return p.Teams().Invite(bg, loci.Invite{State: loci.InvitePending}) },
			"SEARCH team_invites USING INDEX team_invites_pending (email=?)")
		p.check("passkeys", 1, func() error { _, err := p.SignIn().Passkeys(bg, user); return err },
			"SEARCH passkeys USING INDEX passkeys_of_user (user_id=?)")
	})
}

func TestRegistryPlans(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t, Options{})
	const (
		never = "SEARCH credentials USING INDEX credentials_usable (method=? AND kind=? AND expires_at=?)"
		later = "SEARCH credentials USING INDEX credentials_usable (method=? AND kind=? AND expires_at>?)"
		grant = "SEARCH g USING INDEX sqlite_autoindex_oauth_grants_1 (id=?)"
	)
	registryPlans(t, s, func(p *recorder, r *sqlstore.Registry) {
		list := func(q store.CredentialQuery) func() error {
			return func() error { _, err := r.Credentials().List(bg, q); return err }
		}
		p.check("by hash", 0, func() error { _, err := r.Credentials().ByHash(bg, [32]byte{}); return err },
			"SEARCH c USING INDEX sqlite_autoindex_credentials_2 (hash=?)", "SEARCH o USING PRIMARY KEY (id=?)")
		p.check("of a person", 0,
			list(store.CredentialQuery{OrgID: "a", UserID: loci.UserID{1}, Kind: loci.KindUser, Method: loci.ByKey,
				Usable: time.Now()}),
			"SEARCH c USING INDEX credentials_of_person (org_id=? AND user_id=?)")
		p.check("one of a person", 0,
			list(store.CredentialQuery{OrgID: "a", UserID: loci.UserID{1}, ID: loci.CredentialID{1}, Method: loci.ByKey}),
			"SEARCH c USING INDEX sqlite_autoindex_credentials_1 (id=?)")
		p.check("any agent", 0, func() error { _, err := r.Credentials().AnyAgent(bg, oldTime); return err },
			"SCAN CONSTANT ROW", never, later)
		p.check("any key", 0, func() error { _, err := r.Credentials().Any(bg, oldTime); return err }, "SCAN CONSTANT ROW",
			never, later, never, later)
		p.check("code", 0, func() error { _, _, err := r.OAuth().Code(bg, [32]byte{}); return err },
			"SEARCH k USING PRIMARY KEY (hash=?)", grant)
		p.check("refresh token", 0, func() error { _, _, err := r.OAuth().Refreshable(bg, [32]byte{}); return err },
			"SEARCH k USING PRIMARY KEY (hash=?)", grant)
	})
}

// checkPlan demands that the plan begins its loops as want says, in that
// order, and sorts and scans nothing else but one value list or a limited
// subquery.
func checkPlan(t *testing.T, c *sqlitedb.Conn, name, sql string, args sqlitedb.Args, want ...string) {
	t.Helper()
	var plan []string
	err := c.Query("EXPLAIN QUERY PLAN "+sql, args,
		func(r *sqlitedb.Row) error { plan = append(plan, r.Text(3)); return nil })
	if err != nil {
		t.Fatalf("%s: %v in %s", name, err, sql)
	}
	var loops []string
	for _, line := range plan {
		if strings.Contains(line, "TEMP B-TREE") {
			t.Errorf("%s sorts: %q", name, plan)
		}
		if (strings.HasPrefix(line, "SCAN") || strings.HasPrefix(line, "SEARCH")) && !strings.Contains(line, "json_each") &&
			!strings.HasPrefix(line, "SCAN (subquery") {
			loops = append(loops, line)
		}
	}
	if strings.Contains(sql, ", EXISTS (SELECT 1 FROM suggestions s ") { // of each row that is read
		want = append(slices.Clone(want), "SEARCH s USING COVERING INDEX suggestions_pending (memory_seq=?)")
	}
	ok := len(loops) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = strings.HasPrefix(loops[i], want[i])
	}
	if !ok {
		t.Errorf("%s: loops are\n\t%s\nwant\n\t%s\nin %s", name, strings.Join(loops, "\n\t"), strings.Join(want, "\n\t"), sql)
	}
}
