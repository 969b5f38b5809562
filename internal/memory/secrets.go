package memory

import (
	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/reflection/sensitive"
)

// Titles summarises memories for a list of titles, with [secret] in the place of each secret.
func Titles(list []*loci.Memory) []loci.MemorySummary { return loci.Summaries(Masked(list)) }

// Masked returns memories as they are shown to readers that did not ask for them by name: with [secret] in the place of
// each secret. Those that have one are copies.
func Masked(list []*loci.Memory) []*loci.Memory {
	out := make([]*loci.Memory, len(list))
	for i, m := range list {
		out[i] = m
		if len(SecretsIn(m)) == 0 {
			continue
		}
		m = m.Clone()
		for _, text := range []*string{&m.Title, &m.Content, &m.Summary, &m.Key, &m.Source} {
			*text, _ = sensitive.Mask(*text)
		}
		for k := range m.Tags {
			m.Tags[k], _ = sensitive.Mask(m.Tags[k])
		}
		out[i] = m
	}
	return out
}

// SecretsIn returns which types of secrets the texts of a memory have.
func SecretsIn(m *loci.Memory) []string {
	return sensitive.Named(append([]string{m.Title, m.Content, m.Summary, m.Key, m.Source}, m.Tags...)...)
}
