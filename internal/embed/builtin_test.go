package embed_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loci-memory/loci/internal/embed"
)

// TestBuiltInModelHasItsName compares the files of the built-in model with the SHA-256 in the header of its weights, of
// which the model has its name: vectors of another model must not be taken for those of this one.
func TestBuiltInModelHasItsName(t *testing.T) {
	weights := builtInFile(t, "model.safetensors")
	end := 8 + binary.LittleEndian.Uint64(weights)
	var header struct {
		Meta struct{ SHA256 string } `json:"__metadata__"`
	}
	if err := json.Unmarshal(weights[8:end], &header); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(slices.Concat(builtInFile(t, "tokenizer.json"), builtInFile(t, "vocabulary.txt"), weights[end:]))
	if got := hex.EncodeToString(sum[:]); got != header.Meta.SHA256 || !strings.Contains(string(weights[:256]), got) {
		t.Errorf("the files have the SHA-256 %s, and the first bytes of the weights name %q; make them again with go run "+
			"./test/builtin", got, header.Meta.SHA256)
	}
}

func builtInFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("builtin", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestBuiltInModelFindsByMeaning asks the model as it ships.
func TestBuiltInModelFindsByMeaning(t *testing.T) {
	m, err := embed.Open(embed.BuiltIn, embed.Prompts{})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"The cat sat on the mat", "We deploy to production on Tuesdays", "My daughter is allergic to nuts"}
	documents, err := m.Embed(t.Context(), embed.Document, texts)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ question, want string }{
		{"When do we ship a release?", texts[1]}, {"Which foods make my child ill?", texts[2]}, {"kitten", texts[0]},
	} {
		q, err := m.Embed(t.Context(), embed.Query, []string{tt.question})
		if err != nil {
			t.Fatal(err)
		}
		best, at := float32(-1), 0
		for i, d := range documents {
			sum := float32(0)
			for j := range d {
				sum += d[j] * q[0][j]
			}
			if sum > best {
				best, at = sum, i
			}
		}
		if texts[at] != tt.want {
			t.Errorf("%q finds %q, want %q", tt.question, texts[at], tt.want)
		}
	}
}

// TestSortedVocabulary takes texts apart with the vocabulary of the built-in model as lines and as JSON.
func TestSortedVocabulary(t *testing.T) {
	lines := string(builtInFile(t, "vocabulary.txt"))
	ids := map[string]int{}
	for token := range strings.Lines(lines) {
		ids[strings.TrimSuffix(token, "\n")] = len(ids)
	}
	var rules map[string]map[string]any
	if err := json.Unmarshal(builtInFile(t, "tokenizer.json"), &rules); err != nil {
		t.Fatal(err)
	}
	sorted := tokensOf(t, rules, lines)
	rules["model"]["vocab"] = ids
	mapped := tokensOf(t, rules, "")
	for _, text := range []string{"", "a", "We deploy on Tuesdays.", "uncharacteristically misspeled wrods",
		"Wann liefern wir die nächste Version aus?", "où est-ce que ça se trouve", "¿Cuándo publicamos?", "Não sei",
		"いつリリースしますか", "我们星期二部署", "我们\U0002a6d6星期二",
		"zzzzqqqq 12345 user_id x=1", "\u0000\ufffd", strings.Repeat("long", 500)} {
		if got, want := sorted(text), mapped(text); !slices.Equal(got, want) {
			t.Errorf("%.40q is %v, want %v", text, got, want)
		}
	}
	if got, want := sorted("我们\U0002a6d6星期二"), sorted("我们星期二"); !slices.Equal(got, want) || len(got) == 0 {
		t.Errorf("with an unknown character the tokens are %v, want %v", got, want)
	}
	if tokens := slices.Collect(strings.Lines(lines)); !slices.IsSorted(tokens) || len(ids) != len(tokens) {
		t.Error("the tokens are not in order, or not different")
	}
}

func tokensOf(t *testing.T, rules any, lines string) func(string) []int32 {
	t.Helper()
	text, err := json.Marshal(rules)
	if err != nil {
		t.Fatal(err)
	}
	encode, err := embed.TokensOf(text, lines)
	if err != nil {
		t.Fatal(err)
	}
	return encode
}
