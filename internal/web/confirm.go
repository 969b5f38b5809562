package web

import (
	"net/http"
	"slices"

	"github.com/loci-memory/loci"
)

// confirmation asks before an effect that a person cannot reverse. Without scripts, a question is a
// page with a form.
type confirmation struct {
	Text, Button string
	Action       string // where the form goes
	ID           string
	Back         string
}

func (s *server) ask(w http.ResponseWriter, r *http.Request, p loci.Principal, title string, c confirmation) error {
	return s.showOwn(w, r, p, http.StatusOK, view{Title: title, Here: c.Back, Main: question(c)})
}

// askRevokeKey asks before a key is revoked.
func (s *server) askRevokeKey(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	list, err := s.allKeys(r.Context(), p)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(c loci.Credential) bool { return c.ID.String() == r.Form.Get("id") })
	if at < 0 {
		return loci.Errorf(loci.NotFound, "key not found")
	}
	return s.ask(w, r, p, "Revoke the key "+list[at].Name+"?", confirmation{Button: "Revoke the key",
		Text:   "Programs that use this key stop working immediately. You cannot undo this.",
		Action: "/app/keys/revoke", ID: list[at].ID.String(), Back: "/app/keys"})
}

// askRevokeGrant asks before a connection is revoked.
func (s *server) askRevokeGrant(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	list, err := s.app.Identity.Grants(r.Context(), p)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(g loci.Grant) bool { return g.ID.String() == r.Form.Get("id") })
	if at < 0 {
		return loci.Errorf(loci.NotFound, "connection not found")
	}
	name := list[at].ClientName
	if name == "" {
		name = "the unnamed client"
	}
	return s.ask(w, r, p, "Disconnect "+name+"?", confirmation{Button: "Disconnect",
		Text:   "It can no longer read or write your memory. To connect it again, you sign in from it again.",
		Action: "/app/connections/revoke", ID: list[at].ID.String(), Back: "/app/connections"})
}
