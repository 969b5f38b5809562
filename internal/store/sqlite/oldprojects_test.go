package sqlite

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// What old data has of projects, from v3 on. The first one is that of an old memory.
var (
	oldProject = loci.Project{ID: loci.ProjectID{5}, OrgID: loci.DefaultOrg, WorkspaceID: oldSpace.ID, Name: "Plan's",
		Description: "line 1\nline 2",
		Members:     2, OneMember: oldUser,
		Status: loci.ProjectActive, CreatedAt: oldTime.Truncate(loci.GraphTime),
		UpdatedAt: oldTime.Truncate(loci.GraphTime)}
	oldArchived = loci.Project{
		ID:        loci.ProjectID{6},
		OrgID:     loci.DefaultOrg,
		Name:      "日本",
		Everyone:  true,
		Members:   1,
		OneMember: oldUser,
		Status:    loci.ProjectArchived,
		CreatedAt: oldProject.CreatedAt,
		UpdatedAt: oldProject.UpdatedAt,
	}
	oldMembers = []loci.ProjectMember{{UserID: oldUser, Role: loci.MemberOwner},
		{UserID: oldOther, Role: loci.MemberAdmin}}
	oldMCPSession = store.Connection{Key: [32]byte{6, 6}, OrgID: loci.DefaultOrg, UserID: oldUser,
		ProjectID: oldProject.ID, UsedAt: oldTime}
)

// inOld is somebody who belongs to both projects.
func inOld(vendor loci.Vendor) loci.Viewer {
	return loci.Viewer{OrgID: loci.DefaultOrg, UserID: oldUser,
		ProjectIDs: []loci.ProjectID{oldProject.ID, oldArchived.ID}, Vendor: vendor}
}

func storeOldProjects(t *testing.T, s *Store) {
	t.Helper()
	for _, p := range []loci.Project{oldProject, oldArchived} {
		if _, err := s.Projects().Create(bg, p, oldUser); err != nil {
			t.Fatal(explain(err))
		}
		storeOldGraph(t, s, p.ID)
	}
	err := errors.Join(s.ProjectMembers().Put(bg, loci.DefaultOrg, oldProject.ID, oldMembers[1]),
		s.Connections().Put(bg, oldMCPSession),
		s.Projects().Archive(bg, loci.DefaultOrg, oldArchived.ID))
	if err != nil {
		t.Fatal(explain(err))
	}
}

func storeOldGraph(t *testing.T, s *Store, id loci.ProjectID) {
	t.Helper()
	v, by := inOld(""), loci.GraphAccess{UserID: oldUser, Origin: "claude",
		AllowedVendors: []loci.Vendor{"claude", "cursor"}}
	ada, tea := loci.EntityRef{Name: "Ada's", Type: "person"}, loci.EntityRef{Name: "café", Type: "place"}
	err := s.UpdateProject(bg, loci.DefaultOrg, id, func(tx store.GraphTx) error {
		n := tx.Entities()
		_, err := n.Create(bg, v, by,
			[]loci.NewEntity{{EntityRef: ada, Observations: []string{"writes notes", "drinks 'tea'\nat noon"}},
				{EntityRef: tea}})
		if err == nil {
			_, err = n.Relate(bg, v, by, []loci.NewRelation{{From: ada, To: tea, Type: "visits"}})
		}
		if err == nil {
			_, err = n.DeleteObservations(bg, v, by, []loci.Contents{{Entity: ada, Contents: []string{"writes notes"}}})
		}
		return err
	})
	if err != nil {
		t.Fatal(explain(err))
	}
}

func checkOldProjects(t *testing.T, s *Store) {
	t.Helper()
	same := func(what string, err error, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
	}
	page, err := s.Projects().List(bg, inOld(""), store.ProjectQuery{Limit: 9})
	same("projects", err, []loci.Project{oldProject, oldArchived}, page.Projects)
	members, err := s.ProjectMembers().List(bg, loci.DefaultOrg, oldProject.ID)
	same("members", err, oldMembers, members)
	session, err := s.Connections().Get(bg, oldMCPSession.Key)
	same("MCP session", err, oldMCPSession, session)
	org, err := s.Orgs().Get(bg, loci.DefaultOrg)
	same("version of the projects", err, true, org.ProjectsVersion > 0)
	checkOldGraph(t, s, oldProject.ID)
	if err := s.ViewProject(bg, loci.DefaultOrg, oldArchived.ID, nil); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("the archived project: %v", err)
	}
	if err := s.Projects().Restore(bg, loci.DefaultOrg, oldArchived.ID); err != nil {
		t.Fatal(explain(err))
	}
	checkOldGraph(t, s, oldArchived.ID)
}

func checkOldGraph(t *testing.T, s *Store, id loci.ProjectID) {
	t.Helper()
	v := inOld("claude")
	err := s.ViewProject(bg, loci.DefaultOrg, id, func(tx store.GraphTx) error {
		g := tx.Graph()
		list, err := g.Find(bg, v, []loci.EntityRef{{Name: "Ada's"}})
		if len(list) != 1 || len(list[0].Observations) != 1 || list[0].Observations[0].Content != "drinks 'tea'\nat noon" ||
			len(list[0].Relations) != 1 ||
			list[0].UserID != oldUser || list[0].Origin != "claude" || !list[0].CreatedAt.Equal(oldProject.CreatedAt) {
			t.Errorf("Find: %+v", list)
		}
		texts, _, failed := tx.Texts().List(bg, "", 9)
		if len(texts) == 0 || texts[0].Name == "" {
			t.Errorf("Texts: %+v", texts)
		}
		trash, lost := g.Trash(bg, v, 9)
		if len(trash.Observations) != 1 || trash.Observations[0].Content != "writes notes" {
			t.Errorf("Trash: %+v", trash)
		}
		if hidden, err := g.Find(bg, inOld("chatgpt"), []loci.EntityRef{{Name: "Ada's"}}); len(hidden) != 0 || err != nil {
			t.Errorf("another vendor: %+v, %v", hidden, err)
		}
		return errors.Join(err, failed, lost)
	})
	if err != nil {
		t.Error(explain(err))
	}
}
