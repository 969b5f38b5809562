package app_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/memory"
)

// finds says what p finds in a project: the names, and then what the answer says of itself.
func finds(t interface {
	Helper()
	Fatalf(string, ...any)
	Context() context.Context
}, a *app.App, p loci.Principal, in loci.ProjectID, query string) string {
	t.Helper()
	hits, err := a.Graph.Search(t.Context(), p, in, graph.SearchRequest{Query: query, Limit: 50})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var names []string
	for _, e := range hits.Entities {
		names = append(names, e.Name)
	}
	text := strings.Join(names, ", ")
	if hits.Total != len(names) {
		text += fmt.Sprint(" of ", hits.Total)
	}
	return text + map[bool]string{true: " (any)"}[hits.AnyWord] + map[bool]string{true: " (more)"}[hits.TotalIsLowerBound]
}

func (w *graphWorld) finds(p loci.Principal, query string) string {
	w.t.Helper()
	return finds(w.t, w.App, p, w.open, query)
}

// Operators hold for each text: a name with its type, or an observation.
func TestGraphOperatorsHoldForEachText(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	w.put(w.olga, nil, ent("Go", "language", "has goroutines", "compiles fast"), ent("Rust", "language", "borrows"),
		ent("Alice", "person", "writes Go with goroutines", "plays chess"), ent("release notes", "document", "one file"))
	for query, want := range map[string]string{
		"language NOT goroutines":              "Rust, Go",
		"goroutines NOT writes":                "Go",
		"goroutines":                           "Go, Alice",
		"go AND language":                      "Go",
		"go AND goroutines":                    "Alice",
		"alice AND goroutines":                 "",
		"(alice OR rust) AND (person OR x)":    "Alice",
		`"release notes"`:                      "release notes",
		`"notes release"`:                      "",
		`"language has"`:                       "",
		`"fast borrows" OR "one fi"*`:          "release notes",
		"gor* AND writ*":                       "Alice",
		"g* NOT goroutines":                    "Go",
		"language NOT (go OR rust)":            "",
		"person NOT language NOT go":           "Alice",
		"the OR borrows":                       "Rust",
		"GOROUTINES NOT Writes":                "Go",
		"compile AND fast":                     "Go",
		"language NOT goroutines OR goroutine": "Rust, Go, Alice",
	} {
		got := w.finds(w.olga, query)
		if strings.Count(want, ",") > 0 {
			got, want = sorted(got), sorted(want)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

func sorted(list string) string {
	names := strings.Split(list, ", ")
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Plain words may be in different texts of an entity. If no entity has all, those with some are found, and then those
// with words that are like them. The entity whose name is the query comes first.
func TestPlainGraphWords(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	w.put(w.olga, nil, ent("Alice", "person", "runs kubernetes at work", "plays chess"),
		ent("Bob", "person", "met Alice", "plays go"), ent("Kubernetes", "tool", "schedules pods"),
		ent("Café Müller", "place", "serves Kubernetes stickers"), ent("C", "language"), ent("C++", "language"))
	for query, want := range map[string]string{
		"alice kubernetes":          "Alice",
		"who runs kubernetes?":      "Alice",
		"person chess work":         "Alice",
		"kubernetes":                "Kubernetes, Alice, Café Müller",
		"muller cafe stickers":      "Café Müller",
		"chess zebra":               "Alice (any)",
		"kubern":                    "Kubernetes, Alice, Café Müller (any)",
		"kubernetse":                "Kubernetes, Alice, Café Müller (any)",
		"ubernet":                   "Kubernetes, Alice, Café Müller (any)",
		"zzz":                       "",
		"kubernetes alice and pods": "Alice, Kubernetes, Bob, Café Müller (any)",
	} {
		first, _, _ := strings.Cut(want, ",")
		got := w.finds(w.olga, query)
		if begin, _, _ := strings.Cut(got, ","); begin != first && first == "Kubernetes" {
			t.Errorf("%s: got %q, want %s first", query, got, first)
		}
		if sorted(strings.TrimSuffix(got, " (any)")) != sorted(strings.TrimSuffix(want, " (any)")) ||
			strings.HasSuffix(got, "(any)") != strings.HasSuffix(want, "(any)") {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	for name, want := range map[string]string{"C++": "C++", "C": "C", "c++": "C++", "alice": "Alice, Bob"} {
		if got := w.finds(w.olga, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// graphLanguages has a text of each language, a word of another form that finds it, a phrase of it and a beginning.
var graphLanguages = map[string][4]string{
	"Arabic":     {"انتقلت قاعدة البيانات إلى برلين", "قاعدة", `"قاعدة البيانات"`, "برل*"},
	"Chinese":    {"数据库昨天迁移到了柏林", "数据库", `"迁移到了柏林"`, "数据*"},
	"English":    {"the servers were moved to Berlin", "server", `"moved to Berlin"`, "serv*"},
	"French":     {"les serveurs ont été déplacés à Lyon", "serveur", `"déplacés à Lyon"`, "serveu*"},
	"German":     {"die Häuser stehen in München", "Haus", `"stehen in München"`, "Häu*"},
	"Hindi":      {"डेटाबेस को दिल्ली ले जाया गया", "डेटाबेस", `"दिल्ली ले"`, "दिल्*"},
	"Japanese":   {"データベースを東京に移した", "東京", `"東京に移した"`, "データ*"},
	"Korean":     {"데이터베이스를 서울로 옮겼다", "데이터베이스", `"서울로 옮겼다"`, "데이터*"},
	"Portuguese": {"os servidores foram movidos para Lisboa", "servidor", `"movidos para Lisboa"`, "servid*"},
	"Russian":    {"серверы переехали в Москву", "сервер", `"переехали в Москву"`, "серв*"},
	"Spanish":    {"los servidores se movieron a Madrid", "servidor", `"movieron a Madrid"`, "movie*"},
	"Turkish":    {"yeni kitaplar masanın üzerinde duruyor", "kitap", `"masanın üzerinde"`, "kita*"},
}

// A graph search with and without operators finds words of every language, in other forms, too.
func TestGraphSearchLanguages(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	for name, texts := range graphLanguages {
		w.put(w.olga, nil, ent(name, "language", texts[0]))
	}
	for name, texts := range graphLanguages {
		for _, query := range []string{texts[1], `"` + texts[1] + `"`, texts[2], texts[3], texts[2] + " AND " + texts[3],
			texts[1] + " NOT zebra", "(zebra OR " + texts[3] + ")"} {
			// "(any)" would tell that no text has the words, but some have words that are like them.
			got := w.finds(w.olga, query)
			if !slices.Contains(strings.Split(got, ", "), name) || strings.HasSuffix(got, "(any)") {
				t.Errorf("%s: %s finds %q", name, query, got)
			}
		}
		if got := w.finds(w.olga, texts[3]+" NOT "+texts[2]); slices.Contains(strings.Split(got, ", "), name) {
			t.Errorf("%s: NOT finds %q", name, got)
		}
	}
}

// TestHiddenTextsChangeNoGraphSearch compares searches in a project in which another vendor has hidden texts with those
// in one that never had them: the same entities in the same order, counted alike.
func TestHiddenTextsChangeNoGraphSearch(t *testing.T) {
	drawFewer(t, 8)
	w := newGraphWorld(t)
	words := []string{"red", "blue", "green", "house", "houses", "garden"}
	queries := []string{"red", "red house", "red AND house", "red NOT house", "blue OR garden", `"red house"`, "gar*",
		"hous", "redd blue", "(red OR blue) NOT green", "thing", "ouse"}
	rapid.Check(t, func(rt *rapid.T) {
		alone := w.project(w.olga, "alone"+loci.NewEntityID().String(), true).ID
		beside := w.project(w.olga, "beside"+loci.NewEntityID().String(), true).ID
		claude := w.claude
		claude.ProjectIDs = append(slices.Clone(claude.ProjectIDs), alone, beside)
		olga := w.olga
		olga.ProjectIDs = claude.ProjectIDs
		text := func() string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 5).Draw(rt, "text"), " ")
		}
		put := func(in loci.ProjectID, vendors []loci.Vendor, items ...loci.NewEntity) {
			_, err := w.Graph.CreateEntities(t.Context(), olga, in, vendors, slices.Clone(items))
			w.must(err)
		}
		for i := range rapid.IntRange(1, 6).Draw(rt, "entities") {
			name := fmt.Sprint(text(), " ", i)
			for range rapid.IntRange(0, 3).Draw(rt, "hidden") {
				put(beside, []loci.Vendor{"cursor"}, ent(text()+" hidden", "thing", text(), text()))
			}
			item := ent(name, "thing", text(), text())
			for _, in := range []loci.ProjectID{alone, beside} {
				put(in, nil, item)
			}
			hidden := []loci.Contents{obs(name, text()+" unseen")}
			_, err := w.Graph.AddObservations(t.Context(), olga, beside, []loci.Vendor{"cursor"}, hidden)
			w.must(err)
			if rapid.Bool().Draw(rt, "ask") {
				finds(t, w.App, claude, beside, "red")
			}
		}
		for _, query := range queries {
			want, got := finds(t, w.App, claude, alone, query), finds(t, w.App, claude, beside, query)
			if got != want {
				rt.Errorf("%s: got %q, without hidden texts %q", query, got, want)
			}
		}
	})
}

// What becomes visible or hidden, is deleted or restored, is so to the next search, also by the texts of an entity that
// was limited.
func TestGraphSearchFollowsAccess(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	put := w.put(w.olga, nil, ent("Plan", "doc", "about zebras"), ent("Map", "doc", "of zebras"))
	steps := []struct {
		what string
		do   func() error
		want string
	}{
		{"at first", func() error { return nil }, "Map, Plan"},
		{"limited", func() error {
			_, err := w.Graph.SetVendors(t.Context(), w.olga, w.open, graph.IDs{Entities: []loci.EntityID{put[0].Entity.ID}},
				[]loci.Vendor{"cursor"})
			return err
		}, "Map"},
		{"deleted", func() error {
			_, err := w.Graph.DeleteObservations(t.Context(), w.olga, w.open, []loci.Contents{obs("Map", "of zebras")})
			return err
		}, ""},
		{"opened", func() error {
			_, err := w.Graph.SetVendors(t.Context(), w.olga, w.open, graph.IDs{Entities: []loci.EntityID{put[0].Entity.ID}},
				[]loci.Vendor{"*"})
			return err
		}, "Plan"},
		{"restored", func() error {
			_, err := w.Graph.RestoreEntities(t.Context(), w.olga, w.open,
				graph.IDs{Observations: []loci.ObservationID{put[1].Added[0].ID}})
			return err
		}, "Map, Plan"},
		{"without the entity", func() error {
			_, err := w.Graph.DeleteEntities(t.Context(), w.olga, w.open, refs("Map"))
			return err
		}, "Plan"},
		{"merged", func() error {
			_, err := w.Graph.RestoreEntities(t.Context(), w.olga, w.open,
				graph.IDs{Entities: []loci.EntityID{put[1].Entity.ID}})
			w.must(err)
			_, err = w.Graph.Merge(t.Context(), w.olga, w.open, named("Plan"), named("Map"))
			return err
		}, "Map"},
	}
	for _, step := range steps {
		w.must(step.do())
		if got := sorted(w.finds(w.claude, "zebras")); got != step.want {
			t.Errorf("%s: got %q, want %q", step.what, got, step.want)
		}
	}
}

// process is another process with the same files.
func (w *graphWorld) process(dir string) *app.App {
	return app.New(app.Options{Store: w.Store, Now: w.App.Time, GraphIndexDir: dir})
}

// An index is only derived: it may be shared by processes, missing, damaged or behind. It goes with its project.
func TestGraphIndexes(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	dir, ctx := t.TempDir(), t.Context()
	one, two := w.process(dir), w.process(dir)
	var items []loci.NewEntity
	for i := range 500 {
		items = append(items, ent(fmt.Sprint("number ", i), "thing", fmt.Sprint("the word w", i), "common"))
	}
	put := func(a *app.App, items ...loci.NewEntity) {
		t.Helper()
		_, err := a.Graph.CreateEntities(ctx, w.olga, w.open, nil, items)
		w.must(err)
	}
	put(one, items...)
	check := func(what string, apps ...*app.App) {
		t.Helper()
		for i, a := range apps {
			if got := finds(t, a, w.olga, w.open, "w7 OR w77"); sorted(got) != "number 7, number 77" {
				t.Errorf("%s, process %d: got %q", what, i, got)
			}
		}
		if problems, err := one.Graphs.Verify(ctx, w.olga.OrgID); err != nil || len(problems) > 0 {
			t.Errorf("%s: problems %q, %v", what, problems, err)
		}
	}
	check("at first", one, two)
	put(two, ent("late", "thing", "comes after"))
	if got := finds(t, one, w.olga, w.open, "comes AND after"); got != "late" {
		t.Errorf("what another process stored: got %q", got)
	}
	one.Graphs.Each.Flush(ctx)
	segments := func() []string {
		list, err := fs.Glob(os.DirFS(dir), "*/*/*.segment")
		w.must(err)
		return list
	}
	if len(segments()) == 0 {
		t.Error("there are no files")
	}
	check("with files", one, two, w.process(dir))

	w.must(os.WriteFile(filepath.Join(dir, segments()[0]), []byte("damaged"), 0o600))
	if problems, err := w.process(dir).Graphs.Verify(ctx, w.olga.OrgID); err != nil || len(problems) != 1 ||
		!strings.Contains(problems[0], "cannot be read") {
		t.Errorf("a damaged file: %q, %v", problems, err)
	}
	check2 := func(what string) {
		if got := finds(t, w.process(dir), w.olga, w.open, "w7"); got != "number 7" {
			t.Errorf("%s: got %q", what, got)
		}
	}
	check2("a damaged file")
	w.must(w.process(dir).Graphs.Rebuild(ctx, w.olga.OrgID))
	check("built again", w.process(dir))
	if s, err := w.process(dir).Graphs.Stats(ctx, w.olga.OrgID); err != nil || s.Rows != 1502 || !s.Whole || s.Files != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
	w.must(os.RemoveAll(dir))
	check2("without files")

	three := w.process(dir)
	three.Graphs.Complete(ctx, w.olga.OrgID, w.open)
	if len(segments()) == 0 {
		t.Error("there are no files again")
	}
	_, err := three.Project.Archive(ctx, w.olga, w.open)
	w.must(err)
	if left := segments(); len(left) > 0 {
		t.Errorf("an archived project has %q", left)
	}
	_, err = three.Graph.Search(ctx, w.olga, w.open, graph.SearchRequest{Query: "w7"})
	if loci.CodeOf(err) != loci.Conflict {
		t.Errorf("a search of an archived project: %v", err)
	}
	_, err = three.Project.Restore(ctx, w.olga, w.open)
	w.must(err)
	check2("restored")
}

// A secret that is removed from a graph leaves the files of its index at once.
func TestRemovedSecretsLeaveGraphIndexes(t *testing.T) {
	t.Parallel()
	w := newGraphWorld(t)
	dir, ctx := t.TempDir(), t.Context()
	a := w.process(dir)
	items := []loci.NewEntity{ent("Server", "thing", "the password: hunter2xylophone")}
	for i := range 900 {
		items = append(items, ent(fmt.Sprint("number ", i), "thing", "text"))
	}
	_, err := a.Graph.CreateEntities(ctx, w.olga, w.open, nil, items)
	w.must(err)
	a.Graphs.Complete(ctx, w.olga.OrgID, w.open)
	has := func() (found bool) {
		w.must(fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(filepath.Join(dir, path))
			found = found || strings.Contains(string(data), "xylophone")
			return err
		}))
		return found
	}
	if got := finds(t, a, w.olga, w.open, "hunter2xylophone"); got != "Server" || !has() {
		t.Errorf("before: got %q, in the files: %v", got, has())
	}
	list, err := a.Memory.Suggestions(ctx, w.olga, memory.SuggestionsRequest{})
	w.must(err)
	for _, s := range list.Items {
		_, err := a.Memory.AcceptSuggestion(ctx, w.olga, s.ID, false)
		w.must(err)
	}
	if got := finds(t, a, w.olga, w.open, "hunter2xylophone"); got != "" || has() {
		t.Errorf("afterwards: got %q, in the files: %v", got, has())
	}
	if got := finds(t, a, w.olga, w.open, `"the password"`); got != "Server" {
		t.Errorf("the rest: got %q", got)
	}
}
