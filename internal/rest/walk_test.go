package rest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/node"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/rest"
	"github.com/loci-memory/loci/internal/review"
)

// furtherActions are requests that lead to the further actions of a route. Those
// that begin with ! are sent with a key that has every right, and refused for
// want of a browser.
var furtherActions = map[string]map[gate.Action]string{
	"GET /memories": {memory.ReadTrash: "GET /memories?trashed=true"},
	"POST /undo": {
		memory.UndoPlan: `POST /undo {"origin":"x","since":"2026-11-01T00:00:00Z","dry_run":true}`,
	},
	"GET /memories/facets":      {memory.ReadTrash: "GET /memories/facets?trashed=true"},
	"POST /memories/list":       {memory.ReadTrash: `POST /memories/list {"filter":{"by":"trashed"}}`},
	"DELETE /memories/{id}":     {memory.Erase: "DELETE /memories/" + absent + "?permanent=true"},
	"GET /memory-nodes":         {memory.ReadTrash: "GET /memory-nodes?trashed=true"},
	"DELETE /memory-nodes/{id}": {node.Erase: "DELETE /memory-nodes/" + absent + "?permanent=true"},
	"PATCH /orgs/{id}": {org.Set: `PATCH /orgs/default {"deletion":"api_key"}`,
		org.Hold: `PATCH /orgs/default {"legal_hold":true}`},
	"PATCH /orgs/{id}/members/{user}": {org.MemberRemove: `PATCH /orgs/default/members/` + absent + ` {"disabled":true}`,
		org.MemberEnable: `PATCH /orgs/default/members/` + absent + ` {"disabled":false}`},
	"POST /orgs/{id}/invite": {
		org.MemberRole: `!POST /orgs/default/invite {"emails":["a@b.example"],"role":"admin"}`},
	"POST /teams/{id}/invite": {org.TeamRole: "!POST " +
		"/teams/" + absent + `/invite {"emails":["a@b.example"],"role":"admin"}`},
	"POST /context/reflect": {review.Persist: `POST /context/reflect {"content":"x","persist":true}`},
	"POST /review/bulk": {review.Decide: `POST /review/bulk {"action":"reject","ids":["` + absent + `"]}`,
		review.Accept: `POST /review/bulk {"action":"accept","ids":["` + absent + `"]}`},
	"GET /orgs/{id}/audit":                {identity.AuditReadOrg: ""}, // it shows more, and refuses nothing
	"DELETE /teams/{id}/invites/{invite}": {org.TeamInvite: ""},        // a caller without it gets 404 before
}

// neededQuery holds the query parameters without which a request says nothing.
var neededQuery = map[string]string{"GET /projects/{id}/graph/search": "?q=x", "PATCH /admin/clients": "?client_id=x",
	"DELETE /admin/clients": "?client_id=x"}

// walked fills the path of a route with ids that lead to nothing, and with the
// org of the test.
func walked(path string) string {
	if rest, ok := strings.CutPrefix(path, "/orgs/{id}"); ok {
		path = "/orgs/default" + rest
	}
	return strings.NewReplacer("{id}", absent, "{user}", absent, "{invite}", absent, "{workspace}", absent,
		"{entity}", absent, "{item}", absent).Replace(path)
}

// TestEveryRouteCarriesOutItsAction sends every route of the document with a
// credential that has none of the rights that matter, and demands a refusal
// that the audit trail knows under the action that the route declares.
func TestEveryRouteCarriesOutItsAction(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ *rest.Options, o *app.Options) { o.Deletion = loci.DeleteWithStepUp })
	_, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Rights: []loci.Right{loci.RightReflect}})
	_, agent := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Vendor: "claude",
		Rights: []loci.Right{loci.RightReflect}})
	// What needs the right to reflect is asked for with another one.
	_, noReflect := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Rights: []loci.Right{loci.RightEvents}})
	_, noReflectAgent := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Vendor: "claude",
		Rights: []loci.Right{loci.RightEvents}})
	rules := app.Rules()
	walkedRoutes := 0
	for path, item := range readDocument(t, s).paths {
		if strings.HasPrefix(path, "/api/v1") {
			continue
		}
		for method, op := range item.(map[string]any) {
			route := strings.ToUpper(method) + " " + path
			actions, _ := at(op, "x-actions").([]any)
			if openToAll(op) {
				if len(actions) > 0 {
					t.Errorf("%s is open to all but declares %v", route, actions)
				}
				continue
			}
			if len(actions) == 0 {
				t.Errorf("%s declares no action", route)
				continue
			}
			body := exampleBody(op)
			for i, a := range actions {
				action := gate.Action(a.(string))
				rule, known := rules[action]
				if !known {
					t.Errorf("%s declares %s, which has no rule", route, action)
				}
				request := strings.TrimSpace(strings.ToUpper(method) + " " + walked(path) + neededQuery[route] + " " + body)
				if i > 0 {
					var ok bool
					if request, ok = furtherActions[route][action]; !ok {
						t.Errorf("%s declares %s too, but this test has no request for it", route, action)
					}
				}
				if request == "" || len(rule.Rights) == 0 { // there is nothing to lack
					if i == 0 && action != identity.WhoAmI {
						t.Errorf("%s: %s needs no right", route, action)
					}
					continue
				}
				walkedRoutes++
				who, vendor := key, agent
				if i == 0 && slices.Contains(rule.Rights, loci.RightReflect) {
					who, vendor = noReflect, noReflectAgent
				}
				if i == 0 {
					s.refusedAs(t, vendor, request, action)
				}
				if full, ok := strings.CutPrefix(request, "!"); ok {
					who, request = owner, full
				}
				s.refusedAs(t, who, request, action)
			}
		}
	}
	if walkedRoutes < 100 {
		t.Errorf("only %d requests were sent", walkedRoutes)
	}
}

func (s *server) refusedAs(t *testing.T, key, request string, action gate.Action) {
	t.Helper()
	before := len(s.denials(t, loci.DefaultOrg))
	w := s.request(key, request)
	if w.Code != 403 {
		t.Errorf("%s with a key that may not: got %d %s, want 403", request, w.Code, w.Body)
		return
	}
	after := s.denials(t, loci.DefaultOrg)
	if len(after) != before+1 || after[0] != string(action) {
		t.Errorf("%s: the trail says %v, want one refusal of %s", request, after[:len(after)-before], action)
	}
}
