package auth_test

import (
	"net/http/httptest"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/store"
)

// work stores a private session that one vendor's agents may see, or none, and the agent it is of if that has a name.
func (w *world) work(t testing.TB, user loci.UserID, vendor loci.Vendor, agent string,
	change func(*loci.Session)) loci.Session {
	t.Helper()
	s := loci.Session{ID: loci.NewSessionID(), State: loci.SessionActive, CreatedAt: w.now, UpdatedAt: w.now,
		LastActiveAt: w.now, EventAccess: loci.EventAccess{OrgID: w.org.ID, UserID: user, Reach: loci.ReachPrivate,
			AllowedVendors: []loci.Vendor{vendor}}}
	if change != nil {
		change(&s)
	}
	err := w.store.Update(t.Context(), w.org.ID, func(tx store.Tx) error {
		if agent != "" {
			a := loci.Agent{ID: loci.NewAgentID(), OrgID: w.org.ID, UserID: user, Vendor: vendor, Name: agent, CreatedAt: w.now,
				UpdatedAt: w.now}
			if err := tx.Agents().Insert(t.Context(), a); err != nil {
				return err
			}
			s.AgentID = a.ID
		}
		return tx.Sessions().Insert(t.Context(), s)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (w *world) member(t testing.TB, email string) loci.User {
	t.Helper()
	u := loci.User{ID: loci.NewUserID(), OrgID: w.org.ID, Email: email, Role: loci.RoleUser, OrgRole: loci.Member,
		CreatedAt: w.now}
	if err := w.store.People().Add(t.Context(), u, nil); err != nil {
		t.Fatal(err)
	}
	return u
}

// A session that a credential may not name is told from none at all by nothing.
func TestSessionsAreNamedByTheirOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{})
	mine := w.org.OwnerID
	stranger := w.member(t, "x@example.org").ID
	claudes := w.work(t, mine, "claude", "reviewer", func(s *loci.Session) { s.Title = "review" })
	persons := w.work(t, mine, "nobody", "", nil)
	closed := w.work(t, mine, "claude", "", func(s *loci.Session) { s.State, s.ClosedAt = loci.SessionClosed, w.now })
	foreign := w.work(t, stranger, "claude", "", nil)
	shared := w.work(t, stranger, "claude", "writer", func(s *loci.Session) {
		s.Reach, s.AllowedVendors = loci.ReachOrg, []loci.Vendor{"*"}
	})
	gone := w.work(t, mine, "claude", "", func(s *loci.Session) { s.AgentID = loci.NewAgentID() })
	twins := [2]loci.Session{}
	for i := range twins {
		twins[i] = w.work(t, mine, "claude", "", func(s *loci.Session) { s.Title = "twin" })
	}
	person := loci.Principal{Kind: loci.KindUser, OrgID: w.org.ID, UserID: mine, Method: loci.ByKey}
	claude, cursor := person, person
	claude.Kind, claude.Vendor = loci.KindAgent, "claude"
	cursor.Kind, cursor.Vendor = loci.KindAgent, "cursor"
	limited := claude
	limited.OnlyProjects = true
	elsewhere := claude
	elsewhere.WorkspaceID = loci.NewWorkspaceID()
	const hidden = "session_id is not a session that you can see"
	for _, tt := range []struct {
		name  string
		who   loci.Principal
		named string
		in    loci.SessionID
		agent loci.AgentID
		code  loci.Code
		text  string
	}{
		{"an agent its own", claude, claudes.ID.String(), claudes.ID, claudes.AgentID, "", ""},
		{"by its title", claude, "review", claudes.ID, claudes.AgentID, "", ""},
		{"by the beginning of its id", claude, claudes.ID.Short(), claudes.ID, claudes.AgentID, "", ""},
		{"a person a vendor's", person, claudes.ID.String(), claudes.ID, claudes.AgentID, "", ""},
		{"a person the person's", person, persons.ID.String(), persons.ID, loci.AgentID{}, "", ""},
		{"another person's that the org sees", claude, shared.ID.String(), shared.ID, shared.AgentID, "", ""},
		{"another vendor, which is not the agent", cursor, shared.ID.String(), shared.ID, loci.AgentID{}, "", ""},
		{"of a deleted agent", claude, gone.ID.String(), gone.ID, loci.AgentID{}, "", ""},
		{"none", claude, "", loci.SessionID{}, loci.AgentID{}, "", ""},
		{"absent", claude, loci.NewSessionID().String(), loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"zero", claude, loci.SessionID{}.String(), loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"no name", claude, "reviews", loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"another vendor's", cursor, claudes.ID.String(), loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"another vendor's, by its title", cursor, "review", loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"the person's, to an agent", claude, persons.ID.String(), loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"another person's", claude, foreign.ID.String(), loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"of no workspace", elsewhere, claudes.ID.String(), loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"to a key of projects", limited, claudes.ID.String(), loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"one of two", claude, "twin", loci.SessionID{}, loci.AgentID{}, loci.Invalid, "session_id is not clear: more " +
			"than one session fits; send the id of one: " + twins[1].ID.String() + " (twin), " +
			twins[0].ID.String() + " (twin)"},
		{"closed", claude, closed.ID.String(), closed.ID, closed.AgentID, "", ""},
		{"closed, another vendor's", cursor, closed.ID.String(), loci.SessionID{}, loci.AgentID{}, loci.Invalid, hidden},
		{"to nobody", loci.Principal{}, claudes.ID.String(), loci.SessionID{}, loci.AgentID{}, loci.Unauthenticated,
			"no credential: send Authorization: Bearer <key>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := a.InNamedSession(t.Context(), tt.who, tt.named)
			if tt.code != "" {
				if loci.CodeOf(err) != tt.code || loci.SafeText(err) != tt.text || !got.IsZero() {
					t.Errorf("got %+v, %v; want %s: %s", got, err, tt.code, tt.text)
				}
				return
			}
			if err != nil || got.SessionID != tt.in || got.SessionClosed != (tt.name == "closed") || got.AgentID != tt.agent ||
				got.Viewer().AgentID != tt.agent {
				t.Fatalf("got session %s and agent %s, %v; want %s and %s", got.SessionID, got.AgentID, err, tt.in, tt.agent)
			}
		})
	}
}

func TestARequestIsInOneSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.auth(t, auth.Options{})
	one, two := w.work(t, w.org.OwnerID, "claude", "one", nil), w.work(t, w.org.OwnerID, "claude", "two", nil)
	claude := loci.Principal{Kind: loci.KindAgent, OrgID: w.org.ID, UserID: w.org.OwnerID, Vendor: "claude"}
	in := func(p loci.Principal, values ...string) (loci.Principal, error) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		for _, v := range values {
			r.Header.Add("loci-session", v)
		}
		return a.InHeaderSession(r, p)
	}
	got, err := in(claude, one.ID.String())
	if err != nil || got.SessionID != one.ID || got.AgentID != one.AgentID {
		t.Fatalf("got %+v, %v", got, err)
	}
	if again, err := a.InSession(t.Context(), got, one.ID); err != nil || again.SessionID != one.ID {
		t.Errorf("named twice: got %+v, %v", again, err)
	}
	if again, err := a.InNamedSession(t.Context(), got, one.ID.Short()); err != nil || again.SessionID != one.ID {
		t.Errorf("named twice, once shortly: got %+v, %v", again, err)
	}
	for _, other := range []loci.SessionID{two.ID, loci.NewSessionID()} {
		_, err := a.InSession(t.Context(), got, other)
		if loci.CodeOf(err) != loci.Invalid ||
			loci.SafeText(err) != "session_id is not the session that this request already names; "+
				"send only one of the two" {
			t.Errorf("two sessions: got %v", err)
		}
	}
	for _, none := range [][]string{nil, {""}, {"  "}} {
		if p, err := in(claude, none...); err != nil || !p.SessionID.IsZero() {
			t.Errorf("header %q: got %+v, %v", none, p, err)
		}
	}
	for _, bad := range []string{"x", loci.NewSessionID().String(), loci.SessionID{}.String()} {
		_, err := in(claude, bad)
		if loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != auth.SessionHeader ||
			loci.SafeText(err) != "Loci-Session is not a session that you can see" {
			t.Errorf("header %q: got %v", bad, err)
		}
	}
	if _, err := in(claude, one.ID.String(), one.ID.String()); loci.CodeOf(err) != loci.Invalid {
		t.Errorf("twice: got %v", err)
	}
}
