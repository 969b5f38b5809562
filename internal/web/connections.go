package web

import (
	"net/http"

	"github.com/loci-memory/loci"
)

// grantRow is a connection as the page shows it.
type grantRow struct {
	loci.Grant
	Usable bool
}

func (s *server) connections(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	grants, err := s.app.Identity.Grants(r.Context(), p)
	if err != nil {
		return err
	}
	var rows []grantRow
	for _, usable := range []bool{true, false} {
		for _, g := range grants {
			if g.Usable(s.now()) == usable {
				rows = append(rows, grantRow{g, usable})
			}
		}
	}
	keys, err := s.app.Identity.Keys(r.Context(), p, loci.KindAgent)
	if err != nil {
		return err
	}
	var working []keyRow
	for _, c := range keys {
		if row := s.keyRow(r.Context(), p, c); row.Usable {
			working = append(working, row)
		}
	}
	return s.showOwn(w, r, p, http.StatusOK, view{Title: "Connections", Here: "/app/connections", Done: doneOf(r),
		Main: connectionRows(connectionList{rows, working, s.site.Home(r) + "/mcp"})})
}

func (s *server) revokeGrant(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	var id loci.GrantID
	if err := id.UnmarshalText([]byte(r.PostForm.Get("id"))); err != nil {
		return err
	}
	return done(w, r, "/app/connections", "revoked", s.app.Identity.RevokeGrant(r.Context(), p, id))
}
