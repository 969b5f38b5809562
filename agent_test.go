package loci_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

// TestSeesSession spells out who knows of the work of agents.
func TestSeesSession(t *testing.T) {
	me, you, space, project, team := loci.NewUserID(), loci.NewUserID(), loci.NewWorkspaceID(), loci.NewProjectID(),
		loci.NewTeamID()
	person := loci.Viewer{OrgID: "o", UserID: me}
	with := func(change func(*loci.Viewer)) loci.Viewer { v := person; change(&v); return v }
	claude := with(func(v *loci.Viewer) { v.Vendor = "claude" })
	inSpace := with(func(v *loci.Viewer) { v.WorkspaceID = space })
	inTeam := with(func(v *loci.Viewer) { v.TeamID = team })
	inProject := with(func(v *loci.Viewer) { v.ProjectIDs = []loci.ProjectID{project} })
	limited := with(func(v *loci.Viewer) { v.OnlyProjects, v.ProjectIDs = true, []loci.ProjectID{project} })
	row := loci.Session{EventAccess: loci.EventAccess{OrgID: "o", UserID: you, Reach: loci.ReachOrg,
		AllowedVendors: []loci.Vendor{"claude"}}}
	as := func(change func(*loci.Session)) loci.Session { s := row; change(&s); return s }
	private := func(s *loci.Session) { s.Reach = loci.ReachPrivate }
	mine := func(s *loci.Session) { s.UserID, s.Reach = me, loci.ReachPrivate }
	ofTeam := as(func(s *loci.Session) { s.Reach, s.TeamID = loci.ReachTeam, team })
	ofProject := as(func(s *loci.Session) { s.ProjectID = project })
	for _, tt := range []struct {
		name           string
		v              loci.Viewer
		s              loci.Session
		session, agent bool
	}{
		{"another person's, for the org", person, row, true, true},
		{"nobody", loci.Viewer{}, loci.Session{}, false, false},
		{"nobody in the org", loci.Viewer{OrgID: "o"}, row, false, false},
		{"another org's", with(func(v *loci.Viewer) { v.OrgID = "p" }), row, false, false},
		{"another person's, private", person, as(private), false, true},
		{"one's own, private", person, as(mine), true, true},
		{"of no reach", person, as(func(s *loci.Session) { s.Reach = "" }), false, true},
		{"its vendor", claude, row, true, true},
		{"another vendor", claude, as(func(s *loci.Session) { s.AllowedVendors = []loci.Vendor{"cursor"} }), false, true},
		{"every vendor", claude, as(func(s *loci.Session) { s.AllowedVendors = []loci.Vendor{"*"} }), true, true},
		{"no vendor", claude, as(func(s *loci.Session) { s.AllowedVendors = nil }), false, true},
		{"no vendor, for the person", person, as(func(s *loci.Session) { s.AllowedVendors = nil }), true, true},
		{"one's own, for another vendor", claude, as(func(s *loci.Session) {
			mine(s)
			s.AllowedVendors = []loci.Vendor{"cursor"}
		}), false, true},
		{"the team's", inTeam, ofTeam, true, true},
		{"another team's", with(func(v *loci.Viewer) { v.TeamID = loci.NewTeamID() }), ofTeam, false, true},
		{"a team's, without one", person, ofTeam, false, true},
		{"of no team, without one", person, as(func(s *loci.Session) { s.Reach = loci.ReachTeam }), false, true},
		{"in a project of others", person, ofProject, false, true},
		{"in a project of mine", inProject, ofProject, true, true},
		{"one's own, in a project of others", person, as(func(s *loci.Session) {
			mine(s)
			s.ProjectID = project
		}), true, true},
		{"limited to its project", limited, ofProject, true, false},
		{"limited to another project", limited, row, false, false},
		{"one's own, limited to another project", limited, as(mine), false, false},
		{"in the active workspace", inSpace, as(func(s *loci.Session) { s.WorkspaceID = space }), true, true},
		{"in another workspace", inSpace, as(func(s *loci.Session) { s.WorkspaceID = loci.NewWorkspaceID() }), false, true},
		{"in no workspace, while there are some", inSpace, row, false, true},
		{"in a workspace, while they are off", person, as(func(s *loci.Session) { s.WorkspaceID = space }), true, true},
	} {
		if got := tt.v.SeesSession(&tt.s); got != tt.session {
			t.Errorf("session, %s: %v", tt.name, got)
		}
		a := loci.Agent{OrgID: tt.s.OrgID, UserID: you, Vendor: "cursor"}
		if got := tt.v.SeesAgent(&a); got != tt.agent {
			t.Errorf("agent, %s: %v", tt.name, got)
		}
	}
}

// TestSameAccess requires that every field that decides who sees an event counts.
func TestSameAccess(t *testing.T) {
	a := loci.EventAccess{OrgID: "o", UserID: loci.NewUserID(), WorkspaceID: loci.NewWorkspaceID(),
		ProjectID: loci.NewProjectID(), TeamID: loci.NewTeamID(), Reach: loci.ReachTeam,
		AllowedVendors: []loci.Vendor{"claude"}}
	if b := a; !a.SameAccess(&b) {
		t.Error("an event has another access than itself")
	}
	for name, change := range map[string]func(*loci.EventAccess){
		"org":       func(b *loci.EventAccess) { b.OrgID = "p" },
		"person":    func(b *loci.EventAccess) { b.UserID = loci.NewUserID() },
		"workspace": func(b *loci.EventAccess) { b.WorkspaceID = loci.NewWorkspaceID() },
		"project":   func(b *loci.EventAccess) { b.ProjectID = loci.ProjectID{} },
		"team":      func(b *loci.EventAccess) { b.TeamID = loci.NewTeamID() },
		"reach":     func(b *loci.EventAccess) { b.Reach = loci.ReachOrg },
		"vendors":   func(b *loci.EventAccess) { b.AllowedVendors = []loci.Vendor{"*"} },
	} {
		b := a
		if change(&b); a.SameAccess(&b) {
			t.Errorf("another %s is the same access", name)
		}
	}
}

// TestNarrow requires that an event gets the smaller reach, and the team that belongs to it.
func TestNarrow(t *testing.T) {
	team, other := loci.NewTeamID(), loci.NewTeamID()
	for _, tt := range []struct{ a, to, want loci.EventAccess }{
		{loci.EventAccess{Reach: loci.ReachOrg}, loci.EventAccess{Reach: loci.ReachTeam, TeamID: team},
			loci.EventAccess{Reach: loci.ReachTeam, TeamID: team}},
		{loci.EventAccess{Reach: loci.ReachPrivate}, loci.EventAccess{Reach: loci.ReachOrg},
			loci.EventAccess{Reach: loci.ReachPrivate}},
		{loci.EventAccess{Reach: loci.ReachTeam, TeamID: team}, loci.EventAccess{Reach: loci.ReachTeam, TeamID: other},
			loci.EventAccess{Reach: loci.ReachTeam, TeamID: other}},
	} {
		got := tt.a
		if got.Narrow(&tt.to); got.Reach != tt.want.Reach || got.TeamID != tt.want.TeamID {
			t.Errorf("%s to %s: got %s of %v", tt.a.Reach, tt.to.Reach, got.Reach, got.TeamID)
		}
	}
}

// TestWidens says which changes let more readers see a session.
func TestWidens(t *testing.T) {
	all, claude, none := []loci.Vendor{"*"}, []loci.Vendor{"claude"}, []loci.Vendor{}
	for _, tt := range []struct {
		from, to        loci.Reach
		before, after   []loci.Vendor
		widens, widens2 bool // from the first to the second, and back
	}{
		{loci.ReachOrg, loci.ReachOrg, all, all, false, false},
		{loci.ReachOrg, loci.ReachTeam, all, all, false, true},
		{loci.ReachTeam, loci.ReachPrivate, all, all, false, true},
		{loci.ReachOrg, loci.ReachPrivate, all, all, false, true},
		{loci.ReachOrg, loci.ReachOrg, all, claude, false, true},
		{loci.ReachOrg, loci.ReachOrg, claude, none, false, true},
		{loci.ReachOrg, loci.ReachOrg, claude, []loci.Vendor{"cursor"}, true, true},
		{loci.ReachOrg, loci.ReachPrivate, claude, all, true, true},
	} {
		a := loci.EventAccess{Reach: tt.from, AllowedVendors: tt.before}
		b := loci.EventAccess{Reach: tt.to, AllowedVendors: tt.after}
		if got, back := a.Widens(&b), b.Widens(&a); got != tt.widens || back != tt.widens2 {
			t.Errorf("%+v to %+v: %v, and back %v; want %v and %v", a, b, got, back, tt.widens, tt.widens2)
		}
	}
}

func TestValidateAgent(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*loci.Agent)
		field  string // "": valid
		code   loci.Code
	}{
		{"as it should be", func(*loci.Agent) {}, "", ""},
		{"with a config", func(a *loci.Agent) { a.Config = []byte(`{"model":{"name":"x"}}`) }, "", ""},
		{"the longest config", func(a *loci.Agent) {
			a.Config = []byte(`{"a":"` + strings.Repeat("x", loci.MaxAgentConfig-len(`{"a":""}`)) + `"}`)
		}, "", ""},
		{"longer", func(a *loci.Agent) {
			a.Config = []byte(`{"a":"` + strings.Repeat("x", loci.MaxAgentConfig-len(`{"a":""}`)+1) + `"}`)
		}, "config", loci.Invalid},
		{"no name", func(a *loci.Agent) { a.Name = "" }, "name", loci.Invalid},
		{"the longest name", func(a *loci.Agent) { a.Name = strings.Repeat("é", loci.MaxName) }, "", ""},
		{"a longer name", func(a *loci.Agent) { a.Name = strings.Repeat("é", loci.MaxName+1) }, "name", loci.Invalid},
		{"two lines", func(a *loci.Agent) { a.Name = "a\nb" }, "name", loci.Invalid},
		{"two lines for a description", func(a *loci.Agent) { a.Description = "a\nb" }, "", ""},
		{"a longer description", func(a *loci.Agent) {
			a.Description = strings.Repeat("é", loci.MaxAgentDescription+1)
		}, "description", loci.Invalid},
		{"a space at the end", func(a *loci.Agent) { a.Name = "a " }, "name", loci.Invalid},
		{"a list for a config", func(a *loci.Agent) { a.Config = []byte(`[]`) }, "config", loci.Invalid},
		{"null for a config", func(a *loci.Agent) { a.Config = []byte(`null`) }, "config", loci.Invalid},
		{"half a config", func(a *loci.Agent) { a.Config = []byte(`{"a":1`) }, "config", loci.Invalid},
		{"a member twice", func(a *loci.Agent) { a.Config = []byte(`{"a":1,"a":2}`) }, "config", loci.Invalid},
		{"no vendor", func(a *loci.Agent) { a.Vendor = "" }, "vendor", loci.Invalid},
		{"any vendor", func(a *loci.Agent) { a.Vendor = loci.AnyVendor }, "vendor", loci.Invalid},
	} {
		a := loci.Agent{Name: "reviewer", Vendor: "claude"}
		tt.change(&a)
		err := a.Validate()
		if loci.CodeOf(err) != tt.code || loci.FieldOf(err) != tt.field {
			t.Errorf("%s: %v about %q, want %q about %q", tt.name, err, loci.FieldOf(err), tt.code, tt.field)
		}
	}
	for title, want := range map[string]loci.Code{"": "", strings.Repeat("é", loci.MaxSessionTitle): "",
		strings.Repeat("é", loci.MaxSessionTitle+1): loci.Invalid, "a\x00": loci.Invalid} {
		s := loci.Session{Title: title}
		s.SetDefaults()
		if err := s.Validate(); loci.CodeOf(err) != want {
			t.Errorf("a title of %d bytes: %v", len(title), err)
		}
	}
}

func TestValidateSession(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*loci.Session)
		field  string // "": valid
	}{
		{"as it should be", func(*loci.Session) {}, ""},
		{"with metadata", func(s *loci.Session) { s.Metadata = []byte(`{"a":[1]}`) }, ""},
		{"a list for metadata", func(s *loci.Session) { s.Metadata = []byte(`[1]`) }, "metadata"},
		{"long metadata", func(s *loci.Session) {
			s.Metadata = []byte(`{"a":"` + strings.Repeat("x", loci.MaxSessionMetadata) + `"}`)
		}, "metadata"},
		{"for people only", func(s *loci.Session) { s.AllowedVendors = []loci.Vendor{} }, ""},
		{"for no vendor", func(s *loci.Session) { s.AllowedVendors = []loci.Vendor{"Claude!"} }, "allowed_vendors[0]"},
		{"for a team", func(s *loci.Session) { s.Reach, s.TeamID = loci.ReachTeam, loci.NewTeamID() }, ""},
		{"for no team", func(s *loci.Session) { s.Reach = loci.ReachTeam }, "reach"},
		{"for the world", func(s *loci.Session) { s.Reach = "world" }, "reach"},
	} {
		var s loci.Session
		s.SetDefaults()
		tt.change(&s)
		if err := s.Validate(); loci.FieldOf(err) != tt.field || (err == nil) != (tt.field == "") {
			t.Errorf("%s: %v about %q, want %q", tt.name, err, loci.FieldOf(err), tt.field)
		}
	}
	s := loci.Session{EventAccess: loci.EventAccess{Reach: loci.ReachOrg, TeamID: loci.NewTeamID(),
		AllowedVendors: []loci.Vendor{"a", "a"}}}
	if err := s.Validate(); err != nil || !s.TeamID.IsZero() || len(s.AllowedVendors) != 1 {
		t.Errorf("%+v, %v: want no team without its reach, and each vendor once", s.EventAccess, err)
	}
}

// TestNotices spells out who learns of a change.
func TestNotices(t *testing.T) {
	me, you, team := loci.NewUserID(), loci.NewUserID(), loci.NewTeamID()
	person, mate := loci.Viewer{OrgID: "o", UserID: me, TeamID: team}, loci.Viewer{OrgID: "o", UserID: you, TeamID: team}
	mine := loci.Access{OrgID: "o", UserID: me, Scope: loci.ScopeGlobal, AllowedVendors: []loci.Vendor{"*"}}
	shared, trashed, late := mine, mine, mine
	shared.TeamID = team
	trashed.TeamID, trashed.DeletedAt = team, time.Unix(1, 0)
	late.TeamID, late.ExpiresAt, late.SupersededBy = team, time.Unix(1, 0), loci.NewMemoryID()
	list := func(a ...loci.Access) []loci.Access { return a }
	for _, tt := range []struct {
		name          string
		change        loci.Change
		before, after []loci.Access
		mine, mates   loci.Change
	}{
		{"written", loci.Created, nil, list(mine), loci.Created, ""},
		{"written for the team", loci.Created, nil, list(shared), loci.Created, loci.Created},
		{"shared", loci.Updated, list(mine), list(shared), loci.Updated, loci.Updated},
		{"not shared any more", loci.Updated, list(shared), list(mine), loci.Updated, loci.Hidden},
		{"changed in private", loci.Updated, list(mine), list(mine), loci.Updated, ""},
		{"trashed", loci.Trashed, list(shared), list(trashed), loci.Trashed, loci.Hidden},
		{"restored", loci.Restored, list(trashed), list(shared), loci.Restored, loci.Restored},
		{"erased", loci.Erased, list(shared), nil, loci.Erased, loci.Erased},
		{"erased from the trash", loci.Erased, list(trashed), nil, loci.Erased, ""},
		{"superseded and expired", loci.Updated, list(shared), list(late), loci.Updated, loci.Updated},
		{"something in it", loci.Updated, nil, list(shared, mine), loci.Updated, ""},
		{"nothing", loci.Updated, nil, nil, "", ""},
	} {
		if got := person.Notices(tt.change, tt.before, tt.after); got != tt.mine {
			t.Errorf("%s: its owner learns %q, want %q", tt.name, got, tt.mine)
		}
		if got := mate.Notices(tt.change, tt.before, tt.after); got != tt.mates {
			t.Errorf("%s: the team learns %q, want %q", tt.name, got, tt.mates)
		}
		if got := (loci.Viewer{}).Notices(tt.change, tt.before, tt.after); got != "" {
			t.Errorf("%s: nobody learns %q", tt.name, got)
		}
	}
}
