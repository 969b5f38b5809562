package app_test

import (
	"slices"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// graphQuestions name an entity, and a memory about a neighbour of it answers them. The others have words of the
// question.
var graphQuestions = []struct {
	question, answer string
	relation         loci.NewRelation
	others           []string
}{
	{"Who runs the billing service?", "Ana works from Lisbon and prefers mail.", rel("billing-service", "owned_by", "Ana"),
		[]string{"The service at the garage was slow.", "Billing happens on the first of the month.",
			"The marathon runs through the old town."}},
	{"How do I reach the owner of the API gateway?", "Tomas answers on extension 4410.",
		rel("API gateway", "owned_by", "Tomas"), []string{"The gateway to the garden is stuck.",
			"The owner of the flat wants to paint it.", "We reach the summit at noon."}},
	{"What breaks if the ledger is down?", "The monthly report goes out on the fifth.",
		rel("monthly report", "reads", "ledger"), []string{"The elevator is down again.",
			"Tea breaks are at ten and at three.", "A ledger of the club was found in the attic."}},
	{"Where does the plotter stand?", "Room 214 is locked on weekends, and the porter has the key.",
		rel("Plotter", "located_in", "Room 214"), []string{"The music stand is in the cellar.",
			"Plotter paper is ordered in rolls.", "We stand by the offer until May."}},
	{"Which backups does atlas need?", "nas-7 keeps snapshots for thirty days.", rel("Atlas", "stored_on", "nas-7"),
		[]string{"The atlas of birds is on the shelf.", "Backups of the phone are in the cloud.",
			"We need more chairs for the party."}},
	{"When is Kaia on call?", "Platform has the pager in even weeks.", rel("Kaia", "member_of", "Platform"),
		[]string{"Call the dentist on Monday.", "Kaia likes rye bread.", "The call with the bank is over."}},
	{"Wer betreut den Rechnungsdienst?", "Jonas ist donnerstags im Büro.", rel("Rechnungsdienst", "gehört", "Jonas"),
		[]string{"Der Kindergarten betreut zwölf Kinder.", "Der Rechnungsdienst ist nachts nicht erreichbar.",
			"Wer gewinnt, zahlt das Essen."}},
	{"Is the search index ready for staging?", "Vela fails after two retries.", rel("search_index", "runs_on", "Vela"),
		[]string{"Dinner is ready at eight.", "The staging of the play was bold.",
			"An index of the recipes is at the end of the book."}},
}

// The graph finds answers that the words of the questions do not. docs/recall.md has the figures.
func TestGraphQuestions(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	for _, q := range graphQuestions {
		w.put(w.olga, nil, ent(q.relation.From.Name, "thing"), ent(q.relation.To.Name, "thing"))
		w.relate(w.olga, q.relation)
		for _, text := range append(q.others, q.answer) {
			w.add(w.olga, memory.Draft{Title: loci.Shorten(text, 12), Content: text})
		}
	}
	without := w.olga
	without.ProjectIDs = nil
	found := func(p loci.Principal, limit int) (n int) {
		for _, q := range graphQuestions {
			page, err := w.Memory.Recall(t.Context(), p, memory.SearchRequest{Query: q.question, Limit: limit})
			w.must(err)
			if slices.ContainsFunc(page.Items, func(r loci.Recalled) bool { return r.Content == q.answer }) {
				n++
			} else if p.ProjectIDs != nil {
				t.Logf("%q: not among %d", q.question, limit)
			}
		}
		return n
	}
	for _, tt := range []struct{ limit, with, without int }{{1, 0, 0}, {5, 8, 0}} {
		if a, b := found(w.olga, tt.limit), found(without, tt.limit); a != tt.with || b != tt.without {
			t.Errorf("of %d answers, %d are among the best %d, and %d without graphs; want %d and %d", len(graphQuestions), a,
				tt.limit, b, tt.with, tt.without)
		}
	}
}
