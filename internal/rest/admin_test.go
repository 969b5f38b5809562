package rest_test

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/rest"
)

// TestAdminBackups makes, lists and verifies backups, one at a time.
func TestAdminBackups(t *testing.T) {
	t.Parallel()
	var again func() *httptest.ResponseRecorder
	var busy []int
	var dir string
	s := newServer(t, func(_ *rest.Options, o *app.Options) {
		dir = o.Deployment.Backups.Dir
		copyTo := o.Deployment.Copy
		o.Deployment.Copy = func(ctx context.Context, dir string) ([]string, error) {
			busy = append(busy, again().Code)
			return copyTo(ctx, dir)
		}
	})
	kim := s.session(t, "ops", s.instanceAdmin(t, "ops").ID, 0)
	s.write(t, owner, `{"title":"x","content":"a secret"}`)
	again = func() *httptest.ResponseRecorder { return s.request(kim, "POST /admin/backups") }
	var made client.Backup
	decode(t, s.expect(t, 201, kim, "POST /admin/backups"), &made)
	if made.Name == "" || made.Files == 0 || made.Bytes == 0 || made.Program != "0.0.0-test" || made.CreatedAt.IsZero() {
		t.Errorf("the backup is %+v", made)
	}
	if len(busy) != 1 || busy[0] != 409 {
		t.Errorf("a second backup meanwhile: %v", busy)
	}
	var list client.BackupList
	decode(t, s.expect(t, 200, kim, "GET /admin/backups"), &list)
	if len(list.Backups) != 1 || list.Backups[0] != made {
		t.Errorf("the list is %+v", list)
	}
	verify := "POST /admin/backups/" + made.Name + "/verify"
	var got client.Verified
	decode(t, s.expect(t, 200, kim, verify), &got)
	if !got.OK || len(got.Problems) != 0 {
		t.Errorf("verified: %+v", got)
	}
	if err := os.Truncate(filepath.Join(dir, "backups", made.Name, "_meta.db"), 100); err != nil {
		t.Fatal(err)
	}
	decode(t, s.expect(t, 200, kim, verify), &got)
	if got.OK || len(got.Problems) == 0 {
		t.Errorf("verified a damaged one: %+v", got)
	}
	var jobs client.JobList
	decode(t, s.expect(t, 200, kim, "GET /admin/jobs"), &jobs)
	if len(jobs.Jobs) != 1 || jobs.Jobs[0].Name != "backup" || jobs.Jobs[0].Rows != made.Files ||
		jobs.Jobs[0].Error != "" {
		t.Errorf("the jobs are %+v", jobs)
	}
	// The name is of the list, and never a path.
	for _, name := range []string{"..%2F..", "%2Ftmp", "backups"} {
		if w := s.request(kim, "POST /admin/backups/"+name+"/verify"); w.Code != 404 {
			t.Errorf("%s: got %d %s", name, w.Code, w.Body)
		}
	}
}

// TestAdminNeedsRoleAndProof sends each route of the deployment as people who may not, and demands that nothing
// happens.
func TestAdminNeedsRoleAndProof(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	who := s.cast(t)
	err := s.store.OAuth().PutClient(t.Context(), loci.OAuthClient{ID: "https://a.example/client.json", Name: "A",
		RedirectURIs: []string{"https://a.example/"}, CreatedAt: s.clock.Now()})
	if err != nil {
		t.Fatal(err)
	}
	changes := []string{`POST /admin/orgs {"name":"x","owner_email":"x@y.example"}`,
		`PATCH /admin/orgs/bravo {"suspended":true}`, "POST /admin/backups",
		`PATCH /admin/clients?client_id=https%3A%2F%2Fa.example%2Fclient.json {"vendor":"claude"}`,
		"DELETE /admin/clients?client_id=https%3A%2F%2Fa.example%2Fclient.json"}
	reads := []string{"GET /admin/orgs", "GET /admin/clients", "GET /admin/jobs", "GET /admin/backups",
		"POST /admin/backups/x/verify"}
	lee := s.instanceAdmin(t, "tower").ID
	stale := s.session(t, "tower", lee, time.Hour)
	_, key := s.key(t, "tower", lee, auth.KeyRequest{})
	for _, request := range append(reads, changes...) {
		for _, name := range []string{"ada", "noor", "claude", "owner"} {
			if w := s.request(who[name], request); w.Code != 403 {
				t.Errorf("%s as %s: got %d %s", request, name, w.Code, w.Body)
			}
		}
	}
	for _, request := range changes {
		if w := s.request(stale, request); w.Code != 403 || problemOf(t, w.Body.Bytes()).Code != "step_up_required" {
			t.Errorf("%s with a stale proof: got %d %s", request, w.Code, w.Body)
		}
		if w := s.request(key, request); w.Code != 403 {
			t.Errorf("%s with a key: got %d %s", request, w.Code, w.Body)
		}
	}
	var list client.AdminOrgList
	decode(t, s.expect(t, 200, key, "GET /admin/orgs"), &list)
	if len(list.Orgs) != 4 || list.Orgs[0].ID != "bravo" || list.Orgs[0].State != loci.OrgActive {
		t.Errorf("the orgs are %+v", list)
	}
	for _, request := range changes {
		w := s.request(who["kim"], request)
		if w.Code/100 != 2 {
			t.Errorf("%s: got %d %s", request, w.Code, w.Body)
		}
	}
	if w := s.request(who["bo"], "GET /users/me"); w.Code/100 == 2 {
		t.Errorf("a suspended org answers %d %s", w.Code, w.Body)
	}
}
