package web_test

import (
	"testing"

	"github.com/loci-memory/loci/internal/org"
)

// TestDisabledPersonIsToldSo tells it to those who know the password, and to nobody else.
func TestDisabledPersonIsToldSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	olu := w.member("olu@example.org")
	w.setPassword(olu, "olu's own password")
	if _, err := w.app.Org.SetMember(t.Context(), w.local(w.mara), olu.UserID,
		org.MemberChange{Disabled: new(true)}); err != nil {
		t.Fatal(err)
	}
	signIn := func(password string) answer {
		return w.browser().post("/app/sign-in", "email", olu.Email, "password", password)
	}
	right, wrong := signIn("olu's own password"), signIn("somebody's guess")
	want(t, "the right password", right, 403, "this account is disabled; ask an admin of your org", `name="password"`)
	want(t, "a wrong password", wrong, 401, "the e-mail address or the password is wrong")
	lacks(t, "the right password", right, "API key")
	lacks(t, "a wrong password", wrong, "disabled")
}
