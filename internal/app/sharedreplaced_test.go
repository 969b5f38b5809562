package app_test

import (
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
)

// TestReplacingWhatIsShared replaces memories that others can read. Every answer tells who loses the fact, and the
// person who owns both memories may take these people along.
func TestReplacingWhatIsShared(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	elsewhere := c.stage.project(c.mara, "elsewhere", true).ID
	c.mara = c.again(c.mara)
	claude, cursor := c.stage.key(c.mara, auth.KeyRequest{Name: "a", Vendor: "claude"}),
		c.stage.key(c.mara, auth.KeyRequest{Name: "b", Vendor: "cursor"})
	none := func(*memory.Draft) {}
	inTeam := func(d *memory.Draft) { d.Share = true }
	aboutProject := func(d *memory.Draft) { d.ProjectID = c.project }
	inProject := func(d *memory.Draft) { d.Scope, d.ProjectID = loci.ScopeProject, c.project }
	inBoth := func(d *memory.Draft) { inTeam(d); inProject(d) }
	aboutAnother := func(d *memory.Draft) { d.ProjectID = elsewhere }
	for _, tt := range []struct {
		name    string
		old, by func(*memory.Draft)
		lost    string    // by the replacement
		refused loci.Code // of sharing it alike
	}{
		{"with nobody", none, none, "", ""},
		{"with the team", inTeam, none, "the team", ""},
		{"with the team, like the new one", inTeam, inTeam, "", ""},
		{"with a project", inProject, none, "the project", ""},
		{"with the project of the new one", inProject, aboutProject, "the project", ""},
		{"with the team, and the new one about a project", inTeam, aboutProject, "the team", ""},
		{"with a project, unlike the new one", inProject, inTeam, "the project", ""},
		{"with both", inBoth, inTeam, "the project", ""},
		{"with both, unlike the new one", inBoth, none, "the team and the project", ""},
		{"with another project", inProject, aboutAnother, "the project", loci.Conflict},
	} {
		draft := func(text string, change func(*memory.Draft), replaced ...loci.MemoryID) memory.Draft {
			d := memory.Draft{Title: tt.name, Content: text, Supersedes: replaced}
			change(&d)
			return d
		}
		old, err := c.Memory.Create(ctx, claude, draft("old", tt.old))
		c.must(err)
		by, err := c.Memory.Create(ctx, cursor, draft("new", tt.by, old.ID))
		c.must(err)
		told := ""
		if len(by.NoLongerShared) == 1 && by.NoLongerShared[0].ID == old.ID && by.Hint != "" {
			told = by.NoLongerShared[0].SharedWith
		}
		if told != tt.lost {
			t.Errorf("%s: the save answers %+v, %q", tt.name, by.NoLongerShared, by.Hint)
		}
		list, err := c.Memory.Suggestions(ctx, c.mara, memory.SuggestionsRequest{State: loci.SuggestionPending})
		c.must(err)
		if s := list.Items[0]; s.NoLongerShared != tt.lost || s.Memory.SharedWith != old.SharedWith("the project") {
			t.Errorf("%s: the list has %+v, %+v", tt.name, s, s.Memory)
		}
		accepted, err := c.Memory.AcceptSuggestion(ctx, c.mara, by.Suggestions[0].ID, true)
		wantCode(t, err, tt.refused)
		lost := ""
		if tt.refused != "" {
			accepted, err = c.Memory.AcceptSuggestion(ctx, c.mara, by.Suggestions[0].ID, false)
			c.must(err)
			lost = tt.lost
		}
		m, err := c.Memory.Get(ctx, c.mara, by.ID)
		c.must(err)
		if accepted.NoLongerShared != lost || old.NotSharedBy(&m.Access) != lost || by.NotSharedBy(&m.Access) != "" {
			t.Errorf("%s: accepted %+v; the new memory is shared with %q", tt.name, accepted, m.SharedWith("the project"))
		}
	}
}

// A key that is limited to projects shares nothing with the team.
func TestLimitedKeysShareNothingAlike(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	claude, cursor := c.stage.key(c.mara, auth.KeyRequest{Vendor: "claude"}),
		c.stage.key(c.mara, auth.KeyRequest{Vendor: "cursor"})
	old := c.add(claude, memory.Draft{Title: "old", Content: "o", Share: true, Scope: loci.ScopeProject,
		ProjectID: c.project})
	by, err := c.Memory.Create(ctx, cursor, memory.Draft{Title: "new", Content: "n", Scope: loci.ScopeProject,
		ProjectID: c.project, Supersedes: []loci.MemoryID{old.ID}})
	c.must(err)
	limited := c.stage.key(c.mara, auth.KeyRequest{ProjectIDs: []loci.ProjectID{c.project}})
	wantCode(t, second(c.Memory.AcceptSuggestion(ctx, limited, by.Suggestions[0].ID, true)), loci.Forbidden)
	c.must(second(c.Memory.AcceptSuggestion(ctx, c.mara, by.Suggestions[0].ID, true)))
	if m, err := c.Memory.Get(ctx, c.mara, by.ID); err != nil || m.TeamID != c.team {
		t.Errorf("got %+v, %v", m, err)
	}
}

// TestOnlyTheOwnerSharesAlike accepts a replacement that another person owns.
func TestOnlyTheOwnerSharesAlike(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	old := c.add(c.mara, memory.Draft{Title: "old", Content: "old", Share: true, Scope: loci.ScopeProject,
		ProjectID: c.project})
	by, err := c.Memory.Create(ctx, c.tom, memory.Draft{Title: "new", Content: "new", Scope: loci.ScopeProject,
		ProjectID: c.project, Supersedes: []loci.MemoryID{old.ID}})
	c.must(err)
	_, err = c.Memory.AcceptSuggestion(ctx, c.mara, by.Suggestions[0].ID, true)
	wantCode(t, err, loci.Forbidden)
	accepted, err := c.Memory.AcceptSuggestion(ctx, c.mara, by.Suggestions[0].ID, false)
	c.must(err)
	if accepted.NoLongerShared != "the team" {
		t.Errorf("got %+v", accepted)
	}
}

// TestLimitedKeysAreToldOfTheProject requires the reason why a memory of another project is not shared alike. It is
// not the limit of the key, because the team gets nothing new.
func TestLimitedKeysAreToldOfTheProject(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	elsewhere := c.stage.project(c.mara, "elsewhere", true).ID
	c.mara = c.again(c.mara)
	limited := c.stage.key(c.mara, auth.KeyRequest{ProjectIDs: []loci.ProjectID{c.project, elsewhere}})
	claude, cursor := c.stage.key(c.mara, auth.KeyRequest{Vendor: "claude"}),
		c.stage.key(c.mara, auth.KeyRequest{Vendor: "cursor"})
	for name, share := range map[string]bool{"no team": false, "one team": true} {
		old := c.add(claude, memory.Draft{Title: name, Content: "o", Share: share, Scope: loci.ScopeProject,
			ProjectID: c.project})
		by, err := c.Memory.Create(ctx, cursor, memory.Draft{Title: "new", Content: "n", Share: share,
			Scope: loci.ScopeProject, ProjectID: elsewhere, Supersedes: []loci.MemoryID{old.ID}})
		c.must(err)
		_, err = c.Memory.AcceptSuggestion(ctx, limited, by.Suggestions[0].ID, true)
		refused(t, name, err, loci.Conflict, "is about another project")
	}
}

// TestSharingAlikeIsDoneAlready accepts a replacement of another person that everyone reads who reads the old one, one
// of an archived project, and none.
func TestSharingAlikeIsDoneAlready(t *testing.T) {
	t.Parallel()
	c := newCompany(t)
	ctx := t.Context()
	old := c.add(c.mara, memory.Draft{Title: "old", Content: "old", Share: true})
	by, err := c.Memory.Create(ctx, c.tom, memory.Draft{Title: "new", Content: "new", Share: true,
		Supersedes: []loci.MemoryID{old.ID}})
	c.must(err)
	c.must(second(c.Memory.AcceptSuggestion(ctx, c.mara, by.Suggestions[0].ID, true)))
	closed := c.stage.project(c.mara, "closed", true).ID
	c.mara = c.again(c.mara)
	claude, cursor := c.stage.key(c.mara, auth.KeyRequest{Vendor: "claude"}),
		c.stage.key(c.mara, auth.KeyRequest{Vendor: "cursor"})
	old = c.add(claude, memory.Draft{Title: "second", Content: "old", Share: true})
	by, err = c.Memory.Create(ctx, cursor, memory.Draft{Title: "second", Content: "new", ProjectID: closed,
		Supersedes: []loci.MemoryID{old.ID}})
	c.must(err)
	c.must(second(c.Project.Archive(ctx, c.mara, closed)))
	_, err = c.Memory.AcceptSuggestion(ctx, c.mara, by.Suggestions[0].ID, true)
	refused(t, "sharing what is about an archived project", err, loci.Conflict, "is archived")
	c.must(second(c.Memory.DeclineSuggestion(ctx, c.mara, by.Suggestions[0].ID)))
	list, err := c.Memory.Suggestions(ctx, c.mara, memory.SuggestionsRequest{State: loci.SuggestionDeclined})
	if err != nil || len(list.Items) != 1 || list.Items[0].NoLongerShared != "" {
		t.Errorf("a declined one answers that it takes a memory from its readers: %+v, %v", list.Items, err)
	}
}
