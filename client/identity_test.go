package client_test

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/store"
)

// browser sends a session's cookie in place of a key.
type browser string

func (b browser) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	r.AddCookie(&http.Cookie{Name: auth.SecureCookie, Value: string(b)})
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return http.DefaultTransport.RoundTrip(r)
}

// signIn returns a client with a browser sign-in of a person whose proof is of
// that age.
func signIn(t *testing.T, address string, st store.Store, user loci.UserID, age time.Duration) *client.Client {
	t.Helper()
	token, now := auth.NewSecret("loci_session_"), loci.CutTime(time.Now())
	err := st.Credentials().Insert(t.Context(), loci.Credential{ID: loci.NewCredentialID(), OrgID: loci.DefaultOrg,
		UserID: user, Kind: loci.KindUser,
		Method: loci.BySignIn, Name: "Test", Hash: auth.Hash(token), ProvedAt: now.Add(-age), CreatedAt: now,
		ExpiresAt: now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return client.New(address, "", client.WithHTTP(&http.Client{Transport: browser(token.Reveal())}))
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAccountAndKeys(t *testing.T) {
	ctx := t.Context()
	address, st := start(t)
	key := client.New(address, "owner")
	me := must(key.Me(ctx))(t)
	fresh, stale := signIn(t, address, st, me.ID, 0), signIn(t, address, st, me.ID, time.Hour)

	if got := must(key.RenameMe(ctx, "Ada"))(t); got.Name != "Ada" || got.ID != me.ID {
		t.Errorf("RenameMe: got %+v", got)
	}
	if got := must(key.SignIns(ctx))(t); len(got.SignIns) != 2 || got.SignIns[0].Browser != "Test" {
		t.Errorf("Sessions: got %+v", got)
	}
	if got := must(key.SignInMethods(ctx))(t); got.Password || len(got.Passkeys) != 0 {
		t.Errorf("SignInMethods: got %+v", got)
	}
	if got := must(key.Grants(ctx))(t); len(got.Grants) != 0 {
		t.Errorf("Grants: got %+v", got)
	}
	if client.CodeOf(key.RevokeGrant(ctx, loci.NewGrantID())) != loci.NotFound ||
		client.CodeOf(key.EndSignIn(ctx, loci.NewCredentialID())) != loci.NotFound {
		t.Error("an unknown grant or session is not NotFound")
	}

	home := strings.Replace(address, "127.0.0.1", "localhost", 1) // the one name of pages
	_, err := stale.CreateKey(ctx, client.NewKey{Name: "x"})
	var e *client.Error
	if !errors.As(err, &e) || e.Code != loci.StepUp || e.StepUpURL != home+"/app/step-up" {
		t.Errorf("CreateKey with a stale proof: got %+v, want step-up at %s", err, home)
	}
	made := must(fresh.CreateKey(ctx, client.NewKey{Name: "script",
		Scopes: []loci.Right{loci.RightRead, loci.RightWrite}}))(t)
	m := must(client.New(address, made.Secret).Create(ctx, client.NewMemory{Title: "a", Content: "b"}))(t)
	rotated := must(fresh.RotateKey(ctx, made.Key.ID, 0))(t)
	if rotated.Key.Replaces != made.Key.ID || rotated.Secret == made.Secret {
		t.Errorf("RotateKey: got %+v", rotated)
	}
	if got := must(key.Keys(ctx))(t); len(got.Keys) != 2 || got.Keys[0].ID != rotated.Key.ID {
		t.Errorf("Keys: got %+v", got)
	}
	ok(t, key.RevokeKey(ctx, rotated.Key.ID))
	if _, err := client.New(address, rotated.Secret).Get(ctx, m.ID); client.CodeOf(err) != loci.Unauthenticated {
		t.Errorf("a revoked key: got %v", err)
	}

	var lines bytes.Buffer
	ok(t, key.Export(ctx, &lines))
	if !strings.HasPrefix(lines.String(), `{"loci":"export"`) || !strings.Contains(lines.String(), m.ID.String()) {
		t.Errorf("Export: got %s", &lines)
	}
	if err := client.New(address, "wrong").Export(ctx, &lines); client.CodeOf(err) != loci.Unauthenticated {
		t.Errorf("Export with a wrong key: got %v", err)
	}
	if n := must(fresh.EndOtherSignIns(ctx))(t); n != 1 {
		t.Errorf("EndOtherSessions: got %d, want 1", n)
	}
	if err := key.DeleteMe(ctx, me.ID.String()); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("DeleteMe with a key: got %v", err)
	}
	if _, err := key.AdminMetrics(ctx); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("AdminMetrics: got %v", err)
	}
	if _, err := key.AdminUsers(ctx, 1, ""); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("AdminUsers: got %v", err)
	}
	if list := must(key.Settings(ctx))(t); len(list) != 0 {
		t.Errorf("Settings: got %v, but nothing can be set here", list)
	}
	if _, err := key.SetSetting(ctx, "dream.at", "02:15"); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("SetSetting: got %v", err)
	}
	if _, err := key.ResetSetting(ctx, "dream.at"); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("ResetSetting: got %v", err)
	}
}

func TestTeamsAndTrash(t *testing.T) {
	ctx := t.Context()
	address, st := start(t)
	key, agent := client.New(address, "owner"), client.New(address, "claude-key")
	team := must(key.CreateTeam(ctx, "Platform"))(t)
	if got := must(key.RenameTeam(ctx, team.ID, "Core"))(t); got.Name != "Core" {
		t.Errorf("RenameTeam: got %+v", got)
	}
	noor := loci.User{ID: loci.NewUserID(), OrgID: loci.DefaultOrg, Email: "noor@loci.example", Role: loci.RoleUser,
		OrgRole: loci.Member, CreatedAt: loci.CutTime(time.Now())}
	ok(t, st.People().Add(ctx, noor, nil))
	hers := signIn(t, address, st, noor.ID, 0)
	invited := must(key.InviteToTeam(ctx, team.ID, "", noor.Email, "zoe@loci.example"))(t)
	if len(invited.Invites) != 2 || invited.Invites[0].Invite.TeamRole != loci.Member {
		t.Fatalf("InviteToTeam: got %+v", invited)
	}
	if got := must(hers.Join(ctx, invited.Invites[0].Token))(t); got.Team == nil || got.Team.ID != team.ID ||
		len(got.Team.Members) != 2 {
		t.Errorf("Join: got %+v", got)
	}
	ok(t, key.RevokeTeamInvite(ctx, team.ID, invited.Invites[1].Invite.ID))
	if got := must(key.TeamInvites(ctx, team.ID))(t); len(got.Invites) > 2 {
		t.Errorf("TeamInvites: got %+v", got)
	}
	m := must(agent.AgentCreate(ctx, client.NewMemory{Title: "a", Content: "b"}))(t)
	if got := must(key.Share(ctx, m.ID))(t); got.TeamID != team.ID {
		t.Errorf("Share: got %+v", got)
	}
	if got := must(hers.TeamMemories(ctx, 1, ""))(t); len(got.Memories) != 1 || got.Memories[0].ID != m.ID {
		t.Errorf("TeamMemories: got %+v", got)
	}
	if got := must(key.Unshare(ctx, m.ID))(t); !got.TeamID.IsZero() {
		t.Errorf("Unshare: got %+v", got)
	}
	owner := signIn(t, address, st, must(key.Me(ctx))(t).ID, 0)
	if got := must(owner.SetTeamRole(ctx, team.ID, noor.ID, loci.MemberAdmin))(t); got.TeamRole != loci.MemberAdmin {
		t.Errorf("SetTeamRole: got %+v", got)
	}
	ok(t, key.RemoveFromTeam(ctx, team.ID, noor.ID))
	if got := must(key.Team(ctx, team.ID))(t); len(got.Members) != 1 {
		t.Errorf("Team: got %+v", got)
	}
	if err := hers.LeaveTeam(ctx, team.ID); client.CodeOf(err) != loci.NotFound {
		t.Errorf("LeaveTeam of somebody who is not in it: got %v", err)
	}
	ok(t, owner.DeleteTeam(ctx, team.ID, true))
	if got := must(key.Teams(ctx))(t); len(got.Teams) != 0 {
		t.Errorf("Teams: got %+v", got)
	}

	if got := must(agent.AgentTrash(ctx, m.ID, m.Version+2))(t); got.DeletedAt.IsZero() {
		t.Errorf("AgentTrash: got %+v", got)
	}
	ok(t, key.Erase(ctx, m.ID, 0))
	n := must(key.Create(ctx, client.NewMemory{Title: "a", Content: "b"}))(t)
	if got := must(key.TrashMany(ctx, []loci.MemoryID{n.ID}))(t); got.Count != 1 || got.Trashed[0].ID != n.ID {
		t.Errorf("TrashMany: got %+v", got)
	}
}

func TestOrg(t *testing.T) {
	ctx := t.Context()
	address, st := start(t)
	key := client.New(address, "owner")
	me := must(key.Me(ctx))(t)
	owner, id := signIn(t, address, st, me.ID, 0), me.OrgID
	name, on, off := "Acme", true, false
	if got := must(owner.EditOrg(ctx, id, client.OrgEdit{Name: &name, Workspaces: &off}))(t); got.Name != name {
		t.Errorf("EditOrg: got %+v", got)
	}
	if got := must(key.Org(ctx, id))(t); got.Name != name || got.OwnerID != me.ID {
		t.Errorf("Org: got %+v", got)
	}
	if _, err := key.Org(ctx, "other"); client.CodeOf(err) != loci.NotFound {
		t.Errorf("another org: got %v", err)
	}
	noor := loci.User{ID: loci.NewUserID(), OrgID: id, Email: "noor@loci.example", Role: loci.RoleUser,
		OrgRole: loci.Member, CreatedAt: loci.CutTime(time.Now())}
	ok(t, st.People().Add(ctx, noor, nil))
	first := must(key.Members(ctx, id, 1, ""))(t)
	second := must(key.Members(ctx, id, 1, first.NextCursor))(t)
	if len(first.Members) != 1 || !first.HasMore || len(second.Members) != 1 || second.HasMore ||
		first.Members[0].ID == second.Members[0].ID {
		t.Errorf("Members: got %+v, then %+v", first, second)
	}
	if _, err := key.Members(ctx, id, 1, "x"); client.CodeOf(err) != loci.Invalid {
		t.Errorf("a bad cursor: got %v", err)
	}
	admin := loci.MemberAdmin
	if got := must(owner.EditMember(ctx, id, noor.ID, client.MemberEdit{Role: &admin}))(t); got.OrgRole != admin {
		t.Errorf("EditMember: got %+v", got)
	}
	if got := must(owner.EditMember(ctx, id, noor.ID, client.MemberEdit{Disabled: &on}))(t); !got.Disabled {
		t.Errorf("EditMember: got %+v", got)
	}
	invited := must(owner.InviteToOrg(ctx, id, loci.MemberAdmin, "zoe@loci.example"))(t)
	if got := must(key.OrgInvites(ctx, id))(t); len(got.Invites) != 1 || got.Invites[0].Email != "zoe@loci.example" {
		t.Errorf("OrgInvites: got %+v", got)
	}
	ok(t, key.RevokeOrgInvite(ctx, id, invited.Invites[0].Invite.ID))

	w := must(key.CreateWorkspace(ctx, id, "Research"))(t)
	ok(t, key.AddToWorkspace(ctx, id, w.ID, me.ID))
	must(owner.EditOrg(ctx, id, client.OrgEdit{Workspaces: &on}))(t)
	if got := must(key.RenameWorkspace(ctx, id, w.ID, "Lab"))(t); got.Name != "Lab" {
		t.Errorf("RenameWorkspace: got %+v", got)
	}
	ok(t, owner.EnterWorkspace(ctx, w.ID))
	made := must(owner.CreateKey(ctx, client.NewKey{Name: "script"}))(t)
	ok(t, key.SetKeyWorkspace(ctx, made.Key.ID, w.ID))
	if got := must(key.WorkspaceMembers(ctx, id, w.ID))(t); len(got.Members) == 0 {
		t.Errorf("WorkspaceMembers: got %+v", got)
	}
	spare := must(key.CreateWorkspace(ctx, id, "Spare"))(t)
	ok(t, key.AddToWorkspace(ctx, id, spare.ID, me.ID))
	ok(t, key.RemoveFromWorkspace(ctx, id, spare.ID, me.ID))
	ok(t, key.DeleteWorkspace(ctx, id, spare.ID))
	if got := must(key.Workspaces(ctx, id))(t); len(got.Workspaces) == 0 {
		t.Errorf("Workspaces: got %+v", got)
	}
	if _, err := key.DeleteOrg(ctx, id, string(id)); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("DeleteOrg with a key: got %v", err)
	}
}

func TestAudit(t *testing.T) {
	ctx := t.Context()
	address, st := start(t)
	key := client.New(address, "owner")
	me := must(key.Me(ctx))(t)
	must(key.RenameMe(ctx, "Ada"))(t)
	if _, err := key.CreateKey(ctx, client.NewKey{Name: "x"}); client.CodeOf(err) != loci.Forbidden {
		t.Fatalf("CreateKey with a key: got %v", err)
	}
	all := must(key.Audit(ctx, me.OrgID, client.AuditQuery{}))(t)
	if len(all.Entries) != 2 || all.Entries[0].Action != "key.create" || all.Entries[0].Allowed || all.HasMore {
		t.Errorf("Audit: got %+v", all)
	}
	first := must(key.Audit(ctx, me.OrgID, client.AuditQuery{Limit: 1}))(t)
	second := must(key.Audit(ctx, me.OrgID, client.AuditQuery{Limit: 1, Cursor: first.NextCursor}))(t)
	if !first.HasMore || second.HasMore || len(second.Entries) != 1 || second.Entries[0].ID != all.Entries[1].ID {
		t.Errorf("Audit by pages: got %+v, then %+v", first, second)
	}
	q := client.AuditQuery{AuditConditions: client.AuditConditions{Action: "account.change", UserID: me.ID,
		Since: all.Entries[1].At, Until: all.Entries[1].At.Add(time.Microsecond)}}
	if got := must(key.Audit(ctx, me.OrgID, q))(t); len(got.Entries) != 1 || got.Entries[0].Action != "account.change" {
		t.Errorf("Audit with conditions: got %+v", got)
	}
	q.Denied = true
	if got := must(key.Audit(ctx, me.OrgID, q))(t); len(got.Entries) != 0 {
		t.Errorf("rejected ones: got %+v", got)
	}
	noor := loci.User{ID: loci.NewUserID(), OrgID: me.OrgID, Role: loci.RoleUser, OrgRole: loci.Member,
		CreatedAt: loci.CutTime(time.Now())}
	ok(t, st.People().Add(ctx, noor, nil))
	member := signIn(t, address, st, noor.ID, 0)
	if got := must(member.Audit(ctx, me.OrgID, client.AuditQuery{}))(t); len(got.Entries) != 0 {
		t.Errorf("what a member sees: got %+v", got)
	}
}

func TestAdmin(t *testing.T) {
	ctx := t.Context()
	address, st := start(t)
	key := client.New(address, "owner")
	me := must(key.Me(ctx))(t)
	if _, err := key.AdminOrgs(ctx, 0, ""); client.CodeOf(err) != loci.Forbidden {
		t.Errorf("AdminOrgs as anybody: got %v", err)
	}
	ok(t, st.Update(ctx, me.OrgID, func(tx store.Tx) error {
		u, err := tx.Users().Get(ctx, me.ID)
		if err != nil {
			return err
		}
		u.Role = loci.RoleAdmin
		return tx.Users().Update(ctx, u)
	}))
	admin := signIn(t, address, st, me.ID, 0)
	made := must(admin.CreateOrg(ctx, client.NewOrg{Name: "Acme", OwnerEmail: "bo@acme.example"}))(t)
	if made.Org.ID != "acme" || made.Org.Users != 1 || made.Owner.Email != "bo@acme.example" {
		t.Errorf("CreateOrg: got %+v", made)
	}
	first := must(admin.AdminOrgs(ctx, 1, ""))(t)
	second := must(admin.AdminOrgs(ctx, 1, first.NextCursor))(t)
	if !first.HasMore || second.HasMore || first.Orgs[0] != made.Org || second.Orgs[0].ID != me.OrgID {
		t.Errorf("AdminOrgs: got %+v, then %+v", first, second)
	}
	for suspended, want := range map[bool]loci.OrgState{true: loci.OrgSuspended, false: loci.OrgActive} {
		if got := must(admin.SuspendOrg(ctx, "acme", suspended))(t); got.State != want || got.Users != 1 {
			t.Errorf("SuspendOrg: got %+v", got)
		}
	}
	const id = "https://a.example/client.json"
	ok(t, st.OAuth().PutClient(ctx, loci.OAuthClient{ID: id, Name: "A", RedirectURIs: []string{"https://a.example/"},
		CreatedAt: loci.CutTime(time.Now())}))
	if got := must(admin.SetClientVendor(ctx, id, "claude"))(t); got.Vendor != "claude" || got.ID != id {
		t.Errorf("SetClientVendor: got %+v", got)
	}
	if got := must(admin.OAuthClients(ctx))(t); len(got.Clients) != 1 || got.Clients[0].Vendor != "claude" {
		t.Errorf("OAuthClients: got %+v", got)
	}
	ok(t, admin.DeleteClient(ctx, id))
	if client.CodeOf(admin.DeleteClient(ctx, id)) != loci.NotFound {
		t.Error("a deleted client is not NotFound")
	}
	if got := must(admin.Jobs(ctx))(t); len(got.Jobs) != 0 {
		t.Errorf("Jobs: got %+v", got)
	}
	backup := must(admin.CreateBackup(ctx))(t)
	if got := must(admin.Backups(ctx))(t); len(got.Backups) != 1 || got.Backups[0] != *backup {
		t.Errorf("Backups: got %+v, want %+v", got, backup)
	}
	if got := must(admin.VerifyBackup(ctx, backup.Name))(t); !got.OK || got.Name != backup.Name {
		t.Errorf("VerifyBackup: got %+v", got)
	}
}

func TestRateLimited(t *testing.T) {
	address, _ := start(t, func(o *rest.Options) {
		now := time.Date(2026, 3, 3, 12, 0, 15, 0, time.UTC)
		o.Gate.Limiter = auth.NewLimiter(auth.LimitOptions{PerPrincipal: 1, Now: func() time.Time { return now }})
	})
	c := client.New(address, "owner")
	must(c.WhoAmI(t.Context()))(t)
	_, err := c.WhoAmI(t.Context())
	var e *client.Error
	if !errors.As(err, &e) || e.Code != loci.RateLimited || e.RetryAfter != 45*time.Second {
		t.Errorf("got %+v, want RateLimited with 45 s", err)
	}
}
