package recall

import (
	"slices"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/index"
)

// viewOf returns an index of texts, whose ids are their numbers from 1 on.
func viewOf(t *testing.T, texts ...string) []*index.View {
	b := index.NewBuilder()
	for i, text := range texts {
		b.Add(index.Row{ID: [16]byte{byte(i + 1)}, Class: "c", Fields: []index.Field{{Text: text}}})
	}
	s, err := index.Open(b.Build())
	if err != nil {
		t.Fatal(err)
	}
	return []*index.View{index.NewView(s)}
}

func matching(t *testing.T, e *index.Expression, texts ...string) (found []int) {
	if e == nil {
		return nil
	}
	q := &index.Query{Where: e, Sees: everything, Now: time.Unix(0, 0)}
	ids, _ := index.Matching(viewOf(t, texts...), q, index.Page{Limit: len(texts)})
	for _, id := range ids {
		found = append(found, int(id[0]))
	}
	return found
}

func everything(index.Class) bool { return true }

// All words of a question must be in a text, in any of their forms.
func TestAllWords(t *testing.T) {
	texts := []string{"the servers were deployed to Berlin", "a server in Paris", "deploy the server in Berlin",
		"データベースを東京に移した", "сервер развёрнут в Москве", "use user_name as the key", "not the key of the user's name"}
	for _, c := range []struct {
		text string
		want []int
	}{
		{"server Berlin", []int{1, 3}},
		{"the server", []int{1, 3}},
		{`"the server"`, []int{1, 3}},
		{`"server in"`, []int{2, 3}},
		{"depl* berlin", []int{1, 3}},
		{"東京", []int{4}},
		{"серверы", []int{5}},
		{"user_name", []int{6, 7}},
		{"server rocket", nil},
		{"?!", nil},
	} {
		q := Ask{Text: c.text, Sees: everything, Now: time.Unix(0, 0)}.Read()
		e, more := q.All()
		if got := matching(t, e, texts...); !slices.Equal(got, c.want) || more {
			t.Errorf("%s finds %v, want %v", c.text, got, c.want)
		}
	}
}

// The words of a phrase follow one another, and the last one may go on.
func TestPhrasesOfExpressions(t *testing.T) {
	texts := []string{"state of the art", "the state of art", "state-of-the-arts"}
	q := Ask{Text: "state of the art", Sees: everything, Now: time.Unix(0, 0)}.Read()
	for _, c := range []struct {
		text   string
		prefix bool
		want   []int
	}{
		{"state-of-the", false, []int{1, 3}},
		{"state of", false, []int{1, 2, 3}},
		{"of the sta", true, nil},
		{"the sta", true, []int{2}},
		{"the sta", false, nil},
		{"…", false, nil},
	} {
		if got := matching(t, q.Phrase(c.text, c.prefix), texts...); !slices.Equal(got, c.want) {
			t.Errorf("%q finds %v, want %v", c.text, got, c.want)
		}
	}
}
