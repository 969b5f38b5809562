package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
)

// TestPlans looks at how SQLite runs what is asked most: by index ranges, and
// sorting nothing but what one page holds.
func TestPlans(t *testing.T) {
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
		"other":  {store.Filter{Category: "fact", Tags: []string{"t"}}, []string{byRange, "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"}},
	}
	err := s.with(t.Context(), loci.DefaultOrg, func(f *orgFile) error {
		return f.db.View(t.Context(), func(c *sqlitedb.Conn) error {
			tx := s.tx(f, c)
			for who, v := range viewers {
				pool, err := tx.newWalk(v, &store.Filter{TeamID: v.TeamID, Tags: []string{"a", "b"}, Origin: "o"}, false)
				if err != nil {
					return err
				}
				for _, r := range pool.ranges {
					if r.pool != newPool(teamPool, v.TeamID) {
						t.Errorf("%s: the list of a team walks through pool %x", who, r.pool)
					}
				}
				project, err := tx.newWalk(v, &store.Filter{ProjectID: loci.ProjectID{2}, Scope: loci.ScopeProject}, false)
				if err != nil {
					return err
				}
				for _, r := range project.ranges {
					if alone := r.pool == newPool(projectPool, loci.ProjectID{2}) && (r.vendor == vendorListed || !project.joined(r)); !alone && len(v.ProjectIDs) > 0 {
						t.Errorf("%s: the list of a project walks through pool %x, joined %v", who, r.pool, project.joined(r))
					}
				}
				for name, tt := range kinds {
					checkListPlans(t, tx, who+" "+name, v, tt.filter, tt.want)
				}
				var q query
				memories{tx}.getQuery(&q, v, loci.MemoryID{}, loci.LiveOnly)
				checkPlan(t, c, who+" get", q.String(), q.args, "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)")
				q = query{}
				memories{tx}.versionsQuery(&q, v, loci.MemoryID{}, loci.LiveOnly, 0, 10)
				checkPlan(t, c, who+" versions", q.String(), q.args, "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)", "SEARCH o USING INDEX sqlite_autoindex_memory_versions_1 (seq=? AND version<?)")
				q = query{}
				lists{tx}.matchQuery(&q, v, &store.MatchQuery{Limit: 10}, `"a" OR "b"`)
				checkPlan(t, c, who+" match", q.String(), q.args, "SCAN memory_text VIRTUAL TABLE INDEX", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)")
			}
			only := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}, ProjectIDs: []loci.ProjectID{{2}, {3}}, OnlyProjects: true}
			checkListPlans(t, tx, "only projects", only, store.Filter{}, []string{byRange})
			checkPlan(t, c, "purge", purgeable, sqlitedb.Args{0, 1}, "SEARCH m USING COVERING INDEX memories_trash (deleted_at<?)")
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTimelessPlans looks at what is asked of keys, of editors and of other times.
func TestTimelessPlans(t *testing.T) {
	s, user := newStore(t, Options{})
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: user, TeamID: loci.TeamID{1}, ProjectIDs: []loci.ProjectID{{2}, {3}},
		WorkspaceID: loci.WorkspaceID{4}, AgentID: loci.AgentID{5}, Vendor: "claude"}
	const (
		byID     = "SEARCH m USING INDEX sqlite_autoindex_memories_1 (id=?)"
		byNumber = "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)"
		version  = "SEARCH o USING INDEX sqlite_autoindex_memory_versions_1 (seq=? AND version=?)"
		highest  = "SEARCH h USING INDEX sqlite_autoindex_memory_versions_1 (seq=?)"
	)
	err := s.with(t.Context(), loci.DefaultOrg, func(f *orgFile) error {
		return f.db.View(t.Context(), func(c *sqlitedb.Conn) error {
			tx := s.tx(f, c)
			for _, origin := range []string{"", "claude"} {
				var q query
				memories{tx}.keyQuery(&q, v, store.KeyQuery{Key: "k", Origin: origin})
				checkPlan(t, c, "by key", q.String(), q.args, "SEARCH m USING INDEX memories_by_key (user_id=? AND key=? AND scope=?)")
			}
			for row, want := range map[string][]string{"m": {"SEARCH m USING INDEX memories_edited (user_id=? AND updated_at>? AND updated_at<?)"},
				"o": {"SEARCH o USING INDEX memory_versions_edited (user_id=? AND updated_at>? AND updated_at<?)", byNumber}} {
				var q query
				memories{tx}.editQuery(&q, v, &store.EditQuery{Editor: "a", Credential: loci.CredentialID{1}, Session: loci.SessionID{1}}, row)
				checkPlan(t, c, "edited", q.String(), q.args, want...)
			}
			known := store.Filter{When: loci.When{KnownAt: oldTime, AsOf: oldTime}, Tags: []string{"t"}, From: oldTime}
			for row, want := range map[string][]string{"m": {byID}, "o": {byID, version, highest}} {
				var q query
				memories{tx}.getAtQuery(&q, v, loci.MemoryID{}, known.When, row)
				checkPlan(t, c, "get at", q.String(), q.args, want...)
			}
			var q query
			lists{tx}.oldQuery(&q, v, &known)
			checkPlan(t, c, "match old", q.String(), q.args, "SEARCH o USING INDEX memory_versions_replaced (replaced_at>?)", byNumber, highest)
			q = query{}
			lists{tx}.loadQuery(&q, v, &known, oldTime, []int64{1, 2}, "o", columns("o."))
			checkPlan(t, c, "old rows", q.String(), q.args, "SCAN j VIRTUAL TABLE INDEX 1:", byNumber, version, highest)
			w, err := tx.newWalk(v, &known, false)
			if err != nil {
				return err
			}
			for _, r := range w.ranges {
				want := []string{"SEARCH p USING PRIMARY KEY (pool=? AND vendor=? AND token=? AND ", byNumber}
				if r.old {
					want = append(want, version, highest)
				}
				for _, form := range []form{formPage, formCount, formSeqs} {
					text, args := w.statement(r, form, 20)
					checkPlan(t, c, "list at", text, args, want...)
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOrgPlans looks at what else is asked of an org's file.
func TestOrgPlans(t *testing.T) {
	s, user := newStore(t, Options{})
	err := s.with(t.Context(), loci.DefaultOrg, func(f *orgFile) error {
		return f.db.View(t.Context(), func(c *sqlitedb.Conn) error {
			var trail query
			auditQuery(&trail, &store.AuditQuery{UserID: user, Action: "query", Denied: true, Limit: 10})
			checkPlan(t, c, "audit", trail.String(), trail.args, "SEARCH audit USING INTEGER PRIMARY KEY (rowid<?)")
			for name, tt := range map[string]struct {
				sql  string
				args sqlitedb.Args
				want string
			}{
				"of a user":     {ofUser, sqlitedb.Args{nil, 1}, "SEARCH m USING COVERING INDEX memories_edited (user_id=?)"},
				"shared by":     {sharedBy, sqlitedb.Args{nil, nil, 1}, "SEARCH m USING INDEX memories_shared (team_id=? AND user_id=?)"},
				"in a team":     {sharedWithTeam, sqlitedb.Args{nil}, "SEARCH memories USING COVERING INDEX memories_shared (team_id=?)"},
				"nodes of team": {nodesOfTeam, sqlitedb.Args{nil}, "SEARCH memory_nodes USING COVERING INDEX memory_nodes_of_team (team_id=?)"},
				"team members":  {usersOfTeam, sqlitedb.Args{nil}, "SEARCH u USING INDEX users_of_team (team_id=?)"},
				"team invites":  {invitesOfTeam, sqlitedb.Args{nil}, "SEARCH team_invites USING INDEX team_invites_of_team (team_id=?)"},
				"revoke invite": {revokePending, sqlitedb.Args{nil, nil}, "SEARCH team_invites USING INDEX team_invites_pending (email=? AND <expr>=?)"},
				"passkeys":      {passkeysOfUser, sqlitedb.Args{nil}, "SEARCH passkeys USING INDEX passkeys_of_user (user_id=?)"},
			} {
				checkPlan(t, c, name, tt.sql, tt.args, tt.want)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkListPlans(t *testing.T, tx *tx, name string, v loci.Viewer, f store.Filter, want []string) {
	for _, oldest := range []bool{false, true} {
		w, err := tx.newWalk(v, &f, oldest)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []form{formPage, formCount, formSeqs} {
			text, args := w.statement(w.ranges[0], form, 20)
			checkPlan(t, tx.c, name, text, args, want...)
		}
		var q query
		lists{tx}.loadQuery(&q, v, &f, w.now, []int64{2, 4}, "m", columns("m."))
		checkPlan(t, tx.c, name+" rows", q.String(), q.args, "SCAN j VIRTUAL TABLE INDEX 1:", "SEARCH m USING INTEGER PRIMARY KEY (rowid=?)")
	}
}

func TestRegistryPlans(t *testing.T) {
	s, _ := newStore(t, Options{})
	err := s.meta.View(t.Context(), func(c *sqlitedb.Conn) error {
		checkPlan(t, c, "by hash", credentialByHash, sqlitedb.Args{nil}, "SEARCH c USING INDEX sqlite_autoindex_credentials_2 (hash=?)", "SEARCH o USING PRIMARY KEY (id=?)")
		q := credentialsOf(store.CredentialQuery{OrgID: "a", UserID: loci.UserID{1}, Kind: loci.KindUser, Method: loci.ByKey, Usable: time.Now()})
		checkPlan(t, c, "of a person", q.String(), q.args, "SEARCH c USING INDEX credentials_of_person (org_id=? AND user_id=?)")
		q = credentialsOf(store.CredentialQuery{OrgID: "a", UserID: loci.UserID{1}, ID: loci.CredentialID{1}, Method: loci.ByKey})
		checkPlan(t, c, "one of a person", q.String(), q.args, "SEARCH c USING INDEX sqlite_autoindex_credentials_1 (id=?)")
		now := time.Now().UnixMicro()
		never, later := "SEARCH credentials USING INDEX credentials_usable (method=? AND kind=? AND expires_at=?)",
			"SEARCH credentials USING INDEX credentials_usable (method=? AND kind=? AND expires_at>?)"
		checkPlan(t, c, "any agent", anyAgent, sqlitedb.Args{now}, "SCAN CONSTANT ROW", never, later)
		checkPlan(t, c, "any key", anyKey, sqlitedb.Args{now, now}, "SCAN CONSTANT ROW", never, later, never, later)
		checkPlan(t, c, "code", codeByHash, sqlitedb.Args{nil}, "SEARCH k USING PRIMARY KEY (hash=?)", "SEARCH g USING INDEX sqlite_autoindex_oauth_grants_1 (id=?)")
		checkPlan(t, c, "refresh token", refreshByHash, sqlitedb.Args{nil}, "SEARCH k USING PRIMARY KEY (hash=?)", "SEARCH g USING INDEX sqlite_autoindex_oauth_grants_1 (id=?)")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkPlan demands that the plan begins its loops as want says, in that
// order, and sorts and scans nothing else but one value list or a limited
// subquery.
func checkPlan(t *testing.T, c *sqlitedb.Conn, name, sql string, args sqlitedb.Args, want ...string) {
	t.Helper()
	var plan []string
	err := c.Query("EXPLAIN QUERY PLAN "+sql, args, func(r *sqlitedb.Row) error { plan = append(plan, r.Text(3)); return nil })
	if err != nil {
		t.Fatalf("%s: %v in %s", name, err, sql)
	}
	var loops []string
	for _, line := range plan {
		if strings.Contains(line, "TEMP B-TREE") {
			t.Errorf("%s sorts: %q", name, plan)
		}
		if (strings.HasPrefix(line, "SCAN") || strings.HasPrefix(line, "SEARCH")) && !strings.Contains(line, "json_each") && !strings.HasPrefix(line, "SCAN (subquery") {
			loops = append(loops, line)
		}
	}
	ok := len(loops) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = strings.HasPrefix(loops[i], want[i])
	}
	if !ok {
		t.Errorf("%s: loops are\n\t%s\nwant\n\t%s\nin %s", name, strings.Join(loops, "\n\t"), strings.Join(want, "\n\t"), sql)
	}
}
