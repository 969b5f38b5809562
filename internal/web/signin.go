package web

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// proofs are the ways to prove one's identity on the sign-in and step-up pages.
type proofs struct {
	Action    string // the target of the forms
	For       string // what a passkey is used for
	Next      string
	Email     string
	Invited   string // sign-in: the address of the invitation that it continues, if that has an account
	Providers []auth.Provider
	Password  bool // step-up: the person has a password
	Passkeys  bool
	Hint      string // why passkeys are not available
}

func (s *server) proofs(r *http.Request, purpose, next string) proofs {
	out := proofs{Action: "/app/" + purpose, For: purpose, Next: next, Providers: s.SignIn.Providers(), Passkeys: true}
	if _, err := s.Site.RP(r); err != nil {
		out.Passkeys, out.Hint = false, loci.SafeText(err)
	}
	return out
}

func (s *server) signInPage(w http.ResponseWriter, r *http.Request) error {
	next := safeNext(r.Form.Get("next"))
	if _, err := s.principal(r); err == nil {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	return s.showSignIn(w, r, http.StatusOK, s.proofs(r, "sign-in", next), "")
}

func (s *server) showSignIn(w http.ResponseWriter, r *http.Request, status int, d proofs, problem string) error {
	var err error
	if d.Invited, err = s.SignIn.InvitedAccount(r.Context(), invitationIn(d.Next)); err != nil {
		return err
	}
	d.Email = cmp.Or(d.Email, d.Invited)
	v := view{Title: "Sign in", Error: problem, Scripts: passkeys(d.Passkeys),
		Main: func(v view) g.Node { return signInForm(v, d) }}
	if r.Method == http.MethodGet && r.Form.Get("done") == "signed-out" {
		v.Done = "You are signed out."
	}
	return s.show(w, status, v)
}

func (s *server) signInPost(w http.ResponseWriter, r *http.Request) error {
	next, email := safeNext(r.PostForm.Get("next")), r.PostForm.Get("email")
	who, err := s.prove(r)
	if err == nil {
		err = s.enter(w, r, who, next)
	}
	if err == nil {
		return nil
	}
	d := s.proofs(r, "sign-in", next)
	d.Email = email
	status, text := s.problem(w, r, err)
	return s.showSignIn(w, r, status, d, text)
}

// prove identifies the person by passkey if the browser sent one, or else by password.
func (s *server) prove(r *http.Request) (loci.Person, error) {
	if response := r.PostForm.Get("response"); response != "" {
		return s.SignIn.FinishPasskey(r.Context(), loci.Secret(r.PostForm.Get("state")), []byte(response), s.from(r))
	}
	return s.SignIn.Password(r.Context(), r.PostForm.Get("email"), loci.Secret(r.PostForm.Get("password")), s.from(r))
}

// enter signs in a person who just proved their identity, and ends the browser's previous sign-in.
// If next is empty and the person has no sign-in method yet, they continue to the page where they
// can add one. The operator needs none, because "loci open" signs them in.
func (s *server) enter(w http.ResponseWriter, r *http.Request, who loci.Person, next string) error {
	ctx := r.Context()
	p, token, err := s.Auth.StartSignIn(ctx, who, auth.BrowserName(r.UserAgent()))
	if err != nil {
		return err
	}
	if next == "" {
		id, err := s.App.Identity.WhoAmI(ctx, p)
		if err != nil {
			return err
		}
		have, err := s.App.Identity.SignInMethods(ctx, p)
		if err != nil {
			return err
		}
		if next = homePath; !id.IsOperator() && !have.Password && len(have.Passkeys) == 0 {
			next = accountAddress + "?done=welcome"
		}
	}
	if err := s.Auth.SignOut(ctx, auth.SignInOf(r)); err != nil {
		return err
	}
	auth.SetSignInCookie(w, token, s.Site.Secure(r))
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

func (s *server) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.Auth.SignOut(r.Context(), auth.SignInOf(r)); err != nil {
		return err
	}
	auth.ClearSignInCookie(w, s.Site.Secure(r))
	if next := safeNext(r.PostForm.Get("next")); next != homePath {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	seeOther(w, r, "/app/sign-in", "done", "signed-out")
	return nil
}

// passkeyOptions returns what the browser needs to ask for a passkey.
func (s *server) passkeyOptions(w http.ResponseWriter, r *http.Request) error {
	options, state, err := s.beginPasskey(r)
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		status, text := s.problem(w, r, err)
		w.WriteHeader(status)
		return json.NewEncoder(w).Encode(map[string]string{"error": text})
	}
	return json.NewEncoder(w).Encode(map[string]any{"options": json.RawMessage(options), "state": state.Reveal()})
}

func (s *server) beginPasskey(r *http.Request) (options []byte, state loci.Secret, err error) {
	rp, err := s.Site.RP(r)
	if err != nil {
		return nil, "", err
	}
	purpose := r.PostForm.Get("for")
	if purpose == "sign-in" {
		return s.SignIn.BeginPasskey(r.Context(), rp)
	}
	p, err := s.principal(r)
	if err != nil {
		return nil, "", err
	}
	if purpose == "step-up" {
		return s.SignIn.BeginPasskeyStepUp(r.Context(), p, rp)
	}
	return nil, "", loci.FieldErrorf("for", "must be one of: sign-in, step-up")
}

func (s *server) stepUpPage(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	return s.showStepUp(w, r, p, http.StatusOK, s.proofs(r, "step-up", safeNext(r.Form.Get("next"))), "")
}

// showStepUp offers only the methods that the person has.
func (s *server) showStepUp(w http.ResponseWriter, r *http.Request, p loci.Principal, status int, d proofs,
	problem string) error {
	have, err := s.App.Identity.SignInMethods(r.Context(), p)
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
		err = s.SignIn.StepUp(r.Context(), p)
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
		return s.SignIn.CheckPasskey(r.Context(), p, loci.Secret(r.PostForm.Get("state")), []byte(response), s.from(r))
	}
	return s.SignIn.CheckPassword(r.Context(), p, loci.Secret(r.PostForm.Get("password")), s.from(r))
}

// homePath is where the browser goes by default.
const homePath = "/app/"

// maxNext is the maximum length of an address that is kept during a sign-in. Requests of OAuth
// clients are the longest.
const maxNext = 8 << 10

// safeNext returns next if it is an address of this site's own pages, otherwise the home page. Browsers treat
// "//host" and "/\host" as other sites. So it allows only a short list of prefixes and no unusual characters.
func safeNext(next string) string {
	u, err := url.Parse(next)
	if err != nil || len(next) > maxNext || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		u.Fragment != "" ||
		strings.ContainsFunc(next, func(c rune) bool {
			return c <= ' ' || c == '\\' || c == 0x7f || c == '#' ||
				c == '\uFFFD'
		}) ||
		strings.Contains(u.Path, "//") || strings.Contains(u.Path, "..") || strings.Contains(u.Path, "\\") {
		return homePath
	}
	if u.Path == "/oauth/authorize" || strings.HasPrefix(u.Path, "/app/") {
		return next
	}
	return homePath
}

// back returns where to return after a sign-in: the page itself, or home after a form.
func back(r *http.Request) string {
	if r.Method == http.MethodGet {
		return safeNext(r.URL.RequestURI())
	}
	return homePath
}

// seeOther redirects the browser to a path of this site. pairs are names and values for its query.
func seeOther(w http.ResponseWriter, r *http.Request, path string, pairs ...string) {
	http.Redirect(w, r, address(path, pairs...), http.StatusSeeOther)
}

// address returns a path with a query. It leaves out empty values.
func address(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return path
}
