package rest_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// TestSessionKey gives all who create a session with one key the same one, also at once, and gives nothing away of one
// that its creator may not see any more or that another has.
func TestSessionKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	const create = `POST /sessions {"title":"work","reach":"private","key":"c1"}`
	ids := make([]loci.SessionID, 6)
	var wait sync.WaitGroup
	for i := range ids {
		wait.Go(func() {
			var made loci.Session
			decode(t, s.expect(t, 201, claude, create), &made)
			ids[i] = made.ID
		})
	}
	wait.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("got several sessions: %v", ids)
		}
	}
	id := ids[0].String()
	of := func(key, list string) (found []string) {
		var page client.SessionList
		decode(t, s.expect(t, 200, key, list), &page)
		for _, one := range page.Sessions {
			found = append(found, one.ID.String())
		}
		return found
	}
	if got := of(claude, "GET /sessions?key=c1"); len(got) != 1 || got[0] != id {
		t.Errorf("by key: got %v, want %s", got, id)
	}
	if got := of(claude, "GET /sessions"); len(got) != 1 {
		t.Errorf("all: got %v", got)
	}
	for _, key := range []string{cursor, owner} {
		if got := of(key, "GET /sessions?key=c1"); len(got) != 0 {
			t.Errorf("another origin: got %v", got)
		}
	}
	s.expect(t, 200, claude, "POST /sessions/"+id+"/close")
	var again loci.Session
	decode(t, s.expect(t, 201, claude, create), &again)
	if again.ID != ids[0] || again.State != loci.SessionClosed {
		t.Errorf("after it was closed: got %v, %s", again.ID, again.State)
	}
	s.expect(t, 200, owner, "PATCH /sessions/"+id+` {"allowed_vendors":["cursor"]}`)
	if got := of(claude, "GET /sessions?key=c1"); len(got) != 0 {
		t.Errorf("hidden: got %v", got)
	}
	for range 2 {
		decode(t, s.expect(t, 201, claude, create), &again)
		if got := of(claude, "GET /sessions?key=c1"); again.ID == ids[0] || len(got) != 1 || got[0] != again.ID.String() {
			t.Errorf("after it was hidden: got %v, %v", again.ID, got)
		}
	}
	s.expect(t, 400, claude, `POST /sessions {"key":"`+strings.Repeat("x", 201)+`"}`)
}
