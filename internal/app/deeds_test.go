package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/store"
)

// company is a stage with an org in which there is something to do everything
// with.
type company struct {
	*stage
	operator, owner, mara, tom loci.Principal // mara owns the team that tom is in
	other, key                 loci.Principal // another session of mara's; a key
	team                       loci.TeamID
	grant                      loci.GrantID
	invite                     app.Invited // for ines, who is in no team
	ines                       loci.Principal
	space                      loci.WorkspaceID
	memory, trashed            *loci.Memory
	passkey                    []byte
	project, archived          loci.ProjectID // mara's; tom is entered in the first
	entity                     loci.EntityID  // in it
	asset                      loci.AssetID   // of mara's memory, as the source
	source                     loci.SourceID
	suggestion                 loci.SuggestionID // about mara's memory
	nodeID, trashedNode        loci.NodeID       // mara's
	itemID                     loci.NodeItemID   // a text in the first
}

// secrets are words that stand in content and e-mail addresses, and must not
// stand in the trail.
var secrets = []string{"zebra", "quagga", "okapi", "marasmail", "tomsmail", "inesmail", "newmail", "Rhino", "hartebeest", "wombat"}

func newCompany(t testing.TB) *company {
	t.Helper()
	c := &company{stage: newStage(t, loci.DeleteWithKey)}
	ctx := t.Context()
	var boss loci.User
	c.operator, boss = c.org("acme", "boss@acme.example")
	mara, tom := c.user(c.operator, "marasmail@acme.example", loci.Member), c.user(c.operator, "tomsmail@acme.example", loci.Member)
	ines := c.user(c.operator, "inesmail@acme.example", loci.Member)
	c.owner = c.session(boss)
	team, err := c.CreateTeam(ctx, c.session(mara), "Rhinos")
	c.must(err)
	c.team = team.ID
	made, err := c.InviteToTeam(ctx, c.session(mara), team.ID, []string{tom.Email, ines.Email}, loci.Member)
	c.must(err)
	_, err = c.AcceptInvite(ctx, c.session(tom), made[0].Token)
	c.must(err)
	c.invite = made[1]
	c.settleProjects(mara, tom)
	c.mara, c.other, c.tom, c.ines = c.session(mara), c.session(mara), c.session(tom), c.session(ines)
	c.key = c.with(c.newKey(c.mara))
	c.grant = c.stage.grant(c.mara, "client-1", "claude")
	_, err = c.SetOrg(ctx, c.owner, app.OrgSettings{Workspaces: new(true)})
	c.must(err)
	_, err = c.SetOrg(ctx, c.owner, app.OrgSettings{Workspaces: new(false)})
	c.must(err)
	space, err := c.CreateWorkspace(ctx, c.owner, "Second")
	c.must(err)
	c.space = space.ID
	c.must(c.JoinWorkspace(ctx, c.owner, space.ID, tom.ID))
	c.memory = c.add(c.mara, app.Draft{Title: "zebra", Content: "the quagga", Tags: []string{"okapi"}})
	c.trashed = c.add(c.mara, app.Draft{Title: "zebra too", Content: "another quagga"})
	c.trashed, err = c.Trash(ctx, c.mara, c.trashed.ID, 0)
	c.must(err)
	c.settleAttached()
	c.settleSuggested()
	c.settleNodes()
	c.passkey = []byte("passkey-1")
	c.must(c.AddPasskey(ctx, c.mara, loci.Passkey{ID: c.passkey, Name: "hartebeest", Data: []byte("{}")}))
	c.must(c.SetPassword(ctx, c.mara, "$argon2id$x"))
	c.st.entries = nil
	return c
}

func (c *company) settleProjects(mara, tom loci.User) {
	c.t.Helper()
	ctx := c.t.Context()
	c.project = c.stage.project(c.session(mara), "wombat", true).ID
	c.archived = c.stage.project(c.session(mara), "wombat too", true).ID
	p := c.session(mara)
	_, err := c.ArchiveProject(ctx, p, c.archived)
	c.must(err)
	c.must(c.PutProjectMember(ctx, p, c.project, loci.ProjectMember{UserID: tom.ID, Role: loci.Member}))
	put, err := c.CreateEntities(ctx, p, c.project, nil, []loci.NewEntity{{EntityRef: loci.EntityRef{Name: "wombat", Type: "animal"}, Observations: []string{"digs like a wombat"}}})
	c.must(err)
	c.entity = put[0].Entity.ID
}

func (c *company) newKey(p loci.Principal) loci.Secret {
	c.t.Helper()
	_, key, err := c.CreateKey(c.t.Context(), p, auth.KeyRequest{Name: "hartebeest"})
	c.must(err)
	return key
}

func second[A, B any](_ A, b B) B        { return b }
func third[A, B, C any](_ A, _ B, c C) C { return c }

// deeds carries every audited action out, once.
var deeds = map[app.Action]func(*company, context.Context) error{
	app.MemoryCreate: func(c *company, ctx context.Context) error {
		return second(c.Create(ctx, c.mara, app.Draft{Title: "zebra", Content: "okapi"}))
	},
	app.MemoryChange: func(c *company, ctx context.Context) error {
		return second(c.Patch(ctx, c.mara, c.memory.ID, 0, app.Patch{Title: new("okapi")}))
	},
	app.MemoryTrash:   func(c *company, ctx context.Context) error { return second(c.Trash(ctx, c.mara, c.memory.ID, 0)) },
	app.MemoryRestore: func(c *company, ctx context.Context) error { return second(c.Restore(ctx, c.mara, c.trashed.ID, 0)) },
	app.MemoryErase:   func(c *company, ctx context.Context) error { return c.Erase(ctx, c.mara, c.trashed.ID, 0) },
	app.MemoryShare:   func(c *company, ctx context.Context) error { return second(c.ShareMemory(ctx, c.mara, c.memory.ID)) },
	app.Export:        func(c *company, ctx context.Context) error { return second(c.App.Export(ctx, c.mara, io.Discard, nil)) },
	app.Import: func(c *company, ctx context.Context) error {
		var b bytes.Buffer
		w := newWorld(c.t.(*testing.T))
		w.add(w.owner, app.Draft{Title: "zebra", Content: "quagga"})
		if _, err := w.App.Export(ctx, w.owner, &b, nil); err != nil {
			return err
		}
		return second(c.App.Import(ctx, c.operator, &b, app.ImportOptions{}))
	},
	app.AccountChange: func(c *company, ctx context.Context) error { return second(c.RenameMe(ctx, c.mara, "okapi")) },
	app.AccountDelete: func(c *company, ctx context.Context) error {
		return c.DeleteAccount(ctx, c.mara, c.mara.UserID.String())
	},
	app.SignInChange: func(c *company, ctx context.Context) error { return c.RemovePasskey(ctx, c.mara, c.passkey) },
	app.SessionEnd:   func(c *company, ctx context.Context) error { return c.EndSession(ctx, c.mara, c.other.CredentialID) },
	app.KeyCreate: func(c *company, ctx context.Context) error {
		return third(c.CreateKey(ctx, c.mara, auth.KeyRequest{Name: "okapi", Vendor: "cursor"}))
	},
	app.KeyRotate: func(c *company, ctx context.Context) error {
		return third(c.RotateKey(ctx, c.mara, c.key.CredentialID, 0))
	},
	app.KeyRevoke: func(c *company, ctx context.Context) error { return c.RevokeKey(ctx, c.mara, c.key.CredentialID) },
	app.GrantConsent: func(c *company, ctx context.Context) error {
		consent := &oauth.Consent{Client: loci.OAuthClient{ID: "client-1"}, Rights: []loci.Right{loci.RightRead}, RedirectURI: "https://c.example/cb", Challenge: "x"}
		return second(c.Consent(ctx, c.mara, consent, "claude", consent.Rights))
	},
	app.GrantRevoke: func(c *company, ctx context.Context) error { return c.RevokeGrant(ctx, c.mara, c.grant) },
	app.TeamCreate:  func(c *company, ctx context.Context) error { return second(c.CreateTeam(ctx, c.ines, "Rhino 2")) },
	app.TeamChange: func(c *company, ctx context.Context) error {
		return second(c.RenameTeam(ctx, c.mara, c.team, "Rhino 3"))
	},
	app.TeamDelete: func(c *company, ctx context.Context) error { return c.DeleteTeam(ctx, c.mara, c.team, true) },
	app.TeamInvite: func(c *company, ctx context.Context) error {
		return second(c.InviteToTeam(ctx, c.mara, c.team, []string{"newmail@x.example"}, loci.Member))
	},
	app.TeamRole: func(c *company, ctx context.Context) error {
		return second(c.SetTeamRole(ctx, c.mara, c.team, c.tom.UserID, loci.MemberAdmin))
	},
	app.TeamRemove: func(c *company, ctx context.Context) error {
		return c.RemoveFromTeam(ctx, c.mara, c.team, c.tom.UserID)
	},
	app.TeamJoin: func(c *company, ctx context.Context) error {
		return second(c.AcceptInvite(ctx, c.ines, c.invite.Token))
	},
	app.TeamLeave: func(c *company, ctx context.Context) error { return c.LeaveTeam(ctx, c.tom, c.team) },
	app.OrgChange: func(c *company, ctx context.Context) error { return second(c.RenameOrg(ctx, c.owner, "Rhino Inc")) },
	app.OrgSet: func(c *company, ctx context.Context) error {
		return second(c.SetOrg(ctx, c.owner, app.OrgSettings{Workspaces: new(true)}))
	},
	app.OrgDelete: func(c *company, ctx context.Context) error { return second(c.DeleteOrg(ctx, c.operator, "acme")) },
	app.OrgInvite: func(c *company, ctx context.Context) error {
		return second(c.InviteToOrg(ctx, c.owner, []string{"newmail@x.example"}, loci.Member))
	},
	app.MemberAdd: func(c *company, ctx context.Context) error {
		return second(c.AddUser(ctx, c.operator, app.NewUser{Email: "newmail@x.example"}))
	},
	app.MemberRole: func(c *company, ctx context.Context) error {
		return second(c.SetMember(ctx, c.owner, c.tom.UserID, app.MemberChange{Role: new(loci.MemberAdmin)}))
	},
	app.MemberRemove: func(c *company, ctx context.Context) error {
		return second(c.SetMember(ctx, c.owner, c.mara.UserID, app.MemberChange{Disabled: new(true)}))
	},
	app.WorkspaceChange: func(c *company, ctx context.Context) error {
		return second(c.RenameWorkspace(ctx, c.owner, c.space, "okapi"))
	},
	app.WorkspaceEnter: func(c *company, ctx context.Context) error {
		divided := func(yes bool) {
			_, err := c.st.Orgs().Update(ctx, "acme", func(o *loci.Org) error { o.Workspaces = yes; return nil })
			c.must(err)
		}
		divided(true)
		err := c.App.EnterWorkspace(ctx, c.tom, loci.CredentialID{}, c.space)
		divided(false)
		return err
	},
	app.ProjectCreate: func(c *company, ctx context.Context) error {
		return second(c.CreateProject(ctx, c.mara, app.ProjectDraft{Name: "wombat 3", Description: "okapi"}))
	},
	app.ProjectChange: func(c *company, ctx context.Context) error {
		return second(c.ChangeProject(ctx, c.mara, c.project, app.ProjectPatch{Name: new("wombat 4"), Everyone: new(false)}))
	},
	app.ProjectArchive: func(c *company, ctx context.Context) error { return second(c.ArchiveProject(ctx, c.mara, c.project)) },
	app.ProjectRestore: func(c *company, ctx context.Context) error { return second(c.RestoreProject(ctx, c.mara, c.archived)) },
	app.ProjectDelete:  func(c *company, ctx context.Context) error { return c.DeleteProject(ctx, c.mara, c.project) },
	app.ProjectMember: func(c *company, ctx context.Context) error {
		return c.PutProjectMember(ctx, c.mara, c.project, loci.ProjectMember{UserID: c.tom.UserID, Role: loci.MemberAdmin})
	},
	app.GraphVendors: func(c *company, ctx context.Context) error {
		return second(c.SetGraphVendors(ctx, c.mara, c.project, app.GraphIDs{Entities: []loci.EntityID{c.entity}}, []loci.Vendor{"claude"}))
	},
	app.GraphExport: func(c *company, ctx context.Context) error {
		return c.ExportGraph(ctx, c.mara, c.project, app.GraphReference, io.Discard)
	},
	app.GraphImport: func(c *company, ctx context.Context) error {
		in := strings.NewReader(`{"type":"entity","name":"okapi","entityType":"animal","observations":["a quagga"]}` + "\n")
		return second(c.ImportGraph(ctx, c.mara, c.project, in, app.GraphImportOptions{}))
	},
	app.OrgCreate: func(c *company, ctx context.Context) error {
		return third(c.CreateOrg(ctx, c.local, app.NewOrg{Name: "Platypus", OwnerEmail: "newmail@x.example"}))
	},
	app.OrgSuspend: func(c *company, ctx context.Context) error { return second(c.SuspendOrg(ctx, c.local, "acme", true)) },
	app.OrgExport: func(c *company, ctx context.Context) error {
		return c.ExportOrg(ctx, c.operator, filepath.Join(c.t.TempDir(), "out"))
	},
	app.UserRole: func(c *company, ctx context.Context) error {
		return second(c.SetUserRole(ctx, c.operator, c.mara.UserID, loci.RoleAdmin))
	},
	app.UserSet: func(c *company, ctx context.Context) error {
		return second(c.SetUser(ctx, c.operator, c.mara.UserID, app.UserChange{Email: new("newmail@x.example"), Name: new("okapi")}))
	},
	app.UserReset:  func(c *company, ctx context.Context) error { return c.ResetUser(ctx, c.operator, c.mara.UserID) },
	app.LinkCreate: func(c *company, ctx context.Context) error { return second(c.NewLink(ctx, c.operator, c.mara.UserID)) },
	app.ClientSet: func(c *company, ctx context.Context) error {
		return c.SetClientVendor(ctx, c.operator, "client-1", "cursor")
	},
	app.ClientDrop: func(c *company, ctx context.Context) error { return c.DeleteClient(ctx, c.operator, "client-1") },
}

// more are the other ways to carry out an action.
var more = []struct {
	name string
	act  app.Action
	do   func(*company, context.Context) error
}{
	{"replace", app.MemoryChange, func(c *company, ctx context.Context) error {
		return second(c.Replace(ctx, c.mara, c.memory.ID, 0, app.Draft{Title: "zebra", Content: "okapi"}))
	}},
	{"trash many", app.MemoryTrash, func(c *company, ctx context.Context) error {
		return second(c.TrashMany(ctx, c.mara, []loci.MemoryID{c.memory.ID}))
	}},
	{"end the others", app.SessionEnd, func(c *company, ctx context.Context) error { return second(c.EndOtherSessions(ctx, c.mara)) }},
	{"set a password", app.SignInChange, func(c *company, ctx context.Context) error { return c.SetPassword(ctx, c.mara, "$argon2id$y") }},
	{"add a passkey", app.SignInChange, func(c *company, ctx context.Context) error {
		return c.AddPasskey(ctx, c.mara, loci.Passkey{ID: []byte("other"), Name: "okapi", Data: []byte("{}")})
	}},
	{"revoke an invitation", app.TeamInvite, func(c *company, ctx context.Context) error { return c.RevokeInvite(ctx, c.mara, c.invite.Invite.ID) }},
	{"new workspace", app.WorkspaceChange, func(c *company, ctx context.Context) error { return second(c.CreateWorkspace(ctx, c.owner, "okapi")) }},
	{"delete a workspace", app.WorkspaceChange, func(c *company, ctx context.Context) error { return c.DeleteWorkspace(ctx, c.owner, c.space) }},
	{"join a workspace", app.WorkspaceChange, func(c *company, ctx context.Context) error {
		return c.JoinWorkspace(ctx, c.owner, c.space, c.ines.UserID)
	}},
	{"leave a workspace", app.WorkspaceChange, func(c *company, ctx context.Context) error {
		return c.LeaveWorkspace(ctx, c.owner, c.space, c.tom.UserID)
	}},
	{"enter a project member", app.ProjectMember, func(c *company, ctx context.Context) error {
		return c.PutProjectMember(ctx, c.mara, c.project, loci.ProjectMember{UserID: c.ines.UserID, Role: loci.Member})
	}},
	{"remove a project member", app.ProjectMember, func(c *company, ctx context.Context) error {
		return c.RemoveProjectMember(ctx, c.mara, c.project, c.tom.UserID)
	}},
	{"leave a project", app.ProjectMember, func(c *company, ctx context.Context) error {
		return c.RemoveProjectMember(ctx, c.tom, c.project, c.tom.UserID)
	}},
	{"delete an archived project", app.ProjectDelete, func(c *company, ctx context.Context) error {
		return c.DeleteProject(ctx, c.mara, c.archived)
	}},
	{"delete a user", app.MemberRemove, func(c *company, ctx context.Context) error { return c.DeleteUser(ctx, c.owner, c.mara.UserID) }},
	{"hand the org over", app.MemberRole, func(c *company, ctx context.Context) error {
		return second(c.SetMember(ctx, c.owner, c.tom.UserID, app.MemberChange{Transfer: true}))
	}},
}

// What cannot be recorded is not done, and what is done is recorded once,
// without a word of anybody's.
func TestEveryAuditedActionIsRecorded(t *testing.T) {
	for act, rule := range app.Rules() {
		if !rule.Audited {
			continue
		}
		t.Run(string(act), func(t *testing.T) {
			t.Parallel()
			if deeds[act] == nil {
				t.Fatal("the test has no deed for this action")
			}
			isRecorded(t, act, deeds[act])
		})
	}
	for _, m := range more {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			isRecorded(t, m.act, m.do)
		})
	}
}

func isRecorded(t *testing.T, act app.Action, do func(*company, context.Context) error) {
	t.Helper()
	c := newCompany(t)
	before := c.dump()
	c.st.broken = true
	if err := do(c, t.Context()); err == nil {
		t.Error("done, though it could not be recorded")
	}
	c.st.broken = false
	if diff := cmp.Diff(before, c.dump()); diff != "" {
		t.Errorf("something was left behind:\n%s", diff)
	}
	if len(c.st.entries) != 0 {
		t.Errorf("entries %+v", c.st.entries)
	}
	if err := do(c, t.Context()); err != nil {
		t.Fatal(err)
	}
	checkEntries(t, c, act)
}

func checkEntries(t *testing.T, c *company, act app.Action) {
	t.Helper()
	if len(c.st.entries) != 1 || c.st.entries[0].Action != string(act) || !c.st.entries[0].Allowed {
		t.Fatalf("got %+v, want one entry of %s", c.st.entries, act)
	}
	text, err := json.Marshal(c.st.entries)
	c.must(err)
	for _, word := range secrets {
		if strings.Contains(strings.ToLower(string(text)), strings.ToLower(word)) {
			t.Errorf("%q stands in the trail: %s", word, text)
		}
	}
	if c.st.entries[0].Target == "" && c.st.entries[0].Count == 0 {
		t.Error("the entry says nothing about what")
	}
	if act == app.OrgDelete || act == app.OrgCreate {
		return // that trail is gone, or it is another org's
	}
	err = c.st.View(t.Context(), "acme", func(tx store.Tx) error {
		rows, err := tx.Audit().List(t.Context(), store.AuditQuery{Action: string(act), From: c.st.entries[0].At, Limit: 10})
		if err == nil && len(rows) != 1 {
			t.Errorf("the trail has %d rows, want 1", len(rows))
		}
		return err
	})
	c.must(err)
}

func TestRefusalsAreRecorded(t *testing.T) {
	c := newCompany(t)
	_, err := c.RenameOrg(t.Context(), c.tom, "mine")
	wantCode(t, err, loci.Forbidden)
	shared, err := c.ShareMemory(t.Context(), c.mara, c.memory.ID)
	c.must(err)
	_, err = c.Patch(t.Context(), c.tom, shared.ID, 0, app.Patch{Title: new("mine")})
	wantCode(t, err, loci.Forbidden)
	rows, err := c.AuditTrail(t.Context(), c.operator, app.AuditQuery{UserID: c.tom.UserID, Denied: true, From: c.now.Add(-time.Hour)})
	c.must(err)
	if len(rows) != 2 || rows[0].Action != string(app.MemoryChange) || rows[1].Action != string(app.OrgChange) {
		t.Errorf("got %+v", rows)
	}
}
