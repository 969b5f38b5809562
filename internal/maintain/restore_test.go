package maintain_test

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// access is what a restored backup must not give back.
type access struct {
	t   *testing.T
	st  *sqlite.Store
	org loci.Org
	n   byte
}

func (a *access) do(errs ...error) {
	a.t.Helper()
	if err := errors.Join(errs...); err != nil {
		a.t.Fatal(err)
	}
}

func (a *access) credential(user loci.UserID, method loci.Method) loci.Credential {
	a.t.Helper()
	a.n++
	c := loci.Credential{ID: loci.NewCredentialID(), OrgID: a.org.ID, UserID: user, Kind: loci.KindUser, Method: method,
		Hash: [32]byte{a.n}, CreatedAt: start}
	if method == loci.ByOAuth {
		c.Kind, c.Vendor = loci.KindAgent, "claude"
	}
	return c
}

func (a *access) insert(user loci.UserID, method loci.Method) loci.Credential {
	a.t.Helper()
	c := a.credential(user, method)
	a.do(a.st.Credentials().Insert(a.t.Context(), c))
	return c
}

// grant goes through OAuth and returns the grant, its access token and its
// refresh token.
func (a *access) grant(user loci.UserID) (loci.Grant, loci.Credential, [32]byte) {
	a.t.Helper()
	ctx := a.t.Context()
	g := loci.Grant{ID: loci.NewGrantID(), OrgID: a.org.ID, UserID: user, ClientID: "c", Vendor: "claude",
		CreatedAt: start, ExpiresAt: start.AddDate(1, 0, 0)}
	access := a.credential(user, loci.ByOAuth)
	hash := [32]byte{100, a.n}
	a.do(a.st.OAuth().PutClient(ctx,
		loci.OAuthClient{ID: "c", RedirectURIs: []string{"https://c.example"}, CreatedAt: start}),
		a.st.OAuth().Allow(ctx, g,
			loci.AuthCode{Hash: hash, GrantID: g.ID, ClientID: "c", ExpiresAt: start.Add(time.Minute)}))
	_, err := a.st.OAuth().Redeem(ctx, hash, start, access, loci.RefreshToken{Hash: hash, ExpiresAt: g.ExpiresAt})
	a.do(err)
	return g, access, hash
}

func (a *access) refresh(token [32]byte, at time.Time) error {
	c := a.credential(a.org.OwnerID, loci.ByOAuth)
	_, err := a.st.OAuth().Refresh(a.t.Context(), token, at, c,
		loci.RefreshToken{Hash: [32]byte{200, a.n}, ExpiresAt: start.AddDate(1, 0, 0)})
	return err
}

// Nothing that was taken away after the backup comes back with it.
func TestRestoreRevivesNoAccess(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	a := &access{t: t, st: openStore(t, dir)}
	a.org = seed(t, a.st, 1, time.Time{})
	owner := a.org.OwnerID
	leaving := loci.User{ID: loci.NewUserID(), OrgID: a.org.ID, Email: "leaving@example.com", CreatedAt: start}
	shut := loci.User{ID: loci.NewUserID(), OrgID: a.org.ID, Email: "shut@example.com", Role: loci.RoleUser,
		OrgRole: loci.Member, CreatedAt: start}
	a.do(a.st.People().Add(ctx, leaving, nil), a.st.People().Add(ctx, shut, nil))
	for _, id := range []loci.OrgID{"gone", "quiet"} {
		_, _, err := a.st.Orgs().Ensure(ctx, loci.Org{ID: id, OwnerID: loci.NewUserID(), CreatedAt: start}, loci.User{})
		a.do(err)
	}
	session, replaced, theirs, valid := a.insert(owner, loci.BySignIn), a.insert(owner, loci.ByKey),
		a.insert(leaving.ID, loci.ByKey), a.insert(owner, loci.ByKey)
	g, token, _ := a.grant(owner)
	_, refreshed, used := a.grant(owner)
	b := newBackups(dir)
	backup, err := b.Create(ctx, a.st.Backup)
	a.do(err)

	later := start.Add(time.Hour)
	next := a.credential(owner, loci.ByKey)
	next.Replaces = replaced.ID
	_, quiet := a.st.Orgs().Update(ctx, "quiet", func(o *loci.Org) error { o.State = loci.OrgSuspended; return nil })
	shut.Disabled = true
	a.do(a.st.Update(ctx, a.org.ID, func(tx store.Tx) error { return tx.Users().Update(ctx, shut) }))
	_, deleted := a.st.Orgs().Delete(ctx, "gone")
	a.do(a.st.Credentials().Revoke(ctx, a.org.ID, owner, session.ID, later),
		a.st.OAuth().Revoke(ctx, a.org.ID, owner, g.ID, later),
		a.st.Credentials().Rotate(ctx, next, later, later), a.st.People().Remove(ctx, a.org.ID, leaving.ID, nil),
		a.refresh(used, later),
		quiet, deleted, a.st.Close())

	want := store.Withheld{Revoked: 4, People: 1, Orgs: []loci.OrgID{"gone"}} // session, grant, its token, a key
	copied := filepath.Join(t.TempDir(), "copy")
	done, err := b.RestoreTo(ctx, backup, copied)
	if diff := cmp.Diff(want, done.Withheld); diff != "" || err != nil || done.Unread != nil {
		t.Errorf("beside: %v, %v (-want +got)\n%s", err, done.Unread, diff)
	}
	beside := openStore(t, copied)
	if got, err := beside.Orgs().Get(ctx, "gone"); err != nil || got.State != loci.OrgSuspended {
		t.Errorf("beside, the deleted org: %+v, %v", got, err)
	}
	a.do(beside.Close())
	done, err = b.RestoreInPlace(ctx, backup)
	if diff := cmp.Diff(want, done.Withheld); diff != "" || err != nil || done.Unread != nil {
		t.Errorf("in place: %v, %v (-want +got)\n%s", err, done.Unread, diff)
	}
	a.st = openStore(t, dir)
	wantUsable(t, a.st, later, map[string]loci.Credential{"valid": valid, "refreshed": refreshed}, true)
	wantUsable(t, a.st, later, map[string]loci.Credential{"session": session, "of the grant": token, "replaced": replaced,
		"of who left": theirs}, false)
	if err := a.refresh(used, later.Add(loci.ReplayGrace)); loci.CodeOf(err) != loci.Conflict {
		t.Errorf("a used refresh token: %v", err)
	}
	for who, want := range map[loci.UserID]bool{owner: false, leaving.ID: true, shut.ID: true} {
		err := a.st.View(ctx, a.org.ID, func(tx store.Tx) error {
			got, err := tx.Users().Get(ctx, who)
			if got.Disabled != want {
				t.Errorf("%s: disabled %v, want %v", got.Email, got.Disabled, want)
			}
			return err
		})
		a.do(err)
	}
	if err := a.st.View(ctx, "gone", func(store.Tx) error { return nil }); loci.CodeOf(err) != loci.NotFound {
		t.Errorf("the deleted org: %v", err)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "orgs", "gone.*")); err != nil || len(names) != 0 {
		t.Errorf("files of the deleted org: %v, %v", names, err)
	}
	if got, err := a.st.Orgs().Get(ctx, "quiet"); err != nil || got.State != loci.OrgSuspended {
		t.Errorf("the suspended org: %+v, %v", got, err)
	}
	if problems, err := a.st.Check(context.WithoutCancel(ctx)); err != nil || len(problems) != 0 {
		t.Errorf("Check: %q, %v", problems, err)
	}
}

func wantUsable(t *testing.T, st store.Store, now time.Time, list map[string]loci.Credential, want bool) {
	t.Helper()
	for name, c := range list {
		got, err := st.Credentials().ByHash(t.Context(), c.Hash)
		if err != nil && loci.CodeOf(err) != loci.NotFound {
			t.Error(err)
		}
		if usable := err == nil && got.Usable(now); usable != want {
			t.Errorf("%s: usable %v, want %v", name, usable, want)
		}
	}
}

// A backup that is restored over a data directory of something else, such as a
// new one, keeps its keys.
func TestRestoreOverAnotherRegistry(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	a := &access{t: t, st: openStore(t, dir)}
	a.org = seed(t, a.st, 1, time.Time{})
	key := a.insert(a.org.OwnerID, loci.ByKey)
	backup, err := newBackups(dir).Create(ctx, a.st.Backup)
	a.do(err)
	fresh := t.TempDir()
	st := openStore(t, fresh)
	_, _, err = st.Orgs().Ensure(ctx,
		loci.Org{ID: loci.DefaultOrg, OwnerID: loci.NewUserID(), CreatedAt: start.Add(time.Hour)}, loci.User{})
	a.do(err, st.Close())
	done, err := newBackups(fresh).RestoreInPlace(ctx, backup)
	if err != nil || done.Revoked != 0 {
		t.Errorf("got %+v, %v", done, err)
	}
	wantUsable(t, openStore(t, fresh), start, map[string]loci.Credential{"key": key}, true)
}

// Attachments travel with a backup, and a damaged one of them damages it.
func TestRestoreBringsAttachments(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	a := &access{t: t, st: openStore(t, dir)}
	a.org = seed(t, a.st, 1, time.Time{})
	sum, size, err := a.st.Blobs().Put(ctx, a.org.ID, strings.NewReader("a picture"), 100)
	a.do(err, a.st.Update(ctx, a.org.ID, func(tx store.Tx) error {
		page, err := tx.Lists().List(ctx, loci.Viewer{OrgID: a.org.ID, UserID: a.org.OwnerID}, store.ListQuery{Limit: 1})
		if err != nil {
			return err
		}
		return tx.Assets().Insert(ctx,
			loci.Asset{ID: loci.NewAssetID(), MemoryID: page.Memories[0].ID, UserID: a.org.OwnerID, Size: size,
				SHA256: hex.EncodeToString(sum[:]), CreatedAt: start})
	}))
	b := newBackups(dir)
	backup, err := b.Create(ctx, a.st.Backup)
	a.do(err, a.st.Close(), os.RemoveAll(filepath.Join(dir, "assets")))
	_, err = b.RestoreInPlace(ctx, backup)
	a.do(err)
	a.st = openStore(t, dir)
	f, err := a.st.Blobs().Open(ctx, a.org.ID, sum)
	a.do(err)
	text, err := io.ReadAll(f)
	a.do(err, f.Close())
	if problems, err := a.st.Check(ctx); string(text) != "a picture" || err != nil || len(problems) != 0 {
		t.Errorf("restored %q; Check: %q, %v", text, problems, err)
	}
	name := hex.EncodeToString(sum[:])
	a.do(os.WriteFile(filepath.Join(backup.Path, "assets", string(a.org.ID), name[:2], name), []byte("a pictur!"), 0o600))
	if problems, err := b.Verify(ctx, backup); err != nil || len(problems) != 1 || !strings.Contains(problems[0], name) {
		t.Errorf("Verify of a damaged one: %q, %v", problems, err)
	}
}
