package rest_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// TestAddressesOfMembersNeedTheRightAccount shows a key that only reads graphs who the members are, but not their
// addresses.
func TestAddressesOfMembersNeedTheRightAccount(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if err := s.app.Identity.SetOwnerEmail(t.Context(), "ada@loci.example"); err != nil {
		t.Fatal(err)
	}
	var made loci.Project
	decode(t, s.request(owner, `POST /projects {"name":"website"}`), &made)
	for _, tt := range []struct {
		rights []loci.Right
		want   bool
	}{{nil, true}, {[]loci.Right{loci.RightGraph, loci.RightAccount}, true}, {[]loci.Right{loci.RightGraph}, false}} {
		_, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Rights: tt.rights})
		w := s.request(key, "GET /projects/"+made.ID.String()+"/members")
		if w.Code != 200 || !strings.Contains(w.Body.String(), s.owner.UserID.String()) ||
			strings.Contains(w.Body.String(), "ada@loci.example") != tt.want {
			t.Errorf("with the rights %q: %d %s", tt.rights, w.Code, w.Body)
		}
	}
}

// TestMembersTakeTheHighestLimit lists the people of an org with the highest limit that the API describes.
func TestMembersTakeTheHighestLimit(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for limit, want := range map[string]int{"500": 200, "501": 400} {
		w := s.request(owner, "GET /orgs/"+string(loci.DefaultOrg)+"/members?limit="+limit)
		if w.Code != want {
			t.Errorf("limit %s: %d %s, want %d", limit, w.Code, w.Body, want)
		}
	}
}

// TestAChangeOfAMemberNamesIt requires a role or disabled in the body, and no more than one of them.
func TestAChangeOfAMemberNamesIt(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	noor := s.addUser(t, loci.DefaultOrg, "noor@example.org", loci.Member)
	boss := s.session(t, loci.DefaultOrg, s.owner.UserID, 0)
	for body, want := range map[string]int{`{}`: 400, `{"disabled":false}`: 200, `{"role":"member"}`: 200} {
		w := s.request(boss, "PATCH /orgs/default/members/"+noor.ID.String()+" "+body)
		if w.Code != want || want == 400 && !strings.Contains(w.Body.String(), "the body changes nothing") {
			t.Errorf("%s: %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
}
