package embed_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/embed"
)

func selectorOf(t *testing.T, dir string) *embed.Selector {
	t.Helper()
	s, err := embed.NewSelector(embed.SelectorOptions{Dir: t.TempDir(), Model: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func current(t *testing.T, s *embed.Selector) embed.Model {
	t.Helper()
	m, err := s.Current(t.Context())
	if err != nil || m == nil {
		t.Fatalf("got %v, %v", m, err)
	}
	return m
}

func vectorOf(t *testing.T, m embed.Model, text string) []float32 {
	t.Helper()
	list, err := m.Embed(t.Context(), embed.Query, []string{text})
	if err != nil || len(list) != 1 {
		t.Fatalf("got %v, %v", list, err)
	}
	return list[0]
}

func product(x, y []float32) (sum float64) {
	for i := range x {
		sum += float64(x[i]) * float64(y[i])
	}
	return sum
}

// TestTransformersAreJoined compares the vector of a transformer in use with those of its two parts.
func TestTransformersAreJoined(t *testing.T) {
	dir := newBert(tiny).write(t)
	alone, builtIn := open(t, dir), open(t, embed.BuiltIn)
	s := selectorOf(t, dir)
	m := current(t, s)
	x, y := vectorOf(t, m, "w1 tea"), vectorOf(t, m, "w0 water")
	if len(x) != tiny.dims+256 || math.Abs(product(x, x)-1) > 1e-5 {
		t.Fatalf("got %d dimensions of the length %f", len(x), product(x, x))
	}
	share := product(x[tiny.dims:], x[tiny.dims:])
	want := (1-share)*product(vectorOf(t, alone, "w1 tea"), vectorOf(t, alone, "w0 water")) +
		share*product(vectorOf(t, builtIn, "w1 tea"), vectorOf(t, builtIn, "w0 water"))
	if got := product(x, y); math.Abs(got-want) > 1e-5 || share < 0.1 || share > 0.6 {
		t.Errorf("the similarity is %f, want %f", got, want)
	}
	if !embed.Local(m.Name()) || !strings.HasPrefix(m.Name(), alone.Name()+"+") ||
		!strings.Contains(builtIn.Name(), m.Name()[len(alone.Name())+1:]) {
		t.Errorf("the name is %q; its parts are %q and %q", m.Name(), alone.Name(), builtIn.Name())
	}
	if found, err := s.ByName(t.Context(), m.Name()); found != m || err != nil {
		t.Errorf("by its name, got %v, %v", found, err)
	}
	if found, _ := s.ByName(t.Context(), alone.Name()); found != nil {
		t.Error("found a transformer alone, whose vectors are others")
	}
	if static := current(t, selectorOf(t, folder(t))); len(vectorOf(t, static, "tea")) > 255 {
		t.Error("a static model is joined")
	}
}

// TestQuickQuestions asks for what is there of a question while a transformer is still being read.
func TestQuickQuestions(t *testing.T) {
	dir := newBert(tiny).write(t)
	name, whole := "", []float32(nil)
	ready := selectorOf(t, dir)
	name, whole = current(t, ready).Name(), vectorOf(t, current(t, ready), "tea")
	s := selectorOf(t, dir)
	blocked := make(chan struct{})
	s.ReadWith(func(at string) (embed.FolderModel, error) {
		if at != embed.BuiltIn {
			<-blocked
		}
		return embed.Open(at, embed.Prompts{})
	})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := s.Current(ended); err == nil {
		t.Fatalf("got %v before it was read", m)
	}
	got, want := s.Quick(name, "tea"), whole[tiny.dims:]
	if len(got) != len(want) || math.Abs(product(got, want)-product(want, want)) > 1e-5 {
		t.Errorf("got %v, want %v", got, want)
	}
	builtIn := open(t, embed.BuiltIn)
	if got := s.Quick(builtIn.Name(), "tea"); !slices.Equal(got, vectorOf(t, builtIn, "tea")) {
		t.Error("the built-in model gives another vector at once than else")
	}
	for _, other := range []string{"an endpoint", strings.TrimRight(name, "0123456789abcdef") + "0123", "static:x@1"} {
		if s.Quick(other, "tea") != nil {
			t.Errorf("%s: got a vector of another model", other)
		}
	}
	close(blocked)
}
