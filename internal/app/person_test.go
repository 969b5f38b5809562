package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/pack"
)

// saveAll saves memories of these texts, each with another title.
func (w *world) saveAll(p loci.Principal, texts ...string) {
	w.t.Helper()
	for i, text := range texts {
		w.save(p, memory.Draft{Title: fmt.Sprint("Note ", i), Content: text})
	}
}

// best returns the content of the first memory for a question.
func (w *world) best(p loci.Principal, query string) string {
	w.t.Helper()
	page := w.recall(p, memory.SearchRequest{Query: query})
	if len(page.Items) == 0 {
		return ""
	}
	return page.Items[0].Content
}

// TestWhatIsBeatsWhatIsNot asks what is so. A denial is first only for a question about it.
func TestWhatIsBeatsWhatIsNot(t *testing.T) {
	t.Parallel()
	w, _ := newMeaning(t)
	w.fill()
	w.saveAll(w.owner, "We use NATS as the broker between all of our services.", "We do not use Kafka as a broker.",
		"Wir trinken am Nachmittag gerne grünen Tee mit Honig.", "Wir trinken keinen Kaffee am Nachmittag.",
		"Nous mangeons du poisson chaque vendredi soir.", "Nous ne mangeons pas de viande le vendredi.",
		"デプロイは毎週火曜日に東京で行います。", "デプロイは金曜日に行わない。")
	w.catchUp()
	for query, want := range map[string]string{
		"what do we use as the broker": "NATS", "which broker do we use?": "NATS", "do we use Kafka as a broker?": "Kafka",
		"what do we not use as a broker": "Kafka", "why not Kafka": "Kafka", "Kafka broker": "Kafka",
		"was trinken wir am Nachmittag": "Tee", "trinken wir Kaffee am Nachmittag": "keinen",
		"was trinken wir nicht am Nachmittag": "keinen",
		"que mangeons nous le vendredi":       "poisson", "デプロイはいつ行いますか": "火曜日",
	} {
		if got := w.best(w.owner, query); !strings.Contains(got, want) {
			t.Errorf("%q: got %q first, want %q", query, got, want)
		}
	}
}

// TestNumbersAreNotLost has memories that mean the same to a model, but for a number.
func TestNumbersAreNotLost(t *testing.T) {
	t.Parallel()
	w, model := newMeaning(t)
	model.Groups = append(model.Groups, []string{"money", "budget", "costs"})
	w.fill()
	for i := range 9 {
		w.saveAll(w.owner, fmt.Sprintf("The budget of sprint %d costs %d,500 euros.", 10+i, 20+i))
	}
	w.catchUp()
	for query, want := range map[string]string{"money of sprint 14": "sprint 14",
		"what is the budget of sprint 18?": "sprint 18",
		"which sprint has 23500 euros":     "sprint 13", "which sprint costs 23,500": "sprint 13"} {
		if got := w.best(w.owner, query); !strings.Contains(got, want+" ") {
			t.Errorf("%q: got %q first, want %q", query, got, want)
		}
	}
}

// TestAdviceFollowsRules asks for help. What the person always wants, or would rather have, comes first then, and only
// then.
func TestAdviceFollowsRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveAll(w.owner, "Always name the version of a library.", "I prefer trains to planes on a journey.",
		"Bei Rezepten immer die Menge in Gramm angeben.", "Prefiero correos cortos a los clientes.")
	for i := range 5 {
		w.saveAll(w.owner, fmt.Sprintf("The library of parser %d has a new release, a library for the parser.", i),
			fmt.Sprintf("The journey to Rome, a long journey by bus, took %d days.", i),
			fmt.Sprintf("Rezepte für Suppe: Rezepte im Heft %d.", i), fmt.Sprintf("Correos de clientes, correos %d.", i))
	}
	for query, want := range map[string]bool{
		"how should I choose a library?": true, "which library has a release": false,
		"can you help me to plan a journey": true, "how long was the journey": false,
		"wie soll ich Rezepte schreiben": true, "wo sind die Rezepte": false,
		"cómo puedo escribir correos": true, "dónde están los correos": false,
	} {
		page := w.recall(w.owner, memory.SearchRequest{Query: query, Explain: true})
		text := strings.ToLower(page.Items[0].Content)
		states := strings.Contains(text, "always") || strings.Contains(text, "prefer") || strings.Contains(text, "immer") ||
			strings.Contains(text, "prefiero")
		if got := page.Items[0].Why.Signals.Rule > 0; got != want || states != want {
			t.Errorf("%q: got %q first (rule: %v), want a rule: %v", query, page.Items[0].Content, got, want)
		}
	}
}

// TestRulesOfOthersDoNotCount has a rule that another person of the session states.
func TestRulesOfOthersDoNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.session(w.owner)
	w.logged(in, "User: Always put tea on the shopping list.")
	w.logged(in, "Bob: I always put cake on the shopping list, and cake.")
	page := w.recall(w.owner, memory.SearchRequest{Query: "what should I put on the shopping list", Explain: true})
	for _, hit := range page.Events {
		if got, want := hit.Why.Signals.Rule > 0, strings.HasPrefix(hit.Content, "User"); got != want {
			t.Errorf("%q: counts as a rule: %v", hit.Content, got)
		}
	}
	if len(page.Events) != 2 || !strings.HasPrefix(page.Events[0].Content, "User") {
		t.Errorf("got %d events", len(page.Events))
	}
}

// TestPacksHaveNoNeighbours has a session of which one event matches, and a memory that only means the same.
func TestPacksHaveNoNeighbours(t *testing.T) {
	t.Parallel()
	w, _ := newMeaning(t)
	w.fill()
	in := w.session(w.owner)
	for _, text := range []string{"tiles of roof", "one beverage for the guests", "paint of wall"} {
		w.logged(in, text)
	}
	w.add(w.owner, memory.Draft{Title: "Habit", Content: "drinks daily"})
	w.catchUp()
	got := w.context(w.owner, pack.Request{Goal: "beverage"}).Context
	if strings.Contains(got, "roof") || strings.Contains(got, "wall") || !strings.Contains(got, "drinks daily") ||
		!strings.Contains(got, "guests") {
		t.Errorf("the pack:\n%s", got)
	}
}

// TestTwoWordsFindOne finds words that a text has as one.
func TestTwoWordsFindOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveAll(w.owner, "The cookie userid expires after an hour.", "Der Stromausfall war am Abend.",
		"The table has a column order_id.", "Call getAccountName before the request.")
	for query, want := range map[string]string{"user id": "**userid**", "which user id expires": "**userid**",
		"Strom Ausfall": "**Stromausfall**", "orderid": "**order_id**", "order id": "**order_id**",
		"getaccountname": "**getAccountName**", "get account name": "get**AccountName**"} {
		page := w.recall(w.owner, memory.SearchRequest{Query: query})
		if len(page.Items) == 0 || !strings.Contains(page.Items[0].Snippet.String(), want) ||
			page.Items[0].Why.Fallback != "" {
			t.Errorf("%q: got %+v, want %s", query, page.Items, want)
		}
	}
}
