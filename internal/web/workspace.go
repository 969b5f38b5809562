package web

import (
	"net/http"

	"github.com/loci-memory/loci"
)

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
