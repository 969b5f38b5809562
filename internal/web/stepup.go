package web

import (
	"net/http"

	g "maragu.dev/gomponents"

	"github.com/loci-memory/loci"
)

func (s *server) stepUpPage(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	return s.showStepUp(w, r, p, http.StatusOK, s.proofs(r, "step-up", safeNext(r.Form.Get("next"))), "")
}

// showStepUp offers only the methods that the person has.
func (s *server) showStepUp(w http.ResponseWriter, r *http.Request, p loci.Principal, status int, d proofs,
	problem string) error {
	have, err := s.app.Identity.SignInMethods(r.Context(), p)
	if err != nil {
		return err
	}
	d.Password = have.Password && have.HasEmail
	if len(have.Passkeys) == 0 {
		d.Passkeys, d.Hint = false, ""
	}
	if !have.HasEmail { // providers verify people by their address
		d.Providers = nil
	}
	return s.showOwn(w, r, p, status, view{Title: "Confirm that it is you", Error: problem,
		Scripts: passkeys(d.Passkeys), Main: func(v view) g.Node { return stepUpForm(v, d) }})
}

func (s *server) stepUpPost(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	next := safeNext(r.PostForm.Get("next"))
	err := s.proveAgain(r, p)
	if err == nil {
		err = s.signIn.StepUp(r.Context(), p)
	}
	if err != nil {
		status, text := s.problem(w, r, err)
		return s.showStepUp(w, r, p, status, s.proofs(r, "step-up", next), text)
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

func (s *server) proveAgain(r *http.Request, p loci.Principal) error {
	if response := r.PostForm.Get("response"); response != "" {
		return s.signIn.CheckPasskey(r.Context(), p, loci.Secret(r.PostForm.Get("state")), []byte(response), s.from(r))
	}
	return s.signIn.CheckPassword(r.Context(), p, loci.Secret(r.PostForm.Get("password")), s.from(r))
}
