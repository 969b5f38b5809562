//go:build postgres

package postgres

import (
	"crypto/md5" // the ids of rows.sql
	"fmt"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// idOf is the id that rows.sql gives.
func idOf(kind string, n int) [16]byte { return md5.Sum(fmt.Append(nil, kind, n)) }

// TestListPlans looks at each way to list memories.
func TestListPlans(t *testing.T) {
	person := loci.Viewer{OrgID: loci.DefaultOrg, UserID: idOf("user", 2), TeamID: idOf("team", 1),
		ProjectIDs: []loci.ProjectID{idOf("project", 1), idOf("project", 2)}}
	agent := person
	agent.Vendor, agent.AgentID = "claude", idOf("agent", 1)
	plans(t, func(p *planner) {
		for who, v := range map[string]loci.Viewer{"person": person, "agent": agent} {
			for name, tt := range map[string]struct {
				filter store.Filter
				want   []string
			}{
				"latest": {store.Filter{},
					[]string{"memories_of_user", "memories_of_team", "memories_of_project", "memories_pkey"}},
				"current": {store.Filter{Lifecycle: loci.CurrentOnly}, []string{"memories_of_user"}},
				"tag":     {store.Filter{Tags: []string{"t1"}}, []string{"memory_tags_pkey"}},
				"origin":  {store.Filter{Origin: "origin1"}, []string{"memories_by_origin"}},
				"trash":   {store.Filter{Lifecycle: loci.TrashOnly}, []string{"memories_trashed"}},
				"team":    {store.Filter{TeamID: person.TeamID}, []string{"memories_of_team"}},
				"pinned":  {store.Filter{Pinned: true}, []string{"memories_pinned"}},
				"key":     {store.Filter{Key: "key21"}, []string{"memories_by_key"}},
				"session": {store.Filter{SessionID: idOf("session", 3)}, []string{"memories_of_session"}},
				"project": {store.Filter{ProjectID: idOf("project", 1)}, []string{"memories_of_project"}},
				"robot":   {store.Filter{AgentID: idOf("agent", 1)}, []string{"memories_of_agent"}},
				"scope":   {store.Filter{Scope: loci.ScopeAgent}, []string{"memories_by_scope"}},
				"time":    {store.Filter{From: time.UnixMicro(7900)}, []string{"memories_of_user"}},
			} {
				for _, oldest := range []bool{false, true} {
					p.check(fmt.Sprint(who, " ", name, " ", oldest), func() error {
						_, err := p.Lists().List(t.Context(), v, store.ListQuery{Filter: tt.filter, Limit: 10, Oldest: oldest})
						return err
					}, tt.want...)
				}
			}
		}
	})
}

// TestPlans looks at what else is asked of memories.
func TestPlans(t *testing.T) {
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: idOf("user", 2), TeamID: idOf("team", 1)}
	const byID, byNumber, version = "memories_org_id_id_key", "memories_pkey", "memory_versions_pkey"
	plans(t, func(p *planner) {
		ctx := t.Context()
		id, then := loci.MemoryID(idOf("memory", 21)), time.UnixMicro(21)
		page := func(q store.ListQuery) func() error {
			return func() error { _, err := p.Lists().List(ctx, v, q); return err }
		}
		for name, tt := range map[string]struct {
			do   func() error
			want []string
		}{
			"get": {func() error { _, err := p.Memories().Get(ctx, v, id, loci.LiveOnly); return err }, []string{byID}},
			"versions": {func() error {
				_, err := p.Memories().Versions(ctx, v, id, loci.LiveOnly, 0, 10)
				return err
			}, []string{byID, version}},
			"by key": {func() error {
				_, err := p.Memories().OfKey(ctx, v, store.KeyQuery{
					Place: store.Place{UserID: v.UserID, Scope: loci.ScopeGlobal}, Key: "key21"}, 1)
				return err
			}, []string{"memories_by_key"}},
			"by text": {func() error {
				_, err := p.Memories().ByText(ctx, v, store.TextQuery{
					Place: store.Place{UserID: v.UserID, Scope: loci.ScopeGlobal}, Title: "default", Content: "word21", Limit: 9})
				return err
			}, []string{"memories_by_text"}},
			"replaced by": {func() error { _, err := p.Memories().ReplacedBy(ctx, v, loci.MemoryID{1}, 10); return err },
				[]string{"memories_by_superseder"}},
			"edited": {func() error {
				_, err := p.Memories().EditedBy(ctx, v, store.EditQuery{Editor: "a", Since: time.UnixMicro(7950), Limit: 10})
				return err
			}, []string{"memories_edited", "memory_versions_edited"}},
			"get at": {func() error {
				_, err := p.Memories().GetAt(ctx, v, loci.MemoryID{}, loci.When{KnownAt: then})
				return err
			}, []string{byID, version}},
			"list at": {page(store.ListQuery{Filter: store.Filter{When: loci.When{KnownAt: then}}, Limit: 10}),
				[]string{"memories_of_user", byNumber, version}},
			"total": {page(store.ListQuery{Limit: 1, Total: true}), []string{byNumber}},
			"shared by": {func() error { _, err := p.Memories().SharedBy(ctx, v.UserID, v.TeamID, 10); return err },
				[]string{"memories_shared"}},
			"purge": {func() error { _, err := p.Memories().Purge(ctx, time.UnixMicro(0), 10); return err },
				[]string{"memories_trash"}},
			"erase of": {func() error { _, err := p.Memories().EraseOf(ctx, loci.UserID{9}, 10); return err },
				[]string{"memories_edited"}},
			"disagreements": {func() error {
				_, err := p.Suggestions().Disagreements(ctx, v, []*loci.Memory{{ID: id, Key: "k"},
					{ID: loci.MemoryID(idOf("memory", 41)), Key: "k"}})
				return err
			}, []string{byID, "memories_by_key", "suggestions_pending"}},
			"each memory": {func() error {
				return p.EachMemory(ctx, func(*sqlstore.Stored) error { return loci.NoSuchMemory() })
			}, []string{byNumber}},
		} {
			p.check(name, tt.do, tt.want...)
		}
	})
}

// TestSearchPlans looks at searches at other times, and at what a search with a filter asks.
func TestSearchPlans(t *testing.T) {
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: idOf("user", 2), TeamID: idOf("team", 1)}
	const byID, byNumber, version = "memories_org_id_id_key", "memories_pkey", "memory_versions_pkey"
	of := []string{"memories_of_user", "memories_of_team"}
	ids := []loci.MemoryID{idOf("memory", 21)}
	at := store.Filter{When: loci.When{KnownAt: time.UnixMicro(21)}}
	plans(t, func(p *planner) {
		ctx := t.Context()
		for name, tt := range map[string]struct {
			filter         store.Filter
			listed, passes []string
		}{
			"now":  {store.Filter{}, nil, []string{byID}}, // these are few enough to be sorted
			"time": {store.Filter{From: time.UnixMicro(7900)}, of, []string{byID}},
			// Without the values, the rows of a session are as few as the ids.
			"session": {store.Filter{SessionID: idOf("session", 3)}, []string{"memories_of_session"}, nil},
			"tag":     {store.Filter{Tags: []string{"t1"}}, []string{"memory_tags_pkey"}, []string{byID}},
			"then":    {at, []string{"memories_of_user", byNumber, version}, []string{byID, version}},
		} {
			p.check("ids "+name, func() error { _, _, err := p.Lists().IDs(ctx, v, tt.filter, 10); return err },
				tt.listed...)
			p.check("passing "+name, func() error { _, err := p.Lists().Passing(ctx, v, tt.filter, ids); return err },
				tt.passes...)
		}
	})
}

// TestRowPlans looks at what the index of searches asks.
func TestRowPlans(t *testing.T) {
	plans(t, func(p *planner) {
		ctx := t.Context()
		p.check("end", func() error { _, err := p.Rows().End(ctx); return err }, "feed_pkey")
		p.check("changed", func() error { _, err := p.Rows().Changed(ctx, p.start); return err }, "feed_pkey")
		p.check("read", func() error {
			_, err := p.Rows().Read(ctx, []loci.MemoryID{idOf("memory", 21)})
			return err
		}, "memories_org_id_id_key")
		for name, number := range map[string]int64{"last": 0, "before": 4000} {
			p.check(name, func() error { _, _, err := p.Rows().Before(ctx, number, 10); return err }, "memories_pkey")
		}
	})
}
