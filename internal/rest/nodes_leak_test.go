package rest_test

import (
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
)

// TestHiddenNodeReadsAsAbsent sends every route about a memory node to one that
// the reader may not see, and to one that never was, and compares the answers
// byte by byte.
func TestHiddenNodeReadsAsAbsent(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.clock.freeze()
	doc := readDocument(t, s)
	noor := s.addUser(t, loci.DefaultOrg, "noor@loci.example", loci.Member)
	hers := s.session(t, loci.DefaultOrg, noor.ID, 0)
	_, limited := s.key(t, loci.DefaultOrg, s.owner.UserID,
		auth.KeyRequest{ProjectIDs: []loci.ProjectID{loci.NewProjectID()}})
	mine := s.session(t, loci.DefaultOrg, s.owner.UserID, 0)
	type aNode struct{ name, node, item string }
	make := func(key, name, more string) aNode {
		var n loci.MemoryNode
		var i loci.NodeItem
		decode(t, s.expect(t, 201, key, `POST /memory-nodes {"name":"`+name+`","tags":["`+name+`"]`+more+"}"), &n)
		decode(t, s.expect(t, 201, key, "POST /memory-nodes/"+n.ID.String()+`/items {"kind":"text","text":"`+name+`"}`), &i)
		return aNode{name, n.ID.String(), i.ID.String()}
	}
	forCursor := make(mine, "for cursor", `,"allowed_vendors":["cursor"]`)
	trashed := make(mine, "in the trash", "")
	s.expect(t, 200, mine, "DELETE /memory-nodes/"+trashed.node)
	noors := make(hers, "of noor", "")
	sent := 0
	for _, path := range sortedKeys(doc.paths) {
		if !strings.HasPrefix(path, "/memory-nodes") {
			continue
		}
		for method, op := range doc.paths[path].(map[string]any) {
			for reader, hidden := range map[string][]aNode{claude: {forCursor, trashed, noors}, mine: {noors},
				owner: {noors}, hers: {forCursor, trashed}, limited: {forCursor, noors}} {
				for _, h := range hidden {
					ask := func(n aNode) string {
						fill := strings.NewReplacer("{id}", n.node, "{item}", n.item, "Onboarding", "name "+loci.NewNodeID().String())
						return shown(s.do(strings.ToUpper(method), fill.Replace(path), reader, fill.Replace(exampleBody(op))))
					}
					sent++
					got, want := ask(h), ask(aNode{"", absent, absent})
					if got != want {
						t.Errorf("%s %s: a hidden node answers\n%s\none that never was\n%s", method, path, got, want)
					}
					if strings.Contains(got, h.name) || strings.Contains(path, "{") && !strings.Contains(got, "404") &&
						!strings.Contains(got, "403") {
						t.Errorf("%s %s tells of a hidden node: %s", method, path, got)
					}
				}
			}
		}
	}
	if sent < 80 {
		t.Errorf("only %d requests were sent", sent)
	}
}

// TestHiddenItemsLeaveNoTrace compares a node with items that the reader may
// not see with one that never had them.
func TestHiddenItemsLeaveNoTrace(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.clock.freeze()
	secret := s.write(t, owner, `{"title":"hidden","content":"hidden","allowed_vendors":["cursor"]}`)
	plant := func(hide bool) string {
		var n loci.MemoryNode
		decode(t, s.expect(t, 201, owner, `POST /memory-nodes {"name":"seen"}`), &n)
		at := "/memory-nodes/" + n.ID.String()
		add := func(body string) string {
			var i loci.NodeItem
			decode(t, s.expect(t, 201, owner, "POST "+at+"/items "+body), &i)
			return i.ID.String()
		}
		hidden := func(parent string) {
			if hide {
				above := add(`{"kind":"memory","memory_id":"` + secret.ID.String() + `"` + parent + `}`)
				add(`{"kind":"text","text":"below what is hidden","parent_id":"` + above + `"}`)
				add(`{"kind":"text","text":"hidden","allowed_vendors":["cursor"]` + parent + `}`)
			}
		}
		hidden("")
		first := add(`{"kind":"text","text":"first"}`)
		hidden(`,"parent_id":"` + first + `"`)
		add(`{"kind":"text","text":"second","parent_id":"` + first + `"}`)
		hidden("")
		add(`{"kind":"text","text":"third"}`)
		var all string
		for _, route := range []string{"GET " + at, "GET " + at + "/items", "GET " + at + "/pack", "GET " + at +
			"/pack?format=json", "GET " + at + "/pack?budget=70"} {
			all += shown(s.expect(t, 200, claude, route))
		}
		return all
	}
	if with, without := plant(true), plant(false); with != without {
		t.Errorf("with hidden items:\n%s\nwithout:\n%s", with, without)
	}
}

// TestARepeatedItemIsAddedOnce sends a new item twice under one key.
func TestARepeatedItemIsAddedOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var n loci.MemoryNode
	first := s.do("POST", "/memory-nodes", owner, `{"name":"n"}`, "Idempotency-Key: a")
	again := s.do("POST", "/memory-nodes", owner, `{"name":"n"}`, "Idempotency-Key: a")
	replayed(t, first, again)
	decode(t, first, &n)
	at := "/memory-nodes/" + n.ID.String() + "/items"
	one := s.do("POST", at, owner, `{"kind":"text","text":"t"}`, "Idempotency-Key: b")
	two := s.do("POST", at, owner, `{"kind":"text","text":"t"}`, "Idempotency-Key: b")
	replayed(t, one, two)
	var list client.NodeItemList
	decode(t, s.expect(t, 200, owner, "GET "+at), &list)
	if len(list.Items) != 1 {
		t.Errorf("got %+v, want one item", list)
	}
}
