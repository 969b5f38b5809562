package web

import (
	"encoding/base64"
	"net/http"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
)

// signInMethods is what the page of sign-in methods shows.
type signInMethods struct {
	identity.SignInMethods
	Fresh    bool // the forms require no other proof
	Passkeys []passkeyRow
	CanAdd   bool
	Hint     string
}

type passkeyRow struct {
	loci.Passkey
	Key string // its id, as a form sends it
}

const methodsPath = "/app/sign-in-methods"

// doneTexts are the confirmations that a redirect can ask for. A page shows nothing else of the
// query.
var doneTexts = map[string]string{
	"welcome":          "You are signed in. Set a password or add a passkey, so that you can sign in again.",
	"password":         "Your password is set.",
	"password-removed": "Your password is removed.",
	"passkey":          "Your passkey is added.",
	"passkey-removed":  "Your passkey is removed.",
}

func doneOf(r *http.Request) string {
	if r.Method != http.MethodGet {
		return ""
	}
	return doneTexts[r.Form.Get("done")]
}

func (s *server) methods(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	return s.showMethods(w, r, p, http.StatusOK, "")
}

func (s *server) showMethods(w http.ResponseWriter, r *http.Request, p loci.Principal, status int,
	problem string) error {
	have, err := s.app.Identity.SignInMethods(r.Context(), p)
	if err != nil {
		return err
	}
	d := signInMethods{SignInMethods: have, Fresh: p.Fresh(s.now()), CanAdd: true}
	for _, k := range have.Passkeys {
		d.Passkeys = append(d.Passkeys, passkeyRow{k, base64.RawURLEncoding.EncodeToString(k.ID)})
	}
	if _, err := s.site.RP(r); err != nil {
		d.CanAdd, d.Hint = false, loci.SafeText(err)
	}
	done := doneOf(r)
	if done == doneTexts["welcome"] && !have.HasEmail {
		done = "You are signed in. Add a passkey, so that you can sign in again."
	}
	return s.showOwn(w, r, p, status, view{Title: "Sign-in methods", Here: methodsPath, Error: problem, Done: done,
		Scripts: passkeys(d.CanAdd && d.Fresh), Main: func(v view) g.Node { return methodForms(v, d) }})
}

// change runs one change and shows the page again, with a confirmation or the error.
func (s *server) change(w http.ResponseWriter, r *http.Request, p loci.Principal, done string, do func() error) error {
	err := do()
	if err == nil {
		seeOther(w, r, methodsPath, "done", done)
		return nil
	}
	if loci.CodeOf(err) == loci.StepUp || loci.CodeOf(err) == "" {
		return err
	}
	status, text := s.problem(w, r, err)
	return s.showMethods(w, r, p, status, text)
}

func (s *server) setPassword(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	return s.change(w, r, p, "password", func() error {
		password := r.PostForm.Get("password")
		if password != r.PostForm.Get("again") {
			return loci.FieldErrorf("password", "must be the same in both fields")
		}
		if !p.Fresh(s.now()) { // before 25 ms of hashing
			return loci.Errorf(loci.StepUp, "confirm that it is you first")
		}
		who, err := s.app.Identity.WhoAmI(r.Context(), p)
		if err != nil {
			return err
		}
		if who.User.Email == "" {
			return loci.Errorf(loci.Conflict, "cannot set a password: your account has no e-mail address to sign in with")
		}
		encoded, err := s.signIn.HashPassword(r.Context(), loci.Secret(password), who.User.Email)
		if err != nil {
			return err
		}
		return s.app.Identity.SetPassword(r.Context(), p, encoded)
	})
}

func (s *server) removePassword(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	return s.change(w, r, p, "password-removed", func() error { return s.app.Identity.SetPassword(r.Context(), p, "") })
}

func (s *server) addPasskey(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	return s.change(w, r, p, "passkey", func() error {
		name := strings.TrimSpace(r.PostForm.Get("name"))
		k, err := s.signIn.FinishRegister(r.Context(), p, loci.Secret(r.PostForm.Get("state")),
			[]byte(r.PostForm.Get("response")), name)
		if err != nil {
			return err
		}
		return s.app.Identity.AddPasskey(r.Context(), p, k)
	})
}

func (s *server) removePasskey(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	return s.change(w, r, p, "passkey-removed", func() error {
		id, err := base64.RawURLEncoding.DecodeString(r.PostForm.Get("id"))
		if err != nil || len(id) == 0 {
			return loci.FieldErrorf("id", "must be the id of a passkey")
		}
		return s.app.Identity.RemovePasskey(r.Context(), p, id)
	})
}
