package recall_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

func TestBoostsAreWhatDecided(t *testing.T) {
	t.Parallel()
	memory := func(text string, pinned bool, importance int, changed int64) *loci.Memory {
		return &loci.Memory{ID: loci.NewMemoryID(), Title: text, Pinned: pinned, Importance: importance,
			UpdatedAt: time.UnixMicro(changed)}
	}
	old := memory("+x+", true, 9, 10)
	old.SupersededBy = loci.NewMemoryID()
	memories := []*loci.Memory{old, memory("+x+ +y+", true, 9, 9), memory("+x+", true, 7, 1), memory("+x+", true, 5, 2),
		memory("+x+", false, 5, 3), memory("+x+", false, 5, 1), memory("y", true, 9, 9)}
	var got []string
	for _, h := range question("+x+ +y+").Anywhere().Rank(memories) {
		got = append(got, strings.Join(h.Why.Boosts, " "))
	}
	want := []string{"", "current pinned importance", "current pinned", "current updated_at", "current", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Of selected memories, those that are superseded come last among hits of one score.
func TestSelectedRowsTellWhetherTheyAreCurrent(t *testing.T) {
	t.Parallel()
	now := askedOn
	m := &loci.Memory{Pinned: true, Importance: 9, UpdatedAt: now, ValidFrom: now.AddDate(0, 0, 1),
		ValidTo: now.AddDate(0, 0, 2)}
	row := recall.SelectedRow(m)
	m.SupersededBy = loci.NewMemoryID()
	old := recall.SelectedRow(m)
	if !row.Admits(now.AddDate(9, 0, 0)) || !row.Admits(now.AddDate(-9, 0, 0)) || row.Priority <= old.Priority ||
		old.Priority != recall.Priority(m) {
		t.Errorf("current %+v, superseded %+v", row, old)
	}
}

func TestAsParts(t *testing.T) {
	tests := []struct{ name, query, want string }{
		{"a word", "Versicherung", "Versicherung"},
		{"without what stands around it", "(versicherung)?", "versicherung"},
		{"short ones say nothing beside long ones", "is of versicherung ab", "versicherung"},
		{"nor alone", "ab", ""},
		{"one letter", "C", ""},
		{"a short one with signs, as typed", "C++", "C++"},
		{"too short with its sign", "c#", ""},
		{"several short ones", "c go r", ""},
		{"one ideograph alone", "京", "京"},
		{"an ideograph is enough", "京 versicherung", "京|versicherung"},
		{"twice is once, whatever the case", "ROUND round", "ROUND"},
		{"a phrase stays whole", `"grün hier" x`, "grün hier"},
		{"the four longest", "aaa bbbb ccccc ddd eeeeee", "aaa|bbbb|ccccc|eeeeee"},
		{"signs", "🎉 ++", "🎉|++"},
		{"nothing", "  ", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(question(tt.query).Anywhere().Texts(), "|"); got != tt.want {
				t.Errorf("parts of %q are %q, want %q", tt.query, got, tt.want)
			}
		})
	}
}

func TestPartsStandAnywhere(t *testing.T) {
	tests := []struct{ name, query, content, snippet string }{
		{"in a compound", "versicherung", "Die KrankenVersicherung zahlt.", "Die Kranken**Versicherung** zahlt."},
		{"Korean", "에서", "우리는 서울에서 만난다", "우리는 서울**에서** 만난다"},
		{"Greek, of either case", "ΛΟΣ", "ο φίλος ήρθε", "ο φί**λος** ήρθε"},
		{"Arabic", "كتاب", "قرأت الكتاب", "قرأت ال**كتاب**"},
		{"Thai", "ไทย", "ภาษาไทยง่าย", "ภาษา**ไทย**ง่าย"},
		{"signs", "🎉", "Done 🎉!", "Done **🎉**!"},
		{"several, and twice", "ound roun", "a round ground", "a **roun**d g**roun**d"},
		{"the sign of Kelvin", "kelv", "20 \u212Aelvins", "20 **\u212Aelv**ins"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := question(tt.query).Anywhere()
			m := &loci.Memory{ID: loci.NewMemoryID(), Content: tt.content, Tags: []string{"t"}}
			if got := q.Snippet(tt.content).String(); got != tt.snippet {
				t.Errorf("got %q, want %q", got, tt.snippet)
			}
			hits := q.Rank([]*loci.Memory{{Content: "nothing of that"}, m})
			if len(hits) != 1 || hits[0].Score <= 0 || !slices.Equal(hits[0].Why.Terms[0].Fields, []string{"content"}) {
				t.Errorf("hits %+v", hits)
			}
		})
	}
}

func FuzzPartsNeverPanic(f *testing.F) {
	f.Add("a", "b a c")
	f.Add("İß K", "i̇ss ſKk")
	f.Fuzz(func(t *testing.T, query, text string) {
		q := question(query).Anywhere()
		if len(q.Texts()) > 4 {
			t.Fatalf("%d texts", len(q.Texts()))
		}
		q.Snippet(text)
		q.Rank([]*loci.Memory{{Content: text}})
	})
}
