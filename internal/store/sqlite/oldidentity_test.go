package sqlite

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// What old data has of identity, from v2 on.
var (
	oldTeam  = loci.Team{ID: loci.TeamID{3}, Name: "Plätze", CreatedAt: oldTime}
	oldSpace = loci.Workspace{ID: loci.WorkspaceID{4}, Name: "Main", CreatedAt: oldTime}
	oldUser2 = loci.User{ID: oldOther, OrgID: loci.DefaultOrg, Email: "other@example.com", Name: "Ada",
		Role:    loci.RolePrivateAlpha,
		OrgRole: loci.MemberAdmin, TeamID: oldTeam.ID, TeamRole: loci.MemberOwner, Disabled: true, CreatedAt: oldTime}
	oldInvite = loci.Invite{ID: loci.InviteID{5}, Email: "new@example.com", TeamID: oldTeam.ID, OrgRole: loci.Member,
		TeamRole:  loci.Member,
		InvitedBy: oldUser, State: loci.InvitePending, CreatedAt: oldTime, ExpiresAt: oldTime.Add(loci.InviteLife),
		Hash: [32]byte{5, 5}}
	oldPasskey = loci.Passkey{ID: []byte{6, 0, 6}, Name: "Key", Data: []byte(`{"a":"'b'"}`), CreatedAt: oldTime,
		LastUsedAt: oldTime.Add(time.Second)}
	oldAudit = loci.AuditEntry{At: oldTime, Action: "key.create", Allowed: true, Kind: loci.KindUser,
		Method: loci.BySignIn, UserID: oldUser,
		CredentialID: loci.CredentialID{2}, Target: "x", Count: 1}
	oldSession = loci.Credential{ID: loci.CredentialID{7}, OrgID: loci.DefaultOrg, UserID: oldUser, Kind: loci.KindUser,
		Method: loci.BySignIn,
		Name:   "Firefox", Hash: [32]byte{7}, ProjectIDs: []loci.ProjectID{{5}}, WorkspaceID: oldSpace.ID, ProvedAt: oldTime,
		IdleAfter: time.Hour, CreatedAt: oldTime, ExpiresAt: oldTime.Add(24 * time.Hour)}
	oldClient = loci.OAuthClient{ID: "https://client.example/a", Name: "A", RedirectURIs: []string{"http://127.0.0.1/cb"},
		URI: "https://client.example", CreatedAt: oldTime}
	oldGrant = loci.Grant{ID: loci.GrantID{8}, OrgID: loci.DefaultOrg, UserID: oldUser, ClientID: oldClient.ID,
		ClientName: "A", Vendor: "claude",
		Rights: []loci.Right{loci.RightRead}, Resource: "https://loci.example/mcp", CreatedAt: oldTime,
		ExpiresAt: oldTime.Add(90 * 24 * time.Hour)}
	oldCode = loci.AuthCode{Hash: [32]byte{8, 1}, GrantID: oldGrant.ID, ClientID: oldClient.ID,
		RedirectURI: "http://127.0.0.1/cb",
		Challenge:   "c", Resource: oldGrant.Resource, ExpiresAt: oldTime.Add(time.Minute)}
	oldRefresh = loci.RefreshToken{Hash: [32]byte{8, 2}, GrantID: oldGrant.ID, ExpiresAt: oldGrant.ExpiresAt}
	oldAccess  = loci.Credential{ID: loci.CredentialID{8}, OrgID: loci.DefaultOrg, UserID: oldUser, Kind: loci.KindAgent,
		Method: loci.ByOAuth, Vendor: "claude",
		Name: "A", Hash: [32]byte{8, 3}, Rights: []loci.Right{loci.RightRead}, GrantID: oldGrant.ID, CreatedAt: oldTime,
		ExpiresAt: oldTime.Add(time.Hour)}
)

const oldPassword = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"

// oldShared is a memory in the team's pool and in the workspace.
func oldShared() *loci.Memory {
	m := newMemory(oldUser, "Shared")
	m.ID, m.OrgID, m.CreatedAt, m.UpdatedAt, m.TeamID, m.WorkspaceID = loci.MemoryID{9, 9}, loci.DefaultOrg, oldTime,
		oldTime, oldTeam.ID, oldSpace.ID
	return m
}

// first returns the first failure of what it is given to do.
func first(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func storeOldIdentity(t *testing.T, s *Store) {
	t.Helper()
	err := s.Update(bg, loci.DefaultOrg, func(tx store.Tx) error {
		return first(
			func() error { return tx.Teams().Insert(bg, oldTeam) },
			func() error { return tx.Users().Update(bg, oldUser2) },
			func() error { return tx.Teams().Invite(bg, oldInvite) },
			func() error { return tx.Workspaces().Insert(bg, oldSpace) },
			func() error { return tx.Workspaces().Join(bg, oldSpace.ID, oldOther) },
			func() error { return tx.SignIn().SetPassword(bg, oldUser, oldPassword) },
			func() error { return tx.SignIn().PutPasskey(bg, oldUser, oldPasskey) },
			func() error { return tx.Audit().Add(bg, oldAudit) },
			func() error { return tx.Memories().Insert(bg, oldShared()) },
		)
	})
	if err != nil {
		t.Fatal(explain(err))
	}
	err = first(
		func() error { return s.People().Announce(bg, loci.DefaultOrg, oldInvite) },
		func() error { return s.Credentials().Insert(bg, oldSession) },
		func() error { _, err := s.Limits().Fail(bg, "sign-in", oldTime); return err },
		func() error { _, err := s.Limits().Take(bg, "client", oldTime, 3); return err },
		func() error { return s.OAuth().PutClient(bg, oldClient) },
		func() error { return s.OAuth().Allow(bg, oldGrant, oldCode) },
		func() error { _, err := s.OAuth().Redeem(bg, oldCode.Hash, oldTime, oldAccess, oldRefresh); return err },
	)
	if err != nil {
		t.Fatal(explain(err))
	}
}

func checkOldIdentity(t *testing.T, s *Store) {
	same := func(what string, err error, want, got any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
	}
	err := s.View(bg, loci.DefaultOrg, func(tx store.Tx) error {
		user, err := tx.Users().Get(bg, oldOther)
		same("user", err, oldUser2, user)
		teams, err := tx.Teams().List(bg)
		same("teams", err, []loci.Team{oldTeam}, teams)
		invites, err := tx.Teams().Invitations(bg, oldTeam.ID)
		same("invitations", err, []loci.Invite{oldInvite}, invites)
		spaces, err := tx.Workspaces().Of(bg, oldOther)
		same("workspaces", err, []loci.Workspace{oldSpace}, spaces)
		password, err := tx.SignIn().Password(bg, oldUser)
		same("password", err, oldPassword, password)
		keys, err := tx.SignIn().Passkeys(bg, oldUser)
		same("passkeys", err, []loci.Passkey{oldPasskey}, keys)
		trail, err := tx.Audit().List(bg, store.AuditQuery{Action: oldAudit.Action, Limit: 10})
		same("audit", err, []store.AuditRow{{Number: 1, AuditEntry: oldAudit}}, trail)
		v := loci.Viewer{OrgID: loci.DefaultOrg, UserID: oldOther, TeamID: oldTeam.ID, WorkspaceID: oldSpace.ID}
		page, err := tx.Lists().List(bg, v, store.ListQuery{Limit: 10, Filter: store.Filter{TeamID: oldTeam.ID}})
		same("pool", err, []*loci.Memory{oldShared()}, page.Memories)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	org, invite, err := s.People().Invited(bg, oldInvite.Hash)
	same("announced", err, oldInvite, invite)
	same("where", err, loci.DefaultOrg, org)
	who, err := s.People().ByEmail(bg, oldUser2.Email)
	same("person", err, loci.Person{UserID: oldOther, OrgID: loci.DefaultOrg, Email: oldUser2.Email}, who)
	session, err := s.Credentials().ByHash(bg, oldSession.Hash)
	same("session", err, oldSession, session.Credential)
	access, err := s.Credentials().ByHash(bg, oldAccess.Hash)
	same("access token", err, oldAccess, access.Credential)
	n, last, err := s.Limits().Failures(bg, "sign-in")
	if n != 1 || !last.Equal(oldTime) || err != nil {
		t.Errorf("failures: %d, %s, %v", n, last, err)
	}
	if used, err := s.Limits().Take(bg, "client", oldTime, 1); used != 4 || err != nil {
		t.Errorf("limit: %d, %v", used, err)
	}
	client, err := s.OAuth().Client(bg, oldClient.ID)
	client.LastUsedAt = time.Time{}
	same("client", err, oldClient, client)
	refresh, grant, err := s.OAuth().Refreshable(bg, oldRefresh.Hash)
	grant.LastUsedAt = time.Time{}
	same("refresh token", err, oldRefresh, refresh)
	same("grant", err, oldGrant, grant)
	if _, err := s.OAuth().Redeem(bg, oldCode.Hash, oldTime.Add(time.Second), oldAccess, oldRefresh); loci.CodeOf(
		err) != loci.Conflict {
		t.Errorf("the code can be used again: %v", err)
	}
}
