package recall_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
	"github.com/loci-memory/loci/internal/recall"
)

// viewsOf returns an index of memories, which are the asker's.
func viewsOf(tb testing.TB, memories ...*loci.Memory) []*index.View {
	tb.Helper()
	b := index.NewBuilder()
	for i, m := range memories {
		m.OrgID, m.UserID, m.Scope = asker.OrgID, asker.UserID, loci.ScopeGlobal
		if m.ID.IsZero() {
			m.ID = loci.MemoryID{15: byte(i + 1)}
		}
		row := recall.IndexRow(m)
		if row.Of != [16]byte{} {
			row.Session = m.SessionID.String() // as one block
		}
		b.Add(row)
	}
	s, err := index.Open(b.Build())
	if err != nil {
		tb.Fatal(err)
	}
	return []*index.View{index.NewView(s)}
}

func question(text string) *recall.Question {
	return recall.Ask{Text: text, At: askedOn, Self: []string{"user"}, Sees: recall.Sees(asker), Limit: 10}.Read()
}

// explained returns the hits of an answer as text: the terms with their fields, the boosts, the
// fallback and the snippet.
func explained(a *recall.Answer, memories ...*loci.Memory) (list [][]string) {
	for i, h := range a.Hits {
		for _, m := range memories {
			if m.ID != loci.MemoryID(h.ID) {
				continue
			}
			why, snippet := a.Explain(i, m)
			var one []string
			for _, t := range why.Terms {
				one = append(one, t.Term+": "+strings.Join(t.Fields, " "))
			}
			list = append(list, append(one, strings.Join(why.Boosts, " "), why.Fallback, snippet.String()))
		}
	}
	return list
}

func TestFoundWordsAreMarked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, query, text, want string }{
		{"English, another form", "deploys", "We deploy on Tuesdays.", "We **deploy** on Tuesdays."},
		{"an irregular text", "b", "a\n\n b", "a **b**"},
		{"accents", "cafe", "Das Café schließt.", "Das **Café** schließt."},
		{"a possessive", "sister", "My sister's boat", "My **sister's** boat"},
		{"German, another form", "wo sind die Häuser", "Das Haus brennt und die Häuser stehen.",
			"Das **Haus** brennt und die **Häuser** stehen."},
		{"German compound", "Strom", "Am Montag war Stromausfall.", "Am Montag war **Stromausfall**."},
		{"Russian", "книги", "Я читаю книгу.", "Я читаю **книгу**."},
		{"Spanish", "canción", "Me gustan las canciones.", "Me gustan las **canciones**."},
		{"Turkish", "İzmir", "İzmir'de yaşıyorum", "**İzmir**'de yaşıyorum"},
		{"Arabic", "كتاب", "قرأت الكتاب", "قرأت **الكتاب**"},
		{"Chinese", "东京", "明日は東京へ行く", "明日は**東京**へ行く"},
		{"Korean", "서울", "우리는 서울에서 만난다", "우리는 **서울**에서 만난다"},
		{"Thai", "ไทย", "ภาษาไทยง่าย", "ภาษา**ไทย**ง่าย"},
		{"part of an identifier", "user", "Call getUserName().", "Call get**User**Name()."},
		{"an identifier", "user_id", "set userId here", "set **userId** here"},
		{"the same in words", "user_id", "the user has an id", "the **user** has an **id**"},
		{"a path", "main.go", "edit main.go now", "edit **main.go** now"},
		{"a time in words", "15:00", "Meet at 3 PM there.", "Meet at **3** **PM** there."},
		{"a phrase", `"blue green"`, "green, blue, green", "green, **blue**, **green**"},
		{"a phrase and its words elsewhere", `"blue green"`, "a blue sky, a green tree, a blue green sea",
			"a blue sky, a green tree, a **blue** **green** sea"},
		{"a phrase before a word", `window "blue green"`, "The blue green window", "The **blue** **green** **window**"},
		{"a phrase in another form", `"deploy windows" x`, "The deploying window opens.",
			"The **deploying** **window** opens."},
		{"a phrase over an identifier", `"user_id column"`, "a userId column", "a **userId** **column**"},
		{"Korean phrase", `"서울 맛집"`, "서울 여행, 서울 맛집 추천", "서울 여행, **서울** **맛집** 추천"},
		{"a prefix", "tues*", "We deploy on Tuesdays.", "We deploy on **Tuesdays**."},
		{"a phrase with a prefix", "user_nam*", "the userName field", "the **userName** field"},
		{"emoji", "🎉", "Done 🎉!", "Done **🎉**!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &loci.Memory{Content: tt.text}
			other := &loci.Memory{Content: "nothing of that"}
			a := question(tt.query).Find(viewsOf(t, m, other))
			if len(a.Hits) != 1 {
				t.Fatalf("%d hits", len(a.Hits))
			}
			why, best := a.Explain(0, m)
			got := best.String()
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if len(why.Terms) == 0 || len(why.Terms[0].Fields) != 1 || why.Terms[0].Fields[0] != "content" {
				t.Errorf("terms %+v", why.Terms)
			}
		})
	}
}

func TestSnippetHasMostWords(t *testing.T) {
	t.Parallel()
	m := &loci.Memory{Content: strings.Repeat("The key is here. ", 30) + "The deploy key lives in the vault. " +
		strings.Repeat("More of the same. ", 30)}
	a := question("vault deploy key").Find(viewsOf(t, m))
	_, best := a.Explain(0, m)
	got := best.String()
	if !strings.Contains(got, "**deploy** **key** lives in the **vault**") || !strings.HasPrefix(got, "…") ||
		!strings.HasSuffix(got, "…") || len(got) > 240 {
		t.Errorf("got %q", got)
	}
	titled := &loci.Memory{Title: "Zebra", Content: "Nothing of it."}
	a = question("zebra").Find(viewsOf(t, titled))
	if _, got := a.Explain(0, titled); got != "Nothing of it." {
		t.Errorf("without a found word: got %q", got)
	}
}

// A memory that has only a part of a date, a version or an address does not have the whole.
func TestPartsAreNotTheWhole(t *testing.T) {
	t.Parallel()
	var memories []*loci.Memory
	for _, text := range []string{"In 2026 we moved.", "It ends on 2026-12-14.", "It ends on 31 December 2026.",
		"Go 1.26.3 is out.", "Go 1.26.4 is out.", "The router is at 192.168.1.1."} {
		memories = append(memories, &loci.Memory{Content: text})
	}
	views := viewsOf(t, memories...)
	for query, want := range map[string]map[string]string{
		"2026-12-31": {"In 2026 we moved.": "2026-12-31 (as 2026)", "It ends on 2026-12-14.": "2026-12-31 (as 2026-12-14)",
			"It ends on 31 December 2026.": "2026-12-31"},
		"1.26.4":      {"Go 1.26.3 is out.": "1.26.4 (as 1.26.3)", "Go 1.26.4 is out.": "1.26.4"},
		"192.168.1.7": {"The router is at 192.168.1.1.": "192.168.1.7 (as 192.168.1.1)"},
	} {
		a := question(query).Find(views)
		got := map[string]string{}
		for i, h := range a.Hits {
			for _, m := range memories {
				if m.ID != loci.MemoryID(h.ID) {
					continue
				}
				why, _ := a.Explain(i, m)
				for _, term := range why.Terms {
					got[m.Content] += term.Label()
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
}

func TestFallbacksFindOtherWords(t *testing.T) {
	t.Parallel()
	compound := &loci.Memory{Content: "Die Krankenversicherungen zahlen."}
	tuesday := &loci.Memory{Content: "We deploy on Tuesdays at 3 PM."}
	views := viewsOf(t, compound, tuesday)
	for _, tt := range []struct {
		name     string
		q        *recall.Question
		fallback string
		want     [][]string
	}{
		{"the word", question("tuesday"), "", [][]string{{"tuesday: content", "", "", "We deploy on **Tuesdays** at 3 PM."}}},
		{"a similar one", question("tuesdy"), "similar",
			[][]string{{"tuesdy: content", "", "similar", "We deploy on **Tuesdays** at 3 PM."}}},
		{"one found, one similar", question("deploy krankenversicherng"), "", [][]string{
			{"deploy: content", "", "", "We **deploy** on Tuesdays at 3 PM."},
			{"krankenversicherng: content", "", "similar", "Die **Krankenversicherungen** zahlen."}}},
		{"words that begin so", question("dep").AsPrefixes(), "prefix",
			[][]string{{"dep: content", "", "prefix", "We **deploy** on Tuesdays at 3 PM."}}},
		{"words that contain it", question("sicherung").AsParts(), "substring",
			[][]string{{"sicherung: content", "", "substring", "Die Krankenver**sicherung**en zahlen."}}},
		{"two parts", question("esda eplo").AsParts(), "substring", [][]string{
			{"esda: content", "eplo: content", "", "substring", "We d**eplo**y on Tu**esda**ys at 3 PM."}}},
		{"a phrase that nobody wrote", question(`"tuesday deploy"`).AsParts(), "", nil},
		{"nothing", question("zzzz"), "", nil},
	} {
		a := tt.q.Find(views)
		if diff := cmp.Diff(tt.want, explained(a, compound, tuesday)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if got := a.Fallback(); got != tt.fallback && len(a.Hits) > 0 {
			t.Errorf("%s: fallback %q, want %q", tt.name, got, tt.fallback)
		}
	}
}

func TestAnswersNameWordsAndFields(t *testing.T) {
	t.Parallel()
	memories := []*loci.Memory{
		{Title: "Deploys of us", Content: "We deploy on Tuesdays.", Key: "deploy.day", Category: "fact",
			Tags: []string{"ops", "day"}, Summary: "Tuesdays"},
		{Title: "Office", Content: "Deploy talks are on Mondays.", Category: "fact"},
	}
	a := question(`"deploy day" deploys Tues* what`).Find(viewsOf(t, memories...))
	want := [][]string{
		{"deploy day: key", "Tues: content summary", "deploys: title content key", "", "", "We **deploy** on **Tuesdays**."},
		{"deploys: content", "", "", "**Deploy** talks are on Mondays."}}
	if diff := cmp.Diff(want, explained(a, memories...)); diff != "" {
		t.Error(diff)
	}
}

// A person whom a question names is no term, but a found word.
func TestNamesAreMarked(t *testing.T) {
	t.Parallel()
	session := loci.SessionID{1}
	said := &loci.Memory{Content: "José Ruiz: I painted a boat.", SessionID: session, CreatedAt: askedOn}
	asked := &loci.Memory{Content: "User: What did you paint?", SessionID: session, CreatedAt: askedOn.Add(-time.Minute)}
	views := viewsOf(t, said, asked)
	a := question("What did José Ruiz paint?").Find(views)
	got := explained(a, said, asked)
	want := []string{"paint: content", "", "", "**José** **Ruiz**: I **painted** a boat."}
	if len(got) != 2 || cmp.Diff(want, got[0]) != "" {
		t.Errorf("got %q", got)
	}
	if s := a.Signals(0); s.Actor == 0 || s.Question == 0 || s.Context == 0 || s.When != 0 {
		t.Errorf("signals %+v", s)
	}
	if s := question("What do I paint?").Find(views).Signals(0); s.Actor == 0 {
		t.Errorf("who asks said it, but the signals are %+v", s)
	}
}

func TestAnswersAddUp(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{"red", "green", "blue", "red green", "greens", "x", "東京", "user_id"})
	rapid.Check(t, func(rt *rapid.T) {
		text := func(label string) string {
			return strings.Join(rapid.SliceOfN(words, 0, 6).Draw(rt, label), " ")
		}
		memories := map[loci.MemoryID]*loci.Memory{}
		var list []*loci.Memory
		for i := range rapid.IntRange(1, 6).Draw(rt, "memories") {
			m := &loci.Memory{ID: loci.MemoryID{byte(i + 1)}, Title: text("title"), Content: text("content"), Key: text("key"),
				Tags: strings.Fields(text("tags")), Pinned: rapid.Bool().Draw(rt, "pinned"),
				Importance: rapid.IntRange(1, 10).Draw(rt, "importance")}
			list, memories[m.ID] = append(list, m), m
		}
		q := question(rapid.SampledFrom([]string{"red blue", `"red green" green`, "gre* x blue", "東京 user_id"}).
			Draw(rt, "query"))
		a := q.Find(viewsOf(t, list...))
		for i, h := range a.Hits {
			why, _ := a.Explain(i, memories[loci.MemoryID(h.ID)])
			sum, last := 0.0, math.Inf(1)
			for _, term := range why.Terms {
				if sum += term.Score; term.Score > last+1e-12 || len(term.Fields) == 0 || term.Score <= 0 {
					rt.Fatalf("terms %+v", why.Terms)
				}
				last = term.Score
			}
			if s := a.Signals(i); math.Abs(sum-h.Score) > 1e-9 || math.Abs(s.Name+s.Row+s.Context+s.Session+s.Passage+
				s.Question+s.Actor+s.Self+s.When+s.Date+s.Graph-h.Score) > 1e-9 {
				rt.Fatalf("the score is %v, of terms %+v, of signals %+v", h.Score, why.Terms, s)
			}
		}
	})
}

func TestAnswersSayWhatDecided(t *testing.T) {
	t.Parallel()
	memory := func(text string, pinned bool, importance int, changed int64) *loci.Memory {
		return &loci.Memory{Content: text, Pinned: pinned, Importance: importance, UpdatedAt: time.UnixMicro(changed)}
	}
	memories := []*loci.Memory{memory("x", true, 9, 9), memory("x y", true, 7, 1), memory("x y", true, 5, 2),
		memory("x y", false, 10, 3), memory("x y", false, 10, 1)}
	var got []string
	for _, h := range explained(question("x").Find(viewsOf(t, memories...)), memories...) {
		got = append(got, h[1])
	}
	if diff := cmp.Diff([]string{"", "pinned importance", "pinned", "updated_at", ""}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add("a", "b a c")
	f.Add(`"é è"*`, strings.Repeat("é", 300))
	f.Add("user_i* 東京", "userId is 東京 3 PM")
	f.Fuzz(func(t *testing.T, query, text string) {
		query, text = strings.ToValidUTF8(query, "?"), strings.ToValidUTF8(text, "?") // as memories are
		m := &loci.Memory{Title: query, Content: text}
		views := viewsOf(t, m)
		for _, q := range []*recall.Question{question(query), question(query).AsPrefixes(), question(query).AsParts()} {
			a := q.Find(views)
			for i := range a.Hits {
				if _, best := a.Explain(i, m); len(best) > 20*recall.SnippetWidth {
					t.Fatalf("a snippet of %d bytes", len(best))
				}
			}
		}
	})
}
