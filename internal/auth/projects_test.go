package auth_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store/sqlite"
)

// project makes a project of the owner of w.org.
func (w *world) project(t testing.TB, name string, everyone bool) loci.ProjectID {
	t.Helper()
	p, err := w.store.Projects().Create(t.Context(), loci.Project{OrgID: w.org.ID, Name: name, Everyone: everyone},
		w.org.OwnerID)
	if err != nil {
		t.Fatal(err)
	}
	return p.ID
}

// colleague adds a member of w.org with a key that is limited to projects, if there are any.
func (w *world) colleague(t testing.TB, only ...loci.ProjectID) (loci.UserID, loci.Secret) {
	t.Helper()
	u := loci.User{ID: loci.NewUserID(), OrgID: w.org.ID, Email: loci.NewUserID().String() + "@example.org"}
	if err := w.store.People().Add(t.Context(), u, nil); err != nil {
		t.Fatal(err)
	}
	return u.ID, w.keyOf(t, u.ID, only...)
}

func (w *world) keyOf(t testing.TB, user loci.UserID, only ...loci.ProjectID) loci.Secret {
	t.Helper()
	c, key, err := auth.NewCredential(loci.Principal{OrgID: w.org.ID, UserID: user},
		auth.KeyRequest{Name: "k", Vendor: "claude", ProjectIDs: only}, w.now)
	if err == nil {
		err = w.store.Credentials().Insert(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// wantProjects demands that the key reaches these projects, in any order.
func wantProjects(t testing.TB, what string, a *auth.Authenticator, key loci.Secret, only bool,
	want ...loci.ProjectID) {
	t.Helper()
	p, err := a.Authenticate(t.Context(), bearer(key))
	if err != nil || p.OnlyProjects != only || !sameIDs(p.ProjectIDs, want) {
		t.Errorf("%s: got %v, only these: %v, %v; want %v, %v", what, p.ProjectIDs, p.OnlyProjects, err, want, only)
	}
}

func sameIDs(a, b []loci.ProjectID) bool {
	order := func(list []loci.ProjectID) []loci.ProjectID {
		return slices.SortedFunc(slices.Values(list), func(a, b loci.ProjectID) int { return slices.Compare(a[:], b[:]) })
	}
	return slices.Equal(order(a), order(b))
}

// What a person reaches follows every change at the next request, in another
// process too.
func TestProjectsFollowTheRegistry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, err := sqlite.Open(t.Context(), sqlite.Options{Dir: w.dir, Now: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	there, err := auth.New(auth.Options{Store: other, Now: w.clock})
	if err != nil {
		t.Fatal(err)
	}
	here := w.auth(t, auth.Options{})
	user, key := w.colleague(t)
	want := func(what string, ids ...loci.ProjectID) {
		t.Helper()
		for range 2 { // from the store, and from what is kept of it
			wantProjects(t, what+", here", here, key, false, ids...)
			wantProjects(t, what+", in another process", there, key, false, ids...)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ms := w.store.ProjectMembers()
	want("no projects")
	open, closed := w.project(t, "open", true), w.project(t, "closed", false)
	want("a project of everyone", open)
	must(ms.Put(t.Context(), w.org.ID, closed, loci.ProjectMember{UserID: user, Role: loci.Member}))
	want("a member", open, closed)
	must(w.store.Projects().Archive(t.Context(), w.org.ID, open))
	want("archived", open, closed)
	must(ms.Remove(t.Context(), w.org.ID, closed, user))
	want("who left", open)
	_, err = w.store.Projects().Update(t.Context(), w.org.ID, open,
		func(p *loci.Project) error { p.Everyone = false; return nil })
	must(err)
	want("not of everyone any more")
	must(ms.Put(t.Context(), w.org.ID, open, loci.ProjectMember{UserID: user, Role: loci.Member}))
	want("a member again", open)
	must(w.store.Projects().Delete(t.Context(), w.org.ID, open))
	want("deleted")
}

// A limited key reaches what both its list and its person reach, and if that is
// nothing then nothing.
func TestLimitedKeyLosesProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{OwnerKey: "owner-secret"})
	one, two, closed := w.project(t, "one", true), w.project(t, "two", true), w.project(t, "closed", false)
	user, all := w.colleague(t)
	limited := w.keyOf(t, user, closed, two)
	wantProjects(t, "the person", a, all, false, one, two)
	wantProjects(t, "limited", a, limited, true, two)
	wantProjects(t, "the owner", a, "owner-secret", false, one, two, closed)
	if err := w.store.Projects().Delete(t.Context(), w.org.ID, two); err != nil {
		t.Fatal(err)
	}
	wantProjects(t, "nothing is left", a, limited, true)
	if err := w.store.ProjectMembers().Put(t.Context(), w.org.ID, closed,
		loci.ProjectMember{UserID: user, Role: loci.Member}); err != nil {
		t.Fatal(err)
	}
	wantProjects(t, "admitted", a, limited, true, closed)
	wantProjects(t, "the person", a, all, false, one, closed)
}

// The operator is in every project of the org. Acting for a person, the operator sees what that person's own key
// sees. A vendor at the data directory reaches what the owner does.
func TestOperatorReachesAllProjects(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{})
	user, key := w.colleague(t)
	of, err := w.store.Projects().Create(t.Context(), loci.Project{OrgID: w.org.ID, Name: "a colleague's"}, user)
	if err != nil {
		t.Fatal(err)
	}
	mine := w.project(t, "mine", false)
	p, err := a.Local(t.Context(), "")
	if err != nil || !sameIDs(p.ProjectIDs, []loci.ProjectID{of.ID, mine}) || p.OnlyProjects {
		t.Errorf("the operator: got %v, %v", p.ProjectIDs, err)
	}
	own, err := a.Authenticate(t.Context(), bearer(key))
	if err != nil {
		t.Fatal(err)
	}
	want := own.Viewer()
	want.Vendor = "" // the key is an assistant's
	if p, err = a.LocalAs(t.Context(), w.org.ID, user); err != nil || !reflect.DeepEqual(p.Viewer(), want) {
		t.Errorf("acting for another: got %+v, %v; want %+v", p.Viewer(), err, want)
	}
	p, err = a.Local(t.Context(), "claude")
	if err != nil || !sameIDs(p.ProjectIDs, []loci.ProjectID{mine}) {
		t.Errorf("a vendor: got %v, %v", p.ProjectIDs, err)
	}
}

// Many at once, while memberships change: who has been let in stays in, and the
// shared lists stay as they are.
func TestProjectsConcurrent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{})
	user, key := w.colleague(t)
	fixed, moving := w.project(t, "fixed", true), w.project(t, "moving", false)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				p, err := a.Authenticate(context.Background(), bearer(key))
				if err != nil || !slices.Contains(p.ProjectIDs, fixed) {
					t.Errorf("got %v, %v", p.ProjectIDs, err)
					return
				}
				_ = append(p.ProjectIDs, loci.NewProjectID()) // as somebody careless would
			}
		})
	}
	ms := w.store.ProjectMembers()
	for range 30 {
		if err := ms.Put(t.Context(), w.org.ID, moving, loci.ProjectMember{UserID: user, Role: loci.Member}); err != nil {
			t.Error(err)
		}
		wantProjects(t, "put", a, key, false, fixed, moving)
		if err := ms.Remove(t.Context(), w.org.ID, moving, user); err != nil {
			t.Error(err)
		}
		wantProjects(t, "removed", a, key, false, fixed)
	}
	close(stop)
	wg.Wait()
}

// BenchmarkAuthenticateStoredProjects is the cost of a request of somebody who
// belongs to many projects, with a key that is limited to some of them or not.
func BenchmarkAuthenticateStoredProjects(b *testing.B) {
	for _, n := range []int{10, 1000} {
		w := newWorld(b)
		var ids []loci.ProjectID
		for i := range n {
			ids = append(ids, w.project(b, fmt.Sprint(i), true))
		}
		a := w.auth(b, auth.Options{})
		for name, key := range map[string]loci.Secret{"All": w.keyOf(b, w.org.OwnerID),
			"Limited": w.keyOf(b, w.org.OwnerID, ids[:min(n, 100)]...)} {
			b.Run(fmt.Sprint(name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := a.Authenticate(b.Context(), bearer(key)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
