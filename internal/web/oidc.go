package web

import (
	"net/http"
	"time"

	"github.com/loci-memory/loci"
)

// oidcCookie stores the state of a sign-in at a provider, so that it can end only in the browser in
// which it began. The __Host- form is for https.
const (
	oidcCookie     = "loci-oidc"
	oidcCookieLife = 10 * time.Minute
	// maxOIDCNext is the maximum length of an address that fits into the cookie.
	maxOIDCNext = 2000
)

func (s *server) oidcCookie(r *http.Request, value string) *http.Cookie {
	name, life := oidcCookie, int(oidcCookieLife.Seconds())
	if s.Site.Secure(r) {
		name = "__Host-" + name
	}
	if value == "" {
		life = -1
	}
	return &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: life, HttpOnly: true, Secure: s.Site.Secure(r),
		SameSite: http.SameSiteLaxMode}
}

// oidcBegin redirects the browser to a provider. It is a link, not a form, because form-action
// would have to list every provider.
func (s *server) oidcBegin(w http.ResponseWriter, r *http.Request) error {
	ctx, id, next := r.Context(), r.PathValue("id"), safeNext(r.Form.Get("next"))
	if len(next) > maxOIDCNext {
		next = homePath
	}
	var to string
	var state loci.Secret
	p, err := s.principal(r)
	if err == nil {
		to, state, err = s.SignIn.BeginOIDCStepUp(ctx, p, id, next)
	} else {
		to, state, err = s.SignIn.BeginOIDC(ctx, id, next)
	}
	if err != nil {
		return err
	}
	http.SetCookie(w, s.oidcCookie(r, state.Reveal()))
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// oidcFinish handles the answer of a provider. For a signed-in person, it is a fresh proof;
// otherwise, it is a sign-in.
func (s *server) oidcFinish(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	c, err := r.Cookie(s.oidcCookie(r, "").Name)
	if err != nil {
		return loci.Errorf(loci.Invalid,
			"cannot finish this sign-in: it did not begin in this browser, or took more than %d minutes; "+
				"start again", int(oidcCookieLife.Minutes()))
	}
	http.SetCookie(w, s.oidcCookie(r, ""))
	who, next, err := s.SignIn.FinishOIDC(ctx, r.PathValue("id"), loci.Secret(c.Value), r.URL.Query())
	if err != nil {
		return err
	}
	next = safeNext(next)
	if p, err := s.principal(r); err == nil && p.UserID == who.UserID && p.OrgID == who.OrgID {
		if err := s.SignIn.StepUp(ctx, p); err != nil {
			return err
		}
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	return s.enter(w, r, who, next)
}
