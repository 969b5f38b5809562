package rest

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/memory"
)

var suggestionRoutes = table{"suggestions", []served{
	serve("GET /suggestions", route{ForAgents: true, ID: "listSuggestions", Who: forAny, Action: memory.SuggestionRead,
		Summary: "List suggestions",
		Text: "Newest first. A suggestion proposes that one memory supersedes another, or that rows of a graph are " +
			"deleted or merged (`graph`). You see a suggestion only if you can read both memories, or the rows. Of kind " +
			"`secret`, Loci suggests to the owner of a memory or a `row` to remove its secrets.",
		Out: exampleSuggestions}, (*server).suggestions),
	serve("POST /suggestions/{id}/accept", route{ID: "acceptSuggestion", Atomic: true, Who: forPeople,
		Action:  memory.SuggestionSettle,
		Summary: "Accept a suggestion",
		Text: "Your memory is superseded. no_longer_shared names who cannot read the new one, unless you send share. Rows " +
			"of a `graph` go to its trash; each person of the project may accept. A `secret` leaves the row, its old " +
			"versions and its events for good, also if kept. 409 if settled, not live, or in Arc.",
		In: client.Acceptance{Share: true}, Out: exampleAccepted}, (*server).acceptSuggestion),
	serve("POST /suggestions/{id}/decline", route{ID: "declineSuggestion", Atomic: true, Who: forPeople,
		Action:  memory.SuggestionSettle,
		Summary: "Decline a suggestion",
		Text: "Both memories stay; trash the one whose text is wrong. Of kind `secret`, the row keeps them, " +
			"and lists show them again. 409 if the suggestion was already accepted or declined.",
		Out: exampleDeclined}, (*server).declineSuggestion),
}}

var (
	exampleSuggestion = loci.Suggestion{ID: loci.SuggestionID(exampleID), Kind: loci.SuggestSupersede,
		MemoryID: exampleID, ByID: otherID, UserID: exampleUser,
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

// SuggestionPath is a suggestion in a path. It is exported because huma skips embedded structs that are not.
type SuggestionPath struct {
	ID string `path:"id" doc:"Id of the suggestion" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

func (p SuggestionPath) suggestion() loci.SuggestionID { return idOf[loci.SuggestionID](p.ID) }

type suggestionsInput struct {
	State loci.SuggestionState `query:"state" enum:"pending,accepted,declined" doc:"Default: all. The pending ones leave out those whose memories are no longer both live, or whose rows have all left the graph"`
	Page50
}

func (s *server) suggestions(ctx context.Context, p loci.Principal,
	in *suggestionsInput) (*answer[client.SuggestionList], error) {
	page, err := s.app.Memory.Suggestions(ctx, p, memory.SuggestionsRequest{State: in.State, Limit: in.Limit,
		Cursor: in.Cursor})
	return say(client.SuggestionList{Suggestions: loci.OrEmpty(page.Items), More: moreAt(page.NextCursor)}, err)
}

type acceptInput struct {
	SuggestionPath
	Body *client.Acceptance
}

func (s *server) acceptSuggestion(ctx context.Context, p loci.Principal,
	in *acceptInput) (*answer[loci.Suggestion], error) {
	return say(s.app.Memory.AcceptSuggestion(ctx, p, in.suggestion(), orZero(in.Body).Share))
}

func (s *server) declineSuggestion(ctx context.Context, p loci.Principal,
	in *SuggestionPath) (*answer[loci.Suggestion], error) {
	return say(s.app.Memory.DeclineSuggestion(ctx, p, in.suggestion()))
}
