package event

import "github.com/loci-memory/loci/internal/reflection/sensitive"

// SecretsIn returns which types of secrets the texts of events have.
func SecretsIn(drafts ...Draft) []string {
	var texts []string
	for i := range drafts {
		texts = append(texts, drafts[i].Content, string(drafts[i].Metadata))
	}
	return sensitive.Named(texts...)
}
