package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/hub"
)

// maxEmbedSeconds is how long a call of an embedding endpoint may take at most, and mostEmbedChars how many characters
// of a text it may get.
const (
	maxEmbedSeconds = 300
	mostEmbedChars  = 100_000
)

// embedKeys are the settings of embeddings.
func embedKeys() []settingKey {
	return []settingKey{
		{"embed/model", "LOCI_EMBED_MODEL", "", func(s *settings, v value) { s.Embed.Model = v.text() }},
		{"embed/base_url", "LOCI_EMBED_BASE_URL", "", func(s *settings, v value) { s.Embed.Endpoint.BaseURL = v.text() }},
		{"embed/api_key", "LOCI_EMBED_API_KEY", "", func(s *settings, v value) { s.Embed.Endpoint.APIKey = v.secret() }},
		{"embed/dimensions", "LOCI_EMBED_DIMENSIONS", "0", func(s *settings, v value) {
			s.Embed.Endpoint.Dims = int(v.number(embed.MaxDims))
		}},
		{"embed/query_prefix", "LOCI_EMBED_QUERY_PREFIX", "", func(s *settings, v value) {
			s.Embed.Endpoint.QueryPrefix = v.raw()
		}},
		{"embed/document_prefix", "LOCI_EMBED_DOCUMENT_PREFIX", "", func(s *settings, v value) {
			s.Embed.Endpoint.DocumentPrefix = v.raw()
		}},
		{"embed/max_chars", "LOCI_EMBED_MAX_CHARS", strconv.Itoa(embed.DefaultMaxChars), func(s *settings, v value) {
			s.Embed.Endpoint.MaxChars = int(v.number(mostEmbedChars))
			v.check(s.Embed.Endpoint.MaxChars > 0, fmt.Sprintf("must be from 1 to %d", mostEmbedChars))
		}},
		{"embed/timeout_seconds", "LOCI_EMBED_TIMEOUT_SECONDS", strconv.Itoa(int(embed.DefaultTimeout / time.Second)),
			func(s *settings, v value) {
				seconds := v.number(maxEmbedSeconds)
				v.check(seconds > 0, fmt.Sprintf("must be more than 0 and at most %d", maxEmbedSeconds))
				s.Embed.Endpoint.Timeout = time.Duration(seconds * float64(time.Second))
			}},
		{"models/hub", "LOCI_MODELS_HUB", hub.DefaultHub, func(s *settings, v value) { s.Hub = v.text() }},
	}
}

// modelsDir is where the models of embeddings of a data directory are.
func modelsDir(dir string) string { return filepath.Join(dir, "models") }

// vectorsDir is where the vectors of the memories are. They are derived, and may be deleted while no process runs.
func vectorsDir(dir string) string { return filepath.Join(dir, "index-vectors") }

// selector returns what finds the model of embeddings in use. It reads no model yet.
func (p *program) selector() (*embed.Selector, error) {
	o := p.settings.Embed
	o.Dir, o.Egress = modelsDir(p.settings.DataDir), p.settings.Egress
	return embed.NewSelector(o)
}

// modelPatience is how long a search waits for a model of embeddings; 0: as usual. A process that does one thing has no
// next search that could use a late answer.
func (s *settings) modelPatience() time.Duration {
	if !s.Embed.Patient {
		return 0
	}
	return max(s.Patience/4, 2*time.Second)
}

// sendsTexts reports whether Loci sends the texts of memories to an embedding endpoint.
func (s *settings) sendsTexts() bool {
	return s.Embed.Endpoint.BaseURL != "" && s.Embed.Model != embed.Off && s.Embed.Model != embed.BuiltIn && s.Egress
}

func embedModelFlag(add func(name, value, usage string) *string) {
	add("embed-model", "", "model of embeddings: a name from loci models list, a folder, or off "+
		"(default: what loci models use has set, or else "+embed.BuiltIn+"; LOCI_EMBED_MODEL)")
}

// builtIn describes the model in the program. NOTICE names its teacher and the texts.
var builtIn = hub.Model{Name: embed.BuiltIn, Bytes: embed.BuiltInBytes, Dims: 256, Complete: true,
	Source: "in this program: static, for English and six other languages, Apache-2.0"}

// models lists the models that can be used without a download.
func (p *program) models() ([]hub.Model, error) {
	list, err := hub.List(modelsDir(p.settings.DataDir))
	return append([]hub.Model{builtIn}, list...), err
}

// chosenModel is the model that the settings name, or else the one that `loci models use` has set.
func (s *settings) chosenModel() string {
	return cmp.Or(s.Embed.Model, embed.InUse(modelsDir(s.DataDir)))
}

// modelInUse is the Source of the model in use, for commands that do not open the data directory. What is wrong with
// the settings shows when it is first asked.
type modelInUse func() (*embed.Selector, error)

// Current implements embed.Source.
func (m modelInUse) Current(ctx context.Context) (embed.Model, error) {
	s, err := m()
	if err != nil {
		return nil, err
	}
	return s.Current(ctx)
}

// Quick implements embed.Source.
func (m modelInUse) Quick(name, question string) []float32 {
	if s, err := m(); err == nil {
		return s.Quick(name, question)
	}
	return nil
}

// ByName implements embed.Source.
func (m modelInUse) ByName(ctx context.Context, name string) (embed.Model, error) {
	s, err := m()
	if err != nil {
		return nil, err
	}
	return s.ByName(ctx, name)
}
