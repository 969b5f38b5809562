package rest_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// TestAnswersNameTheTwin creates things whose names, keys or tags differ from others only in case, blanks or joiners.
// A name that the caller may not see gives no hint.
func TestAnswersNameTheTwin(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	noor := s.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member)
	_, hers := s.key(t, loci.DefaultOrg, noor.ID, auth.KeyRequest{})
	graph := "/projects/" + s.graph(t, owner, "garden", "").project + "/graph/entities "
	entity := func(name, more string) string {
		return "POST " + graph + `{"entities":[{"name":"` + name + `","entity_type":"service"}]` + more + `}`
	}
	hint := func(noun, name string) string { return `"hint":"The ` + noun + ` \"` + name + `\" exists already; ` }
	for _, tt := range []struct{ key, request, want string }{
		{owner, `POST /projects {"name":"Harbor App"}`, ""},
		{owner, `POST /projects {"name":"harbor app"}`, hint("project", "Harbor App")},
		{hers, `POST /projects {"name":"HARBOR APP"}`, ""}, // she is in none of them
		{owner, `POST /projects {"name":"harbour app"}`, ""},
		{owner, `POST /agents {"name":"Helper"}`, ""},
		{hers, `POST /agents {"name":"helper"}`, hint("agent", "Helper")},
		{owner, `PATCH /agents/Helper {"name":"hElper"}`, hint("agent", "helper")},
		{owner, `PATCH /agents/hElper {"description":"d"}`, ""},
		{owner, `PATCH /agents/hElper {"name":"Helper"}`, hint("agent", "helper")},
		{owner, `POST /projects {"name":"orchard"}`, ""},
		{owner, `PATCH /projects/orchard {"name":"Orchard"}`, ""}, // only itself
		{owner, `PATCH /projects/Orchard {"name":"harbor APP"}`, hint("project", "Harbor App")},
		{owner, "PATCH /projects/harbor%20APP {\"description\":\"d\"}", ""},
		{claude, `POST /sessions {"agent_id":"HELPER"}`, hint("agent", "Helper")},
		{claude, `POST /sessions {"agent_id":"HELPER"}`, ""},
		{owner, entity("API Gateway", ""), hint("entity", "API gateway")},
		{owner, entity("API Gateway", ""), ""}, // it exists
		{owner, entity("Db", `,"allowed_vendors":["cursor"]`), ""},
		{claude, entity("DB", ""), ""},
		{cursor, entity("d\u200db", ""), `exists already`},
		{cursor, entity("dB", ""), `exists already`},
		{owner, entity("😀", ""), ""},
		{owner, entity("API  Gateway", ""), hint("entity", "API Gateway")},
		{owner, entity("Straße", ""), ""},
		{owner, entity("STRAßE", ""), hint("entity", "Straße")},
		{owner, `POST /memories {"key":"deploy.Day","content":"On Tuesdays the ferries leave the harbor"` +
			`,"tags":["Ferry"]}`, ""},
		{owner, `POST /memories {"key":"deploy.day","content":"Okapis eat leaves"}`, hint("key", "deploy.Day")},
		{owner, `POST /memories {"key":"deploy.day","content":"Okapis eat no leaves"}`, ""}, // it exists
		{owner, `POST /memories {"key":"ferry time","content":"At noon"}`, ""},
		{owner, `POST /memories {"key":"Ferry  Time","content":"Herons wait"}`, hint("key", "ferry time")},
		{owner, `POST /memories {"key":"DEPLOY.DAY","content":"Owls sing","similar":false}`, ""},
		{owner, `POST /memories {"key":"deploy.days","content":"Foxes dig"}`, ""},
		{hers, `POST /memories {"key":"deploy.day","content":"Badgers dig"}`, ""}, // she sees none of them
		{claude, `POST /agent/memories {"key":"secret.KEY","content":"Moles dig"` +
			`,"tags":["MOLE"],"allowed_vendors":["claude"]}`, ""},
		{cursor, `POST /agent/memories {"key":"secret.key","content":"Moles dig","tags":["mole"]}`, ""},
		{gemini, `POST /agent/memories {"key":"Secret.key","content":"Hares run"}`, hint("key", "secret.key")},
		{owner, `POST /memories {"title":"Nests","content":"Herons count eggs","tags":["ferry"]}`, hint("tag", "Ferry")},
		{owner, `POST /memories {"title":"Webs","content":"Spiders mend nets","tags":["ferry"]}`, ""},
		{owner, `POST /memories {"title":"Caves","content":"Bats sleep","tags":["other","FER RY"]}`, ""},
		{owner, `POST /memories {"title":"Reeds","content":"Frogs call","tags":["Other"]}`, hint("tag", "other")},
	} {
		w := s.request(tt.key, tt.request)
		if got := w.Body.String(); w.Code != 200 && w.Code != 201 || !strings.Contains(got, tt.want) ||
			tt.want == "" && strings.Contains(got, `"hint"`) {
			t.Errorf("%s: got %d %s, want %s", tt.request, w.Code, got, tt.want)
		}
	}
}
