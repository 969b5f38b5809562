package app_test

// long: one table of the deeds

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/auth/authtest"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/task"
	"github.com/loci-memory/loci/internal/transfer"
)

// company is a stage with an org in which there is something to do everything
// with.
type company struct {
	*stage
	operator, owner, mara, tom loci.Principal // mara owns the team that tom is in
	other, key                 loci.Principal // another session of mara's; a key
	team                       loci.TeamID
	grant                      loci.GrantID
	invite                     org.Invited // for ines, who is in no team
	ines                       loci.Principal
	disabled                   loci.UserID
	space                      loci.WorkspaceID
	memory, trashed            *loci.Memory
	passkey                    []byte
	project, archived          loci.ProjectID   // mara's; tom is entered in the first
	entity, spare, gone        loci.EntityID    // in it; the last in its trash
	robot                      loci.AgentID     // registered by mara
	work, closed               loci.SessionID   // mara's, of no agent
	task                       loci.TaskID      // mara's
	candidate                  loci.CandidateID // the owner's
	asset                      loci.AssetID     // of mara's memory, as the source
	source                     loci.SourceID
	suggestion                 loci.SuggestionID // about mara's memory
	nodeID, trashedNode        loci.NodeID       // mara's
	itemID                     loci.NodeItemID   // a text in the first
}

// secrets are words that stand in content and e-mail addresses, and must not
// stand in the trail.
var secrets = []string{"zebra", "quagga", "okapi", "marasmail", "tomsmail", "inesmail", "newmail", "Rhino",
	"hartebeest", "wombat"}

func newCompany(t testing.TB) *company {
	t.Helper()
	c := &company{stage: newStage(t, loci.DeleteWithKey)}
	ctx := t.Context()
	var boss loci.User
	c.operator, boss = c.org("acme", "boss@acme.example")
	mara, tom := c.user(c.operator, "marasmail@acme.example", loci.Member),
		c.user(c.operator, "tomsmail@acme.example", loci.Member)
	ines := c.user(c.operator, "inesmail@acme.example", loci.Member)
	c.owner = c.session(boss)
	team, err := c.Org.CreateTeam(ctx, c.session(mara), "Rhinos")
	c.must(err)
	c.team = team.ID
	made, err := c.Org.InviteToTeam(ctx, c.session(mara), team.ID, []string{tom.Email, ines.Email}, loci.Member)
	c.must(err)
	_, err = c.Org.AcceptInvite(ctx, c.session(tom), made[0].Token)
	c.must(err)
	c.invite = made[1]
	c.settleProjects(mara, tom)
	c.mara, c.other, c.tom, c.ines = c.session(mara), c.session(mara), c.session(tom), c.session(ines)
	c.key = c.with(c.newKey(c.mara))
	c.grant = c.stage.grant(c.mara, "client-1", "claude")
	_, err = c.Org.Set(ctx, c.owner, org.Settings{Workspaces: new(true)})
	c.must(err)
	_, err = c.Org.Set(ctx, c.owner, org.Settings{Workspaces: new(false)})
	c.must(err)
	space, err := c.Org.CreateWorkspace(ctx, c.owner, "Second")
	c.must(err)
	c.space = space.ID
	c.must(c.Org.JoinWorkspace(ctx, c.owner, space.ID, tom.ID))
	c.memory = c.add(c.mara, memory.Draft{Title: "zebra", Content: "the quagga", Tags: []string{"okapi"}})
	c.trashed = c.add(c.mara, memory.Draft{Title: "zebra too", Content: "another quagga"})
	gone, err := c.Memory.Trash(ctx, c.mara, c.trashed.ID, 0)
	c.must(err)
	c.trashed = &gone.Memory
	c.settleAttached()
	c.settleSuggested()
	c.settleNodes()
	c.passkey = []byte("passkey-1")
	c.must(c.st.Update(ctx, c.mara.OrgID, func(tx store.Tx) error {
		k := loci.Passkey{ID: c.passkey, Name: "hartebeest", Data: []byte("{}"), CreatedAt: c.clock()}
		if err := tx.SignIn().PutPasskey(ctx, c.mara.UserID, k); err != nil {
			return err
		}
		return tx.SignIn().SetPassword(ctx, c.mara.UserID, "$argon2id$x")
	}))
	robot, err := c.Agent.Create(ctx, c.mara, agent.Draft{Name: "a robot", Vendor: "claude"})
	c.must(err)
	closed, err := c.Agent.CreateSession(ctx, c.mara, agent.SessionDraft{Title: "zebra"})
	c.must(err)
	_, err = c.Agent.CloseSession(ctx, c.mara, closed.ID.String())
	c.must(err)
	c.robot, c.closed = robot.ID, closed.ID
	work, err := c.Agent.CreateSession(ctx, c.mara, agent.SessionDraft{Title: "zebra"})
	c.must(err)
	c.work = work.ID
	job, err := c.Task.Create(ctx, c.mara, task.Draft{Project: c.project.String(), Title: "zebra", Notes: "okapi"})
	c.must(err)
	c.task = job.ID
	c.settleCandidate()
	c.disabled = c.user(c.operator, "pasmail@acme.example", loci.Member).ID
	c.must(second(c.Org.SetMember(ctx, c.owner, c.disabled, org.MemberChange{Disabled: new(true)})))
	c.st.entries = nil
	return c
}

// settleCandidate stores a candidate of the owner's that waits.
func (c *company) settleCandidate() {
	waits := loci.Candidate{ID: loci.CandidateID{1}, Kind: loci.CandidateIdea, Title: "zebra", Content: "quagga",
		EventAccess: loci.EventAccess{OrgID: c.owner.OrgID, UserID: c.owner.UserID, Reach: loci.ReachPrivate,
			Origin: c.owner.Origin, AllowedVendors: []loci.Vendor{loci.AnyVendor}},
		SuggestedScope: loci.ScopeGlobal, CreatedAt: c.clock(), UpdatedAt: c.clock()}
	waits.SetDefaults()
	c.candidate = waits.ID
	c.must(c.st.Update(c.t.Context(), c.mara.OrgID, func(tx store.Tx) error {
		return tx.Candidates().Insert(c.t.Context(), &waits)
	}))
}

func (c *company) settleProjects(mara, tom loci.User) {
	c.t.Helper()
	ctx := c.t.Context()
	c.project = c.stage.project(c.session(mara), "wombat", true).ID
	c.archived = c.stage.project(c.session(mara), "wombat too", true).ID
	p := c.session(mara)
	_, err := c.Project.Archive(ctx, p, c.archived)
	c.must(err)
	c.must(c.Project.PutMember(ctx, p, c.project, loci.ProjectMember{UserID: tom.ID, Role: loci.Member}))
	put, err := c.Graph.CreateEntities(ctx, p, c.project, nil,
		[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "wombat", Type: "animal"},
			Observations: []string{"digs like a wombat"}}})
	c.must(err)
	c.entity = put[0].Entity.ID
	put, err = c.Graph.CreateEntities(ctx, p, c.project, nil,
		[]loci.NewEntity{{EntityRef: loci.EntityRef{Name: "wombats", Type: "animal"}},
			{EntityRef: loci.EntityRef{Name: "quagga", Type: "animal"}}})
	c.must(err)
	c.spare, c.gone = put[0].Entity.ID, put[1].Entity.ID
	c.must(second(c.Graph.DeleteEntities(ctx, p, c.project, []loci.EntityRef{{Name: "quagga"}})))
	c.must(c.st.Projects().GatherAudit(ctx, "acme", c.project))
}

func (c *company) newKey(p loci.Principal) loci.Secret {
	c.t.Helper()
	_, key, err := c.Identity.CreateKey(c.t.Context(), p, auth.KeyRequest{Name: "hartebeest"})
	c.must(err)
	return key
}

func second[A, B any](_ A, b B) B        { return b }
func third[A, B, C any](_ A, _ B, c C) C { return c }

// deeds carries every audited action out, once.
var deeds = map[gate.Action]func(*company, context.Context) error{
	memory.Create: func(c *company, ctx context.Context) error {
		return second(c.Memory.Create(ctx, c.mara, memory.Draft{Title: "zebra", Content: "okapi"}))
	},
	memory.Change: func(c *company, ctx context.Context) error {
		return second(c.Memory.Patch(ctx, c.mara, c.memory.ID, 0, memory.Patch{Title: loci.Set("okapi")}))
	},
	memory.Trash: func(c *company, ctx context.Context) error {
		return second(c.Memory.Trash(ctx, c.mara, c.memory.ID, 0))
	},
	memory.Restore: func(c *company, ctx context.Context) error {
		return second(c.Memory.Restore(ctx, c.mara, c.trashed.ID, 0))
	},
	memory.Erase: func(c *company, ctx context.Context) error { return c.Memory.Erase(ctx, c.mara, c.trashed.ID, 0) },
	memory.Share: func(c *company, ctx context.Context) error { return second(c.Memory.Share(ctx, c.mara, c.memory.ID)) },
	transfer.Export: func(c *company, ctx context.Context) error {
		return second(c.App.Transfer.Export(ctx, c.mara, io.Discard))
	},
	transfer.Import: func(c *company, ctx context.Context) error {
		var b bytes.Buffer
		w := newWorld(c.t.(*testing.T))
		w.add(w.owner, memory.Draft{Title: "zebra", Content: "quagga"})
		if _, err := w.App.Transfer.Export(ctx, w.owner, &b); err != nil {
			return err
		}
		return second(c.App.Transfer.Import(ctx, c.operator, &b, transfer.ImportOptions{}))
	},
	identity.AccountChange: func(c *company, ctx context.Context) error {
		return second(c.Identity.RenameMe(ctx, c.mara, "okapi"))
	},
	identity.AccountDelete: func(c *company, ctx context.Context) error {
		return c.Identity.DeleteAccount(ctx, c.mara, c.mara.UserID.String())
	},
	identity.SignInChange: func(c *company, ctx context.Context) error {
		return c.Identity.RemovePasskey(ctx, c.mara, c.passkey)
	},
	identity.SignInEnd: func(c *company, ctx context.Context) error {
		return c.Identity.EndSignIn(ctx, c.mara, c.other.CredentialID)
	},
	identity.KeyCreate: func(c *company, ctx context.Context) error {
		return third(c.Identity.CreateKey(ctx, c.mara, auth.KeyRequest{Name: "okapi", Vendor: "cursor"}))
	},
	identity.KeyRotate: func(c *company, ctx context.Context) error {
		return third(c.Identity.RotateKey(ctx, c.mara, c.key.CredentialID, 0))
	},
	identity.KeyRevoke: func(c *company, ctx context.Context) error {
		return c.Identity.RevokeKey(ctx, c.mara, c.key.CredentialID)
	},
	identity.GrantConsent: func(c *company, ctx context.Context) error {
		consent := &oauth.Consent{Client: loci.OAuthClient{ID: "client-1"}, Rights: []loci.Right{loci.RightRead},
			RedirectURI: "https://c.example/cb", Challenge: "x"}
		return second(c.Identity.Consent(ctx, c.mara, consent, "claude", consent.Rights))
	},
	identity.GrantRevoke: func(c *company, ctx context.Context) error {
		return c.Identity.RevokeGrant(ctx, c.mara, c.grant)
	},
	org.TeamCreate: func(c *company, ctx context.Context) error {
		return second(c.Org.CreateTeam(ctx, c.ines, "Rhino 2"))
	},
	org.TeamChange: func(c *company, ctx context.Context) error {
		return second(c.Org.RenameTeam(ctx, c.mara, c.team, "Rhino 3"))
	},
	org.TeamDelete: func(c *company, ctx context.Context) error { return c.Org.DeleteTeam(ctx, c.mara, c.team, true) },
	org.TeamInvite: func(c *company, ctx context.Context) error {
		return second(c.Org.InviteToTeam(ctx, c.mara, c.team, []string{"newmail@x.example"}, loci.Member))
	},
	org.TeamRole: func(c *company, ctx context.Context) error {
		return second(c.Org.SetTeamRole(ctx, c.mara, c.team, c.tom.UserID, loci.MemberAdmin))
	},
	org.TeamRemove: func(c *company, ctx context.Context) error {
		return c.Org.RemoveFromTeam(ctx, c.mara, c.team, c.tom.UserID)
	},
	org.TeamJoin: func(c *company, ctx context.Context) error {
		return second(c.Org.AcceptInvite(ctx, c.ines, c.invite.Token))
	},
	org.TeamLeave: func(c *company, ctx context.Context) error { return c.Org.LeaveTeam(ctx, c.tom, c.team) },
	org.Change:    func(c *company, ctx context.Context) error { return second(c.Org.Rename(ctx, c.owner, "Rhino Inc")) },
	org.Set: func(c *company, ctx context.Context) error {
		return second(c.Org.Set(ctx, c.owner, org.Settings{Workspaces: new(true)}))
	},
	org.Hold:   func(c *company, ctx context.Context) error { return second(c.Org.Hold(ctx, c.owner, true)) },
	org.Delete: func(c *company, ctx context.Context) error { return second(c.Org.Delete(ctx, c.operator, "acme")) },
	org.Invite: func(c *company, ctx context.Context) error {
		return second(c.Org.InviteToOrg(ctx, c.owner, []string{"newmail@x.example"}, loci.Member))
	},
	org.MemberAdd: func(c *company, ctx context.Context) error {
		return second(c.Org.AddUser(ctx, c.operator, org.NewUser{Email: "newmail@x.example"}))
	},
	org.MemberRole: func(c *company, ctx context.Context) error {
		return second(c.Org.SetMember(ctx, c.owner, c.tom.UserID, org.MemberChange{Role: new(loci.MemberAdmin)}))
	},
	org.MemberRemove: func(c *company, ctx context.Context) error {
		return second(c.Org.SetMember(ctx, c.owner, c.mara.UserID, org.MemberChange{Disabled: new(true)}))
	},
	org.MemberEnable: func(c *company, ctx context.Context) error {
		return second(c.Org.SetMember(ctx, c.owner, c.disabled, org.MemberChange{Disabled: new(false)}))
	},
	org.WorkspaceChange: func(c *company, ctx context.Context) error {
		return second(c.Org.RenameWorkspace(ctx, c.owner, c.space, "okapi"))
	},
	org.WorkspaceEnter: func(c *company, ctx context.Context) error {
		divided := func(yes bool) {
			_, err := c.st.Orgs().Update(ctx, "acme", func(o *loci.Org) error { o.Workspaces = yes; return nil })
			c.must(err)
		}
		divided(true)
		err := c.App.Identity.EnterWorkspace(ctx, c.tom, loci.CredentialID{}, c.space)
		divided(false)
		return err
	},
	project.Create: func(c *company, ctx context.Context) error {
		return second(c.Project.Create(ctx, c.mara, project.Draft{Name: "wombat 3", Description: "okapi"}))
	},
	project.Change: func(c *company, ctx context.Context) error {
		return second(c.Project.Change(ctx, c.mara, c.project, project.Patch{Name: new("wombat 4"), Everyone: new(false)}))
	},
	project.Archive: func(c *company, ctx context.Context) error {
		return second(c.Project.Archive(ctx, c.mara, c.project))
	},
	project.Restore: func(c *company, ctx context.Context) error {
		return second(c.Project.Restore(ctx, c.mara, c.archived))
	},
	project.Delete: func(c *company, ctx context.Context) error { return c.Project.Delete(ctx, c.mara, c.project) },
	project.ChangeMember: func(c *company, ctx context.Context) error {
		return c.Project.PutMember(ctx, c.mara, c.project, loci.ProjectMember{UserID: c.tom.UserID, Role: loci.MemberAdmin})
	},
	graph.Vendors: func(c *company, ctx context.Context) error {
		return second(c.Graph.SetVendors(ctx, c.mara, c.project, graph.IDs{Entities: []loci.EntityID{c.entity}},
			[]loci.Vendor{"claude"}))
	},
	graph.Export: func(c *company, ctx context.Context) error {
		return c.Graph.Export(ctx, c.mara, c.project, graph.GraphReference, io.Discard)
	},
	graph.Import: func(c *company, ctx context.Context) error {
		in := strings.NewReader(`{"type":"entity","name":"okapi","entityType":"animal","observations":["a quagga"]}` + "\n")
		return second(c.Graph.Import(ctx, c.mara, c.project, in, graph.ImportOptions{}))
	},
	org.Create: func(c *company, ctx context.Context) error {
		return third(c.Org.Create(ctx, c.local, org.Draft{Name: "Platypus", OwnerEmail: "newmail@x.example"}))
	},
	org.Suspend: func(c *company, ctx context.Context) error { return second(c.Org.Suspend(ctx, c.local, "acme", true)) },
	org.Export: func(c *company, ctx context.Context) error {
		return c.Org.Export(ctx, c.operator, filepath.Join(c.t.TempDir(), "out"))
	},
	org.ArcSet: func(c *company, ctx context.Context) error {
		return second(c.Org.AddArc(ctx, c.operator, loci.ArcBinding{URL: "https://okapi.example", Database: "quagga",
			Key: "wombat"}))
	},
	org.MasterRotate: func(c *company, ctx context.Context) error {
		return second(c.Org.Reseal(ctx, c.operator, masterKey(c.t)))
	},
	event.Replay: func(c *company, ctx context.Context) error {
		return second(c.Event.ReplayDead(ctx, c.operator, nil))
	},
}

// more are the other ways to carry out an action.
var more = []struct {
	name string
	act  gate.Action
	do   func(*company, context.Context) error
}{
	{"replace", memory.Change, func(c *company, ctx context.Context) error {
		return second(c.Memory.Replace(ctx, c.mara, c.memory.ID, 0, memory.Draft{Title: "zebra", Content: "okapi"}))
	}},
	{"trash many", memory.Trash, func(c *company, ctx context.Context) error {
		return second(c.Memory.TrashMany(ctx, c.mara, []loci.MemoryID{c.memory.ID}))
	}},
	{"end the others", identity.SignInEnd,
		func(c *company, ctx context.Context) error { return second(c.Identity.EndOtherSignIns(ctx, c.mara)) }},
	{"set a password", identity.SignInChange,
		func(c *company, ctx context.Context) error {
			return c.Identity.SetPassword(ctx, c.mara, "correct horse battery")
		}},
	{"remove a password", identity.SignInChange,
		func(c *company, ctx context.Context) error { return c.Identity.RemovePassword(ctx, c.mara) }},
	{"add a passkey", identity.SignInChange, func(c *company, ctx context.Context) error {
		return c.addPasskey(ctx, "okapi")
	}},
	{"revoke an invitation", org.TeamInvite, func(c *company, ctx context.Context) error {
		return c.Org.RevokeInvite(ctx, c.mara, c.invite.Invite.ID)
	}},
	{"new workspace", org.WorkspaceChange, func(c *company, ctx context.Context) error {
		return second(c.Org.CreateWorkspace(ctx, c.owner, "okapi"))
	}},
	{"delete a workspace", org.WorkspaceChange,
		func(c *company, ctx context.Context) error { return c.Org.DeleteWorkspace(ctx, c.owner, c.space) }},
	{"join a workspace", org.WorkspaceChange, func(c *company, ctx context.Context) error {
		return c.Org.JoinWorkspace(ctx, c.owner, c.space, c.ines.UserID)
	}},
	{"leave a workspace", org.WorkspaceChange, func(c *company, ctx context.Context) error {
		return c.Org.LeaveWorkspace(ctx, c.owner, c.space, c.tom.UserID)
	}},
	{"enter a project member", project.ChangeMember, func(c *company, ctx context.Context) error {
		return c.Project.PutMember(ctx, c.mara, c.project, loci.ProjectMember{UserID: c.ines.UserID, Role: loci.Member})
	}},
	{"remove a project member", project.ChangeMember, func(c *company, ctx context.Context) error {
		return c.Project.RemoveMember(ctx, c.mara, c.project, c.tom.UserID)
	}},
	{"leave a project", project.ChangeMember, func(c *company, ctx context.Context) error {
		return c.Project.RemoveMember(ctx, c.tom, c.project, c.tom.UserID)
	}},
	{"delete an archived project", project.Delete, func(c *company, ctx context.Context) error {
		return c.Project.Delete(ctx, c.mara, c.archived)
	}},
	{"delete a user", org.MemberRemove,
		func(c *company, ctx context.Context) error { return c.Identity.DeleteUser(ctx, c.owner, c.mara.UserID) }},
	{"hand the org over", org.MemberRole, func(c *company, ctx context.Context) error {
		return second(c.Org.SetMember(ctx, c.owner, c.tom.UserID, org.MemberChange{Transfer: true}))
	}},
}

// alongside are the actions that another one carries out, too.
var alongside = map[gate.Action][]gate.Action{review.Persist: {review.Reflect, memory.Create},
	review.Accept: {memory.Create}}

// What cannot be recorded is not done, and what is done is recorded once,
// without a word of anybody's.
func TestEveryAuditedActionIsRecorded(t *testing.T) {
	for act, rule := range app.Rules() {
		if !rule.Are(gate.WithChange | gate.WithCall) {
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

func isRecorded(t *testing.T, act gate.Action, do func(*company, context.Context) error) {
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

func checkEntries(t *testing.T, c *company, act gate.Action) {
	t.Helper()
	text, err := json.Marshal(c.st.entries)
	c.must(err)
	entries := slices.DeleteFunc(slices.Clone(c.st.entries), func(e loci.AuditEntry) bool {
		return e.Allowed && slices.Contains(alongside[act], gate.Action(e.Action))
	})
	if len(entries) != 1 || entries[0].Action != string(act) || !entries[0].Allowed {
		t.Fatalf("got %+v, want one entry of %s", c.st.entries, act)
	}
	c.st.entries = entries
	for _, word := range secrets {
		if strings.Contains(strings.ToLower(string(text)), strings.ToLower(word)) {
			t.Errorf("%q stands in the trail: %s", word, text)
		}
	}
	ofBegin := app.Rules()[act].Are(gate.WithCall) // Begin records before anything is found
	if !ofBegin && c.st.entries[0].Target == "" && c.st.entries[0].Count == 0 {
		t.Error("the entry says nothing about what")
	}
	if act == org.Delete || act == org.Create {
		return // that trail is gone, or it is another org's
	}
	if err := c.st.Projects().GatherAudit(t.Context(), "acme", c.project); loci.CodeOf(err) == "" {
		c.must(err)
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
	t.Parallel()
	c := newCompany(t)
	_, err := c.Org.Rename(t.Context(), c.tom, "mine")
	wantCode(t, err, loci.Forbidden)
	shared, err := c.Memory.Share(t.Context(), c.mara, c.memory.ID)
	c.must(err)
	_, err = c.Memory.Patch(t.Context(), c.tom, shared.ID, 0, memory.Patch{Title: loci.Set("mine")})
	wantCode(t, err, loci.Forbidden)
	rows, err := c.Identity.AuditTrail(t.Context(), c.operator,
		identity.AuditQuery{UserID: c.tom.UserID, Denied: true, From: c.now.Add(-time.Hour)})
	c.must(err)
	if len(rows) != 2 || rows[0].Action != string(memory.Change) || rows[1].Action != string(org.Change) {
		t.Errorf("got %+v", rows)
	}
}

// addPasskey gives Mara a passkey of that name.
func (c *company) addPasskey(ctx context.Context, name string) error {
	options, state, err := c.Identity.BeginPasskey(ctx, c.mara, authtest.Site)
	if err != nil {
		return err
	}
	_, err = c.Identity.AddPasskey(ctx, c.mara, identity.NewPasskey{Name: name, State: state,
		Response: authtest.New(c.t).Create(options)})
	return err
}
