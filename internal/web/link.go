package web

import (
	"net/http"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/loci-memory/loci"
)

// linkPage shows a button, because programs that open links before a person does must not use up the link.
func (s *server) linkPage(w http.ResponseWriter, r *http.Request) error {
	if err := s.SignIn.CheckLink(r.Context(), loci.Secret(r.Form.Get("token"))); err != nil {
		return s.badLink(w, r, err)
	}
	return s.show(w, http.StatusOK, view{Title: "Sign in with this link", Main: linkForm(r.Form.Get("token"))})
}

func (s *server) linkPost(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	who, err := s.SignIn.UseLink(ctx, loci.Secret(r.PostForm.Get("token")), s.from(r))
	if err != nil {
		return s.badLink(w, r, err)
	}
	if p, err := s.principal(r); err == nil && p.UserID == who.UserID && p.OrgID == who.OrgID {
		if err := s.SignIn.StepUp(ctx, p); err != nil {
			return err
		}
		http.Redirect(w, r, homePath, http.StatusSeeOther)
		return nil
	}
	return s.enter(w, r, who, "")
}

func (s *server) badLink(w http.ResponseWriter, r *http.Request, err error) error {
	status, text := s.problem(w, r, err)
	_, signedOut := s.principal(r)
	return s.show(w, status, view{Title: "Sign in with this link", Error: text, Main: usedLink(signedOut == nil)})
}

// invitePath begins the address of the page of an invitation, which ends with its token.
const invitePath = "/app/invite?token="

// invitationIn returns the token of the invitation to which a person returns after the sign-in, or "".
func invitationIn(next string) loci.Secret {
	token, _ := strings.CutPrefix(next, invitePath)
	if token == next {
		return ""
	}
	return loci.Secret(token)
}

type invitation struct {
	Token   string
	Inviter string
	Team    string
	Org     loci.Org
	Invite  loci.Invite
	Mine    bool // the signed-in person is the invited one
	Other   string
	Next    string
}

func (s *server) invitePage(w http.ResponseWriter, r *http.Request) error {
	return s.showInvite(w, r, http.StatusOK, r.Form.Get("token"), "")
}

func (s *server) showInvite(w http.ResponseWriter, r *http.Request, status int, token, problem string) error {
	ctx := r.Context()
	org, invite, err := s.SignIn.Invitation(ctx, loci.Secret(token))
	if err != nil {
		return err
	}
	inviter, team, err := s.SignIn.InvitationNames(ctx, org.ID, invite)
	if err != nil {
		return err
	}
	d := invitation{Token: token, Inviter: inviter, Team: team, Org: org, Invite: invite, Next: invitePath + token}
	v := view{Title: "You are invited", Error: problem, Main: func(v view) g.Node { return inviteForm(v, &d) }}
	if p, err := s.principal(r); err == nil {
		if v.Who, err = s.App.Identity.WhoAmI(ctx, p); err != nil {
			return err
		}
		d.Mine, d.Other = v.Who.User.Email == invite.Email, v.Who.User.Email
	}
	return s.show(w, status, v)
}

// invitePost accepts an invitation for the signed-in person. Without one, it creates the account of
// the invited address, which the token proves.
func (s *server) invitePost(w http.ResponseWriter, r *http.Request) error {
	ctx, token := r.Context(), r.PostForm.Get("token")
	p, err := s.principal(r)
	if err == nil {
		if _, err = s.App.Org.AcceptInvite(ctx, p, loci.Secret(token)); err == nil {
			seeOther(w, r, homePath, "done", "joined")
			return nil
		}
	} else {
		var who loci.Person
		if who, err = s.SignIn.Join(ctx, loci.Secret(token)); err == nil {
			return s.enter(w, r, who, "")
		}
		if loci.CodeOf(err) == loci.Conflict {
			seeOther(w, r, "/app/sign-in", "next", safeNext(invitePath+token))
			return nil
		}
	}
	status, text := s.problem(w, r, err)
	return s.showInvite(w, r, status, token, text)
}
