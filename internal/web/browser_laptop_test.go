package web_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/front"
	"github.com/loci-memory/loci/internal/rest"
)

// TestBrowserOnALaptop follows docs/oauth.md on one's own machine: sign in with the link that the
// first start prints, give a program the address of /mcp, and choose the vendor. Nothing asks for a
// sign-in again, whichever name of this machine the program uses, and a page under another name of
// it leads to localhost.
func TestBrowserOnALaptop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	api := rest.New(rest.Options{App: w.app, Auth: w.auth})
	srv := httptest.NewServer(front.New(front.Options{REST: api, MCP: w.all, Web: w.all, Auth: w.auth}))
	t.Cleanup(srv.Close)
	b := newTab(t) // it goes before the server, which waits for its streams
	local := strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	token, err := w.signIn.NewLink(t.Context(), w.mara, 15*time.Minute)
	if err != nil {
		t.Fatal(err)
	}

	b.open(srv.URL + "/app/link?token=" + token.Reveal()) // even if somebody types the address
	if at := b.where(); !strings.HasPrefix(at, local+"/app/link?") {
		t.Fatalf("the link leads to %s, want %s", at, local)
	}
	b.press(button("/app/link"))
	for _, address := range []string{local, srv.URL} {
		p := newProgram(t, "Program of "+address)
		done := p.connect(address + "/mcp")
		b.open(p.address(done))
		if at := b.where(); !strings.HasPrefix(at, local+"/oauth/authorize?") {
			t.Fatalf("%s: the browser is at %s, want the consent page", address, at)
		}
		b.wants("“Program of " + address + "” asks for access")
		b.do("choose", clickOn(`input[name=vendor][value=claude]`))
		b.press(`button[value=allow]`)
		b.wants("you may close this window")
		c := <-done
		if c.err != nil {
			t.Fatalf("connect to %s: %v; log:\n%s", address, c.err, w.log)
		}
		call(t, c.session, "browse_memories", nil)
		c.session.Close()
	}
	b.open(srv.URL + "/app/connections")
	b.sees("Program of "+srv.URL, "Program of "+local)
	b.clean()
}
