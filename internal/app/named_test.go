package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// namedWorld has memories that have a key or a title, and many others with the same words.
func namedWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	draft := func(d memory.Draft) { w.save(w.owner, d) }
	draft(memory.Draft{Key: "deploy/prod-db", Title: "Connection string",
		Content: strings.Repeat("host and port and user. ", 400)})
	draft(memory.Draft{Title: "Release checklist", Content: "Freeze, tag, announce."})
	draft(memory.Draft{Key: "editor", Title: "Helix", Content: "Set as default."})
	draft(memory.Draft{Key: "東京オフィス", Title: "住所", Content: "千代田区です。"})
	for i := range 20 {
		draft(memory.Draft{Title: fmt.Sprint("Log ", i), Content: fmt.Sprintf(
			"Deploy prod-db: deploy/prod-db failed %d times, deploy prod db again. 東京 オフィス 東京", i)})
		draft(memory.Draft{Title: fmt.Sprint("Talk ", i), Content: fmt.Sprintf(
			"Release, release! The checklist for a release: a checklist. The editor edits in an editor. %d", i)})
	}
	return w
}

// first returns the title of the best hit of a recall and of a search.
func (w *world) first(p loci.Principal, query string) string {
	w.t.Helper()
	r := memory.SearchRequest{Query: query, Explain: true}
	found, err := w.Memory.Recall(w.t.Context(), p, r)
	if err != nil {
		w.t.Fatalf("%q: %v", query, err)
	}
	searched, err := w.Memory.Search(w.t.Context(), p, r)
	if err != nil {
		w.t.Fatalf("%q: %v", query, err)
	}
	if len(found.Items) == 0 {
		return ""
	}
	best := found.Items[0]
	if got := searched.Items[0]; got.Memory.ID != best.ID {
		w.t.Errorf("%q: recall has %q first, and search %q", query, best.Title, got.Memory.Title)
	}
	if got := best.Why.Signals.Name > 0; got != (len(best.Why.Named) > 0) {
		w.t.Errorf("%q: named by %q, with a signal: %v", query, best.Why.Named, got)
	}
	return best.Title + " " + strings.Join(best.Why.Named, " ")
}

// A question that has the whole key or title of a memory finds it first, however often others have the words.
func TestAKeyOrATitleInAQuestion(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	for query, want := range map[string]string{
		"deploy/prod-db":                              "Connection string key",
		"What is in deploy/prod-db?":                  "Connection string key",
		`why did "deploy/prod-db" fail again`:         "Connection string key",
		"DEPLOY/PROD-DB":                              "Connection string key",
		"release checklist":                           "Release checklist title",
		"What does the Release checklist tell?":       "Release checklist title",
		"editor":                                      "Helix key",
		"which editor?":                               "Helix key",
		"東京オフィス":                                      "住所 key",
		"東京オフィスはどこですか":                                "住所 key",
		"the helix, again":                            "Helix title",
		"How often did the deploys of prod-db fail 7": "Log 7 ",
	} {
		if got := w.first(w.owner, query); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
}

// A title of many memories names none of them, and a title that is the beginning of the text is none.
func TestATitleOfManyMemories(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 17 {
		w.save(w.owner, memory.Draft{Title: "Note", Content: fmt.Sprint("About something else: ", i)})
	}
	w.save(w.owner, memory.Draft{Title: "Shopping", Content: "A note of a note: note!"})
	w.save(w.owner, memory.Draft{Title: "Bread", Content: "Bread"})
	if got := w.first(w.owner, "note"); strings.HasSuffix(got, "title") {
		t.Errorf("got %q", got)
	}
	if got := w.first(w.owner, "bread"); got != "Bread " {
		t.Errorf("got %q", got)
	}
}

// A key or a title of a memory that the reader may not see changes nothing that the reader gets.
func TestHiddenNamesChangeNothing(t *testing.T) {
	t.Parallel()
	with, without := namedWorld(t), namedWorld(t)
	only := []loci.Vendor{"cursor"}
	for i := range 40 {
		with.save(with.owner, memory.Draft{Key: "deploy/prod-db" + []string{"", " ", "."}[i%3],
			Title:   "Release checklist",
			Content: fmt.Sprint("secret ", i), AllowedVendors: only, Dedupe: memory.DedupeCreate})
	}
	for _, query := range []string{"deploy/prod-db", "Release checklist",
		"what is in deploy/prod-db and release checklist"} {
		texts := func(w *world) (list []string) {
			found, err := w.Memory.Recall(t.Context(), w.claude, memory.SearchRequest{Query: query, Explain: true, Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range found.Items {
				list = append(list, fmt.Sprint(h.Title, h.Score, h.Why.Named, h.Why.Terms, *h.Why.Signals, found.Total))
			}
			return list
		}
		got, want := texts(with), texts(without)
		if !cmp.Equal(got, want) || !slices.ContainsFunc(got, func(s string) bool {
			return strings.Contains(s, "[key]") ||
				strings.Contains(s, "[title]")
		}) {
			t.Errorf("%q: %s", query, cmp.Diff(want, got))
		}
	}
}

// TestAnIdentifierBeatsATitleOfItsPart finds what has an identifier before what is titled by a part of it.
func TestAnIdentifierBeatsATitleOfItsPart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for title, content := range map[string]string{
		"URL": "A URL is an address of the web.", "User": "The user likes tea.", "Prod": "Prod is the live system.",
		"Settings": "Set DATABASE_URL in the environment of the service before the start of the server, else it stops.",
		"Columns":  "The table of orders has the column user_id, which may be empty until the person signs in.",
		"Layout":   "Files of the live system are below deploy/prod-db, and those of the other ones elsewhere.",
	} {
		w.save(w.owner, memory.Draft{Title: title, Content: content})
	}
	for query, want := range map[string]string{"DATABASE_URL": "Settings", "database_url": "Settings",
		"user_id":                 "Columns",
		"where is deploy/prod-db": "Layout", "URL": "URL title", "what is a url": "URL title", "user id": "User title"} {
		if got := strings.TrimSpace(w.first(w.owner, query)); got != want {
			t.Errorf("%q finds %q first, want %q", query, got, want)
		}
	}
}

// TestOtherSpellingsFind finds words that a text has in another spelling, and marks them.
func TestOtherSpellingsFind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, content := range []string{"Das Büro ist im zweiten Stock.", "Wir waren in Hà Nội im Mai.",
		"The printer has the address 00:1A:2B:3C:4D:5E now.", "Das Haus steht in der Straße am See.",
		"Đorđe lives in Łódź."} {
		w.save(w.owner, memory.Draft{Title: fmt.Sprint("Note ", i), Content: content})
	}
	for query, want := range map[string]string{"buero": "**Büro**", "büro": "**Büro**", "buro": "**Büro**",
		"wo ist das Buero": "**Büro**", "hanoi": "**Hà** **Nội**", "Hà Nội": "**Hà** **Nội**",
		"001a2b3c4d5e":      "**00:1A:2B:3C:4D:5E**",
		"00:1a:2b:3c:4d:5e": "**00:1A:2B:3C:4D:5E**", "strasse": "**Straße**", "dorde": "**Đorđe**", "lodz": "**Łódź**"} {
		got, err := w.Memory.Search(t.Context(), w.owner, memory.SearchRequest{Query: query})
		if err != nil || len(got.Items) == 0 || got.Partial() {
			t.Errorf("%q: %+v, %v", query, got, err)
			continue
		}
		if why := got.Items[0].Why; !strings.Contains(got.Items[0].Snippet.String(), want) || why.Fallback != "" {
			t.Errorf("%q finds %q by %q, want %q", query, got.Items[0].Snippet, why.Fallback, want)
		}
	}
}
