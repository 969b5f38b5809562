package rest_test

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// addOrg makes an org with its owner, past the use cases.
func (s *server) addOrg(tb testing.TB, id loci.OrgID, email string) (loci.Org, loci.User) {
	tb.Helper()
	owner := loci.User{ID: loci.NewUserID(), OrgID: id, Email: email, Role: loci.RoleUser, OrgRole: loci.MemberOwner,
		CreatedAt: s.clock.Now()}
	org, _, err := s.store.Orgs().Ensure(context.Background(), loci.Org{ID: id, Name: "The org " + string(id),
		OwnerID: owner.ID, State: loci.OrgActive,
		CreatedAt: s.clock.Now()}, owner)
	if err != nil {
		tb.Fatal(err)
	}
	return org, owner
}

// instanceAdmin makes an org whose owner is an admin of the deployment.
func (s *server) instanceAdmin(tb testing.TB, id loci.OrgID) loci.User {
	tb.Helper()
	_, u := s.addOrg(tb, id, "kim@"+string(id)+".example")
	err := s.store.Update(context.Background(), id, func(tx store.Tx) error {
		u.Role = loci.RoleAdmin
		return tx.Users().Update(context.Background(), u)
	})
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

// addUser makes a person of an org.
func (s *server) addUser(tb testing.TB, org loci.OrgID, email string, role loci.MemberRole,
	id ...loci.UserID) loci.User {
	tb.Helper()
	u := loci.User{ID: loci.NewUserID(), OrgID: org, Email: email, Name: email, Role: loci.RoleUser, OrgRole: role,
		CreatedAt: s.clock.Now()}
	if len(id) > 0 {
		u.ID = id[0]
	}
	if err := s.store.People().Add(context.Background(), u, nil); err != nil {
		tb.Fatal(err)
	}
	return u
}

// addTeam makes a team with members, of which the first is its owner.
func (s *server) addTeam(tb testing.TB, org loci.OrgID, name string, members ...loci.UserID) loci.Team {
	tb.Helper()
	ctx := context.Background()
	team := loci.Team{ID: loci.NewTeamID(), Name: name, CreatedAt: s.clock.Now()}
	err := s.store.Update(ctx, org, func(tx store.Tx) error {
		if err := tx.Teams().Insert(ctx, team); err != nil {
			return err
		}
		role := loci.MemberOwner
		for _, id := range members {
			u, err := tx.Users().Get(ctx, id)
			if err != nil {
				return err
			}
			u.TeamID, u.TeamRole = team.ID, role
			if err := tx.Users().Update(ctx, u); err != nil {
				return err
			}
			role = loci.Member
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return team
}

// session makes a browser sign-in of a person, with a proof of that age, and
// returns what its cookie holds.
func (s *server) session(tb testing.TB, org loci.OrgID, user loci.UserID, age time.Duration) string {
	tb.Helper()
	token := auth.NewSecret("loci_session_")
	now := s.clock.Now()
	s.clock.slow() // a proof lasts for minutes, and background work asks for the time as often as it likes
	err := s.store.Credentials().Insert(context.Background(), loci.Credential{ID: loci.NewCredentialID(), OrgID: org,
		UserID: user, Kind: loci.KindUser,
		Method: loci.BySignIn, Name: "Test browser", Hash: auth.Hash(token), ProvedAt: now.Add(-age), CreatedAt: now,
		ExpiresAt: now.Add(time.Hour)})
	if err != nil {
		tb.Fatal(err)
	}
	return token.Reveal()
}

// key makes a key of a person, or of an agent of theirs if there is a vendor.
func (s *server) key(tb testing.TB, org loci.OrgID, user loci.UserID, r auth.KeyRequest) (loci.CredentialID, string) {
	tb.Helper()
	if r.Name == "" {
		r.Name = "a key"
	}
	c, key, err := auth.NewCredential(loci.Principal{OrgID: org, UserID: user}, r, s.clock.Now())
	if err != nil {
		tb.Fatal(err)
	}
	if err := s.store.Credentials().Insert(context.Background(), c); err != nil {
		tb.Fatal(err)
	}
	return c.ID, key.Reveal()
}

// denials returns the actions that the trail of an org says were refused,
// newest first.
func (s *server) denials(tb testing.TB, org loci.OrgID) []string {
	tb.Helper()
	var out []string
	err := s.store.View(context.Background(), org, func(tx store.Tx) error {
		rows, err := tx.Audit().List(context.Background(), store.AuditQuery{Denied: true, Limit: 1000})
		for _, row := range rows {
			out = append(out, row.Action)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// expect sends "METHOD PATH BODY" and demands an answer of that status.
func (s *server) expect(tb testing.TB, status int, key, request string) *httptest.ResponseRecorder {
	tb.Helper()
	w := s.request(key, request)
	if w.Code != status {
		tb.Fatalf("%s: got %d %s, want %d", request, w.Code, w.Body, status)
	}
	return w
}

// aGraph is a project with a graph: two entities with a relation, and one that
// is in the trash.
type aGraph struct{ project, gateway, website, gone string }

// graph makes a project for whom the key is; all names of entities begin with
// prefix.
func (s *server) graph(tb testing.TB, key, project, prefix string) aGraph {
	tb.Helper()
	var p loci.Project
	decode(tb, s.expect(tb, 201, key, `POST /projects {"name":"`+project+`"}`), &p)
	at := "/projects/" + p.ID.String() + "/graph"
	var put client.PutEntities
	decode(tb, s.expect(tb, 201, key, "POST "+
		""+at+`/entities {"entities":[{"name":"`+prefix+
		`API gateway","entity_type":"service","observations":["Listens on port 8443"]},`+
		`{"name":"`+prefix+`website","entity_type":"service"},{"name":"`+prefix+`old proxy","entity_type":"service"}]}`),
		&put)
	s.expect(tb, 201, key, "POST "+at+`/relations {"relations":[{"from":"`+prefix+`website","to":"`+prefix+
		`API gateway","relation_type":"uses"}]}`)
	s.expect(tb, 200, key, "POST "+at+`/entities/delete {"names":["`+prefix+`old proxy"]}`)
	e := put.Entities
	return aGraph{p.ID.String(), e[0].ID.String(), e[1].ID.String(), e[2].ID.String()}
}
