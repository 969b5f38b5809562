package web

import (
	"net/http"

	g "maragu.dev/gomponents"

	"github.com/loci-memory/loci"
)

// doneTexts are the confirmations that a redirect can ask for. A page shows nothing else of the
// query.
var doneTexts = map[string]string{
	"welcome":          "You are signed in. Set a password or add a passkey, so that you can sign in again.",
	"joined":           "You joined.",
	"workspace":        "You switched to another workspace.",
	"ended":            "The sign-in has ended.",
	"ended-others":     "All other sign-ins have ended.",
	"revoked":          "Revoked, effective immediately.",
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

const accountPath = "/app/account"

// accountPage is what the page of the account shows besides the identity.
type accountPage struct {
	Workspaces []loci.Workspace
	Active     loci.WorkspaceID
}

func (s *server) account(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	d := accountPage{Active: p.WorkspaceID}
	var err error
	if d.Workspaces, err = s.workspaces(r, p); err != nil {
		return err
	}
	return s.showOwn(w, r, p, http.StatusOK, view{Title: "Your account", Here: accountPath, Done: doneOf(r),
		Main: func(v view) g.Node { return accountCards(v, d) }})
}

// workspaces returns the person's workspaces, or nil if the org does not use them.
func (s *server) workspaces(r *http.Request, p loci.Principal) ([]loci.Workspace, error) {
	if p.WorkspaceID.IsZero() {
		return nil, nil
	}
	return s.app.Org.Workspaces(r.Context(), p)
}

// enterWorkspace makes another workspace the active one of this sign-in.
func (s *server) enterWorkspace(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	var id loci.WorkspaceID
	if err := id.UnmarshalText([]byte(r.PostForm.Get("workspace"))); err != nil {
		return err
	}
	if err := s.app.Identity.EnterWorkspace(r.Context(), p, loci.CredentialID{}, id); err != nil {
		return err
	}
	if next := safeNext(r.PostForm.Get("next")); next != homePath {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	seeOther(w, r, homePath, "done", "workspace")
	return nil
}

func (s *server) signIns(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	list, err := s.app.Identity.SignIns(r.Context(), p)
	if err != nil {
		return err
	}
	usable := list[:0:0]
	for _, c := range list {
		if c.Usable(s.now()) {
			usable = append(usable, c)
		}
	}
	return s.showOwn(w, r, p, http.StatusOK, view{Title: "Sign-ins", Here: "/app/sign-ins", Done: doneOf(r),
		Main: signInRows(usable, p.CredentialID)})
}

func (s *server) endSignIn(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	id, err := credentialID(r)
	if err == nil {
		err = s.app.Identity.EndSignIn(r.Context(), p, id)
	}
	return done(w, r, "/app/sign-ins", "ended", err)
}

func (s *server) endOthers(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	_, err := s.app.Identity.EndOtherSignIns(r.Context(), p)
	return done(w, r, "/app/sign-ins", "ended-others", err)
}

// done confirms on a page what a form did, unless that failed.
func done(w http.ResponseWriter, r *http.Request, page, what string, err error) error {
	if err == nil {
		seeOther(w, r, page, "done", what)
	}
	return err
}

// credentialID reads the id in a form.
func credentialID(r *http.Request) (id loci.CredentialID, err error) {
	if err = id.UnmarshalText([]byte(r.PostForm.Get("id"))); err == nil && id.IsZero() {
		err = loci.FieldErrorf("id", "is missing")
	}
	return id, err
}
