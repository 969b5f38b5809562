package web

import (
	"net/http"
	"net/url"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/loci-memory/loci"
)

// keepReplay is the prefix of the fields in which a form waits for a proof.
const keepReplay = "replay."

// askProof answers a request that requires a fresh proof. It asks for the proof and keeps the
// person's input, except passwords.
func (s *server) askProof(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	if r.Method == http.MethodGet {
		seeOther(w, r, "/app/step-up", "next", back(r))
		return nil
	}
	d := s.proofs(r, "step-up", back(r))
	if replayable(r.URL.Path) {
		d.ReplayTo, d.Replay = r.URL.Path, r.PostForm
	}
	return s.showStepUp(w, r, p, http.StatusForbidden, d, "")
}

// replayable are the forms that are sent again after the proof. None of them contains a secret.
func replayable(path string) bool {
	switch path {
	case "/app/sign-in-methods/password/remove", "/app/sign-in-methods/passkeys/remove":
		return true
	}
	return false
}

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
	to, form := replayOf(r.PostForm)
	err := s.proveAgain(r, p)
	if err == nil {
		err = s.signIn.StepUp(r.Context(), p)
	}
	if err != nil {
		d := s.proofs(r, "step-up", next)
		d.ReplayTo, d.Replay = to, form
		status, text := s.problem(w, r, err)
		return s.showStepUp(w, r, p, status, d, text)
	}
	if to == "" {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	again := r.Clone(r.Context())
	again.URL = &url.URL{Path: to}
	again.Form, again.PostForm = form, form
	s.pages.ServeHTTP(w, again)
	return nil
}

// replayOf unpacks the form that waited for the proof.
func replayOf(sent url.Values) (to string, form url.Values) {
	if to = sent.Get("replay"); !replayable(to) {
		return "", nil
	}
	form = url.Values{}
	for name, values := range sent {
		if field, ok := strings.CutPrefix(name, keepReplay); ok {
			form[field] = values
		}
	}
	return to, form
}

func (s *server) proveAgain(r *http.Request, p loci.Principal) error {
	if response := r.PostForm.Get("response"); response != "" {
		return s.signIn.CheckPasskey(r.Context(), p, loci.Secret(r.PostForm.Get("state")), []byte(response), s.from(r))
	}
	return s.signIn.CheckPassword(r.Context(), p, loci.Secret(r.PostForm.Get("password")), s.from(r))
}
