package loci_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

// TestSeesSession spells out who knows of the work of agents.
func TestSeesSession(t *testing.T) {
	me, you, space, project := loci.NewUserID(), loci.NewUserID(), loci.NewWorkspaceID(), loci.NewProjectID()
	person := loci.Viewer{OrgID: "o", UserID: me}
	with := func(change func(*loci.Viewer)) loci.Viewer { v := person; change(&v); return v }
	claude := with(func(v *loci.Viewer) { v.Vendor = "claude" })
	inSpace := with(func(v *loci.Viewer) { v.WorkspaceID = space })
	row := loci.Session{OrgID: "o", UserID: me, Vendor: "claude", ProjectID: project}
	as := func(change func(*loci.Session)) loci.Session { s := row; change(&s); return s }
	for _, tt := range []struct {
		name           string
		v              loci.Viewer
		s              loci.Session
		session, agent bool
	}{
		{"a person's own", person, row, true, true},
		{"nobody", loci.Viewer{}, loci.Session{}, false, false},
		{"nobody in the org", loci.Viewer{OrgID: "o"}, as(func(s *loci.Session) { s.UserID = loci.UserID{} }), false, false},
		{"another org's", with(func(v *loci.Viewer) { v.OrgID = "p" }), row, false, false},
		{"another person's", person, as(func(s *loci.Session) { s.UserID = you }), false, false},
		{"another person's, in my project", with(func(v *loci.Viewer) { v.ProjectIDs = []loci.ProjectID{project} }),
			as(func(s *loci.Session) { s.UserID = you }), false, false},
		{"its vendor", claude, row, true, true},
		{"another vendor", claude, as(func(s *loci.Session) { s.Vendor = "cursor" }), false, false},
		{"a person's own is no vendor's", claude, as(func(s *loci.Session) { s.Vendor = "" }), false, false},
		{"a person sees each vendor's and their own", person, as(func(s *loci.Session) { s.Vendor = "" }), true, true},
		{"limited to its project",
			with(func(v *loci.Viewer) { v.OnlyProjects, v.ProjectIDs = true, []loci.ProjectID{project} }), row, false, false},
		{"in the active workspace", inSpace, as(func(s *loci.Session) { s.WorkspaceID = space }), true, true},
		{"in another workspace", inSpace, as(func(s *loci.Session) { s.WorkspaceID = loci.NewWorkspaceID() }), false, true},
		{"in no workspace, while there are some", inSpace, row, false, true},
		{"in a workspace, while they are off", person, as(func(s *loci.Session) { s.WorkspaceID = space }), true, true},
	} {
		if got := tt.v.SeesSession(&tt.s); got != tt.session {
			t.Errorf("session, %s: %v", tt.name, got)
		}
		a := loci.Agent{OrgID: tt.s.OrgID, UserID: tt.s.UserID, Vendor: tt.s.Vendor}
		if got := tt.v.SeesAgent(&a); got != tt.agent {
			t.Errorf("agent, %s: %v", tt.name, got)
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
		if err := (&loci.Session{Title: title}).Validate(); loci.CodeOf(err) != want {
			t.Errorf("a title of %d bytes: %v", len(title), err)
		}
	}
	for vendor, want := range map[loci.Vendor]loci.Code{"": "", "claude": "", "Claude!": loci.Invalid} {
		if err := (&loci.Session{Vendor: vendor}).Validate(); loci.CodeOf(err) != want {
			t.Errorf("a session of %q: %v", vendor, err)
		}
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
