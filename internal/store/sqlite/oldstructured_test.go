package sqlite

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// What old data has of structured memories, from v4 on.
var (
	oldAgent = loci.Agent{ID: loci.AgentID{7}, OrgID: loci.DefaultOrg, UserID: oldUser, Vendor: "claude",
		Name: "Reviewer's", Config: []byte(`{"depth":3}`),
		CreatedAt: oldTime, UpdatedAt: oldTime}
	oldWork = loci.Session{ID: loci.SessionID{8}, OrgID: loci.DefaultOrg, UserID: oldUser, AgentID: oldAgent.ID,
		Vendor: "claude", Title: "café", State: loci.SessionActive, CreatedAt: oldTime}
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
		if diff := cmp.Diff(oldWork, work); diff != "" || err != nil {
			t.Errorf("session: %v (-want +got):\n%s", err, diff)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
