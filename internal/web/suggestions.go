package web

import (
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

const suggestionsPath = "/app/suggestions"

// pageSize is how many suggestions a page shows.
const pageSize = 25

// maxBeginning is how many characters of a memory the page shows.
const maxBeginning = 240

// suggestionRow is a suggestion with both memories, so that the person can compare them.
type suggestionRow struct {
	loci.Suggestion
	Old, New *loci.Memory // nil: in the trash or expired
	Mine     bool         // the person may decide
	Asked    bool         // the person may withdraw it
}

func (s *server) suggestions(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	list, err := s.app.Memory.Suggestions(r.Context(), p, memory.SuggestionsRequest{State: loci.SuggestionPending,
		Limit: pageSize, Cursor: r.Form.Get("cursor")})
	if err != nil {
		return err
	}
	of, err := s.memoriesOf(r, p, list.Items)
	if err != nil {
		return err
	}
	d := struct {
		Rows []suggestionRow
		Next string
	}{}
	for _, sg := range list.Items {
		by := of[sg.ByID]
		d.Rows = append(d.Rows, suggestionRow{Suggestion: sg, Old: of[sg.MemoryID], New: by, Mine: sg.UserID == p.UserID,
			Asked: by != nil && by.UserID == p.UserID})
	}
	if list.NextCursor != "" {
		d.Next = address(suggestionsPath, "cursor", list.NextCursor)
	}
	return s.showOwn(w, r, p, http.StatusOK, "suggestions",
		view{Title: "Suggestions", Here: suggestionsPath, Done: doneOf(r), Data: d})
}

// memoriesOf reads the memories of suggestions.
func (s *server) memoriesOf(r *http.Request, p loci.Principal, list []loci.Suggestion) (
	map[loci.MemoryID]*loci.Memory, error) {
	of := make(map[loci.MemoryID]*loci.Memory, 2*len(list))
	if len(list) == 0 {
		return of, nil
	}
	var ids []loci.MemoryID
	for _, sg := range list {
		ids = append(ids, sg.MemoryID, sg.ByID)
	}
	found, err := s.app.Memory.ByIDs(r.Context(), p, loci.Unique(ids), loci.When{})
	for _, m := range found {
		of[m.ID] = m
	}
	return of, err
}

// settle accepts or declines a suggestion.
func (s *server) settle(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	var id loci.SuggestionID
	if err := id.UnmarshalText([]byte(r.PostForm.Get("id"))); err != nil {
		return err
	}
	switch r.PostForm.Get("answer") {
	case "accept":
		accepted, err := s.app.Memory.AcceptSuggestion(r.Context(), p, id, r.PostForm.Get("share") == "on")
		if err == nil && accepted.NoLongerShared != "" {
			return done(w, r, suggestionsPath, "accepted-unshared", nil)
		}
		return done(w, r, suggestionsPath, "accepted", err)
	case "decline":
		_, err := s.app.Memory.DeclineSuggestion(r.Context(), p, id)
		return done(w, r, suggestionsPath, "declined", err)
	}
	return loci.FieldErrorf("answer", "must be accept or decline")
}
