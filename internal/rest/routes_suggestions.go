package rest

import (
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/app"
)

// registerSuggestions adds the routes about what others propose.
func (s *server) registerSuggestions(at func(route) route) {
	add(s, at(routeSuggestions), s.suggestions)
	add(s, at(routeAcceptSuggestion), s.acceptSuggestion)
	add(s, at(routeDeclineSuggestion), s.declineSuggestion)
}

// The part of the table about what others propose, with its examples.
var (
	routeSuggestions = route{ID: "listSuggestions", Method: http.MethodGet, Path: "/suggestions", Who: forAny, Action: app.SuggestionRead, Tag: "suggestions",
		Summary: "List what is suggested", Text: "The newest first: which memory of somebody would be superseded by which. You see those of which you see both memories.", Out: exampleSuggestions}
	routeAcceptSuggestion = route{ID: "acceptSuggestion", Method: http.MethodPost, Atomic: true, Path: "/suggestions/{id}/accept", Who: forPeople, Action: app.SuggestionSettle, Missing: noSuggestion, Tag: "suggestions",
		Summary: "Accept a suggestion", Text: "Hides your memory from recall, as the other one takes its place. The version before is kept. 409 if it was decided about, or one of the memories is not live any more.", Out: exampleAccepted}
	routeDeclineSuggestion = route{ID: "declineSuggestion", Method: http.MethodPost, Atomic: true, Path: "/suggestions/{id}/decline", Who: forPeople, Action: app.SuggestionSettle, Missing: noSuggestion, Tag: "suggestions",
		Summary: "Decline a suggestion", Text: "Your memory stays as it is. 409 if it was decided about.", Out: exampleDeclined}

	exampleSuggestion = loci.Suggestion{ID: loci.SuggestionID(exampleID), Kind: loci.SuggestSupersede, MemoryID: exampleID, ByID: otherID, UserID: exampleUser,
		Origin: "cursor", State: loci.SuggestionPending, CreatedAt: exampleTime}
	exampleSuggestions = client.SuggestionList{Suggestions: []loci.Suggestion{exampleSuggestion}}
	exampleAccepted    = settledAs(loci.SuggestionAccepted)
	exampleDeclined    = settledAs(loci.SuggestionDeclined)
)

func settledAs(state loci.SuggestionState) loci.Suggestion {
	s := exampleSuggestion
	s.State, s.SettledAt = state, exampleTime
	return s
}
