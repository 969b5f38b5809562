package app_test

import (
	"testing"

	"github.com/loci-memory/loci/internal/memory"
)

// TestOverviewsFindTheirSubject asks for overviews in some languages. Words of the question that name no subject are in
// other memories.
func TestOverviewsFindTheirSubject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	garden := w.add(w.owner, memory.Draft{Title: "Outside", Content: "The garden has a Teich, an étang and a lago."})
	for _, content := range []string{
		"A brief summary of several conversations is in the shared folder.",
		"Five different topics were mentioned in the chats, in this order.",
		"Eine ausführliche Zusammenfassung der Gespräche, in der Reihenfolge der Themen",
		"Un résumé de nos conversations, dans l'ordre",
		"Un resumen de nuestras conversaciones, en orden cronológico",
	} {
		w.add(w.owner, memory.Draft{Title: "Note", Content: content})
	}
	alone, err := w.Memory.Recall(t.Context(), w.owner, memory.SearchRequest{Query: "the garden"})
	w.must(err)
	for _, question := range []string{
		"Give me a brief summary of the garden across our conversations",
		"In which order were five different topics of the garden mentioned in the chats?",
		"Gib mir eine ausführliche Zusammenfassung unserer Gespräche: Teich",
		"Fais un résumé de nos conversations, dans l'ordre : étang",
		"Dame un resumen de nuestras conversaciones en orden cronológico: lago",
	} {
		page, err := w.Memory.Recall(t.Context(), w.owner, memory.SearchRequest{Query: question})
		w.must(err)
		if len(page.Items) == 0 || page.Items[0].ID != garden.ID {
			t.Errorf("%q: got %+v", question, page.Items)
		} else if got, sure := page.Items[0].Confidence, alone.Items[0].Confidence; got >= sure {
			t.Errorf("%q: got confidence %v, want less than %v: it asks for more than one memory", question, got, sure)
		}
	}
	page, err := w.Memory.Recall(t.Context(), w.owner, memory.SearchRequest{
		Query: "brief summary of several conversations"})
	w.must(err)
	if len(page.Items) == 0 || page.Items[0].Title != "Note" {
		t.Errorf("a question of such words only: got %+v", page.Items)
	}
}
