package rest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
)

const auditOfDefault = "GET /orgs/default/audit"

// trail reads the whole trail as key sees it, page by page.
func (s *server) trail(t *testing.T, key, filter string, limit int) (list []client.AuditEntry, text string) {
	t.Helper()
	cursor := ""
	for {
		w := s.expect(t, 200, key, fmt.Sprintf("%s?limit=%d&cursor=%s%s", auditOfDefault, limit, cursor, filter))
		var page client.AuditList
		decode(t, w, &page)
		list, text = append(list, page.Entries...), text+w.Body.String()
		if page.HasMore != (page.NextCursor != "") || page.HasMore && len(page.Entries) != limit {
			t.Fatalf("a page of %d has %d entries, more is %v, the cursor %q", limit, len(page.Entries), page.HasMore,
				page.NextCursor)
		}
		if cursor = page.NextCursor; cursor == "" {
			return list, text
		}
	}
}

func actionsOf(list []client.AuditEntry) (out []string) {
	for _, e := range list {
		out = append(out, e.Action)
	}
	return out
}

// TestAuditShowsOnlyWhatAPersonMaySee lets an owner, an admin and two members work, and shows each the part of the
// trail that is theirs.
func TestAuditShowsOnlyWhatAPersonMaySee(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	who := s.cast(t)
	admin := s.addUser(t, loci.DefaultOrg, "kim@loci.example", loci.MemberAdmin)
	kim := s.session(t, loci.DefaultOrg, admin.ID, 0)
	_, noorAgent := s.key(t, loci.DefaultOrg, lastID, auth.KeyRequest{Vendor: "claude"})
	ada, noor := who["ada"], who["noor"]
	secret := s.write(t, owner, `{"title":"x","content":"of ada"}`).ID.String()
	s.expect(t, 201, noor, `POST /memories {"title":"x","content":"of noor"}`)
	for i := range 5 { // what lies between her entries
		s.write(t, owner, fmt.Sprintf(`{"title":"x","content":"of ada, %d"}`, i))
	}
	s.expect(t, 200, ada, `PATCH /orgs/default {"name":"Acme"}`)
	s.expect(t, 403, noor, `PATCH /orgs/default {"name":"Mine"}`)
	s.write(t, noorAgent, `{"title":"x","content":"of her assistant"}`)
	s.expect(t, 201, ada, `POST /sessions {"title":"secret work"}`)
	project := s.graph(t, ada, "secret project", "secret ")
	s.expect(t, 200, ada, "POST /dream {}")

	for limit := 1; limit < 4; limit++ {
		list, text := s.trail(t, noor, "", limit)
		want := []string{"memory.create", "org.change", "memory.create"}
		if got := actionsOf(list); !slices.Equal(got, want) {
			t.Errorf("a member sees %q, want %q", got, want)
		}
		for _, e := range list {
			if e.UserID != lastID || e.ID == "" {
				t.Errorf("a member sees %+v", e)
			}
		}
		if strings.Contains(text, secret) || strings.Contains(text, project.project) || strings.Contains(text, "number") {
			t.Errorf("a member sees %s", text)
		}
	}
	list, text := s.trail(t, kim, "", 2)
	if got := actionsOf(list); !slices.Equal(got, []string{"org.change", "org.change"}) {
		t.Errorf("an admin who did nothing sees %q", got)
	}
	if list[0].Allowed || list[0].UserID != lastID || !list[1].Allowed || list[1].UserID != s.owner.UserID {
		t.Errorf("an admin sees %s", text)
	}
	if !list[0].CredentialID.IsZero() || !list[1].CredentialID.IsZero() {
		t.Errorf("an admin sees with which sign-ins others work: %s", text)
	}
	if list, text := s.trail(t, kim, "&user_id="+lastID.String(), 2); len(list) != 1 || list[0].Allowed {
		t.Errorf("an admin who asks for one person sees %s", text)
	}
	list, _ = s.trail(t, ada, "", 500)
	for _, want := range []string{"memory.create", "org.change", "session.create", "graph.write", "dream"} {
		if !slices.Contains(actionsOf(list), want) {
			t.Errorf("what the owner did lacks %s: %q", want, actionsOf(list))
		}
	}
	if list, _ := s.trail(t, noor, "&denied=true", 9); len(list) != 1 || list[0].Allowed {
		t.Errorf("what Loci rejected of a member: %+v", list)
	}
}

// TestHiddenAuditReadsAsAbsent asks for what others did as if they had never been there.
func TestHiddenAuditReadsAsAbsent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	who := s.cast(t)
	s.write(t, owner, `{"title":"x","content":"y"}`)
	s.expect(t, 200, who["ada"], `PATCH /orgs/default {"name":"Acme"}`)
	s.expect(t, 201, who["noor"], `POST /memories {"title":"x","content":"y"}`)
	for name, pair := range map[string][2]string{
		"another person": {auditOfDefault + "?user_id=" + s.owner.UserID.String(), auditOfDefault + "?user_id=" + absent},
		"an action":      {auditOfDefault + "?action=org.change", auditOfDefault + "?action=no.such"},
		"another org":    {"GET /orgs/bravo/audit", "GET /orgs/never-was/audit"},
	} {
		got, want := s.request(who["noor"], pair[0]), s.request(who["noor"], pair[1])
		if shown(got) != shown(want) {
			t.Errorf("%s: got %s, want %s", name, shown(got), shown(want))
		}
	}
	var page client.AuditList
	decode(t, s.expect(t, 200, who["ada"], auditOfDefault+"?limit=1"), &page)
	got := s.request(who["noor"], auditOfDefault+"?cursor="+page.NextCursor)
	if want := s.request(who["noor"], auditOfDefault+"?cursor=nonsense"); got.Code != 400 || shown(got) != shown(want) {
		t.Errorf("the cursor of another person: got %s, want %s", shown(got), shown(want))
	}
	s.expect(t, 403, claude, auditOfDefault)
}
