package sqlite

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// What old data has of structured memories, from v4 on.
var (
	oldAgent = loci.Agent{ID: loci.AgentID{7}, OrgID: loci.DefaultOrg, UserID: oldUser, Vendor: "claude",
		Name: "Reviewer's", Config: []byte(`{"depth":3}`),
		CreatedAt: oldTime, UpdatedAt: oldTime}
	oldWork = loci.Session{ID: loci.SessionID{8}, AgentID: oldAgent.ID, Title: "café", State: loci.SessionActive,
		CreatedAt: oldTime, UpdatedAt: oldTime, LastActiveAt: oldTime, Revision: 1, EventAccess: loci.EventAccess{
			OrgID: loci.DefaultOrg, UserID: oldUser, Reach: loci.ReachPrivate, Origin: "claude",
			AllowedVendors: []loci.Vendor{"claude"}}}
)

// oldStructured are a pinned memory, one of an agent, and one of a session that was replaced by a pinned one.
func oldStructured() (list []*loci.Memory) {
	for i, title := range []string{"Always on", "For the agent", "Of the session"} {
		m := newMemory(oldUser, title, "structured")
		m.ID, m.OrgID, m.CreatedAt, m.UpdatedAt = loci.MemoryID{10, byte(i)}, loci.DefaultOrg, oldTime, oldTime
		m.EditorID = oldUser
		list = append(list, m)
	}
	list[0].Pinned, list[0].Key, list[0].AllowedVendors = true, "it's a \"key\"", []loci.Vendor{"claude", "cursor"}
	list[1].Scope, list[1].AgentID, list[1].Pinned = loci.ScopeAgent, oldAgent.ID, true
	list[2].SessionID, list[2].EditorSessionID, list[2].Key = oldWork.ID, oldWork.ID, "日本"
	return list
}

func storeOldStructured(t *testing.T, s *Store) {
	t.Helper()
	err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
		err := errors.Join(tx.Agents().Insert(bg, oldAgent), tx.Sessions().Insert(bg, oldWork))
		for _, m := range oldStructured() {
			err = errors.Join(err, tx.Memories().Insert(bg, m))
		}
		return err
	})
	if err != nil {
		t.Fatal(explain(err))
	}
}

func checkOldStructured(t *testing.T, s *Store) {
	t.Helper()
	v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: oldUser, AgentID: oldAgent.ID, Vendor: "claude"}
	want := oldStructured()
	err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) error {
		for name, tt := range map[string]struct {
			f    store.Filter
			want []*loci.Memory
		}{
			"pinned":  {store.Filter{Pinned: true}, []*loci.Memory{want[1], want[0]}},
			"scope":   {store.Filter{Scope: loci.ScopeAgent}, want[1:2]},
			"agent":   {store.Filter{AgentID: oldAgent.ID}, want[1:2]},
			"session": {store.Filter{SessionID: oldWork.ID}, want[2:]},
			"key":     {store.Filter{Key: want[0].Key}, want[:1]},
			"no key":  {store.Filter{Key: "日"}, nil},
		} {
			page, err := tx.Lists().List(bg, v, store.ListQuery{Filter: tt.f, Limit: 10, Total: true})
			if diff := cmp.Diff(tt.want, page.Memories); diff != "" || err != nil || page.Total != len(tt.want) {
				t.Errorf("%s: %d, %v (-want +got):\n%s", name, page.Total, err, diff)
			}
		}
		agent, err := tx.Agents().Get(bg, v, oldAgent.ID)
		if diff := cmp.Diff(oldAgent, agent); diff != "" || err != nil {
			t.Errorf("agent: %v (-want +got):\n%s", err, diff)
		}
		work, err := tx.Sessions().Get(bg, v, oldWork.ID)
		if work.LastActiveAt.Before(oldTime) {
			t.Errorf("the session was last active at %v", work.LastActiveAt)
		}
		work.LastActiveAt = oldTime // nobody knew it before v6, so the migration says now
		if diff := cmp.Diff(oldWork, work); diff != "" || err != nil {
			t.Errorf("session: %v (-want +got):\n%s", err, diff)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// checkOldWork looks at what v5 has of agents of several people and vendors with equal names, and of
// their sessions.
func checkOldWork(t *testing.T, s *Store) {
	t.Helper()
	long := strings.Repeat("é", loci.MaxName)
	agents := []struct {
		n              byte
		user           loci.UserID
		vendor         loci.Vendor
		name, formerly string
	}{
		{1, oldUser, "cursor", "Reviewer's-3", "Reviewer's"}, {2, oldOther, "claude", "Reviewer's-2", ""},
		{3, oldOther, "claude", "Reviewer's-4", "Reviewer's"}, {4, oldUser, "claude", long, ""},
		{5, oldUser, "cursor", strings.Repeat("é", loci.MaxName-2) + "-2", long},
	}
	work := func(n byte, user loci.UserID, agent loci.AgentID, origin string, vendors ...loci.Vendor) loci.Session {
		return loci.Session{ID: loci.SessionID{8, n}, AgentID: agent, State: loci.SessionActive, CreatedAt: oldTime,
			UpdatedAt: oldTime, Revision: 1, EventAccess: loci.EventAccess{OrgID: loci.DefaultOrg, UserID: user,
				WorkspaceID: loci.WorkspaceID{4}, ProjectID: loci.ProjectID{5}, Reach: loci.ReachPrivate, Origin: origin,
				AllowedVendors: append([]loci.Vendor{}, vendors...)}}
	}
	closed := work(1, oldUser, loci.AgentID{}, "api")
	closed.State, closed.ClosedAt = loci.SessionClosed, oldTime.Add(time.Minute)
	closed.UpdatedAt = closed.ClosedAt
	sessions := []loci.Session{closed, work(2, oldUser, loci.AgentID{7, 1}, "api"),
		work(3, oldOther, loci.AgentID{7, 3}, "claude", "claude")}
	err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) error {
		for _, a := range agents {
			at := oldTime.Add(time.Duration(a.n) * time.Second)
			want := loci.Agent{ID: loci.AgentID{7, a.n}, OrgID: loci.DefaultOrg, UserID: a.user, Vendor: a.vendor, Name: a.name,
				Config: []byte(`{"n":1}`), CreatedAt: at, UpdatedAt: at.Add(time.Hour)}
			if a.formerly != "" {
				want.Description = loci.RenamedText + a.formerly
			}
			got, err := tx.Agents().Get(bg, loci.Viewer{OrgID: loci.DefaultOrg, UserID: oldUser}, want.ID)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("agent %d: %v (-want +got):\n%s", a.n, err, diff)
			}
		}
		for _, want := range sessions {
			got, err := tx.Sessions().Get(bg, loci.Viewer{OrgID: loci.DefaultOrg, UserID: want.UserID}, want.ID)
			if active := got.LastActiveAt; want.State == loci.SessionClosed && active != want.ClosedAt ||
				want.State == loci.SessionActive && time.Since(active) > time.Hour {
				t.Errorf("session %v was last active at %v", want.ID, active)
			}
			got.LastActiveAt = time.Time{}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("session %v: %v (-want +got):\n%s", want.ID, err, diff)
			}
		}
		trail, err := tx.Audit().List(bg, store.AuditQuery{Action: "agent.change", Limit: 10})
		var renamed []string
		for _, row := range trail {
			renamed = append(renamed, row.Target)
		}
		want := []string{loci.AgentID{7, 5}.String(), loci.AgentID{7, 3}.String(), loci.AgentID{7, 1}.String()}
		if diff := cmp.Diff(want, renamed); diff != "" {
			t.Errorf("the audit trail has other renamed agents (-want +got):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
