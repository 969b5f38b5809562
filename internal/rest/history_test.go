package rest_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
)

func init() {
	theRoutes = append(theRoutes, "GET /memories/{id}/diff", "POST /memories/{id}/revert", "POST /undo")
	routesByID = append([]string{"GET /memories/%s/diff", "GET /memories/%s/diff?from=1&to=9",
		`POST /memories/%s/revert {"version":9}`,
		`POST /memories/%s/revert {"version":1}`}, routesByID...)
}

// TestUndoOverREST undoes what an agent's key did, and takes that back.
func TestUndoOverREST(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	fresh := s.session(t, loci.DefaultOrg, s.owner.UserID, time.Minute)
	stale := s.session(t, loci.DefaultOrg, s.owner.UserID, 6*time.Minute)
	since := s.clock.Now().Format(time.RFC3339Nano)
	kept := s.write(t, claude, `{"title":"kept","content":"zebra"}`)
	made := s.write(t, cursor, `{"title":"made","content":"quagga"}`)
	changed := s.write(t, cursor, `{"title":"changed","content":"okapi"}`)
	s.expect(t, 200, owner, "PATCH /memories/"+changed.ID.String()+` {"title":"mine now"}`)
	body := `{"origin":"cursor","since":"` + since + `"}`
	for _, key := range []string{owner, claude} {
		if w := s.request(key, "POST /undo "+body); w.Code != 403 {
			t.Errorf("with a key: got %d %s, want 403", w.Code, w.Body)
		}
	}
	if w := s.request(stale, "POST /undo "+body); w.Code != 403 || problemOf(t,
		w.Body.Bytes()).Code != "step_up_required" {
		t.Errorf("with a stale session: got %d %s", w.Code, w.Body)
	}
	for _, bad := range []string{`{}`, `{"origin":"cursor"}`, `{"since":"` + since + `"}`,
		`{"origin":"cursor","since":"soon"}`, `{"origin":"cursor","since":"` + since + `","until":"` + since + `"}`,
		`{"session_id":"x"}`, `{"origin":"cursor","since":"` + since + `","what":1}`} {
		s.expect(t, 400, fresh, "POST /undo "+bad)
	}
	var dry, done, redone loci.UndoReport
	dryRun := "POST /undo " + strings.Replace(body, "{", `{"dry_run":true,`, 1) // needs no fresh proof
	decode(t, s.expect(t, 200, stale, dryRun), &dry)
	if len(dry.Undone) != 1 || dry.Undone[0].ID != made.ID || len(dry.LeftAlone) != 1 ||
		dry.LeftAlone[0].ID != changed.ID || dry.Redo != nil {
		t.Fatalf("got %+v", dry)
	}
	s.expect(t, 200, owner, "GET /agent/memories/"+made.ID.String())
	decode(t, s.expect(t, 200, fresh, "POST /undo "+body), &done)
	s.expect(t, 404, claude, "GET /agent/memories/"+made.ID.String())
	s.expect(t, 200, claude, "GET /agent/memories/"+kept.ID.String())
	if done.Redo == nil || len(done.Undone) != 1 || done.Undone[0].Version != 2 {
		t.Fatalf("got %+v", done)
	}
	redo, err := json.Marshal(client.UndoRequest{UndoSelection: *done.Redo})
	if err != nil {
		t.Fatal(err)
	}
	w := s.do("POST", "/undo", fresh, string(redo))
	if decode(t, w, &redone); w.Code != 200 || len(redone.Undone) != 1 || redone.Undone[0].Change != loci.Restored {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	s.expect(t, 200, claude, "GET /agent/memories/"+made.ID.String())
}

// TestStillSuperseded trashes and undoes what replaced a memory. The answers name it and the way back.
func TestStillSuperseded(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	fresh := s.session(t, loci.DefaultOrg, s.owner.UserID, time.Minute)
	for name, remove := range map[string]func(by, since string) string{
		"trash":       func(by, _ string) string { return "DELETE /memories/" + by },
		"agent trash": func(by, _ string) string { return "DELETE /agent/memories/" + by },
		"trash many":  func(by, _ string) string { return `DELETE /memories {"ids":["` + by + `"]}` },
		"bulk": func(by, _ string) string {
			return `POST /memories/bulk {"operations":[{"op":"trash","id":"` + by + `"}]}`
		},
		"dry undo": func(_, since string) string {
			return `POST /undo {"origin":"claude","dry_run":true,"since":"` + since + `"}`
		},
		"undo": func(_, since string) string { return `POST /undo {"origin":"claude","since":"` + since + `"}` },
	} {
		old := s.write(t, owner, `{"title":"old","content":"rent is 900 for `+name+`"}`)
		since := s.clock.Now().Format(time.RFC3339Nano)
		by := s.write(t, claude, `{"title":"new","content":"rent is 950 for `+name+`","supersedes":["`+old.ID.String()+`"]}`)
		var suggested client.SuggestionList
		decode(t, s.expect(t, 200, owner, "GET /suggestions"), &suggested)
		s.expect(t, 200, owner, "POST /suggestions/"+suggested.Suggestions[0].ID.String()+"/accept")
		who := fresh
		if name == "agent trash" {
			who = claude
		}
		want := `{"id":"` + old.ID.String() + `","title":"old","superseded_by":"` + by.ID.String() + `","revert_to":1}`
		if w := s.expect(t, 200, who, remove(by.ID.String(), since)); !strings.Contains(w.Body.String(),
			`"still_superseded":[`) || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %s, want %s", name, w.Body, want)
		}
	}
}

func TestTrashedAlready(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	fresh := s.session(t, loci.DefaultOrg, s.owner.UserID, time.Minute)
	at := "/memories/" + s.write(t, claude, `{"title":"once","content":"only"}`).ID.String()
	s.expect(t, 200, fresh, "DELETE "+at)
	if w := s.expect(t, 409, fresh, "DELETE "+at); !strings.Contains(w.Body.String(), "already in the trash") {
		t.Errorf("got %s", w.Body)
	}
	s.expect(t, 404, claude, "DELETE /agent"+at) // an agent does not see the trash
}

// TestUndoAgain sends an undo twice under one key: it is done once.
func TestUndoAgain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	fresh := s.session(t, loci.DefaultOrg, s.owner.UserID, time.Minute)
	since := s.clock.Now().Format(time.RFC3339Nano)
	made := s.write(t, cursor, `{"title":"made","content":"quagga"}`)
	undo := `POST /undo {"origin":"cursor","since":"` + since + `"}`
	var first loci.UndoReport
	if decode(t, s.once(fresh, "one", undo), &first); len(first.Undone) != 1 {
		t.Fatalf("got %+v", first)
	}
	s.expect(t, 200, owner, "POST /memories/"+made.ID.String()+"/restore")
	var again loci.UndoReport
	w := s.once(fresh, "one", undo)
	decode(t, w, &again)
	if first.Undone[0].Title = ""; w.Header().Get("Idempotency-Replayed") != "true" || !reflect.DeepEqual(again, first) {
		t.Errorf("got %d %s, want %+v without titles", w.Code, w.Body, first)
	}
	s.expect(t, 200, cursor, "GET /agent/memories/"+made.ID.String())
}

func TestRevertOverREST(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	m := s.write(t, owner, `{"title":"t","content":"one"}`)
	at := "/memories/" + m.ID.String()
	s.expect(t, 200, owner, "PATCH "+at+` {"content":"two"}`)
	w := s.expect(t, 200, owner, "POST "+at+`/revert {"version":1}`)
	var got loci.Memory
	if decode(t, w, &got); got.Content != "one" || got.Version != 3 || w.Header().Get("ETag") != `"3"` {
		t.Errorf("got %s %s", w.Header().Get("ETag"), w.Body)
	}
	if w := s.do("POST", at+"/revert", owner, `{"version":2}`, `If-Match: "2"`); w.Code != 412 {
		t.Errorf("got %d %s, want 412", w.Code, w.Body)
	}
	for _, bad := range []string{`{}`, `{"version":0}`, `{"version":"1"}`, `{"version":1,"x":1}`} {
		s.expect(t, 400, owner, "POST "+at+"/revert "+bad)
	}
	s.expect(t, 404, owner, "POST "+at+`/revert {"version":9}`)
	s.expect(t, 403, claude, "POST "+at+`/revert {"version":2}`)
	s.expect(t, 400, owner, "GET "+at+"/diff?from=x")
	s.expect(t, 404, owner, "GET "+at+"/diff?from=9")
	s.expect(t, 403, claude, "GET "+at+"/diff")
	var d loci.Diff
	decode(t, s.expect(t, 200, owner, "GET "+at+"/diff?from=1&to=2"), &d)
	if len(d.Texts) != 1 || d.Texts[0].Hunks[0].Lines[0].Text != "one" || d.From.Version != 1 || d.To.Version != 2 ||
		len(d.Fields) != 0 {
		t.Errorf("got %+v", d)
	}
}

// TestUndoIsRefusedToLimitedKeys: the trail says so.
func TestUndoIsRefusedToLimitedKeys(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	_, key := s.key(t, loci.DefaultOrg, s.owner.UserID, auth.KeyRequest{Rights: []loci.Right{loci.RightRead}})
	s.refusedAs(t, key, `POST /undo {"origin":"cursor","since":"2026-01-01T00:00:00Z"}`, memory.Undo)
	s.refusedAs(t, key, "POST /memories/"+absent+`/revert {"version":1}`, memory.Revert)
}
