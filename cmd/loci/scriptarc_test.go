package main

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loci-memory/loci/internal/eventlog/arc/arctest"
)

// fakeArc (fakearc) KEY starts a fake Arc that knows one key, until the script ends, and puts its address into $ARC.
func fakeArc(ts *testscript.TestScript, _ bool, args []string) {
	fake := arctest.New(args[0])
	server := httptest.NewServer(fake)
	ts.Defer(func() { server.Close(); fake.Close() })
	ts.Setenv("ARC", server.URL)
}

// getUntil (get-until) URL CODE asks again and again until the answer has this status.
func getUntil(ts *testscript.TestScript, _ bool, args []string) {
	deadline := time.After(20 * time.Second)
	for tick := time.NewTicker(50 * time.Millisecond); ; {
		answer, err := http.Get(args[0])
		ts.Check(err)
		ts.Check(answer.Body.Close())
		if strconv.Itoa(answer.StatusCode) == args[1] {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("%s answers %d, want %s", args[0], answer.StatusCode, args[1])
		}
	}
}

// moveKey (movekey) FILE FROM TO gives one org the sealed Arc key of another.
func moveKey(ts *testscript.TestScript, _ bool, args []string) {
	db, err := sqlite3.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(db.Exec("UPDATE arc_bindings SET (master_id, key_nonce, key_sealed) = (SELECT master_id, key_nonce, " +
		"key_sealed FROM arc_bindings WHERE org_id = '" + args[1] + "') WHERE org_id = '" + args[2] + "'"))
	ts.Check(db.Close())
}
