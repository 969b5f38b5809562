package rest_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci/client"
)

// TestReplacedMemories lists what a memory replaced, whatever its key, to whoever sees it.
func TestReplacedMemories(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	shared := s.write(t, owner, `{"title":"Ferret","content":"lives in Pisa","allowed_vendors":["*"]}`)
	narrow := s.write(t, owner, `{"title":"Ferret","content":"lives in Siena","allowed_vendors":["claude"],`+
		`"dedupe":"create"}`)
	by := s.write(t, owner, `{"title":"Ferret","content":"lives in Rome","allowed_vendors":["*"],"supersedes":["`+
		shared.ID.String()+`","`+narrow.ID.String()+`"]}`)
	route := "GET /memories/" + by.ID.String() + "/replaced"
	list := func(headers ...string) (ids []string) {
		t.Helper()
		var got client.ReplacedMemories
		w := s.do("GET", "/memories/"+by.ID.String()+"/replaced", owner, "", headers...)
		if w.Code != 200 {
			t.Fatalf("%s: %d %s", route, w.Code, w.Body)
		}
		decode(t, w, &got)
		for _, m := range got.Memories {
			ids = append(ids, m.ID.String())
		}
		return ids
	}
	both := shared.ID.String() + " " + narrow.ID.String()
	if got := strings.Join(list(), " "); got != both {
		t.Errorf("got %s, want %s", got, both)
	}
	if got := strings.Join(list("Loci-View-As: cursor"), " "); got != shared.ID.String() {
		t.Errorf("as cursor: got %s, want only %s", got, shared.ID)
	}
	if w := s.request(owner, "GET /memories/"+shared.ID.String()+"/replaced"); w.Body.String() != `{"memories":[]}`+"\n" &&
		w.Body.String() != `{"memories":[]}` {
		t.Errorf("of one that replaced nothing: %d %s", w.Code, w.Body)
	}
	if w := s.request(claude, route); w.Code != 403 {
		t.Errorf("to an assistant: %d %s", w.Code, w.Body)
	}
}
