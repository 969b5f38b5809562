package web_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestFailedSignInsAreLogged logs who had which address of a failed sign-in, and nothing that was typed.
func TestFailedSignInsAreLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fail := func(email, password string) {
		want(t, email, w.browser().post("/app/sign-in", "email", email, "password", password), 401)
	}
	count := func(text string, n int) {
		t.Helper()
		if got := strings.Count(w.log.String(), text); got != n {
			t.Errorf("%q is %d times in the log, want %d: %s", text, got, n, w.log)
		}
	}
	const failed = `level=INFO msg="a sign-in failed" address=127.0.0.1`
	fail(maraMail, "guess-of-a-password")
	count(failed+" user="+w.mara.UserID.String()+"\n", 1)
	fail("typed-in-the-wrong-field", "another-guess") // may be a password
	count(failed+"\n", 1)
	count("must wait", 0)
	for range 4 {
		fail(maraMail, "guess-of-a-password")
	}
	count(`must wait" address=127.0.0.1 user=`+w.mara.UserID.String(), 1)
	for i := range 14 { // 20 of this address together
		fail(fmt.Sprintf("nobody%d@example.org", i), "guess-of-a-password")
	}
	count(`from this address must wait" address=127.0.0.1`, 1)
	want(t, "then", w.browser().post("/app/sign-in", "email", "ann@example.org", "password", "x"), 429)
	count(`msg="a sign-in failed"`, 20)
	for _, typed := range []string{"guess", "wrong-field", "nobody", maraMail} {
		count(typed, 0)
	}
}
